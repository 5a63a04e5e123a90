//! `comity lint`. The tests of the library cover the findings; these tests cover the output and the exit status.

use crate::comity;
use insta::assert_snapshot;

#[test]
fn findings_show_the_source_line() {
    assert_snapshot!(comity("lint slips.txt").shown());
}

#[test]
fn clean_file_has_no_findings() {
    assert_snapshot!(comity("lint clean.txt -").stdin("User-agent: *\nDisallow: /x/\n").shown());
}

#[test]
fn rsl_document_is_recognised_by_its_content() {
    let license = "<rsl xmlns=\"https://rslstandard.org/rsl\">\n<content url=\"/\">\n<license>\n\
                   <permits type=\"usage\">all</permits>\n<prohibits type=\"usage\">all</prohibits>\n\
                   <payment type=\"crawl\"><amount currency=\"XBT\">1</amount></payment>\n</license>\n</content>\n</rsl>\n";
    assert_snapshot!(comity("lint -").stdin(license).shown());
    comity("lint --deny usage-rsl-contradiction -").stdin(license).run().exits(1);
    comity("lint --allow usage-rsl-contradiction --deny usage-rsl-contradiction -")
        .stdin(license)
        .run()
        .exits(0);
    comity("lint -").stdin("<rsl xmlns=\"https://rslstandard.org/rsl\"><content>").run().exits(1);
    // A page that contains a license is not linted as a license document.
    let page = "<!doctype html><script type=\"application/rsl+xml\"><rsl xmlns=\"https://rslstandard.org/rsl\"/></script>";
    let found = comity("lint --json -").stdin(page).run().stdout;
    assert!(!found.contains("usage-"), "{found}");
}

#[test]
fn place_of_an_rsl_finding_is_its_line() {
    let license = "<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license>\n\n\
                   \t<permits type=\"usage\">all printing</permits>\n</license></content></rsl>\n";
    let log = comity("lint --format sarif -").stdin(license).run().exits(1).json();
    let region = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    let start = license.find("<permits").expect("the element");
    let length = license[start..].find('\n').expect("a line end");
    let expected =
        serde_json::json!({ "startLine": 3, "startColumn": 2, "byteOffset": start, "byteLength": length });
    assert_eq!(*region, expected);
    let shown = comity("lint -").stdin(license).run().stdout;
    assert!(
        shown.contains("3 |") && shown.contains("<permits type=\"usage\">all printing</permits>"),
        "{shown}"
    );
}

#[test]
fn closed_site_is_expected_in_the_staging_environment() {
    let closed = "User-agent: *\nDisallow: /\n";
    comity("lint -").stdin(closed).run().exits(1);
    comity("lint --environment production -").stdin(closed).run().exits(1);
    comity("lint --environment staging -").stdin(closed).run().exits(0);
    comity("lint --environment staging -").stdin("User-agent: *\nDisallow: x\n").run().exits(1);
    comity("lint --environment test -").stdin(closed).run().exits(2);
}

#[test]
fn summary_counts_the_findings_that_fixes_resolve() {
    let shown = |body: &str| comity("lint -").stdin(body).run().stdout;
    let safe = "User-agent: *\nDisallow: /a/\nDisallow: /a/\n";
    assert!(shown(safe).contains("--fix resolves 1 of them\n"), "{}", shown(safe));
    let changing = "User-agent: *\nDisallow: a/\n";
    let words = "--fix --unsafe-fixes resolves 1 of them, and changes decisions";
    assert!(shown(changing).contains(words), "{}", shown(changing));
    let both = "User-agent: *\nDisallow: /a/\nDisallow: /a/\nDisallow: b/\n";
    let words = "--fix resolves 1 of them; --unsafe-fixes resolves 1 more, and changes decisions";
    assert!(shown(both).contains(words), "{}", shown(both));
    let none = "User-agent: *\nDisallow: /50%zz/\n";
    assert!(!shown(none).contains("--fix"), "{}", shown(none));
}

