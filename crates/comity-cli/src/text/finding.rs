//! Renders a finding about a robots.txt. The text shows the line of the file, with the place of the finding underlined.
//!
//! The library that draws findings needs printable text, but the file can contain any bytes. So each finding gets an
//! [`Excerpt`]: its lines as printable text, with a map from offsets in the file to offsets in the text.

use std::io::Write;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use comity::finding::{Finding, Kind, Place, Severity};
use comity::shown::is_unsafe;
use comity_answers::lint::FindingOf;
use serde::Serialize;
use serde_json::{Value, json};

use super::Render;
use crate::annotations::{self, Sarif};
use crate::exit::Failure;
use crate::junit::Junit;
use crate::output::Output;
use crate::render;

/// Number of bytes of a long line that are shown before and after the place of a finding.
const CONTEXT: usize = 40;
/// Maximum number of bytes of a finding's place that are shown.
const SHOWN: usize = 60;
/// Maximum distance, in lines, of two places that are shown in one piece.
const GAP: u32 = 6;

/// The file of a finding.
pub(crate) struct FindingSource<'a> {
    pub(crate) body: &'a [u8],
    /// True if the finding makes the command fail.
    pub(crate) is_denied: bool,
}

impl Render for FindingOf<'_> {
    type View<'v> = FindingSource<'v>;

    fn text(&self, source: &mut FindingSource<'_>, output: &mut Output) -> Result<(), Failure> {
        let FindingOf { file: name, finding } = *self;
        let body = source.body;
        let level = match finding.severity() {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            _ => Level::NOTE,
        };
        let message = render::text(finding.message().as_bytes()).into_owned();
        let mut group = Group::with_title(level.primary_title(message).id(finding.code()));
        for (index, piece) in pieces(body, finding).into_iter().enumerate() {
            if index == 0 && piece.is_cut {
                // The library would count the column from the start of the visible part.
                let column = column(body, finding);
                group = group
                    .element(Origin::path(name).line(line(finding.place()) as usize).char_column(column));
                group = group.element(piece.snippet);
            } else {
                group = group.element(piece.snippet.path(name));
            }
        }
        let help = render::text(finding.help().as_bytes()).into_owned();
        if !help.is_empty() {
            group = group.element(Level::HELP.message(help));
        }
        let renderer = if output.palette.is_coloured() { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.note(output.palette.note);
        let report = renderer.term_width(output.width).render(&[group]);
        Ok(writeln!(output, "{report}\n")?)
    }

    /// Prints a workflow command that GitHub Actions shows at the line.
    fn github(&self, source: &mut FindingSource<'_>, output: &mut Output) -> Result<(), Failure> {
        let FindingOf { file, finding } = *self;
        let (line, column) = (finding.place().line.unwrap_or(1), column(source.body, finding));
        let text = format!("{}\nhelp: {}", finding.message(), finding.help());
        let place = format!("line={line},col={column}");
        annotation(file, finding.severity(), finding.code(), &place, &text, output)
    }

    fn junit(&self, source: &mut FindingSource<'_>, junit: &mut Junit) {
        junit.add(self.file, self.finding, source.is_denied);
    }

    fn sarif(&self, source: &mut FindingSource<'_>, sarif: &mut Sarif) {
        let FindingOf { file: name, finding } = *self;
        let (body, kind) = (source.body, finding.kind());
        let place = Kind::all().position(|other| other == kind).unwrap_or_default();
        sarif.rule(place, || rule(kind));
        let span = span(body, finding.place());
        let related: Vec<Value> = finding
            .related()
            .iter()
            .map(|related| {
                json!({
                    "message": { "text": related.message() },
                    "physicalLocation": {
                        "artifactLocation": { "uri": annotations::uri(name) },
                        "region": { "startLine": related.place().line },
                    },
                })
            })
            .collect();
        sarif.result(json!({
            "ruleId": finding.code(),
            "level": finding.severity().as_str(),
            "message": { "text": format!("{}. {}", finding.message(), finding.help()) },
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": { "uri": annotations::uri(name) },
                    "region": {
                        "startLine": finding.place().line,
                        "startColumn": column(body, finding),
                        "byteOffset": span.start,
                        "byteLength": span.len(),
                    },
                },
            }],
            "relatedLocations": related,
        }));
    }
}

