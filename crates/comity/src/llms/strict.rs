//! Checks a file against the grammar of the proposal to the letter. Returns the first line that breaks it.
//!
//! ```text
//! file    = [BOM] "# " name [quote] *body *section
//! body    = any Markdown but headings
//! section = "## " name 1*item
//! item    = "- [" name "](" url ")" [":" notes]
//! ```
//!
//! The proposal's prose would allow any Markdown list in a section. The grammar is the part that every program reads.

use std::fmt;

use super::blocks::{Blocks, HeadingStyle, Kind, Line, Marker};
use super::finding::Findings;
use super::inline::{self, LinkForm};
use super::kind::{self, BodyKind};
use super::read::DEFAULT_MAX_BYTES;
use super::text;

macro_rules! violations {
    ($($(#[doc = $doc:literal])+ $name:ident, $code:literal, $summary:literal;)*) => {
        /// The way in which a file breaks the grammar.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        #[non_exhaustive]
        pub enum ViolationKind {
            $($(#[doc = $doc])+ #[cfg_attr(feature = "serde", serde(rename = $code))] $name,)*
        }

        impl ViolationKind {
            /// Every kind, in the order of the documentation.
            pub const ALL: &[ViolationKind] = &[$(ViolationKind::$name,)*];

            /// The code in JSON and on the command line.
            pub const fn as_str(self) -> &'static str {
                match self { $(ViolationKind::$name => $code,)* }
            }

            /// Returns what the grammar wants, in one sentence.
            pub const fn summary(self) -> &'static str {
                match self { $(ViolationKind::$name => $summary,)* }
            }
        }
    };
}

violations! {
    /// No Markdown at all.
    NotMarkdown, "not-markdown", "The body is not Markdown.";
    /// Bytes that are not UTF-8.
    NotUtf8, "not-utf8", "The file has to be UTF-8.";
    /// Longer than is read.
    TooLong, "too-long", "The file, or a line of it, is longer than is read.";
    /// Something else than the title comes first.
    NotATitle, "not-a-title", "The first line has to be `# ` and a name.";
    /// A second H1.
    SecondH1, "second-h1", "There is one H1 only.";
    /// H3 or deeper.
    DeepHeading, "deep-heading", "There are no headings below H2.";
    /// `##Name`, an indented heading, or one with a line below it.
    HeadingForm, "heading-form", "A heading has to be `## ` and a name, at the start of the line.";
    /// A section without items.
    EmptySection, "empty-section", "A section has to list at least one link.";
    /// A line of a section that is not an item.
    NotAnItem, "not-an-item", "A section may hold nothing but items.";
    /// `*`, `+` or a number.
    OtherBullet, "other-bullet", "An item has to start with `- `.";
    /// An indented item.
    NestedItem, "nested-item", "Items have to start at the left margin.";
    /// An item that does not start with a link.
    NoLink, "no-link", "An item has to start with `[name](url)`.";
    /// Text after a link without a colon.
    NoColon, "no-colon", "Notes have to follow the link and a `:`.";
    /// A code fence or comment that does not end.
    Unclosed, "unclosed", "A code fence or an HTML comment is never closed.";
}

/// The first place where a file breaks the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Violation {
    kind: ViolationKind,
    line: u32,
}

impl Violation {
    /// How.
    pub fn kind(&self) -> ViolationKind {
        self.kind
    }

    /// The 1-based line.
    pub fn line(&self) -> u32 {
        self.line
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}: {}", self.line, self.kind.as_str(), self.kind.summary())
    }
}

impl std::error::Error for Violation {}

