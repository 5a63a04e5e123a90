//! Writes bodies into a folder: one file per URL, under a unique name that shows its host and path.
//!
//! URLs are untrusted, so a name keeps only letters, digits, dots and dashes. A digest of the URL makes names unique. A
//! file appears under its name when it is complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::exit::{Failure, reason};
use comity_answers::files;

/// The folder for bodies.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

/// A file that was written.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(super) struct SavedFile {
    /// The path of the file.
    pub(super) path: PathBuf,
    /// The number of bytes.
    pub(super) bytes: usize,
    /// The form of the text: `original` or `markdown`.
    pub(super) form: &'static str,
}

/// Maximum length of the host and of the path in a file name. So the whole name stays below the limit of file systems.
const LONGEST_PART: usize = 80;

impl Folder {
    /// Creates the folder if necessary.
    pub(super) fn open(path: &Path) -> Result<Folder, Failure> {
        let folder = Folder { path: path.to_owned() };
        fs::create_dir_all(path).map_err(|error| folder.failure(path, &error))?;
        files::tidy(path);
        Ok(folder)
    }

    /// Writes a body, and returns the path of its file.
    pub(super) fn write(&self, url: &str, extension: &str, body: &[u8]) -> Result<PathBuf, Failure> {
        let name = name(url, extension);
        let path = self.path.join(&name);
        files::within_folder(&path, body).map_err(|error| self.failure(&path, &error))?;
        Ok(path)
    }

    fn failure(&self, path: &Path, error: &io::Error) -> Failure {
        let path = crate::render::text(path.as_os_str().as_encoded_bytes()).into_owned();
        Failure::new(format!("cannot write `{path}`: {}", reason(error)))
    }
}

/// Writes a body to the file that the user names, as a whole or not at all.
pub(super) fn write(path: &Path, body: &[u8]) -> Result<PathBuf, Failure> {
    files::whole(path, body).map_err(|error| {
        let path = crate::render::text(path.as_os_str().as_encoded_bytes()).into_owned();
        Failure::new(format!("cannot write `{path}`: {}", reason(&error)))
    })?;
    Ok(path.to_owned())
}

/// Returns the file name for a URL, such as `example.com_docs-start_4f2a9c01b7de.html`.
fn name(url: &str, extension: &str) -> String {
    let parsed = url.parse::<url::Url>().ok();
    let host = parsed.as_ref().and_then(|url| url.host_str()).map(plain).unwrap_or_default();
    let path = parsed.as_ref().map(|url| plain(url.path())).unwrap_or_default();
    let digest: String =
        Sha256::digest(url.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    let parts = [host.as_str(), path.as_str(), digest.as_str()].into_iter().filter(|part| !part.is_empty());
    format!("{}.{extension}", parts.collect::<Vec<_>>().join("_"))
}

/// Keeps letters, digits and dots, and replaces each other character by a dash. Removes repeated dots and dashes, and
/// dots and dashes at both ends.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        let is_mark = |c: char| c == '-' || c == '.';
        if !(is_mark(c) && (out.is_empty() || out.ends_with(is_mark))) {
            out.push(c);
        }
        if out.len() == LONGEST_PART {
            break;
        }
    }
    out.trim_end_matches(['-', '.']).to_owned()
}

/// Returns the usual file extension of a media type, else the extension of the URL, else `bin`.
pub(super) fn extension(content_type: Option<&str>, url: &str) -> String {
    let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let known = match essence.to_ascii_lowercase().as_str() {
        "text/html" => "html",
        "application/xhtml+xml" => "xhtml",
        "text/markdown" | "text/x-markdown" => "md",
        "text/plain" => "txt",
        "text/css" => "css",
        "text/csv" => "csv",
        "text/javascript" | "application/javascript" => "js",
        "application/json" => "json",
        "application/xml" | "text/xml" => "xml",
        "application/rss+xml" => "rss",
        "application/atom+xml" => "atom",
        "application/pdf" => "pdf",
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/svg+xml" => "svg",
        "image/webp" => "webp",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let path = url.parse::<url::Url>().map(|url| url.path().to_owned()).unwrap_or_default();
    let own = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, own)| own);
    match own {
        Some(own) if (1..=5).contains(&own.len()) && own.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            own.to_ascii_lowercase()
        }
        _ => "bin".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_any_url_has_only_plain_characters() {
        for (url, start) in [
            ("https://example.com/docs/start?x=1", "example.com_docs-start_"),
            ("https://example.com/", "example.com_"),
            ("http://[::1]:8000/../../etc/passwd", "1_etc-passwd_"),
            ("https://example.com/..%2f..%2fetc", "example.com_2f.2fetc_"),
            ("https://example.com/.hidden/-x", "example.com_hidden-x_"),
            ("https://example.com/con\u{202e}txt\0x", "example.com_con-E2-80-AEtxt-00x_"),
            ("https://example.com/a\\..\\..\\x", "example.com_x_"),
            ("not a url", ""),
        ] {
            let name = name(url, "html");
            assert!(name.starts_with(start), "{url}: {name}");
            assert!(name.ends_with(".html") && name.len() < 200, "{name}");
            assert!(!name.starts_with('.') && !name.contains(['/', '\\', '\0']), "{name}");
            assert!(
                name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte)),
                "{name}"
            );
        }
        let long = format!("https://example.com/{}", "a".repeat(5_000));
        assert!(name(&long, "html").len() < 200);
    }

    #[test]
    fn similar_urls_have_different_names() {
        let names =
            ["https://a.example/x?1", "https://a.example/x?2", "https://a.example/x", "http://a.example/x"]
                .map(|url| name(url, "html"));
        for (index, one) in names.iter().enumerate() {
            assert!(!names[..index].contains(one), "{names:?}");
        }
    }

    #[test]
    fn extension_is_that_of_the_media_type_or_else_of_the_url() {
        for (content_type, url, expected) in [
            (Some("Text/HTML; charset=utf-8"), "https://a.example/x.php", "html"),
            (None, "https://a.example/x.TXT", "txt"),
            (Some("application/x-thing"), "https://a.example/x.tar.gz", "gz"),
            (None, "https://a.example/x.a%2fb", "bin"),
            (None, "https://a.example/x", "bin"),
        ] {
            assert_eq!(extension(content_type, url), expected, "{url}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn symbolic_link_is_replaced_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let outside = folder.path().join("outside");
        fs::write(&outside, "untouched").unwrap();
        let pages = Folder::open(&folder.path().join("pages")).unwrap();
        let url = "https://a.example/x";
        std::os::unix::fs::symlink(&outside, pages.path.join(name(url, "txt"))).unwrap();
        let path = pages.write(url, "txt", b"body").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"body");
        assert_eq!(fs::read(&outside).unwrap(), b"untouched");
    }
}