/// Hidden findings of one kind, which are counted in one line.
#[derive(Serialize)]
pub(crate) struct HiddenCount<'a> {
    pub(crate) file: &'a str,
    pub(crate) code: &'static str,
    pub(crate) severity: Severity,
    /// The line of the first hidden finding.
    pub(crate) line: u64,
    /// Text with the number and the places of the hidden findings.
    pub(crate) words: String,
}

impl Render for HiddenCount<'_> {
    type View<'v> = ();

    fn text(&self, (): &mut (), output: &mut Output) -> Result<(), Failure> {
        let HiddenCount { file, code, severity, words, .. } = self;
        let style = output.palette.severity(*severity);
        let (strong, file) = (output.palette.strong, render::text(file.as_bytes()));
        Ok(writeln!(output, "{style}{severity}[{code}]{style:#}{strong}: {words}{strong:#}\n --> {file}\n")?)
    }

    fn github(&self, (): &mut (), output: &mut Output) -> Result<(), Failure> {
        let place = format!("line={}", self.line);
        annotation(self.file, self.severity, self.code, &place, &self.words, output)
    }
}

fn annotation(
    name: &str,
    severity: Severity,
    code: &str,
    place: &str,
    text: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    let title = format!("comity({code})");
    annotations::print(github_command(severity), name, &title, place, text, output)
}

fn github_command(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        _ => "notice",
    }
}

/// Returns the URL of the documentation of a lint; `None` while the package names no repository.
fn help_uri(kind: &Kind) -> Option<String> {
    let repository = env!("CARGO_PKG_REPOSITORY");
    (!repository.is_empty()).then(|| format!("{repository}/blob/main/{}", kind.page()))
}

/// Returns the description of a kind of findings in SARIF.
fn rule(kind: &Kind) -> Value {
    let mut rule = json!({
        "id": kind.code(),
        "shortDescription": { "text": kind.summary() },
        "fullDescription": { "text": kind.why() },
        "help": { "text": kind.why(), "markdown": kind.documentation() },
        "defaultConfiguration": { "level": kind.severity().as_str() },
        "properties": { "documentation": kind.page() },
    });
    if let Some(uri) = help_uri(kind) {
        rule["helpUri"] = uri.into();
    }
    rule
}

/// Returns the column in characters, from 1, at which a finding starts.
fn column(body: &[u8], finding: &Finding) -> usize {
    let start = span(body, finding.place()).start.min(body.len());
    let column = finding.place().column.and_then(|column| usize::try_from(column).ok());
    let line = match column {
        Some(column) => start.saturating_sub(column.saturating_sub(1)),
        None => line_start(body, start),
    };
    String::from_utf8_lossy(&body[line..start]).chars().count() + 1
}

/// Returns the line of a place; 1 if it has none. Line numbers fit in 32 bits, because at most 512,000 bytes are read.
fn line(place: &Place) -> u32 {
    place.line.and_then(|line| u32::try_from(line).ok()).unwrap_or(1)
}

/// Returns the bytes of a place. For a place that is a whole line, returns the line without the white space around it.
fn span(body: &[u8], place: &Place) -> Range<usize> {
    if let Some(span) = place.span() {
        return span;
    }
    let mut start = 0;
    for _ in 1..line(place) {
        let Some(end) = body[start..].iter().position(|byte| *byte == b'\n') else { return start..start };
        start += end + 1;
    }
    let text = &body[start..line_end(body, start)];
    let indent = text.len() - text.trim_ascii_start().len();
    start + indent..start + indent + text.trim_ascii().len()
}

