//! Decides which URLs a sitemap may list, given its own location.
//!
//! In the common case, a URL starts with the sitemap's folder and need not be parsed.

use std::collections::HashSet;

use super::kinds;
use super::options::ReaderOptions;
use crate::finding::Kind;

/// The URLs that a sitemap may list, given its own location.
#[derive(Debug)]
pub(super) struct AllowedUrls {
    base: url::Url,
    /// `https://example.com`
    origin: String,
    /// `https://example.com/shop/`
    folder: String,
    proven: HashSet<String>,
}

impl AllowedUrls {
    pub(super) fn new(options: &ReaderOptions) -> Option<Self> {
        let base = options.base.clone()?;
        let path_start = base[..url::Position::BeforePath].len();
        let path = base.path();
        let folder_length = path_start + path.rfind('/').map_or(0, |slash| slash + 1);
        let folder = base.as_str()[..folder_length].to_owned();
        let origin = folder[..path_start].to_owned();
        Some(AllowedUrls { base, origin, folder, proven: options.proven.clone() })
    }

    /// Returns the kind of finding if the sitemap must not list a page.
    pub(super) fn objection_to_page(&self, loc: &str) -> Option<&'static Kind> {
        if loc.starts_with(&self.folder) && !may_have_dot_segments(loc) {
            return None;
        }
        let Ok(url) = url::Url::parse(loc) else { return Some(&kinds::OTHER_HOST) };
        if url.as_str().starts_with(&self.folder) || self.is_proven(&url) {
            None
        } else if self.has_same_origin(&url) {
            Some(&kinds::OUTSIDE_FOLDER)
        } else {
            Some(&kinds::OTHER_HOST)
        }
    }

    /// Returns the kind of finding if the index must not list a sitemap.
    pub(super) fn objection_to_sitemap(&self, loc: &str) -> Option<&'static Kind> {
        let is_permitted =
            url::Url::parse(loc).is_ok_and(|url| self.has_same_origin(&url) || self.is_proven(&url));
        if is_permitted { None } else { Some(&kinds::OTHER_HOST) }
    }

    fn has_same_origin(&self, url: &url::Url) -> bool {
        url[..url::Position::BeforePath] == self.origin
    }

    fn is_proven(&self, url: &url::Url) -> bool {
        url.host_str().is_some_and(|host| self.proven.contains(host))
    }

    /// Returns the sitemap's URL, the base of relative URLs.
    pub(super) fn base(&self) -> &url::Url {
        &self.base
    }
}

/// Returns true if a URL may leave its folder by `..`, which may be written as `%2e%2e` or follow a backslash.
fn may_have_dot_segments(loc: &str) -> bool {
    loc.contains("/.") || loc.contains('\\') || loc.contains("%2e") || loc.contains("%2E")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(base: &str) -> AllowedUrls {
        let options = ReaderOptions::new().at(base).unwrap().proven_host("Other.example");
        AllowedUrls::new(&options).unwrap()
    }

    #[test]
    fn page_outside_the_folder_and_proven_hosts_is_reported() {
        let allowed = allowed("https://example.com:8443/shop/sitemap.xml?x=/y/");
        for (loc, expected) in [
            ("https://example.com:8443/shop/a", None),
            ("HTTPS://EXAMPLE.com:8443/shop/a", None),
            ("https://example.com:8443/shop/b/../c", None),
            ("https://other.example/anything", None),
            ("https://example.com:8443/shop/../blog", Some(&kinds::OUTSIDE_FOLDER)),
            ("https://example.com:8443/shop/%2E./blog", Some(&kinds::OUTSIDE_FOLDER)),
            ("https://example.com:8443/shop/a\\..\\..\\blog", Some(&kinds::OUTSIDE_FOLDER)),
            ("https://example.com:8443/shopping", Some(&kinds::OUTSIDE_FOLDER)),
            ("https://example.com/shop/a", Some(&kinds::OTHER_HOST)),
            ("http://example.com:8443/shop/a", Some(&kinds::OTHER_HOST)),
            ("https://example.com:84430/shop/a", Some(&kinds::OTHER_HOST)),
        ] {
            assert_eq!(allowed.objection_to_page(loc), expected, "{loc}");
        }
    }

    #[test]
    fn sitemap_on_another_host_than_its_index_is_reported() {
        let allowed = allowed("https://example.com/a/b/index.xml");
        assert_eq!(allowed.objection_to_sitemap("https://example.com/c.xml"), None);
        let other = allowed.objection_to_sitemap("https://www.example.com/c.xml");
        assert_eq!(other, Some(&kinds::OTHER_HOST));
    }
}
