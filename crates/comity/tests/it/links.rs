//! Checks every reference to a page of the documentation, or to a heading of a page: links between pages, and paths in
//! sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Folders without handwritten files, and folders of test data with links that are broken on purpose.
const EXCLUDED: [&str; 7] = [
    ".git",
    "crates/comity/tests/markdown",
    "crates/comity-cli/tests/fixtures",
    "fuzz/artifacts",
    "fuzz/corpus",
    "fuzz/coverage",
    "target",
];

const SOURCES: [&str; 9] = ["rs", "py", "pyi", "sh", "toml", "yml", "yaml", "snap", "md"];

/// Returns every handwritten file, by its path from the root of the repository.
fn texts() -> BTreeMap<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut found, mut folders) = (BTreeMap::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let (path, kind) = (folder.join(entry.file_name()), entry.file_type().expect("a type"));
            let data = EXCLUDED.iter().any(|excluded| path == Path::new(excluded));
            // Build folders and virtual environments of other tools have marker files.
            let made = ["CACHEDIR.TAG", "pyvenv.cfg"].iter().any(|mark| root.join(&path).join(mark).exists());
            if kind.is_dir() && !data && !made {
                folders.push(path);
            } else if kind.is_file() && is_read(&path) {
                let text = fs::read(root.join(&path)).expect("a file");
                found.insert(path, String::from_utf8_lossy(&text).into_owned());
            }
        }
    }
    found
}

fn is_read(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    SOURCES.contains(&extension) || ["run", "justfile", "Dockerfile"].contains(&name)
}

/// Returns a path without `.` and `..`, or `None` if it leaves the repository.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::ParentDir if !plain.pop() => return None,
            _ => {}
        }
    }
    Some(plain)
}

/// Returns a page without fenced code, indented code and code spans.
fn prose(page: &str) -> String {
    let (mut out, mut fenced) = (String::new(), false);
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && !line.starts_with("    ") {
            out += line;
        }
        out.push('\n');
    }
    out.split('`').step_by(2).collect::<Vec<_>>().join("code")
}

/// Returns the targets of `[text](target)` and `[name]: target` in a page that are paths.
fn links(page: &str) -> Vec<String> {
    let prose = prose(page);
    let target = |rest: &str| rest.split([')', ' ', '\n']).next().unwrap_or_default().to_owned();
    let mut links: Vec<String> = prose.split("](").skip(1).map(target).collect();
    links.extend(prose.lines().filter(|line| line.starts_with('[')).filter_map(|line| {
        let (_, target) = line.split_once("]: ")?;
        Some(target.trim().to_owned())
    }));
    links.retain(|link| !link.contains("://") && !link.starts_with("mailto:"));
    links
}

/// Returns the paths of pages and images below `docs/` that a text contains, with their headings.
fn named(text: &str) -> BTreeSet<String> {
    let belongs = |c: char| c.is_ascii_alphanumeric() || "._-/#:".contains(c);
    let mut named = BTreeSet::new();
    for word in text.split(|c| !belongs(c)) {
        let mut word = word.trim_end_matches(['.', ':']);
        let outside = word.starts_with("/docs") || word.contains("://");
        while let Some(rest) = ["./", "../", "/"].iter().find_map(|start| word.strip_prefix(start)) {
            word = rest;
        }
        let path = word.split('#').next().unwrap_or_default();
        if !outside && word.starts_with("docs/") && (path.ends_with(".md") || path.ends_with(".svg")) {
            named.insert(word.to_owned());
        }
    }
    named
}

/// Returns the anchors of a page's headings, in the form that GitHub generates.
fn headings(page: &str) -> BTreeSet<String> {
    let (mut names, mut fenced) = (BTreeSet::new(), false);
    for line in page.lines() {
        fenced ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        if fenced || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
        let name: String = title.trim().to_lowercase().chars().filter(kept).collect();
        let name = name.replace(' ', "-");
        let mut unique = name.clone();
        for n in 1.. {
            if names.insert(unique) {
                break;
            }
            unique = format!("{name}-{n}");
        }
    }
    names
}

