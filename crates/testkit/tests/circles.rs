//! No module of a crate uses one that uses it, directly or by way of others.
//!
//! A module is what stands right below `src`: a file or a folder. What a file imports is read from its text: every path
//! that begins with `crate::`. A name that the crate re-exports counts as the module that it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The crates, and the imports of each that run back up: without them there is no circle.
const CRATES: [(&str, &[(&str, &str)]); 10] = [
    // A known crawler is an `Agent`, and lint looks crawlers up.
    ("comity", &[("agents", "robots")]),
    ("comity-answers", &[]),
    ("comity-formats", &[]),
    ("comity-arrow", &[]),
    ("comity-client", &[]),
    ("comity-identity", &[]),
    ("comity-audit", &[]),
    ("comity-serve", &[]),
    ("comity-cli", &[]),
    ("testkit", &[]),
];

/// What each module uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The code of each module below a folder, without comments and without unit tests.
fn modules(folder: &Path) -> BTreeMap<String, String> {
    fn read(path: &Path, code: &mut String) {
        if path.is_dir() {
            for entry in fs::read_dir(path).expect("a folder") {
                read(&entry.expect("an entry").path(), code);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(path).expect("a source");
            let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            code.extend(lines.flat_map(|line| [line, "\n"]));
        }
    }
    let mut modules = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let code: &mut String = modules.entry(name).or_default();
        let is_file = path.is_file();
        read(&path, code);
        if is_file {
            // Right below `src`, that is the same.
            *code = code.replace("super::", "crate::");
        }
    }
    modules
}

fn first_name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The parts of a braced list, without what stands in braces of their own.
fn parts(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                parts.push(list[start..at].trim());
                return parts;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts
}

/// What is named right behind `crate::`, anywhere in a piece of code.
fn named(code: &str) -> Vec<&str> {
    let behind = code.split("crate::").skip(1);
    behind
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(list) => parts(list).into_iter().map(first_name).collect(),
            None => vec![first_name(rest)],
        })
        .collect()
}

/// From which module each name comes that the crate re-exports.
fn exports(lib: &str) -> BTreeMap<&str, &str> {
    let mut exports = BTreeMap::new();
    for export in lib.split("use ").skip(1) {
        let path = export.split(';').next().unwrap_or_default();
        let Some((module, names)) = path.split_once("::") else { continue };
        let names = match names.strip_prefix('{') {
            Some(list) => parts(list),
            None => vec![names.trim()],
        };
        for name in names {
            let name = name.rsplit(" as ").next().unwrap_or_default();
            exports.insert(name.rsplit("::").next().unwrap_or_default(), module);
        }
    }
    exports
}

fn uses(folder: &Path) -> Uses {
    let modules = modules(folder);
    let lib = modules.get("lib").cloned().unwrap_or_default();
    let exports = exports(&lib);
    let mut uses = Uses::new();
    for (own, code) in modules.iter().filter(|(name, _)| !["lib", "main"].contains(&name.as_str())) {
        let named = named(code).into_iter();
        let named = named
            .map(|name| if modules.contains_key(name) { name } else { exports.get(name).unwrap_or(&"") });
        let named = named.filter(|name| name != own && modules.contains_key(*name) && *name != "lib");
        uses.insert(own.clone(), named.map(str::to_owned).collect());
    }
    uses
}

/// The modules that a module uses, directly or by way of others.
fn reached<'a>(uses: &'a Uses, from: &str) -> BTreeSet<&'a str> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        for used in uses.get(module).into_iter().flatten() {
            if reached.insert(used.as_str()) {
                open.push(used);
            }
        }
    }
    reached
}

/// The circles: modules that reach each other, and therefore themselves.
fn circles(uses: &Uses) -> BTreeSet<Vec<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|module| (module.as_str(), reached(uses, module))).collect();
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|reached| reached.contains(to));
    let circle =
        |of: &str| reached.keys().copied().filter(|other| reaches(of, other) && reaches(other, of)).collect();
    reached.keys().filter(|module| reaches(module, module)).map(|module| circle(module)).collect()
}

#[test]
fn modules_form_no_circles() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut imports = 0;
    for (name, back) in CRATES {
        let mut uses = uses(&crates.join(name).join("src"));
        imports += uses.values().map(BTreeSet::len).sum::<usize>();
        for (from, to) in back {
            assert!(
                reached(&uses, to).contains(from),
                "{name}: `{from}` may use `{to}`; take it out of the list"
            );
            let was_used = uses.get_mut(*from).is_some_and(|used| used.remove(*to));
            assert!(was_used, "{name}: `{from}` does not use `{to}`; take it out of the list");
        }
        let found = circles(&uses);
        let edges = found.iter().flatten().map(|module| (module, &uses[*module]));
        assert!(found.is_empty(), "{name}: {found:?} use each other: {:#?}", edges.collect::<Vec<_>>());
    }
    assert!(imports > 200, "only {imports} imports were seen");
}

#[test]
fn a_circle_is_found_by_whatever_way_it_goes() {
    let code = "use crate::{Origin, pace::{Turn, Wait}};\nfn f() { crate::store::open(); }\n";
    assert_eq!(named(code), ["Origin", "pace", "store"]);
    let exports = exports("mod a;\npub use origin::{Origin, OriginError};\npub use a::b::C as D;\n");
    assert_eq!(exports.get("Origin"), Some(&"origin"));
    assert_eq!(exports.get("D"), Some(&"a"));
    let uses: Uses = [("a", &["b"][..]), ("b", &["c"]), ("c", &["a", "d"]), ("d", &[])]
        .map(|(own, used)| (own.to_owned(), used.iter().map(|name| (*name).to_owned()).collect()))
        .into();
    assert_eq!(circles(&uses), BTreeSet::from([vec!["a", "b", "c"]]));
}
