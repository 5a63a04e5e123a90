//! `comity dialects`.

use crate::comity;
use insta::assert_snapshot;

#[test]
fn dialects_are_listed() {
    assert_snapshot!(comity("dialects").shown());
    assert_snapshot!(comity("dialects ruby yandx").shown());
}

#[test]
fn json_lists_dialects() {
    let all = comity("dialects --json").run().exits(0).json_lines();
    assert_eq!(all.len(), comity::robots::Dialect::ALL.len());
    assert_eq!(all[0]["name"], "rfc9309");
    assert_eq!(all[0]["default"], true);
    assert!(all[0]["quirks"].as_array().is_some_and(|quirks| !quirks.is_empty()));
    let some = comity("dialects --json mk1994").run().exits(0).json_lines();
    assert_eq!(some[0]["name"], "mk1996");
}