/// Returns the error of a link if its file does not exist, or if the page does not have its heading.
fn fault(texts: &BTreeMap<PathBuf, String>, from: &Path, link: &str) -> Option<String> {
    let (path, heading) = link.split_once('#').unwrap_or((link, ""));
    let folder = from.parent().unwrap_or(from);
    let target = if path.is_empty() { Some(from.to_owned()) } else { plain(&folder.join(path)) };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let Some(target) = target.filter(|target| root.join(target).exists()) else {
        return Some(format!("{}: {link} does not exist", from.display()));
    };
    let page = texts.get(&target).filter(|_| !heading.is_empty())?;
    let known = headings(page).contains(heading);
    (!known).then(|| format!("{}: {link} names a heading that the page does not have", from.display()))
}

#[test]
fn link_between_pages_has_an_existing_target() {
    let texts = texts();
    let pages = texts.iter().filter(|(path, _)| path.extension().is_some_and(|end| end == "md"));
    let links: Vec<_> =
        pages.flat_map(|(path, page)| links(page).into_iter().map(move |link| (path, link))).collect();
    assert!(links.len() >= 150, "only {} links were found", links.len());
    let faults: Vec<_> = links.iter().filter_map(|(path, link)| fault(&texts, path, link)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn page_that_a_source_names_exists() {
    let texts = texts();
    let named: Vec<_> =
        texts.iter().flat_map(|(path, text)| named(text).into_iter().map(move |page| (path, page))).collect();
    assert!(named.len() >= 60, "only {} paths were found", named.len());
    let wrong = named.iter().filter_map(|(path, page)| {
        let fault = fault(&texts, Path::new("README.md"), page)?;
        Some(format!("{}, named in {}", fault.trim_start_matches("README.md: "), path.display()))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Readers find a page only through an index, so every page must be in one.
#[test]
fn each_index_lists_its_pages_once() {
    let texts = texts();
    let folders = ["guide", "reference", "design", "design/decisions", "evidence"];
    let folders = folders.map(|folder| Path::new("docs").join(folder));
    // `docs/README.md` lists the pages of these folders. The README of any other folder lists the pages of that folder.
    let mut pages: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for path in texts.keys().filter(|path| path.starts_with("docs") && *path != Path::new("docs/README.md")) {
        let folder = path.parent().expect("a folder");
        let is_listed_above = folders.iter().any(|listed| listed == folder) || path.ends_with("README.md");
        let above = if is_listed_above { Path::new("docs") } else { folder };
        pages.entry(above.join("README.md")).or_default().push(path.clone());
    }
    for (index, pages) in pages {
        let text = texts.get(&index).unwrap_or_else(|| panic!("{} does not exist", index.display()));
        let folder = index.parent().expect("a folder");
        let listed = links(text).into_iter().filter(|link| link.ends_with(".md"));
        let listed = listed.filter_map(|link| plain(&folder.join(link)));
        let mut listed: Vec<PathBuf> = listed.filter(|path| path.starts_with(folder)).collect();
        listed.sort();
        assert_eq!(listed, pages, "{}", index.display());
    }
}

#[test]
fn links_and_headings_are_found() {
    let page = "# One `two`, three\n## A-b\n## A-b\n\n[x](a.md#b) `[no](b.md)`\n[y]: c.md\n```\n[no](d.md)\n# No\n```\n";
    assert_eq!(links(page), ["a.md#b", "c.md"]);
    let expected = ["a-b", "a-b-1", "one-two-three"].map(str::to_owned);
    assert_eq!(headings(page), BTreeSet::from(expected));
    // The paths are built from parts, so that the test above does not search for these pages.
    let docs = "docs";
    let text =
        format!("See ../../{docs}/x.md#y, https://a.example/{docs}/z.md, /{docs}/z.md, `{docs}/w.svg`.");
    assert_eq!(named(&text), BTreeSet::from(["w.svg", "x.md#y"].map(|name| format!("{docs}/{name}"))));
}
