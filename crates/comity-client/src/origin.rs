//! Origins. A robots.txt applies to one origin, and stored data is identified by its origin.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use comity::shown::{self, hide_credentials};
use url::{Position, Url};

/// Scheme, host and port of a URL that can be fetched: `https://example.com`, `http://example.com:8080`.
///
/// The default port is omitted, and the host is in lower case and punycode (RFC 6454 §6.2). This is the form in which
/// the URL standard serializes an origin. Clones are cheap.
///
/// ```
/// use comity_client::Origin;
///
/// let url = "HTTPS://Bücher.example:443/a?b".parse()?;
/// let origin = Origin::of(&url).ok_or("no origin")?;
/// assert_eq!(origin.as_str(), "https://xn--bcher-kva.example");
/// assert_eq!(origin.robots_txt().as_str(), "https://xn--bcher-kva.example/robots.txt");
/// assert!(Origin::of(&"file:///etc/passwd".parse()?).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    text: Arc<str>,
}

impl Origin {
    /// Returns the origin of a URL, or `None` if its scheme is not `http` or `https`.
    pub fn of(url: &Url) -> Option<Origin> {
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        Some(Origin { text: Arc::from(&*text_of(url)) })
    }

    /// Returns the origin as the URL standard serializes it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the host: a name, an IPv4 address, or an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        let rest = self.text.split_once("://").map_or("", |(_, rest)| rest);
        let end = rest.rfind(':').filter(|_| !rest.ends_with(']')).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    /// Returns the origin that represents all origins of the same host: `http` at the default port.
    pub(crate) fn of_host(&self) -> Origin {
        Origin { text: format!("http://{}", self.host()).into() }
    }

    /// Returns the URL of a path on this origin, or `None` if it would be invalid or of another origin. `path` begins
    /// with a slash.
    pub fn join(&self, path: &str) -> Option<Url> {
        Url::parse(&self.text).ok()?.join(path).ok().filter(|url| Origin::of(url).as_ref() == Some(self))
    }

    /// Returns the URL of the origin's robots.txt.
    pub fn robots_txt(&self) -> Url {
        self.at("/robots.txt")
    }

    /// Returns the URL of the origin's llms.txt.
    pub fn llms_txt(&self) -> Url {
        self.at("/llms.txt")
    }

    #[allow(clippy::unwrap_used, reason = "an origin with a literal path is a valid URL")]
    fn at(&self, path: &'static str) -> Url {
        Url::parse(&format!("{}{path}", self.text)).unwrap()
    }
}

/// Returns the origin of a web URL as the URL standard serializes it, without creating an [`Origin`]. A URL that has no
/// user name and no password begins with this text.
pub(crate) fn text_of(url: &Url) -> Cow<'_, str> {
    if url.username().is_empty() && url.password().is_none() {
        return Cow::Borrowed(&url[..Position::BeforePath]);
    }
    Cow::Owned(format!("{}://{}", url.scheme(), &url[Position::BeforeHost..Position::BeforePath]))
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Origin").field(&self.as_str()).finish()
    }
}

/// Parses the origin of a URL, or a serialized origin.
///
/// ```
/// use comity_client::Origin;
///
/// let origin: Origin = "https://example.com:8443/a?b".parse()?;
/// assert_eq!(origin.to_string().parse::<Origin>()?, origin);
/// assert_eq!("example.com".parse::<Origin>().unwrap_err().to_string(), "`example.com` is not a URL: relative URL without a base");
/// # Ok::<(), comity_client::OriginError>(())
/// ```
impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(plain) = comity::plain_origin(text.as_bytes()) {
            return Ok(Origin { text: plain.into() });
        }
        let shown = || hide_credentials(&shown::text(text)).into_owned();
        let url: Url =
            text.parse().map_err(|error| OriginError(format!("`{}` is not a URL: {error}", shown())))?;
        Origin::of(&url).ok_or_else(|| OriginError(format!("`{}` is neither http nor https", shown())))
    }
}

/// The error for text that is not a web URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OriginError(String);

