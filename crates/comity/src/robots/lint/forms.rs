//! Patterns as sets of URLs: tests for equality, containment and overlap.
//!
//! The **form** of a pattern consists of its compiled bytes without wildcards that have no effect. Patterns with an
//! equal form match equal sets of URLs. All tests use forms and the parser's pattern lengths.

use memchr::memmem;

use super::context::{Context, Group, LocatedRecord};
use super::steps;
use crate::robots::dialects::Dialect;
use crate::robots::matching::pattern::{CompiledRule, Effect, End};

// Marks in forms. Compiled patterns contain none of these byte values, because bytes outside ASCII are
// percent-encoded.
const STAR: u8 = 0xFF;
const ANCHOR: u8 = 0xFE;
const OR_IN_QUERY: u8 = 0xFD;

/// The form of a pattern that matches every URL.
pub(super) const EVERYTHING: &[u8] = b"/";

/// A rule whose pattern can match a URL.
pub(super) struct Rule<'c> {
    pub record: &'c LocatedRecord,
    pub effect: Effect,
    pub form: Vec<u8>,
    /// The length of the pattern, which determines precedence.
    pub length: u32,
}

/// Returns the rules of a group that can match, sorted by form and then by rank.
pub(super) fn rules<'c>(context: &'c Context<'_>, group: &Group) -> Vec<Rule<'c>> {
    let mut rules = Vec::with_capacity(group.rules.len());
    for (_, record) in context.records_at(&group.rules) {
        steps::count(record.value.len());
        let [Some(compiled), _] = Dialect::Rfc9309.row().compile(record.kind, context.value(record)) else {
            continue;
        };
        rules.push(Rule { record, effect: compiled.effect, form: form(&compiled), length: compiled.length });
    }
    rules.sort_by(|a, b| a.form.cmp(&b.form).then_with(|| a.rank().cmp(&b.rank())));
    rules
}

/// Returns the form of a pattern: its pieces, with one mark for each run of wildcards and one mark for an effective
/// anchor. Wildcards at the end are omitted.
fn form(compiled: &CompiledRule<'_>) -> Vec<u8> {
    let mut form = Vec::with_capacity(compiled.bytes.len() + 1);
    for (index, (path, query)) in compiled.pieces().enumerate() {
        if index > 0 && form.last() != Some(&STAR) {
            form.push(STAR);
        }
        form.extend_from_slice(path);
        if path != query {
            form.push(OR_IN_QUERY);
            form.extend_from_slice(query);
        }
    }
    if form.last() == Some(&STAR) {
        form.pop();
    } else if compiled.end == End::Anchored {
        form.push(ANCHOR);
    }
    // Every path starts with a slash, so an empty form matches every URL.
    if form.is_empty() { EVERYTHING.to_vec() } else { form }
}

impl Rule<'_> {
    /// Returns true if the rule matches exactly the URLs that start with its form, and if the rule and its form have
    /// equal lengths.
    pub(super) fn is_plain(&self) -> bool {
        self.form.len() == self.length as usize && self.is_prefix()
    }

    /// Returns true if the rule matches exactly the URLs that start with its form.
    pub(super) fn is_prefix(&self) -> bool {
        !self.form.iter().any(|byte| matches!(*byte, STAR | ANCHOR | OR_IN_QUERY))
    }

    pub(super) fn matches_everything(&self) -> bool {
        self.form == EVERYTHING
    }

    /// Returns the sort key among rules with an equal form. The rule that decides is first.
    pub(super) fn rank(&self) -> (std::cmp::Reverse<u32>, Effect, usize) {
        (std::cmp::Reverse(self.length), self.effect, self.record.line)
    }

    /// Returns true if the rule provably matches every URL that `other` matches.
    ///
    /// The pieces of this rule are searched for in the form of `other`, in order. They contain no wildcard mark, so
    /// each wildcard of `other` is in a part of the form that a wildcard of this rule matches.
    pub(super) fn covers(&self, other: &Rule<'_>) -> bool {
        steps::count(self.form.len() + other.form.len());
        if self.form == other.form || self.matches_everything() {
            return true;
        }
        // The test does not support pieces that differ between path and query.
        if self.form.contains(&OR_IN_QUERY) || (other.form.contains(&OR_IN_QUERY) && !self.is_prefix()) {
            return false;
        }
        let (own, is_anchored) = without_anchor(&self.form);
        let (text, other_is_anchored) = without_anchor(&other.form);
        let mut pieces = own.split(|byte| *byte == STAR);
        let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else { return false };
        let Some(last) = pieces.next_back() else {
            return !is_anchored || (other_is_anchored && rest.is_empty());
        };
        for piece in pieces {
            let Some(at) = memmem::find(rest, piece) else { return false };
            rest = rest.get(at + piece.len()..).unwrap_or_default();
        }
        if is_anchored {
            other_is_anchored && rest.ends_with(last)
        } else {
            memmem::find(rest, last).is_some()
        }
    }

    /// Returns false only if provably no URL matches both rules.
    pub(super) fn may_meet(&self, other: &Rule<'_>) -> bool {
        steps::count(self.form.len() + other.form.len());
        let (head, other_head) = (self.head(), other.head());
        if !head.starts_with(other_head) && !other_head.starts_with(head) {
            return false;
        }
        match (self.tail(), other.tail()) {
            (Some(tail), Some(other)) => tail.ends_with(other) || other.ends_with(tail),
            _ => true,
        }
    }

    /// Returns the common prefix of all URLs that the rule matches. For a pattern that starts with a wildcard, this is
    /// a slash.
    fn head(&self) -> &[u8] {
        let end = self.form.iter().position(|byte| matches!(*byte, STAR | ANCHOR | OR_IN_QUERY));
        let head = self.form.get(..end.unwrap_or(self.form.len())).unwrap_or_default();
        if head.is_empty() { EVERYTHING } else { head }
    }

    /// Returns the common suffix of all URLs that the rule matches, if the pattern is anchored.
    fn tail(&self) -> Option<&[u8]> {
        let (form, is_anchored) = without_anchor(&self.form);
        let start = form.iter().rposition(|byte| *byte == STAR).map_or(0, |at| at + 1);
        let tail = form.get(start..)?;
        (is_anchored && !tail.contains(&OR_IN_QUERY)).then_some(tail)
    }
}

