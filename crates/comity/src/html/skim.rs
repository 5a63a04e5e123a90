//! Passing over what says nothing: text, and the tags of elements that hold tags and are not looked at.
//!
//! The one idea: only what is plain is passed over, where it is certain how the HTML standard reads it. At anything else the
//! tokenizer takes over, which knows all of it. Tests hold what both find together against the tokenizer alone.

use memchr::{memchr, memchr3};

/// Returns where the tokenizer has to take over, in the data state, which is also the state at `from`.
pub(super) fn skim(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(start) = text.get(at..).and_then(|rest| memchr(b'<', rest)) {
        let start = at + start;
        match plain_tag(text.get(start + 1..).unwrap_or_default()) {
            Some(length) => at = start + 1 + length,
            None => return start,
        }
    }
    text.len()
}

/// Returns the length of a tag, of which the `<` is gone, if it is plain and says nothing.
fn plain_tag(tag: &[u8]) -> Option<usize> {
    let slash = usize::from(tag.first() == Some(&b'/'));
    let rest = tag.get(slash..)?;
    let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')?;
    let name = rest.get(..length)?;
    let begins = name.first().is_some_and(u8::is_ascii_alphabetic);
    let ends = matches!(rest.get(length)?, b'\t' | b'\n' | b'\r' | b'\x0C' | b' ' | b'/' | b'>');
    if !begins || !ends || matters(name) {
        return None;
    }
    let attributes = match rest.get(length)? {
        b'>' => 1,
        _ => attributes(rest.get(length..)?)?,
    };
    Some(slash + length + attributes)
}

/// Returns the length of what stands between a tag's name and its end, the end included, if it is plain.
///
/// Outside of quotes, `>` always ends a tag. A quote begins a quoted value if nothing but one name and one `=` stands
/// between it and the value before, or other names without any.
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

/// Whether the walk looks at an element, or its content is not made of tags.
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
    // Many names are shorter than any of these.
    name.len() > 2 && NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}
