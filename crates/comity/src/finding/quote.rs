//! Quotes text from a document in a message. The quotation is safe to show, has no line end, and fits into a line of a
//! terminal.

/// Maximum number of characters that are shown.
const LONGEST: usize = 60;

/// Returns bytes of a file as text in backticks. If any bytes are not UTF-8, the whole text is decoded as ISO-8859-1.
pub(crate) fn quoted(text: impl AsRef<[u8]>) -> String {
    format!("`{}`", excerpt(text))
}

/// Returns bytes of a file as text, like [`quoted`] without the backticks.
pub(crate) fn excerpt(text: impl AsRef<[u8]>) -> String {
    let bytes = text.as_ref();
    // A character has at most four bytes.
    let start = crate::shown::cut(bytes, 4 * LONGEST);
    let shown = crate::shown::bytes(start);
    let mut cut: String = shown.chars().take(LONGEST).map(|c| if c == '`' { '\'' } else { c }).collect();
    if shown.chars().nth(LONGEST).is_some() || start.len() < bytes.len() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_quoted_on_one_short_line() {
        assert_eq!(quoted("a\nb\u{1b}[31m`c"), "`a\u{fffd}b\u{fffd}[31m'c`");
        assert_eq!(quoted("a".repeat(60)), format!("`{}`", "a".repeat(60)));
        assert_eq!(quoted("a".repeat(100)), format!("`{}…`", "a".repeat(60)));
        assert_eq!(quoted("\u{1f600}".repeat(100)), format!("`{}…`", "\u{1f600}".repeat(60)));
        assert_eq!(
            quoted(format!("a{}", "\u{1f600}".repeat(100))),
            format!("`a{}…`", "\u{1f600}".repeat(59))
        );
        assert_eq!(quoted(b"caf\xE9"), "`café`");
    }
}
