//! `comity page`.

use crate::comity;
use insta::assert_snapshot;

#[test]
fn header_and_page_are_combined() {
    let base = "page --headers header.txt --body page.html --agent Googlebot --now 2026-11-21 --profile";
    assert_snapshot!(comity(base).arg("google").shown());
    assert_snapshot!(comity(base).arg("Bing").shown());
}

#[test]
fn all_profiles_are_shown() {
    assert_snapshot!(comity("page --body page.html --agent ExampleBot --all-profiles").shown());
}

#[test]
fn json_contains_the_outcomes_of_text() {
    let run = comity("page --headers header.txt --agent Osprey --profile google --now 2026-11-21 --json");
    assert_snapshot!(run.shown());
}

#[test]
fn now_option_decides_unavailable_after() {
    let base = "page --headers header.txt --agent Googlebot --profile google --now";
    let before = comity(base).arg("2027-06-25T14:59:59Z").run().exits(1);
    assert!(before.stdout.contains("do_not_show_after"), "{}", before.stdout);
    let after = comity(base).arg("2027-06-26").run().exits(1);
    assert!(after.stdout.contains("do_not_index"), "{}", after.stdout);
    assert_snapshot!(comity(base).arg("tomorrow").shown());
}

#[test]
fn page_without_directives_is_success() {
    assert_snapshot!(comity("page --body - --agent x --all-profiles").stdin("<title>Reed</title>").shown());
    let other =
        comity("page --headers - --agent heron --profile google").stdin("X-Robots-Tag: osprey: noindex");
    other.run().exits(0);
}

#[test]
fn charset_of_the_header_is_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    std::fs::write(&page, b"<meta name=robots content=\"noindex, caf\xE9\">").expect("a file");
    let base = "page --headers header.txt --agent Googlebot --profile google --json --body";
    let sent = comity(base).arg(&page.display().to_string()).run().exits(1);
    assert!(sent.stdout.contains("caf\u{e9}"), "{}", sent.stdout);
    let given = comity(&format!("{base} {} --charset utf-8", page.display())).run().exits(1);
    assert!(given.stdout.contains("caf\u{fffd}"), "{}", given.stdout);
}

#[test]
fn declared_charset_is_used_without_one_in_the_header() {
    let page = b"<meta charset=iso-8859-1><meta name=robots content=\"noindex, caf\xE9\">";
    let run = comity("page --body - --agent Googlebot --profile google --json").stdin(page).run().exits(1);
    assert!(run.stdout.contains("caf\u{e9}"), "{}", run.stdout);
}

#[test]
fn invalid_input_is_an_error() {
    assert_snapshot!(comity("page --headers - --body - --agent x --profile google").shown());
    assert_snapshot!(comity("page --agent x --profile google").shown());
    assert_snapshot!(comity("page --body page.html --agent x --profile altavista").shown());
    assert_snapshot!(comity("page --body page.html --agent x").shown());
    assert_snapshot!(comity("page --body missing.html --agent x --profile google").shown());
    let outcome =
        comity("page --headers - --agent x --profile google").stdin("a".repeat(65 * 1024)).run().exits(2);
    assert!(outcome.stderr.contains("a header of 66560 bytes is too large"), "{}", outcome.stderr);
}

#[test]
fn long_lists_are_shortened_and_escaped() {
    let header = format!("X-Robots-Tag: noindex{}, \u{1b}[31mreed", ", noindex".repeat(9));
    assert_snapshot!(comity("page --headers - --agent x --profile google").stdin(header).shown());
}
