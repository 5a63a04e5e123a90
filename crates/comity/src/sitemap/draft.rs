//! The entry that is being read. It is built one value at a time.

use std::borrow::Cow;

use super::date::Date;
use super::elements::{Field, Node};
use super::entries::{Entries, is_absolute, push_capped, trim};
use super::entry::{
    Alternate, ChangeFrequency, Image, News, Price, Sitemap, Url, Video, VideoRestriction, is_hreflang,
};
use super::item_queue::Position;
use super::kinds;
use super::language;
use super::options::MAX_ENTRY;
use super::source::TokenPosition;
use crate::finding::{Kind, quoted};

/// Google: maximum duration of a video, in seconds.
pub(super) const MAX_VIDEO_DURATION: u32 = 28_800;
/// Google: maximum number of tags of a video.
pub(super) const MAX_VIDEO_TAGS: usize = 32;
/// Google: maximum length of a video's description, in characters.
pub(super) const MAX_VIDEO_DESCRIPTION: usize = 2_048;

/// An entry that is being read.
#[derive(Debug)]
pub(super) struct Draft {
    node: Node,
    place: Position,
    url: Url,
    /// True if the entry has a URL, even an invalid one.
    has_loc: bool,
    /// Text of the entry outside of its elements.
    bare: String,
    guid: Option<String>,
    published: Option<Date>,
    image: Option<Image>,
    video: Option<Box<Video>>,
    news: Option<Box<News>>,
    /// The fields that occurred, as a bit set.
    seen: u8,
    images: u64,
    /// The size of the extensions in bytes.
    size: usize,
    is_too_large: bool,
}

/// A value of an extension: the name of its field for findings, and its text.
struct Value<'v> {
    field: &'static str,
    text: &'v str,
}

impl Draft {
    pub(super) fn new(node: Node, place: Position) -> Self {
        Draft {
            node,
            place,
            url: Url::default(),
            has_loc: false,
            bare: String::new(),
            guid: None,
            published: None,
            image: None,
            video: None,
            news: None,
            seen: 0,
            images: 0,
            size: 0,
            is_too_large: false,
        }
    }

    /// Returns true if the URL of the entry has been read.
    pub(super) fn has_loc(&self) -> bool {
        self.has_loc
    }

    /// Returns true if the attributes of a field are relevant.
    pub(super) fn wants_attributes(field: Field) -> bool {
        matches!(field, Field::Guid | Field::Video("restriction" | "platform" | "price" | "uploader"))
    }

    /// Handles text between the elements of the entry.
    pub(super) fn bare_text(&mut self, text: &str) {
        push_capped(&mut self.bare, text);
    }

    /// Marks a field as read. Returns true if the field was read before, and reports it as a duplicate.
    fn is_repeated(
        &mut self,
        bit: u8,
        name: &str,
        at: &mut TokenPosition<'_>,
        entries: &mut Entries,
    ) -> bool {
        let is_repeated = self.seen & (1 << bit) != 0;
        self.seen |= 1 << bit;
        if is_repeated {
            entries.findings.report(&kinds::DUPLICATE_ELEMENT, at.place(), || format!("`<{name}>`"));
        }
        is_repeated
    }

