//! Bytes as text that is safe to show, cut where it is long.

use std::borrow::Cow;

/// Returns bytes as text that is safe to show, cut after `limit` characters, wherever that is.
pub fn short(bytes: &[u8], limit: usize) -> Cow<'_, str> {
    let text = comity::shown::bytes(bytes);
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(short(b"abcdef", 3), "abc...");
        assert_eq!(short(b"abc", 3), "abc");
    }
}
