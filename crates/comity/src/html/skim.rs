//! Skips the parts of a page without facts: text, and tags of elements that are not read.
//!
//! If the walk reads anchors (`ANCHORS`), `a` and `area` are read elements.
//!
//! Only plain tags are skipped. Their end can be found without the rules of the HTML standard. At any other construct,
//! the tokenizer continues, which implements the whole standard. Tests compare the combination with the tokenizer
//! alone.

use memchr::{memchr, memchr3};

/// Returns the position at which the tokenizer must continue. At `from` and at the returned position, the tokenizer is
/// in the data state.
pub(super) fn skim<const ANCHORS: bool>(text: &[u8], from: usize) -> usize {
    let mut at = from;
    loop {
        match skim_words::<ANCHORS>(text, at) {
            Words::Matters(start) => return start,
            Words::End(end) => at = end,
        }
        let Some(start) = text.get(at..).and_then(|rest| memchr(b'<', rest)) else { return text.len() };
        let start = at + start;
        match plain_tag::<ANCHORS>(text.get(start + 1..).unwrap_or_default()) {
            Some(length) => at = start + 1 + length,
            None => return start,
        }
    }
}

/// The result of a scan of eight-byte words.
enum Words {
    /// The position of a tag that is not plain, or whose element is read.
    Matters(usize),
    /// The position up to which no such tag was found.
    End(usize),
}

/// Skips words of eight bytes while tags are close together. For short distances, this is faster than `memchr`.
fn skim_words<const ANCHORS: bool>(text: &[u8], from: usize) -> Words {
    let (mut at, mut empty_words) = (from, 0);
    while let Some(word) = text.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()) {
        let mut places = places_of_tags(u64::from_le_bytes(word));
        empty_words = if places == 0 { empty_words + 1 } else { 0 };
        let mut next = at + 8;
        while places != 0 {
            let start = at + places.trailing_zeros() as usize / 8;
            places &= places - 1;
            let tag = text.get(start + 1..).unwrap_or_default();
            // A tag of one letter is skipped without its length, so the processor need not wait for the length.
            if is_one_letter(tag) {
                continue;
            }
            match plain_tag::<ANCHORS>(tag) {
                Some(length) => next = start + 1 + length,
                None => return Words::Matters(start),
            }
            // The attributes of the tag may contain a `<`.
            places = 0;
        }
        at = next;
        if empty_words == FEW {
            break;
        }
    }
    Words::End(at)
}

/// Number of consecutive words without a tag after which a longer text is assumed.
const FEW: usize = 8;

/// Returns a mask with the highest bit of each byte that is a `<`.
fn places_of_tags(word: u64) -> u64 {
    const LOW: u64 = u64::from_le_bytes([0x7F; 8]);
    let other = word ^ u64::from_le_bytes([b'<'; 8]);
    !(((other & LOW) + LOW) | other | LOW)
}

/// Returns true if the text after a `<` is `p>`, `/b>` or another tag of one letter. Such tags are not read: of these
/// elements only `a` matters, and without attributes it has no `href`.
fn is_one_letter(tag: &[u8]) -> bool {
    let tag = tag.strip_prefix(b"/").unwrap_or(tag);
    matches!(tag, [name, b'>', ..] if name.is_ascii_alphabetic())
}

/// Returns the length of a tag without its `<`. Returns `None` if the tag is not plain, or if its element is read.
fn plain_tag<const ANCHORS: bool>(tag: &[u8]) -> Option<usize> {
    let slash = usize::from(tag.first() == Some(&b'/'));
    let rest = tag.get(slash..)?;
    let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')?;
    let name = rest.get(..length)?;
    let begins = name.first().is_some_and(u8::is_ascii_alphabetic);
    let ends = matches!(rest.get(length)?, b'\t' | b'\n' | b'\r' | b'\x0C' | b' ' | b'/' | b'>');
    if !begins || !ends || matters(name) || ANCHORS && slash == 0 && is_anchor(name) {
        return None;
    }
    let attributes = match rest.get(length)? {
        b'>' => 1,
        _ => attributes(rest.get(length..)?)?,
    };
    Some(slash + length + attributes)
}

/// Returns the length of the attributes of a tag, including its `>`. Returns `None` if the attributes are not plain.
///
/// Outside of quotes, `>` always ends a tag. A quote begins a quoted value if it directly follows `name=`, and if the
/// text since the previous value contains no other `=`.
fn attributes(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        let end = memchr3(b'>', b'"', b'\'', rest)?;
        let (names, mark) = (rest.get(..end)?, *rest.get(end)?);
        if has_nosnippet(names) {
            return None;
        }
        if mark == b'>' {
            return Some(at + end + 1);
        }
        let names = names.strip_suffix(b"=")?;
        let last = names.last()?;
        if last.is_ascii_whitespace() || *last == b'/' || memchr(b'=', names).is_some() {
            return None;
        }
        at += end + 1;
        at += memchr(mark, text.get(at..)?)? + 1;
    }
}

fn has_nosnippet(names: &[u8]) -> bool {
    const NAME: &[u8] = b"data-nosnippet";
    names.windows(NAME.len()).any(|part| part.eq_ignore_ascii_case(NAME))
}

/// Returns true if the element can be an anchor.
fn is_anchor(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"a") || name.eq_ignore_ascii_case(b"area")
}

/// Returns true if the walk reads this element, or if special rules apply to its content, such as raw text.
fn matters(name: &[u8]) -> bool {
    const NAMES: [&[u8]; 15] = [
        b"base",
        b"iframe",
        b"link",
        b"math",
        b"meta",
        b"noembed",
        b"noframes",
        b"plaintext",
        b"script",
        b"style",
        b"svg",
        b"template",
        b"textarea",
        b"title",
        b"xmp",
    ];
    // Names of one or two letters are common and cannot be in the list.
    name.len() > 2 && NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_of_every_tag_is_exact() {
        // Bytes that differ from `<` by one bit can look equal to it in arithmetic that borrows or carries.
        for filler in *b" =;\xFF\x00\xBC\x80" {
            for at in 0..8 {
                let mut word = [filler; 8];
                word[at] = b'<';
                assert_eq!(places_of_tags(u64::from_le_bytes(word)), 0x80 << (8 * at), "{filler}");
            }
            assert_eq!(places_of_tags(u64::from_le_bytes([filler; 8])), 0);
        }
    }

    #[test]
    fn relevant_tag_is_found_at_any_position() {
        for plain in ["", "<p>", "</b>", "<h1>", "<a title='<meta>'>", "<i x=\"<\">", " = ; "] {
            for text in 0..100 {
                let before = format!("{plain}{}{plain}{plain}", "t".repeat(text));
                assert_eq!(skim::<false>(before.as_bytes(), 0), before.len());
                for tag in ["<meta name=a>", "<!-- -->", "<1>", "</>", "<", "<x"] {
                    let page = format!("{before}{tag}");
                    assert_eq!(skim::<false>(page.as_bytes(), 0), before.len(), "{page}");
                    assert_eq!(
                        skim::<false>(format!("{page}<p>{plain}").as_bytes(), 0),
                        before.len(),
                        "{page}"
                    );
                }
            }
        }
    }
}