impl serde::Serialize for Origin {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use comity::plain_origin;

    use super::*;

    fn origin(url: &str) -> Origin {
        Origin::of(&url.parse().unwrap()).unwrap()
    }

    #[test]
    fn prefix_of_a_plain_url_is_its_origin() {
        for url in [
            "https://example.com",
            "https://example.com/",
            "http://a.b-c.example/x?y",
            "https://example.com?x",
            "http://localhost#x",
            "https://a..b/",
            "https://1.2.3.example/",
            "https://example.com:8443/",
            "http://example.com:443",
            "https://example.com:80?x",
            "http://example.com:65535#x",
            "http://127.0.0.1/",
            "http://10.255.0.1:8080/",
        ] {
            assert_eq!(plain_origin(url.as_bytes()), Some(origin(url).as_str()), "{url}");
        }
    }

    #[test]
    fn url_that_parsing_may_change_has_no_prefix() {
        for url in [
            "https://Example.com/",
            "https://example.com:443/",
            "http://example.com:80/",
            "https://example.com:/",
            "https://example.com:08443/",
            "https://example.com:65536/",
            "https://example.com:8443x/",
            "https://example.com:84\t43/",
            "https://example.com:8443\\x",
            "https://user@example.com/",
            "https://user:8443@example.com/",
            "http://127.0.0.01/",
            "http://127.0.0.256/",
            "http://127.0.0.1./",
            "http://127.0.0/",
            "https://127.1/",
            "https://0x7f000001/",
            "https://1.0xff/",
            "https://xn--a/",
            "https://b\u{fc}cher.example/",
            "https://example.com\\x",
            "https://example.com./",
            "https://a.0x7f/",
            "https://a.1/",
            "https://a--b.example/",
            "https://exa%6dple.com/",
            "https://exa\tmple.com/",
            "https:///x",
            "ftp://example.com/",
            "https://[::1]/",
            "",
        ] {
            assert_eq!(plain_origin(url.as_bytes()), None, "{url}");
        }
    }

    #[test]
    fn host_is_returned_without_its_port() {
        assert_eq!(origin("https://example.com:8443/").host(), "example.com");
        assert_eq!(origin("http://[::1]:8080/").host(), "[::1]");
        assert_eq!(origin("http://[::1]/").host(), "[::1]");
        assert_eq!(origin("http://2130706433/").host(), "127.0.0.1");
    }

    #[test]
    fn origins_of_one_host_have_one_representative() {
        for url in ["https://[::1]:8443/", "http://[::1]/", "http://[::1]:80/x"] {
            assert_eq!(origin(url).of_host(), origin("http://[::1]/"), "{url}");
        }
        assert_ne!(origin("https://a.example/").of_host(), origin("https://b.example/").of_host());
    }

    proptest::proptest! {
        #[test]
        fn origin_matches_the_url_standard(
            url in r"(https?|HTTP)://([a-z]{0,2}(:[a-z]?)?@)?([a-zA-Z0-9.\-%_]|\[::1\]|\u{df}){1,12}(:(80|443|8080|0)?)?[/?#]?[ -~]{0,8}",
        ) {
            if let Ok(url) = url.parse::<Url>() {
                let text = url.origin().ascii_serialization();
                let origin = Origin::of(&url).unwrap();
                proptest::prop_assert_eq!(origin.as_str(), text);
            }
        }

        /// With a wrong origin, a cache would apply the rules of another site to the URL.
        #[test]
        fn prefix_is_never_the_origin_of_another_url(
            url in r"(https?|HTTP|ftp)(://|:/|:)([a-zA-Z0-9.\-:@%_\[\]\\\t \u{3002}\u{df}\u{ff0e}]|xn--|0x){0,20}[/?#\\]?[ -~]{0,8}",
        ) {
            if let Some(prefix) = plain_origin(url.as_bytes()) {
                let parsed = url.parse().ok().and_then(|url| Origin::of(&url));
                proptest::prop_assert_eq!(parsed.as_ref().map(Origin::as_str), Some(prefix), "{}", url);
            }
        }
    }
}
