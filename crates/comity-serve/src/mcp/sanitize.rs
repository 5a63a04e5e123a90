//! Sanitization of untrusted text: shortens it, except pages, and replaces or removes invisible characters.

use comity::shown;
use serde_json::Value;

/// Maximum length of a text, in characters.
const TEXT: usize = 300;

/// Maximum length of a URL, in characters.
const URL: usize = 2_000;

/// Maximum number of items in a list.
pub(super) const ITEMS: usize = 50;

/// Shortens every text and every list, and replaces characters that move, reverse or hide text.
pub(super) fn sanitize(value: Value) -> Value {
    match value {
        Value::String(string) => text(&string).into(),
        Value::Array(items) => items.into_iter().take(ITEMS).map(sanitize).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, sanitize(value))).collect(),
        plain => plain,
    }
}

/// Shortens a text, and replaces characters that move, reverse or hide text.
pub(super) fn text(text: &str) -> String {
    let is_url = text.starts_with("http://") || text.starts_with("https://");
    let limit = if is_url && !text.contains(char::is_whitespace) { URL } else { TEXT };
    let shown = shown::text(text);
    match shown.char_indices().nth(limit) {
        Some((end, _)) => format!("{}...", &shown[..end]),
        None => shown.into_owned(),
    }
}

/// Returns the whole text of a page without invisible characters, and with line feeds as line ends.
pub(super) fn page(text: &str) -> String {
    let mut page = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' => page.push('\n'),
            '\n' | '\t' => page.push(character),
            hidden if shown::is_unsafe(hidden) => {}
            plain => page.push(plain),
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_text_is_cut_and_invisible_characters_are_replaced() {
        let long = "x".repeat(5_000);
        let sanitized = sanitize(json!({
            "pattern": format!("/\u{1b}[2J\u{202e}{long}"),
            "url": format!("https://example.com/{long}"),
            "sentence": format!("https://example.com/ {long}"),
            "list": vec![1; 500],
            "deep": [{ "text": "a\nb" }],
            "number": 7,
        }));
        let length = |name: &str| sanitized[name].as_str().unwrap().chars().count();
        assert_eq!(length("pattern"), TEXT + 3);
        assert!(sanitized["pattern"].as_str().unwrap().starts_with("/\u{fffd}[2J\u{fffd}x"));
        assert_eq!((length("url"), length("sentence")), (URL + 3, TEXT + 3));
        assert_eq!(sanitized["list"].as_array().unwrap().len(), ITEMS);
        assert_eq!((&sanitized["deep"][0]["text"], &sanitized["number"]), (&json!("a\u{fffd}b"), &json!(7)));
    }

    #[test]
    fn invisible_characters_of_a_page_are_removed_and_its_lines_kept() {
        assert_eq!(page("a\r\nb\rc\n\td"), "a\nb\nc\n\td");
        assert_eq!(
            page("Donau\u{ad}dampf\u{200b}schiff \u{1b}[31m\u{e0041}\u{e0042}é"),
            "Donaudampfschiff [31mé"
        );
    }
}
