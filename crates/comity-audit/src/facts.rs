//! What the columns say of a row, worked out once for each thing that a subject says.

use comity::robots::{Basis, Decision, Rules};

use crate::cache::NONE;
use crate::output::{self, NO_WORD};
use crate::subject::Standing;

/// The values of a row's columns, in a form so small that the facts of many rows stay in the processor's cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    words: [u8; 5],
    /// [`UNKNOWN`] if not known.
    pub stale: u8,
    /// 0 if there is none.
    pub line: u32,
    pub rule: u32,
    pub group: u32,
    /// Negative if there is none.
    pub crawl_delay: f64,
}

/// The largest number of bytes of a text that are shown: whoever writes a robots.txt must not fill a column with it.
const MOST_TEXT: usize = 1024;

/// Returns the part of a text that is shown.
pub(crate) fn shown(text: &str) -> &str {
    let end = (0..=MOST_TEXT.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// A column of few words.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {
    Verdict,
    Recommendation,
    Kind,
    Basis,
    Treatment,
}

/// Stands for an answer of which it is not known whether it is stale.
pub(crate) const UNKNOWN: u8 = 2;

impl Facts {
    /// The facts of a row with an error: it has no values.
    pub(crate) const ERROR: Facts =
        Facts { words: [NO_WORD; 5], stale: UNKNOWN, line: 0, rule: NONE, group: NONE, crawl_delay: -1.0 };

    /// The number of a word, or [`NO_WORD`].
    #[inline]
    pub(crate) fn word(&self, word: Word) -> u8 {
        self.words[word as usize]
    }

    /// Returns whether the row has an error: everything that was decided has a verdict.
    pub(crate) fn is_error(&self) -> bool {
        self.word(Word::Verdict) == NO_WORD
    }

    /// Returns whether it may be fetched: recommended, or allowed with a warning.
    pub(crate) fn is_allowed(&self) -> bool {
        let word = output::RECOMMENDATION_WORDS.get(usize::from(self.word(Word::Recommendation)));
        matches!(word, Some(&"recommended" | &"allowed_but_warn"))
    }
}

/// The key that facts are found by. A rule is identified by the place where its pattern is kept, which no other rule
/// shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FactKey {
    subject: u32,
    pattern: (usize, usize),
    allows: bool,
    basis: u8,
    treatment: u8,
    stale: u8,
}

impl FactKey {
    /// The key of no facts.
    pub(crate) const NONE: FactKey =
        FactKey { subject: NONE, pattern: (0, 0), allows: false, basis: 0, treatment: 0, stale: 0 };

    #[inline]
    pub(crate) fn new(subject: u32, is_timed: bool, standing: &Standing, decision: &Decision<'_>) -> Self {
        let is_fixed = standing.fixed.is_some() && decision.basis() != Basis::RobotsTxt;
        let pattern = decision.rule().filter(|_| !is_fixed).map(|rule| rule.pattern());
        FactKey {
            subject,
            pattern: pattern.map_or((0, 0), |pattern| (pattern.as_ptr().addr(), pattern.len())),
            allows: decision.is_allowed(),
            basis: if is_fixed { NO_WORD } else { decision.basis() as u8 },
            treatment: standing.treatment,
            stale: if is_timed { standing.stale.into() } else { UNKNOWN },
        }
    }

    /// A few bits in which facts of one subject mostly differ.
    #[inline]
    pub(crate) fn few_bits(&self) -> usize {
        let place = self.pattern.0 ^ self.pattern.0 >> 4 ^ self.pattern.1;
        place ^ usize::from(self.basis)
    }
}

/// A decision about a URL before it becomes facts.
pub(crate) struct Said<'s> {
    pub key: FactKey,
    pub standing: Standing,
    pub decision: Decision<'s>,
    pub rules: &'s Rules,
}

/// Returns whether what holds whatever the URL holds for this one, too.
fn fixed(standing: &Standing, decision: &Decision<'_>) -> Option<(u8, u8)> {
    // `/robots.txt` itself may be asked for even when nothing else may (RFC 9309 §2.2.2).
    let (verdict, recommendation) = standing.fixed.filter(|_| decision.basis() != Basis::RobotsTxt)?;
    Some((
        output::number_of(output::VERDICT_WORDS, verdict.as_str()),
        output::number_of(output::RECOMMENDATION_WORDS, recommendation.as_str()),
    ))
}

impl Said<'_> {
    /// The facts, without the texts, which follow: rule and group.
    pub(crate) fn facts(&self) -> (Facts, Option<String>, Option<String>) {
        let Said { key, standing, decision, rules } = self;
        let fixed = fixed(standing, decision);
        let by_rules = || {
            (
                output::number_of(output::VERDICT_WORDS, decision.verdict().as_str()),
                output::number_of(output::RECOMMENDATION_WORDS, decision.recommendation().as_str()),
            )
        };
        let (verdict, recommendation) = fixed.unwrap_or_else(by_rules);
        let rule = decision.rule().filter(|_| fixed.is_none());
        let kind = rule.map(|rule| match rule.kind() {
            comity::robots::DirectiveKind::Allow => output::number_of(output::KIND_WORDS, "allow"),
            _ => output::number_of(output::KIND_WORDS, "disallow"),
        });
        let basis = match fixed {
            Some(_) => NO_WORD,
            None => output::number_of(output::BASIS_WORDS, output::basis_word(decision.basis())),
        };
        let delay = rules.crawl_delay().filter(|_| fixed.is_none());
        let facts = Facts {
            words: [verdict, recommendation, kind.unwrap_or(NO_WORD), basis, standing.treatment],
            stale: key.stale,
            line: rule.map_or(0, |rule| rule.line()),
            rule: NONE,
            group: NONE,
            crawl_delay: delay.map_or(-1.0, |delay| delay.as_secs_f64()),
        };
        let group = decision.group().filter(|_| fixed.is_none());
        (facts, rule.map(|rule| rule.pattern_text().into_owned()), group.map(str::to_owned))
    }
}
