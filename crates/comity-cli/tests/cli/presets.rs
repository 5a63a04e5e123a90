//! `comity presets`.

use crate::comity;
use insta::assert_snapshot;

#[test]
fn presets_and_their_tables_are_printed() {
    assert_snapshot!(comity("presets").shown());
    assert_snapshot!(comity("presets google ladon").shown());
    assert_snapshot!(comity("presets rfc").shown());
}

#[test]
fn json_has_the_treatments_of_each_preset() {
    let all = comity("presets --json").run().exits(0).json_lines();
    let names: Vec<_> = all.iter().map(|preset| preset["name"].clone()).collect();
    assert_eq!(names, ["rfc9309", "google", "webcanon", "ladon", "gym2008", "strict"]);
    assert_eq!(all[0]["default"], true);
    let opens: Vec<_> = all.iter().map(|preset| preset["fails_open"] == true).collect();
    assert_eq!(opens, [false, true, false, true, false, false]);
    let answers = all[0]["answers"].as_array().expect("a table");
    let denied = answers.iter().find(|line| line["answer"] == "access_denied").expect("a line per kind");
    assert_eq!(
        (&denied["availability"], &denied["verdict"]),
        (&"unavailable".into(), &"allowed_implicit".into())
    );
    assert!(answers.iter().any(|line| line["answer"] == "html_soft_404"));
    assert_eq!(all[1]["outage"].as_array().map(Vec::len), Some(3));
    assert_eq!(comity("presets --json STRICT").run().exits(0).json_lines()[0]["name"], "strict");
}
