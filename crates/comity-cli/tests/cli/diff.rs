//! `comity diff`.

use crate::{comity, without_decisions};
use insta::assert_snapshot;

#[test]
fn changed_layout_has_no_effect() {
    assert_snapshot!(comity("diff old.txt old-shuffled.txt").shown());
}

#[test]
fn changes_of_all_kinds_are_listed() {
    assert_snapshot!(comity("diff old.txt new.txt").shown());
}

#[test]
fn urls_with_different_verdict_are_listed() {
    assert_snapshot!(
        comity("diff old.txt new.txt --urls urls.txt --agent ExampleBot --agent OldBot --agent NewBot")
            .shown()
    );
    assert_snapshot!(comity("diff old.txt old-shuffled.txt --urls -").stdin("/a\n/b\n").shown());
    assert_snapshot!(comity("diff old.txt new.txt --agent x --urls -").stdin("/a\nnonsense\n/b\n").shown());
}

#[test]
fn json_contains_the_same_changes() {
    let outcome = comity("diff old.txt new.txt --urls urls.txt --json").run().exits(1);
    let report = outcome.json();
    assert_eq!(report["sitemaps"]["lost"][0], "https://example.com/old.xml");
    assert_eq!(report["urls"][0]["url"], "/a/open");
    assert_snapshot!(without_decisions(&outcome.stdout));
}

#[test]
fn changed_order_matters_if_first_match_decides() {
    let old = "User-agent: *\nDisallow: /a\nAllow: /a/b\n";
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), "User-agent: *\nAllow: /a/b\nDisallow: /a\n").expect("a file");
    let path = file.path().display().to_string();
    comity("diff -").arg(&path).stdin(old).run().exits(0);
    let outcome = comity("diff --dialect urllib -").arg(&path).stdin(old).run().exits(1);
    assert!(outcome.stdout.contains("another order"), "{}", outcome.stdout);
}

#[test]
fn invalid_input_is_an_error() {
    assert_snapshot!(comity("diff - -").shown());
    assert_snapshot!(comity("diff old.txt missing.txt").shown());
    assert_snapshot!(comity("diff old.txt").shown());
}
