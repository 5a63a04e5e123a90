//! Jobs through their public interface: requests in, outcomes and files out.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;

use comity_audit::{
    AuditError, AuditOutcome, AuditRequest, CancellationToken, Event, IndexRequest, JobContext, Manifest,
    Stage, Whom, index, run,
};

const ROBOTS: &str = "key,fetched_at,status,body\n\
    https://a.example,2024-01-01,200,\"User-agent: *\nDisallow: /private\n\"\n\
    https://b.example,2024-01-01,404,\n";

const PAGES: &str = "id,url,timestamp\n\
    1,https://a.example/,20240201000000\n\
    2,https://a.example/private/x,20240201000000\n\
    3,https://c.example/,20240201000000\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("robots.csv"), ROBOTS).unwrap();
    fs::write(folder.path().join("pages.csv"), PAGES).unwrap();
    folder
}

fn request(folder: &Path) -> AuditRequest {
    AuditRequest {
        inputs: vec![folder.join("pages.csv")],
        robots: vec![folder.join("robots.csv")],
        whom: Whom { agents: vec!["ExampleBot".to_owned()], ..Whom::default() },
        output: Some(folder.join("out.csv")),
        ..AuditRequest::default()
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn done(request: &AuditRequest) -> Result<AuditOutcome, AuditError> {
    run(request, &mut JobContext::new(&CancellationToken::new(), |_| {}))
}

#[test]
fn outcome_has_totals_objections_and_the_request_itself() {
    let folder = folder();
    let request = AuditRequest {
        fail_if: vec!["disallowed>0".parse().unwrap(), "unknown>50%".parse().unwrap()],
        ..request(folder.path())
    };
    let outcome = done(&request).unwrap();
    let shares = outcome.manifest.summary.views[0].shares;
    assert_eq!((shares.allowed, shares.disallowed, shares.unknown), (1, 1, 1));
    let of: Vec<_> = outcome
        .objections
        .iter()
        .map(|objection| (objection.condition.to_string(), &*objection.of))
        .collect();
    assert_eq!(of, [("disallowed>0".to_owned(), "ExampleBot, as of when each page was seen")]);
    let manifest = fs::read(folder.path().join("out.csv.manifest.json")).unwrap();
    let manifest: Manifest = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest.request, outcome.manifest.request);
    assert_eq!(serde_json::to_value(&manifest.request).unwrap()["agents"], serde_json::json!(["ExampleBot"]));
}

#[test]
fn stages_are_reported_to_their_end() {
    let folder = folder();
    let request = request(folder.path());
    let mut ends = Vec::new();
    let cancel = CancellationToken::new();
    let mut context = JobContext::new(&cancel, |event| {
        if let Event::Progress(progress) = event
            && Some(progress.done) == progress.total
            && ends.last() != Some(&progress.stage)
        {
            ends.push(progress.stage);
        }
    });
    run(&request, &mut context).unwrap();
    drop(context);
    assert_eq!(ends, [Stage::Answers, Stage::Pages]);
}

#[test]
fn cancelled_job_leaves_no_file() {
    let folder = folder();
    // With so little memory, pages wait in files until all answers are known.
    let spilled = AuditRequest { memory: Some(1), ..request(folder.path()) };
    let usual = request(folder.path());
    for (request, stage) in [(&usual, Stage::Answers), (&usual, Stage::Pages), (&spilled, Stage::Deciding)] {
        let cancel = CancellationToken::new();
        let mut context = JobContext::new(&cancel, |event| {
            if matches!(event, Event::Progress(progress) if progress.stage == stage) {
                cancel.cancel();
            }
        });
        let error = run(request, &mut context).unwrap_err();
        assert!(matches!(error, AuditError::Cancelled), "{stage:?}: {error}");
        drop(context);
        assert_eq!(names(folder.path()), ["pages.csv", "robots.csv"], "{stage:?}");
    }
}

#[test]
fn index_is_made_of_sources_and_can_be_audited_by() {
    let folder = folder();
    let output = folder.path().join("robots.parquet");
    let made = IndexRequest { sources: vec![folder.path().join("robots.csv")], output: output.clone() };
    let summary = index(&made, &mut JobContext::new(&CancellationToken::new(), |_| {})).unwrap();
    assert_eq!((summary.rows, summary.answers.sites), (2, 2));
    let request = AuditRequest { robots: vec![output], ..request(folder.path()) };
    assert_eq!(done(&request).unwrap().manifest.summary.views[0].shares.disallowed, 1);
}

#[test]
fn request_that_contradicts_itself_is_refused_before_anything_is_written() {
    let folder = folder();
    let usual = request(folder.path());
    let pages = folder.path().join("pages.csv");
    let out = folder.path().join("out.csv");
    let cases: [(AuditRequest, &str); 6] = [
        (AuditRequest { output: Some(pages), ..usual.clone() }, "is an input"),
        (AuditRequest { report: Some(out), ..usual.clone() }, "name one file"),
        (AuditRequest { output: Some("out.docx".into()), ..usual.clone() }, "in which format"),
        (AuditRequest { inputs: vec!["-".into()], ..usual.clone() }, "standard input"),
        (AuditRequest { columns: vec!["verdikt".to_owned()], ..usual.clone() }, "verdikt"),
        (AuditRequest { live: true, ..usual.clone() }, "asks no sites"),
    ];
    for (request, part) in cases {
        let error = done(&request).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
    assert_eq!(names(folder.path()), ["pages.csv", "robots.csv"]);
}
