import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, test } from "node:test";

import robotsParser from "comity/robots-parser";

const URL_OF_FILE = "https://example.com/robots.txt";
const FILE = `User-agent: *
Disallow: /nest
Crawl-delay: 1

User-agent: heron
Disallow: /reed
Allow: /reed/egg$

Host: WWW.Example.com
Sitemap: /sitemap.xml
Sitemap: https://example.com/b.xml # egg
`;

/** The answers are those of robots-parser 3.0.1 under Node 20, unless a test says otherwise. */
describe("robots-parser", () => {
  test("methods_answer_as_the_original", () => {
    const robots = robotsParser(URL_OF_FILE, FILE);
    assert.equal(robots.isAllowed("https://example.com/nest"), false);
    assert.equal(robots.isAllowed("https://example.com/nest", "heron"), true);
    assert.equal(robots.isDisallowed("https://example.com/reed/x", "Heron/1.0"), true);
    assert.equal(robots.getMatchingLineNumber("https://example.com/reed/egg", "heron"), 7);
    assert.equal(robots.getMatchingLineNumber("https://example.com/marsh"), -1);
    assert.equal(robots.getCrawlDelay(), 1);
    assert.equal(robots.getCrawlDelay("heron"), undefined);
    assert.equal(robots.getPreferredHost(), "www.example.com");
    assert.deepEqual(robots.getSitemaps(), ["/sitemap.xml", "https://example.com/b.xml"]);
  });

  test("first_and_later_questions_have_equal_answers", () => {
    const robots = robotsParser(URL_OF_FILE, FILE);
    for (let number = 0; number < 3; number += 1) {
      assert.equal(robots.isAllowed("https://example.com/reed", "heron"), false);
    }
  });

  test("new_makes_no_difference", () => {
    assert.equal(new robotsParser(URL_OF_FILE, FILE).isAllowed("https://example.com/nest"), false);
  });

  test("url_of_another_origin_has_no_answer", () => {
    const robots = robotsParser(URL_OF_FILE, FILE);
    const foreign = ["http://example.com/nest", "https://example.com:8443/nest", "https://example.org/nest", "https://", "/nest"];
    for (const url of foreign) {
      assert.equal(robots.isAllowed(url), undefined, url);
      assert.equal(robots.isDisallowed(url), true, url);
      assert.equal(robots.getMatchingLineNumber(url), -1, url);
    }
  });

  test("equal_origin_in_another_spelling_is_decided", () => {
    const spellings = ["https://example.com:443/nest", "HTTPS://EXAMPLE.com/nest", "https://user@example.com/nest", "https:\\\\example.com\\nest"];
    for (const url of spellings) {
      assert.equal(robotsParser(URL_OF_FILE, FILE).isAllowed(url), false, url);
      assert.equal(robotsParser(URL_OF_FILE, FILE).isAllowed(new URL(url)), false, url);
    }
    assert.equal(robotsParser("http://münchen.example/", FILE).isAllowed("http://xn--mnchen-3ya.example/nest"), false);
    assert.equal(robotsParser("/robots.txt", FILE).isAllowed("nest"), false);
  });

  test("invalid_robots_url_has_no_answers_about_urls", () => {
    for (const url of [null, undefined, "http://[", "https://1.2.3.256/robots.txt"]) {
      const robots = robotsParser(url, FILE);
      assert.equal(robots.isAllowed("https://example.com/nest"), undefined);
      // The original throws a TypeError if both URLs are invalid.
      assert.equal(robots.isAllowed("https://1.2.3.256/nest"), undefined);
      assert.equal(robots.getSitemaps().length, 2);
    }
  });

  test("missing_contents_are_an_empty_file", () => {
    for (const contents of [null, undefined, ""]) {
      assert.equal(robotsParser(URL_OF_FILE, contents).isAllowed("https://example.com/nest"), true);
    }
  });

  test("contents_and_agents_that_are_not_text_are_type_errors", () => {
    for (const contents of [Buffer.from(FILE), 1, ["User-agent: *"]]) {
      assert.throws(() => robotsParser(URL_OF_FILE, contents), TypeError);
    }
    assert.throws(() => robotsParser(URL_OF_FILE, FILE).isAllowed("https://example.com/", 1), TypeError);
  });

  test("lone_surrogate_in_the_file_is_kept", () => {
    const file = "User-agent: \ud800\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\ud800\nSitemap: /\udc00😀\nHost: \ud800\n";
    const robots = robotsParser(URL_OF_FILE, file);
    assert.equal(robots.isAllowed("https://example.com/b\ud800"), true);
    assert.deepEqual(robots.getSitemaps(), ["/\udc00😀"]);
    assert.equal(robots.getPreferredHost(), "\ud800");
  });

  test("agent_with_a_lone_surrogate_follows_the_star_group", () => {
    const robots = robotsParser(URL_OF_FILE, "User-agent: heron\ufffd\nDisallow: /\n\nUser-agent: *\nDisallow: /nest\n");
    assert.equal(robots.isAllowed("https://example.com/reed", "heron\ud800"), true);
    assert.equal(robots.isAllowed("https://example.com/reed", "heron\ufffd"), false);
  });

  test("delay_is_the_last_number_of_javascript", () => {
    const delayOf = (...values) => {
      const lines = values.map((value) => `Crawl-delay: ${value}\n`);
      return robotsParser(URL_OF_FILE, `User-agent: *\n${lines.join("")}`).getCrawlDelay();
    };
    assert.equal(delayOf("1.5"), 1.5);
    assert.equal(delayOf(""), 0);
    assert.equal(delayOf("-2"), -2);
    assert.equal(delayOf("0x10", "5 s"), 16);
    assert.equal(delayOf("Infinity"), Infinity);
    assert.equal(delayOf("1e-12"), 1e-12);
    assert.equal(delayOf("5 s"), undefined);
  });

  test("star_group_does_not_disallow_explicitly", () => {
    const robots = robotsParser(URL_OF_FILE, FILE);
    assert.equal(robots.isExplicitlyDisallowed("https://example.com/nest", "osprey"), false);
    assert.equal(robots.isExplicitlyDisallowed("https://example.com/reed", "heron"), true);
    assert.equal(robots.isExplicitlyDisallowed("https://example.org/reed", "heron"), undefined);
    assert.equal(robots.isDisallowed("https://example.com/nest", "osprey"), true);
  });

  test("many_agents_of_a_file_are_decided", () => {
    const groups = Array.from({ length: 50 }, (_, number) => `User-agent: bot${number}\nDisallow: /${number}\n`);
    const robots = robotsParser(URL_OF_FILE, groups.join("\n"));
    for (const round of [0, 1]) {
      for (let number = 0; number < 50; number += 1) {
        const allowed = robots.isAllowed(`https://example.com/${number}`, `bot${number}`);
        assert.equal(allowed, false, `${round} ${number}`);
        assert.equal(robots.isAllowed(`https://example.com/x${number}`, `bot${number}`), true);
      }
    }
  });

  test("dialect_rfc9309_looks_for_the_token_in_a_header", () => {
    const robots = robotsParser(URL_OF_FILE, FILE, { dialect: "rfc9309" });
    for (const agent of ["heron", "Heron/2.0", "Mozilla/5.0 (compatible; heron/1.0)"]) {
      assert.equal(robots.isAllowed("https://example.com/reed", agent), false, agent);
    }
    assert.equal(robots.isAllowed("https://example.com/robots.txt"), true);
    assert.equal(robots.isAllowed("HTTPS://example.com/nest"), false);
    assert.throws(() => robotsParser(URL_OF_FILE, FILE, { dialect: "x" }), TypeError);
  });

  test("dot_segments_are_resolved_in_every_spelling_of_the_origin", () => {
    for (const dialect of ["rfc9309", "google", "robots-parser"]) {
      for (const origin of ["https://example.com", "HTTPS://example.com", "https://user@example.com"]) {
        const robots = robotsParser(URL_OF_FILE, FILE, { dialect });
        for (const path of ["/a/../nest", "/%2e/nest", "/./nest"]) {
          assert.equal(robots.isAllowed(`${origin}${path}`), false, `${dialect} ${origin}${path}`);
        }
      }
    }
  });

  test("common_js_is_the_function_itself", () => {
    const common = createRequire(import.meta.url)("comity/robots-parser");
    assert.equal(common(URL_OF_FILE, FILE).isAllowed("https://example.com/nest"), false);
  });
});
