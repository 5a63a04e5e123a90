//! The sitemap readers. An adapter for each reads a whole file.

use std::hint::black_box;
use std::time::SystemTime;

use crate::inputs::Input;

/// The compared results: URL and date of each page, and the number of elements of each extension.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) pages: Vec<(String, Option<SystemTime>)>,
    pub(crate) images: usize,
    pub(crate) videos: usize,
    pub(crate) news: usize,
    pub(crate) alternates: usize,
}

/// A reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    Comity,
    Indexflow,
    Sitemap,
}

impl Reader {
    pub(crate) const ALL: [Reader; 3] = [Reader::Comity, Reader::Indexflow, Reader::Sitemap];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Reader::Comity => "comity",
            Reader::Indexflow => "indexflow-sitemap 0.1.1",
            Reader::Sitemap => "sitemap 0.4.1",
        }
    }

    /// Returns true if the reader reads extensions; `sitemap` skips them.
    pub(crate) fn reads_extensions(self) -> bool {
        self != Reader::Sitemap
    }

    /// Reads all entries and drops each of them. Returns the number of pages.
    pub(crate) fn read(self, input: &Input) -> usize {
        let mut pages = 0;
        match self {
            Reader::Comity => {
                for item in comity::sitemap::Reader::new(&input.bytes[..]) {
                    pages += usize::from(matches!(item, comity::sitemap::Item::Url(_)));
                    black_box(&item);
                }
            }
            Reader::Indexflow => pages = black_box(indexflow(input)).len(),
            Reader::Sitemap => each_of_sitemap(input, |entry| {
                pages += 1;
                black_box(&entry);
            }),
        }
        pages
    }

    /// Reads all entries and returns the compared results.
    pub(crate) fn find(self, input: &Input) -> Found {
        let mut found = Found::default();
        match self {
            Reader::Comity => {
                for item in comity::sitemap::Reader::new(&input.bytes[..]) {
                    if let comity::sitemap::Item::Url(url) = item {
                        found.images += url.images.len();
                        found.videos += url.videos.len();
                        found.news += usize::from(url.news.is_some());
                        found.alternates += url.alternates.len();
                        found.pages.push((url.loc, url.lastmod.map(|date| date.time())));
                    }
                }
            }
            Reader::Indexflow => {
                for url in indexflow(input) {
                    found.images += url.images.len();
                    found.videos += url.videos.len();
                    found.news += usize::from(url.news.is_some());
                    found.alternates += url.hreflangs.len();
                    found.pages.push((url.loc, url.lastmod.map(SystemTime::from)));
                }
            }
            Reader::Sitemap => each_of_sitemap(input, |entry| {
                let date = entry.lastmod.get_time().map(SystemTime::from);
                found.pages.extend(entry.loc.get_url().map(|url| (url.to_string(), date)));
            }),
        }
        found
    }
}

/// Reads with `indexflow-sitemap`, which accepts text in memory, and decompresses gzip with its own function. The time
/// includes checking UTF-8.
fn indexflow(input: &Input) -> Vec<indexflow_sitemap::SitemapUrlEntry> {
    let parsed = if input.is_gzip {
        indexflow_sitemap::decode_if_gzipped(&input.bytes).map(|text| indexflow_sitemap::parse_sitemap(&text))
    } else {
        let text = std::str::from_utf8(&input.bytes).unwrap_or_default();
        Ok(indexflow_sitemap::parse_sitemap(text))
    };
    match parsed {
        Ok(indexflow_sitemap::ParsedSitemap::UrlSet { entries }) => entries,
        _ => Vec::new(),
    }
}

/// Reads with `sitemap`, which accepts a stream. `flate2` decompresses gzip.
fn each_of_sitemap(input: &Input, mut each: impl FnMut(sitemap::structs::UrlEntry)) {
    use sitemap::reader::{SiteMapEntity, SiteMapReader};
    let mut take = |entity| {
        if let SiteMapEntity::Url(entry) = entity {
            each(entry);
        }
    };
    if input.is_gzip {
        let text = std::io::BufReader::new(flate2::read::MultiGzDecoder::new(&input.bytes[..]));
        SiteMapReader::new(text).for_each(&mut take);
    } else {
        SiteMapReader::new(&input.bytes[..]).for_each(&mut take);
    }
}
