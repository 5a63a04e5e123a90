//! Pages as Markdown.

use comity::html::MarkdownOptions;

use super::page::Page;
use super::record::Warning;

/// The text of a page as Markdown, with warnings about omitted parts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageMarkdown {
    /// The text.
    pub text: String,
    /// Warnings about parts omitted because of the limits of the conversion: `nesting`, `address`, `length`.
    pub warnings: Vec<Warning>,
}

impl Page {
    /// Returns the page as Markdown. Text that is not HTML is returned unchanged.
    ///
    /// Links and image addresses become absolute. Any HTML can be converted, in time and memory linear in its size.
    /// Parts beyond a limit are omitted, with a warning ([`comity::html::Cut`]). The [`record`](Page::record) does not
    /// contain these warnings, so a caller that stores the record with the Markdown must add them.
    ///
    /// # Errors
    ///
    /// [`MarkdownError`] if the page is neither HTML nor text.
    pub fn to_markdown(&self) -> Result<PageMarkdown, MarkdownError> {
        let text = self.text();
        if !self.is_html() {
            return match self.is_text() {
                true => Ok(PageMarkdown { text, warnings: Vec::new() }),
                false => Err(MarkdownError::NoText),
            };
        }
        let url = self.url();
        let options = url.as_ref().map_or(MarkdownOptions::new(), |url| MarkdownOptions::new().base(url));
        let markdown = options.convert(&text);
        let warnings = markdown.cuts().iter().map(|cut| Warning {
            kind: "markdown",
            name: cut.as_str().to_owned(),
            message: format!("Markdown: {}", cut.message()),
        });
        Ok(PageMarkdown { warnings: warnings.collect(), text: markdown.into_text() })
    }
}

/// The error for a page that cannot be converted to Markdown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MarkdownError {
    /// The page is neither HTML nor text.
    #[error("the page is neither HTML nor text")]
    NoText,
}
