//! Text of others in a message: harmless, on one line, and not longer than a line of a terminal.

/// The largest number of characters that are shown.
const LONGEST: usize = 60;

/// Bytes of a file in backticks: UTF-8 where they are, ISO-8859-1 otherwise.
pub(crate) fn quoted(text: impl AsRef<[u8]>) -> String {
    format!("`{}`", excerpt(text))
}

/// The same without the backticks.
pub(crate) fn excerpt(text: impl AsRef<[u8]>) -> String {
    let bytes = text.as_ref();
    // A character has four bytes at most; half of one at the cut would make all of it ISO-8859-1.
    let mut end = bytes.len().min(4 * LONGEST);
    while end < bytes.len() && end > 4 * LONGEST - 4 && bytes.get(end).is_some_and(|byte| byte & 0xC0 == 0x80)
    {
        end -= 1;
    }
    let shown = crate::shown::bytes(bytes.get(..end).unwrap_or_default());
    let mut cut: String = shown.chars().take(LONGEST).map(|c| if c == '`' { '\'' } else { c }).collect();
    if shown.chars().nth(LONGEST).is_some() || end < bytes.len() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_short_harmless_and_on_one_line() {
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