#[test]
fn deny_option_selects_failing_findings() {
    comity("lint slips.txt").run().exits(0);
    comity("lint --deny warnings slips.txt").run().exits(1);
    comity("lint --deny missing-colon slips.txt").run().exits(1);
    comity("lint --deny warnings --allow missing-colon,misspelt-directive slips.txt").run().exits(0);
    comity("lint --deny warnings note.txt").run().exits(0);
    comity("lint --deny notes note.txt").run().exits(1);
    comity("lint -").stdin("<html><body>not found</body></html>").run().exits(1);
}

/// A file with notes, and with more mistakes of one kind than the output shows.
const MANY: &str = "User-agent: *\nDisallow: a\nDisallow: b\nDisallow: c\nDisallow: d\nDisallow: e\nDisallow: f\n\
    Disallow: /x*\nDisallow: /y*\nDisallow: /a//\nDisallow: /a//\n";

#[test]
fn notes_and_repeated_findings_are_only_counted() {
    assert_snapshot!(comity("lint -").stdin(MANY).shown());
    assert_snapshot!(comity("lint --notes -").stdin(MANY).shown());
    assert_snapshot!(comity("lint --format github -").stdin(MANY).shown());
    let shown = |args: &str| comity(args).stdin(MANY).run().stdout.matches("[pattern-start]").count();
    assert_eq!((shown("lint -"), shown("lint --all -")), (4, 6));
    let notes = |args: &str| comity(args).stdin(MANY).run().stdout.matches("[wildcard-noop]").count();
    assert_eq!((notes("lint -"), notes("lint --all -"), notes("lint --notes -")), (0, 2, 2));
    assert_eq!((notes("lint --deny wildcard-noop -"), notes("lint --deny notes -")), (2, 2));
    let many = ["User-agent: *\n", &"Disallow: x\n".repeat(500)].concat();
    let folded = comity("lint -").stdin(&many).run().stdout;
    assert!(folded.contains("497 more of these, from line 5 on (--all shows them)"), "{folded}");
    assert!(folded.contains("500 errors"), "{folded}");
}

#[test]
fn json_contains_all_findings() {
    let findings = comity("lint --json -").stdin(MANY).run().json_lines();
    assert_eq!(findings.len(), 9);
    let droppable: Vec<_> = findings.iter().filter(|f| f["droppable"] == true).map(|f| &f["code"]).collect();
    assert_eq!(droppable, ["duplicate-rule"]);
    let log = comity("lint --format sarif -").stdin(MANY).run().json();
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(9));
}

#[test]
fn invalid_argument_is_an_error() {
    assert_snapshot!(comity("lint").shown());
    assert_snapshot!(comity("lint missing.txt clean.txt").shown());
    assert_snapshot!(comity("lint --allow missing-kolon clean.txt").shown());
    assert_snapshot!(comity("lint --deny everything clean.txt").shown());
}

#[test]
fn unsafe_bytes_are_replaced_in_every_format() {
    for args in
        ["lint odd.txt", "lint --json odd.txt", "lint --format github odd.txt", "lint --format sarif odd.txt"]
    {
        let outcome = comity(args).run();
        let is_odd = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}' || c == '\u{feff}';
        let odd: Vec<char> = outcome.stdout.chars().filter(|c| is_odd(*c)).collect();
        assert!(odd.is_empty(), "{args}: {odd:?}");
    }
}

#[test]
fn hostile_files_have_short_output() {
    let files: [&[u8]; 6] = [b"", b"\r", b"\0\0\0", b"\xff\xfe\xfd", b"a: \n\r\n\rb", b"\xe2\x80"];
    for file in files {
        let outcome = comity("lint -").stdin(file).run();
        assert!(matches!(outcome.code, Some(0 | 1)), "{file:?}: {}", outcome.stderr);
    }
    let long = [b"User-agent: *\nDisallow: /".to_vec(), vec![b'*'; 400_000]].concat();
    let outcome = comity("lint -").stdin(&long).run();
    assert!(outcome.stdout.lines().all(|line| line.len() < 500));
}

