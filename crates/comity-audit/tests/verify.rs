//! Tables and their manifests.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;

use comity_audit::{
    AuditError, AuditRequest, CancellationToken, CheckOutcome, JobContext, Manifest, Verification,
    VerifyRequest, Whom, run, verify,
};

fn context(cancel: &CancellationToken) -> JobContext<'_> {
    JobContext::new(cancel, |_| {})
}

/// A folder with a table, its manifest, and the files that it was made of.
fn audited() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("robots.csv"), "key,fetched_at,status\nhttps://a.example,2024-01-01,404\n").unwrap();
    fs::write(path("pages.csv"), "url,seen_at\nhttps://a.example/x,2024-01-02\n").unwrap();
    let request = AuditRequest {
        inputs: vec![path("pages.csv")],
        robots: vec![path("robots.csv")],
        whom: Whom { agents: vec!["ExampleBot".to_owned()], ..Whom::default() },
        output: Some(path("out.csv")),
        ..AuditRequest::default()
    };
    run(&request, &mut context(&CancellationToken::new())).unwrap();
    folder
}

fn verified(folder: &Path, inputs: bool) -> Verification {
    let manifest = folder.join("out.csv.manifest.json");
    let request = VerifyRequest { manifest, table: None, inputs };
    verify(&request, &mut context(&CancellationToken::new())).unwrap()
}

/// Returns the items with an outcome.
fn items(found: &Verification, outcome: CheckOutcome) -> Vec<&str> {
    let items = found.checks.iter().filter(|check| check.outcome == outcome);
    items.map(|check| check.item.rsplit('/').next().unwrap_or_default()).collect()
}

/// A change of a folder.
type Change = fn(&Path);

fn edit(folder: &Path, change: impl FnOnce(&mut Manifest)) {
    let path = folder.join("out.csv.manifest.json");
    let mut manifest: Manifest = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(path, serde_json::to_vec(&manifest).unwrap()).unwrap();
}

#[test]
fn table_that_was_not_changed_is_verified_wherever_it_is() {
    let folder = audited();
    let found = verified(folder.path(), true);
    assert!(found.is_verified, "{found:?}");
    assert_eq!(
        items(&found, CheckOutcome::Matches),
        ["out.csv", "rows", "counts", "program", "catalogue", "pages.csv", "robots.csv"]
    );
    // The path in the manifest is not that of the table any more.
    let other = tempfile::tempdir().unwrap();
    for name in ["out.csv", "out.csv.manifest.json"] {
        fs::copy(folder.path().join(name), other.path().join(name)).unwrap();
    }
    drop(folder);
    assert!(verified(other.path(), false).is_verified);
    let found = verified(other.path(), true);
    assert_eq!(items(&found, CheckOutcome::Missing), ["pages.csv", "robots.csv"]);
    assert!(!found.is_verified);
}

#[test]
fn every_change_is_reported() {
    let changes: [(&str, Change, &[&str]); 5] = [
        (
            "a verdict",
            |folder| {
                let text = fs::read_to_string(folder.join("out.csv")).unwrap();
                fs::write(folder.join("out.csv"), text.replace("allowed_implicit", "disallowed_explicit"))
                    .unwrap();
            },
            &["out.csv"],
        ),
        (
            "a row",
            |folder| {
                let mut text = fs::read_to_string(folder.join("out.csv")).unwrap();
                text.push_str("https://b.example/,,,,,,,,,,\n");
                fs::write(folder.join("out.csv"), text).unwrap();
            },
            &["out.csv", "rows"],
        ),
        ("an input", |folder| fs::write(folder.join("pages.csv"), "url\n").unwrap(), &["pages.csv"]),
        ("the written rows", |folder| edit(folder, |manifest| manifest.summary.rows_written = 7), &["rows"]),
        (
            "the counts",
            |folder| {
                edit(folder, |manifest| manifest.summary.views[0].shares.allowed = u64::MAX - 1);
            },
            &["counts"],
        ),
    ];
    for (name, change, differing) in changes {
        let folder = audited();
        change(folder.path());
        let found = verified(folder.path(), true);
        assert!(!found.is_verified, "{name}");
        assert_eq!(items(&found, CheckOutcome::Differs), differing, "{name}: {found:?}");
    }
    let folder = audited();
    fs::remove_file(folder.path().join("out.csv")).unwrap();
    assert_eq!(items(&verified(folder.path(), false), CheckOutcome::Missing), ["out.csv"]);
    // Another version of the program in the manifest is only a note: the table is still verified.
    let folder = audited();
    edit(folder.path(), |manifest| manifest.program = "comity 0.0.1\u{1b}[2J".to_owned());
    let found = verified(folder.path(), false);
    assert!(found.is_verified && items(&found, CheckOutcome::Note) == ["program"], "{found:?}");
    assert!(!serde_json::to_string(&found).unwrap().contains("\\u001b"));
}

#[test]
fn files_elsewhere_that_a_manifest_names_are_not_read() {
    // `verify` reads the table in the folder of the manifest. It reads inputs only on request, and only plain files.
    let folder = audited();
    edit(folder.path(), |manifest| {
        manifest.output = Some("../../etc/passwd".to_owned());
        manifest.inputs[0].name = "/dev/zero".to_owned();
        manifest.robots[0].name = "../../../../../../dev/random".to_owned();
    });
    assert!(verified(folder.path(), false).is_verified);
    let found = verified(folder.path(), true);
    assert_eq!(items(&found, CheckOutcome::Missing), ["zero", "random"], "{found:?}");
}

#[test]
fn file_that_is_not_a_manifest_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [(&str, &[u8]); 4] = [
        ("a.csv.manifest.json", b"{}"),
        ("b.csv.manifest.json", b"\xff\xfe"),
        ("c.csv.manifest.json", b""),
        ("d.csv.manifest.json", &[b'['; 100_000]),
    ];
    for (name, bytes) in cases {
        fs::write(folder.path().join(name), bytes).unwrap();
        let request = VerifyRequest { manifest: folder.path().join(name), ..VerifyRequest::default() };
        let refused = verify(&request, &mut context(&CancellationToken::new()));
        assert!(matches!(refused, Err(AuditError::NoManifest(..))), "{name}: {refused:?}");
    }
    let request = VerifyRequest { manifest: folder.path().to_owned(), ..VerifyRequest::default() };
    let refused = verify(&request, &mut context(&CancellationToken::new()));
    assert!(refused.unwrap_err().to_string().contains("not a plain file"));
    let audited = audited();
    let manifest = audited.path().join("renamed.json");
    fs::rename(audited.path().join("out.csv.manifest.json"), &manifest).unwrap();
    let request = VerifyRequest { manifest, ..VerifyRequest::default() };
    let refused = verify(&request, &mut context(&CancellationToken::new()));
    assert!(matches!(refused, Err(AuditError::TableUnnamed(_))), "{refused:?}");
    let request = VerifyRequest { table: Some(audited.path().join("out.csv")), ..request };
    assert!(verify(&request, &mut context(&CancellationToken::new())).unwrap().is_verified);
}
