//! Page directives and their values.

use std::borrow::Cow;
use std::fmt;
use std::time::SystemTime;

use crate::date;

crate::words::words! {
    /// The kind of a directive. The [`Profile`](super::Profile) defines whether a crawler acts on it.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum DirectiveKind as "directive" {
        /// `all`: nothing is restricted.
        All = "all",
        /// `index`: the page may be indexed.
        Index = "index",
        /// `follow`: the links of the page may be followed.
        Follow = "follow",
        /// `archive`: a stored copy of the page may be shown.
        Archive = "archive",
        /// `noindex`: do not show the page.
        NoIndex = "noindex",
        /// `nofollow`: do not follow the links of the page.
        NoFollow = "nofollow",
        /// `none`: `noindex, nofollow`.
        None = "none",
        /// `indexifembedded`: `noindex` does not apply where the page is embedded in another page.
        IndexIfEmbedded = "indexifembedded",
        /// `unavailable_after: DATE`: do not show the page after this date.
        UnavailableAfter = "unavailable_after",
        /// `nosnippet`: show no text or video of the page.
        NoSnippet = "nosnippet",
        /// `max-snippet: N`: show at most N characters; 0 means `nosnippet`, -1 means any number.
        MaxSnippet = "max-snippet",
        /// `max-image-preview: none|standard|large`.
        MaxImagePreview = "max-image-preview",
        /// `max-video-preview: N`: show at most N seconds; 0 means a still image, -1 means any number.
        MaxVideoPreview = "max-video-preview",
        /// The attribute `data-nosnippet`: show nothing of this element.
        DataNoSnippet = "data-nosnippet",
        /// `noarchive`: show no stored copy. With Bing, also: do not use the content in AI answers and training.
        NoArchive = "noarchive",
        /// `nocache`: show no stored copy. With Bing: use only URL, title and snippet in AI answers and training.
        NoCache = "nocache",
        /// `notranslate`: offer no translation.
        NoTranslate = "notranslate",
        /// `noimageindex`: do not show the images of the page.
        NoImageIndex = "noimageindex",
        /// `nositelinkssearchbox`: show no search box for the site. Obsolete.
        NoSiteLinksSearchBox = "nositelinkssearchbox",
        /// `noodp`: use no description from the Open Directory Project, which closed in 2017.
        NoOdp = "noodp",
        /// `noydir`: use no description from Yahoo's directory, which closed in 2014.
        NoYdir = "noydir",
        /// `noyaca`: show no description made by Yandex.
        NoYaca = "noyaca",
        /// `noai`: do not train AI on the page. A convention of 2022 that no operator documents as supported.
        NoAi = "noai",
        /// `noimageai`: do not train AI on the images of the page. Part of the convention of `noai`.
        NoImageAi = "noimageai",
        /// An unknown directive. Its text is stored as written.
        Unknown = "unknown",
    }
}

impl DirectiveKind {
    /// Returns true if the directive has no meaning without a value.
    pub const fn takes_value(self) -> bool {
        matches!(
            self,
            DirectiveKind::UnavailableAfter
                | DirectiveKind::MaxSnippet
                | DirectiveKind::MaxImagePreview
                | DirectiveKind::MaxVideoPreview
        )
    }

    /// Returns the kind with this name, without regard to case. Returns `None` for `data-nosnippet`, which is an
    /// attribute and not a directive.
    pub(super) fn of(name: &str) -> Option<DirectiveKind> {
        let known = DirectiveKind::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(name));
        known.filter(|kind| !matches!(kind, DirectiveKind::DataNoSnippet | DirectiveKind::Unknown))
    }

    /// Parses the value. Returns `None` if the text cannot be parsed, or if the kind takes no value.
    pub(super) fn value(self, text: &str) -> Option<DirectiveValue> {
        let text = text.trim();
        match self {
            DirectiveKind::MaxSnippet | DirectiveKind::MaxVideoPreview => {
                limit(text).map(DirectiveValue::Limit)
            }
            DirectiveKind::MaxImagePreview => ImagePreview::of(text).map(DirectiveValue::Preview),
            DirectiveKind::UnavailableAfter => date::any(text).map(DirectiveValue::Time),
            _ => None,
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for DirectiveKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(feature = "schema")]
crate::schema::written_as!(DirectiveKind: String;);

/// Parses a number, or `-1`, which means no limit (`Some(None)`). A number that is too large becomes the maximum `u32`.
fn limit(text: &str) -> Option<Option<u32>> {
    if text == "-1" {
        return Some(None);
    }
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| Some(text.parse().unwrap_or(u32::MAX)))
}