    /// Sets the value of a field.
    #[expect(clippy::too_many_arguments, reason = "a value needs its place and the collector of findings")]
    pub(super) fn set(
        &mut self,
        field: Field,
        value: &str,
        is_cut: bool,
        attributes: &[(String, String)],
        feed: Option<&url::Url>,
        at: &mut TokenPosition<'_>,
        entries: &mut Entries,
    ) {
        let text = trim(value);
        match field {
            Field::Loc => {
                if !text.is_empty() && !self.is_repeated(0, "loc", at, entries) {
                    self.loc(value, is_cut, None, at, entries);
                }
            }
            Field::ItemLink => {
                if !text.is_empty() && !self.has_loc {
                    self.loc(value, is_cut, feed, at, entries);
                }
            }
            Field::Lastmod => {
                if !self.is_repeated(1, "lastmod", at, entries) {
                    self.url.lastmod = date(Date::w3c(text), text, at, entries);
                }
            }
            Field::Changefreq => {
                if !self.is_repeated(2, "changefreq", at, entries) {
                    self.url.changefreq = changefreq(text, at, entries);
                }
            }
            Field::Priority => {
                if !self.is_repeated(3, "priority", at, entries) {
                    self.url.priority = priority(text, at, entries);
                }
            }
            Field::PubDate => {
                // RSS prescribes the format of mail. Some feeds write the format of sitemaps and Atom.
                self.url.lastmod = date(Date::internet(text).or_else(|| Date::w3c(text)), text, at, entries);
            }
            Field::Updated => self.url.lastmod = date(Date::w3c(text), text, at, entries),
            Field::Published => self.published = date(Date::w3c(text), text, at, entries),
            Field::Guid => {
                let is_link =
                    !attributes.iter().any(|(name, value)| name == "isPermaLink" && value == "false");
                self.guid = (is_link && is_absolute(text)).then(|| text.to_owned());
            }
            Field::Image(field) => self.image_value(field, text, at, entries),
            Field::Video(field) => self.video_value(field, text, attributes, at, entries),
            Field::News(field) => self.news_value(field, text, at, entries),
            // The document stores the link of a channel, since a channel is not an entry.
            Field::ChannelLink => {}
        }
    }

    fn loc(
        &mut self,
        text: &str,
        is_cut: bool,
        feed: Option<&url::Url>,
        at: &mut TokenPosition<'_>,
        entries: &mut Entries,
    ) {
        self.has_loc = true;
        let place = at.place();
        // A URL that was cut off is dropped, since it would be a different URL.
        if let Some(loc) = entries.loc(text, place, feed).filter(|_| !is_cut) {
            self.url.loc = loc;
        }
    }

