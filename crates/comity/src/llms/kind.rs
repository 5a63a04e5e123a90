//! Determines the kind of a body before it is parsed. Half of the successful answers for `/llms.txt` are not an
//! llms.txt.

use serde::de::IgnoredAny;

use super::blocks::{Blocks, Kind, yaml_key};
use super::inline;
use super::text::Lines;
use crate::words::words;

words! {
    /// The kind of the body of an answer for `/llms.txt`.
    BodyKind as "kind of body" {
        /// Markdown: at least one element except text, rules and bare URLs, such as a heading, an item or a link.
        Markdown = "markdown",
        /// Text without Markdown. Bare URLs are read as links.
        PlainText = "plain_text",
        /// Only white space.
        Empty = "empty",
        /// An HTML or XML document.
        Html = "html",
        /// JSON.
        Json = "json",
        /// A robots.txt file.
        RobotsTxt = "robots_txt",
        /// A YAML document (not Markdown with front matter).
        Yaml = "yaml",
        /// Not text: compressed data, an image, or similar.
        Binary = "binary",
    }
}

impl BodyKind {
    /// Returns true if titles, sections and links are read from this kind of body.
    pub const fn is_read(self) -> bool {
        matches!(self, BodyKind::Markdown | BodyKind::PlainText)
    }
}

/// Maximum number of lines that are examined to detect robots.txt and YAML.
const LINES: usize = 400;

/// Tags that start HTML and XML documents, but not Markdown that contains HTML.
const DOCUMENT_TAGS: [&str; 10] =
    ["!doctype", "?xml", "html", "head", "body", "script", "meta", "style", "title", "link"];

/// Returns the kind of a body, given its bytes and its decoded text.
pub(super) fn detect(body: &[u8], text: &str) -> BodyKind {
    let bare = text.trim();
    if is_binary(body, bare) {
        BodyKind::Binary
    } else if bare.is_empty() {
        BodyKind::Empty
    } else if is_document(bare) {
        BodyKind::Html
    } else if is_json(bare) {
        BodyKind::Json
    } else if is_robots_txt(bare) {
        BodyKind::RobotsTxt
    } else if is_yaml(bare) {
        BodyKind::Yaml
    } else if has_markdown(text) {
        BodyKind::Markdown
    } else {
        BodyKind::PlainText
    }
}

/// Returns true if a body is binary: it starts with a known magic number, or at least 8 and more than a tenth of its
/// first 1,000 characters were undecodable.
fn is_binary(body: &[u8], bare: &str) -> bool {
    let magics: [&[u8]; 7] =
        [b"\x1F\x8B", b"PK\x03\x04", b"%PDF-", b"\x89PNG", b"\xFF\xD8\xFF", b"GIF8", b"\x28\xB5\x2F\xFD"];
    let replaced = bare.chars().take(1000).filter(|&c| c == char::REPLACEMENT_CHARACTER).count();
    magics.iter().any(|magic| body.starts_with(magic))
        || (replaced >= 8 && replaced * 10 > bare.chars().take(1000).count())
}

fn is_document(bare: &str) -> bool {
    let mut rest = bare;
    while let Some((_, after)) = rest.strip_prefix("<!--").and_then(|comment| comment.split_once("-->")) {
        rest = after.trim_start();
    }
    let Some(tag) = rest.strip_prefix('<') else { return false };
    DOCUMENT_TAGS.iter().any(|name| {
        let is_name = tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        is_name && !tag[name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-')
    })
}

/// Returns true if the body is JSON of any type, or looks like an object or array. Markdown such as `[name](url)` and
/// `[SECTION]` does not.
fn is_json(bare: &str) -> bool {
    let inner = bare.get(1..).unwrap_or_default().trim_start();
    let looks_like_json = match (bare.as_bytes().first(), bare.as_bytes().last()) {
        (Some(b'{'), Some(b'}')) => inner.starts_with(['"', '}']),
        (Some(b'['), Some(b']')) => inner.starts_with(['"', '{', '[', ']']) && !bare.contains("]("),
        _ => false,
    };
    looks_like_json || serde_json::from_str::<IgnoredAny>(bare).is_ok()
}

/// Returns true if a body is a robots.txt: it has a record such as `User-agent` or `Disallow`, and at least half of its
/// lines other than comments are records. A body with a link or a heading of level 2 or deeper is Markdown.
fn is_robots_txt(bare: &str) -> bool {
    let (mut records, mut others, mut decides) = (0, 0, false);
    for line in Lines::new(bare).take(LINES).map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with("##") && line.trim_start_matches('#').starts_with(' ') || line.contains("](") {
            return false;
        }
        if line.starts_with('#') {
            continue;
        }
        let key = line.split_once(':').map(|(key, _)| key.trim().to_ascii_lowercase());
        match key.as_deref() {
            Some("user-agent" | "disallow" | "allow" | "crawl-delay") => {
                records += 1;
                decides = true;
            }
            Some(
                "sitemap" | "host" | "clean-param" | "request-rate" | "visit-time" | "content-signal"
                | "content-usage",
            ) => {
                records += 1;
            }
            _ => others += 1,
        }
    }
    decides && records >= others
}

