//! The documentation says what the code does.

use std::fs;
use std::path::Path;

use comity::robots::{Agent, Dialect, RobotsTxt};

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

#[test]
fn every_word_that_names_nobody_is_documented() {
    let text = doc("dialects.md");
    for (word, _) in Agent::BROWSER_WORDS {
        assert!(text.contains(&format!("`{word}`")), "{word}");
    }
}

/// A row of the tables in `differences.md` that spells its file out: file, URL, who asks, whether Comity allows.
fn difference(row: &str) -> Option<(String, String, String, bool)> {
    let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
    let [file, url, answer, ..] = cells.as_slice() else { return None };
    let code = |text: &str| text.split('`').nth(1).map(|code| code.replace('␊', "\n").replace('␍', "\r"));
    let prefix = if file.starts_with("a byte order mark") { "\u{feff}" } else { "" };
    let allowed = match *answer {
        "allowed" => true,
        "disallowed" => false,
        _ => return None,
    };
    let agent = url.split('`').nth(3).unwrap_or("foobot").to_owned();
    Some((format!("{prefix}{}", code(file)?), code(url)?, agent, allowed))
}

#[test]
fn the_table_of_differences_is_true() {
    let text = doc("differences.md");
    let rows: Vec<_> = text.lines().filter_map(difference).collect();
    assert!(rows.len() >= 25, "only {} rows were read", rows.len());
    for (robots, url, agent, expected) in rows {
        let rules = RobotsTxt::parse(&robots).rules_for(&Agent::token(agent.as_str()));
        assert_eq!(rules.is_allowed(&url), Ok(expected), "{robots:?} {url} {agent}");
    }
}

#[test]
fn google_differs_where_the_table_says_so() {
    let text = doc("differences.md");
    let section = text.split("## From ").nth(1).unwrap_or_default();
    let rows: Vec<_> = section.lines().filter_map(difference).collect();
    assert!(rows.len() >= 8, "only {} rows were read", rows.len());
    for (robots, url, agent, ours) in rows {
        let rules = RobotsTxt::parse_as(&robots, Dialect::Google).rules_for(&Agent::token(agent.as_str()));
        assert_eq!(rules.is_allowed(&url), Ok(!ours), "{robots:?} {url} {agent}");
    }
}