    /// Handles `<xhtml:link>` of a page, or `<link>` of an Atom entry.
    pub(super) fn link(
        &mut self,
        attributes: &[(&str, Cow<'_, str>)],
        at: &mut TokenPosition<'_>,
        entries: &mut Entries,
    ) {
        let find = |name: &str| attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| trim(value));
        let rel = find("rel").unwrap_or("alternate");
        if !rel.eq_ignore_ascii_case("alternate") {
            return;
        }
        let href = find("href").unwrap_or_default();
        if self.node == Node::Entry {
            if !self.has_loc && !href.is_empty() {
                self.loc(href, false, None, at, entries);
            }
            return;
        }
        // A link without a language may lead to a version for phones.
        let Some(hreflang) = find("hreflang") else { return };
        if !is_hreflang(hreflang) || href.is_empty() {
            entries.findings.report(&kinds::BAD_HREFLANG, at.place(), || {
                format!("hreflang={} href={}", quoted(hreflang), quoted(href))
            });
        } else if let Some(problem) = language::problem(hreflang) {
            entries.findings.report(&kinds::UNKNOWN_LANGUAGE, at.place(), || problem);
        }
        let size = href.len() + hreflang.len() + size_of::<Alternate>();
        if !href.is_empty() && self.has_room(size, at, entries) {
            self.url.alternates.push(Alternate::new(hreflang, href));
        }
    }

    /// Adds to the size of the entry's extensions. Returns true if the size is within the limit.
    fn has_room(&mut self, size: usize, at: &mut TokenPosition<'_>, entries: &mut Entries) -> bool {
        self.size = self.size.saturating_add(size);
        if self.size > MAX_ENTRY && !self.is_too_large {
            self.is_too_large = true;
            let detail = || format!("more than {MAX_ENTRY} bytes");
            entries.findings.report(&kinds::ENTRY_TOO_LARGE, at.place(), detail);
        }
        !self.is_too_large
    }

    /// Starts `<image:image>`, `<video:video>` or `<news:news>`.
    pub(super) fn open_extension(&mut self, node: Node) {
        match node {
            Node::Image => self.image = Some(Image::default()),
            Node::Video => self.video = Some(Box::default()),
            _ => self.news = Some(Box::default()),
        }
    }

    /// Ends `<image:image>`, `<video:video>` or `<news:news>`.
    pub(super) fn close_extension(&mut self, node: Node, at: &mut TokenPosition<'_>, entries: &mut Entries) {
        match node {
            Node::Image => {
                if let Some(image) = self.image.take() {
                    self.close_image(image, at, entries);
                }
            }
            Node::Video => {
                if let Some(video) = self.video.take() {
                    check_video(&video, at, entries);
                    if self.has_room(size_of::<Video>(), at, entries) {
                        self.url.videos.push(*video);
                    }
                }
            }
            _ => {
                if let Some(news) = self.news.take() {
                    self.close_news(news, at, entries);
                }
            }
        }
    }

    fn close_image(&mut self, image: Image, at: &mut TokenPosition<'_>, entries: &mut Entries) {
        if image.loc.is_empty() {
            entries.findings.note(&kinds::IMAGE_WITHOUT_LOC, at.place());
            return;
        }
        self.images += 1;
        let limit = entries.options.max_images;
        if self.images == limit.saturating_add(1) {
            let detail = || format!("the limit is {limit} images");
            entries.findings.report(&kinds::TOO_MANY_IMAGES, at.place(), detail);
        }
        let is_admitted = self.images <= limit || !entries.options.stop_at_limits;
        if is_admitted && self.has_room(size_of::<Image>(), at, entries) {
            self.url.images.push(image);
        }
    }

    fn close_news(&mut self, news: Box<News>, at: &mut TokenPosition<'_>, entries: &mut Entries) {
        let missing = [
            ("publication", news.publication.is_empty()),
            ("language", news.language.is_empty()),
            ("publication_date", news.publication_date.is_none()),
            ("title", news.title.is_empty()),
        ];
        report_missing(&kinds::INCOMPLETE_NEWS, &missing, at, entries);
        let is_admitted = entries.is_news_admitted(at.place());
        if !self.is_repeated(4, "news:news", at, entries) && is_admitted {
            self.url.news = Some(news);
        }
    }

    fn image_value(&mut self, field: &str, text: &str, at: &mut TokenPosition<'_>, entries: &mut Entries) {
        if text.is_empty() || !self.has_room(text.len(), at, entries) {
            return;
        }
        let Some(image) = &mut self.image else { return };
        let text = text.to_owned();
        match field {
            "loc" if image.loc.is_empty() => image.loc = text,
            "loc" => {
                let detail = || "`<image:loc>`".to_owned();
                entries.findings.report(&kinds::DUPLICATE_ELEMENT, at.place(), detail);
            }
            "caption" => image.caption = Some(text),
            "geo_location" => image.geo_location = Some(text),
            "title" => image.title = Some(text),
            _ => image.license = Some(text),
        }
    }

    fn news_value(&mut self, field: &str, text: &str, at: &mut TokenPosition<'_>, entries: &mut Entries) {
        if text.is_empty() || !self.has_room(text.len(), at, entries) {
            return;
        }
        let Some(news) = &mut self.news else { return };
        let owned = || text.to_owned();
        match field {
            "name" => news.publication = owned(),
            "language" => news.language = owned(),
            "publication_date" => {
                news.publication_date = date(Date::w3c(text), text, at, entries);
            }
            "title" => news.title = owned(),
            "access" => news.access = Some(owned()),
            "genres" => news.genres = Some(owned()),
            "keywords" => news.keywords = Some(owned()),
            _ => news.stock_tickers = Some(owned()),
        }
    }

    fn video_value(
        &mut self,
        field: &'static str,
        text: &str,
        attributes: &[(String, String)],
        at: &mut TokenPosition<'_>,
        entries: &mut Entries,
    ) {
        let size = text.len() + attributes.iter().map(|(_, value)| value.len()).sum::<usize>();
        // An empty price may still state its currency.
        if text.is_empty() && field != "price" || !self.has_room(size, at, entries) {
            return;
        }
        let Some(video) = &mut self.video else { return };
        let attribute =
            |name: &str| attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        let owned = || text.to_owned();
        let value = Value { field, text };
        match field {
            "thumbnail_loc" => video.thumbnail_loc = owned(),
            "title" => video.title = owned(),
            "description" => video.description = owned(),
            "content_loc" => video.content_loc = Some(owned()),
            "player_loc" => video.player_loc = Some(owned()),
            "duration" => {
                let range = 1..=MAX_VIDEO_DURATION;
                let seconds = text.parse().ok().filter(|seconds| range.contains(seconds));
                video.duration = value.checked(seconds, at, entries);
            }
            "expiration_date" => {
                video.expiration_date = date(Date::w3c(text), text, at, entries);
            }
            "rating" => {
                let rating = text.parse().ok().filter(|rating| (0.0..=5.0).contains(rating));
                video.rating = value.checked(rating, at, entries);
            }
            "view_count" => {
                video.view_count = value.checked(text.parse().ok(), at, entries);
            }
            "publication_date" => {
                video.publication_date = date(Date::w3c(text), text, at, entries);
            }
            "family_friendly" => {
                video.family_friendly = value.checked(yes_or_no(text), at, entries);
            }
            "requires_subscription" => {
                video.requires_subscription = value.checked(yes_or_no(text), at, entries);
            }
            "live" => video.live = value.checked(yes_or_no(text), at, entries),
            "restriction" => {
                let restriction = restriction(text, attribute("relationship"));
                video.restriction = value.checked(restriction, at, entries);
            }
            "platform" => {
                let platform = restriction(text, attribute("relationship"));
                video.platform = value.checked(platform, at, entries);
            }
            "uploader" => {
                video.uploader = Some(owned());
                video.uploader_info = attribute("info");
            }
            "tag" => {
                video.tags.push(owned());
                self.size = self.size.saturating_add(size_of::<String>());
            }
            "category" => video.category = Some(owned()),
            "gallery_loc" => video.gallery_loc = Some(owned()),
            _ => {
                video.prices.push(Price {
                    amount: owned(),
                    currency: attribute("currency").unwrap_or_default(),
                    kind: attribute("type"),
                    resolution: attribute("resolution"),
                });
                self.size = self.size.saturating_add(size_of::<Price>());
            }
        }
    }

    /// Ends the entry.
    pub(super) fn finish(mut self, feed: Option<&url::Url>, entries: &mut Entries) {
        if !self.has_loc {
            self.loc_from_elsewhere(feed, entries);
        }
        if self.url.loc.is_empty() {
            return;
        }
        self.url.lastmod = self.url.lastmod.or(self.published);
        if self.node == Node::Sitemap {
            entries.sitemap(Sitemap { loc: self.url.loc, lastmod: self.url.lastmod }, self.place);
            return;
        }
        let alternates = &self.url.alternates;
        if let Some(language) = repeated(alternates) {
            entries.findings.report(&kinds::REPEATED_LANGUAGE, self.place, || quoted(language));
        }
        if is_sitemap(&self.url.loc) {
            entries.findings.report(&kinds::SITEMAP_AS_PAGE, self.place, || quoted(&self.url.loc));
        }
        if !alternates.is_empty() && alternates.iter().all(|alternate| alternate.href != self.url.loc) {
            let detail = || quoted(&self.url.loc);
            entries.findings.report(&kinds::HREFLANG_WITHOUT_SELF, self.place, detail);
        }
        entries.page(self.url, self.place);
    }

    /// Sets the URL of an entry without `loc`: from the `guid` of a feed's item, or from the text of the entry itself.
    fn loc_from_elsewhere(&mut self, feed: Option<&url::Url>, entries: &mut Entries) {
        let found = match self.guid.take() {
            Some(guid) => Some(guid),
            None if is_absolute(&self.bare) => {
                let detail = || quoted(trim(&self.bare));
                entries.findings.report(&kinds::BARE_LOC, self.place, detail);
                Some(std::mem::take(&mut self.bare))
            }
            None => None,
        };
        match found {
            Some(text) => self.url.loc = entries.loc(&text, self.place, feed).unwrap_or_default(),
            None => entries.findings.note(&kinds::MISSING_LOC, self.place),
        }
    }
}

impl Value<'_> {
    /// Returns the value. Reports a finding if it could not be parsed.
    fn checked<T>(&self, value: Option<T>, at: &mut TokenPosition<'_>, entries: &mut Entries) -> Option<T> {
        if value.is_none() {
            entries.findings.report(&kinds::BAD_EXTENSION_VALUE, at.place(), || {
                let form = match self.field {
                    "duration" => "; the form is a whole number of seconds, from 1 to 28800",
                    "rating" => "; the form is a number from 0 to 5, such as `4.5`",
                    "view_count" => "; the form is a whole number",
                    "family_friendly" | "requires_subscription" | "live" => "; the form is `yes` or `no`",
                    _ => "",
                };
                format!("{} as {}{form}", quoted(self.text), self.field)
            });
        }
        value
    }
}

