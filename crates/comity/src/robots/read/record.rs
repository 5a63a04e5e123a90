//! Records: lines of a robots.txt with a key and a value.

use std::borrow::Cow;
use std::fmt;

use super::directive::RecordKind;
use super::space;
use super::syntax::Syntax;

/// One record of a [`RobotsTxt`](crate::robots::RobotsTxt).
#[derive(Clone, Copy)]
pub struct Record<'r> {
    pub(crate) line: u32,
    pub(crate) kind: RecordKind,
    pub(crate) group: Option<usize>,
    /// The bytes between the start of the key and the start of the value.
    pub(crate) head: &'r [u8],
    pub(crate) syntax: Syntax,
    pub(crate) value: &'r [u8],
    pub(crate) misspelt: bool,
    pub(crate) missing_colon: bool,
}

impl<'r> Record<'r> {
    /// Returns the 1-based line of the record.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns the kind of the record.
    pub fn kind(&self) -> RecordKind {
        self.kind
    }

    /// Returns the index of the record's group among [`RobotsTxt::groups`](crate::robots::RobotsTxt::groups). Returns
    /// `None` for file-wide records and for records outside any group.
    pub fn group(&self) -> Option<usize> {
        self.group
    }

    /// Returns the key as written.
    pub fn key(&self) -> &'r [u8] {
        let end = if self.missing_colon && self.syntax != Syntax::Generous {
            self.head.iter().position(|byte| matches!(byte, b' ' | b'\t'))
        } else if self.missing_colon {
            None
        } else {
            memchr::memchr(b':', self.head)
        };
        let key = 0..end.unwrap_or(self.head.len());
        &self.head[match self.syntax {
            Syntax::Lenient | Syntax::Exact => space::trim_ascii(self.head, key),
            Syntax::Python | Syntax::Anywhere | Syntax::Generous => space::trim_python(self.head, key),
            Syntax::JavaScript => space::trim_javascript(self.head, key),
            Syntax::Ruby => space::trim_ruby(self.head, key),
        }]
    }

    /// Returns the value as written, without surrounding white space and comment.
    pub fn value(&self) -> &'r [u8] {
        self.value
    }

    /// Returns the value as readable text, with control characters replaced.
    pub fn value_text(&self) -> Cow<'r, str> {
        crate::shown::bytes(self.value)
    }

    /// Returns true if the key is a misspelling that the dialect accepts.
    pub fn is_misspelt(&self) -> bool {
        self.misspelt
    }

    /// Returns true if white space replaces the colon and the dialect accepts it.
    pub fn is_missing_colon(&self) -> bool {
        self.missing_colon
    }
}

impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.line, self.kind.label(), self.value_text())
    }
}
