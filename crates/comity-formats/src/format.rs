//! Formats, compressions, and their detection.

use std::io::{self, Read};
use std::str::FromStr;

use crate::lz4::Lz4Decoder;

comity::words! {
    /// A format of pages or robots.txt answers.
    #[non_exhaustive]
    pub enum ArchiveFormat {
        /// Apache Parquet.
        Parquet = "parquet",
        /// Comma-separated values (RFC 4180), with or without a header row.
        Csv = "csv",
        /// Tab-separated values, with or without a header row.
        Tsv = "tsv",
        /// One JSON object per line.
        JsonLines = "jsonl",
        /// One URL per line.
        Urls = "urls",
        /// Index lines of web archives: fields separated by spaces, with or without the ` CDX `
        /// line that names the fields.
        Cdx = "cdx",
        /// Index lines of web archives with the fields in a JSON object, as Common Crawl and pywb write them.
        Cdxj = "cdxj",
        /// A web archive (ISO 28500).
        Warc = "warc",
        /// A ZIP file that contains WARC files. [`ArchiveInput::members`](crate::ArchiveInput::members) returns each as a
        /// separate input.
        Wacz = "wacz",
    }
}

impl ArchiveFormat {
    /// Detects the format by the first decompressed bytes of an input. The file name `name` decides if the bytes could be in
    /// several formats.
    ///
    /// ```
    /// use comity_formats::ArchiveFormat;
    ///
    /// assert_eq!(ArchiveFormat::detect(b"WARC/1.1\r\nWARC-Type: warcinfo\r\n", ""), Some(ArchiveFormat::Warc));
    /// assert_eq!(ArchiveFormat::detect(b"https://example.com/\nhttps://example.org/\n", "seeds"), Some(ArchiveFormat::Urls));
    /// assert_eq!(ArchiveFormat::detect(b"url,status\nhttps://example.com/,200\n", ""), Some(ArchiveFormat::Csv));
    /// assert_eq!(ArchiveFormat::detect(b"com,example)/ 20240301120000 {\"url\": \"x\"}\n", ""), Some(ArchiveFormat::Cdxj));
    /// ```
    pub fn detect(head: &[u8], name: &str) -> Option<ArchiveFormat> {
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        if head.starts_with(b"PAR1") {
            return Some(ArchiveFormat::Parquet);
        }
        if head.starts_with(b"PK\x03\x04") {
            return Some(ArchiveFormat::Wacz);
        }
        let text = head.trim_ascii_start();
        if text.starts_with(b"WARC/") {
            return Some(ArchiveFormat::Warc);
        }
        if head.starts_with(b" CDX ") {
            return Some(ArchiveFormat::Cdx);
        }
        let lines =
            || head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
        let line = lines().find(|line| !line.starts_with(b"#"))?;
        if line.starts_with(b"{") {
            return Some(ArchiveFormat::JsonLines);
        }
        if head.contains(&0) {
            return None;
        }
        let by_name = ArchiveFormat::of_name(name);
        if let Some(format) = by_name
            .filter(|format| matches!(format, ArchiveFormat::Csv | ArchiveFormat::Tsv | ArchiveFormat::Urls))
        {
            return Some(format);
        }
        let mut words = line.split(|byte| *byte == b' ');
        let is_captured =
            words.nth(1).is_some_and(|time| time.len() == 14 && time.iter().all(u8::is_ascii_digit));
        if is_captured {
            let rest = words.next().unwrap_or_default();
            return Some(if rest.starts_with(b"{") { ArchiveFormat::Cdxj } else { ArchiveFormat::Cdx });
        }
        if line.contains(&b'\t') {
            return Some(ArchiveFormat::Tsv);
        }
        let is_url = |line: &[u8]| line.starts_with(b"http://") || line.starts_with(b"https://");
        // A URL may contain commas. The lines are a table if the first 50 have the same number of commas.
        let is_list = is_url(line) && !line.contains(&b'"') && !fields_agree(lines().take(50));
        match line.contains(&b',') {
            true if !is_list => Some(ArchiveFormat::Csv),
            _ if is_url(line) => Some(ArchiveFormat::Urls),
            // A header, followed by a column of URLs.
            _ => lines().nth(1).is_some_and(is_url).then_some(ArchiveFormat::Csv).or(by_name),
        }
    }

