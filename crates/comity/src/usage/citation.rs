//! What a stance rests on.

use std::borrow::Cow;

use super::aipref::Vocabulary;
use super::signal::Signal;
use super::words::{Stance, Use};
use crate::finding::Channel;

/// How many pieces of evidence one stance names; more of the same prove nothing more.
pub const MAX_EVIDENCE: usize = 20;

/// How many characters of a line or value evidence shows.
const MAX_TEXT: usize = 300;

/// The place that says something.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Statement"))]
#[non_exhaustive]
pub struct Citation {
    /// The document.
    channel: Channel,
    /// The line, from 1.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    line: Option<u32>,
    /// The index among several, from 0: of an entry in `tdmrep.json`, or of a field among those of its name.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    index: Option<usize>,
    /// The text of the place: control characters replaced, cut after 300 characters.
    text: String,
}

impl Citation {
    /// A line of a text, counted from 1.
    pub(super) fn line(channel: Channel, line: u32, text: impl Into<String>) -> Self {
        Citation { channel, line: Some(line), index: None, text: text.into() }
    }

    /// One of several in a list, counted from 0.
    pub(super) fn index(channel: Channel, index: usize, text: impl Into<String>) -> Self {
        Citation { channel, line: None, index: Some(index), text: text.into() }
    }

    /// Returns where it was found.
    pub fn channel(&self) -> Channel {
        self.channel
    }

    /// The line of the robots.txt, the page or the document, counted from 1.
    pub fn line_number(&self) -> Option<u32> {
        self.line
    }

    /// The place in the list: of the entry in `tdmrep.json`, of the field among those of its name; counted from 0.
    pub fn index_in_list(&self) -> Option<usize> {
        self.index
    }

    /// Returns what stands there, for a person to read: control characters replaced, cut after 300 characters.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// One preference for each use that a signal has a word for. Most sites say nothing about use, and what says nothing is
/// not made anew for each page.
pub(super) type Preferences = Cow<'static, [Preference]>;

/// Returns what a signal says where nobody has said anything.
pub(super) fn nothing_said(signal: Signal) -> Preferences {
    static CONTENT_SIGNAL: [Preference; Signal::ContentSignal.terms().len()] =
        silent(Signal::ContentSignal.terms());
    static RSL: [Preference; Signal::Rsl.terms().len()] = silent(Signal::Rsl.terms());
    static TDMREP: [Preference; Signal::Tdmrep.terms().len()] = silent(Signal::Tdmrep.terms());
    Cow::Borrowed(match signal {
        Signal::ContentUsage => return nothing_said_as(Vocabulary::default()),
        Signal::ContentSignal => &CONTENT_SIGNAL,
        Signal::Rsl => &RSL,
        Signal::Tdmrep => &TDMREP,
        // Its terms differ from token to token.
        Signal::ControlToken => &[],
    })
}

/// Returns what `Content-Usage` says where nobody has said anything.
pub(super) fn nothing_said_as(vocabulary: Vocabulary) -> Preferences {
    static VOCAB_07: [Preference; Vocabulary::Vocab07.terms().len()] = silent(Vocabulary::Vocab07.terms());
    static VOCAB_08: [Preference; Vocabulary::Vocab08.terms().len()] = silent(Vocabulary::Vocab08.terms());
    Cow::Borrowed(match vocabulary {
        Vocabulary::Vocab07 => &VOCAB_07,
        Vocabulary::Vocab08 => &VOCAB_08,
    })
}

const fn silent<const TERMS: usize>(terms: &[(Use, &'static str)]) -> [Preference; TERMS] {
    let mut preferences = [const { Preference::new(Use::Train, "") }; TERMS];
    let mut at = 0;
    while at < TERMS {
        (preferences[at].usage, preferences[at].term) = terms[at];
        at += 1;
    }
    preferences
}

/// The stance of a signal on one use, and the places that state it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Preference {
    /// The use.
    #[cfg_attr(feature = "serde", serde(rename = "use"))]
    usage: Use,
    /// The signal's own word for the use.
    term: &'static str,
    /// The stance of the signal.
    stance: Stance,
    /// The conditions of the stance: a payment, a licence server, where a licence is to be had.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    conditions: Vec<String>,
    /// The places that state it; empty if none does.
    evidence: Vec<Citation>,
}

impl Preference {
    pub(super) const fn new(usage: Use, term: &'static str) -> Self {
        Preference { usage, term, stance: Stance::Unknown, conditions: Vec::new(), evidence: Vec::new() }
    }

    /// Takes in another statement: the more restrictive stance counts, and what states it is the evidence. One that is
    /// unknown changes nothing.
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

    /// Sets the stance; what it rests on follows.
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

    /// The use.
    pub fn usage(&self) -> Use {
        self.usage
    }

    /// The signal's own word for the use.
    pub fn term(&self) -> &'static str {
        self.term
    }

    /// Returns what the signal says.
    pub fn stance(&self) -> Stance {
        self.stance
    }

    /// Returns what the stance depends on, or what would turn it round: a payment, a licence server, where a licence is to be had.
    pub fn conditions(&self) -> &[String] {
        &self.conditions
    }

    /// Returns what says so; at most [`MAX_EVIDENCE`]. Empty if nothing does.
    pub fn evidence(&self) -> &[Citation] {
        &self.evidence
    }
}

/// Octets for a person to read.
pub(super) fn shown(octets: &[u8]) -> String {
    // Characters have at most four octets.
    let octets = &octets[..octets.len().min(MAX_TEXT * 4)];
    let text = crate::shown::bytes(octets);
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into_owned(),
    }
}
