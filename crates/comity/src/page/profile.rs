//! Profiles: the rules by which an operator, or the draft standard, combines directives.
//!
//! The operators' rules differ. Each profile is a [`Row`] of choices. [`super::merge`] interprets any row and has no
//! code for individual profiles.

use super::directive::DirectiveKind as D;
use super::restriction::Restriction as R;
use crate::words::words;

words! {
    /// The rules by which directives are combined. Every profile acts on `noai` and `noimageai`.
    Profile as "profile" {
        /// Google Search: the most restrictive directive wins.
        Google = "google",
        /// Bing and its AI answers: the most restrictive directive wins, except that `nocache` makes `noarchive` less
        /// strict.
        Bing = "bing",
        /// Yandex: a directive that allows wins over one that forbids.
        Yandex = "yandex",
        /// draft-illyes-repext-03: `noindex` and `nosnippet`, in headers and in the head of a page.
        Draft = "draft",
    }
}

/// The choices that define a profile.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) title: &'static str,
    pub(super) source: &'static str,
    /// The restrictions that each directive requests. Directives that are not listed are read and have no effect.
    pub(super) used: &'static [(D, &'static [R])],
    /// The restrictions that an allowing directive cancels, before or after it. If this is empty, allowing directives
    /// have no effect.
    pub(super) allows: &'static [(D, &'static [R])],
    /// Pairs of directives. The first one does not count if the second, less strict one is also present.
    pub(super) softened: &'static [(D, D)],
    /// The restrictions that `nosnippet` includes.
    pub(super) nosnippet_includes: &'static [R],
    /// Directives that count in a page, but not in a header.
    pub(super) only_in_pages: &'static [D],
    /// True if `Robots-Tag` is read.
    pub(super) reads_robots_tag: bool,
    /// True if a `meta` in the body counts.
    pub(super) reads_body: bool,
    /// The elements on which `data-nosnippet` counts.
    pub(super) nosnippet_elements: Elements,
    /// The crawlers that obey further names, or that ignore statements for their own name or for all crawlers. The
    /// first matching entry counts. A crawler without an entry obeys statements for its own name and for all crawlers.
    pub(super) listeners: &'static [Listener],
}

/// The elements that may have `data-nosnippet`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elements {
    None,
    /// `span`, `div` and `section`.
    Three,
    Any,
}

/// The names that a crawler obeys.
#[derive(Debug)]
pub(super) struct Listener {
    /// The crawler's product token. A `*` at the end stands for any ending.
    pub(super) token: &'static str,
    /// Further names that it obeys.
    pub(super) names: &'static [&'static str],
    /// True if the crawler obeys statements for its own name.
    pub(super) own: bool,
    /// True if the crawler obeys statements for all crawlers.
    pub(super) everyone: bool,
}

impl Listener {
    const ANYBODY: Listener = Listener { token: "*", names: &[], own: true, everyone: true };

    fn is(&self, token: &str) -> bool {
        match self.token.strip_suffix('*') {
            Some(start) => token.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)),
            None => token.eq_ignore_ascii_case(self.token),
        }
    }

    /// Returns true if the crawler, given by its token in lower case, obeys statements for a name. `None` means all
    /// crawlers.
    pub(super) fn obeys(&self, token: &str, name: Option<&str>) -> bool {
        match name {
            None => self.everyone,
            Some(name) => self.own && name == token || self.names.contains(&name),
        }
    }
}

impl Row {
    /// Returns the names that a crawler obeys under this profile.
    pub(super) fn listener(&self, token: &str) -> &Listener {
        self.listeners.iter().find(|listener| listener.is(token)).unwrap_or(&Listener::ANYBODY)
    }

