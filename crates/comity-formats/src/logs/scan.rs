//! Shared parsers: quoted fields, times, the parts of a request line.

use std::borrow::Cow;
use std::net::IpAddr;

use super::LogRequest;
use crate::times;

/// Takes the next word, up to a space.
pub(super) fn word<'l>(rest: &mut &'l [u8]) -> Option<&'l [u8]> {
    let text = rest.trim_ascii_start();
    if text.is_empty() {
        return None;
    }
    let end = memchr::memchr(b' ', text).unwrap_or(text.len());
    *rest = &text[end..];
    Some(&text[..end])
}

/// Takes a quoted field and decodes its escapes.
pub(super) fn quoted<'l>(rest: &mut &'l [u8]) -> Option<Cow<'l, [u8]>> {
    let text = rest.trim_ascii_start().strip_prefix(b"\"")?;
    let end = end_of_quoted(text)?;
    *rest = &text[end + 1..];
    Some(unescaped(&text[..end]))
}

/// Returns the position of the closing quotation mark. Escaped ones do not close.
pub(super) fn end_of_quoted(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// Decodes the escapes of Apache (`\"`, `\\`, `\xhh`) and nginx (`\x22`).
pub(super) fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr(b'\\', text) else { return Cow::Borrowed(text) };
    let mut plain = text[..first].to_vec();
    let mut rest = &text[first..];
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        match rest {
            [b'x', high, low, more @ ..] => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => {
                    plain.push(high << 4 | low);
                    rest = more;
                }
                _ => plain.push(b'\\'),
            },
            [b't', more @ ..] => {
                plain.push(b'\t');
                rest = more;
            }
            [b'n' | b'r' | b'v' | b'f' | b'b', more @ ..] => {
                plain.push(b' ');
                rest = more;
            }
            [escaped, more @ ..] => {
                plain.push(*escaped);
                rest = more;
            }
            [] => plain.push(b'\\'),
        }
    }
    Cow::Owned(plain)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Returns the target of a request line such as `GET /a?b HTTP/1.1`; `None` if it is not a request.
pub(super) fn target_of(request: Cow<'_, [u8]>) -> Option<Cow<'_, [u8]>> {
    let (start, end) = {
        let method = memchr::memchr(b' ', &request)?;
        let is_method = method > 0 && request[..method].iter().all(u8::is_ascii_alphabetic);
        let rest = &request[method + 1..];
        // Some clients send spaces in the target, and HTTP/0.9 has no version.
        let end = memchr::memrchr(b' ', rest).filter(|space| rest[space + 1..].starts_with(b"HTTP/"));
        let end = end.unwrap_or(rest.len());
        (is_method && end > 0).then_some((method + 1, method + 1 + end))?
    };
    Some(match request {
        Cow::Borrowed(text) => Cow::Borrowed(&text[start..end]),
        Cow::Owned(text) => Cow::Owned(text[start..end].to_vec()),
    })
}

/// Splits an absolute target into host and path. `http://a:80/b` gives `a` and `/b`.
pub(super) fn split_host(target: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memmem::find(target.get(..12.min(target.len()))?, b"://")?;
    let rest = &target[at + 3..];
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    let path = if end == rest.len() { &b"/"[..] } else { &rest[end..] };
    Some((without_port(&rest[..end]), path))
}

/// Returns a host such as `example.com:443` without its port.
pub(super) fn without_port(host: &[u8]) -> &[u8] {
    let is_port = |port: &[u8]| !port.is_empty() && port.iter().all(u8::is_ascii_digit);
    match host.iter().rposition(|byte| *byte == b':') {
        Some(colon)
            if is_port(&host[colon + 1..]) && (!host[..colon].contains(&b':') || host.starts_with(b"[")) =>
        {
            &host[..colon]
        }
        _ => host,
    }
}

/// Returns true if a text is an IP address.
pub(super) fn is_address(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| text.parse::<IpAddr>().is_ok())
}

