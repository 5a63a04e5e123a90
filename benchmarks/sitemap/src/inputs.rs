//! Generated sitemaps, which are equal in every run.

use std::fmt::Write as _;
use std::io::Write as _;

/// A sitemap.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
    /// Number of bytes after decompression. Speed is measured in these bytes.
    pub(crate) text_bytes: usize,
    /// Number of reads per measurement. Small files are read more than once.
    pub(crate) repeats: usize,
    pub(crate) is_gzip: bool,
    pub(crate) has_extensions: bool,
}

/// The random number generator xorshift64*. Random URLs prevent gzip from compressing the files too well.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit
    }
}

const WORDS: [&str; 16] = [
    "heron", "osprey", "stork", "reed", "marsh", "nest", "wing", "river", "delta", "shore", "feather",
    "tide", "spring", "autumn", "guide", "report",
];

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset \
    xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";

/// Returns all inputs. The large inputs have `entries` entries.
pub(crate) fn all(entries: usize) -> Vec<Input> {
    let mut random = Random(0x5EED_0F51_7E4A_9000);
    let small = plain(&mut random, 100);
    let plain = plain(&mut random, entries);
    let extended = extended(&mut random, entries);
    let gzipped = gzip(&plain);
    let gzip_extended = gzip(&extended);
    vec![
        Input::new("small", small, 200),
        Input::new("plain", plain.clone(), 1),
        Input::new("extensions", extended.clone(), 1).extended(),
        Input::new("plain.gz", plain, 1).gzipped(gzipped),
        Input::new("extensions.gz", extended, 1).extended().gzipped(gzip_extended),
    ]
}

impl Input {
    fn new(name: &'static str, text: Vec<u8>, repeats: usize) -> Self {
        Input { name, text_bytes: text.len(), bytes: text, repeats, is_gzip: false, has_extensions: false }
    }

    fn gzipped(self, bytes: Vec<u8>) -> Self {
        Input { bytes, is_gzip: true, ..self }
    }

    fn extended(self) -> Self {
        Input { has_extensions: true, ..self }
    }
}

fn loc(random: &mut Random) -> String {
    let mut word = || WORDS[random.below(16) as usize];
    let (a, b, c) = (word(), word(), word());
    let (id, query) = (random.below(1 << 30), random.below(4));
    let query = if query == 0 { format!("?page={}&amp;sort=date", random.below(100)) } else { String::new() };
    format!("https://www.{a}.example/{b}/{c}-{id}.html{query}")
}

fn date(random: &mut Random) -> String {
    let (month, day) = (random.below(12) + 1, random.below(28) + 1);
    let day = format!("2026-{month:02}-{day:02}");
    if random.below(2) == 0 {
        return day;
    }
    format!("{day}T{:02}:{:02}:{:02}+00:00", random.below(24), random.below(60), random.below(60))
}

/// Returns a sitemap whose entries have a URL, a date, a frequency and a priority.
fn plain(random: &mut Random, entries: usize) -> Vec<u8> {
    let mut text = format!("{HEAD}>\n");
    for _ in 0..entries {
        let (loc, date, priority) = (loc(random), date(random), random.below(11));
        let _ = write!(
            text,
            "  <url>\n    <loc>{loc}</loc>\n    <lastmod>{date}</lastmod>\n    \
             <changefreq>weekly</changefreq>\n    <priority>{}.{}</priority>\n  </url>\n",
            priority / 10,
            priority % 10
        );
    }
    text.push_str("</urlset>\n");
    text.into_bytes()
}

/// Returns a sitemap whose entries have images and languages. Some also have a video or an article.
fn extended(random: &mut Random, entries: usize) -> Vec<u8> {
    let mut text = format!(
        "{HEAD}\n xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\"\n \
         xmlns:video=\"http://www.google.com/schemas/sitemap-video/1.1\"\n \
         xmlns:news=\"http://www.google.com/schemas/sitemap-news/0.9\"\n \
         xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n"
    );
    for number in 0..entries {
        let page = loc(random);
        let _ = writeln!(text, "<url><loc>{page}</loc><lastmod>{}</lastmod>", date(random));
        for language in ["en", "de", "sv"] {
            let href = if language == "en" { page.clone() } else { loc(random) };
            let _ = writeln!(text, "<xhtml:link rel=\"alternate\" hreflang=\"{language}\" href=\"{href}\"/>");
        }
        for _ in 0..2 {
            let (loc, word) = (loc(random), WORDS[random.below(16) as usize]);
            let _ = writeln!(
                text,
                "<image:image><image:loc>{loc}</image:loc><image:title>A {word} &amp; its nest</image:title>\
                 </image:image>"
            );
        }
        if number % 10 == 0 {
            let (thumbnail, content) = (loc(random), loc(random));
            let _ = writeln!(
                text,
                "<video:video><video:thumbnail_loc>{thumbnail}</video:thumbnail_loc>\
                 <video:title>Fishing</video:title><video:description><![CDATA[Standing & waiting]]>\
                 </video:description><video:content_loc>{content}</video:content_loc>\
                 <video:duration>600</video:duration></video:video>"
            );
        }
        if number % 100 == 0 {
            let _ = writeln!(
                text,
                "<news:news><news:publication><news:name>The Heron</news:name>\
                 <news:language>en</news:language></news:publication>\
                 <news:publication_date>{}</news:publication_date><news:title>Fish seen</news:title></news:news>",
                date(random)
            );
        }
        text.push_str("</url>\n");
    }
    text.push_str("</urlset>\n");
    text.into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
