// A polite crawler with the npm package: node crawler.mjs https://example.com/a https://example.org/b
//
// Each site has its own robots.txt and its own pace, and sites are fetched at the same time. Nothing checks the addresses of
// hosts, so the URLs have to be trusted. For others, use the crawler of `examples/crawlers`, whose service has a guard.
import { realpathSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Policy } from "comity/operations";

const AGENT = "ExampleBot";
const HEADERS = { "User-Agent": `${AGENT} (+https://example.com/bot)` };
const INTERVAL = 1; // seconds between two requests to a site, if its robots.txt sets no longer time
const TIMEOUT = 20_000; // milliseconds

const sleep = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

/** Requests the robots.txt of a site. After a failure, its last good copy applies, or the site is disallowed. */
async function refresh(policy, origin, request) {
  let answer;
  try {
    answer = await request(`${origin}/robots.txt`, { headers: HEADERS, signal: AbortSignal.timeout(TIMEOUT) });
  } catch (error) {
    policy.updateFailure(error.name === "TimeoutError" ? "timeout" : "connection");
    return;
  }
  await policy.update(answer);
}

/** Fetches URLs of one site, one after the other, and passes a line about each to `report`. */
async function crawlSite(origin, urls, { request, wait, report }) {
  const policy = new Policy({ agent: AGENT });
  await refresh(policy, origin, request);
  for (const url of urls) {
    if (policy.freshUntil !== null && policy.freshUntil < Date.now() / 1000) await refresh(policy, origin, request);
    const decision = policy.decide(url);
    if (decision.blocked) {
      report(`${decision.verdict} ${url}` + (decision.rule ? ` by line ${decision.rule.line}` : ""));
      continue;
    }
    await wait(Math.max(INTERVAL, decision.crawl_delay_seconds ?? 0));
    try {
      // A redirect leads to another URL, which needs its own decision.
      const page = await request(url, { headers: HEADERS, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT) });
      report(`${page.status} ${url} ${(await page.arrayBuffer()).byteLength} bytes`);
    } catch (error) {
      report(`failed ${url}: ${error.cause?.message ?? error.message}`);
    }
  }
  policy.free();
}

/** Fetches URLs. Tests replace the network and the clock by options. */
export async function crawl(urls, { request = fetch, wait = sleep, report = console.log } = {}) {
  const sites = new Map();
  for (const url of urls) {
    const { origin } = new URL(url);
    sites.set(origin, [...(sites.get(origin) ?? []), url]);
  }
  await Promise.all([...sites].map(([origin, pages]) => crawlSite(origin, pages, { request, wait, report })));
}

const program = process.argv[1];
if (program && import.meta.url === pathToFileURL(realpathSync(program)).href) await crawl(process.argv.slice(2));
