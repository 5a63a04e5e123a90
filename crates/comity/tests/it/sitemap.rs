//! Tests of sitemaps: conformance files, and properties of the reader.

#![expect(clippy::unwrap_used, reason = "an invalid case ends the test")]

use std::collections::BTreeMap;
use std::io::{Read, Write as _};

use crate::docs::kinds_table;
use comity::finding::{Kind, Reader as Finder};
use comity::sitemap::{
    Alternate, Date, Image, Item, News, Precision, Price, Reader, ReaderOptions, Scope, Sitemap, Url, Video,
    VideoRestriction,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use testkit::conformance::Hex;
use testkit::printed::assert_printed;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    case: Vec<Case>,
}

/// A case; `conformance/README.md` explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    why: String,
    #[serde(default, rename = "source")]
    _source: Option<String>,
    text: Option<String>,
    hex: Option<Hex>,
    #[serde(default)]
    pieces: Vec<Piece>,
    encode: Option<String>,
    #[serde(default)]
    gzip: Vec<String>,
    #[serde(default)]
    options: CaseOptions,
    format: Option<String>,
    encoding: Option<String>,
    locs: Option<Vec<String>>,
    count: Option<usize>,
    entries: Option<Vec<Value>>,
    #[serde(default)]
    sitemaps: Vec<Value>,
    findings: Option<Vec<String>>,
    #[serde(default)]
    findings_ignore_lines: bool,
    finding_counts: Option<BTreeMap<String, u64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Piece {
    text: String,
    #[serde(default = "once")]
    times: usize,
}

