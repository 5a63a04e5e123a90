//! Tells how much of a site is open to a crawler: all, part or nothing of it.
//!
//! Among the rules in order of precedence, the first that matches every URL (`Disallow: /`) is the last one that counts:
//! rules below it never decide. Rules above it that say the opposite are exceptions, provided that one of them decides
//! some URL. An example shows that: a URL is made from the pattern of the exception, and decided.

use super::dialects::{Precedence, Row};
use super::matching::encode::push_percent;
use super::matching::pattern::{End, LineEnds, Pattern};
use super::rules::Rules;
use super::rules::rule::Rule;
use crate::words::words;

words! {
    /// The part of a site that a crawler may fetch. `/robots.txt` does not count, nor does a rule with just that pattern,
    /// since it is always allowed.
    Access as "access" {
        /// Every URL.
        Allowed = "allowed",
        /// Some URLs and not others.
        Partly = "partly",
        /// No URL.
        Disallowed = "disallowed",
    }
}

/// The extent to which [`Rules`] open a site as a whole; see [`Rules::extent`].
#[derive(Clone, Copy, Debug)]
pub struct Extent<'r> {
    access: Access,
    is_open: bool,
    rule: Option<Rule<'r>>,
    exception: Option<Rule<'r>>,
    exceptions: usize,
}

impl<'r> Extent<'r> {
    /// Returns how much of the site may be fetched.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Returns what holds where no exception does: whether a URL that no particular rule matches may be fetched.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns the rule that matches every URL, if there is one.
    pub fn rule(&self) -> Option<Rule<'r>> {
        self.rule
    }

    /// Returns the first rule, in order of precedence, that decides a URL otherwise; `None` unless the access is
    /// [`Access::Partly`].
    pub fn exception(&self) -> Option<Rule<'r>> {
        self.exception
    }

    /// Returns how many rules say otherwise and rank above [`Extent::rule`]. Some of them may in turn be outranked everywhere.
    /// 0 unless the access is [`Access::Partly`].
    pub fn exceptions(&self) -> usize {
        self.exceptions
    }
}

/// The number of exceptions that are tried. If none of these decides an example, the others are assumed to decide some
/// URL.
const TRIED: usize = 256;

/// The texts that replace a `*` in URLs made from patterns, and follow a pattern that is open at its end: nothing, or
/// letters that no rule of a real file names.
const FILLS: [(&str, &str); 3] = [("", ""), ("", "zqx"), ("zqx", "zqx")];

impl Rules {
    /// Returns how much of a site is open to the crawler.
    ///
    /// *Disallowed* means that a rule forbids every URL (`/`, `*`, `/*`, …), and that no rule of higher precedence allows
    /// any. *Allowed* means the reverse; it also holds where no rule matches every URL. *Partly* means that a rule of
    /// higher precedence decides some URL otherwise. That is shown by URLs made from its pattern, with its `*`s filled
    /// and its end kept or lengthened. Only the 256 highest ranking exceptions are tried; if all of them are outranked,
    /// the answer is *partly* without proof. *Disallowed* and *allowed* rest on examples: an exception that is outranked
    /// for its three examples and nowhere else goes unnoticed.
    ///
    /// ```
    /// use comity::robots::{Access, Agent, RobotsTxt};
    ///
    /// let access = |rules: &str| {
    ///     let robots = RobotsTxt::parse(&format!("User-agent: *\n{rules}")).into_owned();
    ///     robots.rules_for(&Agent::token("examplebot")).extent().access()
    /// };
    /// assert_eq!(access("Disallow: /"), Access::Disallowed);
    /// assert_eq!(access("Disallow: /\nAllow: /public/"), Access::Partly);
    /// assert_eq!(access("Disallow: /private/"), Access::Partly);
    /// assert_eq!(access("Disallow: /private/\nAllow: /private/"), Access::Allowed);
    /// assert_eq!(access("Disallow:"), Access::Allowed);
    /// ```
    pub fn extent(&self) -> Extent<'_> {
        let rule = self.iter().find(matches_everything);
        let is_open = rule.is_none_or(|rule| rule.allows());
        // Where the length of the match decides, a rule that ranks below may match as much of a URL, and a tie allows.
        let may_tie = self.row().precedence == Precedence::LongestMatch;
        let exceptions = || {
            let ranking_above = self.iter().take_while(move |candidate| may_tie || Some(*candidate) != rule);
            ranking_above.filter(move |candidate| candidate.allows() != is_open && !is_robots_txt(candidate))
        };
        let tried = exceptions().take(TRIED).find(|exception| self.decides_some(exception));
        let exception = tried.or_else(|| exceptions().nth(TRIED));
        let access = match (exception, is_open) {
            (Some(_), _) => Access::Partly,
            (None, true) => Access::Allowed,
            (None, false) => Access::Disallowed,
        };
        let exceptions = if exception.is_some() { exceptions().count() } else { 0 };
        Extent { access, is_open, rule, exception, exceptions }
    }

    /// Returns true if some URL that `exception` matches is decided as it says.
    fn decides_some(&self, exception: &Rule<'_>) -> bool {
        let row = self.row();
        let mut derived = None;
        let pattern = exception.entry.pattern(row, &mut derived);
        FILLS.iter().any(|(star, tail)| {
            let url = example(&pattern, row, star, tail);
            let Ok(target) = row.target(&url) else { return false };
            let is_matched = pattern.matches(&target, row.line_ends);
            is_matched && self.decide_target(&target).rule().is_some_and(|r| r.allows() == exception.allows())
        })
    }
}

/// Returns true if a rule matches every URL: wildcards after a slash or alone, with no end, or with one that a wildcard meets.
fn matches_everything(rule: &Rule<'_>) -> bool {
    let pattern = rule.normalized_pattern();
    let (body, is_anchored) = match pattern.as_slice() {
        [body @ .., b'$'] => (body, true),
        body => (body, false),
    };
    let stars = body.strip_prefix(b"/").unwrap_or(body);
    // In those dialects a wildcard before a `$` does not cross an encoded line end.
    let stops_at_line_end = rule.rules.row().line_ends == LineEnds::StopStars;
    stars.iter().all(|byte| *byte == b'*') && (!is_anchored || !(stars.is_empty() || stops_at_line_end))
}

/// Returns true if a rule is about `/robots.txt` alone, which needs no rule.
fn is_robots_txt(rule: &Rule<'_>) -> bool {
    rule.pattern().strip_suffix(b"$").unwrap_or(rule.pattern()) == b"/robots.txt"
}

/// Returns a URL that a pattern matches: its `*`s replaced, and lengthened where its end is open. It has a host, since
/// some dialects' programs take the `x` of `//x` for one.
fn example(pattern: &Pattern<'_>, row: &Row, star: &str, tail: &str) -> Vec<u8> {
    let mut url = b"http://example.com".to_vec();
    match pattern.bytes.first() {
        Some(b'/') => {}
        // In those dialects a rule may also match after a line end.
        Some(&byte) if row.line_ends == LineEnds::StartLines && pattern.star != Some(byte) => {
            url.extend_from_slice(b"/%0A");
        }
        _ => url.push(b'/'),
    }
    for &byte in pattern.bytes {
        if pattern.star == Some(byte) {
            url.extend_from_slice(star.as_bytes());
        } else if (row.has_to_encode)(byte) {
            push_percent(&mut url, byte);
        } else {
            url.push(byte);
        }
    }
    if pattern.end == End::Open {
        url.extend_from_slice(tail.as_bytes());
    }
    url
}
