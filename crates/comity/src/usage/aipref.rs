//! Reads `Content-Usage` of the IETF's AI Preferences working group.
//!
//! Sources: draft-ietf-aipref-vocab-08 of September 2026 and -07 of August 2026 (the vocabulary, and the syntax of
//! statements); draft-ietf-aipref-attach-05 of August 2026 (the header field and the rule in robots.txt); RFC 9651 for
//! dictionaries. The labels have changed in almost every revision. A statement is therefore read according to one
//! revision, a [`Vocabulary`], and every report contains the name of that revision. Labels of other revisions are
//! ignored, as the drafts require, and reported with their revision.

use std::convert::Infallible;

use sfv::visitor::{
    DictionaryVisitor, EntryVisitor, Ignored, InnerListVisitor, ItemVisitor, ParameterVisitor,
};
use sfv::{BareItemFromInput, KeyRef, Parser};

use super::document_findings::DocumentFindings;
use super::kinds;
use super::words::{Stance, Use};
use crate::finding::quoted;
use crate::words::words;

words! {
    /// A revision of the AIPREF vocabulary, according to which statements of `Content-Usage` are read.
    ///
    /// The default is the newest revision. An older revision reads statements as their authors intended at the time.
    ///
    /// ```
    /// use comity::usage::{PreferenceStatement, Stance, Use, Vocabulary};
    ///
    /// let statement = PreferenceStatement::parse(b"ai-use=n");
    /// assert_eq!(statement.stance(Use::AiInput), Stance::Disallow);
    ///
    /// // Revision 07 has no `ai-use`.
    /// let statement = PreferenceStatement::parse_as(b"ai-use=n", Vocabulary::Vocab07);
    /// assert_eq!(statement.stance(Use::AiInput), Stance::Unknown);
    /// ```
    Vocabulary as "vocabulary" {
        /// draft-ietf-aipref-vocab-07 of August 2026: `train-ai` and `search`.
        Vocab07 = "vocab_07",
        /// draft-ietf-aipref-vocab-08 of September 2026: `train-ai`, `ai-use` and `search`. Inside search applications,
        /// `search` overrides the other labels.
        Vocab08 = "vocab_08",
    }
}

#[allow(clippy::derivable_impls, reason = "the macro declares the enumeration")]
impl Default for Vocabulary {
    fn default() -> Self {
        Vocabulary::Vocab08
    }
}

impl Vocabulary {
    /// Returns the name of the draft.
    pub const fn draft(self) -> &'static str {
        match self {
            Vocabulary::Vocab07 => "draft-ietf-aipref-vocab-07",
            Vocabulary::Vocab08 => "draft-ietf-aipref-vocab-08",
        }
    }

    /// Returns the names of the drafts that define `Content-Usage`: the vocabulary and its attachment to HTTP.
    pub const fn specification(self) -> &'static str {
        match self {
            Vocabulary::Vocab07 => "draft-ietf-aipref-vocab-07, draft-ietf-aipref-attach-05",
            Vocabulary::Vocab08 => "draft-ietf-aipref-vocab-08, draft-ietf-aipref-attach-05",
        }
    }

    /// Returns the labels with their uses, in the order of the draft.
    pub const fn terms(self) -> &'static [(Use, &'static str)] {
        match self {
            Vocabulary::Vocab07 => &[(Use::Train, "train-ai"), (Use::Search, "search")],
            Vocabulary::Vocab08 => {
                &[(Use::Train, "train-ai"), (Use::AiInput, "ai-use"), (Use::Search, "search")]
            }
        }
    }

    /// Returns true if, inside a search application, the preference for `search` replaces the preferences for training
    /// and AI use (draft-ietf-aipref-vocab-08 §4.3).
    ///
    /// `search=y, train-ai=n` therefore allows training a model that is used only in a search application.
    pub const fn search_overrides(self) -> bool {
        matches!(self, Vocabulary::Vocab08)
    }

    /// Returns the labels as advice for a finding.
    fn labels(self) -> &'static str {
        match self {
            Vocabulary::Vocab07 => "write `train-ai` or `search`",
            Vocabulary::Vocab08 => "write `train-ai`, `ai-use` or `search`",
        }
    }
}