fn once() -> usize {
    1
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseOptions {
    at: Option<String>,
    scope: Option<String>,
    #[serde(default)]
    proven: Vec<String>,
    max_entries: Option<u64>,
    hard_max_entries: Option<u64>,
    max_bytes: Option<u64>,
    #[serde(default)]
    stop_at_limits: bool,
    #[serde(default)]
    find_duplicates: bool,
}

impl CaseOptions {
    fn options(&self) -> ReaderOptions {
        let mut options = ReaderOptions::new();
        if let Some(at) = &self.at {
            options = options.at(at).unwrap();
        }
        options = match self.scope.as_deref() {
            None => options,
            Some("report") => options.scope(Scope::Report),
            Some("drop") => options.scope(Scope::Drop),
            Some(other) => panic!("unknown scope {other}"),
        };
        for host in &self.proven {
            options = options.proven_host(host);
        }
        if let Some(entries) = self.max_entries {
            options = options.max_entries(entries);
        }
        if let Some(entries) = self.hard_max_entries {
            options = options.hard_max_entries(entries);
        }
        if let Some(bytes) = self.max_bytes {
            options = options.max_bytes(bytes);
        }
        options.stop_at_limits(self.stop_at_limits).find_duplicates(self.find_duplicates)
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

impl Case {
    /// Returns the file as served.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = match (&self.text, &self.hex) {
            (Some(text), _) => self.encoded(text),
            (None, Some(hex)) => hex.0.clone(),
            (None, None) => {
                self.pieces.iter().map(|piece| piece.text.repeat(piece.times)).collect::<String>().into()
            }
        };
        for step in &self.gzip {
            bytes = match step.as_str() {
                "all" => gzip(&bytes),
                "split" => {
                    let (first, second) = bytes.split_at(bytes.len() / 2);
                    [gzip(first), gzip(b""), gzip(second)].concat()
                }
                "zeros" => [bytes, vec![0; 100]].concat(),
                "garbage" => [bytes, b"garbage".to_vec()].concat(),
                "cut" => bytes[..bytes.len() - 6].to_vec(),
                "empty-members" => gzip(b"").repeat(5_000),
                other => panic!("{}: unknown step {other}", self.id),
            };
        }
        bytes
    }

    fn encoded(&self, text: &str) -> Vec<u8> {
        match self.encode.as_deref() {
            None => text.into(),
            Some("utf-16le") => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Some("utf-16be") => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            Some(label) => {
                let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
                let (bytes, _, has_failed) = encoding.encode(text);
                assert!(!has_failed, "{}", self.id);
                bytes.into_owned()
            }
        }
    }

    fn check(&self) {
        let name = format!("{}: {}", self.id, self.why);
        let bytes = self.bytes();
        let mut reader = Reader::with_options(&bytes[..], self.options.options());
        let items: Vec<Item> = reader.by_ref().collect();
        let urls: Vec<&Url> = items
            .iter()
            .filter_map(|item| if let Item::Url(url) = item { Some(url) } else { None })
            .collect();
        let sitemaps: Vec<&Sitemap> = items
            .iter()
            .filter_map(|item| if let Item::Sitemap(sitemap) = item { Some(sitemap) } else { None })
            .collect();
        let summary = reader.summary();
        assert_eq!(summary.entries(), (urls.len() + sitemaps.len()) as u64, "{name}");
        if let Some(format) = &self.format {
            assert_eq!(summary.format().map(|format| format.as_str()), Some(format.as_str()), "{name}");
        }
        if let Some(encoding) = &self.encoding {
            assert_eq!(summary.encoding(), encoding, "{name}");
        }
        self.check_findings(&items, &name);
        if let Some(count) = self.count {
            assert_eq!(urls.len(), count, "{name}");
        } else if let Some(entries) = &self.entries {
            let read: Vec<Value> = urls.iter().map(|url| without_nulls(serde_json::to_value(url))).collect();
            assert_eq!(&read, entries, "{name}");
        } else if self.finding_counts.is_none() {
            let locs: Vec<&str> = urls.iter().map(|url| url.loc.as_str()).collect();
            assert_eq!(locs, self.locs.clone().unwrap_or_default(), "{name}");
        }
        let read: Vec<Value> =
            sitemaps.iter().map(|sitemap| without_nulls(serde_json::to_value(sitemap))).collect();
        assert_eq!(read, self.sitemaps, "{name}");
    }

    fn check_findings(&self, items: &[Item], name: &str) {
        let findings: Vec<_> = items
            .iter()
            .filter_map(|item| if let Item::Finding(finding) = item { Some(finding) } else { None })
            .collect();
        if let Some(expected) = &self.finding_counts {
            let mut counts = BTreeMap::new();
            for finding in findings {
                *counts.entry(finding.code().to_owned()).or_default() += finding.count();
            }
            assert_eq!(&counts, expected, "{name}");
            return;
        }
        let shown: Vec<String> = findings
            .iter()
            .map(|finding| {
                let line = if self.findings_ignore_lines { 1 } else { finding.place().line.expect("a line") };
                format!("{} {line}", finding.code())
            })
            .collect();
        assert_eq!(shown, self.findings.clone().unwrap_or_default(), "{name}");
    }
}

/// Removes nulls, which expectations omit, and rounds numbers to the precision of the files.
fn without_nulls(value: serde_json::Result<Value>) -> Value {
    fn clean(value: Value) -> Value {
        match value {
            Value::Object(map) => Value::Object(
                map.into_iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k, clean(v))).collect(),
            ),
            Value::Array(values) => Value::Array(values.into_iter().map(clean).collect()),
            // A number that was parsed as `f32` has more digits than the file.
            Value::Number(number) if number.is_f64() => {
                serde_json::json!((number.as_f64().unwrap() * 1e6).round() / 1e6)
            }
            other => other,
        }
    }
    clean(value.unwrap())
}

fn cases() -> Vec<Case> {
    let files = testkit::conformance::files::<CaseFile>("sitemap").unwrap();
    files.into_iter().flat_map(|(_, file)| file.case).collect()
}

#[test]
fn every_case_has_the_expected_entries_and_findings() {
    let cases = cases();
    assert!(cases.len() > 80, "only {} cases were read", cases.len());
    let failed: Vec<&str> = cases
        .iter()
        .filter(|case| std::panic::catch_unwind(|| case.check()).is_err())
        .map(|case| case.id.as_str())
        .collect();
    assert!(failed.is_empty(), "{failed:?}");
}

/// A source that returns a few bytes at a time.
struct Dripping<'b> {
    bytes: &'b [u8],
    drops: usize,
}

impl Read for Dripping<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let length = self.drops.min(out.len());
        self.bytes.read(&mut out[..length])
    }
}

/// A source that fails after its bytes.
struct Failing<'b>(&'b [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(out)? {
            0 => Err(std::io::Error::other("connection lost")),
            length => Ok(length),
        }
    }
}

