//! `comity audit run --live`, and a store as a source of answers.

use std::fs;
use std::path::Path;

use serde_json::Value;
use testkit::servers::{Origin, Reply};

use super::{live, site};
use crate::Run;

fn audit(folder: &Path, args: &str) -> Run {
    live(&format!("audit {args}")).dir(folder)
}

/// Creates a folder with two pages of each site, and the robots.txt answer of one site.
fn folder(sites: &[&Origin], answered: &Origin) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut pages = "url,seen_at\n".to_owned();
    for path in ["/", "/private/x"] {
        for site in sites {
            pages.push_str(&format!("{},2024-02-01\n", site.url(path)));
        }
    }
    let robots = format!("key,fetched_at,status\n{},2024-01-01,404\n", answered.url(""));
    fs::write(folder.path().join("pages.csv"), pages).expect("a file");
    fs::write(folder.path().join("robots.csv"), robots).expect("a file");
    folder
}

fn verdicts(folder: &Path, name: &str) -> Vec<String> {
    let rows = fs::read_to_string(folder.join(name)).expect("rows");
    let rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    rows.map(|row| row["verdict"].as_str().unwrap_or("-").to_owned()).collect()
}

#[test]
fn site_without_an_answer_is_requested_once_and_others_never() {
    let (open, closed, known) =
        (site(""), site("User-agent: *\nDisallow: /private\n"), site("User-agent: *\nDisallow: /\n"));
    let folder = folder(&[&open, &closed, &known], &known);
    let run = "run pages.csv -r robots.csv --live -a GPTBot -o out.jsonl --json";
    let manifest = audit(folder.path(), run).run().exits(0).json();
    assert_eq!(
        verdicts(folder.path(), "out.jsonl"),
        [
            "allowed_implicit",
            "allowed_implicit",
            "allowed_implicit",
            "allowed_implicit",
            "disallowed_explicit",
            "allowed_implicit"
        ]
    );
    let counts = [&open, &closed, &known].map(|site| site.count("/robots.txt"));
    assert_eq!(counts, [1, 1, 0]);
    let asked = &manifest["live"];
    assert_eq!(
        (&asked["sites"], &asked["failures"], &asked["is_limited"]),
        (&2.into(), &0.into(), &false.into())
    );
    assert_eq!(manifest["summary"]["views"][0]["moment"], "now");
    assert_eq!(manifest["robots"][1]["rows"], 2);

    // The answers were saved, and a second run decides by them without requests.
    let again =
        "run pages.csv -r robots.csv -r out.jsonl.live.parquet -a GPTBot --as-of now -o again.jsonl -q";
    audit(folder.path(), again).run().exits(0);
    assert_eq!(verdicts(folder.path(), "again.jsonl"), verdicts(folder.path(), "out.jsonl"));
    assert_eq!(closed.count("/robots.txt"), 1);
}

#[test]
#[cfg(unix)]
fn signal_ends_a_job_that_waits_and_leaves_no_file() {
    use std::process::{Command, Stdio};

    for signal in ["-INT", "-TERM"] {
        let (silent, known) = (Origin::start(), site(""));
        silent.on("/robots.txt", Reply::hang());
        let folder = folder(&[&silent], &known);
        let run = audit(folder.path(), "run pages.csv -r robots.csv --live -a GPTBot -o out.jsonl --json");
        let child = run.command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = child.expect("comity should start");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(silent.until_requested("/robots.txt", 1));
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
        assert!(killed.success());
        let output = child.wait_with_output().expect("an end");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{signal}: {stderr}");
        assert!(output.stdout.is_empty(), "{signal}: {}", String::from_utf8_lossy(&output.stdout));
        let entries = fs::read_dir(folder.path()).expect("a folder");
        let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
        names.sort();
        assert_eq!(names, ["pages.csv", "robots.csv"], "{signal}");
    }
}

#[test]
fn all_sites_are_requested_without_a_source() {
    let (one, other) = (site("User-agent: *\nDisallow: /\n"), site(""));
    let folder = folder(&[&one, &other], &one);
    let outcome =
        audit(folder.path(), "run pages.csv --live -a GPTBot -o out.jsonl --summary").run().exits(0);
    assert!(outcome.stdout.contains("2 sites requested as Comity"), "{}", outcome.stdout);
    let allowed =
        verdicts(folder.path(), "out.jsonl").iter().filter(|verdict| verdict.starts_with("allowed")).count();
    assert_eq!(allowed, 2);
}

#[test]
fn sites_beyond_the_limit_are_not_requested() {
    let sites = [site(""), site(""), site("")];
    let folder = folder(&sites.each_ref(), &sites[0]);
    let run = "run pages.csv --live --live-limit 2 -a GPTBot -o out.jsonl --report audit.html --summary";
    let outcome = audit(folder.path(), run).run().exits(0);
    assert!(outcome.stderr.contains("more than 2 sites"), "{}", outcome.stderr);
    assert_eq!(sites.each_ref().map(|site| site.count("/robots.txt")), [1, 1, 0]);
    let unknown =
        verdicts(folder.path(), "out.jsonl").iter().filter(|verdict| verdict.starts_with("unknown")).count();
    assert_eq!(unknown, 2);
    let report = fs::read_to_string(folder.path().join("audit.html")).expect("a report");
    assert!(report.contains("at most 2 were requested"), "{report}");
}

