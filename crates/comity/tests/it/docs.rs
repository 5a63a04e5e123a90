//! Tests that the documentation matches the code.

use std::fs;
use std::path::Path;

use comity::finding::Kind;
use comity::robots::{Agent, Dialect, RobotsTxt};
use testkit::printed::{assert_printed, table};

fn doc(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns kinds of findings as a table, with a link to the documentation of each from a page in `folder`.
pub(crate) fn kinds_table(kinds: &[&Kind], folder: &str) -> String {
    let rows = kinds
        .iter()
        .map(|kind| [link_to(kind, folder), kind.severity().to_string(), kind.summary().to_owned()]);
    table(["code", "severity", "meaning"], rows)
}

/// Returns a link to the documentation of a kind from a page in `folder`.
pub(crate) fn link_to(kind: &Kind, folder: &str) -> String {
    let page = kind.page();
    format!("[{kind}]({})", page.strip_prefix(folder).unwrap_or(&page))
}

/// Wraps words to lines of at most 120 characters; further lines start with `indent`.
fn wrapped(text: &str, indent: &str) -> String {
    let (mut out, mut width) = (String::new(), 0);
    for word in text.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > 120 {
            out += "\n";
            out += indent;
            width = indent.len();
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out += word;
        width += length;
    }
    out
}

/// Returns a dialect's section of `docs/reference/dialects.md`.
fn section(dialect: Dialect) -> String {
    let names: Vec<String> = dialect.aliases().iter().map(|alias| format!("`{alias}`")).collect();
    let default = if dialect == Dialect::default() { " The default." } else { "" };
    let aliases =
        if names.is_empty() { String::new() } else { format!(" Also called {}.", names.join(", ")) };
    let about = format!("Defined by: {}.{default}{aliases}", dialect.defined_by());
    let mut text = format!("\n## {dialect}\n\n{}\n\n", wrapped(&about, ""));
    for quirk in dialect.quirks() {
        text += &format!("{}\n", wrapped(&format!("- {quirk}"), "  "));
    }
    for note in dialect.notes() {
        text += &format!("\n{}\n", wrapped(note, ""));
    }
    text
}

/// Checks the sections of `docs/reference/dialects.md`, whose text is in the files of the dialects.
#[test]
fn every_dialect_is_documented() {
    let sections: String = Dialect::ALL.into_iter().map(section).collect();
    assert_printed("docs/reference/dialects.md", &[("dialects", sections)]);
}

/// Checks the table of dialects in `docs/guide/tour.md`.
#[test]
fn every_dialect_is_in_the_tour() {
    let rows = Dialect::ALL.map(|dialect| {
        let default = if dialect == Dialect::default() { " (default)" } else { "" };
        [format!("`{dialect}`{default}"), dialect.defined_by().to_owned()]
    });
    assert_printed("docs/guide/tour.md", &[("dialects", table(["dialect", "defined by"], rows))]);
}

/// A name must select one dialect only.
#[test]
fn name_of_a_dialect_is_unique() {
    for dialect in Dialect::ALL {
        for name in dialect.aliases().iter().chain([&dialect.name()]) {
            assert_eq!(name.parse(), Ok(dialect), "{name}");
        }
    }
}

#[test]
fn every_browser_word_is_documented() {
    let text = doc("reference/dialects.md");
    for (word, _) in Agent::BROWSER_WORDS {
        assert!(text.contains(&format!("`{word}`")), "{word}");
    }
}

/// Parses a row of the tables in `differences.md` that contains a whole file. Returns the file, the URL, the agent, and
/// true if Comity allows the URL.
fn difference(row: &str) -> Option<(String, String, String, bool)> {
    let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
    let [file, url, answer, ..] = cells.as_slice() else { return None };
    let code = |text: &str| text.split('`').nth(1).map(|code| code.replace('␊', "\n").replace('␍', "\r"));
    let latin1 = "a byte order mark decoded as Latin-1 (`\u{ef}\u{bb}\u{bf}`)";
    let (prefix, file) = match file.strip_prefix(latin1) {
        Some(file) => ("\u{ef}\u{bb}\u{bf}", file),
        None if file.starts_with("a byte order mark") => ("\u{feff}", *file),
        None => ("", *file),
    };
    let allowed = match *answer {
        "allowed" => true,
        "disallowed" => false,
        _ => return None,
    };
    let agent = url.split('`').nth(3).unwrap_or("foobot").to_owned();
    Some((format!("{prefix}{}", code(file)?), code(url)?, agent, allowed))
}

#[test]
fn table_of_differences_equals_the_behaviour() {
    let text = doc("reference/differences.md");
    let rows: Vec<_> = text.lines().filter_map(difference).collect();
    assert!(rows.len() >= 25, "only {} rows were read", rows.len());
    for (robots, url, agent, expected) in rows {
        let rules = RobotsTxt::parse(&robots).rules_for(&Agent::unchecked_token(agent.as_str()));
        assert_eq!(rules.is_allowed(&url), Ok(expected), "{robots:?} {url} {agent}");
    }
}

#[test]
fn google_dialect_differs_from_the_default_as_documented() {
    let text = doc("reference/differences.md");
    let section = text.split("## From ").nth(1).unwrap_or_default();
    let rows: Vec<_> = section.lines().filter_map(difference).collect();
    assert!(rows.len() >= 8, "only {} rows were read", rows.len());
    for (robots, url, agent, ours) in rows {
        let rules =
            RobotsTxt::parse_as(&robots, Dialect::Google).rules_for(&Agent::unchecked_token(agent.as_str()));
        assert_eq!(rules.is_allowed(&url), Ok(!ours), "{robots:?} {url} {agent}");
    }
}
