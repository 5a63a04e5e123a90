//! Runs the cases of `conformance/audit/`: whole audits of small files.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use comity_audit::{AuditRequest, CancellationToken, Event, JobContext, Manifest, run};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    why: String,
    #[serde(default, rename = "source")]
    _source: Option<String>,
    pages: BTreeMap<String, String>,
    robots: String,
    #[serde(default)]
    options: serde_json::Map<String, Value>,
    rows: Option<Vec<String>>,
    shares: Option<[u64; 4]>,
    moment: Option<String>,
    #[serde(default)]
    damaged: u64,
    missing_times: Option<u64>,
    unreadable_times: Option<u64>,
    stale: Option<u64>,
    written: Option<u64>,
    warning: Option<String>,
    error: Option<String>,
    #[serde(default)]
    fail_if: Vec<String>,
}

/// Returns the bytes of a file. The prefix `hex:` marks bytes, `utf16le:` and `utf16be:` mark texts in UTF-16, and
/// `REPEAT:3:x:` is `xxx`.
fn bytes(text: &str) -> Vec<u8> {
    let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    if let Some(text) = text.strip_prefix("utf16le:") {
        return utf16(text, u16::to_le_bytes);
    }
    if let Some(text) = text.strip_prefix("utf16be:") {
        return utf16(text, u16::to_be_bytes);
    }
    if let Some(digits) = text.strip_prefix("hex:") {
        let pairs = digits.as_bytes().chunks(2);
        return pairs
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect();
    }
    let mut text = text.to_owned();
    while let Some((before, rest)) = text.split_once("REPEAT:") {
        let mut parts = rest.splitn(3, ':');
        let count: usize = parts.next().unwrap().parse().unwrap();
        let repeated = parts.next().unwrap().repeat(count);
        text = format!("{before}{repeated}{}", parts.next().unwrap());
    }
    text.into_bytes()
}

fn audited(case: &Case, folder: &Path) -> (Result<Manifest, String>, Vec<String>, Vec<String>) {
    let mut options = case.options.clone();
    options.entry("agents").or_insert_with(|| vec!["ExampleBot"].into());
    let mut inputs = Vec::new();
    for (name, text) in &case.pages {
        fs::write(folder.join(name), bytes(text)).unwrap();
        inputs.push(folder.join(name));
    }
    fs::write(folder.join("robots.csv"), &case.robots).unwrap();
    let request: AuditRequest = serde_json::from_value(Value::Object(options)).unwrap();
    let request = AuditRequest {
        inputs,
        robots: vec![folder.join("robots.csv")],
        output: Some(folder.join("out.jsonl")),
        report: Some(folder.join("out.html")),
        fail_if: case.fail_if.iter().map(|condition| condition.parse().unwrap()).collect(),
        ..request
    };
    let (cancel, mut warnings) = (CancellationToken::new(), Vec::new());
    let mut context = JobContext::new(&cancel, |event| {
        if let Event::Warning(warning, _) = event {
            warnings.push(warning.to_owned());
        }
    });
    let outcome = run(&request, &mut context).map_err(|error| error.to_string());
    drop(context);
    let objections = outcome.iter().flat_map(|outcome| &outcome.objections);
    let objections = objections.map(|objection| objection.condition.to_string()).collect();
    (outcome.map(|outcome| outcome.manifest), warnings, objections)
}

/// Returns the verdict, the answer and its age of each written row.
fn rows(folder: &Path) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let row = |line: &str| -> String {
        let row: Value = serde_json::from_str(line).unwrap();
        ["verdict", "answer", "answer_age"].map(|name| text(&row[name])).join(" ")
    };
    fs::read_to_string(folder.join("out.jsonl")).unwrap().lines().map(row).collect()
}

fn check(case: &Case) {
    let folder = tempfile::tempdir().unwrap();
    let (manifest, warnings, objections) = audited(case, folder.path());
    let about = format!("{}: {}", case.id, case.why);
    let manifest = match (manifest, &case.error) {
        (Ok(manifest), None) => manifest,
        (Err(error), Some(part)) => {
            assert!(error.contains(part), "{about}: {error}");
            assert!(!folder.path().join("out.jsonl").exists(), "{about}");
            return;
        }
        (manifest, error) => panic!("{about}: {:?} instead of {error:?}", manifest.err()),
    };
    let view = &manifest.summary.views[0];
    if let Some(expected) = &case.rows {
        assert_eq!(&rows(folder.path()), expected, "{about}");
    }
    let shares = view.shares;
    let shares = [shares.allowed, shares.disallowed, shares.unknown, shares.undecidable];
    assert_eq!(Some(shares), case.shares, "{about}");
    assert_eq!(manifest.damaged(), case.damaged, "{about}: {:?}", manifest.inputs);
    let times = |count: fn(&comity_audit::ManifestTimes) -> u64| -> u64 {
        manifest.inputs.iter().filter_map(|input| input.times.as_ref()).map(count).sum()
    };
    assert_eq!(times(|times| times.missing), case.missing_times.unwrap_or_default(), "{about}");
    assert_eq!(times(|times| times.unreadable), case.unreadable_times.unwrap_or_default(), "{about}");
    let found = (case.moment.as_ref().map(|_| view.moment.as_str()), case.stale.map(|_| view.ages.stale));
    assert_eq!(found, (case.moment.as_deref(), case.stale), "{about}");
    let written = case.written.unwrap_or(manifest.summary.rows_written);
    assert_eq!(manifest.summary.rows_written, written, "{about}");
    if let Some(part) = &case.warning {
        assert!(warnings.iter().any(|warning| warning.contains(part)), "{about}: {warnings:?}");
    }
    assert_eq!(objections.len(), case.fail_if.len(), "{about}: {objections:?}");
    assert!(folder.path().join("out.html").is_file(), "{about}");
}

#[test]
fn every_case_is_decided_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/audit");
    let (mut ids, mut count) = (BTreeSet::new(), 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let cases: Cases = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        for case in &cases.case {
            assert!(ids.insert(case.id.clone()), "{} occurs twice", case.id);
            check(case);
            count += 1;
        }
    }
    assert!(count > 30, "only {count} cases");
}
