//! Finds the first line of a file that violates the grammar of the proposal.
//!
//! ```text
//! file    = [BOM] "# " name [quote] *body *section
//! body    = any Markdown but headings
//! section = "## " name 1*item
//! item    = "- [" name "](" url ")" [":" notes]
//! ```
//!
//! Blank lines may be anywhere. The text of the proposal permits any Markdown list in a section. This stricter grammar
//! describes the files that every program reads.

use super::blocks::{Blocks, HeadingStyle, Kind, Line, Marker};
use super::file_findings::FileFindings;
use super::inline::{self, LinkForm};
use super::kind::{self, BodyKind};
use super::kinds;
use super::limits::DEFAULT_MAX_BYTES;
use super::text;
use crate::finding::{self, Channel, Finding};

/// Returns the first violation of the proposal's grammar, or `None` if the file follows the grammar exactly.
///
/// A body larger than [`DEFAULT_MAX_BYTES`] is a violation.
///
/// ```
/// use comity::llms::check_strict;
///
/// assert!(check_strict("# Reed\n\n> Tools.\n\n## Docs\n\n- [Start](/start.md): first steps\n").is_none());
/// let broken = check_strict("# Reed\n\n## Docs\n\n* [Start](/start.md)\n").expect("another bullet");
/// assert_eq!((broken.code(), broken.place().line), ("llms-strict-other-bullet", Some(5)));
/// ```
pub fn check_strict(body: impl AsRef<[u8]>) -> Option<Finding> {
    let (kind, line) = broken(body.as_ref()).err()?;
    Some(Finding::new(kind, finding::Place::line(Channel::LlmsTxt, line), kind.message()))
}

/// The kind of finding for the violated rule, and the 1-based line.
type Violation = (&'static finding::Kind, u32);

fn broken(body: &[u8]) -> Result<(), Violation> {
    let text = text::read(body, DEFAULT_MAX_BYTES, None, &mut FileFindings::default());
    let violation = |kind| Err((kind, 1));
    if text.is_truncated {
        return violation(&kinds::STRICT_TOO_LONG);
    }
    if !text.is_utf8 {
        return violation(&kinds::STRICT_NOT_UTF8);
    }
    if kind::detect(body, &text.text) != BodyKind::Markdown {
        return violation(&kinds::STRICT_NOT_MARKDOWN);
    }
    let mut grammar = Grammar { part: Part::Start, section_line: 0, has_items: true };
    let mut blocks = Blocks::new(&text.text);
    let mut last = 1;
    for line in blocks.by_ref() {
        last = line.number;
        grammar.line(&line).map_err(|kind| (kind, line.number))?;
        if let Some(broken) = grammar.start_section(&line) {
            return Err(broken);
        }
    }
    if blocks.unclosed_block().is_some() {
        return Err((&kinds::STRICT_UNCLOSED, last));
    }
    grammar.end()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Start,
    Lead,
    Section,
}

struct Grammar {
    part: Part,
    section_line: u32,
    has_items: bool,
}

impl Grammar {
    fn line(&mut self, line: &Line<'_>) -> Result<(), &'static finding::Kind> {
        if line.is_cut {
            return Err(&kinds::STRICT_TOO_LONG);
        }
        match (self.part, line.kind) {
            (_, Kind::Blank) => Ok(()),
            (Part::Start, Kind::Heading { level: 1, name, style: HeadingStyle::Hashes })
                if !name.is_empty() && line.text.starts_with("# ") =>
            {
                self.part = Part::Lead;
                Ok(())
            }
            (Part::Start, _) => Err(&kinds::STRICT_NOT_A_TITLE),
            (_, Kind::Heading { level, name, style }) => heading(line, level, name, style),
            (Part::Lead, _) => Ok(()),
            (Part::Section, Kind::Item { indent, marker, text }) => {
                self.has_items = true;
                item(indent, marker, text)
            }
            (Part::Section, _) => Err(&kinds::STRICT_NOT_AN_ITEM),
        }
    }

    /// At an H2, starts a section. Returns a violation if the previous section has no items.
    fn start_section(&mut self, line: &Line<'_>) -> Option<Violation> {
        if !matches!(line.kind, Kind::Heading { level: 2, .. }) {
            return None;
        }
        let before = self.end().err();
        (self.part, self.section_line, self.has_items) = (Part::Section, line.number, false);
        before
    }

    fn end(&self) -> Result<(), Violation> {
        match self.part {
            Part::Start => Err((&kinds::STRICT_NOT_A_TITLE, 1)),
            Part::Section if !self.has_items => Err((&kinds::STRICT_EMPTY_SECTION, self.section_line)),
            _ => Ok(()),
        }
    }
}

fn heading(
    line: &Line<'_>,
    level: u8,
    name: &str,
    style: HeadingStyle,
) -> Result<(), &'static finding::Kind> {
    let is_plain = style == HeadingStyle::Hashes && line.text.starts_with('#') && !name.is_empty();
    match level {
        1 => Err(&kinds::STRICT_SECOND_H1),
        2 if is_plain => Ok(()),
        2 => Err(&kinds::STRICT_HEADING_FORM),
        _ => Err(&kinds::STRICT_DEEP_HEADING),
    }
}

fn item(indent: usize, marker: Marker, text: &str) -> Result<(), &'static finding::Kind> {
    if indent > 0 {
        return Err(&kinds::STRICT_NESTED_ITEM);
    }
    if marker != Marker::Dash {
        return Err(&kinds::STRICT_OTHER_BULLET);
    }
    let links = inline::links(text);
    let link = links
        .first()
        .filter(|link| link.start == 0 && link.form == LinkForm::Inline)
        .filter(|link| !link.has_space_before && !link.has_space_within)
        .filter(|link| !link.name.is_empty() && !link.target.is_empty())
        .ok_or(&kinds::STRICT_NO_LINK)?;
    match text[link.end..].chars().next() {
        None | Some(':') => Ok(()),
        Some(_) => Err(&kinds::STRICT_NO_COLON),
    }
}
