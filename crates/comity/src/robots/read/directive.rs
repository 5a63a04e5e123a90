//! Directives: the known kinds of records.

use std::fmt;

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[non_exhaustive]
pub enum RecordKind {
    /// `User-agent`: names a crawler that the group speaks to (RFC 9309 §2.2.1).
    UserAgent,
    /// `Allow`: a path pattern that may be fetched (RFC 9309 §2.2.2).
    Allow,
    /// `Disallow`: a path pattern that may not be fetched (RFC 9309 §2.2.2).
    Disallow,
    /// `Sitemap`: where a sitemap is; belongs to no group (sitemaps.org).
    Sitemap,
    /// `Crawl-delay`: seconds between two requests (Bing, Yandex until 2018).
    CrawlDelay,
    /// `Request-rate`: documents per time (Seznam).
    RequestRate,
    /// `Visit-time`: when to come, UTC (1996 extension).
    VisitTime,
    /// `Host`: the main mirror (Yandex until 2018).
    Host,
    /// `Clean-param`: query parameters that do not change the page (Yandex).
    CleanParam,
    /// `Noindex`: never documented, ignored by Google since September 2019.
    Noindex,
    /// `Content-Signal`: what content may be used for (Cloudflare).
    ContentSignal,
    /// `Content-Usage`: what content may be used for (IETF AIPREF).
    ContentUsage,
    /// `License`: the address of the content's license for its group; before any group, for all others (RSL 1.0 §4.4).
    License,
    /// Anything else with a key and a value.
    Unknown,
}

impl RecordKind {
    const NAMED: [(&'static str, RecordKind); 13] = [
        ("user-agent", RecordKind::UserAgent),
        ("allow", RecordKind::Allow),
        ("disallow", RecordKind::Disallow),
        ("sitemap", RecordKind::Sitemap),
        ("crawl-delay", RecordKind::CrawlDelay),
        ("request-rate", RecordKind::RequestRate),
        ("visit-time", RecordKind::VisitTime),
        ("host", RecordKind::Host),
        ("clean-param", RecordKind::CleanParam),
        ("noindex", RecordKind::Noindex),
        ("content-signal", RecordKind::ContentSignal),
        ("content-usage", RecordKind::ContentUsage),
        ("license", RecordKind::License),
    ];

    /// Every kind, so that a kind fits into four bits.
    pub(crate) const ALL: [RecordKind; 14] = [
        RecordKind::UserAgent,
        RecordKind::Allow,
        RecordKind::Disallow,
        RecordKind::Sitemap,
        RecordKind::CrawlDelay,
        RecordKind::RequestRate,
        RecordKind::VisitTime,
        RecordKind::Host,
        RecordKind::CleanParam,
        RecordKind::Noindex,
        RecordKind::ContentSignal,
        RecordKind::ContentUsage,
        RecordKind::License,
        RecordKind::Unknown,
    ];

    /// Returns the kind that a correctly spelt key names, without regard to case.
    pub(crate) fn from_key(key: &[u8]) -> RecordKind {
        RecordKind::NAMED
            .iter()
            .find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(key))
            .map_or(RecordKind::Unknown, |(_, kind)| *kind)
    }

    /// Returns the directive's key in lower case; `unknown` for [`RecordKind::Unknown`].
    pub fn as_str(self) -> &'static str {
        RecordKind::NAMED.iter().find(|(_, kind)| *kind == self).map_or("unknown", |(name, _)| name)
    }

    /// Returns the directive's key as people write it, such as `User-agent`.
    pub const fn canonical_name(self) -> &'static str {
        match self {
            RecordKind::UserAgent => "User-agent",
            RecordKind::Allow => "Allow",
            RecordKind::Disallow => "Disallow",
            RecordKind::Sitemap => "Sitemap",
            RecordKind::CrawlDelay => "Crawl-delay",
            RecordKind::RequestRate => "Request-rate",
            RecordKind::VisitTime => "Visit-time",
            RecordKind::Host => "Host",
            RecordKind::CleanParam => "Clean-param",
            RecordKind::Noindex => "Noindex",
            RecordKind::ContentSignal => "Content-Signal",
            RecordKind::ContentUsage => "Content-Usage",
            RecordKind::License => "License",
            RecordKind::Unknown => "Unknown",
        }
    }

    /// Returns true if the record is a rule: `Allow` or `Disallow`.
    pub const fn is_rule(self) -> bool {
        matches!(self, RecordKind::Allow | RecordKind::Disallow)
    }

    /// Returns true if it says how fast or when to come.
    pub const fn is_pacing(self) -> bool {
        matches!(self, RecordKind::CrawlDelay | RecordKind::RequestRate | RecordKind::VisitTime)
    }

    /// Returns true if only a robots.txt has such a record. `Host: x` and the like, or two words that could be a rule
    /// without its colon, stand in any page.
    pub(crate) const fn tells_robots_txt(self) -> bool {
        self.is_rule() || matches!(self, RecordKind::UserAgent | RecordKind::Sitemap)
    }

    /// Returns true if the directive speaks about the whole site, wherever it stands.
    pub const fn is_file_wide(self) -> bool {
        matches!(self, RecordKind::Sitemap | RecordKind::Host | RecordKind::CleanParam)
    }
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
