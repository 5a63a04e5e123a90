//! Where a robots.txt is that an argument names: in a file, on standard input, or on a site.
//!
//! An existing file wins. A name that ends as files do (`x.txt`, `x.html`) is a file even if there is none. What else looks
//! like a host (`example.com`) is one, reached by https, and that is said.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::input::Source;

/// The robots.txt that an argument names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// Standard input: `-`.
    Stdin,
    /// A file, or a folder with files.
    File(PathBuf),
    /// The site with this URL.
    Site {
        url: String,
        /// Only a host was named.
        is_assumed: bool,
    },
}

impl Location {
    /// Reads an argument.
    pub(crate) fn of(argument: impl AsRef<OsStr>) -> Location {
        let argument = argument.as_ref();
        let path = Path::new(argument);
        match argument.to_str() {
            Some("-") => Location::Stdin,
            Some(url) if is_url(argument) => Location::Site { url: url.to_owned(), is_assumed: false },
            Some(host) if is_host(host) && !path.exists() => {
                Location::Site { url: format!("https://{host}"), is_assumed: true }
            }
            _ => Location::File(path.to_owned()),
        }
    }

    /// Returns the file or stream; `None` for a site.
    pub(crate) fn source(&self) -> Option<Source> {
        match self {
            Location::Stdin => Some(Source::Stdin),
            Location::File(path) => Some(Source::File(path.clone())),
            Location::Site { .. } => None,
        }
    }
}

/// Endings of files that people name where a robots.txt is wanted. None of them is a top-level domain that sites use, or it
/// is much more often a file's (`.md`, `.zip`).
const FILE_ENDINGS: [&str; 22] = [
    "txt", "html", "htm", "xml", "json", "jsonl", "csv", "tsv", "md", "toml", "yaml", "yml", "gz", "zip",
    "bak", "old", "orig", "new", "log", "conf", "robots", "tmp",
];

/// Returns true if a text looks like a host, with a port and a path if need be: `example.com`, `www.example.com:8080/x`.
pub(crate) fn is_host(text: &str) -> bool {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = host.split_once(':').map_or((host, None), |(host, port)| (host, Some(port)));
    let is_port = port.is_none_or(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| {
        let is_inside = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        !label.is_empty() && !label.starts_with('-') && label.chars().all(is_inside)
    };
    if !is_port || !labels.iter().all(is_label) {
        return false;
    }
    let last = labels.last().copied().unwrap_or_default();
    let is_address = labels.len() == 4 && host.parse::<std::net::Ipv4Addr>().is_ok();
    let is_name = labels.len() > 1
        && last.chars().all(|c| c.is_alphabetic() || c == '-')
        && !FILE_ENDINGS.iter().any(|ending| ending.eq_ignore_ascii_case(last));
    is_address || is_name || (host.eq_ignore_ascii_case("localhost") && port.is_some())
}

/// Returns true if a text looks like the name of a file: `robots.txt`, `lists/urls.csv`.
pub(crate) fn is_file_name(text: &str) -> bool {
    let is_ending = |ending: &str| FILE_ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending));
    !text.starts_with('/')
        && !text.contains([':', '?', ' '])
        && text.rsplit_once('.').is_some_and(|(_, ending)| is_ending(ending))
}

/// Returns whether an argument names something on the web, not a file or a bare path.
pub(crate) fn is_url(argument: impl AsRef<OsStr>) -> bool {
    has_scheme(argument.as_ref().as_encoded_bytes())
}

/// Returns whether these bytes start as a URL of the web does.
pub(crate) fn has_scheme(text: &[u8]) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_from_files() {
        for host in [
            "example.com",
            "www.example.co.uk",
            "example.com:8080",
            "example.com/blog",
            "localhost:8000",
            "127.0.0.1",
        ] {
            assert!(is_host(host), "{host}");
        }
        for other in [
            "robots.txt",
            "old.TXT",
            "page.html",
            "robots",
            "localhost",
            "./example.com",
            "..",
            "a..b",
            "",
            "-",
            "a b.com",
            "example.com:",
            "ai.txt",
            "1.2",
        ] {
            assert!(!is_host(other), "{other}");
        }
    }

    #[test]
    fn an_existing_file_wins() {
        assert_eq!(Location::of("-"), Location::Stdin);
        assert_eq!(Location::of("Cargo.toml"), Location::File("Cargo.toml".into()));
        assert_eq!(Location::of("nothing.txt"), Location::File("nothing.txt".into()));
        let site = |url: &str, is_assumed| Location::Site { url: url.to_owned(), is_assumed };
        assert_eq!(Location::of("example.com"), site("https://example.com", true));
        assert_eq!(Location::of("http://example.com/x"), site("http://example.com/x", false));
    }

    #[test]
    fn a_scheme_makes_the_difference() {
        for url in ["http://a", "https://a/b", "HTTPS://A", "http://"] {
            assert!(is_url(url), "{url}");
        }
        for other in ["", "-", "/a", "a.txt", "example.com", "ftp://a", "https:/a", "httpsx://a", "http:"] {
            assert!(!is_url(other), "{other}");
        }
    }
}
