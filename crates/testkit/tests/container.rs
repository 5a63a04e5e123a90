//! Asserts that the build context of the container image contains all members of the workspace. Cargo requires all of
//! them.

use std::fs;
use std::path::Path;

#[test]
fn every_member_of_the_workspace_is_in_the_context_of_the_container() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |file: &str| fs::read_to_string(root.join(file)).expect("a file of the project");
    let manifest: toml::Table = read("Cargo.toml").parse().expect("a manifest");
    let members = manifest["workspace"]["members"].as_array().expect("the members");
    let context = read(".dockerignore");
    let included: Vec<&str> = context.lines().filter_map(|line| line.strip_prefix('!')).collect();
    let contains = |path: &str| {
        Path::new(path).ancestors().any(|folder| included.iter().any(|entry| Path::new(entry) == folder))
    };
    for member in members.iter().map(|member| member.as_str().expect("a path")) {
        for part in ["Cargo.toml", "src"] {
            let path = format!("{member}/{part}");
            assert!(contains(&path), "`.dockerignore` leaves out `{path}`");
        }
    }
    assert!(!contains("docs") && !contains("target"), "the context contains more than the build needs");
}
