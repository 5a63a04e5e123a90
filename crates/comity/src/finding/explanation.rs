//! The explanations of the kinds of findings: reasons and examples. They are more text than the findings themselves, so
//! programs that only report findings do without.

use std::borrow::Cow;
use std::fmt;

use super::Channel;

/// The explanation of a kind.
#[derive(Debug)]
pub(crate) struct Explanation {
    pub why: &'static str,
    pub bad: ExampleContent,
    pub good: ExampleContent,
}

/// The content of an example.
#[derive(Debug)]
pub(crate) enum ExampleContent {
    /// The text of the document.
    Text(&'static [u8]),
    /// The text of a document in which a piece is repeated between a start and an end.
    Repeated { head: &'static str, piece: &'static str, times: usize, end: &'static str },
    /// A description, if no short file can show the finding.
    Described(&'static str),
}

/// An example of a kind: a document that has the finding, or one that does not.
#[derive(Clone, Copy, Debug)]
pub struct Example<'k> {
    channel: Channel,
    shown: &'k ExampleContent,
}

impl<'k> Example<'k> {
    pub(super) fn new(channel: Channel, shown: &'k ExampleContent) -> Self {
        Example { channel, shown }
    }

    /// Returns the description, if no document is shown.
    pub(super) fn description(&self) -> Option<&'static str> {
        match *self.shown {
            ExampleContent::Described(words) => Some(words),
            _ => None,
        }
    }
}

impl Example<'_> {
    /// Returns the kind of document.
    pub fn channel(&self) -> Channel {
        self.channel
    }

    /// Returns the document, or `None` if it is only described.
    pub fn bytes(&self) -> Option<Cow<'static, [u8]>> {
        match self.shown {
            ExampleContent::Text(text) => Some(Cow::Borrowed(text)),
            ExampleContent::Repeated { head, piece, times, end } => {
                Some(Cow::Owned([head, &*piece.repeat(*times), end].concat().into_bytes()))
            }
            ExampleContent::Described(_) => None,
        }
    }
}

/// Writes the example for a documentation page. Unprintable bytes are escaped, and repeated parts are written once with
/// the number of repetitions.
impl fmt::Display for Example<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shown {
            ExampleContent::Text(text) => {
                for chunk in text.utf8_chunks() {
                    chunk.valid().chars().try_for_each(|c| visible(c, f))?;
                    write!(f, "{}", chunk.invalid().escape_ascii())?;
                }
                if text.ends_with(b"\n") { Ok(()) } else { f.write_str("\n") }
            }
            ExampleContent::Repeated { head, piece, times, end } => {
                let part = match (piece.ends_with('\n'), end.is_empty()) {
                    (true, true) => "the last line",
                    (false, true) => "the last character",
                    (true, false) => "the line above the end",
                    (false, false) => "the part above",
                };
                write!(f, "{head}{}\n# ({part} {times} times)\n{end}", piece.trim_end())
            }
            ExampleContent::Described(words) => writeln!(f, "{words}"),
        }
    }
}

/// Writes a character, escaped if it is unprintable.
fn visible(c: char, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match c {
        '\n' => f.write_str("\n"),
        c if c.is_ascii_control() => write!(f, "\\x{:02x}", u32::from(c)),
        c if c.is_control() || c == '\u{a0}' || crate::shown::is_unsafe(c) => {
            write!(f, "{}", c.escape_unicode())
        }
        c => write!(f, "{c}"),
    }
}
