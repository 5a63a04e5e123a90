//! Lints for the bytes and lines of a file.

use super::not_robots_txt::NOT_ROBOTS_TXT;
use crate::finding::{Decisions, Findings, Fix, Severity};
use crate::robots::lint::bytes::{LineText, is_control, is_invisible, stray_mark};
use crate::robots::lint::context::{Context, LineContent, LocatedLine};
use crate::robots::read::directive::RecordKind;
use crate::robots::read::lines::GOOGLE_LINE_LIMIT;
use crate::robots::read::text::BODY_LIMIT;
use std::borrow::Cow;

crate::robots::lint::table! {
    UTF_16 "utf-16" Error, Foreign(utf_16);
    "The file is encoded in UTF-16.",
    "A robots.txt is UTF-8 (RFC 9309 \u{a7}2.3). In UTF-16, about every second byte is NUL, at which Google's parser ends the \
    line, so no rule is read.",
    "save it as UTF-8 without a byte order mark",
    bad(b"\xff\xfeU\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0 \0*\0\n\0"),
    good(b"User-agent: *\nDisallow: /search\n");

    NOT_ROBOTS_TXT;

    BYTE_ORDER_MARK "byte-order-mark" Warning, File(byte_order_mark);
    "The file starts with a byte order mark.",
    "Google and Comity skip it. Other parsers (Python's `urllib.robotparser` before 2026, Protego, Folyd's robotstxt) \
    read it as part of the first key and lose the first line, which is usually the `User-agent` line of the only \
    group. If the first line is blank or a comment, nothing is lost, and the mark is reported as a note. Otherwise, \
    two kinds of marks are errors: one that was decoded as Latin-1 and encoded again (`\u{ef}\u{bb}\u{bf}`), which only \
    Comity skips, and a second mark, which no parser skips.",
    "save it as UTF-8 without a byte order mark",
    bad(b"\xef\xbb\xbfUser-agent: *\nDisallow: /search\n"),
    good(b"User-agent: *\nDisallow: /search\n");

    INVALID_UTF8 "invalid-utf8" Warning, Line(invalid_utf8);
    "A line is not valid UTF-8.",
    "A robots.txt is UTF-8 (RFC 9309 \u{a7}2.3). Some parsers drop such bytes, some replace them, some skip the line \
    or reject the file, so the URLs that the rule matches depend on the parser. Such a byte in a comment is reported \
    as a note.",
    "save the file as UTF-8, and percent-encode characters outside ASCII in patterns",
    bad(b"User-agent: *\nDisallow: /caf\xe9/\n"),
    good(b"User-agent: *\nDisallow: /caf%C3%A9/\n");

    NUL_BYTE "nul-byte" Error, Line(nul_byte);
    "A line contains a NUL byte.",
    "Google's parser and Comity end the line there, so the rule is shorter than it appears, and matches more URLs.",
    "delete it; save the file as plain UTF-8",
    bad(b"User-agent: *\nDisallow: /pri\0vate/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    CONTROL_CHARACTER "control-character" Warning, Line(control_character);
    "A directive contains a control character.",
    "RFC 9309 \u{a7}2.2 does not permit them. URLs contain them only encoded, so a pattern with one matches hardly any URL. For \
    Python's parsers, several of them (vertical tab, form feed, the separators 1C to 1E) end the line.",
    "delete it",
    bad(b"User-agent: *\nDisallow: /a\x08b/\n"),
    good(b"User-agent: *\nDisallow: /ab/\n");

    INVISIBLE_CHARACTER "invisible-character" Warning, Line(invisible_character);
    "A directive contains an invisible character, such as a zero-width space, a no-break space or a soft hyphen.",
    "Such characters usually come from text that is copied from a web page or a word processor. They are part of the \
    key, the name or the pattern: if the key contains one, many parsers skip the line (an error if Comity does, \
    too); if the value contains one, hardly anything matches.",
    "delete it",
    bad(b"User-agent: *\nDisallow:\xc2\xa0/private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    MIXED_LINE_ENDS "mixed-line-ends" Note, File(mixed_line_ends);
    "Lines end in different ways.",
    "CR, LF and CRLF each end a line (RFC 9309 \u{a7}2.2), even in one file. Some parsers do not accept a single CR, and read \
    such lines as one.",
    "end every line with LF",
    bad(b"User-agent: *\r\nDisallow: /a\nDisallow: /b\r\n"),
    good(b"User-agent: *\nDisallow: /a\nDisallow: /b\n");

    TOO_LARGE "too-large" Error, Body(too_large);
    "The file has more than 512,000 bytes (500 KiB).",
    "Crawlers need not read more (RFC 9309 \u{a7}2.5), and Google does not, so later rules have no effect. For Yandex, \
    a file of more than 500 KB allows everything.",
    "shorten it to 512,000 bytes: drop rules that repeat others, or use wildcards instead of lists of pages",
    bad("User-agent: *\n", "Disallow: /a/page/that/should/not/be/found\n", 12_000, ""),
    good(b"User-agent: *\nDisallow: /a/page/\n");

    LINE_TOO_LONG "line-too-long" Warning, Line(line_too_long);
    "A line has more than 16,663 bytes.",
    "Google's parser and Comity drop the rest of the line; a shortened pattern matches more URLs.",
    "shorten it; the usual limit for whole URLs is about 2,000 characters",
    bad("User-agent: *\nDisallow: /", "a", 17_000, ""),
    good(b"User-agent: *\nDisallow: /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n");
}

/// Returns true if the file is UTF-16. Such a file is not checked line by line.
fn utf_16(context: &Context<'_>, findings: &mut Findings) -> bool {
    let start = context.bytes(0..context.body.len().min(1_024));
    let is_marked = start.starts_with(&[0xFF, 0xFE]) || start.starts_with(&[0xFE, 0xFF]);
    let nul_at = |parity: usize| start.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (nul_at(0), nul_at(1));
    // In ASCII text encoded as UTF-16, nearly every second byte is NUL, always at even or always at odd positions.
    let is_alternating =
        start.len() >= 8 && even.max(odd) * 2 > start.len() / 2 * 3 / 2 && even.min(odd) <= 1;
    if !is_marked && !is_alternating {
        return false;
    }
    let end = context.body.len().min(2);
    let message = "the file is encoded in UTF-16; no crawler reads a rule from it";
    findings.push(context.finding(&UTF_16, 0, 0..end, message, UTF_16.kind.help));
    true
}

fn byte_order_mark(context: &Context<'_>, findings: &mut Findings) {
    let skipped = 0..context.counted.start;
    let is_encoded_twice = !context.bytes(skipped.clone()).starts_with(b"\xEF");
    let first = context.lines.first();
    if let Some(mark) = stray_mark(context) {
        let rest = first.map(|line| context.bytes(mark.end..line.span().end)).unwrap_or_default();
        let is_harmless = matches!(rest.trim_ascii_start().first(), None | Some(b'#'));
        let marks = "two byte order marks, and parsers skip one";
        let (severity, consequence) = if is_harmless {
            (Severity::Note, "the other one affects a line without a directive")
        } else {
            (Severity::Error, "the first line is not read")
        };
        let message = format!("the file starts with {marks}; {consequence}");
        let fix = Fix::new(Decisions::Changed).delete(mark.clone());
        let finding = context.finding(&BYTE_ORDER_MARK, 0, mark, message, BYTE_ORDER_MARK.kind.help);
        findings.push(finding.with_severity(severity).with_fix(fix));
        return;
    }
    let part = match (skipped.len(), is_encoded_twice) {
        (0, _) => return,
        (3, false) | (6, true) => "a",
        _ => "a part of a",
    };
    let is_harmless =
        first.is_none_or(|line| matches!(line.content, LineContent::Blank | LineContent::Comment));
    let (severity, consequence) = match (is_harmless, is_encoded_twice) {
        (true, _) => {
            (Severity::Note, "for parsers that do not skip it, it affects a line without a directive")
        }
        (false, true) => (Severity::Error, "parsers other than Comity do not read the first line"),
        (false, false) => (Severity::Warning, "some parsers do not read the first line"),
    };
    let encoded = if is_encoded_twice { " that was encoded twice" } else { "" };
    let message = format!("the file starts with {part} byte order mark{encoded}; {consequence}");
    let finding = context
        .finding(&BYTE_ORDER_MARK, 0, skipped.clone(), message, BYTE_ORDER_MARK.kind.help)
        .with_severity(severity);
    findings.push(if is_encoded_twice {
        finding.with_fix(Fix::new(Decisions::Settled).delete(skipped))
    } else {
        finding
    });
}

fn invalid_utf8(line: &LineText<'_, '_>, findings: &mut Findings) {
    let (context, span) = (line.context, line.line.span());
    if !line.is_suspect {
        return;
    }
    let Err(error) = std::str::from_utf8(context.bytes(span.clone())) else { return };
    let start = span.start + error.valid_up_to();
    let end = error.error_len().map_or(span.end, |length| start + length);
    let is_in_comment = start >= context.before_comment(line.line).end;
    let severity = if is_in_comment { Severity::Note } else { Severity::Warning };
    let byte = context.bytes(start..end).first().copied().unwrap_or_default();
    let message = format!("the line is not valid UTF-8: byte {byte:#04X}");
    let finding = context.finding(&INVALID_UTF8, line.index, start..end, message, INVALID_UTF8.kind.help);
    findings.push(finding.with_severity(severity));
}

fn nul_byte(line: &LineText<'_, '_>, findings: &mut Findings) {
    let (context, span) = (line.context, line.line.full_span());
    let Some(at) = memchr::memchr(0, context.bytes(span.clone())) else { return };
    let at = span.start + at;
    let is_in_comment = context.bytes(span.start..at).contains(&b'#');
    let severity = if is_in_comment { Severity::Note } else { Severity::Error };
    let message = "the line contains a NUL byte; the text after it is not read";
    let finding = context.finding(&NUL_BYTE, line.index, at..at + 1, message, NUL_BYTE.kind.help);
    let all = memchr::memchr_iter(0, context.bytes(span.clone())).map(|at| span.start + at);
    let fix = all.fold(Fix::new(Decisions::Changed), |fix, at| fix.delete(at..at + 1));
    findings.push(finding.with_severity(severity).with_fix(fix));
}

fn control_character(line: &LineText<'_, '_>, findings: &mut Findings) {
    if !line.is_suspect {
        return;
    }
    let context = line.context;
    let directive = context.before_comment(line.line);
    let Some(at) = context.bytes(directive.clone()).iter().position(|byte| is_control(*byte)) else { return };
    let at = directive.start + at;
    let byte = context.bytes(at..at + 1).first().copied().unwrap_or_default();
    let message = format!("the line contains a control character (U+{byte:04X})");
    let all = directive.filter(|at| context.bytes(*at..*at + 1).iter().any(|byte| is_control(*byte)));
    let fix = all.fold(Fix::new(Decisions::Changed), |fix, at| fix.delete(at..at + 1));
    findings.push(
        context
            .finding(&CONTROL_CHARACTER, line.index, at..at + 1, message, CONTROL_CHARACTER.kind.help)
            .with_fix(fix),
    );
}

fn invisible_character(line: &LineText<'_, '_>, findings: &mut Findings) {
    if !line.is_suspect {
        return;
    }
    let context = line.context;
    let directive = context.before_comment(line.line);
    let Cow::Borrowed(text) = String::from_utf8_lossy(context.bytes(directive.clone())) else { return };
    let Some((at, c)) = text.char_indices().find(|(_, c)| is_invisible(*c)) else { return };
    let start = directive.start + at;
    if line.index == 0 && stray_mark(context).is_some_and(|mark| mark.contains(&start)) {
        return;
    }
    let record = match line.line.content {
        LineContent::Record(record) => context.records.get(record as usize),
        _ => None,
    };
    let (severity, consequence) = match record {
        Some(record) if start >= record.key.end => (Severity::Warning, "which is part of the value"),
        Some(record) if record.kind != RecordKind::Unknown => {
            (Severity::Warning, "so not every parser reads the directive")
        }
        _ => (Severity::Error, "so it is not read as a directive"),
    };
    let message = format!("the line contains an invisible character (U+{:04X}), {consequence}", u32::from(c));
    let span = start..start + c.len_utf8();
    let finding =
        context.finding(&INVISIBLE_CHARACTER, line.index, span, message, INVISIBLE_CHARACTER.kind.help);
    let all = text.char_indices().filter(|(_, c)| is_invisible(*c));
    let fix = all.fold(Fix::new(Decisions::Changed), |fix, (at, c)| {
        fix.delete(directive.start + at..directive.start + at + c.len_utf8())
    });
    findings.push(finding.with_severity(severity).with_fix(fix));
}

/// Reports the first line terminator that differs from the most frequent one of the file.
fn mixed_line_ends(context: &Context<'_>, findings: &mut Findings) {
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
    findings.push(context.finding(&MIXED_LINE_ENDS, index, end..next, message, MIXED_LINE_ENDS.kind.help));
}

/// Returns the kind of terminator between two neighbouring lines: 0 for LF, 1 for CRLF, 2 for CR.
fn line_end(context: &Context<'_>, pair: &[LocatedLine]) -> usize {
    let [line, next] = pair else { return 0 };
    match context.bytes(line.full_span().end..next.full_span().start) {
        b"\n" => 0,
        b"\r\n" => 1,
        _ => 2,
    }
}

fn too_large(context: &Context<'_>, findings: &mut Findings) {
    let length = context.body.len();
    if length <= BODY_LIMIT {
        return;
    }
    let last = context.lines.len().saturating_sub(1);
    let end = context.counted.end;
    let message = format!("the file has {length} bytes; the last {} are not read", length - end);
    findings.push(context.finding(&TOO_LARGE, last, end..length, message, TOO_LARGE.kind.help));
}

fn line_too_long(line: &LineText<'_, '_>, findings: &mut Findings) {
    let span = line.line.full_span();
    if span.len() <= GOOGLE_LINE_LIMIT {
        return;
    }
    let message = format!("the line has {} bytes; only the first {GOOGLE_LINE_LIMIT} are read", span.len());
    let beyond = span.start + GOOGLE_LINE_LIMIT..span.end;
    let severity = if line.line.content == LineContent::Comment { Severity::Note } else { Severity::Warning };
    let finding = line.context.finding(&LINE_TOO_LONG, line.index, beyond, message, LINE_TOO_LONG.kind.help);
    findings.push(finding.with_severity(severity));
}
