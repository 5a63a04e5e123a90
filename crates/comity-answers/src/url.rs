//! URLs of requests: their kinds, and suggestions for invalid URLs.
//!
//! The engine parses a URL as the program of each dialect does. Operations are stricter, and equally strict for every
//! dialect. A link such as `mailto:` in a list of URLs is an error, because it does not name a page.

use std::fmt;

use comity::robots::{Decision, Rules, UrlError};
use comity::shown::short;

/// Maximum length of a URL in a request, in bytes.
pub const MAX_URL_BYTES: usize = 8 << 10;

/// The kind of a URL in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlKind {
    /// An `http` or `https` URL with a host.
    Web,
    /// A path. Only a given robots.txt can decide it.
    Path,
    /// A URL of another scheme with a host, such as `ftp`. A given robots.txt can decide it, but its site cannot be
    /// contacted.
    OtherScheme,
}

impl UrlKind {
    /// Returns the kind of the text.
    ///
    /// ```
    /// use comity_answers::url::UrlKind;
    ///
    /// assert_eq!(UrlKind::of(b"https://example.com/a").unwrap(), UrlKind::Web);
    /// assert_eq!(UrlKind::of(b"/a?b").unwrap(), UrlKind::Path);
    /// let problem = UrlKind::of(b"www.example.com/a").unwrap_err();
    /// assert!(problem.to_string().ends_with("`https://www.example.com/a` was probably meant"));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`UrlProblem`] if the text is empty, if it is neither an absolute URL nor a path, if the URL has no host
    /// (`http://`, `mailto:`, `tel:`, `javascript:`), or if its host is an invalid IPv6 address.
    #[inline]
    pub fn of(text: &[u8]) -> Result<UrlKind, UrlProblem> {
        if text.starts_with(b"/") {
            return Ok(UrlKind::Path);
        }
        let is_host = |at: usize| text.get(at).is_some_and(|&byte| !is_end_of_host(byte));
        match text {
            _ if starts_with(text, b"https://") && is_host(8) => of_web(text, 8),
            _ if starts_with(text, b"http://") && is_host(7) => of_web(text, 7),
            [b'?', ..] => Ok(UrlKind::Path),
            _ => of_rest(text),
        }
    }
}

/// Returns the kind of an `http` or `https` URL whose host begins at `at`.
#[inline]
fn of_web(text: &[u8], at: usize) -> Result<UrlKind, UrlProblem> {
    let is_address = |host: &[u8]| {
        let address = host.split(|&byte| byte == b']').next().unwrap_or_default();
        let address = std::str::from_utf8(address).ok().and_then(|text| text.parse().ok());
        host.contains(&b']') && address.is_some_and(|_: std::net::Ipv6Addr| true)
    };
    let length = text[at..].iter().position(|&byte| is_end_of_host(byte)).unwrap_or(text.len() - at);
    let authority = &text[at..at + length];
    // The user info, if there is one, ends at the last `@`.
    let host =
        authority.iter().rposition(|&byte| byte == b'@').map_or(authority, |end| &authority[end + 1..]);
    match host.strip_prefix(b"[") {
        Some(host) if !is_address(host) => {
            Err(UrlProblem::new(text, Reason::Invalid("the IPv6 address is invalid")))
        }
        _ => Ok(UrlKind::Web),
    }
}

/// Returns the kind of a text that is neither a path nor an `http` or `https` URL with a host.
#[cold]
fn of_rest(text: &[u8]) -> Result<UrlKind, UrlProblem> {
    if text.trim_ascii().is_empty() {
        return Err(UrlProblem::new(text, Reason::Empty));
    }
    if text.starts_with(b"#") {
        return Err(UrlProblem::new(text, Reason::Fragment));
    }
    let Some(scheme) = scheme(text) else {
        return Err(UrlProblem::new(text, Reason::NoScheme));
    };
    let rest = &text[scheme.len() + 1..];
    let host = rest.strip_prefix(b"//").unwrap_or_default();
    if is_web(scheme) || std::str::from_utf8(text).is_ok_and(is_host) {
        return Err(UrlProblem::new(text, Reason::NoHost));
    }
    if host.first().is_none_or(|&byte| is_end_of_host(byte)) {
        return Err(UrlProblem::new(text, Reason::Scheme));
    }
    Ok(UrlKind::OtherScheme)
}

/// A text that is not a usable URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlProblem {
    text: String,
    reason: Reason,
    suggestion: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Empty,
    Fragment,
    NoScheme,
    NoHost,
    Scheme,
    Invalid(&'static str),
    Dialect(UrlError),
}

impl UrlProblem {
    fn new(text: &[u8], reason: Reason) -> UrlProblem {
        UrlProblem { text: short(text, 200).into_owned(), reason, suggestion: suggestion(text) }
    }

    /// Returns the URL that was probably meant.
    pub fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }
}

