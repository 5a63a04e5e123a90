//! `docs/reference/schema/`: the JSON Schemas of rows that the command prints, and tests of rows against them.
//!
//! `UPDATE_DOCS=1` updates the files.

use std::collections::BTreeSet;
use std::path::Path;

use boon::{Compiler, Schemas};
use comity_cli::schema;
use serde_json::Value;
use testkit::servers::{Origin, Reply};

use crate::{Run, comity};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/schema");

#[test]
fn schema_files_match_the_code() {
    let mut expected = BTreeSet::new();
    for row in schema::rows() {
        let path = Path::new(FOLDER).join(row.name).with_extension("json");
        let text = serde_json::to_string_pretty(&row.document()).expect("JSON") + "\n";
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &text).expect("a schema");
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == text, "UPDATE_DOCS=1 cargo test -p comity-cli writes {} again", path.display());
        expected.insert(path);
    }
    let found: BTreeSet<_> =
        std::fs::read_dir(FOLDER).expect("the folder").map(|entry| entry.expect("a file").path()).collect();
    assert_eq!(found, expected, "each file belongs to a row");
}

#[test]
fn every_command_with_json_output_has_a_schema() {
    let mut commands = 0;
    for page in std::fs::read_dir(Path::new(FOLDER).with_file_name("commands")).expect("the folder") {
        let path = page.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a page");
        if !text.lines().any(|line| line.trim_start().starts_with("--json ")) {
            continue;
        }
        commands += 1;
        let command = format!("`comity {}", path.file_stem().expect("a name").display());
        assert!(schema::rows().any(|row| row.about.contains(&command)), "{command}`");
    }
    assert!(commands > 15, "{commands}");
}

#[test]
fn description_names_the_flag_only_if_the_output_needs_it() {
    let description = |name: &str| {
        let row = schema::rows().find(|row| row.name == name).expect("a row of that name");
        row.document()["description"].as_str().expect("a description").to_owned()
    };
    assert_eq!(description("matrix"), "With --json: a line of `comity matrix`.");
    assert_eq!(description("signature"), "The answer of `/v1/verify` of `comity serve`.");
    assert!(description("audit").starts_with("The manifest that "), "{}", description("audit"));
}

#[test]
fn descriptions_have_no_links_of_rust() {
    for row in schema::rows() {
        let text = row.document().to_string();
        for mark in ["[`", "::", "](", "`None`"] {
            let place = text.find(mark).map(|at| text[..at].chars().rev().take(80).collect::<String>());
            let place = place.map(|text| text.chars().rev().collect::<String>());
            assert_eq!(place, None, "{}: {mark}", row.name);
        }
    }
}

/// Asserts that every line, or the one document, conforms to the schema.
#[track_caller]
fn validate(name: &str, run: Run) {
    let outcome = run.run();
    let rows: Vec<Value> = match serde_json::from_str(&outcome.stdout) {
        Ok(document) => vec![document],
        Err(_) => outcome.json_lines(),
    };
    assert!(!rows.is_empty(), "{name}: {} printed nothing: {}", outcome.args.join(" "), outcome.stderr);
    conform(name, &rows, &outcome.args.join(" "));
}

/// Asserts that rows conform to the schema with this name.
#[track_caller]
pub(crate) fn conform(name: &str, rows: &[Value], command: &str) {
    let schema = schema::rows().find(|row| row.name == name).expect("a row of that name").document();
    let (mut known, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.enable_format_assertions();
    let url = format!("https://comity.invalid/{name}.json");
    compiler.add_resource(&url, schema).expect("a schema");
    let index = compiler.compile(&url, &mut known).expect("a schema");
    for row in rows {
        let error = known.validate(row, index).err().map(|error| format!("{error:#}"));
        assert!(error.is_none(), "{command}: {}\n{row:#}", error.unwrap_or_default());
    }
}

#[test]
fn rows_about_files_match_their_schemas() {
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
        ("agent", "agents --json"),
        ("agent", "agents --json GPTBot Googlebot"),
        ("address", "agents --json --address 66.249.64.1"),
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
fn audit_rows_match_their_schemas() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = folder.path().join("robots.parquet").display().to_string();
    validate("audit-index", comity("audit index --json audit/robots.csv --output").arg(&index));
    let run = "audit run --json audit/pages.csv --as-of both --agent GPTBot --agent a --robots";
    validate("audit", comity(run).arg(&index));
}

#[test]
fn rows_about_sites_match_their_schemas() {
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
fn rows_about_the_store_match_their_schema() {
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
