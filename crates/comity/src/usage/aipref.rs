//! `Content-Usage` of the IETF's AI Preferences working group.
//!
//! Sources: draft-ietf-aipref-vocab-07 (the vocabulary, and its form as a dictionary) and draft-ietf-aipref-attach-05 (the
//! header field and the rule in robots.txt), both of August 2026; RFC 9651 for dictionaries. The labels have changed in
//! almost every revision, so the revision is pinned here and named in every report; labels of the others are ignored, as
//! the draft wants, and reported as what they are.

use std::convert::Infallible;

use sfv::visitor::{DictionaryVisitor, EntryVisitor, Ignored, InnerListVisitor, ItemVisitor};
use sfv::{BareItemFromInput, KeyRef, Parser};

use super::found::Found;
use super::kinds;
use super::words::{PreferenceValue, Use};
use crate::finding::quoted;

/// The revision of the vocabulary that statements are read by.
pub const VOCABULARY: &str = "draft-ietf-aipref-vocab-07";

/// The revision of the attachment to HTTP and robots.txt that is followed.
pub const ATTACHMENT: &str = "draft-ietf-aipref-attach-05";

/// Labels that only other revisions of the vocabulary have, and which those are.
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

/// One statement of preference: the value of a `Content-Usage` header field, or of a rule without its path.
///
/// ```
/// use comity::usage::{PreferenceValue, ContentUsage, Use};
///
/// let statement = ContentUsage::parse(b"train-ai=n, search=y");
/// assert_eq!(statement.answer(Use::Train), PreferenceValue::Disallow);
/// assert_eq!(statement.answer(Use::Search), PreferenceValue::Allow);
///
/// // One slip, and the whole statement says nothing (RFC 9651 §4.2).
/// let statement = ContentUsage::parse(b"Train-AI=n");
/// assert!(!statement.is_dictionary());
/// assert_eq!(statement.answer(Use::Train), PreferenceValue::Unknown);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentUsage {
    train: PreferenceValue,
    search: PreferenceValue,
    is_dictionary: bool,
}

impl ContentUsage {
    /// Reads a statement. It never fails: what is no dictionary says nothing (draft-ietf-aipref-vocab-07 §6.5).
    pub fn parse(value: &[u8]) -> Self {
        ContentUsage::of(&members(value))
    }

    /// As [`ContentUsage::parse`], and reports what is odd in it.
    pub(super) fn parse_with_findings(value: &[u8], line: Option<u32>, findings: &mut Found) -> Self {
        let members = members(value);
        match &members {
            Some(members) if members.is_empty() => {
                findings.advise(&kinds::CONTENT_USAGE_SYNTAX, line, || {
                    let help = "write `train-ai=n` or `train-ai=y`";
                    ("no preference is stated".to_owned(), help.to_owned())
                });
            }
            Some(members) => members.iter().for_each(|member| member.report(line, findings)),
            None => findings.detail(&kinds::CONTENT_USAGE_SYNTAX, line, || {
                format!("{} is no dictionary of structured fields", quoted(value))
            }),
        }
        ContentUsage::of(&members)
    }

    fn of(members: &Option<Vec<Member<'_>>>) -> Self {
        let Some(members) = members else {
            return ContentUsage {
                train: PreferenceValue::Unknown,
                search: PreferenceValue::Unknown,
                is_dictionary: false,
            };
        };
        // Of several members with one key, the last counts (RFC 9651 §4.2.2).
        let answer = |key| members.iter().rev().find(|member| member.key == key).map(Member::answer);
        ContentUsage {
            train: answer("train-ai").unwrap_or_default(),
            search: answer("search").unwrap_or_default(),
            is_dictionary: true,
        }
    }

    /// Returns what it says of a use; unknown for uses that the vocabulary has no category for.
    pub fn answer(&self, usage: Use) -> PreferenceValue {
        match usage {
            Use::Train => self.train,
            Use::Search => self.search,
            _ => PreferenceValue::Unknown,
        }
    }

    /// Returns true if it allows or disallows anything.
    pub(super) fn says_something(&self) -> bool {
        self.train != PreferenceValue::Unknown || self.search != PreferenceValue::Unknown
    }