/// The draft that attaches preferences to HTTP and robots.txt, in the revision that this module implements.
pub const ATTACHMENT: &str = "draft-ietf-aipref-attach-05";

/// Labels that only some revisions of the vocabulary contain, with these revisions.
const OTHER_REVISIONS: [(&str, &str); 9] = [
    ("tdm", "-01"),
    ("ai", "-01"),
    ("genai", "-01"),
    ("inference", "-01"),
    ("all", "-02"),
    ("train-genai", "-02 and -03"),
    ("ai-use", "-02 and -08"),
    ("bots", "-03 and -04"),
    ("ai-output", "-04"),
];

/// Maximum number of labels in a vocabulary.
const MAX_TERMS: usize = 3;

/// A statement of preferences: the value of a `Content-Usage` header field, or of a `Content-Usage` rule without its
/// path.
///
/// ```
/// use comity::usage::{Stance, PreferenceStatement, Use};
///
/// let statement = PreferenceStatement::parse(b"train-ai=n, search=y");
/// assert_eq!(statement.stance(Use::Train), Stance::Disallow);
/// assert_eq!(statement.stance(Use::Search), Stance::Allow);
///
/// // One mistake makes the whole statement invalid (RFC 9651 §4.2).
/// let statement = PreferenceStatement::parse(b"Train-AI=n");
/// assert!(!statement.is_dictionary());
/// assert_eq!(statement.stance(Use::Train), Stance::Unknown);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreferenceStatement {
    vocabulary: Vocabulary,
    /// One stance for each term of the vocabulary.
    stances: [Stance; MAX_TERMS],
    is_dictionary: bool,
}

impl PreferenceStatement {
    /// Parses a statement according to the default vocabulary. Parsing never fails: a value that is not a dictionary
    /// states no preference (draft-ietf-aipref-vocab-08 §6.5).
    pub fn parse(value: &[u8]) -> Self {
        PreferenceStatement::parse_as(value, Vocabulary::default())
    }

    /// Parses a statement according to the given revision of the vocabulary.
    pub fn parse_as(value: &[u8], vocabulary: Vocabulary) -> Self {
        PreferenceStatement::of(&members(value), vocabulary)
    }

    /// Parses a statement according to the given revision of the vocabulary, and adds findings about the value.
    pub(super) fn parse_with_findings(
        value: &[u8],
        vocabulary: Vocabulary,
        line: Option<u32>,
        findings: &mut DocumentFindings,
    ) -> Self {
        let members = members(value);
        match &members {
            Some(members) if members.is_empty() => {
                findings.advise(&kinds::CONTENT_USAGE_SYNTAX, line, || {
                    let help = "write `train-ai=n` or `train-ai=y`";
                    ("no preference is stated".to_owned(), help.to_owned())
                });
            }
            Some(members) => members.iter().for_each(|member| member.report(vocabulary, line, findings)),
            None => findings.detail(&kinds::CONTENT_USAGE_SYNTAX, line, || {
                format!("{} is not a dictionary of structured fields", quoted(value))
            }),
        }
        PreferenceStatement::of(&members, vocabulary)
    }

    fn of(members: &Option<Vec<Member<'_>>>, vocabulary: Vocabulary) -> Self {
        let mut stances = [Stance::Unknown; MAX_TERMS];
        for (stance, (_, label)) in stances.iter_mut().zip(vocabulary.terms()) {
            // If a key is repeated, the last member counts (RFC 9651 §4.2.2).
            let last = members.iter().flatten().rfind(|member| member.key == *label);
            *stance = last.map(Member::stance).unwrap_or_default();
        }
        PreferenceStatement { vocabulary, stances, is_dictionary: members.is_some() }
    }