/// Reports missing and excessive values of a video.
fn check_video(video: &Video, at: &mut TokenPosition<'_>, entries: &mut Entries) {
    let missing = [
        ("thumbnail_loc", video.thumbnail_loc.is_empty()),
        ("title", video.title.is_empty()),
        ("description", video.description.is_empty()),
        ("content_loc or player_loc", video.content_loc.is_none() && video.player_loc.is_none()),
    ];
    report_missing(&kinds::INCOMPLETE_VIDEO, &missing, at, entries);
    if video.tags.len() > MAX_VIDEO_TAGS {
        let detail = || format!("{} tags; at most {MAX_VIDEO_TAGS} are read", video.tags.len());
        entries.findings.report(&kinds::BAD_EXTENSION_VALUE, at.place(), detail);
    }
    if video.description.len() > MAX_VIDEO_DESCRIPTION
        && video.description.chars().count() > MAX_VIDEO_DESCRIPTION
    {
        let detail = || format!("a description of more than {MAX_VIDEO_DESCRIPTION} characters");
        entries.findings.report(&kinds::BAD_EXTENSION_VALUE, at.place(), detail);
    }
}

/// Returns a language with two different URLs.
fn repeated(alternates: &[Alternate]) -> Option<&str> {
    if alternates.len() < 2 {
        return None;
    }
    let mut sorted: Vec<&Alternate> = alternates.iter().collect();
    sorted.sort_by(|a, b| lower(a).cmp(lower(b)));
    let is_same = |pair: &&[&Alternate]| matches!(pair, [a, b] if lower(a).eq(lower(b)) && a.href != b.href);
    let pair = sorted.windows(2).find(is_same)?;
    pair.first().map(|alternate| alternate.hreflang.as_str())
}

