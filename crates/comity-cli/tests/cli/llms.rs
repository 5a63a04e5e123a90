//! `comity llms`.

use crate::comity;
use insta::assert_snapshot;

const HOME: &str = "https://example.com/llms.txt";

#[test]
fn outline_and_findings_are_shown() {
    assert_snapshot!(comity("llms llms.txt --url").arg(HOME).shown());
    assert_snapshot!(comity("llms llms-good.txt").shown());
}

#[test]
fn json_contains_the_same_facts() {
    assert_snapshot!(comity("llms --json --strict llms.txt --url").arg(HOME).shown());
}

#[test]
fn check_fails_below_grade_4() {
    comity("llms --check llms-good.txt").run().exits(0);
    comity("llms --check llms.txt").run().exits(0);
    comity("llms --check -").stdin("# Reed\n").run().exits(1);
    comity("llms -").stdin("# Reed\n").run().exits(0);
    let outcome = comity("llms --check -").stdin("<!doctype html>").run().exits(1);
    assert!(outcome.stdout.contains("error[llms-html-body]"), "{}", outcome.stdout);
}

#[test]
fn strict_names_the_first_invalid_line() {
    let outcome = comity("llms --strict llms-good.txt").run().exits(0);
    assert!(outcome.stdout.ends_with("strict: every line follows the grammar\n"), "{}", outcome.stdout);
    let outcome = comity("llms --strict llms.txt").run().exits(1);
    assert!(
        outcome.stdout.contains("strict: line 11: error: the text after a link does not start with"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn resolve_option_lists_candidates_for_a_page() {
    let resolve = |strategy: &str| {
        comity("llms llms-good.txt --url https://example.com/llms.txt --strategy")
            .arg(strategy)
            .arg("--resolve")
            .arg("https://example.com/guide?x=1")
            .arg("--resolve")
            .arg("https://example.com/guide")
            .arg("--resolve")
            .arg("https://example.org/history.md")
    };
    assert_snapshot!(resolve("prefer").shown());
    let outcome = resolve("force").arg("--json").run().exits(0).json();
    assert_eq!(outcome["resolved"][2]["candidates"][0]["is_external"], true);
    assert_eq!(outcome["resolved"][0]["candidates"][0]["url"], "https://example.com/guide.md?x=1");
    assert_eq!(resolve("disabled").run().exits(0).stdout.matches("original_html").count(), 3);
}

#[test]
fn invalid_argument_is_an_error() {
    assert_snapshot!(comity("llms missing.txt").shown());
    assert_snapshot!(comity("llms llms.txt --url example.com").shown());
    assert_snapshot!(comity("llms llms.txt --url ftp://example.com/").shown());
    assert_snapshot!(comity("llms llms.txt --resolve https://example.com/ --strategy never").shown());
}