    /// Returns the stance on a use. Returns [`Stance::Unknown`] if the vocabulary has no label for the use.
    pub fn stance(&self, usage: Use) -> Stance {
        let place = self.vocabulary.terms().iter().position(|(known, _)| *known == usage);
        place.and_then(|place| self.stances.get(place)).copied().unwrap_or_default()
    }

    /// Returns true if the statement allows or disallows any use.
    pub(super) fn has_stance(&self) -> bool {
        self.stances.iter().any(|stance| *stance != Stance::Unknown)
    }

    /// Returns true if the value is a dictionary of structured fields (RFC 9651 §4.2.2).
    pub fn is_dictionary(&self) -> bool {
        self.is_dictionary
    }
}

/// Splits the value of a rule into the optional path and the statement (draft-ietf-aipref-attach-05 §3.2).
pub(super) fn split_rule(value: &[u8]) -> (Option<&[u8]>, &[u8]) {
    if value.first() != Some(&b'/') {
        return (None, value);
    }
    let end = value.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(value.len());
    let (path, statement) = value.split_at(end);
    (Some(path), statement.trim_ascii())
}

/// A member of the dictionary.
struct Member<'v> {
    key: &'v str,
    value: Value<'v>,
    /// The keys of its parameters. Parameters have no meaning (draft-ietf-aipref-vocab-08 §6.4).
    parameters: Vec<&'v str>,
}

enum Value<'v> {
    Token(&'v str),
    /// A key without a value.
    Missing,
    Boolean(bool),
    String(String),
    Other,
}

impl Member<'_> {
    fn stance(&self) -> Stance {
        match &self.value {
            Value::Token("y") => Stance::Allow,
            Value::Token("n") => Stance::Disallow,
            _ => Stance::Unknown,
        }
    }

    fn report(&self, vocabulary: Vocabulary, line: Option<u32>, findings: &mut DocumentFindings) {
        let Member { key, value, parameters } = self;
        let is_category = |key: &str| vocabulary.terms().iter().any(|(_, label)| *label == key);
        for parameter in parameters.iter().filter(|parameter| is_category(parameter)) {
            findings.advise(&kinds::CATEGORY_AS_PARAMETER, line, || {
                let message = format!("`{parameter}` is a parameter of `{key}`");
                (message, "separate preferences with a comma, not with `;`".to_owned())
            });
        }
        if !is_category(key) {
            return report_key(key, vocabulary, line, findings);
        }
        let (written, intended) = match value {
            Value::Token("y" | "n") => return,
            Value::Token(token) => (format!("the value `{token}`"), letter(token)),
            Value::String(string) => {
                let shown = quoted(format!("\"{string}\"").as_bytes());
                (format!("the value {shown}"), letter(string))
            }
            Value::Missing => ("no value".to_owned(), None),
            Value::Boolean(true) => ("the value `?1`".to_owned(), Some('y')),
            Value::Boolean(false) => ("the value `?0`".to_owned(), Some('n')),
            Value::Other => ("a value of another type".to_owned(), None),
        };
        let is_signal_term = matches!(value, Value::Token("yes" | "no"));
        let kind =
            if is_signal_term { &kinds::SIGNAL_TERM_IN_CONTENT_USAGE } else { &kinds::UNKNOWN_PREFERENCE };
        findings.advise(kind, line, || {
            let help = match intended {
                Some(letter) => format!("write `{key}={letter}`"),
                None => format!("write `{key}=y` or `{key}=n`"),
            };
            (format!("`{key}` has {written}"), help)
        });
    }
}