/// The value of a directive, or of a restriction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DirectiveValue {
    /// Characters of `max-snippet`, seconds of `max-video-preview`; `None` means no limit.
    Limit(Option<u32>),
    /// The maximum size of an image.
    Preview(ImagePreview),
    /// A point in time.
    Time(SystemTime),
}

impl DirectiveValue {
    /// Returns true if the value restricts nothing: -1 and `large`.
    pub fn is_unlimited(self) -> bool {
        matches!(self, DirectiveValue::Limit(None) | DirectiveValue::Preview(ImagePreview::Large))
    }

    /// Returns a rank for comparing values of one kind. A smaller rank means a stricter value.
    pub(super) fn rank(self) -> (u64, SystemTime) {
        match self {
            DirectiveValue::Limit(limit) => (limit.map_or(u64::MAX, u64::from), SystemTime::UNIX_EPOCH),
            DirectiveValue::Preview(preview) => (preview as u64, SystemTime::UNIX_EPOCH),
            DirectiveValue::Time(time) => (0, time),
        }
    }
}

/// Writes a number (`-1` means no limit), a size such as `standard`, or a time in UTC in RFC 3339 format.
impl fmt::Display for DirectiveValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: Cow<'_, str> = match *self {
            DirectiveValue::Limit(None) => "-1".into(),
            DirectiveValue::Limit(Some(limit)) => limit.to_string().into(),
            DirectiveValue::Preview(preview) => preview.as_str().into(),
            // The parser produces only times that can be formatted.
            DirectiveValue::Time(time) => {
                crate::rfc3339::exact(time).map_or("out of range".into(), Cow::Owned)
            }
        };
        f.pad(&text)
    }
}

/// The value of a directive: a number, or text.
#[cfg(feature = "serde")]
#[derive(serde::Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
enum DirectiveValueForm {
    Number(i64),
    Text(String),
}

#[cfg(feature = "serde")]
impl serde::Serialize for DirectiveValue {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = match *self {
            DirectiveValue::Limit(limit) => DirectiveValueForm::Number(limit.map_or(-1, i64::from)),
            DirectiveValue::Preview(_) | DirectiveValue::Time(_) => {
                DirectiveValueForm::Text(self.to_string())
            }
        };
        form.serialize(serializer)
    }
}

#[cfg(feature = "schema")]
crate::schema::written_as!(DirectiveValue: DirectiveValueForm;);

crate::words::words! {
    /// The size at which an image may be shown.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum ImagePreview as "image preview" {
        /// No image.
        None = "none",
        /// A small image.
        Standard = "standard",
        /// An image up to the width of the screen: no restriction.
        Large = "large",
    }
}

impl ImagePreview {
    fn of(text: &str) -> Option<ImagePreview> {
        ImagePreview::ALL.into_iter().find(|size| size.as_str().eq_ignore_ascii_case(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directive_is_found_by_its_name_in_any_case() {
        for kind in DirectiveKind::ALL {
            let is_name = !matches!(kind, DirectiveKind::DataNoSnippet | DirectiveKind::Unknown);
            let expected = is_name.then_some(kind);
            assert_eq!(DirectiveKind::of(kind.as_str()), expected);
            assert_eq!(DirectiveKind::of(&kind.as_str().to_uppercase()), expected);
        }
        assert_eq!(DirectiveKind::of("no-index"), None);
    }

    #[test]
    fn limit_is_a_number_or_minus_one() {
        let read = |text| DirectiveKind::MaxSnippet.value(text);
        assert_eq!(read(" 20 "), Some(DirectiveValue::Limit(Some(20))));
        assert_eq!(read("-1"), Some(DirectiveValue::Limit(None)));
        assert_eq!(read("99999999999999999999"), Some(DirectiveValue::Limit(Some(u32::MAX))));
        for text in ["", "-2", "+5", "5 words", "1.5", "none"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn stricter_value_has_a_lower_rank() {
        let preview = |text| DirectiveKind::MaxImagePreview.value(text).map(DirectiveValue::rank);
        assert!(preview("none") < preview("Standard") && preview("standard") < preview("large"));
        assert_eq!(preview("huge"), None);
        assert!(DirectiveValue::Limit(Some(7)).rank() < DirectiveValue::Limit(None).rank());
    }

    #[test]
    fn value_is_shown_in_normal_form() {
        let shown = |kind: DirectiveKind, text| kind.value(text).map(|value| value.to_string());
        assert_eq!(shown(DirectiveKind::MaxSnippet, "-1").as_deref(), Some("-1"));
        assert_eq!(shown(DirectiveKind::MaxImagePreview, "LARGE").as_deref(), Some("large"));
        let time = shown(DirectiveKind::UnavailableAfter, "Fri, 25 Jun 2010 15:00:00 PST");
        assert_eq!(time.as_deref(), Some("2010-06-25T23:00:00Z"));
    }
}