/// A range to underline.
struct Mark<'a> {
    line: u32,
    span: Range<usize>,
    label: Option<&'a str>,
    kind: AnnotationKind,
}

/// Adjacent lines with places of the finding.
struct Piece<'a> {
    snippet: Snippet<'a, Annotation<'a>>,
    /// True if the start of a line is cut off.
    is_cut: bool,
}

/// Returns pieces with the places of the finding and the related places. Places that are close to each other share a
/// piece.
fn pieces<'a>(body: &[u8], finding: &'a Finding) -> Vec<Piece<'a>> {
    let own = Mark {
        line: line(finding.place()),
        span: span(body, finding.place()),
        label: None,
        kind: AnnotationKind::Primary,
    };
    let related = finding.related().iter().map(|related| Mark {
        line: line(related.place()),
        span: span(body, related.place()),
        label: Some(related.message()),
        kind: AnnotationKind::Context,
    });
    let (mut near, far): (Vec<_>, Vec<_>) = related.partition(|place| {
        let is_near = place.line.abs_diff(own.line) <= GAP;
        is_near && place.span.end.abs_diff(own.span.start) <= usize::from(u16::MAX)
    });
    near.push(own);
    near.sort_by_key(|place| place.span.start);
    std::iter::once(near)
        .chain(far.into_iter().map(|place| vec![place]))
        .map(|places| piece(body, &places))
        .collect()
}

fn piece<'a>(body: &[u8], places: &[Mark<'a>]) -> Piece<'a> {
    let first = places.iter().map(|place| place.line).min().unwrap_or(1);
    let excerpt = Excerpt::new(body, places);
    let annotations = places
        .iter()
        .map(|place| place.kind.span(excerpt.range(&place.span)).label(place.label))
        .collect::<Vec<_>>();
    let snippet = Snippet::source(excerpt.text).line_start(first as usize).annotations(annotations);
    Piece { snippet, is_cut: excerpt.is_cut }
}

/// Lines of a file as printable text.
struct Excerpt {
    text: String,
    /// Pairs of an offset in the file and the offset of its copy in the text: one for each character, in order.
    map: Vec<(usize, usize)>,
    is_cut: bool,
}

impl Excerpt {
    /// Copies the lines from the first place to the last. Long lines are shortened around the places.
    fn new(body: &[u8], places: &[Mark<'_>]) -> Self {
        let clamp = |offset: usize| offset.min(body.len());
        let first = places.iter().map(|place| clamp(place.span.start)).min().unwrap_or(0);
        let last = places.iter().map(|place| clamp(place.span.start)).max().unwrap_or(0);
        let start = line_start(body, first);
        let end = line_end(body, last);
        let mut excerpt = Excerpt { text: String::new(), map: Vec::new(), is_cut: false };
        let mut at = start;
        loop {
            let line_end = line_end(body, at).min(end);
            let inside = |place: &&Mark<'_>| (at..=line_end).contains(&clamp(place.span.start));
            let focus = places.iter().filter(inside).map(|place| shown(&place.span, line_end));
            let focus = focus.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
            excerpt.push_line(body, at..line_end, focus.unwrap_or(at..at));
            if line_end >= end {
                break;
            }
            at = line_end + if body[line_end..].starts_with(b"\r\n") { 2 } else { 1 };
            excerpt.map.push((at, excerpt.text.len() + 1));
            excerpt.text.push('\n');
        }
        excerpt
    }

    /// Appends a line, or the part of it around `focus`.
    fn push_line(&mut self, body: &[u8], line: Range<usize>, focus: Range<usize>) {
        let start = line.start.max(focus.start.saturating_sub(CONTEXT));
        let end = line.end.min(focus.end.max(line.start) + CONTEXT);
        if start > line.start {
            self.text.push_str("...");
            self.is_cut = true;
        }
        self.push_bytes(&body[start..end], start);
        if end < line.end {
            self.text.push_str("...");
        }
    }

    /// Appends bytes: printable ones unchanged, all others as placeholders.
    fn push_bytes(&mut self, bytes: &[u8], mut offset: usize) {
        for chunk in bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                self.map.push((offset, self.text.len()));
                self.text.push(match c {
                    '\t' => '\t',
                    // Unicode has a symbol for each of the first 32 control characters.
                    '\0'..='\u{1f}' => {
                        char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER)
                    }
                    c if is_unsafe(c) || matches!(c, '\u{200c}' | '\u{200d}') => char::REPLACEMENT_CHARACTER,
                    c => c,
                });
                offset += c.len_utf8();
            }
            if !chunk.invalid().is_empty() {
                self.map.push((offset, self.text.len()));
                self.text.push(char::REPLACEMENT_CHARACTER);
                offset += chunk.invalid().len();
            }
        }
        self.map.push((offset, self.text.len()));
    }

    /// Converts a range of the file to the range of its copy in the text, up to the end of the first line.
    fn range(&self, span: &Range<usize>) -> Range<usize> {
        let start = self.offset(span.start);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        start..self.offset(span.end).clamp(start, line_end)
    }

    /// Converts the offset of a byte in the file to the offset of its character in the text.
    fn offset(&self, offset: usize) -> usize {
        let after = self.map.partition_point(|(file, _)| *file <= offset);
        after.checked_sub(1).map_or(0, |index| self.map[index].1).min(self.text.len())
    }
}

