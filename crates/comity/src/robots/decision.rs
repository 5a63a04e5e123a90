//! Decisions: a verdict with its evidence.

use std::fmt;

use super::dialect::Dialect;
use super::rule::Rule;
use super::rules::Rules;
use crate::policy::{Recommendation, Verdict};

/// What the rules say about one URL, and why.
#[derive(Clone, Copy, PartialEq)]
pub struct Decision<'r> {
    verdict: Verdict,
    basis: Basis,
    rule: Option<Rule<'r>>,
    group: Option<&'r str>,
    dialect: Dialect,
}

/// What a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Basis {
    /// A rule matched.
    Rule,
    /// The crawler's group has no rule that matches.
    NoRule,
    /// No group speaks to the crawler.
    NoGroup,
    /// The URL is `/robots.txt` itself (RFC 9309 §2.2.2).
    RobotsTxt,
}

impl<'r> Decision<'r> {
    pub(super) fn by(rules: &'r Rules, rule: Option<Rule<'r>>) -> Self {
        let (verdict, basis) = match rule {
            Some(rule) if rule.allows() => (Verdict::AllowedExplicit, Basis::Rule),
            Some(_) => (Verdict::DisallowedExplicit, Basis::Rule),
            None if rules.group().is_some() => (Verdict::AllowedImplicit, Basis::NoRule),
            None => (Verdict::AllowedImplicit, Basis::NoGroup),
        };
        Decision { verdict, basis, rule, group: rules.group(), dialect: rules.dialect() }
    }

    pub(super) fn robots_txt(rules: &'r Rules) -> Self {
        Decision { verdict: Verdict::AllowedImplicit, basis: Basis::RobotsTxt, ..Decision::by(rules, None) }
    }

    /// What the rules say.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// What a well-behaved program does about it.
    pub fn recommendation(&self) -> Recommendation {
        self.verdict.recommendation()
    }

    /// Whether the rules allow the fetch.
    pub fn is_allowed(&self) -> bool {
        self.verdict != Verdict::DisallowedExplicit
    }

    /// What the verdict rests on.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// The rule that decided, if one did.
    pub fn rule(&self) -> Option<Rule<'r>> {
        self.rule
    }

    /// The name by which the group was chosen; see [`Rules::group`].
    pub fn group(&self) -> Option<&'r str> {
        self.group
    }

    /// The dialect that was applied.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }
}

impl fmt::Debug for Decision<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decision")
            .field("verdict", &self.verdict)
            .field("rule", &self.rule)
            .field("group", &self.group)
            .field("dialect", &self.dialect.name())
            .finish()
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Decision<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut fields = serializer.serialize_struct("Decision", 6)?;
        fields.serialize_field("verdict", &self.verdict)?;
        fields.serialize_field("recommendation", &self.recommendation())?;
        fields.serialize_field("rule", &self.rule)?;
        fields.serialize_field("group", &self.group)?;
        fields.serialize_field("dialect", &self.dialect)?;
        fields.serialize_field("basis", &self.basis)?;
        fields.end()
    }
}

/// A [`Decision`] with every rule that matched, in order of precedence.
#[derive(Clone, Debug)]
pub struct Explanation<'r> {
    decision: Decision<'r>,
    contenders: Vec<Contender<'r>>,
}

impl<'r> Explanation<'r> {
    pub(super) fn new(decision: Decision<'r>, contenders: Vec<Contender<'r>>) -> Self {
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
    pub(super) fn new(rule: Rule<'r>, outcome: Outcome) -> Self {
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

/// Why a rule that matched decides, or loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Outcome {
    /// It decides.
    Decides,
    /// It loses to a longer pattern.
    Shorter,
    /// It disallows, and an `Allow` of the same length wins the tie.
    TieAllows,
    /// It says the same as the deciding rule, with the same length, further down.
    SameLater,
    /// It loses to a rule that stands before it.
    LaterInFile,
    /// It does not count, because `/robots.txt` is always allowed.
    RobotsTxtIsAlwaysAllowed,
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