/// Returns the bytes of a language in lower case.
fn lower(alternate: &Alternate) -> impl Iterator<Item = u8> {
    alternate.hreflang.bytes().map(|byte| byte.to_ascii_lowercase())
}

/// Returns true if the last segment of a URL's path is the name of a sitemap, such as `sitemap-2.xml.gz`.
fn is_sitemap(loc: &str) -> bool {
    let path = loc.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let ends = |end: &str| {
        name.len()
            .checked_sub(end.len())
            .and_then(|at| name.get(at..))
            .is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    (ends(".xml") || ends(".xml.gz")) && name.to_ascii_lowercase().contains("sitemap")
}

fn report_missing(
    kind: &'static Kind,
    missing: &[(&str, bool)],
    at: &mut TokenPosition<'_>,
    entries: &mut Entries,
) {
    if missing.iter().any(|(_, is_missing)| *is_missing) {
        entries.findings.report(kind, at.place(), || {
            let names: Vec<&str> =
                missing.iter().filter(|(_, is_missing)| *is_missing).map(|(name, _)| *name).collect();
            format!("it has no {}", names.join(", no "))
        });
    }
}

fn date(date: Option<Date>, text: &str, at: &mut TokenPosition<'_>, entries: &mut Entries) -> Option<Date> {
    if date.is_none() {
        entries.findings.report(&kinds::BAD_LASTMOD, at.place(), || quoted(text));
        return Date::day_of_local_time(text);
    }
    date
}

fn changefreq(text: &str, at: &mut TokenPosition<'_>, entries: &mut Entries) -> Option<ChangeFrequency> {
    let frequency: Option<ChangeFrequency> = text.parse().ok();
    if frequency.is_none_or(|frequency| frequency.as_str() != text) {
        entries.findings.report(&kinds::BAD_CHANGEFREQ, at.place(), || quoted(text));
    }
    frequency
}

fn priority(text: &str, at: &mut TokenPosition<'_>, entries: &mut Entries) -> Option<f32> {
    let priority = text.parse().ok().filter(|priority| (0.0..=1.0).contains(priority));
    if priority.is_none() {
        entries.findings.report(&kinds::BAD_PRIORITY, at.place(), || quoted(text));
    }
    priority
}

fn yes_or_no(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}

fn restriction(text: &str, relationship: Option<String>) -> Option<VideoRestriction> {
    let names = text.split_whitespace();
    match relationship?.as_str() {
        "allow" => Some(VideoRestriction::allow(names)),
        "deny" => Some(VideoRestriction::deny(names)),
        _ => None,
    }
}
