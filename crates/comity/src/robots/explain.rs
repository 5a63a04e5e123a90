//! Contenders: every rule that matched a URL, and why all but one lose.

use super::dialects::Precedence;
use super::matching::target::UrlError;
use super::rules::Rules;
use super::rules::rule::Rule;
use crate::words::words;

/// A rule that matched, and what became of it.
#[derive(Clone, Copy, Debug)]
pub struct Contender<'r> {
    rule: Rule<'r>,
    outcome: RuleOutcome,
}

impl<'r> Contender<'r> {
    fn new(rule: Rule<'r>, outcome: RuleOutcome) -> Self {
        Contender { rule, outcome }
    }

    /// Returns the rule.
    pub fn rule(&self) -> Rule<'r> {
        self.rule
    }

    /// Returns what became of it.
    pub fn outcome(&self) -> RuleOutcome {
        self.outcome
    }
}

words! {
    /// The reason why a rule that matched decides or loses.
    RuleOutcome as "outcome" {
        /// It decides.
        Decides = "decides",
        /// It loses to a longer pattern.
        Shorter = "shorter",
        /// It disallows, and an `Allow` of the same length wins the tie.
        TieAllows = "tie_allows",
        /// It says the same as the deciding rule, has the same length, and stands further down.
        SameLater = "same_later",
        /// It loses to a rule that stands before it.
        LaterInFile = "later_in_file",
        /// It does not count, because `/robots.txt` is always allowed.
        RobotsTxtIsAlwaysAllowed = "robots_txt_is_always_allowed",
    }
}

impl RuleOutcome {
    /// Returns the outcome in a few words.
    pub const fn reason(self) -> &'static str {
        match self {
            RuleOutcome::Decides => "decides",
            RuleOutcome::Shorter => "a longer pattern wins",
            RuleOutcome::TieAllows => "as long, and a tie allows",
            RuleOutcome::SameLater => "says the same, further down",
            RuleOutcome::LaterInFile => "an earlier rule matched first",
            RuleOutcome::RobotsTxtIsAlwaysAllowed => "/robots.txt is always allowed",
        }
    }
}

impl Rules {
    /// Returns every rule that matches a URL, in order of precedence, with what became of it: the one that decides first.
    /// [`RobotsTxt::explain`](super::RobotsTxt::explain) has them with the decision and the groups of the file.
    ///
    /// # Errors
    ///
    /// As for [`Rules::decide`].
    pub fn contenders<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> Result<Vec<Contender<'_>>, UrlError> {
        let decided = self.decide(url)?.rule();
        let Ok(target) = self.row().target(url.as_ref()) else { return Ok(Vec::new()) };
        let matching = self.iter().filter(|rule| self.matches(&rule.entry, &target));
        Ok(matching.map(|rule| Contender::new(rule, self.outcome(&rule, decided))).collect())
    }

    /// Returns what became of a rule that matched, given the one that decided.
    fn outcome(&self, rule: &Rule<'_>, decided: Option<Rule<'_>>) -> RuleOutcome {
        let Some(decided) = decided else { return RuleOutcome::RobotsTxtIsAlwaysAllowed };
        if *rule == decided {
            return RuleOutcome::Decides;
        }
        match self.row().precedence {
            Precedence::FileOrder => RuleOutcome::LaterInFile,
            Precedence::Longest if rule.length() < decided.length() => RuleOutcome::Shorter,
            Precedence::Longest if rule.allows() == decided.allows() => RuleOutcome::SameLater,
            Precedence::Longest => RuleOutcome::TieAllows,
        }
    }
}
