//! The modules of the crate form layers, and so do the modules of `robots/`. A module of `robots/` imports only from
//! earlier layers, a module of the crate also from its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The modules of the crate. A module may use modules of its own line and of earlier lines. For instance, a known
/// crawler is an `Agent` of `robots`, and the lints of `robots` use `agents`.
const MODULES: [&[&str]; 9] = [
    &["words", "shown", "origin", "date", "rfc3339", "http", "schema", "charset"],
    &["verdict", "finding"],
    &["robots", "agents"],
    &["policy", "html"],
    &["decision"],
    &["page", "sitemap", "llms", "usage"],
    &["site"],
    &["kinds"],
    &["lib"],
];

/// The modules and files of `src/robots` in the order in which data passes through them. A module may use modules of
/// earlier lines, and its own files.
const LAYERS: [&[&str]; 11] = [
    &["bytes"],
    &["read"],
    &["agents", "body"],
    &["matching"],
    &["dialects"],
    &["rules"],
    &["file", "write"],
    &["decision", "plain", "scope"],
    &["explain", "extent"],
    &["lint"],
    &["mod"],
];

/// Adds the code of every file in a folder to `found` by its path, without tests and comments.
fn sources(folder: &Path, below: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        if entry.path().is_dir() {
            sources(&entry.path(), &format!("{below}{name}/"), found);
        } else {
            let text = fs::read_to_string(entry.path()).expect("a source");
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            found.insert(format!("{below}{name}"), code.collect::<Vec<_>>().join("\n"));
        }
    }
}

fn files(folder: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), "", &mut files);
    files
}

/// Returns the names that follow `prefix` directly in `code`.
fn after(code: &str, prefix: &str) -> Vec<String> {
    let name =
        |rest: &str| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().map(str::to_owned);
    code.split(prefix).skip(1).filter_map(name).collect()
}

/// Returns the modules and files of `robots` that the code at a path names.
fn named(path: &str, code: &str) -> Vec<String> {
    // The meaning of `super` depends on the depth of the file.
    let robots = match path.matches('/').count() {
        0 if path == "mod.rs" => "self::",
        0 => "super::",
        1 if path.ends_with("/mod.rs") => "super::",
        _ => "crate::robots::",
    };
    let mut names = after(code, robots);
    if robots != "crate::robots::" {
        names.extend(after(code, "crate::robots::"));
    }
    names
}

#[test]
fn module_uses_only_its_own_and_earlier_layers() {
    let layer_of = |name: &str| MODULES.iter().position(|layer| layer.contains(&name));
    let mut checked = 0;
    for (path, code) in &files("src") {
        let own = path.split(['/', '.']).next().unwrap_or_default();
        let layer = layer_of(own).unwrap_or_else(|| panic!("{path} is in no layer"));
        for name in after(code, "crate::").into_iter().filter(|name| name != own) {
            // Names that the crate exports are not modules.
            let Some(used) = layer_of(&name) else { continue };
            assert!(used <= layer, "{path} uses `{name}`, which is in a later layer");
            checked += 1;
        }
    }
    assert!(checked > 60, "only {checked} imports were seen");
}

#[test]
fn module_of_robots_uses_only_earlier_layers() {
    let layer_of = |name: &str| LAYERS.iter().position(|layer| layer.contains(&name));
    let mut checked = 0;
    for (path, code) in &files("src/robots") {
        let own = path.split(['/', '.']).next().unwrap_or_default();
        let layer = layer_of(own).unwrap_or_else(|| panic!("{path} is in no layer"));
        for name in named(path, code).into_iter().filter(|name| name != own) {
            // Names that `robots` exports are not modules.
            let Some(used) = layer_of(&name) else { continue };
            assert!(used < layer, "{path} uses `{name}`, which is not in an earlier layer");
            checked += 1;
        }
    }
    assert!(checked > 100, "only {checked} imports were seen");
}

/// Only the module of the dialects names a dialect other than the default, and no other module matches on one.
#[test]
fn dialect_is_named_only_in_the_module_of_dialects() {
    for (path, code) in files("src/robots").iter().filter(|(path, _)| !path.starts_with("dialects/")) {
        for line in code.lines() {
            let variants = line.split("Dialect::").skip(1).filter(|rest| !rest.starts_with("ALL"));
            let special = variants.filter(|rest| !rest.starts_with("Rfc9309") || line.contains("=>")).count();
            assert_eq!(special, 0, "{path}: {line}");
        }
    }
}