#[test]
fn result_does_not_depend_on_the_size_of_reads() {
    for case in cases() {
        let bytes = case.bytes();
        if bytes.len() > 200_000 {
            continue;
        }
        let options = case.options.options();
        let whole: Vec<Item> = Reader::with_options(&bytes[..], options.clone()).collect();
        for drops in [1, 7, 4_096] {
            let source = Dripping { bytes: &bytes, drops };
            let dripped: Vec<Item> = Reader::with_options(source, options.clone()).collect();
            assert_eq!(dripped, whole, "{}", case.id);
        }
    }
}

#[test]
fn error_of_the_source_is_reported_and_earlier_entries_are_kept() {
    let text = b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
        <url><loc>https://heron.example/1</loc></url><url><loc>https://heron.exam";
    let mut reader = Reader::new(Failing(text));
    let items: Vec<Item> = reader.by_ref().collect();
    let [Item::Finding(finding), Item::Url(url)] = &items[..] else { panic!("{items:?}") };
    assert_eq!(finding.code(), "sitemap-read-error");
    assert!(finding.message().ends_with(": connection lost"), "{finding}");
    assert_eq!(url.loc, "https://heron.example/1");
    assert!(reader.summary().is_truncated());
}

#[test]
fn file_that_is_no_sitemap_is_truncated() {
    for (bytes, is_truncated) in [
        (&b"{\"urls\": [\"https://heron.example/\"]}"[..], true),
        (&b"[\"https://heron.example/\"]"[..], true),
        (&b"\x89PNG\r\n\x1a\n\0\0\0\x0d"[..], true),
        (&b"<OpenSearchDescription/>"[..], true),
        (&b"<!doctype html><title>Not found</title>"[..], true),
        (&b"https://heron.example/\n"[..], false),
    ] {
        let mut reader = Reader::new(bytes);
        reader.by_ref().for_each(drop);
        assert_eq!(reader.summary().is_truncated(), is_truncated, "{}", bytes.escape_ascii());
    }
}

/// Reads entries that span many pieces of input, and a file many times as large as the buffers.
#[test]
fn long_file_is_read_to_its_end() {
    let title = "a heron & its nest ".repeat(700);
    let mut url = Url::new("https://heron.example/");
    let mut image = Image::new("https://heron.example/i");
    image.caption = Some(title.trim().to_owned());
    url.images = vec![image; 20];
    let bytes = urlset(&vec![url.clone(); 20]).into_bytes();
    assert!(bytes.len() > 5_000_000);
    for bytes in [gzip(&bytes), bytes] {
        let options = ReaderOptions::new().max_ratio(1_000);
        let items: Vec<Item> = Reader::with_options(&bytes[..], options).collect();
        assert_eq!(items.len(), 20);
        assert!(items.iter().all(|item| *item == Item::Url(url.clone())));
    }
}

/// Returns a sitemap that lists the URLs.
fn urlset(urls: &[Url]) -> String {
    let namespaces = [
        "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'",
        "xmlns:xhtml='http://www.w3.org/1999/xhtml'",
        "xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'",
        "xmlns:video='http://www.google.com/schemas/sitemap-video/1.1'",
        "xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'",
    ];
    let urls: String =
        urls.iter().map(|url| format!("<url>{}</url>\n", fields("", &serde_json::json!(url)))).collect();
    format!("<urlset {}>{urls}</urlset>", namespaces.join(" "))
}

/// Returns an object in JSON as XML elements.
fn fields(prefix: &str, object: &Value) -> String {
    let element = |name: &str, attributes: &str, value: &str| {
        format!("<{prefix}{name}{attributes}>{}</{prefix}{name}>", escaped(value))
    };
    let each = |list: &Value, write: &dyn Fn(&Value) -> String| -> String {
        list.as_array().into_iter().flatten().map(write).collect()
    };
    let text = |value: &Value| match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let field = |(name, value): (&String, &Value)| match (name.as_str(), value) {
        (_, Value::Null) => String::new(),
        ("images", list) => {
            each(list, &|image| format!("<image:image>{}</image:image>", fields("image:", image)))
        }
        ("videos", list) => {
            each(list, &|video| format!("<video:video>{}</video:video>", fields("video:", video)))
        }
        ("news", news) => {
            let (name, language) = (escaped(&text(&news["publication"])), text(&news["language"]));
            let publication =
                format!("<news:name>{name}</news:name><news:language>{language}</news:language>");
            let mut rest = news.clone();
            rest.as_object_mut().unwrap().retain(|name, _| name != "publication" && name != "language");
            let rest = fields("news:", &rest);
            format!("<news:news><news:publication>{publication}</news:publication>{rest}</news:news>")
        }
        ("alternates", list) => each(list, &|link| {
            let href = escaped(&text(&link["href"]));
            format!("<xhtml:link rel='alternate' hreflang='{}' href='{href}'/>", text(&link["hreflang"]))
        }),
        ("tags", list) => each(list, &|tag| element("tag", "", &text(tag))),
        ("prices", list) => each(list, &|price| {
            element("price", &format!(" currency='{}'", text(&price["currency"])), &text(&price["amount"]))
        }),
        ("restriction", value) => {
            let names: Vec<String> = value["names"].as_array().into_iter().flatten().map(text).collect();
            let relationship = if value["allow"] == true { "allow" } else { "deny" };
            element(name, &format!(" relationship='{relationship}'"), &names.join(" "))
        }
        ("uploader_info", _) => String::new(),
        ("uploader", value) => {
            let info = format!(" info='{}'", escaped(&text(&object["uploader_info"])));
            element(name, &info, &text(value))
        }
        (_, value) => element(name, "", &text(value)),
    };
    object.as_object().into_iter().flatten().map(field).collect()
}

