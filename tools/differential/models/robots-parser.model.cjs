"use strict";
// robots-parser, the package of npm. NODE_PATH names the folder that contains it.

const { serve } = require("./frames.cjs");
const robotsParser = require("robots-parser");
const { version } = require("robots-parser/package.json");

let last = {};

/** Returns the parsed file. The origin of the robots.txt is that of the URL, because the dialect has no origin. */
function parsed(text, url) {
  if (last.text !== text) last = { text, byUrl: new Map() };
  let robots = last.byUrl.get(url);
  if (!robots) last.byUrl.set(url, (robots = robotsParser(url, text)));
  return robots;
}

serve(`robots-parser ${version}, Node ${process.versions.node}`, (text, agent, url) => {
  new URL(url, "http://relative.example/"); // throws if the URL is invalid
  const robots = parsed(text, url);
  const line = robots.getMatchingLineNumber(url, agent);
  const delay = robots.getCrawlDelay(agent);
  const facts = [
    delay === undefined ? null : Math.max(delay, 0).toFixed(6),
    robots.getPreferredHost()?.replace(/[\ufffd\p{Surrogate}]/gu, "") ?? null,
    robots.getSitemaps().map((sitemap) => sitemap.toWellFormed()),
  ];
  return `${robots.isAllowed(url, agent) ? "A" : "D"} ${Math.max(line, 0)} ${JSON.stringify(facts)}`;
});
