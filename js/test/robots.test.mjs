import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, test } from "node:test";

import { ComityError, RobotsTxt, Rules, dialects, init } from "comity";

const FILE = `User-agent: *
Disallow: /search
Allow: /search/about
Crawl-delay: 2.5

User-agent: examplebot
User-agent: adsbot
Disallow: /nest

Sitemap: https://example.com/sitemap.xml
`;

const rulesOf = (text, agent = "examplebot", options = undefined) => RobotsTxt.parse(text, options).rulesFor(agent);

describe("RobotsTxt", () => {
  test("text_and_bytes_have_equal_rules", () => {
    const bytes = new TextEncoder().encode(FILE);
    const padded = new Uint8Array([0, ...bytes, 0]);
    for (const body of [FILE, bytes, bytes.buffer, padded.subarray(1, -1), new DataView(bytes.buffer)]) {
      assert.equal(rulesOf(body).isAllowed("/nest"), false);
      assert.equal(rulesOf(body).isAllowed("/search"), true);
    }
  });

  test("body_of_another_type_is_a_type_error", () => {
    for (const body of [undefined, null, 1, {}, []]) {
      assert.throws(() => RobotsTxt.parse(body), TypeError);
    }
  });

  test("empty_file_allows_everything", () => {
    assert.equal(rulesOf("").isAllowed("https://example.com/"), true);
    assert.equal(rulesOf("").group, null);
  });

  test("unknown_dialect_is_a_type_error_with_the_known_names", () => {
    assert.throws(() => RobotsTxt.parse("", { dialect: "x" }), /unknown dialect `x`; must be one of: rfc9309, google/);
  });

  test("every_dialect_reads_a_file", () => {
    assert.equal(dialects()[0], "rfc9309");
    for (const dialect of dialects()) {
      const robots = RobotsTxt.parse("User-agent: *\nDisallow: /nest\n", { dialect });
      assert.equal(robots.dialect, dialect);
      assert.equal(robots.rulesFor("examplebot").isAllowed("http://example.com/nest"), false, dialect);
    }
  });

  test("sitemaps_are_listed_in_a_new_array", () => {
    const robots = RobotsTxt.parse(FILE);
    assert.deepEqual(robots.sitemaps, ["https://example.com/sitemap.xml"]);
    robots.sitemaps.push("x");
    assert.equal(robots.sitemaps.length, 1);
  });

  test("long_file_is_truncated", () => {
    assert.equal(RobotsTxt.parse(FILE).isTruncated, false);
    assert.equal(RobotsTxt.parse("# reed\n".repeat(100_000)).isTruncated, true);
  });

  test("file_after_a_large_file_is_read", () => {
    const large = `User-agent: *\n${"Disallow: /a\n".repeat(200_000)}`;
    assert.equal(rulesOf(large).isAllowed("/a"), false);
    assert.equal(rulesOf(FILE).isAllowed("/nest"), false);
  });
});

describe("agents", () => {
  const rulesFor = (agent) => RobotsTxt.parse(FILE).rulesFor(agent);

  test("token_header_and_fallback_choose_a_group", () => {
    assert.equal(rulesFor("ExampleBot").group, "ExampleBot");
    assert.equal(rulesFor("otherbot").group, "*");
    assert.equal(rulesFor("*").group, "*");
    assert.equal(rulesFor({ userAgent: "Mozilla/5.0 (compatible; ExampleBot/1.0)" }).group, "ExampleBot");
    assert.equal(rulesFor({ token: "otherbot", fallbacks: ["adsbot"] }).group, "adsbot");
    assert.equal(rulesFor({ token: "otherbot", ignoresStar: true }).group, null);
  });

  test("header_as_a_token_is_a_type_error_that_names_the_way_out", () => {
    assert.throws(() => rulesFor("Mozilla/5.0 (compatible; ExampleBot/1.0)"), {
      name: "TypeError",
      message: /is not a product token.*\{ userAgent: … \}/s,
    });
  });

  test("agent_without_a_name_is_a_type_error", () => {
    for (const agent of [undefined, null, 1, {}, "", " ", { token: "a/b" }, { token: "a", userAgent: "b" }, { token: 1 }, "a\nb"]) {
      assert.throws(() => rulesFor(agent), TypeError, JSON.stringify(agent));
    }
  });
});

