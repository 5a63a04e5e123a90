//! From a URL to what rules are matched against.

use std::borrow::Cow;
use std::fmt;

use super::encode;
use super::octets;
use super::python;
use super::quirks::Matching;

/// A URL's path and query in the form that a dialect compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target<'u> {
    /// What rules are matched against.
    pub text: Cow<'u, [u8]>,
    /// Where the first `?` of `text` stands; its length if it has none.
    pub query: usize,
}

impl<'u> Target<'u> {
    /// The target that `url` is under `matching`.
    #[inline]
    pub(super) fn from_url(url: &'u [u8], matching: Matching) -> Result<Self, UrlError> {
        match matching {
            Matching::Rfc9309 | Matching::Yandex => Target::normalized(url, path_start(url)?),
            _ => Target::by_program(url, matching),
        }
    }

    /// The default dialect's form of what follows the host. One look at each octet settles most URLs.
    #[inline]
    fn normalized(url: &'u [u8], start: usize) -> Result<Self, UrlError> {
        let looks = Looks::from(url, start);
        let text = &url[start..looks.end];
        if looks.is_normal && text.first() == Some(&b'/') {
            return Ok(Target { text: Cow::Borrowed(text), query: looks.query - start });
        }
        let text = encode::normalize_url(text);
        let text = if text.first() == Some(&b'/') { text } else { with_leading_slash(text) };
        let query = memchr::memchr(b'?', &text).unwrap_or(text.len());
        Ok(Target { text, query })
    }

    #[cold]
    fn by_program(url: &'u [u8], matching: Matching) -> Result<Self, UrlError> {
        let text = match matching {
            Matching::Webcanon => python_text(url, webcanon)?,
            Matching::Urllib => python_text(url, urllib)?,
            Matching::Gym2008 | Matching::Mk1996 => python_text(url, robotexclusionrulesparser)?,
            Matching::RobotstxtGem => Cow::Owned(ruby(url).into_bytes()),
            _ => with_leading_slash(Cow::Borrowed(google_path(url))),
        };
        let query = memchr::memchr(b'?', &text).unwrap_or(text.len());
        Ok(Target { text, query })
    }

    /// Whether it is exactly `/robots.txt`.
    pub(super) fn is_robots_txt(&self) -> bool {
        *self.text == *b"/robots.txt"
    }
}

/// What one look at each octet of a URL's path, query and fragment tells.
struct Looks {
    /// Where the fragment starts; the length of the URL if there is none.
    end: usize,
    /// Where the query starts; `end` if there is none.
    query: usize,
    /// Every octet before the fragment is compared as it is written.
    is_normal: bool,
}

impl Looks {
    /// Most paths hold nothing that matters.
    #[inline]
    fn from(url: &[u8], start: usize) -> Looks {
        let mut at = start;
        while let Some(block) = url[at..].first_chunk() {
            if octets::may_matter(block) {
                return Looks::from_exactly(url, at);
            }
            at += 16;
        }
        match url.last_chunk() {
            // If it reaches back before `start`, a host at worst adds a closer look.
            Some(block) if !octets::may_matter(block) => {
                Looks { end: url.len(), query: url.len(), is_normal: true }
            }
            _ => Looks::from_exactly(url, at),
        }
    }

