// Answers the cases of `differential cases` on standard input by programs that use robots-parser: Lighthouse's audits `is-crawlable`
// and `robots-txt`, and Crawlee's class `RobotsTxtFile`. Prints a line for each case. check.sh runs this file with the original
// robots-parser and with the drop-in in its place, and compares the lines. Exits with 1 if a kind of answer does not occur.

import { createRequire } from "node:module";
import IsCrawlable from "lighthouse/core/audits/seo/is-crawlable.js";
import RobotsTxt from "lighthouse/core/audits/seo/robots-txt.js";
import { RobotsTxtFile } from "@crawlee/utils";

const [framesModule] = process.argv.slice(2);
const { frames, textOf } = createRequire(import.meta.url)(framesModule);

/** Pages with the robots.txt of a case: the value of their `X-Robots-Tag`, and of their `meta` element. */
const PAGES = [
  [undefined, undefined],
  ["Googlebot: noindex", undefined],
  ["noindex", "all"],
  [undefined, "none"],
];

/** Returns the normalized URL of a page that a browser could have loaded. */
function pageOf(asked) {
  const base = "http://example.com/";
  const url = URL.canParse(asked, base) ? new URL(asked, base) : new URL(base);
  return url.protocol === "http:" || url.protocol === "https:" ? url.href : base;
}

/** Returns the events of DevTools for a request of a page. */
function eventsOf(url, tag) {
  const headers = tag ? { "x-robots-tag": tag } : {};
  const common = { requestId: "1", loaderId: "1", frameId: "1", type: "Document" };
  const request = { url, method: "GET", headers: {}, initialPriority: "VeryHigh" };
  const response = { url, status: 200, headers, mimeType: "text/html", protocol: "http/1.1" };
  return [
    ["requestWillBeSent", { ...common, documentURL: url, request, timestamp: 1, wallTime: 1, initiator: { type: "other" } }],
    ["responseReceived", { ...common, response, timestamp: 2 }],
    ["loadingFinished", { requestId: "1", timestamp: 3, encodedDataLength: 1 }],
  ].map(([name, params]) => ({ method: `Network.${name}`, params }));
}

async function auditsOf(url, content, [tag, meta]) {
  const artifacts = {
    URL: { mainDocumentUrl: url },
    DevtoolsLog: eventsOf(url, tag),
    MetaElements: meta ? [{ name: "robots", content: meta, node: {} }] : [],
    RobotsTxt: { status: 200, content },
  };
  return [await IsCrawlable.audit(artifacts, { computedCache: new Map() }), RobotsTxt.audit(artifacts)];
}

const seen = { passed: 0, blocked: 0, warned: 0, disallowed: 0, listed: 0 };
let number = 0;
for (const [body, agent, asked] of frames()) {
  const text = textOf(body);
  const url = pageOf(asked);
  const audits = await auditsOf(url, text, PAGES[number % PAGES.length]);
  const file = RobotsTxtFile.from(new URL("/robots.txt", url).href, text);
  const crawlee = [file.isAllowed(url, agent), file.isAllowed(url), file.getSitemaps({ enqueueStrategy: "all" })];
  console.log(JSON.stringify({ number, url, agent, audits, crawlee }));
  seen[audits[0].score ? "passed" : "blocked"] += 1;
  if (audits[0].warnings.length) seen.warned += 1;
  if (!crawlee[0]) seen.disallowed += 1;
  if (crawlee[2].length) seen.listed += 1;
  number += 1;
}
console.error(`${number} files: ${Object.entries(seen).map(([kind, count]) => `${count} ${kind}`).join(", ")}`);
process.exitCode = Object.values(seen).every((count) => count > 0) ? 0 : 1;
