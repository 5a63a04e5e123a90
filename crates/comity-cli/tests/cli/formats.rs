//! Files that earlier versions wrote are still read (docs/reference/stability.md). If a version changes a format, its
//! files are added in a new folder, and the old folders stay.

use std::fs;
use std::path::Path;

use super::{FIXTURES, Run, comity};

/// Copies the files, because commands may write into their folder.
fn stored() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    copy(&Path::new(FIXTURES).join("formats/0.1"), folder.path());
    folder
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&target).expect("a new folder");
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

fn in_folder(folder: &tempfile::TempDir, args: &str) -> Run {
    comity(args).dir(folder.path())
}

#[test]
#[cfg(feature = "live")]
fn store_of_version_0_1_is_read() {
    let folder = stored();
    let rows = in_folder(&folder, "cache list --json --store store.db").run().exits(0).json_lines();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!((&rows[0]["origin"], &rows[0]["status"]), (&"http://127.0.0.1:8123".into(), &200.into()));
    let text = in_folder(&folder, "cache show http://127.0.0.1:8123 --body --store store.db").run().exits(0);
    assert_eq!(text.stdout, "User-agent: *\nDisallow: /private/\nCrawl-delay: 2\n");
}

#[test]
#[cfg(feature = "jobs")]
fn index_of_version_0_1_decides_pages() {
    let folder = stored();
    in_folder(&folder, "audit run pages.csv --robots robots.parquet --agent GPTBot --output new.csv")
        .run()
        .exits(0);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a table");
    assert_eq!(read("new.csv"), read("verdicts.csv"));
}

#[test]
#[cfg(feature = "jobs")]
fn manifest_of_version_0_1_is_verified() {
    let folder = stored();
    // The exit code is not checked, because the catalogue may differ from that of version 0.1.
    let outcome = in_folder(&folder, "audit verify verdicts.csv.manifest.json --inputs").run();
    for line in ["matches  verdicts.csv: ", "matches  rows: 2 ", "matches  counts: ", "matches  pages.csv: "]
    {
        assert!(outcome.stdout.contains(line), "{line} in {}{}", outcome.stdout, outcome.stderr);
    }
}

#[test]
#[cfg(feature = "jobs")]
fn watched_versions_of_version_0_1_decide_pages() {
    let folder = stored();
    let page = "url,time\nhttp://127.0.0.1:8123/private/a,2026-12-01T00:00:00Z\n";
    fs::write(folder.path().join("page.csv"), page).expect("a table");
    in_folder(&folder, "audit run page.csv --robots watch --agent ExampleBot --output decided.csv")
        .run()
        .exits(0);
    let table = fs::read_to_string(folder.path().join("decided.csv")).expect("a table");
    assert!(table.contains("disallowed_explicit"), "{table}");
}