/// Returns the visible part of a span: its start, up to the limit.
fn shown(span: &Range<usize>, line_end: usize) -> Range<usize> {
    let start = span.start.min(line_end);
    start..span.end.min(line_end).min(start + SHOWN).max(start)
}

fn line_start(body: &[u8], offset: usize) -> usize {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    // An offset between CR and LF belongs to the line that ends there.
    let offset = if offset > 0 && body[offset - 1] == b'\r' && body.get(offset) == Some(&b'\n') {
        offset - 1
    } else {
        offset
    };
    body[..offset].iter().rposition(is_end).map_or(0, |at| at + 1)
}

fn line_end(body: &[u8], offset: usize) -> usize {
    let start = if offset > 0 && body[offset - 1] == b'\r' && body.get(offset) == Some(&b'\n') {
        offset - 1
    } else {
        offset
    };
    body[start..].iter().position(|byte| matches!(byte, b'\n' | b'\r')).map_or(body.len(), |at| start + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn underlined(body: &[u8], span: Range<usize>) -> (String, String) {
        let mark = Mark { line: 1, span: span.clone(), label: None, kind: AnnotationKind::Primary };
        let excerpt = Excerpt::new(body, &[mark]);
        let range = excerpt.range(&span);
        (excerpt.text.clone(), excerpt.text[range].to_owned())
    }

    #[test]
    fn range_next_to_unprintable_bytes_is_converted() {
        let both = |text: &str, part: &str| (text.to_owned(), part.to_owned());
        assert_eq!(underlined(b"ab\0cd\nef", 2..4), both("ab\u{2400}cd", "\u{2400}c"));
        assert_eq!(underlined(b"a\xFFb", 1..2), both("a\u{fffd}b", "\u{fffd}"));
        assert_eq!(underlined(b"x\r\nab\r\ny", 3..4), both("ab", "a"));
        assert_eq!(underlined(b"x\r\ny", 1..3), both("x", ""));
        assert_eq!(underlined(b"x\ny", 3..9), both("y", ""));
        assert_eq!(underlined(b"", 0..0), both("", ""));
        assert_eq!(underlined(b"ab\ncd", 1..5), both("ab", "b"));
    }

    #[test]
    fn long_line_is_cut_around_the_place() {
        let body = [&[b'a'; 5000][..], b"XY", &[b'b'; 5000][..]].concat();
        let (text, part) = underlined(&body, 5000..5002);
        assert_eq!(part, "XY");
        assert!(text.starts_with("...aaa") && text.ends_with("bbb...") && text.len() < 200, "{text}");
    }
}