describe("Rules", () => {
  test("url_path_and_url_object_are_decided", () => {
    const rules = rulesOf(FILE);
    assert.equal(rules.isAllowed("https://example.com/nest/a"), false);
    assert.equal(rules.isAllowed(new URL("https://example.com/nest/a")), false);
    assert.equal(rules.isAllowed("/reed"), true);
  });

  test("text_that_is_not_a_url_is_a_type_error", () => {
    const rules = rulesOf(FILE);
    assert.throws(() => rules.isAllowed("example.com/nest"), {
      name: "TypeError",
      message: /`example.com\/nest` is neither an absolute URL nor a path/,
    });
    assert.throws(() => rules.isAllowed(""), TypeError);
    assert.throws(() => rules.isAllowed(undefined), TypeError);
    assert.throws(() => rules.decide("x"), TypeError);
  });

  test("non_ascii_url_is_decided_as_its_encoded_form", () => {
    const rules = rulesOf("User-agent: *\nDisallow: /é\n");
    for (const url of ["/é", "/%C3%A9", `/é${"x".repeat(5000)}`]) assert.equal(rules.isAllowed(url), false);
    assert.equal(rules.isAllowed("/\ud800"), true);
  });

  test("several_urls_are_decided_in_order", () => {
    const rules = rulesOf(FILE);
    const urls = ["/nest", "/reed", "no url", new URL("https://example.com/nest")];
    assert.deepEqual(rules.areAllowed(urls), [false, true, null, false]);
    assert.deepEqual(rules.areAllowed(new Set(["/nest"])), [false]);
    assert.deepEqual(rules.areAllowed([]), []);
    assert.throws(() => rules.areAllowed("/nest"), TypeError);
  });

  test("line_feed_in_one_of_several_urls_does_not_move_the_others", () => {
    const urls = ["/reed\n/nest", "/nest", "\n", "/reed"];
    assert.deepEqual(rulesOf(FILE).areAllowed(urls), [true, false, null, true]);
  });

  test("decision_names_the_rule_the_line_and_the_group", () => {
    const decision = rulesOf(FILE, "otherbot").decide("https://example.com/search?q=x");
    assert.deepEqual(decision, {
      verdict: "disallowed_explicit",
      recommendation: "not_recommended",
      blocked: true,
      rule: { kind: "disallow", pattern: "/search", line: 2, allows: false },
      group: "*",
      basis: "rule",
      crawl_delay_seconds: 2.5,
      crawl_delay_source: "crawl_delay",
      dialect: "rfc9309",
    });
    assert.equal(rulesOf(FILE).decide("/reed").rule, null);
  });

  test("pattern_with_quotes_and_controls_survives_json", () => {
    const decision = rulesOf('User-agent: *\nDisallow: /"\\\u007f\n').decide("/%22%5C%7F");
    assert.equal(decision.rule.line, 2);
    assert.ok(decision.rule.pattern.startsWith('/"\\'));
  });

  test("delay_group_and_length_are_those_of_the_agent", () => {
    const everyone = rulesOf(FILE, "otherbot");
    assert.deepEqual([everyone.crawlDelay, everyone.group, everyone.length], [2.5, "*", 2]);
    const own = rulesOf(FILE);
    assert.deepEqual([own.crawlDelay, own.length], [null, 1]);
  });

  test("many_rules_are_decided_after_the_index_is_built", () => {
    const lines = Array.from({ length: 5_000 }, (_, number) => `Disallow: /${number}/`);
    const rules = rulesOf(`User-agent: *\n${lines.join("\n")}\n`);
    for (let number = 0; number < 200; number += 1) {
      assert.equal(rules.isAllowed(`/${number}/x`), false);
      assert.equal(rules.isAllowed(`/x${number}/`), true);
    }
  });
});

describe("memory", () => {
  test("freed_object_is_an_error", () => {
    const robots = RobotsTxt.parse(FILE);
    const rules = robots.rulesFor("examplebot");
    robots.free();
    robots.free();
    assert.equal(rules.isAllowed("/nest"), false);
    rules[Symbol.dispose ?? Symbol.for("Symbol.dispose")]();
    for (const call of [() => rules.isAllowed("/"), () => rules.areAllowed(["/"]), () => robots.rulesFor("a")]) {
      assert.throws(call, (error) => error instanceof ComityError && error.code === "freed");
    }
  });

  test("public_constructor_is_a_type_error", () => {
    assert.throws(() => new Rules(), TypeError);
    assert.throws(() => new RobotsTxt(), TypeError);
  });
});

describe("package", () => {
  const require = createRequire(import.meta.url);

  test("common_js_has_the_same_names", async () => {
    const common = require("comity");
    assert.deepEqual(Object.keys(common).sort(), Object.keys(await import("comity")).sort());
    assert.equal(common.RobotsTxt.parse(FILE).rulesFor("examplebot").isAllowed("/nest"), false);
  });

  test("module_without_a_file_system_has_equal_answers", async () => {
    const { compile, load } = await import("../dist/load.inline.mjs");
    const bytes = readFileSync(new URL("../dist/engine.wasm", import.meta.url));
    for (const module of [load(), await compile(), new WebAssembly.Module(bytes)]) {
      assert.deepEqual(WebAssembly.Module.imports(module), []);
    }
    await init(load());
    assert.equal(rulesOf(FILE).isAllowed("/nest"), false);
  });
});
