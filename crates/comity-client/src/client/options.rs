//! How pages are fetched.

use std::time::Duration;

use comity::page::Profile;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};

use super::builder::BuildError;

/// How pages are fetched.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FetchOptions {
    /// How long the header of an answer may take, connecting included. 20 seconds.
    pub timeout: Duration,
    /// How long a body may take, however it drips. 60 seconds.
    pub body_timeout: Duration,
    /// How many redirects are followed. 10.
    pub max_redirects: usize,
    /// How many octets of a body are read, content encodings undone; what is beyond is cut off, and the record says so.
    /// 8 MiB.
    pub max_bytes: usize,
    /// The media types that are wanted, `text/*` for a family; all, if there are none here. An answer of another type,
    /// or of none, is refused before its body is read.
    pub content_types: Vec<String>,
    /// How long a fetch may wait out of politeness; `None` is as long as it takes.
    pub max_wait: Option<Duration>,
    /// Whether page directives and usage preferences are looked at.
    pub reads_use: bool,
    /// By whose rules page directives add up. Google's: the most restrictive counts.
    pub profile: Profile,
    headers: HeaderMap,
}

crate::setters::setters!(FetchOptions {
    timeout: Duration,
    body_timeout: Duration,
    max_redirects: usize,
    max_bytes: usize,
    content_types: Vec<String>,
    max_wait: Option<Duration>,
    reads_use: bool,
    profile: Profile,
});

impl Default for FetchOptions {
    fn default() -> Self {
        FetchOptions {
            timeout: Duration::from_secs(20),
            body_timeout: Duration::from_secs(60),
            max_redirects: 10,
            max_bytes: 8 << 20,
            content_types: Vec::new(),
            max_wait: None,
            reads_use: true,
            profile: Profile::Google,
            headers: HeaderMap::new(),
        }
    }
}

/// Fields that belong to the transport, the client or its settings.
const RESERVED: [HeaderName; 13] = [
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::TE,
    header::TRAILER,
    header::UPGRADE,
    header::EXPECT,
    header::ACCEPT_ENCODING,
    header::COOKIE,
    header::USER_AGENT,
    header::PROXY_AUTHORIZATION,
    header::RANGE,
];

impl FetchOptions {
    /// Sends a field with every page request. Fields that carry a secret (`Authorization`) go to the first origin only,
    /// as do all of these: a redirect to another origin goes without them.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if it is no header field, or one that belongs to the client: `Host`, `User-Agent`, `Cookie`,
    /// `Accept-Encoding`, `Range` and those of the connection.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, BuildError> {
        let bad = |what: &str| BuildError::new(format!("`{name}: {value}` is no header field: {what}"));
        let header: HeaderName = name.parse().map_err(|_| bad("its name is not a token"))?;
        if RESERVED.contains(&header) || header.as_str().starts_with("proxy-") {
            return Err(BuildError::new(format!(
                "`{name}` is not a caller's to set: the client sends its own"
            )));
        }
        let value: HeaderValue = value.parse().map_err(|_| bad("its value has control characters"))?;
        self.headers.append(header, value);
        Ok(self)
    }

    /// The same for a file about the site: of any type, and without a look at what it says about its own use.
    pub(crate) fn for_manifest(&self, max_bytes: usize) -> FetchOptions {
        FetchOptions { max_bytes, content_types: Vec::new(), reads_use: false, ..self.clone() }
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Whether an answer of this `Content-Type` is wanted.
    pub(crate) fn wants(&self, content_type: Option<&str>) -> bool {
        if self.content_types.is_empty() {
            return true;
        }
        let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        self.content_types.iter().any(|wanted| match wanted.strip_suffix("/*") {
            Some(family) => {
                essence.split_once('/').is_some_and(|(found, _)| found.eq_ignore_ascii_case(family))
            }
            None => essence.eq_ignore_ascii_case(wanted),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_are_matched_without_parameters_and_case() {
        let options = FetchOptions {
            content_types: vec!["text/*".to_owned(), "application/json".to_owned()],
            ..FetchOptions::default()
        };
        assert!(options.wants(Some("Text/HTML; charset=utf-8")));
        assert!(options.wants(Some("application/JSON")));
        assert!(!options.wants(Some("application/json-seq")));
        assert!(!options.wants(Some("image/png")));
        assert!(!options.wants(None));
        assert!(FetchOptions::default().wants(None));
    }

    #[test]
    fn fields_of_the_client_are_not_a_callers_to_set() {
        for name in
            ["Host", "user-agent", "Cookie", "Proxy-Authorization", "proxy-connection", "Content-Length"]
        {
            assert!(FetchOptions::default().header(name, "x").is_err(), "{name}");
        }
        assert!(FetchOptions::default().header("Authorization", "Bearer x").is_ok());
        assert!(FetchOptions::default().header("X-Evil", "a\r\nHost: b").is_err());
    }
}
