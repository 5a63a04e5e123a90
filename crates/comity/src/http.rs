//! Header fields of an HTTP response.
//!
//! A client adds the fields that it received ([`Headers::push`], or a collection of pairs). [`Headers::parse`] reads a
//! header that was saved to a file. Names are compared without regard to case. Values are stored as bytes, since
//! servers may send any bytes.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr;

/// The fields of one HTTP message, in the order received.
///
/// ```
/// use comity::http::Headers;
///
/// let headers: Headers = [("Content-Type", "text/plain"), ("Cache-Control", "max-age=600")].into_iter().collect();
/// assert_eq!(headers.get("content-type"), Some(&b"text/plain"[..]));
/// assert_eq!(headers.get_all("x-robots-tag").count(), 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers<'a> {
    fields: Vec<(Cow<'a, str>, Cow<'a, [u8]>)>,
    status: Option<u16>,
}

/// Maximum size of a header in bytes. Many servers and clients reject larger headers.
pub const MAX_HEADER_BYTES: usize = 64 * 1024;

impl<'a> Headers<'a> {
    /// Creates an empty header.
    pub const fn new() -> Self {
        Headers { fields: Vec::new(), status: None }
    }

    /// Parses a saved header, as written by `curl -I` or `curl -D`: an optional status line, then `name: value` lines.
    ///
    /// If there are several headers in sequence (a chain of redirects), the last one counts. Lines end with LF or CRLF.
    /// A line that starts with white space continues the previous field (RFC 9112 §5.2). Other lines without a colon
    /// are skipped.
    ///
    /// # Errors
    ///
    /// Returns [`HeadersTooLarge`] if the text is larger than [`MAX_HEADER_BYTES`].
    ///
    /// ```
    /// use comity::http::Headers;
    ///
    /// let headers = Headers::parse(b"HTTP/2 200\r\nX-Robots-Tag: noindex\r\nx-robots-tag: nofollow\r\n\r\n")?;
    /// assert_eq!(headers.status(), Some(200));
    /// assert_eq!(headers.get_all("X-Robots-Tag").collect::<Vec<_>>(), [&b"noindex"[..], b"nofollow"]);
    /// # Ok::<(), comity::http::HeadersTooLarge>(())
    /// ```
    pub fn parse(mut text: &'a [u8]) -> Result<Self, HeadersTooLarge> {
        if text.len() > MAX_HEADER_BYTES {
            return Err(HeadersTooLarge { bytes: text.len() });
        }
        let mut headers = Headers::new();
        let mut is_ended = false;
        while !text.is_empty() {
            let end = memchr(b'\n', text).unwrap_or(text.len());
            let line = text[..end].strip_suffix(b"\r").unwrap_or(&text[..end]);
            text = &text[(end + 1).min(text.len())..];
            headers.take_line(line, &mut is_ended);
        }
        Ok(headers)
    }

    fn take_line(&mut self, line: &'a [u8], is_ended: &mut bool) {
        if line.is_empty() {
            *is_ended = true;
            return;
        }
        if std::mem::take(is_ended) {
            *self = Headers::new();
        }
        if line.starts_with(b"HTTP/") {
            let code = line.split(|&byte| byte == b' ').nth(1);
            self.status = code.and_then(|code| std::str::from_utf8(code).ok()?.parse().ok());
        } else if line[0] == b' ' || line[0] == b'\t' {
            if let Some((_, value)) = self.fields.last_mut() {
                let value = value.to_mut();
                value.push(b' ');
                value.extend_from_slice(line.trim_ascii());
            }
        } else if let Some(colon) = memchr(b':', line) {
            let name = String::from_utf8_lossy(line[..colon].trim_ascii());
            self.fields.push((name, Cow::Borrowed(line[colon + 1..].trim_ascii())));
        }
    }

    /// Adds a field.
    pub fn push(&mut self, name: &'a str, value: &'a [u8]) {
        self.fields.push((Cow::Borrowed(name), Cow::Borrowed(value)));
    }

    /// Returns the status code of the status line, if [`parse`](Headers::parse) read one.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// Returns the value of the first field with this name.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.get_all(name).next()
    }

    /// Returns the values of all fields with this name, in order.
    pub fn get_all(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        self.iter().filter(move |(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns the media type of `Content-Type`, in lower case and without parameters (RFC 9110 §8.3.1). It is empty if
    /// there is no `Content-Type`.
    ///
    /// ```
    /// use comity::http::Headers;
    ///
    /// let headers: Headers = [("Content-Type", "Text/HTML; charset='utf-8'")].into_iter().collect();
    /// assert_eq!((headers.media_type().as_str(), headers.charset().as_deref()), ("text/html", Some("utf-8")));
    /// ```
    pub fn media_type(&self) -> String {
        let value = self.content_type();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Returns the charset of `Content-Type`, as written (RFC 9110 §8.3.2), without single or double quotes.
    pub fn charset(&self) -> Option<String> {
        self.content_type().split(';').skip(1).find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']).trim();
            (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
        })
    }

    fn content_type(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.get("content-type").unwrap_or_default())
    }

    /// Returns the name and value of every field.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.fields.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Returns true if there are no fields.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

impl<'a, V: AsRef<[u8]> + ?Sized> FromIterator<(&'a str, &'a V)> for Headers<'a> {
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a V)>>(fields: I) -> Self {
        let mut headers = Headers::new();
        for (name, value) in fields {
            headers.push(name, value.as_ref());
        }
        headers
    }
}

/// The error for a header that is larger than [`MAX_HEADER_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadersTooLarge {
    bytes: usize,
}

impl fmt::Display for HeadersTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a header of {} bytes is too large; the maximum is {MAX_HEADER_BYTES}", self.bytes)
    }
}

impl std::error::Error for HeadersTooLarge {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_of_several_headers_counts() {
        let headers = Headers::parse(b"HTTP/1.1 301 Moved\nLocation: /a\n\nHTTP/1.1 404\nA: b\n").unwrap();
        assert_eq!(headers.status(), Some(404));
        assert_eq!(headers.iter().collect::<Vec<_>>(), [("A", &b"b"[..])]);
    }

    #[test]
    fn folded_line_continues_the_previous_line() {
        let headers = Headers::parse(b"A: one\r\n  two\r\n").unwrap();
        assert_eq!(headers.get("a"), Some(&b"one two"[..]));
    }

    #[test]
    fn status_of_a_broken_status_line_is_unknown() {
        assert_eq!(Headers::parse(b"HTTP/1.1\nA: b").unwrap().status(), None);
    }

    #[test]
    fn header_above_the_limit_is_rejected() {
        let text = vec![b'a'; MAX_HEADER_BYTES + 1];
        assert!(Headers::parse(&text).unwrap_err().to_string().contains("65537 bytes"));
    }
}
