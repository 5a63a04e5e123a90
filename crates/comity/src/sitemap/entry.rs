//! The items of a sitemap: pages with their extensions, other sitemaps, and findings.
//!
//! The types are plain data. A field is empty if the file has no value for it, or none that can be parsed.

use super::date::Date;
use crate::finding::Finding;
use crate::words::words;

/// An item that a [`Reader`](super::Reader) returns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Item {
    /// A page.
    Url(Url),
    /// Another sitemap, listed by an index.
    Sitemap(Sitemap),
    /// A finding. Findings about an entry come before the entry.
    Finding(Finding),
}

/// A page: `<url>` of a urlset, a line of a text sitemap, an item of a feed.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Url {
    /// The absolute URL, with entities resolved and surrounding white space removed.
    pub loc: String,
    /// The time when the page last changed.
    #[cfg_attr(feature = "serde", serde(default))]
    pub lastmod: Option<Date>,
    /// The stated frequency of changes. Google ignores it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub changefreq: Option<ChangeFrequency>,
    /// The priority among the pages of the site, from 0 to 1; the protocol's default is 0.5. Google ignores it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub priority: Option<f32>,
    /// Images on the page.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub images: Vec<Image>,
    /// Videos on the page.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub videos: Vec<Video>,
    /// The page as a news article.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub news: Option<Box<News>>,
    /// The page in other languages (hreflang).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub alternates: Vec<Alternate>,
}

impl Url {
    /// Creates a page from its URL. All other fields are empty.
    pub fn new(loc: impl Into<String>) -> Self {
        Url { loc: loc.into(), ..Url::default() }
    }
}

/// Another sitemap: `<sitemap>` of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Sitemap {
    /// The absolute URL.
    pub loc: String,
    /// The time when the sitemap (not its pages) last changed.
    #[cfg_attr(feature = "serde", serde(default))]
    pub lastmod: Option<Date>,
}

impl Sitemap {
    /// Creates a sitemap from its URL. All other fields are empty.
    pub fn new(loc: impl Into<String>) -> Self {
        Sitemap { loc: loc.into(), lastmod: None }
    }
}

words! {
    /// The stated frequency of a page's changes.
    ChangeFrequency as "change frequency" {
        /// On each visit.
        Always = "always",
        /// Every hour.
        Hourly = "hourly",
        /// Every day.
        Daily = "daily",
        /// Every week.
        Weekly = "weekly",
        /// Every month.
        Monthly = "monthly",
        /// Every year.
        Yearly = "yearly",
        /// No changes, because the page is archived.
        Never = "never",
    }
}

/// An image (`image:image`). Google reads `loc` only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Image {
    /// The URL of the image, on any host.
    pub loc: String,
    /// The caption of the image.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub caption: Option<String>,
    /// The place where the image was taken.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub geo_location: Option<String>,
    /// The title of the image.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub title: Option<String>,
    /// The URL of the image's license.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub license: Option<String>,
}

impl Image {
    /// Creates an image from its URL. All other fields are empty.
    pub fn new(loc: impl Into<String>) -> Self {
        Image { loc: loc.into(), ..Image::default() }
    }
}

/// A video (`video:video`). `thumbnail_loc`, `title`, `description`, and one of `content_loc` and `player_loc` are
/// required.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Video {
    /// The URL of a thumbnail image.
    pub thumbnail_loc: String,
    /// The title of the video.
    pub title: String,
    /// The description of the video; Google permits at most 2,048 characters.
    pub description: String,
    /// The URL of the video file.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub content_loc: Option<String>,
    /// The URL of a player for the video.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub player_loc: Option<String>,
    /// The duration in seconds: 1 to 28,800.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub duration: Option<u32>,
    /// The time after which the video is no longer available.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub expiration_date: Option<Date>,
    /// The rating: 0 to 5.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub rating: Option<f32>,
    /// The number of views of the video.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub view_count: Option<u64>,
    /// The time when the video was first published.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub publication_date: Option<Date>,
    /// True if the video is suitable for everyone.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub family_friendly: Option<bool>,
    /// Countries in which the video may, or may not, be shown: ISO 3166 codes.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub restriction: Option<VideoRestriction>,
    /// Platforms on which the video may, or may not, be shown: `web`, `mobile`, `tv`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub platform: Option<VideoRestriction>,
    /// True if the video requires a paid subscription.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub requires_subscription: Option<bool>,
    /// The name of the uploader.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub uploader: Option<String>,
    /// The URL of a page about the uploader.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub uploader_info: Option<String>,
    /// True if the video is a live stream.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub live: Option<bool>,
    /// The tags of the video; Google permits at most 32.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub tags: Vec<String>,
    /// The category of the video.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub category: Option<String>,
    /// The URL of a collection that contains the video.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub gallery_loc: Option<String>,
    /// The prices of the video.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub prices: Vec<Price>,
}

