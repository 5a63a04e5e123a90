//! Parses request targets.

use std::borrow::Cow;

type Text<'l> = Cow<'l, [u8]>;

/// Returns a byte range of a text. Borrowed bytes are not copied.
fn part(text: Cow<'_, [u8]>, start: usize, end: usize) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[start..end]),
        Cow::Owned(text) => Cow::Owned(text[start..end].to_vec()),
    }
}

/// Returns the length of the method and the bounds of the target in a request line such as `GET /a?b HTTP/1.1`. Returns `None`
/// if the text is not a request for a page: TLS sent to a plain port, `OPTIONS *`, or `CONNECT host:port`.
pub(super) fn of_line(line: &[u8]) -> Option<(usize, usize, usize)> {
    let method = memchr::memchr(b' ', line)?;
    let is_method = line[0].is_ascii_alphabetic()
        && (1..=32).contains(&method)
        && line[..method].iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'));
    let rest = &line[method + 1..];
    // Some clients send spaces in the target, and HTTP/0.9 has no version.
    let end = memchr::memrchr(b' ', rest).filter(|space| rest[space + 1..].starts_with(b"HTTP/"));
    let end = end.unwrap_or(rest.len());
    let is_page =
        is_method && end > 0 && &rest[..end] != b"*" && !line[..method].eq_ignore_ascii_case(b"CONNECT");
    is_page.then_some((method, method + 1, method + 1 + end))
}

/// Splits a request line into method and target as [`of_line`] does.
pub(super) fn split_line(line: Text<'_>) -> Option<(Text<'_>, Text<'_>)> {
    let (method, start, end) = of_line(&line)?;
    Some((part(line.clone(), 0, method), part(line, start, end)))
}

/// Returns the bounds of the authority of an absolute URL. The path begins at the end of the authority.
fn absolute(target: &[u8]) -> Option<(usize, usize)> {
    let at = memchr::memmem::find(target.get(..12.min(target.len()))?, b"://")?;
    if at == 0
        || !target[..at].iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    {
        return None;
    }
    let rest = &target[at + 3..];
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    Some((at + 3, at + 3 + end))
}

/// Splits an absolute target into authority and path: `http://a:80/b` becomes `a:80` and `/b`. Any other target is a path.
pub(super) fn split_host(target: Cow<'_, [u8]>) -> (Option<Cow<'_, [u8]>>, Cow<'_, [u8]>) {
    if target.starts_with(b"/") {
        return (None, target);
    }
    let Some((start, end)) = absolute(&target) else { return (None, target) };
    let path = match target.get(end) {
        None => Cow::Borrowed(&b"/"[..]),
        Some(b'/') => part(target.clone(), end, target.len()),
        // `http://a?b` requests `/?b`.
        Some(_) => Cow::Owned([b"/", &target[end..]].concat()),
    };
    (Some(part(target, start, end)), path)
}

/// Joins a path and a query. The query may begin with a question mark.
pub(super) fn join<'l>(path: Cow<'l, [u8]>, query: Option<Cow<'l, [u8]>>) -> Cow<'l, [u8]> {
    let Some(query) = query else { return path };
    let query = query.strip_prefix(b"?").unwrap_or(&query);
    if query.is_empty() || path.contains(&b'?') {
        return path;
    }
    Cow::Owned([&*path, b"?", query].concat())
}

/// Removes the port of a host such as `example.com:443`.
pub(super) fn without_port(host: &[u8]) -> &[u8] {
    let is_port = |port: &[u8]| !port.is_empty() && port.iter().all(u8::is_ascii_digit);
    match memchr::memrchr(b':', host) {
        Some(colon)
            if is_port(&host[colon + 1..]) && (!host[..colon].contains(&b':') || host.starts_with(b"[")) =>
        {
            &host[..colon]
        }
        _ => host,
    }
}

/// Returns true for a host name or an address, with or without a port.
pub(super) fn is_host(text: &[u8]) -> bool {
    let host = without_port(text);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'*');
    let is_name = |host: &[u8]| !host.is_empty() && host.len() <= 255 && host.iter().all(is_part);
    is_name(host) || super::address::ip(host).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_is_found_in_request_lines() {
        for (line, expected) in [
            ("GET /a?b HTTP/1.1", Some("/a?b")),
            ("GET /", Some("/")),
            ("M-SEARCH /a b HTTP/1.0", Some("/a b")),
            ("GET http://example.com/a HTTP/1.1", Some("http://example.com/a")),
            ("OPTIONS * HTTP/1.1", None),
            ("CONNECT example.com:443 HTTP/1.1", None),
            ("-", None),
            ("", None),
            ("\u{16}\u{3}\u{1} x", None),
            ("GET  HTTP/1.1", None),
        ] {
            let found = of_line(line.as_bytes()).map(|(_, start, end)| &line[start..end]);
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn absolute_target_is_split_into_host_and_path() {
        for (target, host, path) in [
            ("/a", None, "/a"),
            ("http://a:80/b?c", Some("a:80"), "/b?c"),
            ("https://a", Some("a"), "/"),
            ("https://a?b", Some("a"), "/?b"),
            ("a://", Some(""), "/"),
            ("/x?u=http://b/", None, "/x?u=http://b/"),
            ("://b/", None, "://b/"),
        ] {
            let (found, rest) = split_host(target.as_bytes().into());
            let found = found.map(|host| String::from_utf8_lossy(&host).into_owned());
            assert_eq!((found.as_deref(), &*String::from_utf8_lossy(&rest)), (host, path), "{target}");
        }
    }
}
