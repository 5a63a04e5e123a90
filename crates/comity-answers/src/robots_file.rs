//! A robots.txt with its source.

use comity::robots::{Body, Dialect, RobotsTxt};

use crate::notice::Notice;
use crate::provenance::Provenance;

/// A robots.txt: the text of a request, a file, or the answer of a site.
#[derive(Clone, Debug)]
pub struct RobotsFile {
    /// Path or URL for messages.
    pub name: String,
    /// The bytes.
    pub body: Vec<u8>,
    /// Charset in the `Content-Type` of the file.
    pub charset: Option<String>,
    /// Source of the file.
    pub provenance: Provenance,
    /// True if the body is decoded text, so that no charset applies.
    pub(crate) is_text: bool,
    /// True if the body is a page that a site serves instead of a robots.txt.
    pub is_page: bool,
}

impl RobotsFile {
    /// Creates the robots.txt for a text in a request.
    pub fn of_text(name: impl Into<String>, text: String) -> RobotsFile {
        let body = text.into_bytes();
        let provenance = Provenance::of_body(&body);
        RobotsFile { is_text: true, ..RobotsFile::new(name.into(), body, provenance) }
    }

    /// Creates the robots.txt for the bytes of a file.
    pub fn of_bytes(name: impl Into<String>, body: Vec<u8>) -> RobotsFile {
        let name = name.into();
        let provenance = Provenance::of_file(&name, &body);
        RobotsFile::new(name, body, provenance)
    }

    /// Creates a robots.txt with this source.
    pub fn new(name: String, body: Vec<u8>, provenance: Provenance) -> RobotsFile {
        RobotsFile { name, body, charset: None, provenance, is_text: false, is_page: false }
    }

    /// Returns the body as input for the engine.
    pub fn body(&self) -> Body<'_> {
        if self.is_text { Body::utf8(&self.body) } else { Body::from(&self.body) }
    }

    /// Parses the file.
    pub fn read(&self, reading: &Reading) -> RobotsTxt<'_> {
        reading.read(self.body(), self.charset.as_deref())
    }

    /// Replaces a page by an empty file, which allows everything, for operations that need rules. Returns the notice about
    /// the page, if the file was one.
    pub fn remove_page(&mut self) -> Option<Notice> {
        if !std::mem::take(&mut self.is_page) {
            return None;
        }
        self.body.clear();
        Some(Notice::of_page(&self.name))
    }
}

/// Settings for parsing a robots.txt of a request or a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The dialect; `rfc9309` if it is `None`.
    pub dialect: Option<Dialect>,
    /// The charset in the Content-Type of the file.
    pub charset: Option<String>,
}

impl Reading {
    /// Parses a body. `charset` comes from the answer, and is used unless the request sets one.
    pub fn read<'b>(&self, body: impl Into<Body<'b>>, charset: Option<&str>) -> RobotsTxt<'b> {
        let charset = self.charset.as_deref().or(charset);
        RobotsTxt::parse_with_charset(body, self.dialect.unwrap_or_default(), charset)
    }
}