    /// Returns the restrictions that a directive requests, or `None` if the profile does not act on it.
    pub(super) fn restrictions(&self, kind: D) -> Option<&'static [R]> {
        self.used.iter().find(|(used, _)| *used == kind).map(|(_, restrictions)| *restrictions)
    }

    /// Returns the restrictions that an allowing directive cancels.
    pub(super) fn allowed_by(&self, kind: D) -> &'static [R] {
        self.allows
            .iter()
            .find(|(allowing, _)| *allowing == kind)
            .map_or(&[], |(_, restrictions)| restrictions)
    }
}

/// Source: developers.google.com/search/docs/crawling-indexing/robots-meta-tag, as updated on 2026-03-24.
const GOOGLE: Row = Row {
    title: "Google Search",
    source: "Google's page on robots meta tags, 2026-03-24",
    used: &[
        (D::NoIndex, &[R::DoNotIndex]),
        (D::NoFollow, &[R::DoNotFollow]),
        (D::None, &[R::DoNotIndex, R::DoNotFollow]),
        (D::IndexIfEmbedded, &[R::IndexOnlyEmbedded]),
        (D::UnavailableAfter, &[R::DoNotShowAfter]),
        (D::NoSnippet, &[R::DoNotShowSnippet, R::DoNotUseInAiAnswers]),
        (D::MaxSnippet, &[R::SnippetLimit]),
        (D::MaxImagePreview, &[R::ImagePreviewLimit]),
        (D::MaxVideoPreview, &[R::VideoPreviewLimit]),
        (D::DataNoSnippet, &[R::DoNotShowSnippetOfParts]),
        (D::NoTranslate, &[R::DoNotTranslate]),
        (D::NoImageIndex, &[R::DoNotIndexImages]),
        (D::NoAi, &[R::DoNotTrainAi]),
        (D::NoImageAi, &[R::DoNotTrainAiOnImages]),
    ],
    allows: &[],
    softened: &[],
    nosnippet_includes: &[R::SnippetLimit, R::VideoPreviewLimit],
    only_in_pages: &[],
    reads_robots_tag: false,
    reads_body: true,
    nosnippet_elements: Elements::Three,
    listeners: &[
        Listener { token: "googlebot", names: &["googlebot"], own: true, everyone: true },
        // Google: statements for googlebot apply to "all text results", which include news.
        Listener { token: "googlebot-news", names: &["googlebot"], own: true, everyone: true },
        // AdsBot does not crawl for search, and statements for all crawlers do not apply to it.
        Listener { token: "adsbot-google*", names: &["adsbot-google"], own: true, everyone: false },
        // Google: "Other values are ignored."
        Listener { token: "google*", names: &[], own: false, everyone: true },
    ],
};

/// Source: Bing's help page on robots meta tags, and its blog posts of 2020 (previews), September 2023 (AI) and October
/// 2025 (`data-nosnippet`).
const BING: Row = Row {
    title: "Bing and its AI answers",
    source: "Bing's help on robots meta tags; its webmaster blog, 2020, September 2023, October 2025",
    used: &[
        (D::NoIndex, &[R::DoNotIndex]),
        (D::NoFollow, &[R::DoNotFollow]),
        (D::None, &[R::DoNotIndex, R::DoNotFollow]),
        (D::NoSnippet, &[R::DoNotShowSnippet]),
        (D::MaxSnippet, &[R::SnippetLimit]),
        (D::MaxImagePreview, &[R::ImagePreviewLimit]),
        (D::MaxVideoPreview, &[R::VideoPreviewLimit]),
        (D::DataNoSnippet, &[R::DoNotShowSnippetOfParts]),
        (D::NoArchive, &[R::DoNotCache, R::DoNotUseInAiAnswers, R::DoNotTrainAi]),
        (D::NoCache, &[R::DoNotCache, R::AiSnippetOnly]),
        (D::NoAi, &[R::DoNotTrainAi]),
        (D::NoImageAi, &[R::DoNotTrainAiOnImages]),
    ],
    allows: &[],
    softened: &[(D::NoArchive, D::NoCache)],
    nosnippet_includes: &[R::SnippetLimit],
    only_in_pages: &[],
    reads_robots_tag: false,
    reads_body: true,
    nosnippet_elements: Elements::Any,
    listeners: &[
        Listener { token: "bingbot", names: &["msnbot"], own: true, everyone: true },
        Listener { token: "msnbot", names: &["bingbot"], own: true, everyone: true },
    ],
};

