//! Documentation that tests print from the code.
//!
//! A table is between the markers `<!-- NAME -->` and `<!-- end of NAME -->`, with an empty line before and after it. A
//! test compares the table on the page with the printed table. If the environment variable `UPDATE_DOCS` is set, the
//! test writes the page instead.

#![expect(clippy::panic, reason = "a test that cannot continue states the reason")]

use std::fs;
use std::path::Path;

/// Returns a table in Markdown.
pub fn table<const N: usize>(header: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&header.map(str::to_owned));
    text += &format!("|{}\n", "---|".repeat(N));
    for row in rows {
        text += &line(&row.map(|cell| cell.replace('|', "\\|")));
    }
    text
}

/// Asserts that tables of a page are up to date. The path of the page is relative to the root of the repository.
/// `tables` contains the name in the markers of each table, and its expected text.
///
/// # Panics
///
/// If the page or a marker is missing, or a table is out of date.
#[track_caller]
pub fn assert_printed(page: &str, tables: &[(&str, String)]) {
    let tables =
        tables.iter().map(|(name, table)| (*name, format!("\n{}\n", table.trim_start_matches('\n'))));
    assert_between_markers(page, tables);
}

/// Asserts that parts of a source file are up to date, as [`assert_printed`] does for a page. The markers are in
/// comments, without empty lines next to them.
///
/// # Panics
///
/// If the file or a marker is missing, or a part is out of date.
#[track_caller]
pub fn assert_code_printed(source: &str, parts: &[(&str, String)]) {
    assert_between_markers(source, parts.iter().cloned());
}

#[track_caller]
fn assert_between_markers<'p>(page: &str, parts: impl Iterator<Item = (&'p str, String)>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let found = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{page}: {error}"));
    let mut expected = found.clone();
    for (name, text) in parts {
        let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
        let begin = expected.find(&start).unwrap_or_else(|| panic!("{page}: no `{start}`")) + start.len();
        let length = expected[begin..].find(&end).unwrap_or_else(|| panic!("{page}: no `{end}`"));
        // The end marker may follow other text on its line, such as `//`, so its whole line stays.
        let stop = expected[..begin + length].rfind('\n').map_or(begin, |line| line + 1).max(begin);
        expected.replace_range(begin..stop, &text);
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &expected).unwrap_or_else(|error| panic!("{page}: {error}"));
        return;
    }
    let differs = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(
        found == expected,
        "{page} is out of date ({differs:?}); this test with UPDATE_DOCS=1 in the environment updates it"
    );
}

/// Asserts that all pages of a folder, except its `README.md`, are up to date. The path of the folder is relative to
/// the root of the repository. `pages` contains the name of each page without `.md`, and its expected text.
///
/// # Panics
///
/// If a page is missing or out of date, or the folder has a page that the code does not print.
#[track_caller]
pub fn assert_pages(folder: &str, pages: &[(String, String)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = fs::read_dir(&path).unwrap_or_else(|error| panic!("{folder}: {error}"));
    for entry in entries {
        let file = entry.unwrap_or_else(|error| panic!("{folder}: {error}")).path();
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if name == "README" || pages.iter().any(|(page, _)| *page == name) {
            continue;
        }
        assert!(std::env::var_os("UPDATE_DOCS").is_some(), "{folder}/{name}.md is stale: no code prints it");
        fs::remove_file(&file).unwrap_or_else(|error| panic!("{folder}/{name}.md: {error}"));
    }
    for (name, text) in pages {
        assert_file(&format!("{folder}/{name}.md"), text);
    }
}

/// Asserts that a whole file is up to date. Its path is relative to the root of the repository.
///
/// # Panics
///
/// If the file cannot be read, or is out of date.
#[track_caller]
pub fn assert_file(name: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, expected).unwrap_or_else(|error| panic!("{name}: {error}"));
        return;
    }
    let found = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(
        found == expected,
        "{name} is out of date; this test with UPDATE_DOCS=1 in the environment updates it"
    );
}