    /// Returns the format for the extension of a file name. Ignores a final `.gz`, `.zst` or `.lz4`.
    pub fn of_name(name: &str) -> Option<ArchiveFormat> {
        let name = name.to_ascii_lowercase();
        let stem =
            [".gz", ".zst", ".lz4"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
        Some(match stem.rsplit_once('.')?.1 {
            "parquet" => ArchiveFormat::Parquet,
            "csv" => ArchiveFormat::Csv,
            "tsv" => ArchiveFormat::Tsv,
            "json" | "jsonl" | "ndjson" => ArchiveFormat::JsonLines,
            "txt" | "urls" | "lst" => ArchiveFormat::Urls,
            "cdx" => ArchiveFormat::Cdx,
            "cdxj" => ArchiveFormat::Cdxj,
            "warc" => ArchiveFormat::Warc,
            "wacz" => ArchiveFormat::Wacz,
            _ => return None,
        })
    }
}

/// Returns true if there are several lines, and all have the same number of commas, at least one.
fn fields_agree<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut counts = lines.map(|line| memchr::memchr_iter(b',', line).count());
    let first = counts.next();
    first.is_some_and(|first| first > 0)
        && counts.next().is_some_and(|second| Some(second) == first)
        && counts.all(|count| Some(count) == first)
}

impl FromStr for ArchiveFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        ArchiveFormat::ALL.into_iter().find(|format| format.as_str() == name).ok_or_else(|| {
            let known = ArchiveFormat::ALL.map(ArchiveFormat::as_str).join(", ");
            format!("unknown format `{name}`; must be one of: {known}")
        })
    }
}

/// Magic number of the skippable Zstandard frame in which a WARC file stores its dictionary.
pub(crate) const ZSTD_DICTIONARY: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

/// The compression of a whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// Not compressed.
    None,
    /// gzip (RFC 1952), with one member or several.
    Gzip,
    /// Zstandard (RFC 8878).
    Zstd,
    /// LZ4 frames.
    Lz4,
}

impl Compression {
    /// Detects the compression by the first bytes of an input.
    pub fn detect(head: &[u8]) -> Compression {
        match head {
            [0x1f, 0x8b, 8, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            _ if head.starts_with(&ZSTD_DICTIONARY) => Compression::Zstd,
            [0x04, 0x22, 0x4d, 0x18, ..] => Compression::Lz4,
            _ => Compression::None,
        }
    }

    /// Returns a reader of the decompressed bytes.
    pub(crate) fn decoder(self, bytes: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Compression::None => Box::new(bytes),
            Compression::Gzip => Box::new(LastingErrors::new(flate2::read::MultiGzDecoder::new(bytes))),
            Compression::Zstd => Box::new(LastingErrors::new(zstd::stream::read::Decoder::new(bytes)?)),
            Compression::Lz4 => Box::new(LastingErrors::new(Lz4Decoder::new(bytes))),
        })
    }
}

/// A decoder whose first error is returned by each later read, too. Some decoders return an error once, and then the end of
/// the data, so that the file would look empty.
struct LastingErrors<R> {
    decoder: R,
    error: Option<(io::ErrorKind, String)>,
}

impl<R> LastingErrors<R> {
    fn new(decoder: R) -> Self {
        LastingErrors { decoder, error: None }
    }
}

impl<R: Read> Read for LastingErrors<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some((kind, message)) = &self.error {
            return Err(io::Error::new(*kind, message.clone()));
        }
        let read = self.decoder.read(buffer);
        if let Err(error) = &read
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.error = Some((error.kind(), error.to_string()));
        }
        read
    }
}
