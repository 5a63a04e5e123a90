//! `docs/reference/schema/`: a JSON Schema for each row that the command prints, and rows that are held against them.
//!
//! Rows that the service sends, too, and the short form of fields are in `comity_answers::schema`; the rest is written out here.
//! `UPDATE_DOCS=1` writes the files anew.

use std::path::{Path, PathBuf};

use boon::{Compiler, Schemas};
use comity::decision::{DecisionRecord, Field, FieldKind};
use comity_answers::schema::{self, object, of_fields, of_kind};
use serde_json::{Map, Value, json};
use testkit::servers::{Origin, Reply};

use crate::{Run, comity};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/schema");

/// How rows of an audit fare.
const AUDIT_SHARES: &str = "allowed integer, disallowed integer, unknown integer, undecidable integer";

/// Shapes that several rows share.
fn definitions(name: &str) -> Value {
    match name {
        "directive" => object(fields("kind string, key string, value string, line integer")),
        "record" => object(of_fields(DecisionRecord::FIELDS)),
        "proof" => of_kind(&field_of("evidence").kind),
        "audit_file" => object(fields(
            "name string, format string, bytes integer, digest string?, rows integer, columns @audit_columns?, \
             damaged integer, damage [array]",
        )),
        "audit_live" => object(fields(
            "agent string, sites integer, failures integer, unasked integer, limit integer, is_limited boolean, \
             answers string?",
        )),
        "audit_site" => object(fields(
            "origin string, agent string, sitemaps integer, listed integer, foreign integer, looked_at integer, \
             failed integer, forbidden integer, beyond_limit integer, limit integer, stopped string?, findings [@site_finding]",
        )),
        "site_finding" => object(fields(
            "code string, severity string, message string, help string, agents [string], line integer?, count integer, \
             urls [string]",
        )),
        "audit_columns" => object(fields("url string, seen_at string?, agent string?, join_keys~ [string]")),
        "audit_answers" => object(fields(
            "answers integer, sites integer, bodies integer, body_bytes integer, redirects_followed integer, \
             redirects_lost integer, first integer?, last integer?",
        )),
        "audit_summary" => object(fields(
            "rows integer, rows_written integer, preset string, dialect string, views [@audit_view], differing [integer]",
        )),
        "audit_view" => object(fields(
            "agent string?, moment string, shares @audit_shares, verdicts [array], answers [array], months [@audit_month], \
             hosts [@audit_host], hosts_left_out integer, rules [@audit_rule], usage [@audit_usage], allowed [@audit_example], \
             disallowed [@audit_example], unknown [@audit_example], undecidable [@audit_example]",
        )),
        "audit_shares" => object(fields(AUDIT_SHARES)),
        "audit_month" => object(fields(&format!("month string, {AUDIT_SHARES}"))),
        "audit_host" => object(fields(&format!("host string, {AUDIT_SHARES}"))),
        "audit_rule" => object(fields("host string, rule string, line integer, rows integer")),
        "audit_usage" => object(fields("column string, allow integer, disallow integer, unknown integer")),
        "audit_example" => object(fields(
            "url string, seen_at integer?, verdict string?, rule string?, line integer?, answer string?, error string?",
        )),
        "selected" => object(fields("reason string, passed_over [@passed_over]")),
        "passed_over" => {
            object(fields("url string, reason string, outcome string, status integer?, because string"))
        }
        "manifest" => {
            object(fields("kind string, url string, outcome string, status integer?, digest string?"))
        }
        "hop" => object(fields(
            "url string, decision @decision?, waits [@wait], attempts [@attempt], location string?",
        )),
        "wait" => object(fields(
            "duration_seconds number, reason string?, late_seconds number?, interval @interval",
        )),
        "interval" => object(fields(
            "duration_seconds number, reason string, asked_seconds number?, outside_visit_time object?",
        )),
        "attempt" => object(fields(
            "began_at string, seconds number, connecting_seconds number?, remote string?, status integer?, \
             failure string?, error string?, signed @signed?, was_resent boolean, retried object?",
        )),
        "signed" => object(fields("key string, signature_agent string")),
        "content" => object(fields(
            "status integer, content_type string?, bytes integer, digest string, truncated boolean, etag string?, \
             last_modified string?",
        )),
        "warning" => object(fields("kind string, name string, message string")),
        "saved" => object(fields("path string, bytes integer, form string")),
        "fetched" => object(fields("requested_url string, final_url string, status integer")),
        "outcome" => {
            object(fields("agent string, profile string, warnings [@use_warning], set_aside [@set_aside]"))
        }
        "use_warning" => {
            let mut all = fields("warning string, causes [@directive_of_page]");
            all.push(("value".to_owned(), json!({ "type": ["string", "integer", "null"] })));
            object(all)
        }
        "set_aside" => object(fields("reason string, statement @directive_of_page")),
        "directive_of_page" => {
            let mut all = fields("directive string, text string, agent string?, source @source");
            all.push(("value".to_owned(), json!({ "type": ["string", "integer", "null"] })));
            object(all)
        }
        "source" => object(fields(
            "kind string, name string, number integer, offset integer, line integer?, in_body boolean",
        )),
        "passage" => object(fields("text string, line integer")),
        "link" => object(fields(
            "name string, target string, url string?, note string?, title string?, line integer, place string, \
             form string, is_external boolean?",
        )),
        "section" => object(fields(
            "name string, level integer, line integer, is_optional boolean, text @passage?, links [@link]",
        )),
        "strict" => object(fields("is_accepted boolean, violation @finding?")),
        "resolved" => object(fields("page string, strategy string, candidates [@candidate]")),
        "candidate" => {
            object(fields("url string, reason string, origin string, is_external boolean, line integer?"))
        }
        "image" => object(fields(
            "loc string, caption~ string, geo_location~ string, title~ string, license~ string",
        )),
        "log_rule" => {
            object(fields("file string, line integer, pattern string, requests integer, examples [string]"))
        }
        "log_robots" => object(fields("fetches integer, last_at string?, pages_before integer")),
        "log_gaps" => object(fields("count integer, asked_seconds number?, below integer, lengths object")),
        "log_burst" => object(fields("requests_per_minute integer, at string?")),
        "log_signatures" => object(fields(
            "signed integer, verified integer, invalid integer, refused_signed integer, refused_unsigned integer",
        )),
        "log_network" => object(fields("network string, requests integer")),
        "alternate" => object(fields("hreflang string, href string")),
        other => {
            let shape = schema::shape(other);
            assert_ne!(shape, json!(false), "no definition {other}");
            shape
        }
    }
}