    /// Returns true if it is a dictionary of structured fields (RFC 9651 §4.2.2).
    pub fn is_dictionary(&self) -> bool {
        self.is_dictionary
    }
}

/// Cuts the value of a rule into the path, if it has one, and the statement (draft-ietf-aipref-attach-05 §3.2).
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
}

enum Value<'v> {
    Token(&'v str),
    /// The key stands alone.
    Missing,
    String(String),
    Other,
}

impl Member<'_> {
    fn answer(&self) -> PreferenceValue {
        match &self.value {
            Value::Token("y") => PreferenceValue::Allow,
            Value::Token("n") => PreferenceValue::Disallow,
            _ => PreferenceValue::Unknown,
        }
    }

    fn report(&self, line: Option<u32>, findings: &mut Found) {
        let Member { key, value } = self;
        if !matches!(*key, "train-ai" | "search") {
            return report_key(key, line, findings);
        }
        let (said, meant) = match value {
            Value::Token("y" | "n") => return,
            Value::Token(token) => (format!("`{token}`"), letter(token)),
            Value::String(string) => (quoted(format!("\"{string}\"").as_bytes()), letter(string)),
            Value::Missing => ("nothing".to_owned(), None),
            Value::Other => ("something else".to_owned(), None),
        };
        let is_signal_term = matches!(value, Value::Token("yes" | "no"));
        let kind =
            if is_signal_term { &kinds::SIGNAL_TERM_IN_CONTENT_USAGE } else { &kinds::UNKNOWN_PREFERENCE };
        findings.advise(kind, line, || {
            let help = match meant {
                Some(letter) => format!("write `{key}={letter}`"),
                None => format!("write `{key}=y` or `{key}=n`"),
            };
            (format!("`{key}` is given {said}"), help)
        });
    }
}

fn report_key(key: &str, line: Option<u32>, findings: &mut Found) {
    match key {
        "ai-train" => findings.advise(&kinds::SIGNAL_TERM_IN_CONTENT_USAGE, line, || {
            ("`ai-train` belongs to `Content-Signal`".to_owned(), "write `train-ai`".to_owned())
        }),
        "ai-input" => findings.advise(&kinds::SIGNAL_TERM_IN_CONTENT_USAGE, line, || {
            let help = "take it out; the vocabulary has no such category";
            ("`ai-input` belongs to `Content-Signal`".to_owned(), help.to_owned())
        }),
        _ => match OTHER_REVISIONS.iter().find(|(label, _)| *label == key) {
            Some((_, revisions)) => findings.detail(&kinds::OBSOLETE_CATEGORY, line, || {
                format!("`{key}` is a category of draft-ietf-aipref-vocab{revisions}, not of {VOCABULARY}")
            }),
            None => findings.detail(&kinds::UNKNOWN_CATEGORY, line, || {
                format!("{} is no category of {VOCABULARY}", quoted(key.as_bytes()))
            }),
        },
    }
}

/// The letter that somebody meant who wrote a word.
fn letter(word: &str) -> Option<char> {
    match word {
        "y" | "yes" | "true" | "allow" => Some('y'),
        "n" | "no" | "false" | "disallow" => Some('n'),
        _ => None,
    }
}

/// The members of a dictionary; `None` if it is none.
fn members(value: &[u8]) -> Option<Vec<Member<'_>>> {
    Parser::new(value).parse_dictionary_with_visitor(Collect::default()).ok()
}

#[derive(Default)]
struct Collect<'v> {
    members: Vec<Member<'v>>,
}

impl<'v> DictionaryVisitor<'v> for Collect<'v> {
    type Out = Vec<Member<'v>>;
    type Error = Infallible;

    fn entry(&mut self, key: &'v KeyRef) -> Result<impl EntryVisitor<'v>, Infallible> {
        self.members.push(Member { key: key.as_str(), value: Value::Other });
        Ok(self.members.last_mut().map(|member| Slot { value: &mut member.value }))
    }

    fn finish(self) -> Result<Vec<Member<'v>>, Infallible> {
        Ok(self.members)
    }
}

/// Where the value of a member goes. Parameters mean nothing (draft-ietf-aipref-vocab-07 §6.4).
struct Slot<'s, 'v> {
    value: &'s mut Value<'v>,
}