#[test]
fn failed_request_is_an_answer_and_refused_address_is_reported() {
    let broken = Origin::start();
    broken.on("/robots.txt", Reply::status(503));
    let folder = folder(&[&broken], &broken);
    fs::write(folder.path().join("more.csv"), "url\nhttp://10.0.0.1/a\nnonsense\n").expect("a file");
    let run = "run pages.csv more.csv --live -a GPTBot -o out.jsonl --json";
    let outcome = audit(folder.path(), run).run().exits(0);
    assert!(
        outcome.stderr.contains("robots.txt of 1 site could not be requested")
            && outcome.stderr.contains("10.0.0.1"),
        "{}",
        outcome.stderr
    );
    let manifest = outcome.json();
    assert_eq!((&manifest["live"]["sites"], &manifest["live"]["unasked"]), (&2.into(), &1.into()));
    assert_eq!(
        verdicts(folder.path(), "out.jsonl"),
        ["unknown_unreachable", "unknown_unreachable", "unknown_unreachable", "-"]
    );
}

#[test]
fn stopped_job_does_not_repeat_requests() {
    let (one, other) = (site("User-agent: *\nDisallow: /private\n"), site(""));
    let folder = folder(&[&one, &other], &one);
    // A value in the second input does not fit the type of the column, so the job stops at this input.
    let row = |url: &str, number: &str| {
        format!("{{\"url\": \"{url}\", \"seen_at\": \"2024-02-01\", \"number\": {number}}}\n")
    };
    let pages: String = [&one, &other].map(|site| row(&site.url("/"), "1")).concat();
    fs::write(folder.path().join("pages.jsonl"), pages).expect("a file");
    fs::write(folder.path().join("more.jsonl"), row("http://127.0.0.1/", "\"x\"")).expect("a file");
    let run = "run pages.jsonl more.jsonl --live --live-limit 2 -a GPTBot -o out.jsonl --resume --memory 16M";
    audit(folder.path(), run).run().exits(2);
    let asked = || one.count("/robots.txt") + other.count("/robots.txt");
    assert_eq!(asked(), 2);
    fs::write(folder.path().join("more.jsonl"), row("http://127.0.0.1/", "2")).expect("a file");
    let manifest = audit(folder.path(), run).arg("--json").run().exits(0).json();
    assert_eq!(asked(), 2);
    assert_eq!(manifest["live"]["sites"], 2);
    assert!(
        folder.path().join("out.jsonl.live.parquet").is_file()
            && !folder.path().join("out.jsonl.parts").exists()
    );
}

#[test]
fn store_is_read_as_source_and_not_changed() {
    let closed = site("User-agent: *\nDisallow: /private\n");
    let folder = folder(&[&closed], &closed);
    let asking = "--no-config --allow-address 127.0.0.0/8 --min-interval 0 --store robots.db";
    crate::comity("check --agent GPTBot")
        .args(asking)
        .arg(&closed.url("/private/x"))
        .dir(folder.path())
        .run()
        .exits(1);
    let before = fs::read(folder.path().join("robots.db")).expect("a store");
    let manifest =
        audit(folder.path(), "run pages.csv -r robots.db -a GPTBot --as-of now -o out.jsonl --json")
            .run()
            .exits(0)
            .json();
    assert_eq!(verdicts(folder.path(), "out.jsonl"), ["allowed_implicit", "disallowed_explicit"]);
    assert_eq!(
        (&manifest["robots"][0]["format"], &manifest["robots"][0]["rows"]),
        (&"store".into(), &1.into())
    );
    crate::comity("audit index robots.db -o robots.parquet -q").dir(folder.path()).run().exits(0);
    audit(folder.path(), "run pages.csv -r robots.parquet -a GPTBot --as-of now -o again.jsonl -q")
        .run()
        .exits(0);
    assert_eq!(verdicts(folder.path(), "again.jsonl"), verdicts(folder.path(), "out.jsonl"));
    assert!(before == fs::read(folder.path().join("robots.db")).expect("a store"));
    assert_eq!(closed.count("/robots.txt"), 1);

    fs::write(folder.path().join("other.db"), [&b"SQLite format 3\0"[..], &[0; 100]].concat())
        .expect("a file");
    let outcome = crate::comity("audit index other.db -o other.parquet").dir(folder.path()).run().exits(2);
    assert!(outcome.stderr.contains("other.db"), "{}", outcome.stderr);
    let outcome = crate::comity("audit index missing.db -o other.parquet").dir(folder.path()).run().exits(2);
    assert!(
        outcome.stderr.contains("missing.db") && !folder.path().join("missing.db").exists(),
        "{}",
        outcome.stderr
    );
}
