//! Checks that all tests that the threat model names exist.

use std::collections::BTreeSet;
use std::path::Path;

/// Returns the keyword that begins a function in a source file: `fn` in Rust, `def` in Python.
fn keyword(path: &Path) -> Option<&'static str> {
    match path.extension()?.to_str()? {
        "rs" => Some("fn "),
        "py" => Some("def "),
        _ => None,
    }
}

/// Collects the names of all functions below a folder, in Rust or Python.
fn functions(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            functions(&path, names);
        } else if let Some(keyword) = keyword(&path) {
            let text = std::fs::read_to_string(&path).unwrap();
            let names_of = |line: &str| Some(line.split_once(keyword)?.1.split_once('(')?.0.to_owned());
            names.extend(text.lines().filter_map(names_of));
        }
    }
}

#[test]
fn every_test_named_by_the_threat_model_exists() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let root = crates.parent().unwrap();
    let mut known = BTreeSet::new();
    functions(crates, &mut known);
    functions(&root.join("python/tests"), &mut known);
    let model = std::fs::read_to_string(root.join("docs/design/threat-model.md")).unwrap();
    let mut count = 0;
    for row in model.lines().filter(|line| line.starts_with("| ")) {
        let Some(shown_by) = row.trim_end_matches(" |").rsplit(" | ").next() else { continue };
        for name in shown_by.split('`').skip(1).step_by(2) {
            assert!(known.contains(name), "there is no test `{name}`");
            count += 1;
        }
    }
    assert!(count > 60, "{count} tests named");
}
