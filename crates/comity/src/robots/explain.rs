//! Explanations: a decision with every rule that matched, and why the others lose.

use super::decision::Decision;
use super::dialects::Precedence;
use super::matching::target::UrlError;
use super::rules::Rules;
use super::rules::rule::Rule;
use crate::words::words;

/// A [`Decision`] with every rule that matched, in order of precedence.
#[derive(Clone, Debug)]
pub struct Explanation<'r> {
    decision: Decision<'r>,
    contenders: Vec<Contender<'r>>,
}

impl<'r> Explanation<'r> {
    fn new(decision: Decision<'r>, contenders: Vec<Contender<'r>>) -> Self {
        Explanation { decision, contenders }
    }

    /// The decision.
    pub fn decision(&self) -> &Decision<'r> {
        &self.decision
    }

    /// Every rule that matched, the one that decided first.
    pub fn contenders(&self) -> &[Contender<'r>] {
        &self.contenders
    }
}

/// A rule that matched, and what became of it.
#[derive(Clone, Copy, Debug)]
pub struct Contender<'r> {
    rule: Rule<'r>,
    outcome: Outcome,
}

impl<'r> Contender<'r> {
    fn new(rule: Rule<'r>, outcome: Outcome) -> Self {
        Contender { rule, outcome }
    }

    /// The rule.
    pub fn rule(&self) -> Rule<'r> {
        self.rule
    }

    /// What became of it.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }
}

words! {
    /// Why a rule that matched decides, or loses.
    Outcome as "outcome" {
        /// It decides.
        Decides = "decides",
        /// It loses to a longer pattern.
        Shorter = "shorter",
        /// It disallows, and an `Allow` of the same length wins the tie.
        TieAllows = "tie_allows",
        /// It says the same as the deciding rule, with the same length, further down.
        SameLater = "same_later",
        /// It loses to a rule that stands before it.
        LaterInFile = "later_in_file",
        /// It does not count, because `/robots.txt` is always allowed.
        RobotsTxtIsAlwaysAllowed = "robots_txt_is_always_allowed",
    }
}

impl Outcome {
    /// The outcome in a few words.
    pub const fn reason(self) -> &'static str {
        match self {
            Outcome::Decides => "decides",
            Outcome::Shorter => "a longer pattern wins",
            Outcome::TieAllows => "as long, and a tie allows",
            Outcome::SameLater => "says the same, further down",
            Outcome::LaterInFile => "an earlier rule matched first",
            Outcome::RobotsTxtIsAlwaysAllowed => "/robots.txt is always allowed",
        }
    }
}

impl Rules {
    /// Decides one URL and says of every rule what became of it.
    ///
    /// # Errors
    ///
    /// As for [`Rules::decide`].
    pub fn explain<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> Result<Explanation<'_>, UrlError> {
        let decision = self.decide(url)?;
        let Ok(target) = self.row().target(url.as_ref()) else {
            return Ok(Explanation::new(decision, Vec::new()));
        };
        let matching = self.iter().filter(|rule| self.matches(&rule.entry, &target));
        let contenders =
            matching.map(|rule| Contender::new(rule, self.outcome(&rule, decision.rule()))).collect();
        Ok(Explanation::new(decision, contenders))
    }

    /// What became of a rule that matched, given the one that decided.
    fn outcome(&self, rule: &Rule<'_>, decided: Option<Rule<'_>>) -> Outcome {
        let Some(decided) = decided else { return Outcome::RobotsTxtIsAlwaysAllowed };
        if *rule == decided {
            return Outcome::Decides;
        }
        match self.row().precedence {
            Precedence::FileOrder => Outcome::LaterInFile,
            Precedence::Longest if rule.length() < decided.length() => Outcome::Shorter,
            Precedence::Longest if rule.allows() == decided.allows() => Outcome::SameLater,
            Precedence::Longest => Outcome::TieAllows,
        }
    }
}
