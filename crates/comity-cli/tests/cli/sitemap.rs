//! `comity sitemap`. What is read is the library's business and tested there; how it is shown and written, here.

use crate::{comity, keys};
use insta::assert_snapshot;

#[test]
fn entries_in_three_formats() {
    assert_snapshot!(comity("sitemap sitemap.xml").shown());
    assert_snapshot!(comity("sitemap --json sitemap.xml").shown());
    assert_snapshot!(comity("sitemap --format csv sitemap.xml").shown());
    assert_snapshot!(comity("sitemap --format csv sitemap-index.xml").shown());
}

#[test]
fn slips_are_said_in_a_line_and_checked_in_many() {
    assert_snapshot!(comity("sitemap sitemap-slips.xml").shown());
    assert_snapshot!(comity("sitemap --check sitemap-slips.xml").shown());
    assert_snapshot!(comity("sitemap --check --format csv sitemap-slips.xml").shown());
    assert_snapshot!(comity("sitemap --check sitemap.xml").shown());
}

#[test]
fn a_check_in_json_ends_with_a_summary() {
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
fn the_place_of_the_sitemap_counts() {
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
fn limits_are_options() {
    let list = "https://example.com/\n".repeat(5);
    let outcome = comity("sitemap --max-entries 2 -").stdin(&list).run().exits(1);
    assert_eq!(outcome.stdout.lines().count(), 5);
    let outcome = comity("sitemap --max-entries 2 --stop -").stdin(&list).run().exits(1);
    assert_eq!(outcome.stdout.lines().count(), 2);
    let outcome = comity("sitemap --max-bytes 30 --stop -").stdin(&list).run().exits(1);
    assert_eq!(outcome.stdout.lines().count(), 1);
}

#[test]
fn hostile_files_do_no_harm() {
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
fn trouble() {
    assert_snapshot!(comity("sitemap").shown());
    assert_snapshot!(comity("sitemap missing.xml").shown());
    assert_snapshot!(comity("sitemap --base /x sitemap.xml").shown());
    assert_snapshot!(comity("sitemap write --output x urls.txt").shown());
    assert_snapshot!(comity("sitemap write -").stdin("\n").shown());
}

#[test]
fn a_list_becomes_a_sitemap() {
    let list = "https://example.com/\n\nhttps://example.com/a?x=1&y=2\t2026-11-21\n";
    assert_snapshot!(comity("sitemap write").stdin(list).shown());
}

#[test]
fn what_is_not_valid_is_refused_and_the_rest_written() {
    let list = "/a\nhttps://example.com/caf\u{e9}\nhttps://example.com/\tyesterday\nhttps://example.com/b\n{\"loc\": 1}\n\
                {\"kind\":\"sitemap\",\"loc\":\"https://example.com/s.xml\"}\n";
    assert_snapshot!(comity("sitemap write").stdin(list).shown());
}

#[test]
fn json_goes_round() {
    let json = comity("sitemap --json sitemap.xml").run().exits(0).stdout;
    let written = comity("sitemap write").stdin(&json).run().exits(0).stdout;
    assert!(written.contains("<image:loc>https://example.com/i.png</image:loc>"), "{written}");
    let again = comity("sitemap --json -").stdin(written).run().exits(0).stdout;
    assert_eq!(again, json);
}

#[test]
fn a_folder_gets_one_sitemap_or_several_and_an_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("public");
    let write = |list: String| {
        let run =
            comity("sitemap write --base https://example.com/maps --output").arg(&out.display().to_string());
        run.stdin(list).run().exits(0).stdout
    };
    let names = || {
        let mut names: Vec<_> = std::fs::read_dir(&out)
            .expect("the folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    let said = write("https://example.com/\n".to_owned());
    assert!(said.ends_with("sitemap.xml  1 entry\n"), "{said}");
    assert_eq!(names(), ["sitemap.xml"]);
    let said = write((0..50_001).map(|page| format!("https://example.com/{page}\n")).collect());
    assert!(
        said.contains("sitemap-1.xml  50000 entries\n") && said.ends_with("sitemap.xml  2 sitemaps\n"),
        "{said}"
    );
    assert_eq!(names(), ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"]);
    let index = comity("sitemap --check").arg(&out.join("sitemap.xml").display().to_string()).run().exits(0);
    assert!(index.stdout.contains("sitemapindex, 2 entries"), "{}", index.stdout);
    let index = std::fs::read_to_string(out.join("sitemap.xml")).expect("the index");
    assert!(index.contains("<loc>https://example.com/maps/sitemap-2.xml</loc>"), "{index}");
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "").expect("a file");
    let run =
        comity("sitemap write --base https://example.com/ --output").arg(&blocked.display().to_string());
    let outcome = run.stdin("https://example.com/\n").run().exits(2);
    assert!(outcome.stderr.starts_with("error: cannot write `"), "{}", outcome.stderr);
}
