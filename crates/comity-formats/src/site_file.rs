//! Files that say something of a whole site, told by their URLs.

use url::Url;

/// A file that says something of a whole site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SiteFile {
    RobotsTxt,
    Tdmrep,
}

impl SiteFile {
    /// Returns which file a URL names, and of which origin.
    pub(crate) fn of_url(url: &str) -> Option<(SiteFile, String)> {
        // Most URLs are those of pages, and need not be taken apart.
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
