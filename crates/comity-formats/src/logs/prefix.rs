//! Removes prefixes that syslog, containers, Kubernetes, journals and log collectors write before a line.
//!
//! A part of a prefix is removed only if no format matches the line, and if the part has a known form. An address is never
//! removed, since it could be the peer.

use super::address;
use super::time::{self, month};

/// Maximum number of parts in a prefix, such as the container, the time and the program.
const MAX_PARTS: usize = 6;

/// Maximum length of a word in a prefix, in bytes.
const MAX_WORD: usize = 256;

/// A parser that removes the parts of a prefix one by one.
#[derive(Debug, Default)]
pub(super) struct Prefixes {
    parts: usize,
    /// True if a time was removed. Only then is a bare word, such as a host, removed.
    has_time: bool,
    /// True if a bare word was removed. Only one is removed.
    has_word: bool,
}

impl Prefixes {
    /// Removes the next part. Returns `None` if the line does not begin with a known part.
    pub(super) fn strip<'l>(&mut self, line: &'l [u8]) -> Option<&'l [u8]> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return None;
        }
        let rest = self.part(line)?.trim_ascii_start();
        (!rest.is_empty()).then_some(rest)
    }

    fn part<'l>(&mut self, line: &'l [u8]) -> Option<&'l [u8]> {
        match line {
            [b'<', ..] => return priority(line),
            [b'[', b'p', b'o', b'd', b'/', ..] => return after(line, b']'),
            [b'{', ..] => return labels(line),
            _ => {}
        }
        if let Some(rest) = timestamp(line) {
            self.has_time = true;
            return Some(rest);
        }
        let end = line.iter().take(MAX_WORD).position(|byte| matches!(byte, b' ' | b'\t'))?;
        let (word, rest) = (&line[..end], &line[end..]);
        let is_plain = word.iter().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'{' | b'}'));
        if !is_plain || address::ip(word.strip_suffix(b",").unwrap_or(word)).is_some() {
            return None;
        }
        let next = rest.trim_ascii_start();
        // Docker Compose writes `web-1  | …`.
        if let Some(rest) = next.strip_prefix(b"| ") {
            return Some(rest);
        }
        // Container runtimes write `TIME stdout F …`. The letter `P` marks a partial line, which is not parsed.
        if self.has_time && matches!(word, b"stdout" | b"stderr") {
            return next.strip_prefix(b"F ");
        }
        // The program, such as `nginx[12]: …`, or the size of a syslog frame.
        if word.ends_with(b":") || next.starts_with(b"<") && word.iter().all(u8::is_ascii_digit) {
            return Some(rest);
        }
        // The day of the week before a date, and the host of a journal after it.
        let is_day = matches!(word, b"Mon" | b"Tue" | b"Wed" | b"Thu" | b"Fri" | b"Sat" | b"Sun");
        if is_day || self.has_time && !std::mem::replace(&mut self.has_word, true) {
            return Some(rest);
        }
        None
    }
}

/// Returns the text after the first occurrence of a byte.
fn after(line: &[u8], end: u8) -> Option<&[u8]> {
    let end = memchr::memchr(end, &line[..line.len().min(MAX_WORD)])?;
    Some(&line[end + 1..])
}

/// Removes `<134>` (RFC 3164), or all of `<134>1 TIME HOST APP PROCID MSGID [DATA]` (RFC 5424).
fn priority(line: &[u8]) -> Option<&[u8]> {
    let end = memchr::memchr(b'>', &line[..line.len().min(6)])?;
    if end < 2 || !line[1..end].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let rest = &line[end + 1..];
    let Some(mut rest) = rest.strip_prefix(b"1 ") else { return Some(rest) };
    for _ in 0..5 {
        let space = memchr::memchr(b' ', &rest[..rest.len().min(MAX_WORD)])?;
        rest = &rest[space + 1..];
    }
    while let Some(data) = rest.strip_prefix(b"[") {
        // A closing bracket in a value is escaped.
        let mut closing = memchr::memchr_iter(b']', data);
        let end = closing.find(|end| *end == 0 || data[end - 1] != b'\\')?;
        rest = &data[end + 1..];
    }
    let rest = rest.strip_prefix(b"-").unwrap_or(rest);
    Some(rest.trim_ascii_start().strip_prefix(b"\xef\xbb\xbf").unwrap_or(rest))
}

/// Removes labels of Loki such as `{app="web", pod="web-1"}`.
fn labels(line: &[u8]) -> Option<&[u8]> {
    let mut is_quoted = false;
    let mut bytes = line.iter().enumerate().take(4 * 1_024);
    let (end, _) = bytes.find(|(_, byte)| {
        is_quoted ^= **byte == b'"';
        !is_quoted && **byte == b'}'
    })?;
    let is_label = end == 1 || memchr::memmem::find(&line[..end], b"=\"").is_some();
    is_label.then_some(&line[end + 1..])
}

/// Removes `Nov 21 06:20:00` (RFC 3164), or a time that [`time::prefix`] parses.
fn timestamp(line: &[u8]) -> Option<&[u8]> {
    if let Some((_, length)) = time::prefix(line) {
        let rest = &line[length..];
        return rest.starts_with(b" ").then_some(rest).or_else(|| rest.starts_with(b"\t").then_some(rest));
    }
    month(line.get(..3)?)?;
    let rest = line[3..].trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let day_end = &rest[digits..];
    let is_clock = |text: &[u8]| matches!(text, [a, b, b':', c, d, b':', e, f, ..] if [a, b, c, d, e, f].iter().all(|byte| byte.is_ascii_digit()));
    let mut clock = day_end.strip_prefix(b" ")?;
    if !(1..=2).contains(&digits) {
        return None;
    }
    if !is_clock(clock) {
        // Some devices write the year: `Nov 21 2026 06:20:00`.
        clock = clock.get(5..).filter(|_| clock[..4].iter().all(u8::is_ascii_digit))?;
    }
    let end = memchr::memchr(b' ', &clock[..clock.len().min(32)])?;
    is_clock(clock).then_some(&clock[end..])
}
