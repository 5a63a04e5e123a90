//! Converts Markdown to plain text: names of links, escapes, entities.

use memchr::memchr;

/// Returns the name of a link. Images are replaced by their descriptions, and marks of emphasis or code around the
/// whole name are removed.
pub(super) fn name(text: &str) -> String {
    let without_images = if text.contains("![") { image_descriptions(text) } else { text.to_owned() };
    let mut bare = without_images.trim();
    for mark in ["**", "__", "*", "_", "`"] {
        if let Some(inner) = bare.strip_prefix(mark).and_then(|inner| inner.strip_suffix(mark)) {
            bare = inner;
        }
    }
    plain(bare)
}

/// Replaces `![description](source)` by `description`.
fn image_descriptions(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, image)) = rest.split_once("![") {
        out.push_str(before);
        let Some((description, after)) = image.split_once(']') else {
            rest = image;
            continue;
        };
        out.push_str(description);
        rest = match after.strip_prefix('(') {
            Some(source) => source.split_once(')').map_or("", |(_, after)| after),
            None => after,
        };
    }
    out.push_str(rest);
    out
}

/// Removes surrounding white space and backslash escapes, and decodes the most common entities (CommonMark 2.4 and
/// 2.5).
pub(in crate::llms) fn plain(text: &str) -> String {
    let text = text.trim();
    if !text.contains('\\') {
        return entities(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push(chars.next_if(char::is_ascii_punctuation).unwrap_or('\\')),
            c => out.push(c),
        }
    }
    entities(&out)
}

/// Maximum length of a decoded entity after its `&`, in bytes. Long enough for `&#1114111;`, the last character.
const MAX_ENTITY: usize = 10;

/// Decodes numeric entities, the five entities of XML, and `&nbsp;` as a space. Other entities remain unchanged.
pub(super) fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.bytes().take(MAX_ENTITY).position(|byte| byte == b';');
        match end.and_then(|end| Some((entity(&rest[..end])?, end))) {
            Some((c, end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    let number = match name.strip_prefix('#') {
        Some(digits) => match digits.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => digits.parse().ok()?,
        },
        None => {
            return match name {
                "amp" => Some('&'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                "quot" => Some('"'),
                "apos" => Some('\''),
                "nbsp" => Some(' '),
                _ => None,
            };
        }
    };
    char::from_u32(number).filter(|c| !c.is_control())
}
