//! Asserts that no modules of a crate depend on each other in a circle, directly or indirectly.
//!
//! A module is a file or a folder of `src`, at any depth. The test compares only modules of one folder with each other,
//! and no module with its own folder. A use is a path that begins with `crate::`, `super::` or `self::`. A path to a
//! name that a module imports or re-exports is a use of the module that defines the name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The checked crates.
const CRATES: [&str; 11] = [
    "comity",
    "comity-answers",
    "comity-formats",
    "comity-arrow",
    "comity-client",
    "comity-identity",
    "comity-audit",
    "comity-logs",
    "comity-serve",
    "comity-cli",
    "testkit",
];

/// A path as a list of names, such as the path of a module from the root of its crate.
type Names = Vec<String>;

/// The modules that each module of a folder uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The modules of a crate.
struct Crate {
    /// The code of each module, without comments and unit tests.
    modules: BTreeMap<Names, String>,
    /// The paths of imported names, and the paths to which they resolve.
    imports: BTreeMap<Names, Names>,
}

/// Reads the modules of a folder, recursively.
fn read(folder: &Path, module: &[String], modules: &mut BTreeMap<Names, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let is_root = ["lib", "main", "mod"].contains(&stem);
        let own = if is_root { module.to_vec() } else { below(module, stem) };
        if path.is_dir() {
            read(&path, &own, modules);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            modules.entry(own).or_default().extend(lines.flat_map(|line| [line, "\n"]));
        }
    }
}

impl Crate {
    fn new(modules: BTreeMap<Names, String>) -> Crate {
        let mut imports = BTreeMap::new();
        for (module, code) in &modules {
            for statement in code.split("use ").skip(1) {
                let Some((tree, _)) = statement.split_once(';') else { continue };
                for (path, name) in leaves(tree) {
                    imports.insert(below(module, &name), absolute(module, path));
                }
            }
        }
        Crate { modules, imports }
    }

    /// Returns the module that defines an item. `depth` limits the number of imports that are followed.
    fn module_of(&self, path: &[String], depth: usize) -> Names {
        let mut module = Names::new();
        for (at, name) in path.iter().enumerate() {
            let next = below(&module, name);
            if self.modules.contains_key(&next) {
                module = next;
            } else if let Some(import) = self.imports.get(&next).filter(|_| depth > 0) {
                let rest = [import, &path[at + 1..]].concat();
                return self.module_of(&rest, depth - 1);
            } else {
                break;
            }
        }
        module
    }

    /// Returns the uses between the modules of each folder.
    fn uses(&self) -> BTreeMap<Names, Uses> {
        let mut uses: BTreeMap<Names, Uses> = BTreeMap::new();
        for (module, code) in &self.modules {
            for path in paths(code) {
                let used = self.module_of(&absolute(module, path), 8);
                let shared = module.iter().zip(&used).take_while(|(one, other)| one == other).count();
                if let (Some(from), Some(to)) = (module.get(shared), used.get(shared)) {
                    let folder = uses.entry(module[..shared].to_vec()).or_default();
                    folder.entry(from.clone()).or_default().insert(to.clone());
                }
            }
        }
        uses
    }
}

/// Converts a path in a module to a path from the root of the crate. A path without `crate`, `super` or `self` is
/// relative to the module, or belongs to another crate.
fn absolute(module: &[String], path: Names) -> Names {
    let mut absolute = module.to_vec();
    for name in path {
        match name.as_str() {
            "crate" => absolute.clear(),
            "super" => drop(absolute.pop()),
            "self" => {}
            _ => absolute.push(name),
        }
    }
    absolute
}

fn below(module: &[String], name: &str) -> Names {
    [module, &[name.to_owned()]].concat()
}

/// Returns the paths in a piece of code that begin with `crate::`, `super::` or `self::`.
fn paths(code: &str) -> Vec<Names> {
    let mut paths = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if !before.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':')) {
                paths.extend(leaves(&code[at..]).into_iter().map(|(path, _)| path));
            }
        }
    }
    paths
}

