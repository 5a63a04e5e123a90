//! The reader of llms.txt files, and its options.
//!
//! This module applies the limits, decodes the text and determines the kind of body. `build` converts the lines to an
//! [`LlmsTxt`].

use url::Url;

use super::build::Build;
use super::file::LlmsTxt;
use super::file_findings::FileFindings;
use super::kind::{self, BodyKind};
use super::kinds;
use super::limits::{DEFAULT_MAX_BYTES, DEFAULT_MAX_LINKS};
use super::text;
use crate::finding::Kind;

/// A reader of llms.txt files, with options.
///
/// ```
/// use comity::llms::Reader;
/// use url::Url;
///
/// let reader = Reader::new().url(Url::parse("https://example.com/docs/llms.txt")?);
/// let llms = reader.read("# Docs\n\n## Pages\n\n- [Start](start.md)\n- [Elsewhere](https://example.org/)\n");
/// let links: Vec<_> = llms.links().collect();
/// assert_eq!(links[0].url().map(|url| url.as_str()), Some("https://example.com/docs/start.md"));
/// assert_eq!((links[0].is_external(), links[1].is_external()), (Some(false), Some(true)));
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reader {
    url: Option<Url>,
    charset: Option<String>,
    max_bytes: usize,
    max_links: usize,
}

impl Default for Reader {
    fn default() -> Self {
        Reader::new()
    }
}

impl Reader {
    /// Creates a reader with the default limits, without URL and charset of the file.
    pub const fn new() -> Self {
        Reader { url: None, charset: None, max_bytes: DEFAULT_MAX_BYTES, max_links: DEFAULT_MAX_LINKS }
    }

    /// Sets the URL of the file, the base of relative links. Links to other origins are external.
    pub fn url(mut self, url: Url) -> Self {
        self.url = Some(url);
        self
    }

    /// Sets the charset of the answer's `Content-Type`, in which lines that are not UTF-8 are decoded. Default:
    /// windows-1252.
    pub fn charset(mut self, label: impl Into<String>) -> Self {
        self.charset = Some(label.into());
        self
    }

    /// Sets the maximum number of bytes that are read. Default: [`DEFAULT_MAX_BYTES`].
    pub const fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets the maximum number of links that are stored. Default: [`DEFAULT_MAX_LINKS`].
    pub const fn max_links(mut self, links: usize) -> Self {
        self.max_links = links;
        self
    }

    /// Reads a file. Reading never fails. Time and memory are linear in the number of bytes that are read.
    pub fn read(&self, body: impl AsRef<[u8]>) -> LlmsTxt {
        let body = body.as_ref();
        let mut findings = FileFindings::default();
        let text = text::read(body, self.max_bytes, self.charset.as_deref(), &mut findings);
        let kind = kind::detect(body, &text.text);
        if let Some(finding) = kind_finding(kind) {
            findings.add(finding, 1, "");
        }
        let mut build = Build::new(self.url.clone(), self.max_links, findings);
        build.out.kind = kind;
        build.out.is_truncated = text.is_truncated;
        if kind.is_read() {
            build.read(&text.text);
        } else {
            build.out.lines = u32::try_from(text::Lines::new(&text.text).count()).unwrap_or(u32::MAX);
        }
        build.finish()
    }
}

impl LlmsTxt {
    /// Reads a file with the default options of [`Reader`].
    ///
    /// Parsing never fails: for any bytes, the result contains the elements that were found.
    pub fn parse(body: impl AsRef<[u8]>) -> LlmsTxt {
        Reader::new().read(body)
    }
}

/// Returns the kind of finding for a body that is not Markdown.
fn kind_finding(kind: BodyKind) -> Option<&'static Kind> {
    match kind {
        BodyKind::Markdown => None,
        BodyKind::PlainText => Some(&kinds::PLAIN_TEXT),
        BodyKind::Empty => Some(&kinds::EMPTY_BODY),
        BodyKind::Html => Some(&kinds::HTML_BODY),
        BodyKind::Json => Some(&kinds::JSON_BODY),
        BodyKind::RobotsTxt => Some(&kinds::ROBOTS_TXT_BODY),
        BodyKind::Yaml => Some(&kinds::YAML_BODY),
        BodyKind::Binary => Some(&kinds::BINARY_BODY),
    }
}

#[cfg(test)]
mod tests {
    use super::super::steps;
    use super::*;

    #[test]
    fn work_is_linear_in_the_size_of_the_file() {
        let pieces = [
            "\n",
            "# a\n",
            "## a\n",
            "a\n---\n",
            "> a\n",
            "- [a](b): c\n",
            "- a\n",
            "  b\n",
            "---\n",
            "a: b\n",
            "<!--",
            "```\n",
            "- [a](https://x.example/a_(b)) - c\n",
            "| a | https://x.example |\n",
            "`",
            "&gt; a\n",
            "-[a](b\n",
            "- [a",
            "a. b? ",
        ];
        for piece in pieces {
            for start in ["", "# T\n> S\n\n## D\n", "---\nkey: value\n"] {
                let of = |size: usize| {
                    let body = format!("{start}{}", piece.repeat(size / piece.len()));
                    steps::of(|| drop(LlmsTxt::parse(&body)))
                };
                let (small, large) = (of(10_000), of(60_000));
                assert!(large <= 7 * small, "{start}{piece}: {small}, then {large}");
            }
        }
    }
}
