//! Converts a URL to the text that rules are matched against.

use std::borrow::Cow;
use std::fmt;

use super::encode;
use crate::robots::bytes;
use crate::robots::read::text::shortened;
use crate::words::words;

/// A URL's path and query in the form that a dialect compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target<'u> {
    /// The text that rules are matched against.
    pub text: Cow<'u, [u8]>,
    /// The position of the first `?` of `text`, or the length of a text without a `?`.
    pub query: usize,
    /// True if the path and query are exactly `/robots.txt`, or if the dialect treats the URL as such.
    is_robots_txt: bool,
}

impl<'u> Target<'u> {
    /// Makes a target from a text that a dialect has derived from a URL.
    pub(crate) fn of(text: Cow<'u, [u8]>) -> Self {
        let query = memchr::memchr(b'?', &text).unwrap_or(text.len());
        let is_robots_txt = is_robots_txt(&text);
        Target { text, query, is_robots_txt }
    }

    /// Sets whether the dialect always allows the URL.
    pub(crate) fn with_always_allowed(self, is_robots_txt: bool) -> Self {
        Target { is_robots_txt, ..self }
    }

    /// Returns the part of `url` after the host, normalized as defined in [`encode`]. For most URLs, one pass over the
    /// bytes is sufficient.
    #[inline]
    pub(crate) fn normalized(url: &'u [u8]) -> Result<Self, UrlError> {
        let start = path_start(url)?;
        let looks = UrlLayout::from(url, start);
        let text = &url[start..looks.end];
        if looks.is_normal && text.first() == Some(&b'/') {
            let is_robots_txt = is_robots_txt(text);
            return Ok(Target { text: Cow::Borrowed(text), query: looks.query - start, is_robots_txt });
        }
        let text = encode::normalize_url(text);
        Ok(Target::of(if text.first() == Some(&b'/') { text } else { with_leading_slash(text) }))
    }

    /// Returns true if the path and query are exactly `/robots.txt`, or if the dialect treats the URL as such.
    #[inline]
    pub(crate) fn is_robots_txt(&self) -> bool {
        self.is_robots_txt
    }
}

#[inline]
fn is_robots_txt(text: &[u8]) -> bool {
    *text == *b"/robots.txt"
}

/// The results of one pass over the bytes of a URL's path, query and fragment.
struct UrlLayout {
    /// The position at which the fragment starts, or the length of a URL without a fragment.
    end: usize,
    /// The position at which the query starts, or `end` without a query.
    query: usize,
    /// True if every byte before the fragment is compared as written.
    is_normal: bool,
}

impl UrlLayout {
    /// Examines a URL from `start` on. The fast check is sufficient for most paths.
    #[inline]
    fn from(url: &[u8], start: usize) -> UrlLayout {
        match bytes::may_matter_from(url, start) {
            None => UrlLayout { end: url.len(), query: url.len(), is_normal: true },
            Some(at) => UrlLayout::from_exactly(url, at),
        }
    }

    fn from_exactly(url: &[u8], start: usize) -> UrlLayout {
        let (mut at, mut end, mut query, mut encoded) = (start, None, None, 0);
        while at < url.len() && end.is_none() {
            let mut looks = bytes::url_marks(url, at);
            if looks.hashes != 0 {
                end = Some(at + looks.hashes.trailing_zeros() as usize);
                // Bytes after the hash belong to the fragment, which is ignored.
                let before = looks.hashes.wrapping_sub(1) & !looks.hashes;
                looks.encoded &= before;
                looks.question_marks &= before;
            }
            encoded |= looks.encoded;
            if looks.question_marks != 0 && query.is_none() {
                query = Some(at + looks.question_marks.trailing_zeros() as usize);
            }
            at += 16;
        }
        let end = end.unwrap_or(url.len());
        UrlLayout { end, query: query.unwrap_or(end), is_normal: encoded == 0 }
    }
}

/// Returns the text with a leading slash. Google and the default dialect match paths: a URL without a path has the path
/// `/`.
pub(crate) fn with_leading_slash(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match text.first() {
        Some(b'/') => text,
        None => Cow::Borrowed(b"/"),
        Some(_) => Cow::Owned([b"/", &text[..]].concat()),
    }
}

/// Returns the position after the host in a URL as written. A text that starts with `/` or `?` has no host: `//admin`
/// is a path, with both slashes. Any other text must be an absolute URL.
///
/// The dialects that are defined by a program split URLs as the program does. Most of them read the `admin` of
/// `//admin` as a host.
///
/// The text is not changed: percent signs, backslashes, dot segments and the fragment remain as written.
#[inline]
fn path_start(url: &[u8]) -> Result<usize, UrlError> {
    let authority = match url {
        _ if url.starts_with(b"https://") => 8,
        _ if url.starts_with(b"http://") => 7,
        [] => return Err(UrlError::new(url, UrlErrorKind::Empty)),
        [b'/' | b'?', ..] => return Ok(0),
        _ => after_scheme(url)?,
    };
    let mut at = authority;
    while at < url.len() {
        let ends = bytes::authority_ends(url, at);
        if ends != 0 {
            return with_host(url, authority, at + ends.trailing_zeros() as usize);
        }
        at += 16;
    }
    with_host(url, authority, url.len())
}

/// Returns the end of the authority, or an error if the authority is empty or begins with an invalid IPv6 address.
#[inline]
fn with_host(url: &[u8], start: usize, end: usize) -> Result<usize, UrlError> {
    if start < end && url[start] != b'[' { Ok(end) } else { with_ipv6_address(url, start, end) }
}

