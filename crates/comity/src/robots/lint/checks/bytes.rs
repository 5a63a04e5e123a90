//! Encoding, line ends and sizes: what is wrong before a single line is read.

use std::borrow::Cow;

use crate::robots::lint::catalogue::Lint;
use crate::robots::lint::context::{Context, Findings, Line, What};
use crate::robots::read::directive::DirectiveKind;
use crate::robots::read::lines::GOOGLE_LINE_LIMIT;
use crate::robots::read::text::BODY_LIMIT;
use crate::robots::read::text::byte_order_mark_len;
use crate::severity::Severity;

/// More bytes than count.
pub(super) fn size(context: &Context<'_>, findings: &mut Findings) {
    let length = context.body.len();
    if length <= BODY_LIMIT {
        return;
    }
    let last = context.lines.len().saturating_sub(1);
    let end = context.counted.end;
    let message = format!("the file has {length} bytes; the last {} are not read", length - end);
    let help =
        "shorten it to 512,000 bytes: drop rules that repeat others, or put wildcards for lists of pages";
    findings.add(context.finding(Lint::TooLarge, last, end..length, message, help));
}

/// Returns whether the file is UTF-16; nothing else can be said of it then.
pub(super) fn utf_16(context: &Context<'_>, findings: &mut Findings) -> bool {
    let start = context.bytes(0..context.body.len().min(1_024));
    let is_marked = start.starts_with(&[0xFF, 0xFE]) || start.starts_with(&[0xFE, 0xFF]);
    let nul_at = |parity: usize| start.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (nul_at(0), nul_at(1));
    // ASCII text in UTF-16: nearly every other byte is NUL, always on the same side.
    let is_alternating =
        start.len() >= 8 && even.max(odd) * 2 > start.len() / 2 * 3 / 2 && even.min(odd) <= 1;
    if !is_marked && !is_alternating {
        return false;
    }
    let end = context.body.len().min(2);
    let message = "the file is encoded in UTF-16; no crawler reads a rule from it";
    findings.add(context.finding(
        Lint::Utf16,
        0,
        0..end,
        message,
        "save it as UTF-8 without a byte order mark",
    ));
    true
}

/// The other bytes.
pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    byte_order_mark(context, findings);
    line_ends(context, findings);
    for (index, line) in context.lines.iter().enumerate() {
        length(context, findings, index, line);
        nul(context, findings, index, line);
        characters(context, findings, index, line);
    }
}

/// A mark that was taken for Latin-1 and encoded as UTF-8 once more.
const ENCODED_TWICE: &[u8] = b"\xC3\xAF\xC2\xBB\xC2\xBF";

/// The bytes of a second byte order mark, or of one that was encoded twice: part of the first line for every parser.
pub(super) fn stray_mark(context: &Context<'_>) -> Option<std::ops::Range<usize>> {
    let start = context.counted.start;
    let text = context.bytes(context.counted.clone());
    let mark = [ENCODED_TWICE, b"\xEF\xBB\xBF"].into_iter().find(|mark| text.starts_with(mark))?;
    Some(start..start + mark.len())
}

fn byte_order_mark(context: &Context<'_>, findings: &mut Findings) {
    let help = "save it as UTF-8 without a byte order mark";
    let first = context.lines.first();
    if let Some(mark) = stray_mark(context) {
        let rest = first.map(|line| context.bytes(mark.end..line.span().end)).unwrap_or_default();
        let is_harmless = matches!(rest.trim_ascii_start().first(), None | Some(b'#'));
        let (severity, consequence) = if is_harmless {
            (Severity::Note, "it spoils a line that says nothing")
        } else {
            (Severity::Error, "the first line is not read")
        };
        let what = if context.bytes(mark.clone()) == ENCODED_TWICE {
            "a byte order mark that was encoded twice"
        } else {
            "two byte order marks, of which one is skipped"
        };
        let message = format!("the file starts with {what}; {consequence}");
        findings.add(context.finding(Lint::ByteOrderMark, 0, mark, message, help).severity_of(severity));
        return;
    }
    let length = byte_order_mark_len(context.body);
    let what = match length {
        0 => return,
        3 => "a byte order mark",
        _ => "a part of a byte order mark",
    };
    let is_harmless = first.is_none_or(|line| matches!(line.what, What::Blank | What::Comment));
    let (severity, consequence) = if is_harmless {
        (Severity::Note, "parsers that keep it spoil a line that says nothing")
    } else {
        (Severity::Warning, "some parsers lose the first line to it")
    };
    let message = format!("the file starts with {what}; {consequence}");
    let finding = context.finding(Lint::ByteOrderMark, 0, 0..length, message, help);
    findings.add(finding.severity_of(severity));
}

/// Reports the first line end that is not of the file's usual kind.
fn line_ends(context: &Context<'_>, findings: &mut Findings) {
    const NAMES: [&str; 3] = ["LF", "CRLF", "CR"];
    let kinds = || context.lines.windows(2).map(|pair| line_end(context, pair));
    let mut counts = [0_usize; 3];
    for kind in kinds() {
        if let Some(count) = counts.get_mut(kind) {
            *count += 1;
        }
    }
    if counts.iter().filter(|count| **count > 0).count() < 2 {
        return;
    }
    let usual = counts.iter().enumerate().max_by_key(|(_, count)| **count).map_or(0, |(kind, _)| kind);
    let Some(index) = kinds().position(|kind| kind != usual) else { return };
    let Some(line) = context.lines.get(index) else { return };
    let end = line.full_span().end;
    let parts = NAMES.iter().zip(counts).filter(|(_, count)| *count > 0);
    let parts: Vec<_> = parts.map(|(name, count)| format!("{count} in {name}")).collect();
    let message = format!("lines end in different ways: {}", parts.join(", "));
    let next = context.lines.get(index + 1).map_or(end, |next| next.full_span().start);
    findings.add(context.finding(Lint::MixedLineEnds, index, end..next, message, "end every line in LF"));
}

