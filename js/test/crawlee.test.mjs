import assert from "node:assert/strict";
import { createServer } from "node:http";
import { describe, test } from "node:test";

import { withComity } from "comity/crawlee";

/** The part of a crawler that the mixin overrides. */
class Crawler {
  constructor({ respectRobotsTxtFile }) {
    this.respectRobotsTxtFile = respectRobotsTxtFile;
  }
}

class RobotsTxtFile {
  static from(url, content) {
    return Object.assign(new RobotsTxtFile(), { url, content });
  }

  getSitemaps() {
    return [this.url, this.content];
  }
}

/** Returns a crawler for which `answers` are the answers of the site, in order, and the list of its requests. */
function crawlerOf(answers, options = {}, respectRobotsTxtFile = { userAgent: "heron" }) {
  const requests = [];
  const fetch = async (url, init) => {
    requests.push({ url, init });
    const answer = answers[Math.min(requests.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    return answer.clone();
  };
  const crawler = new (withComity(Crawler, { RobotsTxtFile, fetch, ...options }))({ respectRobotsTxtFile });
  return { crawler, requests };
}

const FILE = "User-agent: heron\nDisallow: /nest\nCrawl-delay: 3\n\nUser-agent: *\nDisallow: /reed\n";

describe("withComity", () => {
  test("file_decides_for_the_user_agent_of_the_crawler", async () => {
    const { crawler, requests } = crawlerOf([new Response(FILE)]);
    const file = await crawler.getRobotsTxtFileForUrl("https://example.com/marsh?x");
    assert.deepEqual(requests.map(({ url }) => url), ["https://example.com/robots.txt"]);
    assert.equal(file.isAllowed("https://example.com/nest"), false);
    assert.equal(file.isAllowed("https://example.com/reed"), true);
    assert.equal(file.getCrawlDelay(), 3);
    assert.equal(file.decide("https://example.com/nest").rule.line, 2);
    assert.deepEqual(file.getSitemaps(), ["https://example.com/robots.txt", FILE]);
  });

  test("link_to_another_origin_is_left_to_its_own_file", async () => {
    const { crawler } = crawlerOf([new Response(FILE)]);
    const file = await crawler.getRobotsTxtFileForUrl("https://example.com/");
    assert.equal(file.isAllowed("https://example.org/nest"), true);
  });

  test("answer_is_kept_and_requested_once_for_simultaneous_questions", async () => {
    const { crawler, requests } = crawlerOf([new Response(FILE)]);
    const ask = () => crawler.getRobotsTxtFileForUrl("https://example.com/");
    await Promise.all([ask(), ask(), ask()]);
    await ask();
    assert.equal(requests.length, 1);
  });

  test("answer_without_a_lifetime_left_is_requested_again", async () => {
    const fresh = new Response(FILE, { headers: { date: "Thu, 01 Jan 2026 00:00:00 GMT", age: "90000" } });
    const { crawler, requests } = crawlerOf([fresh, new Response("")], { maxOrigins: 1 });
    await crawler.getRobotsTxtFileForUrl("https://example.com/");
    await crawler.getRobotsTxtFileForUrl("https://example.org/");
    await crawler.getRobotsTxtFileForUrl("https://example.com/");
    assert.equal(requests.length, 3);
  });

  test("server_error_and_failure_disallow_and_missing_file_allows", async () => {
    const allows = async (answer, options) => {
      const { crawler } = crawlerOf([answer], options);
      return (await crawler.getRobotsTxtFileForUrl("https://example.com/")).isAllowed("https://example.com/");
    };
    assert.equal(await allows(new Response("", { status: 503 })), false);
    assert.equal(await allows(new Error("refused")), false);
    assert.equal(await allows(new Response("", { status: 404 })), true);
    assert.equal(await allows(new Response("", { status: 503 }), { preset: "ladon" }), true);
  });

  test("answer_that_does_not_expire_is_requested_once", async () => {
    const { crawler, requests } = crawlerOf([new Response(FILE)], { preset: "ladon" });
    for (const path of ["nest", "reed"]) await crawler.getRobotsTxtFileForUrl(`https://example.com/${path}`);
    assert.equal(requests.length, 1);
  });

  test("sitemaps_of_the_last_good_copy_remain_after_a_failure_and_not_after_a_missing_file", async (context) => {
    const sitemapsAfter = async (answer) => {
      const { crawler, requests } = crawlerOf([new Response(FILE), answer]);
      await crawler.getRobotsTxtFileForUrl("https://example.com/");
      const later = Date.now() + 2 * 24 * 60 * 60 * 1000;
      context.mock.method(Date, "now", () => later);
      const file = await crawler.getRobotsTxtFileForUrl("https://example.com/");
      assert.equal(requests.length, 2);
      return file.getSitemaps()[1];
    };
    assert.equal(await sitemapsAfter(new Response("", { status: 503 })), FILE);
    assert.equal(await sitemapsAfter(new Error("refused")), FILE);
    assert.equal(await sitemapsAfter(new Response("", { status: 404 })), "");
  });

  test("crawler_that_does_not_respect_files_has_none", async () => {
    const { crawler, requests } = crawlerOf([new Response(FILE)], {}, false);
    assert.equal(await crawler.getRobotsTxtFileForUrl("https://example.com/"), undefined);
    assert.equal(requests.length, 0);
  });

  test("missing_class_is_a_type_error", () => {
    assert.throws(() => withComity(Crawler), TypeError);
  });
});

/** Serves `answers` in order, as `comity serve` would, and returns its address and the list of questions. */
async function serviceOf(context, answers) {
  const questions = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    questions.push({ path: request.url, token: request.headers.authorization, ...JSON.parse(body) });
    response.end(JSON.stringify(answers.shift() ?? {}));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  context.after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}`, questions };
}

/** Returns the hooks that a crawler with a service has. */
function hooksOf(service, options = {}) {
  class Hooked {
    constructor({ preNavigationHooks, postNavigationHooks }) {
      Object.assign(this, { preNavigationHooks, postNavigationHooks });
    }
  }
  return new (withComity(Hooked, { RobotsTxtFile, service }))(options);
}

const URL_OF_PAGE = "https://example.com/reed";
const ADMITTED = { admitted: true, outcome: "admitted", wait_seconds: 0 };

describe("service", () => {
  test("request_waits_for_its_slot_and_its_status_is_reported", async (context) => {
    const busy = { title: "busy", status: 503, retry_after_seconds: 0.001 };
    const { url, questions } = await serviceOf(context, [busy, ADMITTED]);
    const order = [];
    const first = () => order.push("own hook");
    const crawler = hooksOf({ url: `${url}/below`, token: "secret" }, { preNavigationHooks: [first], postNavigationHooks: [first] });
    const request = { url: URL_OF_PAGE };
    for (const hook of crawler.preNavigationHooks) await hook({ request });
    assert.equal(order.length, 1);
    const retryAfter = { "retry-after": "7" };
    const responses = [
      { statusCode: 429, headers: retryAfter },
      new Response("", { status: 429, headers: retryAfter }),
      { status: () => 429, headers: () => retryAfter },
    ];
    for (const response of responses) await crawler.postNavigationHooks[0]({ request, response });
    await crawler.postNavigationHooks[0]({ request, response: undefined });
    const asked = { token: "Bearer secret", url: URL_OF_PAGE };
    const admit = { path: "/below/v1/admit", ...asked };
    const report = { path: "/below/v1/report", ...asked, status: 429, retry_after: "7" };
    assert.deepEqual(questions, [admit, admit, report, report, report]);
  });

  test("refused_request_is_an_error_that_is_not_retried_unless_it_is_temporary", async (context) => {
    const refused = { admitted: false, outcome: "robots_refused", detail: "line 2" };
    const failing = { admitted: false, outcome: "robots_unreadable", retry_after_seconds: 60 };
    const late = { admitted: false, outcome: "wait_too_long", retry_after_seconds: 3600 };
    const { url } = await serviceOf(context, [refused, failing, late]);
    const [admit] = hooksOf({ url }).preNavigationHooks;
    for (const [noRetry, message] of [[true, /robots_refused: line 2/], [undefined, /robots_unreadable/], [undefined, /wait_too_long/]]) {
      const request = { url: URL_OF_PAGE };
      await assert.rejects(() => admit({ request }), (error) => error.code === "not_admitted" && message.test(error.message));
      assert.equal(request.noRetry, noRetry);
    }
  });

  test("service_that_does_not_answer_is_an_error_and_a_lost_report_a_warning", async (context) => {
    const { url } = await serviceOf(context, [{ title: "a token is required", status: 401 }]);
    const request = { url: URL_OF_PAGE };
    await assert.rejects(() => hooksOf({ url }).preNavigationHooks[0]({ request }), { code: "service_failed" });
    // Port 1 has no server.
    const gone = hooksOf({ url: "http://127.0.0.1:1" });
    await assert.rejects(() => gone.preNavigationHooks[0]({ request }), { code: "service_failed" });
    const warnings = [];
    const log = { warning: (text) => warnings.push(text) };
    await gone.postNavigationHooks[0]({ request, log, response: { statusCode: 200, headers: {} } });
    assert.match(warnings[0], /does not answer/);
    assert.equal(request.noRetry, undefined);
  });
});