impl<'v> EntryVisitor<'v> for Slot<'_, 'v> {
    type Error = Infallible;

    fn item(self) -> Result<impl ItemVisitor<'v>, Infallible> {
        Ok(|item: BareItemFromInput<'v>| {
            *self.value = match item {
                BareItemFromInput::Token(token) => Value::Token(token.as_str()),
                BareItemFromInput::String(string) => Value::String(string.as_str().to_owned()),
                // A key without a value is the Boolean true (RFC 9651 §3.2).
                BareItemFromInput::Boolean(true) => Value::Missing,
                _ => Value::Other,
            };
            Ok::<_, Infallible>(Ignored)
        })
    }

    fn inner_list(self) -> Result<impl InnerListVisitor<'v>, Infallible> {
        Ok(Ignored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Channel;

    fn answers(value: &str) -> (PreferenceValue, PreferenceValue) {
        let statement = ContentUsage::parse(value.as_bytes());
        (statement.answer(Use::Train), statement.answer(Use::Search))
    }

    fn findings(value: &str) -> Vec<(&'static str, String)> {
        let mut findings = Found::new(Channel::RobotsTxt);
        ContentUsage::parse_with_findings(value.as_bytes(), None, &mut findings);
        findings
            .list()
            .iter()
            .map(|finding| {
                (finding.code(), {
                    let (_, detail) =
                        finding.message().split_once(": ").expect("what the kind says, and the detail");
                    format!("{detail}; {}", finding.help())
                })
            })
            .collect()
    }

    #[test]
    fn anything_but_the_tokens_y_and_n_is_unknown() {
        assert_eq!(answers("train-ai=y, search=n"), (PreferenceValue::Allow, PreferenceValue::Disallow));
        for value in ["train-ai", "train-ai=\"y\"", "train-ai=?1", "train-ai=(y)", "train-ai=Y", "train-ai=1"]
        {
            assert_eq!(answers(value).0, PreferenceValue::Unknown, "{value}");
        }
        assert_eq!(ContentUsage::parse(b"train-ai=n").answer(Use::AiInput), PreferenceValue::Unknown);
    }

    #[test]
    fn paths_start_with_a_slash_and_end_at_white_space() {
        let split = |value: &'static str| split_rule(value.as_bytes());
        assert_eq!(split("train-ai=n"), (None, &b"train-ai=n"[..]));
        assert_eq!(split("/a \t train-ai=n"), (Some(&b"/a"[..]), &b"train-ai=n"[..]));
        assert_eq!(split("/a"), (Some(&b"/a"[..]), &b""[..]));
        assert_eq!(split("*/a train-ai=n"), (None, &b"*/a train-ai=n"[..]));
    }

    #[test]
    fn what_belongs_elsewhere_is_told_from_what_belongs_nowhere() {
        let kinds = |value: &str| findings(value).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
        assert_eq!(kinds("train-ai=y, search=n;x=1"), [""; 0]);
        assert_eq!(kinds("ai=n"), ["usage-obsolete-category"]);
        assert_eq!(kinds("ai-train=n"), ["usage-signal-term-in-content-usage"]);
        assert_eq!(kinds("train-ai=no"), ["usage-signal-term-in-content-usage"]);
        assert_eq!(kinds("train-ai=maybe"), ["usage-unknown-preference"]);
        assert_eq!(kinds("herons=n"), ["usage-unknown-category"]);
        assert_eq!(kinds("train-ai=n,"), ["usage-content-usage-syntax"]);
        assert_eq!(kinds(""), ["usage-content-usage-syntax"]);
    }

    #[test]
    fn messages_say_what_to_write() {
        assert_eq!(findings("search=no")[0].1, "`search` is given `no`; write `search=n`");
        assert_eq!(
            findings("bots=n")[0].1,
            "`bots` is a category of draft-ietf-aipref-vocab-03 and -04, not of draft-ietf-aipref-vocab-07; \
             write `train-ai` or `search`"
        );
        assert_eq!(findings("search")[0].1, "`search` is given nothing; write `search=y` or `search=n`");
    }
}
