//! Preferences of a signal, and the citations that prove them.

use std::borrow::Cow;

use super::aipref::Vocabulary;
use super::signal::Signal;
use super::words::{Stance, Use};
use crate::finding::Channel;

/// Maximum number of citations for one stance, and of its conditions. Further ones are dropped.
pub const MAX_EVIDENCE: usize = 20;

/// Maximum number of characters of a cited line or value.
const MAX_TEXT: usize = 300;

/// A citation of a statement: its document, its position and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Statement"))]
#[non_exhaustive]
pub struct Citation {
    /// The kind of document.
    channel: Channel,
    /// The 1-based line.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    line: Option<u32>,
    /// The 0-based index of the rule in `tdmrep.json`, or of the header field among the fields with that name.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    index: Option<usize>,
    /// The cited text, with control characters replaced, cut after 300 characters.
    text: String,
}

impl Citation {
    /// Cites a 1-based line of a text.
    pub(super) fn line(channel: Channel, line: u32, text: impl Into<String>) -> Self {
        Citation { channel, line: Some(line), index: None, text: text.into() }
    }

    /// Cites an entry of a list by its 0-based index.
    pub(super) fn index(channel: Channel, index: usize, text: impl Into<String>) -> Self {
        Citation { channel, line: None, index: Some(index), text: text.into() }
    }

    /// Returns the kind of document that contains the statement.
    pub fn channel(&self) -> Channel {
        self.channel
    }

    /// Returns the 1-based line of the robots.txt, the page or the document.
    pub fn line_number(&self) -> Option<u32> {
        self.line
    }

    /// Returns the 0-based index of the rule in `tdmrep.json`, or of the header field among the fields with that name.
    pub fn index_in_list(&self) -> Option<usize> {
        self.index
    }

    /// Returns the cited text, with control characters replaced, cut after 300 characters.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// One preference for each use that a signal has a term for. Most sites state no preferences, so the preferences
/// without a statement are a shared static value.
pub(super) type Preferences = Cow<'static, [Preference]>;

/// Returns the preferences of a signal without any statement.
pub(super) fn unstated(signal: Signal) -> Preferences {
    static CONTENT_SIGNAL: [Preference; Signal::ContentSignal.terms().len()] =
        unknown_preferences(Signal::ContentSignal.terms());
    static RSL: [Preference; Signal::Rsl.terms().len()] = unknown_preferences(Signal::Rsl.terms());
    static TDMREP: [Preference; Signal::Tdmrep.terms().len()] = unknown_preferences(Signal::Tdmrep.terms());
    Cow::Borrowed(match signal {
        Signal::ContentUsage => return unstated_in(Vocabulary::default()),
        Signal::ContentSignal => &CONTENT_SIGNAL,
        Signal::Rsl => &RSL,
        Signal::Tdmrep => &TDMREP,
        // Each control token has its own terms.
        Signal::ControlToken => &[],
        // This signal is reported only if a header or a page states it.
        Signal::PageDirectives => &[],
    })
}

/// Returns the preferences of `Content-Usage` without any statement.
pub(super) fn unstated_in(vocabulary: Vocabulary) -> Preferences {
    static VOCAB_07: [Preference; Vocabulary::Vocab07.terms().len()] =
        unknown_preferences(Vocabulary::Vocab07.terms());
    static VOCAB_08: [Preference; Vocabulary::Vocab08.terms().len()] =
        unknown_preferences(Vocabulary::Vocab08.terms());
    Cow::Borrowed(match vocabulary {
        Vocabulary::Vocab07 => &VOCAB_07,
        Vocabulary::Vocab08 => &VOCAB_08,
    })
}

const fn unknown_preferences<const TERMS: usize>(terms: &[(Use, &'static str)]) -> [Preference; TERMS] {
    let mut preferences = [const { Preference::new(Use::Train, "") }; TERMS];
    let mut at = 0;
    while at < TERMS {
        (preferences[at].usage, preferences[at].term) = terms[at];
        at += 1;
    }
    preferences
}

/// The stance of a signal on one use, with citations of the statements.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Preference {
    /// The use.
    #[cfg_attr(feature = "serde", serde(rename = "use"))]
    usage: Use,
    /// The signal's own term for the use.
    term: &'static str,
    /// The stance of the signal.
    stance: Stance,
    /// The conditions of the stance, or the conditions that would reverse it: a payment, a license server, the address
    /// of a license.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    conditions: Vec<String>,
    /// Citations of the statements; empty if the site states nothing.
    evidence: Vec<Citation>,
}

impl Preference {
    pub(super) const fn new(usage: Use, term: &'static str) -> Self {
        Preference { usage, term, stance: Stance::Unknown, conditions: Vec::new(), evidence: Vec::new() }
    }

    /// Combines the preference with another statement. The more restrictive stance counts, and only its statements are
    /// cited. An unknown stance changes nothing.
    pub(super) fn combine(&mut self, stance: Stance, evidence: impl FnOnce() -> Citation) {
        let combined = self.stance.and(stance);
        if combined != self.stance {
            self.evidence.clear();
            self.stance = combined;
        }
        if stance == combined && stance != Stance::Unknown {
            self.push_evidence(evidence);
        }
    }

    /// Sets the stance without evidence, which the caller adds.
    pub(super) fn state(&mut self, stance: Stance) {
        self.stance = stance;
    }

    pub(super) fn push_evidence(&mut self, evidence: impl FnOnce() -> Citation) {
        if self.evidence.len() < MAX_EVIDENCE {
            self.evidence.push(evidence());
        }
    }

    pub(super) fn push_condition(&mut self, condition: String) {
        if self.conditions.len() < MAX_EVIDENCE && !self.conditions.contains(&condition) {
            self.conditions.push(condition);
        }
    }

    /// Returns the use.
    pub fn usage(&self) -> Use {
        self.usage
    }

    /// Returns the signal's own term for the use.
    pub fn term(&self) -> &'static str {
        self.term
    }

    /// Returns the stance of the signal.
    pub fn stance(&self) -> Stance {
        self.stance
    }

    /// Returns the conditions of the stance, or the conditions that would reverse it: a payment, a license server, the
    /// address of a license.
    pub fn conditions(&self) -> &[String] {
        &self.conditions
    }

    /// Returns citations of the statements, at most [`MAX_EVIDENCE`]. Empty if the site states nothing.
    pub fn evidence(&self) -> &[Citation] {
        &self.evidence
    }
}

/// Returns octets as safe text, cut after [`MAX_TEXT`] characters.
pub(super) fn shown(octets: &[u8]) -> String {
    // The longest UTF-8 characters have four octets.
    let octets = crate::shown::cut(octets, (MAX_TEXT + 1) * 4);
    crate::shown::short(octets, MAX_TEXT).into_owned()
}
