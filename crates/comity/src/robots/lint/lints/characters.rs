//! Lints for characters in path patterns.

use crate::finding::{Decisions, Findings, Fix, Severity, quoted};
use crate::robots::lint::bytes::is_invisible;
use crate::robots::lint::intended::intended;
use crate::robots::lint::pattern::{Pattern, cut_by_hash, percent_signs, regex_mark};
use crate::robots::matching::encode::push_percent;
use crate::robots::read::space::is_ascii_space;
use memchr::memmem;

crate::robots::lint::table! {
    NON_ASCII "non-ascii" Note, Pattern(non_ascii);
    "A pattern contains characters outside ASCII that are not percent-encoded.",
    "In URLs such characters are encoded, and RFC 9309 \u{a7}2.2.2 requires parsers to encode the pattern and the URL \
    before they compare them. Some parsers do not.",
    "percent-encode them",
    bad(b"User-agent: *\nDisallow: /caf\xc3\xa9/\n"),
    good(b"User-agent: *\nDisallow: /caf%C3%A9/\n");

    LOWER_CASE_HEX "lower-case-hex" Note, Pattern(lower_case_hex);
    "A percent-encoded byte has lower-case digits.",
    "`%c3` and `%C3` are the same byte (RFC 3986 \u{a7}2.1), and RFC 9309 \u{a7}2.2.2 requires that they compare as equal. \
    Parsers that compare text read them as different patterns.",
    "write the digits in upper case",
    bad(b"User-agent: *\nDisallow: /caf%c3%a9/\n"),
    good(b"User-agent: *\nDisallow: /caf%C3%A9/\n");

    MALFORMED_PERCENT "malformed-percent" Warning, Pattern(malformed_percent);
    "A `%` does not start a percent-encoded byte.",
    "Two hexadecimal digits must follow (RFC 3986 \u{a7}2.1). Otherwise the match depends on the parser. At the end or \
    before a `*`, it may match any encoded byte, and is reported as a note.",
    "write `%25` for a percent sign",
    bad(b"User-agent: *\nDisallow: /50%zzz/\n"),
    good(b"User-agent: *\nDisallow: /50%25zzz/\n");

    HASH_IN_PATTERN "hash-in-pattern" Warning, Value(hash_in_pattern);
    "A pattern is cut at a `#`, which starts a comment.",
    "The pattern is only the text before the `#`, and matches more URLs than intended: `/#!/` is read as `/`. Crawlers do \
    not send fragments; a `#` in a path is `%23`.",
    "write `%23` for the character, or a space before the comment",
    bad(b"User-agent: *\nDisallow: /page#comments\n"),
    good(b"User-agent: *\nDisallow: /page%23comments\n");

    DOT_SEGMENT "dot-segment" Warning, Pattern(dot_segment);
    "A pattern contains a `.` or `..` segment.",
    "Clients remove such segments from a URL before they send it (RFC 3986 \u{a7}5.2.4), so the pattern matches nothing.",
    "write the path without such segments",
    bad(b"User-agent: *\nDisallow: /a/../private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    BACKSLASH "backslash" Warning, Pattern(backslash);
    "A pattern contains a backslash.",
    "A backslash is not an escape character, and URLs contain none: clients convert it to `/` or encode it as `%5C`.",
    "write `/` for a separator, `%5C` for the character",
    bad(b"User-agent: *\nDisallow: /private\\letters\n"),
    good(b"User-agent: *\nDisallow: /private/letters\n");

    REGEX_IN_PATTERN "regex-in-pattern" Warning, Pattern(regex_in_pattern);
    "A pattern resembles a regular expression.",
    "Only `*` and a final `$` are special (RFC 9309 \u{a7}2.2.3); all other characters are compared as written.",
    "use `*` for any characters and a final `$` for the end of the URL",
    bad(b"User-agent: *\nDisallow: /page/[0-9]+/print\n"),
    good(b"User-agent: *\nDisallow: /page/*/print\n");

    SPACE_IN_PATTERN "space-in-pattern" Warning, Pattern(space_in_pattern);
    "A pattern contains white space.",
    "A rule has one pattern. For Comity, white space in it equals its percent-encoded form; for parsers that compare it as \
    written, it matches nothing. Often a second pattern or a comment without `#` follows.",
    "write `%20` for a space; start comments with `#`",
    bad(b"User-agent: *\nDisallow: /a/ /b/\n"),
    good(b"User-agent: *\nDisallow: /a/\nDisallow: /b/\n");
}

fn non_ascii(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let value = pattern.value;
    let Some(at) = value.iter().position(|byte| !byte.is_ascii()) else { return };
    let Ok(text) = std::str::from_utf8(value) else { return };
    if text.chars().any(is_invisible) {
        return;
    }
    let mut encoded = Vec::new();
    for &byte in value {
        if byte.is_ascii() {
            encoded.push(byte);
        } else {
            push_percent(&mut encoded, byte);
        }
    }
    let message = format!("{} is not percent-encoded", quoted(value));
    let help = format!("write {}", quoted(&encoded));
    let fix = String::from_utf8(encoded)
        .ok()
        .map(|text| Fix::new(Decisions::Settled).replace(pattern.record.value.clone(), text));
    findings.push(pattern.finding(&NON_ASCII, at, value.len() - at, message, help).with_fix(fix));
}

fn lower_case_hex(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let mut found = percent_signs(pattern.value).filter_map(|(at, digits)| {
        let digits = digits.filter(|digits| digits.iter().any(u8::is_ascii_lowercase))?;
        Some((at, digits))
    });
    let Some((at, digits)) = found.next() else { return };
    let fix = found.fold(upper(Fix::new(Decisions::Settled), pattern, at, digits), |fix, (at, digits)| {
        upper(fix, pattern, at, digits)
    });
    let byte = [b"%", digits].concat();
    let message = format!("{} has lower-case digits", quoted(&byte));
    let help = format!("write {}", quoted(byte.to_ascii_uppercase()));
    findings.push(pattern.finding(&LOWER_CASE_HEX, at, 3, message, help).with_fix(fix));
}

/// Adds an edit that writes the two hex digits in upper case to a fix.
fn upper(fix: Fix, pattern: &Pattern<'_, '_>, at: usize, digits: &[u8]) -> Fix {
    let start = pattern.record.value.start + at + 1;
    let digits: String = digits.iter().map(|digit| char::from(digit.to_ascii_uppercase())).collect();
    fix.replace(start..start + 2, digits)
}

fn malformed_percent(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let value = pattern.value;
    let Some((at, _)) = percent_signs(value).find(|(_, digits)| digits.is_none()) else { return };
    // Before a wildcard or at the end, the percent sign may be the start of any encoded byte and work as intended.
    let after = value.get(at + 1..).unwrap_or_default();
    let digit = usize::from(after.first().is_some_and(u8::is_ascii_hexdigit));
    let is_start = matches!(after.get(digit), None | Some(b'*'));
    let severity = if is_start { Severity::Note } else { Severity::Warning };
    let message = format!("the `%` in {} does not start a percent-encoded byte", quoted(value));
    findings.push(
        pattern
            .finding(&MALFORMED_PERCENT, at, 1, message, MALFORMED_PERCENT.kind.help)
            .with_severity(severity),
    );
}

fn hash_in_pattern(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let Some(lost) = cut_by_hash(pattern.context, pattern.record) else { return };
    let message = format!("the pattern ends before the `#`: it is {}", quoted(pattern.value));
    findings.push(pattern.finding(
        &HASH_IN_PATTERN,
        pattern.value.len(),
        lost,
        message,
        HASH_IN_PATTERN.kind.help,
    ));
}

/// Reports `/./` and `/../` in a path. Without the final slash, the dots may be the start of a longer name.
fn dot_segment(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let value = pattern.value;
    let end = memchr::memchr(b'?', value).unwrap_or(value.len());
    let path = value.get(..end).unwrap_or_default();
    for segment in [&b"/./"[..], b"/../"] {
        let Some(at) = memmem::find(path, segment) else { continue };
        let message = format!(
            "{} contains the segment {}, which clients remove from URLs",
            quoted(value),
            quoted(segment)
        );
        findings.push(pattern.finding(&DOT_SEGMENT, at, segment.len(), message, DOT_SEGMENT.kind.help));
        return;
    }
}

fn backslash(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let Some(at) = memchr::memchr(b'\\', pattern.value) else { return };
    if regex_mark(pattern.value).is_some() {
        return;
    }
    let message = format!("{} contains a backslash, which URLs do not contain", quoted(pattern.value));
    findings.push(pattern.finding(&BACKSLASH, at, 1, message, BACKSLASH.kind.help));
}

fn regex_in_pattern(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let Some((at, mark)) = regex_mark(pattern.value) else { return };
    let message =
        format!("{} is compared as written; patterns are not regular expressions", quoted(pattern.value));
    let intended = intended(pattern.context, pattern.value);
    let help = match &intended {
        Some(path) => format!("write {}", quoted(path)),
        None => REGEX_IN_PATTERN.kind.help.to_owned(),
    };
    let fix = intended.and_then(|path| pattern.replacement(path));
    findings.push(pattern.finding(&REGEX_IN_PATTERN, at, mark.len(), message, help).with_fix(fix));
}

fn space_in_pattern(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let value = pattern.value;
    let Some(at) = value.iter().position(|byte| is_ascii_space(*byte)) else { return };
    let rest = value.get(at..).unwrap_or_default().trim_ascii_start();
    let looks_like_comment =
        [&b"//"[..], b"/* ", b"--", b"<!--", b";"].iter().any(|mark| rest.starts_with(mark));
    let (message, help) = if looks_like_comment {
        (format!("{} is part of the pattern, not a comment", quoted(rest)), "start comments with `#`")
    } else if matches!(rest.first(), Some(b'/' | b'*')) {
        let message =
            format!("{} is one pattern that contains white space, not several patterns", quoted(value));
        (message, "write a line for each pattern")
    } else {
        (format!("{} contains white space", quoted(value)), SPACE_IN_PATTERN.kind.help)
    };
    findings.push(pattern.finding(&SPACE_IN_PATTERN, at, value.len() - at, message, help));
}