fn field_of(name: &str) -> &'static Field {
    DecisionRecord::FIELDS.iter().find(|field| field.name == name).expect("a field of a decision")
}

/// Fields in short, as `comity_answers::schema` reads them.
fn fields(text: &str) -> Vec<(String, Value)> {
    schema::fields(text, &definitions)
}

/// What rows share that a word in `kind` tells apart.
fn tagged(kind: &str, more: Vec<(String, Value)>) -> Value {
    let mut all = vec![("kind".to_owned(), json!({ "const": kind }))];
    all.extend(more);
    object(all)
}

/// What `comity fetch` says of a URL: the record of a fetch, or with --dry-run what would become of it.
fn fetch() -> Value {
    let record = fields(
        "requested_url string, final_url string, selected @selected, outcome string, error string?, agent string, \
         retry_after_seconds number?, user_agent string, preset string, mode string, hops [@hop], manifests [@manifest], content @content?, \
         refusal @refusal?, warnings [@warning], usage @report?, began_at string, ended_at string, seconds number, \
         waited_seconds number, robots_refused string?, saved @saved?, text~ string",
    );
    let dry =
        fields("url string, would_fetch boolean, waited_seconds number, decision @decision?, error string?");
    json!({ "anyOf": [object(record), object(dry)] })
}

/// What `comity cache` says of an entry, and what `verify` and `purge` did.
fn cache() -> Value {
    let mut entry = fields(
        "origin string, readable boolean, age_seconds integer?, fresh boolean?, asked_as~ string?, fields~ [array], \
         failing_since~ string?, copy~ @proof?, unconfirmed~ boolean",
    );
    let FieldKind::Record(_, of_answer) = &field_of("evidence").kind else {
        unreachable!("evidence is a record")
    };
    // An entry of another version has none of these.
    entry.extend(of_fields(of_answer).into_iter().map(|(name, schema)| (name + "~", schema)));
    let verified =
        fields("store string, entries integer, torn [string], problems [string], repaired boolean");
    let purged = fields("store string, removed integer");
    json!({ "anyOf": [object(entry), object(verified), object(purged)] })
}

/// A line of `comity sitemap`.
fn sitemap() -> Value {
    let url = "loc string, lastmod string?, changefreq string?, priority number?, images~ [@image], videos~ [object], \
               news~ object, alternates~ [@alternate]";
    let mut finding = fields("file string");
    finding.extend(schema::finding_fields());
    let summary = "file string, format string?, encoding string, entries integer, bytes integer, \
                   compressed_bytes integer?, truncated boolean, errors integer, warnings integer, notes integer";
    json!({ "anyOf": [
        tagged("url", fields(url)),
        tagged("sitemap", fields("loc string, lastmod string?")),
        tagged("finding", finding),
        tagged("summary", fields(summary)),
    ] })
}

