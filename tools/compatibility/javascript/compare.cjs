"use strict";
// Compares the drop-in comity/robots-parser with robots-parser on the cases of `differential cases` on standard input: every
// method, with the robots.txt at the origin of the URL, at fixed origins, and at invalid URLs. NODE_PATH names the folder that
// contains robots-parser. Prints differences; exits with 1 if there is one, or if there are no cases.
//
//   differential cases --cases 50000 --seed 1 | node tools/compatibility/javascript/compare.cjs

const path = require("node:path");
const { frames, textOf } = require("../../differential/models/frames.cjs");
const theirs = require("robots-parser");
const ours = require(path.join(__dirname, "../../../js/dist/robots-parser.cjs"));

const ROBOTS_URLS = [
  "http://example.com/robots.txt",
  "http://EXAMPLE.com:80/x/robots.txt",
  "https://example.com/robots.txt",
  "/robots.txt",
  "mailto:a@example.com",
  "http://[",
  null,
];
/** Agents in addition to that of the case. If the file has lone surrogates, `undefined` replaces the last (docs/guide/javascript.md). */
const AGENTS = [undefined, "", "/1.0", "constructor", "foobot\ud800"];
const MOST_SHOWN = 10;

/** Returns the answers of a program. Exceptions that robots-parser throws for invalid URLs count as no answer. */
function answers(make, robotsUrl, text, agent, url) {
  const robots = make(robotsUrl, text);
  const ask = (call) => {
    try {
      return call();
    } catch (error) {
      if (/replace is not a function|reading 'replace'/.test(error.message)) return undefined;
      throw error;
    }
  };
  const line = ask(() => robots.getMatchingLineNumber(url, agent));
  return [
    ask(() => robots.isAllowed(url, agent)),
    line === undefined ? -1 : line,
    ask(() => robots.isDisallowed(url, agent)) ?? true,
    robots.getCrawlDelay(agent),
    robots.getPreferredHost(),
    robots.getSitemaps(),
  ];
}

const shown = (value) => JSON.stringify(value, (_, part) => (part === undefined ? "undefined" : typeof part === "number" ? String(part) : part));

let [questions, differences, number] = [0, 0, 0];
for (const [body, agent, url] of frames()) {
  const text = textOf(body);
  const robotsUrls = [url, ROBOTS_URLS[number % ROBOTS_URLS.length]];
  for (const robotsUrl of robotsUrls) {
    const other = AGENTS[number % AGENTS.length];
    for (const asked of [agent, other?.isWellFormed() === false && !text.isWellFormed() ? undefined : other]) {
      const [expected, found] = [theirs, ours].map((make) => shown(answers(make, robotsUrl, text, asked, url)));
      questions += 1;
      if (expected === found) continue;
      differences += 1;
      if (differences <= MOST_SHOWN) {
        console.log(`${JSON.stringify({ number, robotsUrl, text, agent: asked, url })}\n  theirs ${expected}\n  ours   ${found}`);
      }
    }
  }
  number += 1;
}
console.log(`${questions} questions about ${number} files, ${differences} differences`);
process.exitCode = differences > 0 || number === 0 ? 1 : 0;