/// Returns how the first of two neighbouring lines ends: 0 for LF, 1 for CRLF, 2 for CR.
fn line_end(context: &Context<'_>, pair: &[Line]) -> usize {
    let [line, next] = pair else { return 0 };
    match context.bytes(line.full_span().end..next.full_span().start) {
        b"\n" => 0,
        b"\r\n" => 1,
        _ => 2,
    }
}

fn length(context: &Context<'_>, findings: &mut Findings, index: usize, line: &Line) {
    let span = line.full_span();
    if span.len() <= GOOGLE_LINE_LIMIT {
        return;
    }
    let message =
        format!("the line has {} bytes; what follows the first {GOOGLE_LINE_LIMIT} is not read", span.len());
    let help = "shorten it; the usual limit for whole URLs is about 2,000 characters";
    let beyond = span.start + GOOGLE_LINE_LIMIT..span.end;
    let severity = if line.what == What::Comment { Severity::Note } else { Severity::Warning };
    findings.add(context.finding(Lint::LineTooLong, index, beyond, message, help).severity_of(severity));
}

fn nul(context: &Context<'_>, findings: &mut Findings, index: usize, line: &Line) {
    let span = line.full_span();
    let Some(at) = memchr::memchr(0, context.bytes(span.clone())) else { return };
    let at = span.start + at;
    let is_in_comment = context.bytes(span.start..at).contains(&b'#');
    let severity = if is_in_comment { Severity::Note } else { Severity::Error };
    let message = "a NUL byte stands in the line; what follows it is not read";
    let finding = context.finding(
        Lint::NulByte,
        index,
        at..at + 1,
        message,
        "take it out; save the file as plain UTF-8",
    );
    findings.add(finding.severity_of(severity));
}

/// Encoding, control and invisible characters.
fn characters(context: &Context<'_>, findings: &mut Findings, index: usize, line: &Line) {
    let bytes = context.bytes(line.span());
    let is_suspect = |byte: &u8| !byte.is_ascii() || is_control(*byte);
    if !bytes.iter().any(is_suspect) {
        return;
    }
    let directive = context.before_comment(line);
    if let Err(error) = std::str::from_utf8(bytes) {
        let start = line.span().start + error.valid_up_to();
        let end = error.error_len().map_or(line.span().end, |length| start + length);
        let is_in_comment = start >= directive.end;
        let severity = if is_in_comment { Severity::Note } else { Severity::Warning };
        let byte = context.bytes(start..end).first().copied().unwrap_or_default();
        let message = format!("not valid UTF-8 from byte {byte:#04X} on");
        let help = "save the file as UTF-8, and percent-encode what is not ASCII in a pattern";
        findings
            .add(context.finding(Lint::InvalidUtf8, index, start..end, message, help).severity_of(severity));
    }
    if let Some(at) = context.bytes(directive.clone()).iter().position(|byte| is_control(*byte)) {
        let at = directive.start + at;
        let byte = context.bytes(at..at + 1).first().copied().unwrap_or_default();
        let message = format!("a control character (U+{byte:04X}) stands in the line");
        findings.add(context.finding(Lint::ControlCharacter, index, at..at + 1, message, "take it out"));
    }
    invisible(context, findings, index, line);
}

fn invisible(context: &Context<'_>, findings: &mut Findings, index: usize, line: &Line) {
    let directive = context.before_comment(line);
    let Cow::Borrowed(text) = String::from_utf8_lossy(context.bytes(directive.clone())) else { return };
    let Some((at, c)) = text.char_indices().find(|(_, c)| is_invisible(*c)) else { return };
    let start = directive.start + at;
    if index == 0 && stray_mark(context).is_some_and(|mark| mark.contains(&start)) {
        return;
    }
    let record = match line.what {
        What::Record(record) => context.records.get(record as usize),
        _ => None,
    };
    let (severity, consequence) = match record {
        Some(record) if start >= record.key.end => (Severity::Warning, "and is part of the value"),
        Some(record) if record.kind != DirectiveKind::Unknown => {
            (Severity::Warning, "so not every parser reads the directive")
        }
        _ => (Severity::Error, "so it is not read as a directive"),
    };
    let message =
        format!("an invisible character (U+{:04X}) stands in the line, {consequence}", u32::from(c));
    let finding =
        context.finding(Lint::InvisibleCharacter, index, start..start + c.len_utf8(), message, "take it out");
    findings.add(finding.severity_of(severity));
}

/// Control characters, apart from tab, NUL and line ends.
fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, 0 | b'\t' | b'\n' | b'\r')
}

/// Characters beyond ASCII that leave no mark on paper.
pub(in crate::robots::lint) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{85}' | '\u{a0}' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}'
        | '\u{205f}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{3000}' | '\u{feff}')
}