/// Parses a number; returns `None` for `-`.
pub(super) fn number<N: std::str::FromStr>(text: &[u8]) -> Option<N> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Returns a value, or `None` for `-`, which logs write for a missing value.
pub(super) fn present(value: Cow<'_, [u8]>) -> Option<Cow<'_, [u8]>> {
    (!matches!(&*value, b"-" | b"")).then_some(value)
}

/// Returns a `User-Agent`; `-`, which marks a missing one, becomes empty.
pub(super) fn user_agent(value: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    present(value).unwrap_or_default()
}

/// Parses a time in any form that logs use, and returns microseconds.
pub(super) fn any_time(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii();
    clf_time(text.strip_prefix(b"[").map_or(text, |text| text.strip_suffix(b"]").unwrap_or(text)))
        .or_else(|| fractional(text))
        .or_else(|| times::micros(std::str::from_utf8(text).ok()?))
}

/// Parses seconds with a fraction, such as `1763705160.123`.
fn fractional(text: &[u8]) -> Option<i64> {
    let dot = memchr::memchr(b'.', text)?;
    let (seconds, fraction) = (&text[..dot], &text[dot + 1..]);
    let is_digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if !is_digits(seconds) || !is_digits(fraction) || !(9..=10).contains(&seconds.len()) {
        return None;
    }
    let micros =
        fraction.iter().chain(b"000000").take(6).fold(0, |all, digit| all * 10 + i64::from(digit - b'0'));
    Some(number::<i64>(seconds)? * 1_000_000 + micros)
}

/// Parses a time such as `21/Nov/2026:06:20:00 +0000`. Without an offset, it is UTC.
pub(super) fn clf_time(text: &[u8]) -> Option<i64> {
    let two = |at: usize| match text.get(at..at + 2) {
        Some([a @ b'0'..=b'9', b @ b'0'..=b'9']) => Some(i64::from(a - b'0') * 10 + i64::from(b - b'0')),
        _ => None,
    };
    if text.len() < 20 || text[2] != b'/' || text[6] != b'/' || text[11] != b':' || text[14] != b':' {
        return None;
    }
    let month = match &text[3..6] {
        b"Jan" => 1,
        b"Feb" => 2,
        b"Mar" => 3,
        b"Apr" => 4,
        b"May" => 5,
        b"Jun" => 6,
        b"Jul" => 7,
        b"Aug" => 8,
        b"Sep" => 9,
        b"Oct" => 10,
        b"Nov" => 11,
        b"Dec" => 12,
        _ => return None,
    };
    let (day, year) = (two(0)?, two(7)? * 100 + two(9)?);
    let (hour, minute, second) = (two(12)?, two(15)?, two(18)?);
    if !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let offset = match &text[20..] {
        [] => 0,
        [b' ', sign @ (b'+' | b'-'), ..] if text.len() == 26 => {
            let minutes = two(22)? * 60 + two(24)?;
            if *sign == b'-' { -minutes } else { minutes }
        }
        _ => return None,
    };
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset * 60;
    Some(seconds * 1_000_000)
}

/// Returns the days from 1970-01-01 to a day of the Gregorian calendar. Years begin in March here, so that leap days are at their
/// end.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year.div_euclid(400) * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Creates a request with time, address and target.
pub(super) fn request<'l>(time_micros: i64, address: Cow<'l, [u8]>, target: Cow<'l, [u8]>) -> LogRequest<'l> {
    LogRequest { time_micros, address, target, ..LogRequest::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_offset() {
        for (text, seconds) in [
            ("21/Nov/2026:06:20:00 +0000", 1_795_242_000),
            ("21/Nov/2026:07:20:00 +0100", 1_795_242_000),
            ("20/Nov/2026:22:20:00 -0800", 1_795_242_000),
            ("01/Jan/1970:00:00:00 +0000", 0),
            ("29/Feb/2024:12:00:00 +0000", 1_709_208_000),
            ("[29/Feb/2024:12:00:00 +0000]", 1_709_208_000),
            ("1709208000.000", 1_709_208_000),
            ("2024-02-29T12:00:00Z", 1_709_208_000),
        ] {
            assert_eq!(any_time(text.as_bytes()), Some(seconds * 1_000_000), "{text}");
        }
        for text in [
            "",
            "21/Nov/2026",
            "21/Foo/2026:06:20:00 +0000",
            "41/Nov/2026:06:20:00 +0000",
            "21/Nov/2026:06:20:00 0000",
        ] {
            assert_eq!(any_time(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(&*unescaped(br#"a\"b\\c\x41\x4g\"#), br#"a"b\cA\x4g\"#);
        assert_eq!(end_of_quoted(br#"a\"b" c"#), Some(4));
        assert_eq!(end_of_quoted(br"a\"), None);
    }
}
