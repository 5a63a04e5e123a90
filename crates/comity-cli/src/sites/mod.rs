//! What commands ask the web for when they are given URLs instead of files.
//!
//! Everything goes through the client, under its own name: guard, robots.txt, pace. A crawler that a command is asked
//! about is never impersonated; what a site says is fetched by Comity and read for that crawler.
//!
//! | module | holds |
//! |---|---|
//! | `robots` | the robots.txt of a site as a file: for lint, inspect, explain, matrix, usage |
//! | `standing` | what an origin's robots.txt means to each crawler |
//! | `stream` | many URLs of many origins, in order, the next origins asked ahead |
//! | `network` | settings, store and client of a command |
//! | `session` | a client at work, for commands that ask one thing after the other |
//! | `page` | pages, sitemaps and whatever else has a URL |
//! | `trouble` | refusals and failures in words, with the way out |
//! | `words` | where a robots.txt came from, in words |

mod network;
pub(crate) mod page;
pub(crate) mod robots;
mod session;
pub(crate) mod standing;
pub(crate) mod stream;
pub(crate) mod trouble;
pub(crate) mod words;

pub(crate) use self::network::{Network, hint_of, runtime};
pub(crate) use self::session::{Session, located};

use std::ffi::OsStr;

use comity_client::Origin;
use url::Url;

/// Whether an argument names something on the web, not a file or a bare path.
pub(crate) fn is_url(argument: impl AsRef<OsStr>) -> bool {
    has_scheme(argument.as_ref().as_encoded_bytes())
}

/// Whether these bytes start as a URL of the web does.
pub(crate) fn has_scheme(text: &[u8]) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    })
}

/// The URL that an argument is, and its origin.
pub(crate) fn parse(text: &[u8]) -> Result<(Url, Origin), String> {
    let text = std::str::from_utf8(text).map_err(|_| "the URL is not UTF-8".to_owned())?;
    let url: Url = text.trim().parse().map_err(|error| format!("`{text}` is no URL: {error}"))?;
    match Origin::of(&url) {
        Some(origin) => Ok((url, origin)),
        None => Err(format!("`{text}` is no URL of the web")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_makes_the_difference() {
        for url in ["http://a", "https://a/b", "HTTPS://A", "http://"] {
            assert!(is_url(url), "{url}");
        }
        for other in ["", "-", "/a", "a.txt", "example.com", "ftp://a", "https:/a", "httpsx://a", "http:"] {
            assert!(!is_url(other), "{other}");
        }
    }

    #[test]
    fn what_starts_as_a_url_may_still_be_none() {
        assert_eq!(parse(b" https://Example.com:443/a ").unwrap().1.as_str(), "https://example.com");
        assert!(parse(b"http://").unwrap_err().contains("is no URL"));
        assert!(parse(b"http://a/\xFF").unwrap_err().contains("UTF-8"));
    }
}
