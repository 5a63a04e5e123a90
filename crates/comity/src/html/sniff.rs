//! Determines whether an HTTP answer is HTML: by its `Content-Type`, or else by its first bytes.

use super::decode_bytes;
use super::elements::is_of_the_head;
use crate::http::Headers;
use crate::policy::after_prologue;

/// Number of bytes that are examined (WHATWG MIME Sniffing §5.2).
const SNIFFED: usize = 1445;

/// Returns true if an HTTP answer is HTML.
///
/// A known `Content-Type` decides. Otherwise the first 1,445 bytes decide: HTML begins with a comment, a document type,
/// or one of the elements in WHATWG MIME Sniffing §7.1. In addition to that standard, every element of the head counts,
/// such as `<meta>`.
///
/// ```
/// use comity::html::is_html;
/// use comity::http::Headers;
///
/// let page = b"<!doctype html><title>Herons</title>";
/// assert!(is_html(&Headers::new(), page));
/// assert!(!is_html(&[("Content-Type", "text/plain")].into_iter().collect(), page));
/// ```
pub fn is_html(headers: &Headers<'_>, body: &[u8]) -> bool {
    is_html_type(headers).unwrap_or_else(|| begins_as_html(body))
}

/// Returns true if the `Content-Type` is a type of HTML. Returns `None` if the `Content-Type` is missing, invalid or
/// unknown (`unknown/unknown`, `application/unknown`, `*/*`).
///
/// ```
/// use comity::html::is_html_type;
/// use comity::http::Headers;
///
/// let of_type = |value| is_html_type(&[("Content-Type", value)].into_iter().collect());
/// assert_eq!(of_type("Text/HTML; charset=utf-8"), Some(true));
/// assert_eq!(of_type("image/png"), Some(false));
/// assert_eq!(of_type("html"), None);
/// assert_eq!(is_html_type(&Headers::new()), None);
/// ```
pub fn is_html_type(headers: &Headers<'_>) -> Option<bool> {
    match &*headers.media_type() {
        "text/html" | "application/xhtml+xml" => Some(true),
        "unknown/unknown" | "application/unknown" | "*/*" => None,
        other => is_media_type(other).then_some(false),
    }
}

/// Returns true if a text has the form of a media type (RFC 9110 §8.3.1).
fn is_media_type(text: &str) -> bool {
    let is_token = |text: &str| {
        let is_sign = |byte| b"!#$%&'*+-.^_`|~".contains(&byte);
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || is_sign(byte))
    };
    text.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

fn begins_as_html(body: &[u8]) -> bool {
    const DOCTYPE: &[u8] = b"<!doctype";
    let (text, _) = decode_bytes(&body[..body.len().min(SNIFFED)], None);
    let text = text.trim_ascii_start();
    if text.starts_with(b"<!-- ") || text.starts_with(b"<!-->") {
        return true;
    }
    let Some(root) = after_prologue(text) else { return false };
    let name = match root.get(..DOCTYPE.len()) {
        Some(start) if start.eq_ignore_ascii_case(DOCTYPE) => root[DOCTYPE.len()..].trim_ascii_start(),
        _ => root.strip_prefix(b"<").unwrap_or_default(),
    };
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
    let Some(end) = name.iter().position(is_end) else { return false };
    let name = name[..end].to_ascii_lowercase();
    is_of_the_head(&name) || begins_a_body(&name)
}

/// Returns true if a page may begin with this element of the body (WHATWG MIME Sniffing §7.1).
fn begins_a_body(element: &[u8]) -> bool {
    matches!(element, b"a" | b"b" | b"body" | b"br" | b"div" | b"font" | b"h1" | b"iframe" | b"p" | b"table")
}