    fn from_exactly(url: &[u8], start: usize) -> Looks {
        let (mut at, mut end, mut query, mut encoded) = (start, None, None, 0);
        while at < url.len() && end.is_none() {
            let mut looks = octets::url_looks(url, at);
            if looks.hashes != 0 {
                end = Some(at + looks.hashes.trailing_zeros() as usize);
                // What stands behind a hash does not count.
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
        Looks { end, query: query.unwrap_or(end), is_normal: encoded == 0 }
    }
}

/// Google and the default dialect match paths; a URL without one stands for `/`.
fn with_leading_slash(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match text.first() {
        Some(b'/') => text,
        None => Cow::Borrowed(b"/"),
        Some(_) => Cow::Owned([b"/", &text[..]].concat()),
    }
}

/// Where what follows the host starts in a text, as written. A text that starts with `/`, `?` or `#` is a path, with all
/// its slashes: `//admin` is a path that a rule may name, and no host. Any other text is an absolute URL.
///
/// The dialects that are defined by a program leave this to the program ([`Target::by_program`]): most of them take the
/// `admin` of `//admin` for a host.
///
/// Nothing is rewritten: percent signs, backslashes and dot segments stay as they are. A fragment is still there.
#[inline]
fn path_start(url: &[u8]) -> Result<usize, UrlError> {
    let authority = match url {
        _ if url.starts_with(b"https://") => 8,
        _ if url.starts_with(b"http://") => 7,
        [] | [b'/' | b'?' | b'#', ..] => return Ok(0),
        _ => after_scheme(url)?,
    };
    let mut at = authority;
    while at < url.len() {
        let ends = octets::authority_ends(url, at);
        if ends != 0 {
            return Ok(at + ends.trailing_zeros() as usize);
        }
        at += 16;
    }
    Ok(url.len())
}

/// Where the authority starts behind any scheme.
#[cold]
fn after_scheme(url: &[u8]) -> Result<usize, UrlError> {
    match scheme_len(url) {
        Some(length) if url[length + 1..].starts_with(b"//") => Ok(length + 3),
        Some(_) => Err(UrlError::new(url, Reason::NoAuthority)),
        None => Err(UrlError::new(url, Reason::NoPath)),
    }
}

/// The length of the scheme that `url` starts with (RFC 3986 §3.1).
fn scheme_len(url: &[u8]) -> Option<usize> {
    let colon = url.iter().position(|&b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')))?;
    (url[colon] == b':' && url[0].is_ascii_alphabetic()).then_some(colon)
}

/// Google's `GetPathParamsQuery`, which never fails; the program then reads its answer as a C string.
fn google_path(url: &[u8]) -> &[u8] {
    let search_start = if url.starts_with(b"//") { 2 } else { 0 };
    let find_delimiter = |from: usize| memchr::memchr3(b'/', b'?', b';', &url[from..]).map(|at| from + at);
    let early_path = find_delimiter(search_start);
    let protocol = memchr::memmem::find(&url[search_start..], b"://").map(|at| search_start + at);
    let after_protocol = match (protocol, early_path) {
        (Some(protocol), Some(early)) if early < protocol => search_start,
        (Some(protocol), _) => protocol + 3,
        (None, _) => search_start,
    };
    let Some(start) = find_delimiter(after_protocol) else { return b"/" };
    let hash = memchr::memchr(b'#', &url[search_start..]).map(|at| search_start + at);
    if hash.is_some_and(|hash| hash < start) {
        return b"/";
    }
    let path = &url[start..hash.unwrap_or(url.len())];
    &path[..memchr::memchr(0, path).unwrap_or(path.len())]
}

/// Runs a Python program's handling of a URL on text; `None` is its `ValueError`.
fn python_text(url: &[u8], handle: fn(&str) -> Option<Vec<u8>>) -> Result<Cow<'_, [u8]>, UrlError> {
    match handle(&String::from_utf8_lossy(url)) {
        Some(text) => Ok(Cow::Owned(text)),
        None => Err(UrlError::new(url, Reason::Refused)),
    }
}

/// webcanon: `unquote(path or "/" + "?" + query)`.
fn webcanon(url: &str) -> Option<Vec<u8>> {
    let split = python::urlsplit(url)?;
    let mut path = if split.path.is_empty() { "/".to_owned() } else { split.path };
    if !split.query.is_empty() {
        path = format!("{path}?{}", split.query);
    }
    Some(python::unquote(&path).into_owned().into_bytes())
}

/// urllib.robotparser: decode, split, join without scheme and host, quote.
fn urllib(url: &str) -> Option<Vec<u8>> {
    let text = python::quote(&without_authority(&python::unquote(url))?);
    Some(if text.is_empty() { b"/".to_vec() } else { text })
}

/// robotexclusionrulesparser: split, join without scheme and host, decode.
fn robotexclusionrulesparser(url: &str) -> Option<Vec<u8>> {
    Some(encode::unquote_path(&without_authority(url)?).into_bytes())
}

fn without_authority(url: &str) -> Option<String> {
    let mut split = python::urlparse(url)?;
    split.scheme.clear();
    split.netloc.clear();
    Some(python::urlunparse(&split))
}

/// The Ruby class: `path + "?" + query` of the parsed URI, decoded.
fn ruby(url: &[u8]) -> String {
    let url = String::from_utf8_lossy(url);
    let url = url.split('#').next().unwrap_or_default();
    let (scheme, rest) = match scheme_len(url.as_bytes()) {
        Some(length) => (&url[..length], &url[length + 1..]),
        None => ("", url),
    };
    if !scheme.is_empty() && !rest.is_empty() && !rest.starts_with(['/', '?']) {
        // An opaque URI has no path, which stands for `/`.
        return "/".to_owned();
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => &rest[rest.find(['/', '?']).unwrap_or(rest.len())..],
        None => rest,
    };
    if scheme.eq_ignore_ascii_case("ftp") {
        // Ruby's FTP paths are relative unless they start with an encoded slash.
        let path = path.strip_prefix('/').unwrap_or(path);
        let (slash, path) = path.strip_prefix("%2F").map_or(("", path), |rest| ("/", rest));
        return encode::ruby_unescape(&format!("{slash}{path}"));
    }
    encode::ruby_unescape(path)
}

/// Text that no path can be taken from.
///
/// ```
/// use comity::robots::{Agent, RobotsTxt};
///
/// let rules = RobotsTxt::parse("").rules_for(&Agent::token("examplebot"));
/// let error = rules.decide("example.com/page").unwrap_err();
/// assert!(error.to_string().starts_with("`example.com/page` is neither an absolute URL nor a path"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlError {
    url: String,
    reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    NoPath,
    NoAuthority,
    Refused,
}

impl UrlError {
    fn new(url: &[u8], reason: Reason) -> Self {
        UrlError { url: super::text::shortened(url), reason }
    }
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UrlError { url, reason } = self;
        match reason {
            Reason::NoPath => write!(
                f,
                "`{url}` is neither an absolute URL nor a path: start it with a scheme and `://`, or with `/`"
            ),
            Reason::NoAuthority => {
                write!(
                    f,
                    "`{url}` has a scheme but no host: robots.txt speaks about URLs such as `https://host/path`"
                )
            }
            Reason::Refused => write!(f, "`{url}` has a host that the dialect's program refuses to split"),
        }
    }
}