fn without_anchor(form: &[u8]) -> (&[u8], bool) {
    match form {
        [form @ .., ANCHOR] => (form, true),
        _ => (form, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATTERNS: [&str; 24] = [
        "/", "*", "/a", "/a/", "/a/b", "/a*", "/a*b", "/*b", "*b", "/a$", "/a/b$", "/*b$", "/a*b$", "/a*b*a",
        "/*a*b", "/b", "/ab", "/*a", "*/", "/*/", "/a?b", "/*?", "/*%2Fb", "/a%2Fb",
    ];

    /// Returns all paths of a slash and up to four elements of a small alphabet.
    fn paths() -> Vec<String> {
        let mut paths = vec!["/".to_owned()];
        let mut start = 0;
        for _ in 0..4 {
            let end = paths.len();
            for at in start..end {
                for letter in ["a", "b", "/", "?", "%2F"] {
                    let longer = format!("{}{letter}", paths[at]);
                    paths.push(longer);
                }
            }
            start = end;
        }
        paths
    }

    #[test]
    fn claim_about_two_patterns_holds_for_every_path() {
        let file: String = PATTERNS.iter().map(|pattern| format!("Disallow: {pattern}\n")).collect();
        let file = format!("User-agent: *\n{file}");
        let context = Context::new(file.as_bytes());
        let rules = rules(&context, &context.groups[0]);
        let paths = paths();
        let matched: Vec<Vec<bool>> = rules
            .iter()
            .map(|rule| {
                let value = String::from_utf8_lossy(context.value(rule.record)).into_owned();
                let alone = format!("User-agent: *\nDisallow: {value}\n");
                let robots = crate::robots::RobotsTxt::parse(&alone);
                let rules = robots.rules_for(&crate::robots::Agent::unchecked_token("x"));
                paths
                    .iter()
                    .map(|path| !rules.is_allowed(&format!("http://h{path}")).expect("a URL"))
                    .collect()
            })
            .collect();
        let (mut covered, mut apart) = (0, 0);
        for (a, in_a) in rules.iter().zip(&matched) {
            for (b, in_b) in rules.iter().zip(&matched) {
                let names =
                    || [a, b].map(|rule| String::from_utf8_lossy(context.value(rule.record)).into_owned());
                if a.covers(b) {
                    covered += 1;
                    let outside = paths.iter().zip(in_a.iter().zip(in_b)).find(|(_, (a, b))| **b && !**a);
                    assert!(outside.is_none(), "{:?}: {outside:?}", names());
                }
                if !a.may_meet(b) {
                    apart += 1;
                    let both = paths.iter().zip(in_a.iter().zip(in_b)).find(|(_, (a, b))| **a && **b);
                    assert!(both.is_none(), "{:?}: {both:?}", names());
                }
            }
        }
        assert!(covered > 150 && apart > 40, "{covered} covered, {apart} apart");
    }
}