#[cold]
fn with_ipv6_address(url: &[u8], start: usize, end: usize) -> Result<usize, UrlError> {
    match url[start..end].split_first() {
        None => Err(UrlError::new(url, UrlErrorKind::NoHost)),
        Some((_, address)) if has_ipv6_address(address) => Ok(end),
        Some(_) => Err(UrlError::new(url, UrlErrorKind::InvalidHost)),
    }
}

/// Returns true if the text after an opening bracket is an IPv6 address with a closing bracket (RFC 3986 §3.2.2).
fn has_ipv6_address(text: &[u8]) -> bool {
    let address = memchr::memchr(b']', text).and_then(|end| std::str::from_utf8(&text[..end]).ok());
    address.is_some_and(|address| address.parse::<std::net::Ipv6Addr>().is_ok())
}

/// Returns the start of the authority, after the scheme and `://`.
#[cold]
fn after_scheme(url: &[u8]) -> Result<usize, UrlError> {
    match scheme_len(url) {
        Some(length) if url[length + 1..].starts_with(b"//") => Ok(length + 3),
        Some(_) => Err(UrlError::new(url, UrlErrorKind::NoHost)),
        None => Err(UrlError::new(url, UrlErrorKind::Relative)),
    }
}

/// Returns the length of the scheme at the start of `url` (RFC 3986 §3.1).
pub(crate) fn scheme_len(url: &[u8]) -> Option<usize> {
    let colon = url.iter().position(|&b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')))?;
    (url[colon] == b':' && url[0].is_ascii_alphabetic()).then_some(colon)
}

/// The error for a text that is not a URL to which rules can apply.
///
/// ```
/// use comity::robots::{Agent, RobotsTxt, UrlErrorKind};
///
/// let rules = RobotsTxt::parse("").rules_for(&Agent::unchecked_token("examplebot"));
/// let error = rules.decide("example.com/page").unwrap_err();
/// assert_eq!(error.kind(), UrlErrorKind::Relative);
/// assert!(error.to_string().starts_with("`example.com/page` is neither an absolute URL nor a path"));
/// assert_eq!(rules.decide("").unwrap_err().kind(), UrlErrorKind::Empty);
/// assert_eq!(rules.decide("https:///page").unwrap_err().kind(), UrlErrorKind::NoHost);
/// assert_eq!(rules.decide("https://[::1/page").unwrap_err().kind(), UrlErrorKind::InvalidHost);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlError {
    url: String,
    kind: UrlErrorKind,
}

words! {
    /// The kind of a [`UrlError`].
    UrlErrorKind as "kind of URL error" {
        /// The text is empty.
        Empty = "empty",
        /// The text is neither an absolute URL nor a path: `example.com/page`, `#fragment`.
        Relative = "relative",
        /// The URL has no host: `https://`, `mailto:a@example.com`.
        NoHost = "no_host",
        /// The host is an invalid IPv6 address: `https://[::1/`.
        InvalidHost = "invalid_host",
        /// The program that defines the dialect raises an error for the URL.
        Refused = "refused",
    }
}

impl UrlError {
    /// Makes the error for a URL for which the dialect's program raises an error.
    pub(crate) fn refused(url: &[u8]) -> Self {
        UrlError::new(url, UrlErrorKind::Refused)
    }

    fn new(url: &[u8], kind: UrlErrorKind) -> Self {
        UrlError { url: shortened(url), kind }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> UrlErrorKind {
        self.kind
    }
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UrlError { url, kind } = self;
        match kind {
            UrlErrorKind::Empty => f.write_str("the URL is empty"),
            UrlErrorKind::Relative => write!(
                f,
                "`{url}` is neither an absolute URL nor a path: start it with a scheme and `://`, or with `/`"
            ),
            UrlErrorKind::NoHost => {
                write!(
                    f,
                    "`{url}` has a scheme but no host: robots.txt applies to URLs such as `https://host/path`"
                )
            }
            UrlErrorKind::InvalidHost => write!(f, "`{url}` has an invalid IPv6 address as its host"),
            UrlErrorKind::Refused => write!(f, "`{url}` is a URL that the dialect's program rejects"),
        }
    }
}

impl std::error::Error for UrlError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_is_split_as_written() {
        let split = |url: &'static str| path_start(url.as_bytes()).ok().map(|start| &url.as_bytes()[start..]);
        assert_eq!(split("http://h/a/../b%2f\\c?q#f"), Some(&b"/a/../b%2f\\c?q#f"[..]));
        assert_eq!(split("http://h#f/x"), Some(&b"#f/x"[..]));
        assert_eq!(split("http://h?q"), Some(&b"?q"[..]));
        assert_eq!(split("//h/a"), Some(&b"//h/a"[..]));
        assert_eq!(split("/a"), Some(&b"/a"[..]));
        assert_eq!(split("http://h"), Some(&b""[..]));
        assert_eq!(split(""), None);
        assert_eq!(split("http://"), None);
        assert_eq!(split("https:///a"), None);
        assert_eq!(split("x://?a"), None);
        assert_eq!(split("a/b"), None);
        assert_eq!(split("mailto:a@b"), None);
        assert_eq!(split("#f"), None);
        assert_eq!(split("http://[::1]:80/a"), Some(&b"/a"[..]));
        assert_eq!(split("http://[::1/a]"), None);
        assert_eq!(split("http://[z]/a"), None);
    }
}
