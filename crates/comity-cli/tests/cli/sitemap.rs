//! `comity sitemap`. The tests of the library cover parsing; these tests cover the output.

use crate::{comity, keys};
use insta::assert_snapshot;

#[test]
fn entries_are_printed_in_three_formats() {
    assert_snapshot!(comity("sitemap sitemap.xml").shown());
    assert_snapshot!(comity("sitemap --json sitemap.xml").shown());
    assert_snapshot!(comity("sitemap --format csv sitemap.xml").shown());
    assert_snapshot!(comity("sitemap --format csv sitemap-index.xml").shown());
}

#[test]
fn findings_are_counted_in_one_line_and_listed_by_check() {
    assert_snapshot!(comity("sitemap sitemap-slips.xml").shown());
    assert_snapshot!(comity("sitemap --check sitemap-slips.xml").shown());
    assert_snapshot!(comity("sitemap --check --format csv sitemap-slips.xml").shown());
    assert_snapshot!(comity("sitemap --check sitemap.xml").shown());
}

#[test]
fn check_in_json_ends_with_a_summary() {
    let outcome = comity("sitemap --check --json sitemap-slips.xml").run().exits(1);
    let lines = outcome.json_lines();
    let (last, findings) = lines.split_last().expect("lines");
    assert!(findings.iter().all(|line| line["kind"] == "finding" && line["file"] == "sitemap-slips.xml"));
    assert_eq!(findings[0]["code"], "sitemap-no-namespace");
    assert_eq!((&last["kind"], &last["format"]), (&"summary".into(), &"urlset".into()));
    assert_eq!((&last["entries"], &last["truncated"]), (&3.into(), &true.into()));
    let first = outcome.stdout.lines().next().expect("a line");
    let of_finding = [
        "code",
        "severity",
        "place",
        "message",
        "help",
        "related",
        "repeats",
        "droppable",
        "fix",
        "documentation",
    ];
    assert_eq!(keys(first), [&["kind", "file"], &of_finding[..]].concat());
}

#[test]
fn base_option_finds_urls_outside_the_folder() {
    let base = "https://example.com/shop/sitemap.xml";
    let run = |options: &str| comity(&format!("sitemap --base {base} {options} sitemap-slips.xml")).run();
    assert_eq!(run("").stdout.lines().count(), 4);
    let dropped = run("--scope drop");
    assert_eq!(dropped.stdout, "https://example.com/shop/a\nhttps://example.com/shop/a\n");
    let proven = run("--scope drop --proven-host example.com");
    assert!(proven.stdout.contains("https://example.com/b\n"), "{}", proven.stdout);
    assert!(run("--check").stdout.contains("outside-folder"));
}

#[test]
fn limit_options_end_reading() {
    let list = "https://example.com/\n".repeat(5);
    let outcome = comity("sitemap --max-entries 2 -").stdin(&list).run().exits(1);
    assert_eq!(outcome.stdout.lines().count(), 5);
    let outcome = comity("sitemap --max-entries 2 --stop -").stdin(&list).run().exits(1);
    assert_eq!(outcome.stdout.lines().count(), 2);
    let outcome = comity("sitemap --max-bytes 30 --stop -").stdin(&list).run().exits(1);
    assert_eq!(outcome.stdout.lines().count(), 1);
}

#[test]
fn hostile_sitemap_prints_no_control_characters() {
    let outcome = comity("sitemap --check -")
        .stdin("<!DOCTYPE x [<!ENTITY a \"\u{1b}[31m\">]><urlset/>")
        .run()
        .exits(1);
    assert!(outcome.stdout.contains("doctype") && !outcome.stdout.contains('\u{1b}'), "{}", outcome.stdout);
    let outcome = comity("sitemap -").stdin("https://example.com/\u{202e}\u{7}\n").run();
    assert!(!outcome.stdout.contains(['\u{202e}', '\u{7}']));
    comity("sitemap -").stdin("").run().exits(1);
}

#[test]
fn invalid_argument_is_an_error() {
    assert_snapshot!(comity("sitemap").shown());
    assert_snapshot!(comity("sitemap missing.xml").shown());
    assert_snapshot!(comity("sitemap --base /x sitemap.xml").shown());
}
