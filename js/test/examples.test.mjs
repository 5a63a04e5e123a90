import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

// The example imports the installed package, so it runs in a folder with `node_modules`.
const folder = mkdtempSync(join(tmpdir(), "comity-"));
mkdirSync(join(folder, "node_modules"));
symlinkSync(fileURLToPath(new URL("..", import.meta.url)), join(folder, "node_modules/comity"), "junction");
cpSync(new URL("../../examples/javascript/crawler.mjs", import.meta.url), join(folder, "crawler.mjs"));
const { crawl } = await import(pathToFileURL(join(folder, "crawler.mjs")).href);
after(() => rmSync(folder, { recursive: true }));

/** Crawls with these answers, and returns the lines of the report, the requested URLs and the waits. */
async function crawlWith(answers, urls) {
  const [lines, requests, waits] = [[], [], []];
  const request = async (url) => {
    requests.push(url);
    const answer = answers[url];
    if (answer instanceof Error) throw answer;
    return answer ?? new Response("", { status: 404 });
  };
  await crawl(urls, { request, wait: async (seconds) => waits.push(seconds), report: (line) => lines.push(line) });
  return { lines, requests, waits };
}

test("disallowed_url_is_not_requested_and_crawl_delay_sets_the_wait", async () => {
  const answers = {
    "https://a.example/robots.txt": new Response("User-agent: *\nDisallow: /private\nCrawl-delay: 5\n"),
    "https://a.example/herons": new Response("Grey heron"),
  };
  const urls = ["https://a.example/herons", "https://a.example/private", "https://a.example/gone"];
  const { lines, requests, waits } = await crawlWith(answers, urls);
  assert.deepEqual(lines, [
    "200 https://a.example/herons 10 bytes",
    "disallowed_explicit https://a.example/private by line 2",
    "404 https://a.example/gone 0 bytes",
  ]);
  assert.deepEqual(requests, ["https://a.example/robots.txt", "https://a.example/herons", "https://a.example/gone"]);
  assert.deepEqual(waits, [5, 5]);
});

test("site_whose_robots_txt_cannot_be_requested_is_not_crawled", async () => {
  const { lines, requests } = await crawlWith({ "https://a.example/robots.txt": new TypeError("fetch failed") }, ["https://a.example/"]);
  assert.deepEqual(lines, ["unknown_unreachable https://a.example/"]);
  assert.deepEqual(requests, ["https://a.example/robots.txt"]);
});