/// Returns true if a body is YAML: every line without indentation is a key, an item or a comment, and at least three of
/// them are keys.
fn is_yaml(bare: &str) -> bool {
    let mut keys = 0;
    for line in Lines::new(bare).take(LINES).filter(|line| !line.trim().is_empty()) {
        let is_margin = !line.starts_with([' ', '\t']);
        if line.contains("](") {
            return false;
        }
        if is_margin && yaml_key(line).is_some() {
            keys += 1;
        } else if is_margin && !line.starts_with("- ") && !line.starts_with('#') && line.trim() != "---" {
            return false;
        }
    }
    // A comment at the start could also be a heading.
    keys >= 3 && !bare.starts_with('#')
}

fn has_markdown(text: &str) -> bool {
    Blocks::new(text).any(|line| match line.kind {
        Kind::Blank | Kind::Rule => false,
        Kind::Text => inline::links(line.text).iter().any(|link| link.form != inline::LinkForm::Bare),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> BodyKind {
        detect(text.as_bytes(), text)
    }

    #[test]
    fn each_other_format_is_detected() {
        assert_eq!(kind(" \n"), BodyKind::Empty);
        assert_eq!(kind("<!-- x --> <!DOCTYPE html><p>"), BodyKind::Html);
        assert_eq!(kind("<script>location='/'</script>"), BodyKind::Html);
        assert_eq!(kind("{\"code\": 110}"), BodyKind::Json);
        for text in ["[{\"a\": 1}]", "\"# Reed\\n\"", "[1, 2]", "404", "null"] {
            assert_eq!(kind(text), BodyKind::Json, "{text}");
        }
        assert_eq!(kind("Crawl-Delay: 5\nAllow: /"), BodyKind::RobotsTxt);
        assert_eq!(kind("# robots\nUser-agent: *\nDisallow:"), BodyKind::RobotsTxt);
        assert_eq!(kind("site: x\nowner: y\nagents:\n  allow: all\n"), BodyKind::Yaml);
        assert_eq!(detect(b"\x1F\x8B\x08", "\u{1f}\u{fffd}"), BodyKind::Binary);
        assert_eq!(kind("not found"), BodyKind::PlainText);
    }

    #[test]
    fn markdown_that_resembles_another_format_is_markdown() {
        assert_eq!(kind("<div align=center>\n\n# T\n</div>"), BodyKind::Markdown);
        assert_eq!(kind("<header-image>\n\n# T"), BodyKind::Markdown);
        assert_eq!(kind("[French](/fr.txt)\n"), BodyKind::Markdown);
        assert_eq!(kind("[A]\n- b\n[C]"), BodyKind::Markdown);
        assert_eq!(kind("\"Reed\" makes tools, says \"Marsh\""), BodyKind::PlainText);
        assert_eq!(kind("# T\n\nAllow: all\n\n## Docs\n- [a](b)"), BodyKind::Markdown);
        assert_eq!(kind("# T\nsite: x\nowner: y\nmail: z\n"), BodyKind::Markdown);
        assert_eq!(kind("Allow me to introduce: us\nmore\nmore"), BodyKind::PlainText);
    }

    #[test]
    fn names_of_kinds_are_distinct() {
        let names: std::collections::BTreeSet<_> = BodyKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(names.len(), BodyKind::ALL.len());
    }
}
