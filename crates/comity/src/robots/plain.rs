//! A plain matcher for tests only: slow, short, and easy to check.
//!
//! The engine reads the file, chooses the groups and compiles the patterns. The plain matcher then tries every possible
//! match of each rule. Tests compare its results with those of the packed rules, of the index, and of the single pass
//! that stores no rules.

use std::collections::BTreeSet;

use super::agents::agent::Agent;
use super::dialects::{Dialect, Precedence, Unsplit};
use super::file::RobotsTxt;
use super::matching::pattern::{CompiledRule, Effect, End, LineEnds};
use super::matching::target::{Target, UrlError};
use super::rules::Rules;
use super::rules::index::Index;

/// Reads `body` one line at a time, without the shortcuts of `read/scan.rs`.
pub fn parse(body: &[u8], dialect: Dialect) -> RobotsTxt<'_> {
    RobotsTxt::parse_plainly(body, dialect)
}

/// The line of the deciding rule, and true if it allows; `None` if no rule decides.
pub type PlainDecision = Option<(u32, bool)>;

/// Returns the decision of the rules of `robots` for `agent` about `url`, computed by the plain matcher.
///
/// # Errors
///
/// Returns [`UrlError`] in the cases of [`Rules::decide`], and in `protego` and `gym2008` also if no group applies.
pub fn answer(robots: &RobotsTxt<'_>, agent: &Agent, url: &[u8]) -> Result<PlainDecision, UrlError> {
    let row = robots.dialect().row();
    let target = match row.target(url) {
        Err(_) if row.unsplit == Unsplit::Allowed => return Ok(None),
        target => target?,
    };
    if row.robots_txt_always_allowed && target.is_robots_txt() {
        return Ok(None);
    }
    // The strength of the best rule, and its line. The strength includes the effect of the rule.
    let mut best: Option<((usize, bool, u32), u32)> = None;
    for group in robots.chooser().choose(agent).groups {
        for record in robots.chooser().document().records_of(group).filter(|record| record.kind().is_rule()) {
            for compiled in row.compile(record.kind(), record.value()).into_iter().flatten() {
                let Some(end) = longest_match(&compiled, &target, row.line_ends) else { continue };
                let length = match row.precedence {
                    Precedence::Longest => compiled.length as usize,
                    Precedence::LongestMatch => end,
                    Precedence::FileOrder => 0,
                };
                let strength = (length, compiled.effect == Effect::Allow, compiled.length);
                let wins = best.is_none_or(|(strongest, _)| strength > strongest);
                if wins && (best.is_none() || row.precedence != Precedence::FileOrder) {
                    best = Some((strength, record.line()));
                }
            }
        }
    }
    Ok(best.map(|((_, allows, _), line)| (line, allows)))
}

/// Returns the decision of the rules about `url`, computed by the index even if there are few rules. Returns `None` in
/// dialects without an index.
///
/// # Errors
///
/// Returns [`UrlError`] in the cases of [`Rules::decide`].
pub fn answer_by_index(rules: &Rules, url: &[u8]) -> Option<Result<PlainDecision, UrlError>> {
    let row = rules.row();
    let target = match row.target(url) {
        _ if !row.is_indexed => return None,
        Ok(target) => target,
        Err(_) if rules.allows_unsplit() => return Some(Ok(None)),
        Err(error) => return Some(Err(error)),
    };
    if row.robots_txt_always_allowed && target.is_robots_txt() {
        return Some(Ok(None));
    }
    let index = Index::build(rules.stored().entries(), rules.len(), row);
    let found = index.find(rules.stored().entries(), &target, row);
    let place = found.and_then(|key| index.place_of(key));
    Some(Ok(place.and_then(|place| rules.rule_at(place)).map(|rule| (rule.line(), rule.allows()))))
}

/// Returns the last position at which a match of a rule may end, or `None` if the rule does not match. After each piece
/// of the pattern, `reached` contains every position at which a match of the pieces so far may end.
fn longest_match(compiled: &CompiledRule<'_>, target: &Target<'_>, line_ends: LineEnds) -> Option<usize> {
    let text = &target.text[..];
    let stops_at_line_end = line_ends != LineEnds::Ordinary;
    let mut reached: BTreeSet<usize> = match line_ends {
        // In Ruby, `^` also matches after every line end except a final one.
        LineEnds::StartLines => {
            (0..text.len()).filter(|&at| at == 0 || text[at - 1] == b'\n').chain([0]).collect()
        }
        _ => [0].into(),
    };
    for (number, (in_path, in_query)) in compiled.pieces().enumerate() {
        let mut next = BTreeSet::new();
        for &from in &reached {
            let furthest = if number == 0 { from } else { text.len() };
            for start in from..=furthest {
                if stops_at_line_end && text[from..start].contains(&b'\n') {
                    break;
                }
                let is_moved_to_query = number > 0 && start > target.query;
                let piece = if is_moved_to_query { in_query } else { in_path };
                if text[start..].starts_with(piece) {
                    next.insert(start + piece.len());
                }
            }
        }
        reached = next;
    }
    reached.into_iter().rev().find(|&end| {
        let rest = &text[end..];
        match compiled.end {
            End::Open => true,
            End::Anchored => rest.is_empty(),
            End::PythonAnchored => rest.is_empty() || rest == b"\n",
            End::BeforeQuery => matches!(rest.first(), None | Some(b'?' | b'\n')),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_matcher_decides_patterns_as_rfc9309() {
        for (value, url, expected) in [
            ("/a*b$", "/axxb", true),
            ("/a*b$", "/abc", false),
            ("/a*b*b$", "/abab", true),
            ("*/x", "/y/x", true),
            ("/*%2F?", "/a%2Fb", false),
            ("/*u=%2F", "/?u=/", true),
            ("/", "/robots.txt", false),
        ] {
            let robots = format!("User-agent: *\nDisallow: {value}\n");
            let robots = RobotsTxt::parse_as(&robots, Dialect::Rfc9309);
            let answer = answer(&robots, &Agent::unchecked_token("heron"), url.as_bytes()).unwrap();
            assert_eq!(answer, expected.then_some((2, false)), "{value} {url}");
        }
    }
}