/// What `comity logs` says of a crawler.
fn logs() -> Value {
    object(fields(
        "agent string, operator string, purpose string, follows_robots_txt string, identity string, ranges_date string?, \
         requests integer, disallowed integer, disallowed_share number, in_grace integer, unknown integer, rules [@log_rule], \
         robots_txt @log_robots, gaps @log_gaps?, burst @log_burst, statuses object, bytes integer, first_at string?, \
         last_at string?, days integer, networks [@log_network], signatures @log_signatures",
    ))
}

/// What `comity llms` prints.
fn llms() -> Value {
    object(fields(
        "file string, bytes integer, url string?, kind string, grade integer, lines integer, truncated boolean, \
         front_matter @passage?, preamble @passage?, title @passage?, summary @passage?, details @passage?, \
         links [@link], sections [@section], findings [@finding], grade_name string, finding_counts object, \
         strict~ @strict, resolved~ [@resolved]",
    ))
}

/// A schema: its name, what it is of, and the schema.
fn schemas() -> Vec<(&'static str, &'static str, Value)> {
    let group = object(fields(
        "line integer, agents [string], for_everyone boolean, dropped boolean, rules [@rule_line], \
         crawl_delay_seconds number?, request_rate object?, visit_time object?, extensions [@directive]",
    ));
    let mut inspected = fields(
        "file string, robots_txt @robots_txt, dialect string, bytes integer, lines integer, truncated boolean, \
         site [@directive], outside [@directive], unknown [@directive]",
    );
    inspected.push(("groups".to_owned(), json!({ "type": "array", "items": group })));
    let listed = object(fields("url string, line integer"));
    inspected.push(("sitemaps".to_owned(), json!({ "type": "array", "items": listed })));
    let lint = "code string, severity string, summary string, why string, help string, bad string?, good string?, \
                documentation string";
    let dialect = "name string, aliases [string], default boolean, defined_by string, quirks [string]";
    let preset = "name string, default boolean, defined_by string, notes [string], dialect string, mode string, \
                  fails_open boolean, body_limit integer?, answers [object], stale_seconds integer?, outage [object]";
    let page = fields(
        "headers string?, html string?, fetched~ @fetched, statements integer, findings [@finding], outcomes [@outcome]",
    );
    let mut test =
        fields("test_file string, test_line integer, why string?, expected string, passed boolean");
    test.extend(schema::decision_row());
    let mut all: Vec<_> = schema::ROWS
        .iter()
        .map(|(name, about)| (*name, *about, schema::row(name).expect("a row of that name")))
        .collect();
    all.extend([
        ("lint", "a line of `comity lint --list`, and `comity lint --explain CODE`", object(fields(lint))),
        (
            "lint-statistics",
            "a line of `comity lint --statistics`",
            object(fields("code string, severity string, findings integer, files integer")),
        ),
        ("inspection", "a line of `comity inspect`", object(inspected)),
        ("dialect", "a line of `comity dialects`", object(fields(dialect))),
        ("preset", "a line of `comity presets`", object(fields(preset))),
        ("config", "what `comity config` prints", object(fields("files [string], settings [object]"))),
        ("fetch", "a line of `comity fetch`, and of its --report", fetch()),
        ("cache", "a line of `comity cache list`, and what `show`, `verify` and `purge` print", cache()),
        ("page", "what `comity page` prints", object(page)),
        ("llms", "what `comity llms` prints", llms()),
        ("sitemap", "a line of `comity sitemap`", sitemap()),
        ("test", "a line of `comity test`", object(test)),
        ("logs", "a line of `comity logs`", logs()),
        (
            "audit",
            "what `comity audit run` and `comity audit site` print and write beside their output",
            object(fields(AUDIT)),
        ),
        (
            "audit-index",
            "what `comity audit index` prints",
            object(fields(
                "output string, bytes integer, rows integer, answers @audit_answers, sources [@audit_file]",
            )),
        ),
    ]);
    all
}

/// The manifest of an audit.
const AUDIT: &str = "program string, arguments [string], started string, finished string, inputs [@audit_file], \
                     robots [@audit_file], live~ @audit_live, site~ @audit_site, answers @audit_answers, summary @audit_summary, output string?, output_digest string?";

