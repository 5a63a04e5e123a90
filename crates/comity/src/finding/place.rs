//! The place of a finding: the document, its part, the line, the bytes. Fields that do not apply are `None`.

use std::fmt;
use std::ops::Range;

use crate::words::words;

words! {
    /// The type of document that contains a finding.
    Channel as "channel" {
        /// robots.txt.
        RobotsTxt = "robots_txt",
        /// The HTTP header of the answer.
        HttpHeader = "http_header",
        /// The page's HTML.
        Html = "html",
        /// `/.well-known/tdmrep.json`.
        TdmrepJson = "tdmrep_json",
        /// An RSL document.
        RslDocument = "rsl_document",
        /// A sitemap.
        Sitemap = "sitemap",
        /// llms.txt.
        LlmsTxt = "llms_txt",
    }
}

/// The place of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Place {
    /// The document.
    pub channel: Channel,
    /// The header field, or the element of a page: `X-Robots-Tag`, `meta`.
    pub part: Option<String>,
    /// The number of the part among the parts of its kind, or the number of the rule in `tdmrep.json`, from 1.
    pub number: Option<u64>,
    /// The line, from 1. Lines of a sitemap end at LF, lines of robots.txt, llms.txt and HTML at CR, LF or CRLF.
    pub line: Option<u64>,
    /// The column in the line, in bytes, from 1.
    pub column: Option<u64>,
    /// The offset of the first byte, from the start of the document as served. In a sitemap, it counts from the start
    /// of the uncompressed UTF-8 text; in a page that is not in UTF-8, from the start of its text in UTF-8; in a
    /// header, from the start of the field value.
    pub start: Option<u64>,
    /// The offset of the byte after the last one. It is equal to `start` for a place between two bytes.
    pub end: Option<u64>,
}

impl Place {
    /// Makes a place that covers the whole document.
    pub(crate) const fn new(channel: Channel) -> Self {
        Place { channel, part: None, number: None, line: None, column: None, start: None, end: None }
    }

    /// Makes the place of a part of a line.
    pub(crate) fn stretch(channel: Channel, line: u32, column: usize, span: Range<usize>) -> Self {
        Place {
            line: Some(line.into()),
            column: Some(column as u64),
            start: Some(span.start as u64),
            end: Some(span.end as u64),
            ..Place::new(channel)
        }
    }

    /// Makes the place of a line.
    #[cfg(any(feature = "usage", feature = "llms"))]
    pub(crate) fn line(channel: Channel, line: u32) -> Self {
        Place { line: Some(line.into()), ..Place::new(channel) }
    }

    /// Returns the byte range of the place, if it is known.
    ///
    /// ```
    /// use comity::robots::lint::lint;
    ///
    /// let body = b"User-agent: *\nDisallow /private\n";
    /// let findings = lint(body);
    /// assert_eq!(findings[0].place().span(), Some(14..22));
    /// ```
    pub fn span(&self) -> Option<Range<usize>> {
        let offset = |at: Option<u64>| usize::try_from(at?).ok();
        Some(offset(self.start)?..offset(self.end)?)
    }

    /// Returns a key that orders places as in the document.
    pub(crate) fn order(&self) -> (Channel, [Option<u64>; 4]) {
        (self.channel, [self.line, self.number, self.start, self.end])
    }
}

/// Writes `line 3`; `line 5 of the page, in <meta>`; `X-Robots-Tag #2, byte 7`; `rule 3 of tdmrep.json`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = self.part.as_deref();
        match (self.channel, part, self.line, self.number) {
            (Channel::HttpHeader, Some(field), ..) => {
                f.write_str(field)?;
                if let Some(number) = self.number {
                    write!(f, " #{number}")?;
                }
                match self.start {
                    Some(start) => write!(f, ", byte {start}"),
                    None => Ok(()),
                }
            }
            (Channel::HttpHeader, None, ..) => f.write_str("the header"),
            (Channel::Html, Some(element), Some(line), _) => {
                write!(f, "line {line} of the page, in <{element}>")
            }
            (Channel::Html, _, Some(line), _) => write!(f, "line {line} of the page"),
            (Channel::Html, ..) => f.write_str("the page"),
            (Channel::TdmrepJson, _, _, Some(number)) => write!(f, "rule {number} of tdmrep.json"),
            (_, _, Some(line), _) => write!(f, "line {line}"),
            (channel, ..) => write!(f, "the {}", channel.name()),
        }
    }
}

impl Channel {
    /// Returns the name of the document for messages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Channel::RobotsTxt => "robots.txt",
            Channel::HttpHeader => "header",
            Channel::Html => "page",
            Channel::TdmrepJson => "tdmrep.json",
            Channel::RslDocument => "RSL document",
            Channel::Sitemap => "sitemap",
            Channel::LlmsTxt => "llms.txt",
        }
    }
}