fn escaped(text: &str) -> String {
    let entities = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&apos;")];
    entities.iter().fold(text.to_owned(), |text, (sign, entity)| text.replace(sign, entity))
}

/// Generates pieces of sitemaps, whole and broken, in any order.
fn soup() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "<?xml version='1.0'?>",
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>",
        "<sitemapindex>",
        "<url>",
        "</url>",
        "<sitemap>",
        "<loc>",
        "</loc>",
        "<LOC>",
        "https://heron.example/a",
        "http://",
        "&amp;",
        "&",
        "&x;",
        "&#0;",
        "&#x110000;",
        "<lastmod>2026-11-21",
        "</lastmod>",
        "<priority>0.5</priority>",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<",
        ">",
        "'",
        "\"",
        "<!",
        "<?",
        "<!-",
        "</>",
        "< a='",
        "<x:y xmlns:x='",
        "<image:image>",
        "<video:video><video:price currency='E'>",
        "<news:news>",
        "<xhtml:link rel='alternate' hreflang='en' href='https://heron.example/&'/>",
        "<rss><channel><item><link>",
        "<feed><entry>",
        "<link href='/a'/>",
        "</urlset>",
        "\u{feff}",
        "\n",
        " ",
        "\0",
    ]);
    let text = prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat().into_bytes());
    prop_oneof![
        4 => text.clone(),
        1 => text.prop_map(|text| gzip(&text)),
        1 => prop::collection::vec(any::<u8>(), 0..200),
    ]
}

/// Generates a value that survives a round trip: no white space at the ends, no carriage return.
fn value() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9<>&;'\"\u{e9}\u{9dfa} ]{0,20}".prop_map(|text| format!("a{text}z"))
}

fn loc() -> impl Strategy<Value = String> {
    "https?://[a-z]{1,9}\\.example/[a-zA-Z0-9/?=.~_%!$'()*+,:@;-]{0,40}".prop_map(|text| text + "&x=1&amp")
}

fn date() -> impl Strategy<Value = Date> {
    let precision = prop::sample::select(vec![
        "%",
        "-07",
        "-07-16",
        "-07-16T19:20Z",
        "-07-16T19:20:30Z",
        "-07-16T19:20:30.45Z",
    ]);
    (1_000..9_999u32, precision)
        .prop_map(|(year, rest)| format!("{year}{}", rest.trim_matches('%')).parse().unwrap())
}

prop_compose! {
    fn video()(locs in (loc(), loc(), loc()), words in (value(), value(), value()), duration in 1..=28_800u32,
        date in prop::option::of(date()), flag in any::<Option<bool>>(), tags in prop::collection::vec(value(), 0..4),
        rating in 0..=50u8, views in any::<u64>(), allow in any::<bool>()) -> Video
    {
        let mut video = Video::default();
        (video.thumbnail_loc, video.content_loc, video.gallery_loc) = (locs.0, Some(locs.1), Some(locs.2));
        (video.title, video.description, video.category) = (words.0.clone(), words.1, Some(words.2));
        (video.duration, video.rating, video.view_count) = (Some(duration), Some(f32::from(rating) / 10.0), Some(views));
        (video.publication_date, video.expiration_date) = (date, date);
        (video.family_friendly, video.live, video.requires_subscription) = (flag, flag, Some(true));
        (video.uploader, video.uploader_info) = (Some(words.0.clone()), Some(words.0));
        video.restriction = Some(if allow { VideoRestriction::allow(["SE"]) } else { VideoRestriction::deny(["SE", "DK"]) });
        video.prices = vec![Price::new("1.99", "EUR")];
        video.tags = tags;
        video
    }
}