/// The schema as it stands in the repository.
fn document(name: &str, about: &str, schema: Value) -> Value {
    let mut document = Map::new();
    document.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
    document.insert("title".to_owned(), name.into());
    document.insert("description".to_owned(), format!("With --json: {about}.").into());
    if let Value::Object(rest) = schema {
        document.extend(rest);
    }
    Value::Object(document)
}

fn path(name: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("{name}.json"))
}

#[test]
fn the_schemas_are_printed_from_the_code() {
    let mut expected: Vec<PathBuf> = Vec::new();
    for (name, about, schema) in schemas() {
        let text = serde_json::to_string_pretty(&document(name, about, schema)).expect("JSON") + "\n";
        expected.push(path(name));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::create_dir_all(FOLDER).expect("a folder");
            std::fs::write(path(name), &text).expect("a schema");
        }
        let written = std::fs::read_to_string(path(name)).unwrap_or_default();
        assert!(written == text, "UPDATE_DOCS=1 cargo test -p comity-cli writes {name}.json anew");
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(FOLDER)
        .expect("the folder")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "every schema has its place in this test");
}

/// Asserts that every line, or the one document, is what the schema says.
#[track_caller]
fn validate(name: &str, run: Run) {
    let outcome = run.run();
    let rows: Vec<Value> = match serde_json::from_str(&outcome.stdout) {
        Ok(document) => vec![document],
        Err(_) => outcome.json_lines(),
    };
    assert!(!rows.is_empty(), "{name}: {} printed nothing: {}", outcome.args.join(" "), outcome.stderr);
    let (_, about, schema) =
        schemas().into_iter().find(|(other, ..)| *other == name).expect("a schema of that name");
    let (mut known, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.enable_format_assertions();
    let url = format!("https://comity.invalid/{name}.json");
    compiler.add_resource(&url, document(name, about, schema)).expect("a schema");
    let index = compiler.compile(&url, &mut known).expect("a schema");
    for row in &rows {
        let error = known.validate(row, index).err().map(|error| format!("{error:#}"));
        assert!(error.is_none(), "{}: {}\n{row:#}", outcome.args.join(" "), error.unwrap_or_default());
    }
}

#[test]
fn every_row_is_what_its_schema_says() {
    for (name, args) in [
        (
            "decision",
            "check --json --agent GPTBot --agent a /blog /private nonsense https://example.com:x/ --robots robots.txt",
        ),
        ("decision", "status --json --code 503"),
        ("decision", "status --json --code 200 --body robots.txt"),
        ("decision", "status --json --preset google --error timeout --failing-for 13h --agent a /x nonsense"),
        ("explanation", "explain --json --agent GPTBot --agent EmtpyBot /blog /private nonsense"),
        ("finding", "lint --json slips.txt note.txt kinds.txt"),
        ("lint", "lint --list --json"),
        ("lint-statistics", "lint --statistics --json slips.txt kinds.txt"),
        ("lint", "lint --explain missing-colon --json"),
        ("inspection", "inspect --json robots.txt slips.txt kinds.txt matrix.txt"),
        ("matrix", "matrix --json --robots matrix.txt --robots robots.txt"),
        ("matrix", "matrix --json --robots matrix.txt / /blog"),
        ("diff", "diff --json old.txt new.txt"),
        ("diff", "diff --json old.txt new.txt --urls urls.txt"),
        ("dialect", "dialects --json"),
        ("preset", "presets --json"),
        ("config", "config --json --no-config"),
        ("usage", "usage --json --robots robots.txt --agent GPTBot --agent a /blog nonsense"),
        (
            "usage",
            "usage --json --robots usage/robots.txt --headers usage/header.txt --body usage/page.html --tdmrep \
             usage/tdmrep.json --rsl usage/license.xml --user education --agent GPTBot /blog /page",
        ),
        ("page", "page --json --headers header.txt --body page.html --agent Googlebot --all-profiles"),
        ("page", "page --json --body page-plain.html --agent a --profile google"),
        ("llms", "llms --json llms.txt"),
        (
            "llms",
            "llms --json llms-good.txt --strict --url https://example.com/llms.txt --resolve https://example.com/a",
        ),
        ("llms", "llms --json robots.txt --strict"),
        ("sitemap", "sitemap --json sitemap.xml"),
        ("sitemap", "sitemap --json sitemap-index.xml"),
        ("sitemap", "sitemap --json --check sitemap-slips.xml"),
        ("test", "test --json tests.toml"),
        ("test", "test --json tests.jsonl"),
        ("logs", "logs --json --all --robots robots.txt access.log"),
    ] {
        validate(name, comity(args));
    }
}

#[test]
fn audits_are_what_their_schemas_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = folder.path().join("robots.parquet").display().to_string();
    validate("audit-index", comity("audit index --json audit/robots.csv --output").arg(&index));
    let run = "audit run --json audit/pages.csv --as-of both --agent GPTBot --agent a --robots";
    validate("audit", comity(run).arg(&index));
}

