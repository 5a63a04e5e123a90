//! Kinds of findings. The code, severity, documentation and examples of a kind are declared together.
//!
//! Tables in `docs/reference` are generated from the kinds. A test runs every example: the bad example must have the
//! finding, the good example must not.

use std::fmt;

#[cfg(feature = "explanations")]
use super::explanation::{Example, Explanation};
use super::{Channel, Reader, Severity};

/// A kind of finding.
///
/// Codes are stable: they name the kind in JSON, on the command line and in `docs/reference`.
///
/// ```
/// use comity::finding::{Kind, Severity};
///
/// let kind = Kind::of("missing-colon")?;
/// assert_eq!(kind.severity(), Severity::Warning);
/// assert_eq!(kind.summary(), "A directive has no colon after its name.");
/// # Ok::<(), comity::finding::UnknownCode>(())
/// ```
pub struct Kind {
    pub(crate) reader: Reader,
    pub(crate) code: &'static str,
    pub(crate) severity: Severity,
    pub(crate) summary: &'static str,
    pub(crate) help: &'static str,
    pub(crate) channel: Channel,
    #[cfg(feature = "explanations")]
    pub(crate) explanation: Explanation,
}

impl Kind {
    /// Returns the reader that reports findings of this kind.
    pub fn reader(&self) -> Reader {
        self.reader
    }

    /// Returns the type of document in which such findings usually occur.
    pub fn channel(&self) -> Channel {
        self.channel
    }

    /// Returns the stable name of the kind, such as `missing-colon`.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// Returns the default severity of findings of this kind.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Returns the description of the problem, in a sentence.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// Returns the default advice: lower case, no full stop.
    pub fn help(&self) -> &'static str {
        self.help
    }

    /// Returns the summary as a message: lower case, no full stop. No summary starts with a proper name.
    pub(crate) fn message(&self) -> String {
        let summary = self.summary.strip_suffix('.').unwrap_or(self.summary);
        let mut letters = summary.chars();
        match (letters.next(), letters.next()) {
            (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
                first.to_lowercase().chain(summary.chars().skip(1)).collect()
            }
            _ => summary.to_owned(),
        }
    }
}

#[cfg(feature = "explanations")]
#[cfg_attr(docsrs, doc(cfg(feature = "explanations")))]
impl Kind {
    /// Returns the reason why the problem matters, and for whom.
    pub fn why(&self) -> &'static str {
        self.explanation.why
    }

    /// Returns a document that has the finding.
    pub fn bad(&self) -> Example<'_> {
        Example::new(self.channel, &self.explanation.bad)
    }

    /// Returns the corrected document, which has no warnings.
    pub fn good(&self) -> Example<'_> {
        Example::new(self.channel, &self.explanation.good)
    }

    /// Returns the documentation of the kind in Markdown, as printed in `docs/reference`.
    pub fn documentation(&self) -> String {
        let Kind { code, severity, summary, help, .. } = self;
        let why = self.why();
        let mut text = format!("## {code}\n\n{summary} Severity: {severity}.\n\n{why}\n\nWay out: {help}.\n");
        for (title, example) in [("Bad", self.bad()), ("Good", self.good())] {
            match example.description() {
                Some(words) => text += &format!("\n{title}: {words}.\n"),
                None => text += &format!("\n{title}:\n\n```text\n{example}```\n"),
            }
        }
        if self.reader == Reader::RobotsTxt {
            text += &format!("\nTo turn it off: `comity lint --allow {code}`.\n");
        }
        text
    }
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for Kind {}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kind({})", self.code)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code)
    }
}

/// The error for a code that no kind has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCode {
    code: String,
    nearest: Option<&'static Kind>,
}

impl UnknownCode {
    pub(crate) fn new(code: &str, nearest: Option<&'static Kind>) -> Self {
        UnknownCode { code: super::excerpt(code), nearest }
    }
}

impl fmt::Display for UnknownCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown code `{}`", self.code)?;
        match self.nearest {
            Some(kind) => write!(f, "; did you mean `{kind}`?"),
            None => f.write_str(
                "; `comity lint --list` lists the codes of robots.txt, and docs/reference/findings/README.md lists the others",
            ),
        }
    }
}

impl std::error::Error for UnknownCode {}

/// Declares the kinds of a reader: a static for each, and `ALL`.
macro_rules! kinds {
    ($reader:ident; $($name:ident $code:literal $severity:ident $channel:ident, $summary:literal, $why:literal,
       $help:literal, bad($($bad:tt)*), good($($good:tt)*);)*) => {
        $(
            #[doc = $summary]
            pub(crate) static $name: $crate::finding::Kind = $crate::finding::kinds!(
                @kind $reader $code $severity $channel, $summary, $why, $help, bad($($bad)*), good($($good)*)
            );
        )*

        /// Every kind, in the order of the documentation.
        pub(crate) static ALL: &[&$crate::finding::Kind] = &[$(&$name),*];
    };
    (@kind $reader:ident $code:literal $severity:ident $channel:ident, $summary:literal, $why:literal,
       $help:literal, bad($($bad:tt)*), good($($good:tt)*)) => {
        $crate::finding::Kind {
            reader: $crate::finding::Reader::$reader,
            code: $code,
            severity: $crate::finding::Severity::$severity,
            summary: $summary,
            help: $help,
            channel: $crate::finding::Channel::$channel,
            #[cfg(feature = "explanations")]
            explanation: $crate::finding::Explanation {
                why: $why,
                bad: $crate::finding::kinds!(@shown $($bad)*),
                good: $crate::finding::kinds!(@shown $($good)*),
            },
        }
    };
    (@shown described $words:literal) => { $crate::finding::ExampleContent::Described($words) };
    (@shown $text:literal) => { $crate::finding::ExampleContent::Text($text) };
    (@shown $head:literal, $piece:literal, $times:literal, $end:literal) => {
        $crate::finding::ExampleContent::Repeated { head: $head, piece: $piece, times: $times, end: $end }
    };
}

pub(crate) use kinds;
