//! The type of a rule for decisions and explanations.
//!
//! A rule is a view into [`Rules`]. Its line and its length are rarely needed and are computed on request.

use std::fmt;

use super::Rules;
use super::entries::{PackedRule, RulePlace};
use crate::robots::matching::pattern::{Effect, End};
use crate::robots::read::directive::RecordKind;

/// One rule of [`Rules`].
#[derive(Clone, Copy)]
pub struct Rule<'r> {
    pub(crate) entry: PackedRule<'r>,
    pub(crate) place: RulePlace,
    pub(crate) rules: &'r Rules,
}

impl<'r> Rule<'r> {
    /// Returns the kind as written: `Allow` or `Disallow`.
    pub fn kind(&self) -> RecordKind {
        self.entry.kind()
    }

    /// Returns true if the rule allows the URLs that it matches. The result differs from [`Rule::kind`] if the dialect
    /// interprets an empty `Disallow` as an `Allow`, or an empty `Allow` as a `Disallow`.
    pub fn allows(&self) -> bool {
        self.entry.effect() == Effect::Allow
    }

    /// Returns the path pattern as written.
    pub fn pattern(&self) -> &'r [u8] {
        self.entry.written()
    }

    /// Returns the path pattern in readable form.
    pub fn pattern_text(&self) -> std::borrow::Cow<'r, str> {
        crate::shown::bytes(self.pattern())
    }

    /// Returns the path pattern in the form that the dialect compares. Two rules with the same effect and equal
    /// normalized patterns match the same URLs.
    ///
    /// ```
    /// use comity::robots::{Agent, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nDisallow: /%7ejoe/caf\u{e9}*$\n");
    /// let rules = robots.rules_for(&Agent::unchecked_token("examplebot"));
    /// let rule = rules.iter().next().unwrap();
    /// assert_eq!(rule.normalized_pattern(), b"/~joe/caf%C3%A9*$");
    /// ```
    pub fn normalized_pattern(&self) -> Vec<u8> {
        let mut derived = None;
        let pattern = self.entry.pattern(self.rules.row(), &mut derived);
        let mut text = Vec::with_capacity(pattern.bytes.len() + 1);
        for &byte in pattern.bytes {
            match byte {
                _ if pattern.star == Some(byte) => text.push(b'*'),
                b'*' => text.extend_from_slice(b"%2A"),
                _ => text.push(byte),
            }
        }
        match (pattern.end, text.last()) {
            (End::Open, Some(b'$')) => {
                text.pop();
                text.extend_from_slice(b"%24");
            }
            (End::Open, _) => {}
            _ => text.push(b'$'),
        }
        text
    }

    /// Returns the line of the rule from a list of the lines of all rules ([`StoredRules::lines`]).
    pub(crate) fn line_in(&self, lines: &[(u32, Vec<u32>)]) -> u32 {
        let run = lines.binary_search_by_key(&self.place.run, |(run, _)| *run);
        run.ok().and_then(|run| lines[run].1.get(self.place.nth as usize)).copied().unwrap_or_default()
    }

    /// Returns the lines of all rules of a set, for many calls of [`line_in`](Rule::line_in).
    pub(crate) fn lines_of(rules: &Rules) -> Vec<(u32, Vec<u32>)> {
        rules.stored().lines()
    }

    /// Returns the 1-based line of the rule in the file.
    pub fn line(&self) -> u32 {
        self.rules.stored().line_of(self.place)
    }

    /// Returns the length that determines precedence: a number of bytes in most dialects, and of characters in some.
    /// The length has no meaning in dialects in which the first match decides.
    pub fn length(&self) -> u32 {
        // The length is not stored, since only explanations need it.
        let compiled = self.rules.row().compile(self.kind(), self.pattern());
        let mut derived = None;
        let pattern = self.entry.pattern(self.rules.row(), &mut derived);
        compiled.iter().flatten().find(|c| *c.bytes == *pattern.bytes).map_or(0, |compiled| compiled.length)
    }
}

impl Rules {
    /// Returns the rules, in order of precedence.
    pub fn iter(&self) -> impl Iterator<Item = Rule<'_>> {
        self.stored().entries().places().map(move |(place, entry)| Rule { entry, place, rules: self })
    }

    /// Returns the rule at `place`.
    pub(crate) fn rule_at(&self, place: RulePlace) -> Option<Rule<'_>> {
        let entry = self.stored().entries().at(place)?;
        Some(Rule { entry, place, rules: self })
    }
}

impl fmt::Debug for Rule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.line(), self.kind().label(), self.pattern_text())
    }
}

impl PartialEq for Rule<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.place == other.place && std::ptr::eq(self.rules, other.rules)
    }
}
