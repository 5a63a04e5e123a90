//! HTML as Markdown, through `htmd`.
//!
//! The library walks the tree by recursion, so how deep a page nests is counted first: a stranger's page must not be
//! able to use up the stack.

use std::collections::HashMap;
use std::fmt;

use html5gum::{Token, Tokenizer};

use super::page::Page;

/// Deeper pages are refused. Browsers stop nesting at 512 elements.
const MAX_DEPTH: usize = 512;

/// What is no text for readers.
const SKIPPED: [&str; 10] =
    ["head", "script", "style", "noscript", "template", "svg", "iframe", "object", "form", "nav"];

/// Elements that never have content.
const VOID: [&[u8]; 13] = [
    b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta", b"source",
    b"track", b"wbr",
];

impl Page {
    /// The page as Markdown. What is text already comes as it is.
    ///
    /// # Errors
    ///
    /// [`MarkdownError`] if the page is neither HTML nor text, or nests too deep.
    pub fn to_markdown(&self) -> Result<String, MarkdownError> {
        let text = self.text();
        if !self.is_html() {
            return match self.is_text() {
                true => Ok(text),
                false => Err(MarkdownError::NoText),
            };
        }
        if depth(&text) > MAX_DEPTH {
            return Err(MarkdownError::TooDeep);
        }
        let converter = htmd::HtmlToMarkdown::builder().skip_tags(SKIPPED.to_vec()).build();
        converter.convert(&text).map_err(|error| MarkdownError::Unreadable(error.to_string()))
    }
}

/// At least as deep as elements nest: those that are open, whatever closes them.
fn depth(html: &str) -> usize {
    let mut open: HashMap<Vec<u8>, usize> = HashMap::new();
    let (mut now, mut most) = (0_usize, 0);
    for token in Tokenizer::new(html) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) if !VOID.contains(&tag.name.as_slice()) => {
                *open.entry(tag.name.to_vec()).or_default() += 1;
                now += 1;
                most = most.max(now);
            }
            Token::EndTag(tag) => {
                // An end without a beginning closes nothing.
                if let Some(count) = open.get_mut(tag.name.as_slice()).filter(|count| **count > 0) {
                    *count -= 1;
                    now -= 1;
                }
            }
            _ => {}
        }
    }
    most
}

/// Why there is no Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MarkdownError {
    /// It is neither HTML nor text.
    NoText,
    /// It nests deeper than any page that is meant to be read.
    TooDeep,
    /// The library could not read it: what it says.
    Unreadable(String),
}

impl fmt::Display for MarkdownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MarkdownError::NoText => f.write_str("it is neither HTML nor text"),
            MarkdownError::TooDeep => write!(f, "its elements nest more than {MAX_DEPTH} deep"),
            MarkdownError::Unreadable(error) => f.write_str(error),
        }
    }
}

impl std::error::Error for MarkdownError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_what_is_open() {
        assert_eq!(depth("<p>a<br>b</p><p>c</p>"), 1);
        assert_eq!(depth("<div><p>a</div><div>b</div>"), 2);
        assert_eq!(depth(&"<b>".repeat(100_000)), 100_000);
        assert_eq!(depth(&"<i></x>".repeat(1_000)), 1_000);
    }
}
