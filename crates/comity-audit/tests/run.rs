//! Jobs through their public interface: requests in, outcomes and files out.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, RecordBatch, StringArray};
use comity_audit::{
    AuditError, AuditOutcome, AuditRequest, CancellationToken, Event, IndexRequest, JobContext, Manifest,
    Stage, Whom, index, run,
};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

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

fn run_to_end(request: &AuditRequest) -> Result<AuditOutcome, AuditError> {
    run(request, &mut JobContext::new(&CancellationToken::new(), |_| {}))
}

#[test]
fn outcome_has_totals_objections_and_the_request_itself() {
    let folder = folder();
    let request = AuditRequest {
        fail_if: vec!["disallowed>0".parse().unwrap(), "unknown>50%".parse().unwrap()],
        ..request(folder.path())
    };
    let outcome = run_to_end(&request).unwrap();
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
    assert_eq!(ends, [Stage::Answers, Stage::Pages, Stage::Digests]);
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
fn index_of_sources_decides_an_audit() {
    let folder = folder();
    let output = folder.path().join("robots.parquet");
    let made = IndexRequest { sources: vec![folder.path().join("robots.csv")], output: output.clone() };
    let summary = index(&made, &mut JobContext::new(&CancellationToken::new(), |_| {})).unwrap();
    assert_eq!((summary.rows, summary.answers.sites), (2, 2));
    let request = AuditRequest { robots: vec![output], ..request(folder.path()) };
    assert_eq!(run_to_end(&request).unwrap().manifest.summary.views[0].shares.disallowed, 1);
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
        (
            AuditRequest { output: Some("out.docx".into()), ..usual.clone() },
            "no extension of a supported format",
        ),
        (AuditRequest { inputs: vec!["-".into()], ..usual.clone() }, "standard input"),
        (AuditRequest { columns: vec!["verdikt".to_owned()], ..usual.clone() }, "verdikt"),
        (AuditRequest { live: true, ..usual.clone() }, "no client for requests"),
    ];
    for (request, part) in cases {
        let error = run_to_end(&request).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
    assert_eq!(names(folder.path()), ["pages.csv", "robots.csv"]);
}

#[test]
fn stopped_job_resumes_at_the_next_row_group_of_a_large_file() {
    let folder = folder();
    let path = folder.path().join("pages.parquet");
    // Five row groups of 9 MiB that no compression makes smaller.
    let mut numbers = fastrand::Rng::with_seed(1);
    let columns = |group: u32, numbers: &mut fastrand::Rng| -> RecordBatch {
        let rows = 9;
        let urls = (0..rows).map(|row| format!("https://a.example/private/{group}/{row}"));
        let times = (0..rows).map(|_| "2024-02-01T00:00:00Z");
        let blobs = (0..rows).map(|_| (0..1 << 20).map(|_| numbers.u8(..)).collect::<Vec<u8>>());
        let columns: [(&str, ArrayRef); 3] = [
            ("url", Arc::new(StringArray::from_iter_values(urls))),
            ("seen_at", Arc::new(StringArray::from_iter_values(times))),
            ("blob", Arc::new(BinaryArray::from_iter_values(blobs))),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    };
    let first = columns(0, &mut numbers);
    let mut writer = ArrowWriter::try_new(fs::File::create(&path).unwrap(), first.schema(), None).unwrap();
    writer.write(&first).unwrap();
    for group in 1..5 {
        writer.flush().unwrap();
        writer.write(&columns(group, &mut numbers)).unwrap();
    }
    writer.close().unwrap();
    let request = AuditRequest {
        inputs: vec![path],
        output: Some(folder.path().join("out.parquet")),
        resume: true,
        ..request(folder.path())
    };
    let cancel = CancellationToken::new();
    let mut is_second = false;
    let mut context = JobContext::new(&cancel, |event| match event {
        // The first part ends, and the second begins.
        Event::Progress(now) if now.stage == Stage::Pages && Some(now.done) == now.total => is_second = true,
        Event::Progress(now) if now.stage == Stage::Pages && is_second => cancel.cancel(),
        _ => {}
    });
    assert!(matches!(run(&request, &mut context), Err(AuditError::Cancelled)));
    drop(context);
    let parts = folder.path().join("out.parquet.parts");
    assert!(parts.join("000000.json").is_file() && !parts.join("000002.json").exists());
    // The first run started years ago.
    let job = parts.join("job.json");
    let mut known: serde_json::Value = serde_json::from_slice(&fs::read(&job).unwrap()).unwrap();
    known["started"] = "2024-03-01T00:00:00Z".into();
    fs::write(&job, known.to_string()).unwrap();
    let mut notes = Vec::new();
    let cancel = CancellationToken::new();
    let mut context = JobContext::new(&cancel, |event| {
        if let Event::Note(note) = event {
            notes.push(note.to_owned());
        }
    });
    let resumed = run(&request, &mut context).unwrap().manifest;
    drop(context);
    assert_eq!(notes, ["1 part finished by an earlier run"]);
    assert_eq!(resumed.started, "2024-03-01T00:00:00Z", "all parts are decided as of the first start");
    let whole = AuditRequest { output: Some(folder.path().join("whole.parquet")), resume: false, ..request };
    let whole = run_to_end(&whole).unwrap().manifest;
    assert_eq!((resumed.inputs.len(), resumed.inputs[0].rows), (1, 45));
    assert_eq!(serde_json::to_value(&resumed.inputs).unwrap(), serde_json::to_value(&whole.inputs).unwrap());
    assert_eq!(
        serde_json::to_value(&resumed.summary).unwrap(),
        serde_json::to_value(&whole.summary).unwrap()
    );
    let rows = |name: &str| -> Vec<RecordBatch> {
        let file = fs::File::open(folder.path().join(name)).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
        reader.map(Result::unwrap).collect()
    };
    let joined =
        |rows: Vec<RecordBatch>| arrow_select::concat::concat_batches(&rows[0].schema(), &rows).unwrap();
    assert_eq!(joined(rows("out.parquet")), joined(rows("whole.parquet")));
}