fn report_key(key: &str, vocabulary: Vocabulary, line: Option<u32>, findings: &mut DocumentFindings) {
    let help = vocabulary.labels();
    match key {
        "ai-train" => findings.advise(&kinds::SIGNAL_TERM_IN_CONTENT_USAGE, line, || {
            ("`ai-train` belongs to `Content-Signal`".to_owned(), "write `train-ai`".to_owned())
        }),
        "ai-input" => findings.advise(&kinds::SIGNAL_TERM_IN_CONTENT_USAGE, line, || {
            let help = match vocabulary {
                Vocabulary::Vocab07 => "delete it; the vocabulary has no such category",
                Vocabulary::Vocab08 => "write `ai-use`",
            };
            ("`ai-input` belongs to `Content-Signal`".to_owned(), help.to_owned())
        }),
        _ => match OTHER_REVISIONS.iter().find(|(label, _)| *label == key) {
            Some((_, revisions)) => findings.advise(&kinds::OBSOLETE_CATEGORY, line, || {
                let message = format!(
                    "`{key}` is a category of draft-ietf-aipref-vocab{revisions}, not of {}",
                    vocabulary.draft()
                );
                (message, help.to_owned())
            }),
            None => findings.advise(&kinds::UNKNOWN_CATEGORY, line, || {
                let message =
                    format!("{} is not a category of {}", quoted(key.as_bytes()), vocabulary.draft());
                (message, help.to_owned())
            }),
        },
    }
}

/// Returns the value that the author of an invalid value probably intended.
fn letter(word: &str) -> Option<char> {
    match word {
        "y" | "yes" | "true" | "allow" => Some('y'),
        "n" | "no" | "false" | "disallow" => Some('n'),
        _ => None,
    }
}

/// Returns the members of a dictionary, or `None` if the value is not a dictionary.
fn members(value: &[u8]) -> Option<Vec<Member<'_>>> {
    Parser::new(value).parse_dictionary_with_visitor(Collect { value, members: Vec::new() }).ok()
}

struct Collect<'v> {
    value: &'v [u8],
    members: Vec<Member<'v>>,
}

impl<'v> DictionaryVisitor<'v> for Collect<'v> {
    type Out = Vec<Member<'v>>;
    type Error = Infallible;

    fn entry(&mut self, key: &'v KeyRef) -> Result<impl EntryVisitor<'v>, Infallible> {
        let key = key.as_str();
        // The key is a part of the value.
        let end = (key.as_ptr().addr() + key.len()).wrapping_sub(self.value.as_ptr().addr());
        let has_value = self.value.get(end) == Some(&b'=');
        self.members.push(Member { key, value: Value::Other, parameters: Vec::new() });
        Ok(self.members.last_mut().map(|member| Slot { member, has_value }))
    }

    fn finish(self) -> Result<Vec<Member<'v>>, Infallible> {
        Ok(self.members)
    }
}

/// The member whose value is read.
struct Slot<'s, 'v> {
    member: &'s mut Member<'v>,
    /// True if the key is followed by `=`.
    has_value: bool,
}

impl<'v> EntryVisitor<'v> for Slot<'_, 'v> {
    type Error = Infallible;

    fn item(self) -> Result<impl ItemVisitor<'v>, Infallible> {
        Ok(self)
    }

    fn inner_list(self) -> Result<impl InnerListVisitor<'v>, Infallible> {
        Ok(Ignored)
    }
}

impl<'v> ItemVisitor<'v> for Slot<'_, 'v> {
    type Out = ();
    type Error = Infallible;

    fn bare_item(
        self,
        item: BareItemFromInput<'v>,
    ) -> Result<impl ParameterVisitor<'v, Out = ()>, Infallible> {
        self.member.value = match item {
            BareItemFromInput::Token(token) => Value::Token(token.as_str()),
            BareItemFromInput::String(string) => Value::String(string.as_str().to_owned()),
            // A key without a value is the Boolean true (RFC 9651 §3.2).
            BareItemFromInput::Boolean(_) if !self.has_value => Value::Missing,
            BareItemFromInput::Boolean(value) => Value::Boolean(value),
            _ => Value::Other,
        };
        Ok(self)
    }
}

impl<'v> ParameterVisitor<'v> for Slot<'_, 'v> {
    type Out = ();
    type Error = Infallible;

