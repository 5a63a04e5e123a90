//! Runs every program without the Internet. The programs serve their site on loopback.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;

use comity_formats::arrow_array::{ArrayRef, RecordBatch, StringArray};
use comity_formats::{ArchiveInput, PageOptions, Pages, TableFormat, TableWriter};
use serde_json::{Value, json};

/// The command that runs a program.
macro_rules! program {
    ($name:literal) => {
        Command::new(env!(concat!("CARGO_BIN_EXE_", $name)))
    };
}

const ROBOTS: &str = "User-agent: GPTBot\nDisallow: /private/\n\nUser-agent: *\nAllow: /\n";

/// Returns the lines of the standard output of a program that succeeds.
fn lines(command: &mut Command) -> Vec<String> {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("text").lines().map(str::to_owned).collect()
}

fn write(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, content).expect("a writable folder");
    path.to_str().expect("a path in UTF-8").to_owned()
}

#[test]
fn decide_prints_rule_and_line_for_each_crawler() {
    let folder = tempfile::tempdir().expect("a folder");
    let robots = write(folder.path(), "robots.txt", ROBOTS);
    let urls = write(folder.path(), "urls.txt", "https://example.com/private/a\nnonsense\n");
    let [of_gptbot, of_other, error, _] =
        &lines(program!("decide").args([&robots, &urls, "GPTBot", "OtherBot"]))[..]
    else {
        panic!("not four lines")
    };
    let url = "https://example.com/private/a";
    assert_eq!(*of_gptbot, format!("{url}\tGPTBot\tdisallowed_explicit\tline 2\tDisallow: /private/"));
    assert_eq!(*of_other, format!("{url}\tOtherBot\tallowed_explicit\tline 5\tAllow: /"));
    assert!(error.starts_with("nonsense\tGPTBot\terror: "), "{error}");
}

#[test]
fn lint_fails_for_a_warning_and_succeeds_after_its_fix() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), "robots.txt", "User-agent: *\nDisallow /private\n");
    let found = program!("lint").arg(&file).output().expect("the program starts");
    assert_eq!(found.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&found.stdout).contains("missing-colon"));
    let fixed = lines(program!("lint").args(["--fix", &file]));
    assert!(fixed.iter().all(|line| line.contains(": fixed: ")) && !fixed.is_empty(), "{fixed:?}");
    assert_eq!(fs::read_to_string(&file).expect("the file"), "User-agent: *\nDisallow: /private\n");
}

#[test]
fn crawler_follows_links_to_depth_two_and_records_summarises_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let records = lines(&mut program!("crawler"));
    let mut results: Vec<(String, Value)> = Vec::new();
    for line in &records {
        let record: Value = serde_json::from_str(line).expect("a record");
        let url = record["requested_url"].as_str().expect("a URL");
        let path = url.splitn(4, '/').nth(3).expect("a path");
        results.push((path.to_owned(), record["status"].clone()));
    }
    results.sort_by(|one, other| one.0.cmp(&other.0));
    let expected = [
        ("", json!(200)),
        ("cranes", json!(404)),
        ("herons", json!(200)),
        ("herons/grey", json!(200)),
        ("private/nests", json!(null)),
    ];
    assert_eq!(results, expected.map(|(path, status)| (path.to_owned(), status)));

    let file = write(folder.path(), "records.jsonl", &records.join("\n"));
    let summary = lines(program!("records").arg(file));
    assert!(summary[0].starts_with("refused: http://127.0.0.1:"), "{summary:?}");
    assert!(summary[0].ends_with("/private/nests: line 2: Disallow: /private/"), "{summary:?}");
    assert_eq!(summary[1..4], ["fetched 200: 3", "fetched 404: 1", "robots_refused: 1"]);
}

#[test]
fn own_stack_sends_only_admitted_requests() {
    let [herons, nests, cranes] = &lines(&mut program!("own_stack"))[..] else { panic!("not three lines") };
    assert!(herons.contains("/herons: 200 OK, "), "{herons}");
    assert!(nests.contains("Disallow: /private/"), "{nests}");
    assert!(cranes.contains("/cranes: 404 Not Found, 0 bytes"), "{cranes}");
}

#[test]
fn custom_store_keeps_the_answer_of_the_site() {
    let [fetched, stored] = &lines(&mut program!("custom_store"))[..] else { panic!("not two lines") };
    let (url, status) = fetched.rsplit_once(": ").expect("a status");
    assert_eq!(status, "200 OK");
    assert_eq!(stored.strip_prefix("stored: "), url.strip_suffix('/'));
}

#[test]
fn signature_is_verified_with_the_keys_and_for_the_signed_path_only() {
    let lines = lines(&mut program!("signatures"));
    let outcome = |name: &str| lines.iter().find_map(|line| line.strip_prefix(name)).expect("an outcome");
    assert!(outcome("without the keys: ").starts_with("unverified"));
    assert!(outcome("with the keys: ").starts_with("verified as https://bot.example/"));
    assert!(outcome("for another path: ").starts_with("invalid"));
}

#[test]
fn audit_writes_a_verdict_for_each_row_of_a_parquet_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path in UTF-8").to_owned();
    fs::create_dir(path("robots")).expect("a writable folder");
    write(folder.path(), "robots/example.com.txt", ROBOTS);

    let urls =
        ["https://example.com/private/a", "https://example.com/b", "https://other.example/", "nonsense"];
    let urls: ArrayRef = Arc::new(StringArray::from(urls.to_vec()));
    let batch = RecordBatch::try_from_iter([("url", urls)]).expect("columns");
    let format = TableFormat::of_name("pages.parquet").expect("a format");
    let output = File::create(path("pages.parquet")).expect("a writable folder");
    let mut table = TableWriter::new("pages.parquet", output, format, batch.schema()).expect("a table");
    table.write(&batch).expect("a row");
    table.finish().expect("a whole file");

    let arguments = ["pages.parquet", "robots", "verdicts.parquet"].map(path);
    let counts = lines(program!("audit").args(arguments).arg("GPTBot"));
    assert_eq!(
        counts,
        ["allowed_implicit: 1", "disallowed_explicit: 1", "error: 1", "unknown_unreachable: 1"]
    );
    let verdicts = File::open(path("verdicts.parquet")).expect("the output");
    let pages =
        Pages::open(ArchiveInput::file("verdicts.parquet", verdicts), &PageOptions::new()).expect("a table");
    assert_eq!(pages.map(|batch| batch.expect("a batch").num_rows()).sum::<usize>(), 4);
}

/// A running program, which ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[tokio::test]
async fn service_answers_below_its_prefix_and_beside_it() {
    let mut service =
        Running(program!("service").stdout(Stdio::piped()).spawn().expect("the program starts"));
    let mut address = String::new();
    let stdout = service.0.stdout.take().expect("a pipe");
    BufReader::new(stdout).read_line(&mut address).expect("an address");
    let address = address.trim();

    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let own = client.get(address).send().await.expect("an answer").text().await.expect("text");
    assert_eq!(own, "This program decides URLs below /comity.\n");
    let question = json!({ "robots": ROBOTS, "agents": ["GPTBot"], "urls": ["/private/x"] });
    let answer = client
        .post(format!("{address}/comity/v1/check"))
        .header("Content-Type", "application/json")
        .body(question.to_string())
        .send()
        .await
        .expect("an answer");
    let status = answer.status();
    let text = answer.text().await.expect("text");
    assert_eq!(status, 200, "{text}");
    let answer: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(answer["rows"][0]["verdict"], "disallowed_explicit", "{text}");
}