/// Source: yandex.com/support/webmaster/controlling-robot/meta-robots.html.
const YANDEX: Row = Row {
    title: "Yandex Search",
    source: "Yandex Webmaster's page on the robots meta tag and X-Robots-Tag",
    used: &[
        (D::NoIndex, &[R::DoNotIndex]),
        (D::NoFollow, &[R::DoNotFollow]),
        (D::None, &[R::DoNotIndex, R::DoNotFollow]),
        (D::NoArchive, &[R::DoNotCache]),
        (D::NoYaca, &[R::DoNotDescribe]),
        (D::NoAi, &[R::DoNotTrainAi]),
        (D::NoImageAi, &[R::DoNotTrainAiOnImages]),
    ],
    allows: &[
        (D::Index, &[R::DoNotIndex]),
        (D::Follow, &[R::DoNotFollow]),
        (D::Archive, &[R::DoNotCache]),
        (D::All, &[R::DoNotIndex, R::DoNotFollow]),
    ],
    softened: &[],
    nosnippet_includes: &[],
    only_in_pages: &[D::All, D::Index, D::Follow, D::Archive, D::NoYaca],
    reads_robots_tag: false,
    reads_body: false,
    nosnippet_elements: Elements::None,
    listeners: &[Listener { token: "yandex*", names: &["yandex"], own: true, everyone: true }],
};

/// Source: draft-illyes-repext-03, 18 April 2026.
const DRAFT: Row = Row {
    title: "the draft standard",
    source: "draft-illyes-repext-03",
    used: &[
        (D::NoIndex, &[R::DoNotIndex]),
        (D::NoSnippet, &[R::DoNotShowSnippet]),
        (D::NoAi, &[R::DoNotTrainAi]),
        (D::NoImageAi, &[R::DoNotTrainAiOnImages]),
    ],
    allows: &[],
    softened: &[],
    nosnippet_includes: &[],
    only_in_pages: &[],
    reads_robots_tag: true,
    reads_body: false,
    nosnippet_elements: Elements::None,
    listeners: &[],
};

impl Profile {
    pub(super) const fn row(self) -> &'static Row {
        match self {
            Profile::Google => &GOOGLE,
            Profile::Bing => &BING,
            Profile::Yandex => &YANDEX,
            Profile::Draft => &DRAFT,
        }
    }

    /// Returns the profile of a crawler's operator, or Google's if none is documented.
    ///
    /// ```
    /// use comity::page::Profile;
    ///
    /// assert_eq!(Profile::of_crawler("bingbot"), Profile::Bing);
    /// assert_eq!(Profile::of_crawler("msnbot"), Profile::Bing);
    /// assert_eq!(Profile::of_crawler("ExampleBot"), Profile::Google);
    /// ```
    pub fn of_crawler(token: &str) -> Profile {
        let begins =
            |name: &str| token.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        if begins("bing") || begins("msnbot") {
            Profile::Bing
        } else if begins("yandex") {
            Profile::Yandex
        } else {
            Profile::Google
        }
    }

    /// Returns the operator or standard that defines the rules.
    pub const fn title(self) -> &'static str {
        self.row().title
    }

    /// Returns the source of the rules.
    pub const fn source(self) -> &'static str {
        self.row().source
    }

    /// Returns true if the profile acts on a directive.
    pub fn uses(self, directive: D) -> bool {
        self.row().restrictions(directive).is_some() || !self.row().allowed_by(directive).is_empty()
    }

    /// Returns the restrictions that a directive requests under this profile. Empty if the profile does not act on the
    /// directive, or if the directive allows a use.
    pub fn restrictions(self, directive: D) -> &'static [R] {
        self.row().restrictions(directive).unwrap_or_default()
    }
}