    fn parameter(&mut self, key: &'v KeyRef, _: BareItemFromInput<'v>) -> Result<(), Infallible> {
        self.member.parameters.push(key.as_str());
        Ok(())
    }

    fn finish(self) -> Result<(), Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Channel;

    fn stances(value: &str) -> (Stance, Stance) {
        let statement = PreferenceStatement::parse(value.as_bytes());
        (statement.stance(Use::Train), statement.stance(Use::Search))
    }

    fn findings(value: &str) -> Vec<(&'static str, String)> {
        let mut findings = DocumentFindings::new(Channel::RobotsTxt);
        PreferenceStatement::parse_with_findings(
            value.as_bytes(),
            Vocabulary::default(),
            None,
            &mut findings,
        );
        findings
            .list()
            .iter()
            .map(|finding| {
                (finding.code(), {
                    let (_, detail) =
                        finding.message().split_once(": ").expect("the summary of the kind, and the detail");
                    format!("{detail}; {}", finding.help())
                })
            })
            .collect()
    }

    #[test]
    fn value_other_than_y_and_n_is_unknown() {
        assert_eq!(stances("train-ai=y, search=n"), (Stance::Allow, Stance::Disallow));
        for value in ["train-ai", "train-ai=\"y\"", "train-ai=?1", "train-ai=(y)", "train-ai=Y", "train-ai=1"]
        {
            assert_eq!(stances(value).0, Stance::Unknown, "{value}");
        }
        assert_eq!(PreferenceStatement::parse(b"train-ai=n").stance(Use::AiInput), Stance::Unknown);
    }

    #[test]
    fn path_of_a_rule_starts_with_a_slash_and_ends_at_white_space() {
        let split = |value: &'static str| split_rule(value.as_bytes());
        assert_eq!(split("train-ai=n"), (None, &b"train-ai=n"[..]));
        assert_eq!(split("/a \t train-ai=n"), (Some(&b"/a"[..]), &b"train-ai=n"[..]));
        assert_eq!(split("/a"), (Some(&b"/a"[..]), &b""[..]));
        assert_eq!(split("*/a train-ai=n"), (None, &b"*/a train-ai=n"[..]));
    }

    #[test]
    fn term_of_another_vocabulary_differs_from_an_unknown_term() {
        let kinds = |value: &str| findings(value).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
        assert_eq!(kinds("train-ai=y, search=n;x=1"), [""; 0]);
        assert_eq!(kinds("train-ai=n;search=y;ai-use"), ["usage-category-as-parameter"; 2]);
        assert_eq!(kinds("ai=n"), ["usage-obsolete-category"]);
        assert_eq!(kinds("ai-train=n"), ["usage-signal-term-in-content-usage"]);
        assert_eq!(kinds("train-ai=no"), ["usage-signal-term-in-content-usage"]);
        assert_eq!(kinds("train-ai=maybe"), ["usage-unknown-preference"]);
        assert_eq!(kinds("herons=n"), ["usage-unknown-category"]);
        assert_eq!(kinds("train-ai=n,"), ["usage-content-usage-syntax"]);
        assert_eq!(kinds(""), ["usage-content-usage-syntax"]);
    }

    #[test]
    fn help_contains_the_corrected_statement() {
        assert_eq!(findings("search=no")[0].1, "`search` has the value `no`; write `search=n`");
        assert_eq!(
            findings("bots=n")[0].1,
            "`bots` is a category of draft-ietf-aipref-vocab-03 and -04, not of draft-ietf-aipref-vocab-08; \
             write `train-ai`, `ai-use` or `search`"
        );
        assert_eq!(findings("search")[0].1, "`search` has no value; write `search=y` or `search=n`");
        assert_eq!(findings("search;a=1")[0].1, "`search` has no value; write `search=y` or `search=n`");
        assert_eq!(findings("search=?1")[0].1, "`search` has the value `?1`; write `search=y`");
    }
}
