//! `comity audit`: archives and tables in, verdicts, a manifest and a report out.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Run, comity};

const ROBOTS: &str = "key,fetched_at,status,body\n\
    https://a.example,2024-01-01,200,\"User-agent: *\nDisallow: /private\n\"\n\
    https://b.example,2024-01-01,404,\n";

const PAGES: &str = "id,url,timestamp\n\
    1,https://a.example/,20240201000000\n\
    2,https://a.example/private/x,20240201000000\n\
    3,https://b.example/,20240201000000\n\
    4,https://c.example/,20240201000000\n";

/// A folder with pages and answers.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("robots.csv"), ROBOTS).expect("a file");
    fs::write(folder.path().join("pages.csv"), PAGES).expect("a file");
    folder
}

fn audit(folder: &Path, args: &str) -> Run {
    comity(&format!("audit {args}")).dir(folder)
}

fn record(kind: &str, url: &str, time: &str, block: &str) -> String {
    format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {time}\r\n\
         Content-Type: application/http; msgtype={kind}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

#[test]
fn rows_come_out_as_they_went_in_with_their_verdicts() {
    let folder = folder();
    let outcome = audit(folder.path(), "run pages.csv -r robots.csv -a GPTBot -o out.csv").run().exits(0);
    assert!(outcome.stdout.contains("URL in `url`, time in `timestamp`"), "{}", outcome.stdout);
    let rows = fs::read_to_string(folder.path().join("out.csv")).expect("rows");
    let lines: Vec<&str> = rows.lines().collect();
    assert_eq!(lines[0], "id,url,timestamp,seen_at,verdict,allowed,rule,line,group,answer,error");
    assert!(lines[2].starts_with("2,https://a.example/private/x,20240201000000,"), "{}", lines[2]);
    assert!(lines[2].ends_with(",disallowed_explicit,false,/private,2,*,http_200,"), "{}", lines[2]);
    assert!(lines[4].contains(",unknown_unreachable,false,"), "{}", lines[4]);
}

#[test]
fn a_manifest_says_what_a_result_was_made_of() {
    let folder = folder();
    audit(folder.path(), "run pages.csv -r robots.csv -a GPTBot --out out.jsonl -q").run().exits(0);
    let manifest = fs::read(folder.path().join("out.jsonl.manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_slice(&manifest).expect("JSON");
    assert_eq!(manifest["inputs"][0]["rows"], 4);
    assert_eq!(manifest["inputs"][0]["columns"]["seen_at"], "timestamp");
    assert_eq!(manifest["answers"]["answers"], 2);
    let shares = &manifest["summary"]["views"][0]["shares"];
    assert_eq!(
        (&shares["allowed"], &shares["disallowed"], &shares["unknown"]),
        (&2.into(), &1.into(), &1.into())
    );
    for file in
        [&manifest["inputs"][0]["digest"], &manifest["robots"][0]["digest"], &manifest["output_digest"]]
    {
        assert!(file.as_str().is_some_and(|digest| digest.starts_with("sha-256=:")), "{file}");
    }
    let rows = fs::read_to_string(folder.path().join("out.jsonl")).expect("rows");
    let second: Value = serde_json::from_str(rows.lines().nth(1).expect("a row")).expect("JSON");
    assert_eq!((&second["verdict"], &second["line"]), (&"disallowed_explicit".into(), &2.into()));
}

#[test]
fn an_index_decides_as_its_sources_do() {
    let folder = folder();
    let outcome = audit(folder.path(), "index robots.csv -o robots.parquet --json").run().exits(0);
    assert_eq!(outcome.json()["answers"]["sites"], 2);
    let by_index =
        audit(folder.path(), "run pages.csv -r robots.parquet -a GPTBot --json").run().exits(0).json();
    let by_source =
        audit(folder.path(), "run pages.csv -r robots.csv -a GPTBot --json").run().exits(0).json();
    assert_eq!(by_index["summary"], by_source["summary"]);
    // Parquet goes in and out.
    audit(folder.path(), "run pages.csv -r robots.csv -a GPTBot -q -o pages.parquet").run().exits(0);
    let again =
        audit(folder.path(), "run pages.parquet -r robots.parquet -a GPTBot --prefix again_ -o again.csv");
    again.run().exits(0);
    let rows = fs::read_to_string(folder.path().join("again.csv")).expect("rows");
    for row in rows.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!(cells[4], cells[11], "{row}");
    }
}

#[test]
fn one_archive_has_pages_and_answers() {
    let folder = folder();
    let robots = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /no\n";
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Hello";
    let archive = [
        record("response", "https://a.example/robots.txt", "2024-01-01T00:00:00Z", robots),
        record("response", "https://a.example/no/x", "2024-01-01T00:00:05Z", page),
        record("response", "https://a.example/yes", "2024-01-01T00:00:06Z", page),
    ];
    fs::write(folder.path().join("crawl.warc"), archive.concat()).expect("a file");
    let outcome =
        audit(folder.path(), "run crawl.warc -r crawl.warc -a CCBot -o out.jsonl --summary").run().exits(0);
    assert!(outcome.stdout.contains("Disallow: /no  (line 2)"), "{}", outcome.stdout);
    let rows = fs::read_to_string(folder.path().join("out.jsonl")).expect("rows");
    let verdicts: Vec<Value> = rows
        .lines()
        .map(|row| serde_json::from_str::<Value>(row).expect("JSON")["verdict"].clone())
        .collect();
    assert_eq!(verdicts, ["allowed_implicit", "disallowed_explicit", "allowed_implicit"]);
}

#[test]
fn a_folder_of_captures_is_a_source() {
    let folder = folder();
    let captures = folder.path().join("captures");
    fs::create_dir_all(captures.join("a.example")).expect("a folder");
    fs::write(captures.join("a.example/20240101000000.txt"), "User-agent: *\nDisallow: /\n").expect("a file");
    fs::write(captures.join("a.example/20240301000000.txt"), "User-agent: *\nDisallow:\n").expect("a file");
    fs::write(captures.join("b.example_20240101.txt"), "User-agent: *\nDisallow: /\n").expect("a file");
    let run = "run pages.csv -r captures -a GPTBot --as-of both --json";
    let views = audit(folder.path(), run).run().exits(0).json()["summary"].clone();
    assert_eq!(views["views"][0]["shares"]["disallowed"], 3);
    assert_eq!(views["views"][1]["shares"]["disallowed"], 1);
    assert_eq!(views["differing"][0], 2);
}

#[test]
fn conditions_decide_the_exit_status() {
    let folder = folder();
    let run = |condition: &str| {
        audit(folder.path(), "run pages.csv -r robots.csv -a GPTBot -q --fail-if").arg(condition).run()
    };
    let failed = run("disallowed>0,unknown>50%").exits(1);
    assert!(failed.stderr.contains("--fail-if disallowed>0 holds for GPTBot"), "{}", failed.stderr);
    run("disallowed>=50%").exits(0);
    let wrong = run("blocked>0").exits(2);
    assert!(wrong.stderr.contains("is not a condition"), "{}", wrong.stderr);
}

#[test]
fn mistakes_are_named_with_the_way_out_and_leave_nothing_behind() {
    let folder = folder();
    fs::write(folder.path().join("no-url.csv"), "name,size\na,1\n").expect("a file");
    fs::write(folder.path().join("taken.csv"), "url,verdict\nhttps://a.example/,x\n").expect("a file");
    let cases = [
        ("run missing.csv -r robots.csv -a GPTBot", "cannot read `missing.csv`"),
        ("run pages.csv -r missing.csv -a GPTBot", "cannot read `missing.csv`"),
        ("run no-url.csv -r robots.csv -a GPTBot -o out.csv", "--url-column"),
        ("run taken.csv -r robots.csv -a GPTBot -o out.csv", "--prefix"),
        ("run pages.csv -r robots.csv -o out.csv", "--agent"),
        ("run pages.csv -r pages.csv -a GPTBot -o out.csv", "robots.txt"),
        ("run pages.csv -r robots.csv -a GPTBot -o out.docx", ".parquet"),
        ("run pages.csv -r robots.csv -a GPTBot -o pages.csv", "is an input"),
        ("run pages.csv no-url.csv -r robots.csv -a GPTBot -o out.csv", "no-url.csv"),
        ("index robots.csv -o robots.csv", "is a source"),
        ("index pages.csv -o out.parquet", "no column"),
    ];
    for (args, part) in cases {
        let outcome = audit(folder.path(), args).run().exits(2);
        assert!(outcome.stderr.contains(part), "{args}\n{}", outcome.stderr);
    }
    let mut left: Vec<String> = fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    assert_eq!(left, ["no-url.csv", "pages.csv", "robots.csv", "taken.csv"]);
}

#[test]
fn damage_is_counted_and_named_and_fatal_to_nobody() {
    let folder = folder();
    let lines = "{\"url\": \"https://a.example/private\"}\n{broken\n{\"url\": \"https://b.example/\"}\n";
    fs::write(folder.path().join("pages.jsonl"), lines).expect("a file");
    let outcome = audit(folder.path(), "run pages.jsonl -r robots.csv -a GPTBot --json").run().exits(0);
    assert!(
        outcome.stderr.contains("pages.jsonl: 1 record could not be read, the first at 2"),
        "{}",
        outcome.stderr
    );
    assert_eq!(outcome.json()["inputs"][0]["damaged"], 1);
    assert_eq!(outcome.json()["summary"]["rows"], 2);
}

#[test]
fn standard_input_is_an_input_like_any_other() {
    let folder = folder();
    let urls = "https://a.example/private\nhttps://b.example/\n";
    let outcome = audit(folder.path(), "run - -r robots.csv -a GPTBot --json").stdin(urls).run().exits(0);
    assert_eq!(outcome.json()["summary"]["views"][0]["shares"]["disallowed"], 1);
    // A format that is read from several places, too.
    audit(folder.path(), "index robots.csv -o robots.parquet -q").run().exits(0);
    let index = fs::read(folder.path().join("robots.parquet")).expect("an index");
    let outcome = audit(folder.path(), "run pages.csv -r - -a GPTBot --json").stdin(index).run().exits(0);
    assert_eq!(outcome.json()["answers"]["answers"], 2);
}

#[test]
fn every_crawler_of_a_purpose_is_decided_in_one_pass() {
    let folder = folder();
    let run = "run pages.csv -r robots.csv --purpose training --rows long -o out.csv --report audit.html -q";
    audit(folder.path(), run).run().exits(0);
    let rows = fs::read_to_string(folder.path().join("out.csv")).expect("rows");
    let of_training = comity::agents::all().iter().filter(|known| {
        known.purpose() == comity::agents::Purpose::Training
            && known.status() != comity::agents::Status::Retired
    });
    assert_eq!(rows.lines().count(), 1 + 4 * of_training.count());
    let page = fs::read_to_string(folder.path().join("audit.html")).expect("a report");
    assert!(page.contains("Robots.txt audit of 4 pages") && page.contains("GPTBot"), "{page}");
}
