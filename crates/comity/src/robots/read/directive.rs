//! Directives: the known kinds of records.

use crate::words::words;

words! {
    /// The kind of a record. The label is the usual spelling of the key, such as `User-agent`.
    #[derive(PartialOrd, Ord)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[non_exhaustive]
    pub enum RecordKind as "kind of record" {
        /// `User-agent`: names a crawler to which the group applies (RFC 9309 §2.2.1).
        UserAgent = "user-agent" => "User-agent",
        /// `Allow`: the path pattern of URLs that may be fetched (RFC 9309 §2.2.2).
        Allow = "allow" => "Allow",
        /// `Disallow`: the path pattern of URLs that may not be fetched (RFC 9309 §2.2.2).
        Disallow = "disallow" => "Disallow",
        /// `Sitemap`: the URL of a sitemap; it does not belong to a group (sitemaps.org).
        Sitemap = "sitemap" => "Sitemap",
        /// `Crawl-delay`: seconds between two requests (Bing, Yandex until 2018).
        CrawlDelay = "crawl-delay" => "Crawl-delay",
        /// `Request-rate`: documents per time (Seznam).
        RequestRate = "request-rate" => "Request-rate",
        /// `Visit-time`: the hours for visits, in UTC (1996 extension).
        VisitTime = "visit-time" => "Visit-time",
        /// `Host`: the main mirror (Yandex until 2018).
        Host = "host" => "Host",
        /// `Clean-param`: query parameters that do not change the page (Yandex).
        CleanParam = "clean-param" => "Clean-param",
        /// `Noindex`: never documented, ignored by Google since September 2019.
        Noindex = "noindex" => "Noindex",
        /// `Content-Signal`: the permitted uses of content (Cloudflare).
        ContentSignal = "content-signal" => "Content-Signal",
        /// `Content-Usage`: the permitted uses of content (IETF AIPREF).
        ContentUsage = "content-usage" => "Content-Usage",
        /// `License`: the address of the content's license for the crawlers of its group. Before the first group, it
        /// applies to crawlers without a license in their group (RSL 1.0 §4.4).
        License = "license" => "License",
        /// Any other line with a key and a value.
        Unknown = "unknown" => "Unknown",
    }
}

impl RecordKind {
    /// Returns the kind of a correctly spelt key; case is ignored.
    pub(crate) fn from_key(key: &[u8]) -> RecordKind {
        let is_key = |kind: &RecordKind| kind.as_str().as_bytes().eq_ignore_ascii_case(key);
        RecordKind::ALL.into_iter().find(is_key).unwrap_or(RecordKind::Unknown)
    }

    /// Returns true if the record is a rule: `Allow` or `Disallow`.
    pub const fn is_rule(self) -> bool {
        matches!(self, RecordKind::Allow | RecordKind::Disallow)
    }

    /// Returns true if the record sets a delay, a rate or visiting hours.
    pub const fn is_pacing(self) -> bool {
        matches!(self, RecordKind::CrawlDelay | RecordKind::RequestRate | RecordKind::VisitTime)
    }

    /// Returns true if a record of this kind, written with a colon, occurs only in a robots.txt. Lines such as
    /// `Host: x` also occur in other documents.
    pub(crate) const fn identifies_robots_txt(self) -> bool {
        self.is_rule() || matches!(self, RecordKind::UserAgent | RecordKind::Sitemap)
    }

    /// Returns true if the directive applies to the whole site, independently of its place in the file.
    pub const fn is_file_wide(self) -> bool {
        matches!(self, RecordKind::Sitemap | RecordKind::Host | RecordKind::CleanParam)
    }
}
