//! Finds the note of a link, or the label of a bare URL, in the words around it.

use super::inline::{self, LinkForm};

/// The text around a link.
pub(super) struct Around<'t> {
    /// The text since the previous link, or since the start of the line.
    pub(super) before: &'t str,
    /// The text up to the next link, or to the end of the line.
    pub(super) after: &'t str,
    /// The text up to the end of the line.
    pub(super) rest: &'t str,
    pub(super) is_first: bool,
    pub(super) is_only: bool,
}

/// The separators between a link and its note, or between a label and its URL.
const SEPARATORS: [&str; 7] = [":", "-", "\u{2013}", "\u{2014}", "|", "\u{FF1A}", "\u{2192}"];

/// Maximum length of a label before a bare URL, in characters.
const LABEL_CHARS: usize = 120;

impl Around<'_> {
    /// Returns true if the link is the start of its line or item: only emphasis or a task box precedes it or, for a
    /// bare URL, a label.
    pub(super) fn leads(&self, form: LinkForm) -> bool {
        if !self.is_first {
            return false;
        }
        let before = emphasis(self.before);
        let before =
            ["[ ]", "[x]", "[X]"].iter().find_map(|task| before.strip_prefix(task)).unwrap_or(before);
        let is_labelled = matches!(form, LinkForm::Bare | LinkForm::Autolink) && !self.label().is_empty();
        before.trim().is_empty() || is_labelled
    }

    /// Returns true if a separator follows the link.
    pub(super) fn is_separated(&self) -> bool {
        let after = emphasis(self.after);
        SEPARATORS.iter().any(|separator| after.starts_with(separator))
    }

    /// Returns the note of the link: the text after the separator. Without a separator, the text after the link is its
    /// note only if no other link follows.
    pub(super) fn note(&self) -> Option<String> {
        if !self.is_separated() && self.after.len() < self.rest.len() {
            return None;
        }
        let rest = emphasis(self.rest);
        let note = SEPARATORS.iter().find_map(|separator| rest.strip_prefix(separator)).unwrap_or(rest);
        let note = inline::plain(note);
        note.contains(char::is_alphanumeric).then_some(note)
    }

    /// Returns the label of a bare URL, such as `Docs` in `Docs: https://...`. Empty if no separator precedes the URL.
    pub(super) fn label(&self) -> String {
        let before = self.before.trim_end().trim_end_matches(['*', '_', '<', '(', '`']).trim_end();
        let Some(label) = SEPARATORS.iter().find_map(|separator| before.strip_suffix(separator)) else {
            return String::new();
        };
        let is_mark = |c: char| matches!(c, '*' | '_' | '|' | '#' | '"' | '`' | '-' | ' ' | ':');
        let label = label.trim().trim_matches(is_mark);
        if label.chars().count() > LABEL_CHARS { String::new() } else { inline::plain(label) }
    }
}

/// Returns a text without white space around it and without leading emphasis.
fn emphasis(text: &str) -> &str {
    text.trim().trim_start_matches(['*', '_', '`', '~', ' '])
}