#[test]
fn findings_are_printed_as_json_and_github_annotations() {
    let outcome = comity("lint --json slips.txt").run().exits(0);
    let findings = outcome.json_lines();
    assert_eq!(findings.len(), 2);
    assert_eq!(findings[0]["file"], "slips.txt");
    assert_eq!(findings[0]["code"], "missing-colon");
    assert_eq!(findings[0]["place"]["line"], 2);
    assert_eq!(findings[0]["documentation"], "docs/reference/lints/lines.md#missing-colon");
    assert_snapshot!(comity("lint --format github slips.txt").shown());
}

#[test]
fn findings_are_printed_as_sarif() {
    let log = comity("lint --format sarif slips.txt clean.txt").run().exits(0).json();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "missing-colon");
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "missing-colon");
    assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "slips.txt");
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
}

#[test]
fn list_shows_all_lints() {
    let list = comity("lint --list").run().exits(0).stdout;
    assert!(list.lines().any(|line| line.starts_with("missing-colon") && line.contains("warning")), "{list}");
    let json = comity("lint --list --json").run().exits(0).json_lines();
    assert!(json.len() > 30);
    assert_snapshot!(comity("lint --explain missing-colon").shown());
}

/// One command explains the findings of all commands, and suggests a code for a misspelt one.
#[test]
fn every_code_has_an_explanation() {
    assert_snapshot!(comity("lint --explain sitemap-bad-priority").shown());
    assert_snapshot!(comity("lint --explain bad-prioritiy").shown());
    for kind in comity::finding::Kind::all() {
        let text = comity(&format!("lint --explain {kind}")).run().exits(0).stdout;
        assert!(text.contains(&kind.page()), "{kind}: {text}");
    }
}

#[test]
fn statistics_count_findings_without_showing_them() {
    assert_snapshot!(comity("lint --statistics kinds.txt slips.txt clean.txt").shown());
    let rows = comity("lint --statistics --json kinds.txt slips.txt kinds.txt").run().exits(1).json_lines();
    let row = rows.iter().find(|row| row["code"] == "placeholder-sitemap").expect("a row");
    assert_eq!((&row["findings"], &row["files"]), (&4.into(), &2.into()));
}

#[test]
#[cfg(unix)]
fn fix_removes_the_temporary_file_that_a_killed_run_left() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("r.txt"), "User-agent *\nDisallow: /\n").expect("a file");
    let left = folder.path().join(".r.txt.comity-aB3dE6.part");
    std::fs::write(&left, "").expect("a file");
    comity("lint --fix r.txt").dir(folder.path()).run();
    let fixed = std::fs::read_to_string(folder.path().join("r.txt")).expect("a file");
    assert!(fixed.starts_with("User-agent: *"), "{fixed}");
    assert!(!left.exists(), "the temporary file remains");
}

/// A run over many files must fail if one of the files cannot be found.
#[test]
#[cfg(unix)]
fn dangling_link_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let sites = folder.path().join("sites");
    std::fs::create_dir(&sites).expect("a folder");
    std::fs::write(sites.join("a-robots.txt"), "User-agent: *\nDisallow: /x\n").expect("a file");
    std::os::unix::fs::symlink("nowhere", sites.join("b-robots.txt")).expect("a link");
    std::fs::write(folder.path().join("list"), "sites/a-robots.txt\nsites/b-robots.txt\n").expect("a file");
    for args in ["sites", "sites/*.txt", "--files-from list", "sites/a-robots.txt sites/b-robots.txt"] {
        let run = comity("lint").args(args).dir(folder.path()).run();
        assert_eq!(run.code, Some(2), "{args}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("b-robots.txt"), "{args}: {}", run.stderr);
    }
    // A link to a file is linted like a file.
    std::fs::remove_file(sites.join("b-robots.txt")).expect("no link");
    std::fs::write(folder.path().join("elsewhere"), "User-agent *\n").expect("a file");
    std::os::unix::fs::symlink("../elsewhere", sites.join("b-robots.txt")).expect("a link");
    let run = comity("lint sites").dir(folder.path()).run();
    assert!(run.stdout.contains("b-robots.txt"), "{}{}", run.stdout, run.stderr);
}
