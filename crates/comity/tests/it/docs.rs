//! The documentation says what the code does.

use std::fs;
use std::path::Path;

use comity::robots::Dialect;

fn doc(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_dialect_and_quirk_is_documented() {
    let text = doc("dialects.md").replace('\n', " ");
    for dialect in Dialect::ALL {
        assert!(text.contains(&format!("## {dialect} ")), "{dialect} has a section");
        for quirk in dialect.quirks() {
            assert!(text.contains(&format!("- {quirk} ")), "{dialect}: {quirk}");
        }
    }
}