/// Returns whether a file follows the grammar of the proposal to the letter.
///
/// # Errors
///
/// The first [`Violation`]. Bodies beyond [`DEFAULT_MAX_BYTES`] are refused.
///
/// ```
/// use comity::llms::{ViolationKind, check_strict};
///
/// assert!(check_strict("# Reed\n\n> Tools.\n\n## Docs\n\n- [Start](/start.md): first steps\n").is_ok());
/// let violation = check_strict("# Reed\n\n## Docs\n\n* [Start](/start.md)\n").unwrap_err();
/// assert_eq!((violation.kind(), violation.line()), (ViolationKind::OtherBullet, 5));
/// ```
pub fn check_strict(body: impl AsRef<[u8]>) -> Result<(), Violation> {
    let body = body.as_ref();
    let text = text::read(body, DEFAULT_MAX_BYTES, None, &mut Findings::new());
    let refuse = |kind| Err(Violation { kind, line: 1 });
    if text.is_truncated {
        return refuse(ViolationKind::TooLong);
    }
    if !text.is_utf8 {
        return refuse(ViolationKind::NotUtf8);
    }
    if kind::detect(body, &text.text) != BodyKind::Markdown {
        return refuse(ViolationKind::NotMarkdown);
    }
    let mut grammar = Grammar { place: Place::Start, section_line: 0, has_items: true };
    let mut blocks = Blocks::new(&text.text);
    let mut last = 1;
    for line in blocks.by_ref() {
        last = line.number;
        grammar.line(&line).map_err(|kind| Violation { kind, line: line.number })?;
        if let Some(violation) = grammar.empty_section(&line) {
            return Err(violation);
        }
    }
    if blocks.leaves_open().is_some() {
        return Err(Violation { kind: ViolationKind::Unclosed, line: last });
    }
    grammar.end()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Start,
    Lead,
    Section,
}

struct Grammar {
    place: Place,
    section_line: u32,
    has_items: bool,
}

impl Grammar {
    fn line(&mut self, line: &Line<'_>) -> Result<(), ViolationKind> {
        if line.is_cut {
            return Err(ViolationKind::TooLong);
        }
        match (self.place, line.kind) {
            (_, Kind::Blank) => Ok(()),
            (Place::Start, Kind::Heading { level: 1, name, style: HeadingStyle::Hashes })
                if !name.is_empty() && line.text.starts_with("# ") =>
            {
                self.place = Place::Lead;
                Ok(())
            }
            (Place::Start, _) => Err(ViolationKind::NotATitle),
            (_, Kind::Heading { level, name, style }) => heading(line, level, name, style),
            (Place::Lead, _) => Ok(()),
            (Place::Section, Kind::Item { indent, marker, text }) => {
                self.has_items = true;
                item(indent, marker, text)
            }
            (Place::Section, _) => Err(ViolationKind::NotAnItem),
        }
    }

    /// At a heading, reports the section before it if that has no items.
    fn empty_section(&mut self, line: &Line<'_>) -> Option<Violation> {
        if !matches!(line.kind, Kind::Heading { level: 2, .. }) {
            return None;
        }
        let before = self.end().err();
        (self.place, self.section_line, self.has_items) = (Place::Section, line.number, false);
        before
    }

    fn end(&self) -> Result<(), Violation> {
        match self.place {
            Place::Start => Err(Violation { kind: ViolationKind::NotATitle, line: 1 }),
            Place::Section if !self.has_items => {
                Err(Violation { kind: ViolationKind::EmptySection, line: self.section_line })
            }
            _ => Ok(()),
        }
    }
}

fn heading(line: &Line<'_>, level: u8, name: &str, style: HeadingStyle) -> Result<(), ViolationKind> {
    let is_plain = style == HeadingStyle::Hashes && line.text.starts_with('#') && !name.is_empty();
    match level {
        1 => Err(ViolationKind::SecondH1),
        2 if is_plain => Ok(()),
        2 => Err(ViolationKind::HeadingForm),
        _ => Err(ViolationKind::DeepHeading),
    }
}

fn item(indent: usize, marker: Marker, text: &str) -> Result<(), ViolationKind> {
    if indent > 0 {
        return Err(ViolationKind::NestedItem);
    }
    if marker != Marker::Dash {
        return Err(ViolationKind::OtherBullet);
    }
    let links = inline::links(text);
    let link = links
        .first()
        .filter(|link| link.start == 0 && link.form == LinkForm::Inline)
        .filter(|link| !link.has_space_before && !link.has_space_within)
        .filter(|link| !link.name.is_empty() && !link.target.is_empty())
        .ok_or(ViolationKind::NoLink)?;
    match text[link.end..].chars().next() {
        None | Some(':') => Ok(()),
        Some(_) => Err(ViolationKind::NoColon),
    }
}
