// Crawls servers on loopback with Crawlee's BasicCrawler and the mixin: 503 disallows, rules
// decide, and the file is requested once per site. Exits with 1 if a result differs.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { BasicCrawler, Configuration } from "@crawlee/basic";
import { RobotsTxtFile } from "@crawlee/utils";
import { withComity } from "comity/crawlee";

const requested = [];

function site(status, text) {
  const server = createServer((request, response) => {
    requested.push(request.url);
    response.writeHead(request.url === "/robots.txt" ? status : 200, { "content-type": "text/plain" });
    response.end(text);
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

const servers = [
  await site(200, "User-agent: heron\nDisallow: /nest\n\nUser-agent: *\nDisallow: /\n"),
  await site(503, "busy"),
  await site(404, "missing"),
];
const [open, busy, missing] = servers.map((server) => `http://127.0.0.1:${server.address().port}`);

const crawled = [];
const skipped = [];
const Crawler = withComity(BasicCrawler, { RobotsTxtFile });
const crawler = new Crawler(
  {
    respectRobotsTxtFile: { userAgent: "heron" },
    requestHandler: ({ request }) => void crawled.push(request.url),
    onSkippedRequest: ({ url }) => void skipped.push(url),
  },
  new Configuration({ persistStorage: false }),
);
await crawler.run([`${open}/marsh`, `${open}/nest`, `${busy}/marsh`, `${missing}/marsh`, `${open}/reed`]);
for (const server of servers) server.close();

assert.deepEqual(crawled.sort(), [`${open}/marsh`, `${open}/reed`, `${missing}/marsh`].sort());
assert.deepEqual([...new Set(skipped)].sort(), [`${open}/nest`, `${busy}/marsh`].sort());
assert.equal(requested.filter((url) => url === "/robots.txt").length, 3);
console.log("Crawlee: 3 pages crawled, 2 skipped, 3 files requested");
process.exit(0);
