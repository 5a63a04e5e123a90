//! Asserts that the documentation of each published crate names all of its features.

use std::fs;
use std::path::Path;

/// Returns the public features in a `Cargo.toml`. A name that begins with two underscores is private.
fn features(manifest: &str) -> Vec<String> {
    let manifest: toml::Table = manifest.parse().expect("a manifest");
    let declared = manifest.get("features").and_then(toml::Value::as_table).cloned().unwrap_or_default();
    declared
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| name != "default" && !name.starts_with("__"))
        .collect()
}

#[test]
fn every_feature_is_documented_in_the_crate_and_its_readme() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the crates");
    let mut missing = Vec::new();
    for entry in fs::read_dir(crates).expect("the crates") {
        let folder = entry.expect("an entry").path();
        let read = |file: &str| fs::read_to_string(folder.join(file)).expect("a file of the crate");
        let manifest = read("Cargo.toml");
        if manifest.contains("publish = false") {
            continue;
        }
        for feature in features(&manifest) {
            for file in ["src/lib.rs", "README.md"] {
                let is_named = |line: &str| line.contains(&format!("`{feature}`"));
                let text = read(file);
                let mut documentation =
                    text.lines().filter(|line| file != "src/lib.rs" || line.starts_with("//!"));
                if !documentation.any(is_named) {
                    missing.push(format!(
                        "{}/{file} does not describe the feature `{feature}`",
                        folder.display()
                    ));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
