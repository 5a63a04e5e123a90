//! Directives: the known kinds of records.

use std::fmt;

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum DirectiveKind {
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

impl DirectiveKind {
    const NAMED: [(&'static str, DirectiveKind); 13] = [
        ("user-agent", DirectiveKind::UserAgent),
        ("allow", DirectiveKind::Allow),
        ("disallow", DirectiveKind::Disallow),
        ("sitemap", DirectiveKind::Sitemap),
        ("crawl-delay", DirectiveKind::CrawlDelay),
        ("request-rate", DirectiveKind::RequestRate),
        ("visit-time", DirectiveKind::VisitTime),
        ("host", DirectiveKind::Host),
        ("clean-param", DirectiveKind::CleanParam),
        ("noindex", DirectiveKind::Noindex),
        ("content-signal", DirectiveKind::ContentSignal),
        ("content-usage", DirectiveKind::ContentUsage),
        ("license", DirectiveKind::License),
    ];

    /// Every kind, so that a kind fits into four bits.
    pub(crate) const ALL: [DirectiveKind; 14] = [
        DirectiveKind::UserAgent,
        DirectiveKind::Allow,
        DirectiveKind::Disallow,
        DirectiveKind::Sitemap,
        DirectiveKind::CrawlDelay,
        DirectiveKind::RequestRate,
        DirectiveKind::VisitTime,
        DirectiveKind::Host,
        DirectiveKind::CleanParam,
        DirectiveKind::Noindex,
        DirectiveKind::ContentSignal,
        DirectiveKind::ContentUsage,
        DirectiveKind::License,
        DirectiveKind::Unknown,
    ];

    /// Returns the kind that a correctly spelt key names, without regard to case.
    pub(crate) fn from_key(key: &[u8]) -> DirectiveKind {
        DirectiveKind::NAMED
            .iter()
            .find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(key))
            .map_or(DirectiveKind::Unknown, |(_, kind)| *kind)
    }

    /// Returns the directive's key in lower case; `unknown` for [`DirectiveKind::Unknown`].
    pub fn as_str(self) -> &'static str {
        DirectiveKind::NAMED.iter().find(|(_, kind)| *kind == self).map_or("unknown", |(name, _)| name)
    }

    /// Returns the directive's key as people write it, such as `User-agent`.
    pub const fn canonical_name(self) -> &'static str {
        match self {
            DirectiveKind::UserAgent => "User-agent",
            DirectiveKind::Allow => "Allow",
            DirectiveKind::Disallow => "Disallow",
            DirectiveKind::Sitemap => "Sitemap",
            DirectiveKind::CrawlDelay => "Crawl-delay",
            DirectiveKind::RequestRate => "Request-rate",
            DirectiveKind::VisitTime => "Visit-time",
            DirectiveKind::Host => "Host",
            DirectiveKind::CleanParam => "Clean-param",
            DirectiveKind::Noindex => "Noindex",
            DirectiveKind::ContentSignal => "Content-Signal",
            DirectiveKind::ContentUsage => "Content-Usage",
            DirectiveKind::License => "License",
            DirectiveKind::Unknown => "Unknown",
        }
    }

    /// Returns true if the record is a rule: `Allow` or `Disallow`.
    pub const fn is_rule(self) -> bool {
        matches!(self, DirectiveKind::Allow | DirectiveKind::Disallow)
    }

    /// Returns true if it says how fast or when to come.
    pub const fn is_pacing(self) -> bool {
        matches!(self, DirectiveKind::CrawlDelay | DirectiveKind::RequestRate | DirectiveKind::VisitTime)
    }

    /// Returns true if the directive speaks about the whole site, wherever it stands.
    pub const fn is_file_wide(self) -> bool {
        matches!(self, DirectiveKind::Sitemap | DirectiveKind::Host | DirectiveKind::CleanParam)
    }
}

impl fmt::Display for DirectiveKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
