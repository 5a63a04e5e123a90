import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
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
    const path = join(folder, new URL(url, "http://a").pathname.replace(/\/$/, "$&index.html"));
    if (!existsSync(path)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[path.split(".").pop()] ?? "text/javascript" }).end(readFileSync(path));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

/**
 * Writes a site with the page at `/play/`, and returns its folder, and the path of Chromium. Skips the test without a browser.
 */
function build(context) {
  const browser = chromium();
  if (!browser || !existsSync(join(modules, "node_modules"))) {
    assert.notEqual(process.env.COMITY_SKIPS, "forbidden", "chromium or its driver is missing: tools/browser.sh");
    context.skip("chromium or its driver is missing: tools/browser.sh");
    return {};
  }
  const folder = mkdtempSync(join(tmpdir(), "play-"));
  context.after(() => rmSync(folder, { recursive: true }));
  execFileSync(process.execPath, [join(root, "js/play/build.mjs"), join(folder, "play")]);
  writeFileSync(join(folder, "index.html"), "<title>the site</title>");
  return { browser, folder };
}

// The second test mostly waits.
describe("playground", { concurrency: true }, () => {
  test("playground_answers_in_the_browser", async (context) => {
    const { browser, folder } = build(context);
    if (!browser) return;
    const server = await serve(folder);
    context.after(() => server.close());
    const page = `http://127.0.0.1:${server.address().port}/play/`;
    const script = join(root, "crates/comity-serve/tests/browser/page.mjs");
    const env = { ...process.env, MODULES: modules, PAGE: page, CHROMIUM: browser };
    const output = await new Promise((done) =>
      execFile(process.execPath, [script], { env }, (error, stdout, stderr) => done({ error, text: stdout + stderr })));
    assert.equal(output.error, null, output.text);
    assert.match(output.text, /ok: nothing is requested after the page has loaded/);
  });

  test("playground_is_replaced_by_a_newer_one_and_answers_without_its_server", async (context) => {
    const { browser: executablePath, folder } = build(context);
    if (!executablePath) return;
    const driver = createRequire(join(modules, "package.json"))("playwright-core").chromium;
    const browser = await driver.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
    context.after(() => browser.close());
    const server = await serve(folder);
    context.after(() => server.close());
    const site = `http://127.0.0.1:${server.address().port}/`;
    const address = `${site}play/`;
    const tabs = await browser.newContext();
    // The timeout detects a page that hangs; it is long enough for slow machines.
    tabs.setDefaultTimeout(600_000);
    const page = await tabs.newPage();
    await page.goto(address);
    assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.ready).scope), address);

    // A newer version has another title.
    const change = (name, from, to) => {
      const file = join(folder, "play", name);
      const text = readFileSync(file, "utf8");
      assert.match(text, from);
      writeFileSync(file, text.replace(from, to));
    };
    change("index.html", /<title>/, "$&Newer ");
    change("offline.js", /const VERSION = "/, "$&newer");
    await page.reload();
    assert.doesNotMatch(await page.title(), /^Newer/);
    const other = await tabs.newPage();
    await other.goto(site);
    const worker = await other.evaluateHandle(async () => {
      const registration = await navigator.serviceWorker.getRegistration("/play/");
      await registration.update();
      return registration.installing ?? registration.waiting;
    });
    const isIn = (state) =>
      worker.evaluate(async (worker, state) => {
        while (worker.state !== state) await new Promise((changed) => worker.addEventListener("statechange", changed, { once: true }));
      }, state);
    await isIn("installed");
    // The newer worker starts after the last page of the older one is closed.
    await page.close();
    await isIn("activated");
    const names = await other.evaluate(() => caches.keys());
    assert.match(names.join(), /^comity-play-newer[^,]*$/);

    server.close();
    server.closeAllConnections();
    for (const name of ["", "index.html?from=a#link"]) {
      await other.goto(address + name);
      assert.match(await other.title(), /^Newer/);
      await other.fill("#robots", "User-agent: *\nDisallow: /offline\n");
      await other.fill("#urls", "/offline");
      await other.getByRole("button", { name: "GPTBot, /offline: Disallowed, by line 2" }).waitFor();
    }
    // The worker answers for its page only.
    await assert.rejects(other.goto(site), /ERR_CONNECTION_REFUSED/);
  });
});