prop_compose! {
    fn news()(words in (value(), value(), value()), date in date()) -> Box<News> {
        let mut news = Box::new(News::default());
        (news.publication, news.title, news.keywords) = (words.0, words.1, Some(words.2));
        (news.language, news.publication_date) = ("en".to_owned(), Some(date));
        news
    }
}

prop_compose! {
    fn url()(loc in loc(), lastmod in prop::option::of(date()), priority in prop::option::of(0..=10u8),
        images in prop::collection::vec((loc(), prop::option::of(value())), 0..3),
        videos in prop::collection::vec(video(), 0..2), news in prop::option::of(news()),
        alternates in prop::collection::vec(loc(), 0..3)) -> Url
    {
        let mut url = Url::new(loc);
        url.lastmod = lastmod;
        url.priority = priority.map(|tenths| f32::from(tenths) / 10.0);
        url.changefreq = priority.and_then(|_| "weekly".parse().ok());
        url.images = images.into_iter().map(|(loc, title)| {
            let mut image = Image::new(loc);
            (image.title, image.caption) = (title.clone(), title);
            image
        }).collect();
        (url.videos, url.news) = (videos, news);
        let languages = ["en-GB", "de"];
        url.alternates = languages.iter().zip(alternates).map(|(code, href)| Alternate::new(*code, href)).collect();
        if !url.alternates.is_empty() {
            url.alternates.push(Alternate::new("x-default", url.loc.clone()));
        }
        url
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_as_a_sitemap(bytes in soup(), drops in 1..50usize) {
        let at = "https://heron.example/sitemap.xml";
        let options = ReaderOptions::new().at(at).unwrap().scope(Scope::Report).find_duplicates(true);
        let mut reader = Reader::with_options(&bytes[..], options.clone());
        let items: Vec<Item> = reader.by_ref().collect();
        prop_assert!(items.len() <= 4 * bytes.len() + 4);
        for item in &items {
            match item {
                Item::Url(url) => prop_assert!(url.loc.contains(':'), "{}", url.loc),
                Item::Finding(finding) => prop_assert!(finding.place().line >= Some(1) && !finding.to_string().contains('\n')),
                _ => {}
            }
        }
        let dripped: Vec<Item> = Reader::with_options(Dripping { bytes: &bytes, drops }, options).collect();
        prop_assert_eq!(dripped, items);
    }

    #[test]
    fn field_of_an_entry_is_read_back_unchanged(urls in prop::collection::vec(url(), 1..8)) {
        let text = urlset(&urls);
        let read: Vec<Item> = Reader::new(text.as_bytes()).collect();
        prop_assert_eq!(read, urls.into_iter().map(Item::Url).collect::<Vec<_>>());
    }

    #[test]
    fn date_is_read_back_unchanged(seconds in 0..250_000_000_000u64) {
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        let date = Date::new(time, Precision::Second).unwrap();
        prop_assert_eq!(date.to_string().parse(), Ok(date));
    }
}

/// Checks the table of findings in `docs/reference/sitemap.md`; `UPDATE_DOCS=1` rewrites it.
#[test]
fn table_of_findings_equals_the_code() {
    assert_printed(
        "docs/reference/sitemap.md",
        &[("findings", kinds_table(Finder::Sitemap.kinds(), "docs/reference/"))],
    );
}

/// Every kind of finding occurs in a conformance case, except those that need another build or a failing source.
#[test]
fn every_kind_has_a_case() {
    let mut missing: Vec<&str> = Finder::Sitemap.kinds().iter().map(|kind| kind.code()).collect();
    for case in cases() {
        let listed = case.findings.into_iter().flatten();
        let counted = case.finding_counts.into_iter().flat_map(BTreeMap::into_keys);
        for finding in listed.chain(counted) {
            let code = finding.split(' ').next().unwrap_or_default();
            assert!(Kind::of(code).is_ok(), "{}: {code}", case.id);
            missing.retain(|kind| *kind != code);
        }
    }
    assert_eq!(missing, ["sitemap-read-error", "sitemap-gzip-unsupported"]);
}
