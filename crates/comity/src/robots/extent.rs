//! The extent of a site that is open to a crawler: all, part or nothing of it.
//!
//! Rules are examined in order of precedence. Rules after the first rule that matches every URL, such as `Disallow: /`,
//! never decide, except in dialects where the longest match decides: there, a later rule can win a tie. A rule with the
//! opposite verdict that can still decide is an exception. An exception is confirmed by an example: a URL that is built
//! from its pattern, and for which a rule with its verdict decides.

use super::dialects::{Precedence, Row};
use super::matching::encode::push_percent;
use super::matching::pattern::{End, LineEnds, Pattern};
use super::rules::Rules;
use super::rules::rule::Rule;
use crate::words::words;

words! {
    /// The part of a site that a crawler may fetch. `/robots.txt` and rules for exactly that path are ignored, even in
    /// dialects that can disallow it.
    Access as "access" {
        /// Every URL.
        Allowed = "allowed",
        /// Some URLs, but not all.
        Partly = "partly",
        /// No URL.
        Disallowed = "disallowed",
    }
}

/// The part of a site that [`Rules`] open to a crawler; see [`Rules::extent`].
#[derive(Clone, Copy, Debug)]
pub struct Extent<'r> {
    access: Access,
    is_open: bool,
    rule: Option<Rule<'r>>,
    exception: Option<Rule<'r>>,
    exceptions: usize,
}

impl<'r> Extent<'r> {
    /// Returns the part of the site that may be fetched.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Returns true if a URL that no exception matches may be fetched.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns the rule that matches every URL, if there is one.
    pub fn rule(&self) -> Option<Rule<'r>> {
        self.rule
    }

    /// Returns the first rule, in order of precedence, that decides some URL differently. Returns `None` unless the
    /// access is [`Access::Partly`].
    pub fn exception(&self) -> Option<Rule<'r>> {
        self.exception
    }

    /// Returns the number of possible exceptions: rules with the opposite verdict that [`Extent::rule`] does not always
    /// outrank, or all `Disallow` rules if no rule matches every URL. Some of them may never decide, because other
    /// rules outrank them for every URL. Returns 0 unless the access is [`Access::Partly`].
    pub fn exceptions(&self) -> usize {
        self.exceptions
    }
}

/// Maximum number of exceptions to try. If none of them decides one of its examples, the next exception is assumed to
/// decide some URL.
const MAX_TRIES: usize = 256;

/// Texts for example URLs: a replacement for each `*`, and a suffix for patterns with an open end. The letters do not
/// occur in rules of real files.
const FILLS: [(&str, &str); 3] = [("", ""), ("", "zqx"), ("zqx", "zqx")];

impl Rules {
    /// Returns the part of the site that is open to the crawler.
    ///
    /// *Disallowed* means that a rule forbids every URL (`/`, `*`, `/*`, …), and that no exception was found. *Allowed*
    /// means that a rule allows every URL or that no rule matches every URL, and that no exception was found. *Partly*
    /// means that an exception was found: a rule of higher precedence that decides some URL with the opposite verdict.
    ///
    /// An exception is tested with three example URLs that are built from its pattern: each `*` is replaced, and an
    /// open end may be extended. An exception that decides other URLs, but none of its examples, is not found. Only the
    /// 256 exceptions of highest precedence are tested. If there are more and none of the 256 decides an example, the
    /// result is *partly*.
    ///
    /// ```
    /// use comity::robots::{Access, Agent, RobotsTxt};
    ///
    /// let access = |rules: &str| {
    ///     let robots = RobotsTxt::parse(&format!("User-agent: *\n{rules}")).into_owned();
    ///     robots.rules_for(&Agent::unchecked_token("examplebot")).extent().access()
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
        let exceptions = || self.exceptions_to(rule);
        let tried = exceptions().take(MAX_TRIES).find(|exception| self.decides_some(exception));
        let exception = tried.or_else(|| exceptions().nth(MAX_TRIES));
        let access = match (exception, is_open) {
            (Some(_), _) => Access::Partly,
            (None, true) => Access::Allowed,
            (None, false) => Access::Disallowed,
        };
        let exceptions = if exception.is_some() { exceptions().count() } else { 0 };
        Extent { access, is_open, rule, exception, exceptions }
    }

    /// Returns the rules that [`Extent::exceptions`] counts if the access is [`Access::Partly`], in order of
    /// precedence.
    ///
    /// ```
    /// use comity::robots::{Agent, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nDisallow: /a\nAllow: /\nDisallow: /robots.txt\n");
    /// let rules = robots.rules_for(&Agent::unchecked_token("examplebot"));
    /// let patterns: Vec<_> = rules.exceptions().map(|rule| rule.pattern().to_vec()).collect();
    /// assert_eq!(patterns, [b"/a"]);
    /// ```
    pub fn exceptions(&self) -> impl Iterator<Item = Rule<'_>> {
        self.exceptions_to(self.iter().find(matches_everything))
    }

    /// Returns the possible exceptions to the rule that matches every URL.
    fn exceptions_to<'r>(&'r self, rule: Option<Rule<'r>>) -> impl Iterator<Item = Rule<'r>> {
        let is_open = rule.is_none_or(|rule| rule.allows());
        // If the length of the match determines precedence, a rule of lower rank may match an equally long part of a
        // URL. An `Allow` then wins the tie.
        let may_tie = self.row().precedence == Precedence::LongestMatch;
        let ranking_above = self.iter().take_while(move |candidate| may_tie || Some(*candidate) != rule);
        ranking_above.filter(move |candidate| candidate.allows() != is_open && !is_robots_txt(candidate))
    }

    /// Returns true if a rule with the verdict of `exception` decides one of its example URLs.
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

/// Returns true if a rule matches every URL: its pattern is `/`, or consists of wildcards with or without a slash
/// before them. A `$` at the end must follow a wildcard.
fn matches_everything(rule: &Rule<'_>) -> bool {
    let pattern = rule.normalized_pattern();
    let (body, is_anchored) = match pattern.as_slice() {
        [body @ .., b'$'] => (body, true),
        body => (body, false),
    };
    let stars = body.strip_prefix(b"/").unwrap_or(body);
    // In these dialects a wildcard before a `$` does not match an encoded line end.
    let stops_at_line_end = rule.rules.row().line_ends == LineEnds::StopStars;
    stars.iter().all(|byte| *byte == b'*') && (!is_anchored || !(stars.is_empty() || stops_at_line_end))
}

/// Returns true if the pattern of a rule is `/robots.txt`.
fn is_robots_txt(rule: &Rule<'_>) -> bool {
    rule.pattern().strip_suffix(b"$").unwrap_or(rule.pattern()) == b"/robots.txt"
}

/// Returns a URL that a pattern matches: `star` replaces each `*`, and `tail` follows an open end. The URL has a host,
/// because some dialects would read the `x` of the path `//x` as a host.
fn example(pattern: &Pattern<'_>, row: &Row, star: &str, tail: &str) -> Vec<u8> {
    let mut url = b"http://example.com".to_vec();
    match pattern.bytes.first() {
        Some(b'/') => {}
        // In these dialects a rule may also match after a line end.
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