impl fmt::Display for UrlProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UrlProblem { text, reason, suggestion } = self;
        match reason {
            Reason::Empty => f.write_str("the URL is empty"),
            Reason::Fragment => write!(f, "`{text}` is a fragment, which is never part of a request"),
            Reason::NoScheme => write!(
                f,
                "`{text}` is neither an absolute URL nor a path: start it with `https://`, or with `/`"
            ),
            Reason::NoHost => write!(f, "`{text}` is not a URL: it has no host"),
            Reason::Scheme => write!(f, "`{text}` is neither an http nor an https URL"),
            Reason::Invalid(error) => write!(f, "`{text}` is not a URL: {error}"),
            Reason::Dialect(error) => error.fmt(f),
        }?;
        match suggestion {
            Some(url) => write!(f, "; `{url}` was probably meant"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UrlProblem {}

/// Checks the URL in a cell of a table, which may have white space around it.
///
/// # Errors
///
/// Returns the message of the [`UrlProblem`].
#[inline]
pub fn check_cell(text: &[u8]) -> Result<(), String> {
    let problem = match UrlKind::of(text) {
        Ok(_) => return Ok(()),
        Err(problem) => problem,
    };
    match text.trim_ascii() {
        trimmed if trimmed.len() < text.len() && UrlKind::of(trimmed).is_ok() => Ok(()),
        _ => Err(problem.to_string()),
    }
}

/// Parses a URL whose site can be contacted.
///
/// # Errors
///
/// Returns [`UrlProblem`] if the text is not an `http` or `https` URL with a host.
pub fn parse(text: &[u8]) -> Result<::url::Url, UrlProblem> {
    let text = text.trim_ascii();
    let no_scheme = || UrlProblem::new(text, Reason::Invalid("start it with `https://`"));
    match UrlKind::of(text) {
        Ok(UrlKind::Web) => {}
        Ok(UrlKind::OtherScheme) => return Err(UrlProblem::new(text, Reason::Scheme)),
        Ok(UrlKind::Path) => return Err(no_scheme()),
        Err(problem) if problem.reason == Reason::NoScheme => return Err(no_scheme()),
        Err(problem) => return Err(problem),
    }
    let utf8 = str::from_utf8(text).map_err(|_| UrlProblem::new(text, Reason::Invalid("it is not UTF-8")))?;
    ::url::Url::parse(utf8).map_err(|error| {
        let problem = match error {
            ::url::ParseError::EmptyHost => "it has no host",
            ::url::ParseError::InvalidPort => "the port is not a number up to 65535",
            ::url::ParseError::InvalidIpv4Address => "the IPv4 address is invalid",
            ::url::ParseError::InvalidIpv6Address => "the IPv6 address is invalid",
            _ => "the host name is invalid",
        };
        UrlProblem::new(text, Reason::Invalid(problem))
    })
}

/// Parses a URL whose site can be contacted, and returns it with its origin.
///
/// # Errors
///
/// Returns the errors of [`parse`].
#[cfg(feature = "live")]
pub fn web_url(text: &[u8]) -> Result<(::url::Url, comity_client::Origin), UrlProblem> {
    let url = parse(text)?;
    match comity_client::Origin::of(&url) {
        Some(origin) => Ok((url, origin)),
        None => Err(UrlProblem::new(text, Reason::Scheme)),
    }
}

/// Decides a URL of a request by rules.
///
/// # Errors
///
/// Returns [`UrlProblem`] if the text is not a URL or a path, or if the dialect of the rules rejects it.
pub fn decide<'r>(rules: &'r Rules, url: &[u8]) -> Result<Decision<'r>, UrlProblem> {
    UrlKind::of(url)?;
    rules.decide(url).map_err(|error| UrlProblem::new(url, Reason::Dialect(error)))
}

/// Returns the URL that was probably meant by an invalid one.
fn suggestion(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?.trim();
    if text.len() > 200 {
        return None;
    }
    if is_host(text) {
        return Some(format!("https://{text}"));
    }
    // Repairs the slashes in `https:/example.com`, `http:example.com` and `https:///example.com`.
    let (scheme, rest) = text.split_once(':')?;
    let rest = rest.trim_start_matches('/');
    (is_web(scheme.as_bytes()) && is_host(rest)).then(|| format!("{}://{rest}", scheme.to_ascii_lowercase()))
}

/// Returns true if the text starts with the scheme `http` or `https`.
pub fn has_web_scheme(text: &[u8]) -> bool {
    starts_with(text, b"https://") || starts_with(text, b"http://")
}

fn starts_with(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
}

fn is_web(scheme: &[u8]) -> bool {
    scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https")
}

fn is_end_of_host(byte: u8) -> bool {
    matches!(byte, b'/' | b'?' | b'#' | b'\\')
}

/// Returns the scheme (RFC 3986 §3.1) that the text starts with.
fn scheme(text: &[u8]) -> Option<&[u8]> {
    let end = text.iter().position(|&byte| byte == b':')?;
    let (first, rest) = text[..end].split_first()?;
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    (first.is_ascii_alphabetic() && rest.iter().all(is_inside)).then(|| &text[..end])
}

