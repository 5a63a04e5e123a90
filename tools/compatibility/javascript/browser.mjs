// Loads the package in Chromium, without a bundler and under a Content-Security-Policy without `unsafe-eval`, and asks it a question.

import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { readFileSync } from "node:fs";

const dist = new URL("../../../js/dist/", import.meta.url);
const script = `
import robotsParser from "/robots-parser.mjs";
const robots = robotsParser("https://example.com/robots.txt", "User-agent: *\\nDisallow: /nest\\n");
document.body.textContent = "answer: " + robots.isAllowed("https://example.com/nest") + robots.getMatchingLineNumber("https://example.com/nest");
`;
const page = `<!doctype html><html><head><script type="importmap">{"imports":{"#load":"/load.inline.mjs"}}</script></head>
<body><script type="module">${script}</script></body></html>`;

const server = createServer((request, response) => {
  const isPage = request.url === "/";
  const policy = "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'";
  try {
    const body = isPage ? page : readFileSync(new URL(`.${request.url}`, dist));
    const type = isPage ? "text/html" : "text/javascript";
    response.writeHead(200, { "content-type": type, "content-security-policy": policy }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const url = `http://127.0.0.1:${server.address().port}/`;
const chromium = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=60000", "--dump-dom", url];
const dom = await new Promise((done, failed) =>
  execFile(process.argv[2] ?? "chromium", chromium, (error, output) => (error ? failed(error) : done(output))));
server.close();
if (!dom.includes("answer: false2")) throw new Error(`the page in Chromium shows ${dom}`);
console.log("Chromium: false2");
