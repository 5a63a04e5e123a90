import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { ComityError } from "comity";
import { Policy, explain, lint, operation, pageDirectives, usage } from "comity/operations";

const FILE = "User-agent: *\nDisallow: /nest\nAllow: /nest/egg\n";
const NOW = 1_800_000_000;

describe("operations", () => {
  test("lint_reports_the_code_and_the_line", () => {
    const findings = lint("User-agent: *\nDissallow: /nest\n");
    assert.deepEqual(findings.map(({ code, place }) => [code, place.line]), [["misspelt-directive", 2]]);
    assert.deepEqual(lint(new TextEncoder().encode("User-agent: *\nDisallow: /nest\n")), []);
  });

  test("explain_lists_the_rules_that_match", () => {
    const row = explain(FILE, "heron", "https://example.com/nest/egg");
    assert.equal(row.allowed, true);
    assert.equal(row.contenders.length, 2);
  });

  test("usage_has_the_signals_of_file_and_header", () => {
    const row = usage({
      url: "https://example.com/",
      agent: "heron",
      robots: "User-agent: *\nContent-Signal: ai-train=no\n",
      headers: new Headers({ "Content-Usage": "search=y" }),
    });
    const text = JSON.stringify(row);
    assert.match(text, /Content-Signal|content_signal/i);
    assert.match(text, /Content-Usage|content_usage/i);
  });

  test("page_directives_of_header_and_page_are_found", () => {
    const row = pageDirectives({
      headers: { "X-Robots-Tag": "noindex" },
      html: '<meta name="robots" content="nofollow">',
      agent: "heron",
    });
    assert.equal(row.statements, 2);
  });

  test("invalid_request_is_a_type_error", () => {
    assert.throws(() => operation("swim"), /unknown operation `swim`/);
    assert.throws(() => operation("page", { nest: 1 }), TypeError);
    assert.throws(() => lint(1), TypeError);
    assert.throws(() => explain(FILE, "a/b", "https://example.com/"), TypeError);
    const adsbot = { token: "adsbot", ignoresStar: true };
    assert.throws(() => explain(FILE, adsbot, "https://example.com/"), /`ignoresStar` is not supported/);
    assert.throws(() => usage({ url: "https://example.com/", agent: adsbot }), TypeError);
  });
});

describe("Policy", () => {
  test("charset_without_tables_is_read_by_the_presets_that_match_characters", async () => {
    const file = [..."User-agent: *\nDisallow: /"].map((character) => character.charCodeAt(0));
    const headers = { "Content-Type": "text/plain; charset=gbk" };
    // In GBK, D6 D0 is U+4E2D.
    const answer = (...end) => new Response(Uint8Array.from([...file, ...end, 10]), { headers });
    const url = "https://example.com/%E4%B8%AD/x";
    for (const preset of ["gym2008", "ladon", "webcanon"]) {
      const policy = await Policy.fromResponse(answer(0xd6, 0xd0), { agent: "heron", mode: "respect", now: NOW, preset });
      assert.equal(policy.isAllowed(url, { now: NOW }), false, preset);
      assert.equal(policy.isAllowed("https://example.com/x", { now: NOW }), true, preset);
    }
    const bytes = await Policy.fromResponse(answer(0xd6, 0xd0), { agent: "heron", now: NOW });
    assert.equal(bytes.isAllowed("https://example.com/%D6%D0/x", { now: NOW }), false);
    // In GBK, a line feed cannot follow 81. The preset treats the file as unreadable.
    const invalid = await Policy.fromResponse(answer(0x81), { agent: "heron", now: NOW, preset: "gym2008" });
    assert.equal(invalid.decide(url, { now: NOW }).evidence.answer, "undecodable");
  });

  const policyOf = (response, options) => Policy.fromResponse(response, { agent: "heron", now: NOW, ...options });

  test("file_decides_with_its_evidence", async () => {
    const policy = await policyOf(new Response(FILE));
    assert.equal(policy.isAllowed("https://example.com/nest/egg", { now: NOW }), true);
    const decision = policy.decide(new URL("https://example.com/nest"), { now: NOW });
    assert.equal(decision.verdict, "disallowed_explicit");
    assert.equal(decision.rule.line, 2);
    assert.equal(decision.evidence.status, 200);
    assert.equal(policy.freshUntil, NOW + 24 * 60 * 60);
  });

  test("server_error_disallows_and_keeps_the_last_good_copy", async () => {
    const unavailable = () => new Response("", { status: 503 });
    const policy = await policyOf(unavailable());
    assert.equal(policy.decide("/", { now: NOW }).verdict, "unknown_unreachable");
    await policy.update(new Response(FILE), { now: NOW });
    await policy.update(unavailable(), { now: NOW + 60 });
    assert.equal(policy.isAllowed("/reed", { now: NOW + 60 }), true);
    assert.equal(policy.isAllowed("/nest", { now: NOW + 60 }), false);
  });

  test("missing_file_allows", async () => {
    assert.equal((await policyOf(new Response("", { status: 404 }))).isAllowed("/", { now: NOW }), true);
  });

  test("part_of_a_file_is_unknown", async () => {
    const part = (headers) => policyOf(new Response(FILE, { status: 206, headers }));
    assert.equal((await part({})).decide("/nest", { now: NOW }).verdict, "unknown_unreachable");
    const length = new TextEncoder().encode(FILE).length;
    const whole = await part({ "content-range": `bytes 0-${length - 1}/${length}` });
    assert.equal(whole.decide("/nest", { now: NOW }).verdict, "disallowed_explicit");
  });

  test("body_that_breaks_off_is_a_failure", async () => {
    const body = new ReadableStream({
      pull(controller) {
        controller.error(new Error("reset"));
      },
    });
    const policy = await policyOf(new Response(body));
    assert.equal(policy.decide("/", { now: NOW }).verdict, "unknown_unreachable");
  });

  test("response_whose_body_was_already_read_is_a_type_error", async () => {
    const [read, locked] = [new Response(FILE), new Response(FILE)];
    await read.text();
    locked.body.getReader();
    for (const response of [read, locked]) await assert.rejects(policyOf(response), /body of the response was already read/);
  });

  test("endless_body_is_cut", async () => {
    let parts = 0;
    const body = new ReadableStream({
      pull(controller) {
        parts += 1;
        controller.enqueue(new TextEncoder().encode(`User-agent: *\nDisallow: /nest\n#${"x".repeat(1 << 16)}\n`));
      },
    });
    const policy = await policyOf(new Response(body));
    assert.equal(policy.isAllowed("/nest", { now: NOW }), false);
    assert.ok(parts < 30, `${parts} parts`);
  });

  test("unknown_names_are_type_errors_and_freed_policies_errors", async () => {
    assert.throws(() => new Policy({ agent: "heron", preset: "x" }), TypeError);
    assert.throws(() => new Policy({ agent: "heron", mode: "x" }), TypeError);
    assert.throws(() => new Policy(), TypeError);
    const policy = new Policy({ agent: "heron" });
    policy.free();
    for (const ask of [() => policy.decide("/"), () => policy.freshUntil, () => policy.updateFailure()]) {
      assert.throws(ask, (error) => error instanceof ComityError && error.code === "freed");
    }
  });
});
