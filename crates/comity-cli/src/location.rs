//! The location of a robots.txt in an argument: a file, standard input, or a site.
//!
//! An existing file has precedence over a host. A name with a file extension (`x.txt`, `x.html`) is a file even if it
//! does not exist. Any other name that looks like a host (`example.com`) is a site, which is contacted by https; the
//! command prints a note about the scheme.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use comity_answers::url::{has_web_scheme, is_host};

use crate::input::Source;

/// The location of a robots.txt in an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// Standard input: `-`.
    Stdin,
    /// A file, or a folder with files.
    File(PathBuf),
    /// The site with this URL.
    Site {
        url: String,
        /// True if the argument is a host without a scheme, so that `https` is assumed.
        is_assumed: bool,
    },
}

impl Location {
    /// Classifies an argument.
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

/// Returns true if an argument begins with `http://` or `https://`.
pub(crate) fn is_url(argument: impl AsRef<OsStr>) -> bool {
    has_web_scheme(argument.as_ref().as_encoded_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn existing_file_has_precedence_over_host() {
        assert_eq!(Location::of("-"), Location::Stdin);
        assert_eq!(Location::of("Cargo.toml"), Location::File("Cargo.toml".into()));
        assert_eq!(Location::of("nothing.txt"), Location::File("nothing.txt".into()));
        let site = |url: &str, is_assumed| Location::Site { url: url.to_owned(), is_assumed };
        assert_eq!(Location::of("example.com"), site("https://example.com", true));
        assert_eq!(Location::of("http://example.com/x"), site("http://example.com/x", false));
    }

    #[test]
    fn argument_with_web_scheme_is_url() {
        for url in ["http://a", "https://a/b", "HTTPS://A", "http://"] {
            assert!(is_url(url), "{url}");
        }
        for other in ["", "-", "/a", "a.txt", "example.com", "ftp://a", "https:/a", "httpsx://a", "http:"] {
            assert!(!is_url(other), "{other}");
        }
    }
}
