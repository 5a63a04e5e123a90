import assert from "node:assert/strict";
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