#[test]
fn rows_about_sites_are_what_their_schemas_say() {
    let flags = "--store memory --no-config --allow-address 127.0.0.0/8 --min-interval 0 --retries 0";
    for reply in [
        Reply::ok("User-agent: *\nDisallow: /x\nDisalow: /y\n"),
        Reply::status(404),
        Reply::status(503),
        Reply::html_soft_404(),
        Reply::redirect(301, "/elsewhere"),
    ] {
        let origin = Origin::start();
        origin.on("/robots.txt", reply);
        let urls = [origin.url("/x"), "http://169.254.169.254/".to_owned(), "https://".to_owned()];
        for (name, command) in [("decision", "check"), ("explanation", "explain")] {
            let run = comity(command).args(flags).args("--json --agent GPTBot --agent a");
            validate(name, urls.iter().fold(run, |run, url| run.arg(url)));
        }
    }
    let origin = Origin::start();
    origin.on(
        "/robots.txt",
        Reply::ok("User-agent: *\nDisallow: /no\nContent-Signal: ai-train=no\nLicense: /rsl.xml\n"),
    );
    origin.on("/page", Reply::html("<!doctype html><meta name=robots content=noindex><title>x</title>"));
    origin.on("/moved", Reply::redirect(301, "/page"));
    origin.on("/terms", Reply::status(402));
    let guarded = "http://169.254.169.254/";
    let paths = ["/page", "/moved", "/terms", "/no/x", "/gone"].map(|path| origin.url(path));
    let urls = paths.iter().map(String::as_str).chain([guarded, "nonsense"]);
    for more in ["--include-body", "--dry-run"] {
        let run = comity("fetch --json --markdown").args(flags).args(more);
        let run = if more == "--dry-run" { comity("fetch --json --dry-run").args(flags) } else { run };
        validate("fetch", urls.clone().fold(run, |run, url| run.arg(url)));
    }
    let run = comity("usage --json --agent GPTBot --agent a").args(flags);
    validate("usage", urls.clone().fold(run, |run, url| run.arg(url)));
    validate("page", comity("page --json --agent a --all-profiles").args(flags).arg(&origin.url("/page")));
    origin.on("/sitemap.txt", Reply::ok(format!("{}\n{}\n", origin.url("/page"), origin.url("/no/x"))));
    origin.on(
        "/robots.txt",
        Reply::ok("User-agent: *\nDisallow: /no\nSitemap: /sitemap.txt\nSitemap: /gone.xml\n"),
    );
    validate("audit", comity("audit site --json --max-urls 1").args(flags).arg(&origin.url("/")));
    let origin = Origin::start();
    origin.on("/robots.txt", Reply::ok("User-agent: *\nDisalow: /y\nCrawl-delay: 2\n"));
    for (name, command) in [("finding", "lint"), ("inspection", "inspect"), ("matrix", "matrix")] {
        validate(name, comity(command).args(flags).arg("--json").arg(&origin.url("/")));
    }
    origin.on(
        "/paid",
        Reply::status(402)
            .header("Link", "<https://example.com/l.xml>; rel=license; type=application/rsl+xml")
            .header("WWW-Authenticate", "License error=\"invalid_token\"")
            .header("crawler-price", "USD 1"),
    );
    let probe = comity("matrix --probe --json").args(flags);
    validate("matrix", ["/", "/paid"].iter().fold(probe, |run, page| run.arg(&origin.url(page))));
}

#[test]
fn rows_about_the_store_are_what_their_schema_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("robots.db").display().to_string();
    let flags = "--no-config --allow-address 127.0.0.0/8 --min-interval 0 --retries 0 --json --agent a";
    let good = Origin::start();
    good.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /x\n"));
    let bad = Origin::start();
    bad.on("/robots.txt", Reply::status(503));
    comity("check").args(flags).args("--store").arg(&store).arg(&good.url("/")).arg(&bad.url("/")).run();
    for command in ["list", "show", "verify", "purge --all"] {
        let run = comity("cache").args(command).args("--no-config --json --store").arg(&store);
        let run = if command == "show" { run.arg(&bad.url("/")) } else { run };
        validate("cache", run);
    }
}
