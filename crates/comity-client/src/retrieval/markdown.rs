//! A page as Markdown.

use std::fmt;

use comity::html::MarkdownOptions;

use super::page::Page;
use super::record::Warning;

/// A page as Markdown, and what had to be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Markdown {
    /// The text.
    pub text: String,
    /// What the bounds of the conversion left out: `nesting`, `address`, `length`.
    pub warnings: Vec<Warning>,
}

impl Page {
    /// The page as Markdown. What is text already comes as it is.
    ///
    /// Links and images are written absolute. Any HTML converts, in time and memory that grow with its size alone:
    /// what runs into a bound is left out, and the warnings say so ([`comity::html::Cut`]). The record keeps no
    /// warnings of a conversion; whoever writes the record beside the Markdown adds them.
    ///
    /// # Errors
    ///
    /// [`MarkdownError`] if the page is neither HTML nor text.
    pub fn to_markdown(&self) -> Result<Markdown, MarkdownError> {
        let text = self.text();
        if !self.is_html() {
            return match self.is_text() {
                true => Ok(Markdown { text, warnings: Vec::new() }),
                false => Err(MarkdownError::NoText),
            };
        }
        let url = self.url();
        let options = url.as_ref().map_or(MarkdownOptions::new(), |url| MarkdownOptions::new().base(url));
        let markdown = options.convert(&text);
        let warnings = markdown.cuts().iter().map(|cut| Warning {
            kind: "markdown",
            name: cut.as_str().to_owned(),
            message: format!("Markdown: {cut}"),
        });
        Ok(Markdown { warnings: warnings.collect(), text: markdown.into_text() })
    }
}

/// Why there is no Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MarkdownError {
    /// It is neither HTML nor text.
    NoText,
}

impl fmt::Display for MarkdownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MarkdownError::NoText => f.write_str("it is neither HTML nor text"),
        }
    }
}

impl std::error::Error for MarkdownError {}
