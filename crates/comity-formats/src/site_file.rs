//! Recognizes by its URL whether a file describes a whole site.

use url::Url;

/// A file that describes a whole site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SiteFile {
    /// `/robots.txt`.
    RobotsTxt,
    /// `/.well-known/tdmrep.json`.
    Tdmrep,
}

impl SiteFile {
    /// Returns the file and the origin of a URL, or `None` for any other URL.
    pub(crate) fn of_url(url: &str) -> Option<(SiteFile, String)> {
        // Most URLs are pages, which are recognized without parsing.
        let may_be = |name| url.trim_end().ends_with(name) || url.contains(['?', '#', '%']);
        if !may_be("robots.txt") && !may_be("tdmrep.json") {
            return None;
        }
        let url = Url::parse(url).ok()?;
        if !matches!(url.scheme(), "http" | "https") || url.query().is_some() {
            return None;
        }
        let file = match url.path() {
            "/robots.txt" => SiteFile::RobotsTxt,
            "/.well-known/tdmrep.json" => SiteFile::Tdmrep,
            _ => return None,
        };
        Some((file, url.origin().ascii_serialization()))
    }
}
