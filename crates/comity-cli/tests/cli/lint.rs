//! `comity lint`. What is found is the library's business and tested there; how it is shown and what fails, here.

use crate::comity;
use insta::assert_snapshot;

#[test]
fn findings_show_the_source_line() {
    assert_snapshot!(comity("lint slips.txt").shown());
}

#[test]
fn clean_files_say_so() {
    assert_snapshot!(comity("lint clean.txt -").stdin("User-agent: *\nDisallow: /x/\n").shown());
}

#[test]
fn what_fails_is_chosen() {
    comity("lint slips.txt").run().exits(0);
    comity("lint --deny warnings slips.txt").run().exits(1);
    comity("lint --deny missing-colon slips.txt").run().exits(1);
    comity("lint --deny warnings --allow missing-colon,misspelt-directive slips.txt").run().exits(0);
    comity("lint --deny warnings note.txt").run().exits(0);
    comity("lint --deny notes note.txt").run().exits(1);
    comity("lint -").stdin("<html><body>not found</body></html>").run().exits(1);
}

#[test]
fn trouble() {
    assert_snapshot!(comity("lint").shown());
    assert_snapshot!(comity("lint missing.txt clean.txt").shown());
    assert_snapshot!(comity("lint --allow missing-kolon clean.txt").shown());
    assert_snapshot!(comity("lint --deny everything clean.txt").shown());
}

#[test]
fn odd_bytes_are_shown_harmlessly() {
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
fn hostile_files_do_no_harm() {
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
fn json_and_github() {
    let outcome = comity("lint --json slips.txt").run().exits(0);
    let findings = outcome.json_lines();
    assert_eq!(findings.len(), 2);
    assert_eq!(findings[0]["file"], "slips.txt");
    assert_eq!(findings[0]["code"], "missing-colon");
    assert_eq!(findings[0]["line"], 2);
    assert_eq!(findings[0]["page"], "docs/lints.md#missing-colon");
    assert_snapshot!(comity("lint --format github slips.txt").shown());
}

#[test]
fn sarif() {
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
fn the_catalogue() {
    let list = comity("lint --list").run().exits(0).stdout;
    assert!(list.lines().any(|line| line.starts_with("missing-colon") && line.contains("warning")), "{list}");
    let json = comity("lint --list --json").run().exits(0).json();
    assert!(json.as_array().is_some_and(|lints| lints.len() > 30));
    assert_snapshot!(comity("lint --explain missing-colon").shown());
}
