//! A robots.txt in a separate file, whose path contains the site and perhaps the time of the capture.

use std::sync::Arc;

use arrow_array::RecordBatch;

use super::rows::{Capture, CaptureRows};
use crate::error::ArchiveError;
use crate::format::ArchiveFormat;
use crate::times;

/// The site and the time in the path of a robots.txt file: `example.com.txt`, `example.com/robots.txt`,
/// `example.com/20240301120000.txt`, `example.com/robots-20240301.txt`, `example.com_2024-03-01.txt`.
///
/// ```
/// use comity_formats::CaptureFile;
///
/// let file = CaptureFile::of_path("example.com/20240301120000.txt").expect("a site and a time");
/// assert_eq!(file.host(), "example.com");
/// assert_eq!(file.fetched_at(), Some(1_709_294_400_000_000));
/// assert_eq!(CaptureFile::of_path("robots.txt"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureFile {
    host: String,
    fetched_at: Option<i64>,
}

impl CaptureFile {
    /// Parses a path relative to the folder of captures, with `/` as separator. Returns `None` if no part of it is a site.
    pub fn of_path(path: &str) -> Option<CaptureFile> {
        let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let name = parts.pop()?;
        let stem =
            name.rsplit_once('.').filter(|(_, ending)| is_ending(ending)).map_or(name, |(stem, _)| stem);
        // If the file name has no host, the nearest folder with the name of a host is the site.
        if let Some(file) = of_name(stem) {
            return Some(file);
        }
        let (folders, fetched_at) = match parts.split_last() {
            // Example: `example.com/20240301120000/robots.txt`
            Some((last, folders)) if moment(last).is_some() => (folders, moment(last)),
            _ => (&*parts, None),
        };
        let host = folders.iter().rev().find_map(|part| host(part))?;
        Some(CaptureFile { host, fetched_at: time_in(stem).or(fetched_at) })
    }

    /// Returns the host, with the port if the path has one (`example.com_8080`).
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the time in the path, in microseconds since 1970.
    pub fn fetched_at(&self) -> Option<i64> {
        self.fetched_at
    }

    /// Returns the file as a capture of status 200 with this body. `otherwise` is the time if the path has no time. `source` is
    /// the location of the file.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError`] if Arrow rejects the columns.
    pub fn capture(
        &self,
        body: &[u8],
        otherwise: Option<i64>,
        source: &str,
    ) -> Result<RecordBatch, ArchiveError> {
        let mut rows = CaptureRows::default();
        let capture = Capture {
            key: self.host.clone(),
            fetched_at: self.fetched_at.or(otherwise),
            status: Some(200),
            body: Some(Arc::from(body)),
            ..Capture::default()
        };
        rows.push(&capture, source);
        rows.finish().map_err(|error| ArchiveError::broken(source, ArchiveFormat::Urls, error))
    }
}

fn is_ending(ending: &str) -> bool {
    matches!(ending.to_ascii_lowercase().as_str(), "txt" | "robots" | "robotstxt")
}

/// Parses a name with a host, such as `example.com`, `example.com_20240301`, `example.com-2024-03-01`.
fn of_name(stem: &str) -> Option<CaptureFile> {
    let with_time = stem.match_indices(['_', '-', '@']).find_map(|(at, _)| {
        let (host, fetched_at) = (host(stem.get(..at)?)?, moment(stem.get(at + 1..)?)?);
        Some(CaptureFile { host, fetched_at: Some(fetched_at) })
    });
    with_time.or_else(|| Some(CaptureFile { host: host(stem)?, fetched_at: None }))
}

/// Parses a name with a time, such as `20240301120000`, `robots-20240301`, `2024-03-01T12_00_00Z`.
fn time_in(stem: &str) -> Option<i64> {
    moment(stem).or_else(|| {
        let rest = stem.strip_prefix("robots")?.strip_prefix(['-', '_', '.', '@'])?;
        moment(
            rest.strip_prefix("txt").and_then(|rest| rest.strip_prefix(['-', '_', '.', '@'])).unwrap_or(rest),
        )
    })
}

/// Parses a time in a file name, in which another character often replaces `:`.
fn moment(text: &str) -> Option<i64> {
    /// From 1990 to 2100. Digits outside of this range are not a time.
    const SINCE_THE_WEB: std::ops::Range<i64> = 631_152_000_000_000..4_102_444_800_000_000;
    let time = times::micros(text).or_else(|| {
        let (date, time) = text.split_once(['T', 't'])?;
        times::micros(&format!("{date}T{}", time.replace(['_', '-', '.'], ":")))
    });
    time.filter(|time| SINCE_THE_WEB.contains(time))
}

/// Parses a host in a file name: labels separated by dots, and a port after `_` or `:`.
fn host(text: &str) -> Option<String> {
    let (name, port) = match text.rsplit_once(['_', ':']).filter(|(_, port)| is_port(port)) {
        Some((name, port)) => (name, Some(port)),
        None => (text, None),
    };
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let last = name.rsplit('.').next()?;
    let is_host = (name.contains('.') || name == "localhost") && name.split('.').all(is_label);
    // A name whose last label consists of digits must be an IPv4 address.
    let is_named =
        !last.bytes().all(|byte| byte.is_ascii_digit()) || name.parse::<std::net::Ipv4Addr>().is_ok();
    let is_file = matches!(last, "txt" | "gz" | "robots");
    (is_host && is_named && !is_file).then(|| match port {
        Some(port) => format!("{}:{port}", name.to_ascii_lowercase()),
        None => name.to_ascii_lowercase(),
    })
}

/// Returns whether a text is a port, and not a year.
fn is_port(text: &str) -> bool {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits && text.parse::<u16>().is_ok_and(|port| !(1990..2100).contains(&port))
}