/// Returns the paths of a tree such as `a::{b, c::{self, D as E}}`, each with the name that the import binds.
fn leaves(tree: &str) -> Vec<(Names, String)> {
    let tree = tree.trim_start();
    if let Some(list) = tree.strip_prefix('{') {
        return parts(list).into_iter().flat_map(leaves).collect();
    }
    let end = tree.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(tree.len());
    let (name, rest) = tree.split_at(end);
    if let Some(rest) = rest.strip_prefix("::").filter(|rest| !rest.starts_with(['<', '*'])) {
        let inside = leaves(rest).into_iter();
        return inside
            .map(|(path, last)| {
                let last = if last == "self" { name.to_owned() } else { last };
                ([vec![name.to_owned()], path].concat(), last)
            })
            .collect();
    }
    let alias = rest.trim_start().strip_prefix("as ").map(str::trim);
    let alias = alias.map(|alias| alias.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next());
    let last = alias.flatten().unwrap_or(name).to_owned();
    vec![(vec![name.to_owned()], last)]
}

/// Returns the parts of a comma-separated list. Commas inside nested braces do not separate parts.
fn parts(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                parts.push(&list[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Returns the modules that a module uses, directly or indirectly.
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

/// Returns the circles: sets of modules that use each other, directly or indirectly.
fn circles(uses: &Uses) -> BTreeSet<Vec<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|module| (module.as_str(), reached(uses, module))).collect();
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|reached| reached.contains(to));
    let circle =
        |of: &str| reached.keys().copied().filter(|other| reaches(of, other) && reaches(other, of)).collect();
    reached.keys().filter(|module| reaches(module, module)).map(|module| circle(module)).collect()
}

#[test]
fn modules_do_not_form_circles() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut imports, mut problems) = (0, Vec::new());
    for name in CRATES {
        let mut modules = BTreeMap::new();
        read(&crates.join(name).join("src"), &[], &mut modules);
        for (folder, uses) in Crate::new(modules).uses() {
            imports += uses.values().map(BTreeSet::len).sum::<usize>();
            let full = |module: &str| below(&folder, module).join("::");
            for circle in circles(&uses) {
                let edges = circle.iter().flat_map(|from| {
                    let used = uses[*from].iter().filter(|to| circle.contains(&to.as_str()));
                    used.map(|to| format!("{} uses {}", full(from), full(to)))
                });
                problems.push(format!("{name}: {}", edges.collect::<Vec<_>>().join(", ")));
            }
        }
    }
    assert!(problems.is_empty(), "modules use each other:\n{}", problems.join("\n"));
    assert!(imports > 400, "only {imports} imports were found");
}

#[test]
fn circle_is_found_at_any_depth_and_through_re_exports() {
    let code =
        "use crate::{Origin, pace::{Turn, self}};\nfn f() { super::store::open::<u8>(); my::crate_::x() }\n";
    let found: Vec<String> = paths(code).iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["crate::Origin", "crate::pace::Turn", "crate::pace::self", "super::store::open"]);
    assert_eq!(
        leaves("a::b::{self, C as D}").into_iter().map(|(_, name)| name).collect::<Vec<_>>(),
        ["b", "D"]
    );

    let modules = [
        ("", "mod a;\npub use a::One as Renamed;\n"),
        ("a", "mod b;\nmod c;\npub use c::One;\nuse b::Two;\n"),
        ("a/b", "mod d;\nmod e;\npub struct Two;\n"),
        ("a/b/d", "use super::e::E;\nuse crate::Renamed;\npub struct D;\n"),
        ("a/b/e", "use super::d::D;\n"),
        ("a/c", "use super::Two;\npub struct One;\n"),
    ];
    let modules = modules
        .map(|(path, code)| (path.split_terminator('/').map(str::to_owned).collect(), code.to_owned()));
    let uses = Crate::new(modules.into()).uses();
    let found: Vec<_> = uses.iter().map(|(folder, uses)| (folder.join("::"), circles(uses))).collect();
    let circle = |names: [&'static str; 2]| BTreeSet::from([names.to_vec()]);
    assert_eq!(found, [("a".to_owned(), circle(["b", "c"])), ("a::b".to_owned(), circle(["d", "e"]))]);
}