/// The countries or platforms where a video may, or may not, be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct VideoRestriction {
    /// True if the video is shown only in the countries or platforms in `names`; false if it is shown everywhere else.
    pub allow: bool,
    /// The countries or platforms.
    pub names: Vec<String>,
}

impl VideoRestriction {
    /// Creates a restriction to the given countries or platforms.
    pub fn allow<I: IntoIterator<Item: Into<String>>>(names: I) -> Self {
        VideoRestriction { allow: true, names: names.into_iter().map(Into::into).collect() }
    }

    /// Creates a restriction that excludes the given countries or platforms.
    pub fn deny<I: IntoIterator<Item: Into<String>>>(names: I) -> Self {
        VideoRestriction { allow: false, ..VideoRestriction::allow(names) }
    }
}

/// A price of a video.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Price {
    /// The amount as written; in real files it may be empty or have a decimal comma.
    pub amount: String,
    /// The currency: an ISO 4217 code.
    pub currency: String,
    /// `rent` or `own` (attribute `type`).
    #[cfg_attr(feature = "serde", serde(rename = "type", skip_serializing_if = "Option::is_none"))]
    pub kind: Option<String>,
    /// `hd` or `sd`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub resolution: Option<String>,
}

impl Price {
    /// Creates a price from an amount and a currency.
    pub fn new(amount: impl Into<String>, currency: impl Into<String>) -> Self {
        Price { amount: amount.into(), currency: currency.into(), ..Price::default() }
    }
}

/// A news article (`news:news`). `publication`, `language`, `publication_date` and `title` are required.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct News {
    /// The name of the publication.
    pub publication: String,
    /// The language of the publication: ISO 639, or `zh-cn`, `zh-tw`.
    pub language: String,
    /// The time when the article was first published.
    pub publication_date: Option<Date>,
    /// The title of the article.
    pub title: String,
    /// The restriction of access: `Subscription` or `Registration`. Google no longer reads it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub access: Option<String>,
    /// The genres of the article. Google no longer reads the field.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub genres: Option<String>,
    /// The keywords of the article. Google no longer reads the field.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub keywords: Option<String>,
    /// The stock symbols that the article is about. Google no longer reads the field.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub stock_tickers: Option<String>,
}

/// The page in another language (`xhtml:link rel="alternate"`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Alternate {
    /// A language, optionally with a script or region, or `x-default`.
    pub hreflang: String,
    /// The URL of the page in that language.
    pub href: String,
}

impl Alternate {
    /// Creates a link to the page in another language.
    pub fn new(hreflang: impl Into<String>, href: impl Into<String>) -> Self {
        Alternate { hreflang: hreflang.into(), href: href.into() }
    }
}

/// Returns true if a text is `x-default` or a language in Google's format: two or three letters, optionally a script of
/// four letters, optionally a region of two letters or three digits.
pub(super) fn is_hreflang(text: &str) -> bool {
    if text.eq_ignore_ascii_case("x-default") {
        return true;
    }
    let is_letters = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let mut parts = text.split('-').peekable();
    let is_language = parts.next().is_some_and(|part| matches!(part.len(), 2 | 3) && is_letters(part));
    parts.next_if(|part| part.len() == 4 && is_letters(part));
    parts.next_if(|part| {
        part.len() == 2 && is_letters(part)
            || part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit())
    });
    is_language && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_language_is_recognized() {
        for good in ["en", "en-GB", "zh-Hant", "zh-Hant-TW", "es-419", "x-default", "X-Default", "yue"] {
            assert!(is_hreflang(good), "{good}");
        }
        for bad in ["", "e", "english", "en_GB", "en-", "en-GB-x", "-GB", "en-1", "x"] {
            assert!(!is_hreflang(bad), "{bad}");
        }
    }
}