impl std::error::Error for UrlError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_split_as_written() {
        let split = |url: &'static str| path_start(url.as_bytes()).ok().map(|start| &url.as_bytes()[start..]);
        assert_eq!(split("http://h/a/../b%2f\\c?q#f"), Some(&b"/a/../b%2f\\c?q#f"[..]));
        assert_eq!(split("http://h#f/x"), Some(&b"#f/x"[..]));
        assert_eq!(split("http://h?q"), Some(&b"?q"[..]));
        assert_eq!(split("//h/a"), Some(&b"//h/a"[..]));
        assert_eq!(split("/a"), Some(&b"/a"[..]));
        assert_eq!(split(""), Some(&b""[..]));
        assert_eq!(split("a/b"), None);
        assert_eq!(split("mailto:a@b"), None);
    }

    #[test]
    fn google_finds_a_path_in_anything() {
        let path = |url: &'static str| String::from_utf8_lossy(google_path(url.as_bytes())).into_owned();
        assert_eq!(path("http://www.example.com/a/b?c=http://d.e/f"), "/a/b?c=http://d.e/f");
        assert_eq!(path("example.com/a"), "/a");
        assert_eq!(path("example.com"), "/");
        assert_eq!(path("//a/b/c"), "/b/c");
        assert_eq!(path("http://example.com#f/x"), "/");
        assert_eq!(path("http://example.com;p"), ";p");
        assert_eq!(path("a?b#c"), "?b");
    }

    #[test]
    fn python_programs_keep_what_they_keep() {
        let text = |url: &'static str, matching| {
            Target::from_url(url.as_bytes(), matching).map(|t| String::from_utf8_lossy(&t.text).into_owned())
        };
        assert_eq!(text("http://h/a%2Fb?x=1#f", Matching::Urllib).as_deref(), Ok("/a/b%3Fx%3D1%23f"));
        assert_eq!(text("http://h", Matching::Urllib).as_deref(), Ok("/"));
        assert_eq!(text("http://h", Matching::Gym2008).as_deref(), Ok(""));
        assert_eq!(text("http://h/a%2fb%41#f", Matching::Gym2008).as_deref(), Ok("/a%2FbA#f"));
        assert_eq!(text("http://h/a%2fb?c%41#f", Matching::Webcanon).as_deref(), Ok("/a/b?cA"));
        assert!(text("http://[::1/", Matching::Urllib).is_err());
    }
}
