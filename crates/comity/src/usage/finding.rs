//! What is odd in what was read.

use std::fmt;

use super::evidence::shown;
use super::words::Channel;
use crate::Severity;

/// How many findings of one kind are reported one by one; the rest is one more, with their number.
pub const MAX_FINDINGS: usize = 100;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident $code:literal $severity:ident $summary:literal;)+) => {
        /// What kind of thing was found.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum FindingKind {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl FindingKind {
            /// Every kind.
            pub const ALL: &'static [FindingKind] = &[$(FindingKind::$kind),+];

            /// The kind's stable name, such as `content-usage-syntax`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(FindingKind::$kind => $code,)+
                }
            }

            /// How much it matters.
            pub const fn severity(self) -> Severity {
                match self {
                    $(FindingKind::$kind => Severity::$severity,)+
                }
            }

            /// What it is, in a sentence.
            pub const fn summary(self) -> &'static str {
                match self {
                    $(FindingKind::$kind => $summary,)+
                }
            }
        }
    };
}

kinds! {
    /// A `Content-Usage` statement that is no dictionary.
    ContentUsageSyntax "content-usage-syntax" Error
        "A `Content-Usage` statement is no dictionary of structured fields, so all of it says nothing.";
    /// A category of another revision of the vocabulary.
    ObsoleteCategory "obsolete-category" Warning
        "A category of `Content-Usage` belongs to another revision of the vocabulary, so it says nothing here.";
    /// A category that no revision has.
    UnknownCategory "unknown-category" Note
        "A category of `Content-Usage` is not in the vocabulary, so it says nothing.";
    /// A preference other than `y` and `n`.
    UnknownPreference "unknown-preference" Warning
        "A preference of `Content-Usage` is neither `y` nor `n`, so it says nothing.";
    /// The words of `Content-Signal` in `Content-Usage`.
    SignalTermInContentUsage "signal-term-in-content-usage" Warning
        "`Content-Usage` is written in the words of `Content-Signal`, so it says nothing.";
    /// The words of `Content-Usage` in `Content-Signal`.
    UsageTermInContentSignal "usage-term-in-content-signal" Warning
        "`Content-Signal` is written in the words of `Content-Usage`, so it says nothing.";
    /// A signal that is not defined.
    UnknownSignal "unknown-signal" Note
        "A signal of `Content-Signal` is not defined, so it says nothing.";
    /// A value that is not defined for its signal.
    UnknownSignalValue "unknown-signal-value" Warning
        "A signal of `Content-Signal` has a value that is not defined for it, so it says nothing.";
    /// Something in a `Content-Signal` that is not `key=value`.
    ContentSignalSyntax "content-signal-syntax" Warning
        "A part of `Content-Signal` is not a key and a value, so it says nothing.";
    /// One signal with several values.
    ConflictingSignals "conflicting-signals" Warning
        "A signal is given several values for the same crawlers; which one counts is not defined, and `no` is taken.";
    /// A line of robots.txt about use that no crawler is addressed by.
    OutsideAnyGroup "outside-any-group" Warning
        "The line stands before any `User-agent`, so it is in no group.";
    /// A signal that is seen but not read.
    UnrecognisedSignal "unrecognised-signal" Note
        "A line looks like a usage signal that has no specification to read it by.";
    /// A signal that is seen but read as a rule.
    UsageSignalReadAsRule "usage-signal-read-as-rule" Warning
        "A line looks like a usage signal, but programs that know keys by how they start read it as `Allow` or `Disallow`.";
    /// A licence's address that is not absolute.
    RelativeLicense "relative-license" Error
        "A licence is not at an absolute address, so the link to it is skipped.";
    /// A `Link` field that cannot be read to its end.
    LinkSyntax "link-syntax" Warning
        "A `Link` header field has a part that is no link.";
    /// An RSL document in the page that cannot be read.
    UnreadableLicense "unreadable-license" Error
        "A licence that stands in the page is no RSL document that can be read.";
    /// An element of RSL's namespace that RSL does not define.
    UnknownRslElement "unknown-rsl-element" Error
        "An RSL document has an element that RSL does not define, so it does not conform and allows nothing.";
    /// A token that RSL does not define.
    UnknownRslToken "unknown-rsl-token" Warning
        "A word in `permits`, `prohibits` or `payment` is not one that RSL defines, so it grants nothing.";
    /// Two `permits` or two `prohibits` of one type in one licence.
    DuplicateRslTerms "duplicate-rsl-terms" Warning
        "A licence has `permits` or `prohibits` of one type more than once; all of them are read.";
    /// Commas between tokens, as RSL 0.9 had them.
    CommaInRslTerms "comma-in-rsl-terms" Warning
        "Words are separated by commas, as in the draft of RSL 0.9; RSL 1.0 separates them by spaces.";
    /// A `content` that says nothing of where or how.
    IncompleteRslContent "incomplete-rsl-content" Warning
        "A `content` has no `url`, or no `license`, so it says nothing.";
    /// A pattern that matches nothing.
    RslUrlMatchesNothing "rsl-url-matches-nothing" Warning
        "The `url` of a `content` is neither an absolute URL nor a path, so it matches nothing.";
    /// A prefix on the root element.
    PrefixedRslRoot "prefixed-rsl-root" Note
        "The root element has a prefix; a document of its own should have none.";
    /// A value of `tdm-reservation` other than 0 and 1.
    TdmReservationValue "tdm-reservation-value" Error
        "`tdm-reservation` is neither 0 nor 1, so it counts as not set.";
    /// One source that says both 0 and 1.
    TdmReservationConflict "tdm-reservation-conflict" Warning
        "One source gives `tdm-reservation` several values, so it counts as not set.";
    /// A rule of `tdmrep.json` that matches nothing.
    TdmLocation "tdm-location" Error
        "A rule in `tdmrep.json` has no `location` that starts with `/` or `*`, so it matches nothing.";
    /// A `tdm-policy` that is no URL.
    TdmPolicy "tdm-policy" Warning
        "`tdm-policy` is empty, no text, or has white space in it, so it is skipped.";
    /// `tdmrep.json` holds a rule, not an array of rules.
    TdmNotAnArray "tdm-not-an-array" Warning
        "`tdmrep.json` is one rule without the brackets around it; it is read as if they were there.";
    /// A rule that an earlier one always shadows.
    TdmShadowed "tdm-shadowed" Warning
        "A rule in `tdmrep.json` has the `location` of an earlier one, which always comes first.";
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for FindingKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Something odd, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Finding {
    kind: FindingKind,
    severity: Severity,
    channel: Channel,
    line: Option<u32>,
    detail: String,
}

impl Finding {
    /// What kind of thing it is.
    pub fn kind(&self) -> FindingKind {
        self.kind
    }

    /// How much it matters.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Where it was found.
    pub fn channel(&self) -> Channel {
        self.channel
    }

    /// The line of the robots.txt, the page or the document, counted from 1, where there are lines.
    pub fn line(&self) -> Option<u32> {
        self.line
    }

    /// What stands there and what to write instead.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

/// Findings of one source, at most [`MAX_FINDINGS`] of a kind.
#[derive(Clone, Debug)]
pub(super) struct Findings {
    channel: Channel,
    found: Vec<Finding>,
    /// One for each kind, once anything was found.
    counts: Vec<usize>,
}

impl Findings {
    pub(super) fn new(channel: Channel) -> Self {
        Findings { channel, found: Vec::new(), counts: Vec::new() }
    }

    /// Where all of them were found.
    pub(super) fn channel(&self) -> Channel {
        self.channel
    }

    /// Takes in what stands at a place.
    pub(super) fn add(&mut self, kind: FindingKind, line: Option<u32>, detail: impl FnOnce() -> String) {
        self.counts.resize(FindingKind::ALL.len(), 0);
        let Some(count) = self.counts.get_mut(kind as usize) else { return };
        *count += 1;
        if *count <= MAX_FINDINGS {
            self.push(kind, line, detail());
        }
    }

    fn push(&mut self, kind: FindingKind, line: Option<u32>, detail: String) {
        self.found.push(Finding { kind, severity: kind.severity(), channel: self.channel, line, detail });
    }

    /// As [`finish`](Findings::finish), for what is asked again.
    pub(super) fn finished(&self) -> Vec<Finding> {
        if self.found.is_empty() { Vec::new() } else { self.clone().finish() }
    }

    /// The findings in order of their places, the numbers of those left out last.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        self.found.sort_by_key(|finding| finding.line);
        for (&kind, count) in FindingKind::ALL.iter().zip(std::mem::take(&mut self.counts)) {
            let more = count.saturating_sub(MAX_FINDINGS);
            if more > 0 {
                self.push(kind, None, format!("{more} more"));
            }
        }
        self.found
    }
}

/// Octets in backticks, for a message.
pub(super) fn quoted(octets: &[u8]) -> String {
    format!("`{}`", shown(octets))
}
