//! Contenders: every rule that matches a URL, with the reason why it decides or loses.

use super::dialects::{Dialect, Precedence};
use super::matching::target::{Target, UrlError};
use super::rules::Rules;
use super::rules::rule::Rule;
use crate::words::words;

/// A rule that matched, and its outcome.
#[derive(Clone, Copy, Debug)]
pub struct Contender<'r> {
    rule: Rule<'r>,
    outcome: RuleOutcome,
    length: u32,
    dialect: Dialect,
}

impl<'r> Contender<'r> {
    /// Returns the rule.
    pub fn rule(&self) -> Rule<'r> {
        self.rule
    }

    /// Returns the outcome of the rule.
    pub fn outcome(&self) -> RuleOutcome {
        self.outcome
    }

    /// Returns the outcome in a few words.
    pub const fn reason(&self) -> &'static str {
        match self.outcome {
            RuleOutcome::Decides => "decides",
            RuleOutcome::Shorter if self.dialect.is_longest_match() => "a longer match wins",
            RuleOutcome::Shorter => "a longer pattern wins",
            RuleOutcome::TieAllows => "equal length, and a tie allows",
            RuleOutcome::SameLater => "equal effect, later in the file",
            RuleOutcome::LaterInFile => "an earlier rule matched first",
            RuleOutcome::RobotsTxtIsAlwaysAllowed => "/robots.txt is always allowed",
        }
    }

    /// Returns the length that determines precedence for this URL: [`Rule::length`], or the length of the match in some
    /// dialects.
    pub fn length(&self) -> u32 {
        self.length
    }
}

words! {
    /// The reason why a rule that matched decides or loses.
    RuleOutcome as "outcome" {
        /// The rule decides.
        Decides = "decides",
        /// A longer pattern wins, or in some dialects a longer match.
        Shorter = "shorter",
        /// The rule disallows, and an `Allow` of equal length wins the tie.
        TieAllows = "tie_allows",
        /// The rule has the effect and the length of the deciding rule, and is later in the file.
        SameLater = "same_later",
        /// An earlier rule of the file wins.
        LaterInFile = "later_in_file",
        /// The rule is ignored, because `/robots.txt` is always allowed.
        RobotsTxtIsAlwaysAllowed = "robots_txt_is_always_allowed",
    }
}

impl Rules {
    /// Returns every rule that matches a URL, with its outcome, in order of precedence: the deciding rule, if any,
    /// comes first. [`RobotsTxt::explain`](super::RobotsTxt::explain) returns them together with the decision and the
    /// groups of the file.
    ///
    /// # Errors
    ///
    /// Returns [`UrlError`] in the cases of [`Rules::decide`].
    pub fn contenders<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> Result<Vec<Contender<'_>>, UrlError> {
        let decided = self.decide(url)?.rule();
        let Ok(target) = self.row().target(url.as_ref()) else { return Ok(Vec::new()) };
        let lengths = self.iter().filter_map(|rule| Some((rule, self.counted_length(&rule, &target)?)));
        let mut matching: Vec<(Rule<'_>, u32)> = lengths.collect();
        if self.row().precedence == Precedence::LongestMatch {
            matching.sort_by_key(|(rule, length)| (std::cmp::Reverse(*length), !rule.allows()));
        }
        let decided = decided
            .map(|rule| (rule, matching.iter().find(|(r, _)| *r == rule).map_or(0, |(_, length)| *length)));
        let contender = |(rule, length)| Contender {
            rule,
            outcome: self.outcome(&rule, length, decided),
            length,
            dialect: self.dialect(),
        };
        Ok(matching.into_iter().map(contender).collect())
    }

    /// Returns the length that determines the precedence of a rule, or `None` if the rule does not match.
    fn counted_length(&self, rule: &Rule<'_>, target: &Target<'_>) -> Option<u32> {
        match self.row().precedence {
            Precedence::LongestMatch => {
                rule.entry.pattern(self.row(), &mut None).match_length(target).map(|length| length as u32)
            }
            _ => self.matches(&rule.entry, target).then(|| rule.length()),
        }
    }

    /// Returns the outcome of a rule that matched, given the rule that decided.
    fn outcome(&self, rule: &Rule<'_>, length: u32, decided: Option<(Rule<'_>, u32)>) -> RuleOutcome {
        let Some((decided, longest)) = decided else { return RuleOutcome::RobotsTxtIsAlwaysAllowed };
        if *rule == decided {
            return RuleOutcome::Decides;
        }
        match self.row().precedence {
            Precedence::FileOrder => RuleOutcome::LaterInFile,
            _ if length < longest => RuleOutcome::Shorter,
            _ if rule.allows() == decided.allows() => RuleOutcome::SameLater,
            _ => RuleOutcome::TieAllows,
        }
    }
}