/// File extensions that users type where a robots.txt is expected. They are not top-level domains in use, or are much more common
/// as extensions (`.md`, `.zip`).
const FILE_ENDINGS: [&str; 22] = [
    "txt", "html", "htm", "xml", "json", "jsonl", "csv", "tsv", "md", "toml", "yaml", "yml", "gz", "zip",
    "bak", "old", "orig", "new", "log", "conf", "robots", "tmp",
];

/// Returns true if the text looks like a host, with or without a port and a path: `example.com`, `www.example.com:8080/x`.
pub fn is_host(text: &str) -> bool {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = host.split_once(':').map_or((host, None), |(host, port)| (host, Some(port)));
    let is_port = port.is_none_or(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| {
        let is_inside = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        !label.is_empty() && !label.starts_with('-') && label.chars().all(is_inside)
    };
    if !is_port || !labels.iter().all(is_label) {
        return false;
    }
    let last = labels.last().copied().unwrap_or_default();
    let is_address = labels.len() == 4 && host.parse::<std::net::Ipv4Addr>().is_ok();
    let is_name = labels.len() > 1
        && last.chars().all(|c| c.is_alphabetic() || c == '-')
        && !FILE_ENDINGS.iter().any(|ending| ending.eq_ignore_ascii_case(last));
    is_address || is_name || (host.eq_ignore_ascii_case("localhost") && port.is_some())
}

/// Returns true if the text looks like the name of a file: `robots.txt`, `lists/urls.csv`.
pub fn is_file_name(text: &str) -> bool {
    let is_ending = |ending: &str| FILE_ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending));
    !text.starts_with('/')
        && !text.contains([':', '?', ' '])
        && text.rsplit_once('.').is_some_and(|(_, ending)| is_ending(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_of_text_follows_scheme_and_host() {
        for (text, kind) in [
            ("https://example.com", UrlKind::Web),
            ("https://[::1]:8080/a", UrlKind::Web),
            ("https://user:[@[::1]:8080/a", UrlKind::Web),
            ("https://[::1]:8080/a", UrlKind::Web),
            ("/a", UrlKind::Path),
            ("//example.com/a", UrlKind::Path),
            ("?a", UrlKind::Path),
            ("ftp://example.com/a", UrlKind::OtherScheme),
            ("web+app://x", UrlKind::OtherScheme),
        ] {
            assert_eq!(UrlKind::of(text.as_bytes()), Ok(kind), "{text}");
        }
    }

    #[test]
    fn text_without_site_or_path_has_problem_and_suggestion() {
        for (text, suggestion) in [
            ("", None),
            ("  ", None),
            ("nonsense", None),
            ("robots.txt", None),
            ("mailto:a@example.com", None),
            ("tel:+49123", None),
            ("javascript:void(0)", None),
            ("javascript://", None),
            ("http://", None),
            ("https:///", None),
            ("http://?x", None),
            ("#f", None),
            ("#", None),
            ("http://[::1", None),
            ("http://[::1/a", None),
            ("http://user@[::1/a", None),
            ("https://[]/", None),
            ("https://[zz]/", None),
            ("file:///etc/passwd", None),
            ("www.example.com/x", Some("https://www.example.com/x")),
            ("example.com:8080/x", Some("https://example.com:8080/x")),
            ("https:/example.com/x", Some("https://example.com/x")),
            ("HTTP:example.com", Some("http://example.com")),
            ("https:///example.com", Some("https://example.com")),
        ] {
            let problem = UrlKind::of(text.as_bytes()).expect_err(text);
            assert_eq!(problem.suggestion(), suggestion, "{text}");
        }
        assert!(UrlKind::of(b"\xff\xfe").is_err());
    }

    #[cfg(feature = "live")]
    #[test]
    fn url_whose_site_cannot_be_contacted_is_rejected_with_its_problem() {
        let (url, origin) = web_url(b" https://Example.com:443/a ").unwrap();
        assert_eq!((url.as_str(), origin.as_str()), ("https://example.com/a", "https://example.com"));
        for (text, problem) in [
            (&b"ftp://example.com/"[..], "neither an http nor an https URL"),
            (b"/path", "is not a URL: start it with `https://`"),
            (b"example.com", "`https://example.com` was probably meant"),
            (b"http://", "it has no host"),
            (b"https://example.com:99999/", "the port is not a number"),
            (b"https://exa mple.com/", "the host name is invalid"),
            (b"https://example.com/\xFF", "not UTF-8"),
        ] {
            let error = web_url(text).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn long_text_is_cut_in_message() {
        let problem = UrlKind::of(&[b'x'; 1 << 20]).unwrap_err();
        assert!(problem.to_string().len() < 400);
    }

    #[test]
    fn host_is_distinguished_from_file() {
        for host in [
            "example.com",
            "www.example.co.uk",
            "example.com:8080",
            "example.com/blog",
            "localhost:8000",
            "127.0.0.1",
        ] {
            assert!(is_host(host), "{host}");
        }
        for other in [
            "robots.txt",
            "old.TXT",
            "page.html",
            "robots",
            "localhost",
            "./example.com",
            "..",
            "a..b",
            "",
            "-",
            "a b.com",
            "example.com:",
            "ai.txt",
            "1.2",
        ] {
            assert!(!is_host(other), "{other}");
        }
    }
}
