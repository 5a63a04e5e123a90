import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const modules = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "browser");
const TYPES = { html: "text/html", css: "text/css", svg: "image/svg+xml", json: "application/json", wasm: "application/wasm" };

/** Returns the path of Chromium, or undefined. */
function chromium() {
  try {
    return execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}

/** Serves the files of a folder, and returns the server. */
async function serve(folder) {
  const server = createServer(({ url }, response) => {
    const path = join(folder, url === "/" ? "index.html" : new URL(url, "http://a").pathname);
    if (!existsSync(path)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[path.split(".").pop()] ?? "text/javascript" }).end(readFileSync(path));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

test("playground_answers_in_the_browser", async (context) => {
  const browser = chromium();
  if (!browser || !existsSync(join(modules, "node_modules"))) {
    assert.notEqual(process.env.COMITY_SKIPS, "forbidden", "chromium or its driver is missing: tools/browser.sh");
    return context.skip("chromium or its driver is missing: tools/browser.sh");
  }
  const folder = mkdtempSync(join(tmpdir(), "play-"));
  context.after(() => rmSync(folder, { recursive: true }));
  execFileSync(process.execPath, [join(root, "js/play/build.mjs"), folder]);
  const server = await serve(folder);
  context.after(() => server.close());
  const page = `http://127.0.0.1:${server.address().port}/`;
  const script = join(root, "crates/comity-serve/tests/browser/page.mjs");
  const env = { ...process.env, MODULES: modules, PAGE: page, CHROMIUM: browser };
  const output = await new Promise((done) =>
    execFile(process.execPath, [script], { env }, (error, stdout, stderr) => done({ error, text: stdout + stderr })));
  assert.equal(output.error, null, output.text);
  assert.match(output.text, /ok: nothing is requested after the page has loaded/);
});
