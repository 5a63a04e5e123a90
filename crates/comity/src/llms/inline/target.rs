//! Parses targets: bare URLs, and the text between the parentheses of a link.

use crate::llms::steps;

/// Maximum nesting depth of parentheses in a target, as in CommonMark's reference program.
pub(super) const MAX_DEPTH: usize = 32;

/// Returns true if a text starts with `http://` or `https://`, in any case.
pub(super) fn has_web_scheme(text: &[u8]) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    })
}

pub(super) fn looks_like_target(text: &[u8]) -> bool {
    has_web_scheme(text) || matches!(text, [b'/', ..] | [b'<', b'h' | b'/', ..])
}

/// Returns the URL at the start of a text. The URL ends before white space and before characters that enclose URLs,
/// such as quotation marks. Trailing punctuation is excluded.
pub(super) fn bare_url(text: &str) -> &str {
    let ends = |c: char| {
        c.is_whitespace()
            || matches!(c, '<' | '>' | '"' | '`' | '[' | ']' | '|' | '{' | '}' | '\\' | '^')
            || is_cjk_punctuation(c)
    };
    let mut depth = 0_usize;
    let end = text
        .char_indices()
        .find(|&(_, c)| match c {
            '(' => {
                depth += 1;
                false
            }
            ')' if depth == 0 => true,
            ')' => {
                depth -= 1;
                false
            }
            c => ends(c),
        })
        .map_or(text.len(), |(at, _)| at);
    steps::count(end);
    text[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~', '\u{2026}'])
}

fn is_cjk_punctuation(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{FF01}' | '\u{FF08}' | '\u{FF09}' | '\u{FF0C}' | '\u{FF1A}' | '\u{FF1B}' | '\u{FF1F}')
}

/// The text between the parentheses of a link.
pub(super) struct Destination<'t> {
    pub(super) url: &'t str,
    pub(super) title: Option<&'t str>,
    pub(super) end: usize,
    pub(super) has_space: bool,
}

/// Reads `(url)`, `(<url>)`, `(url "title")` and, beyond CommonMark, `(url with spaces)`.
pub(super) fn destination(text: &str, paren: usize) -> Option<Destination<'_>> {
    let bytes = text.as_bytes();
    let start = skip_spaces(bytes, paren + 1);
    if bytes.get(start) == Some(&b'<') {
        let inner = &bytes[start + 1..];
        let length = inner.iter().position(|&byte| matches!(byte, b'<' | b'>'))?;
        steps::count(length);
        if inner[length] == b'>' {
            let (title, end) = rest(text, start + length + 2)?;
            let url = &text[start + 1..start + 1 + length];
            return Some(Destination { url: url.trim(), title, end, has_space: false });
        }
        return None;
    }
    let (stop, close) = balanced(bytes, start)?;
    // White space ends the target if a title follows. Otherwise the target contains spaces.
    let (url, with_rest) = (&text[start..stop], &text[start..close]);
    if stop < close
        && let Some((title, end)) = rest(text, stop)
    {
        return Some(Destination { url, title, end, has_space: false });
    }
    let url = with_rest.trim_end();
    let has_space = url.contains([' ', '\t']);
    if has_space && !looks_like_target(url.as_bytes()) {
        return None;
    }
    Some(Destination { url, title: None, end: close + 1, has_space })
}

/// Returns two positions in a target that starts at `start`: its first white space (or else its closing parenthesis),
/// and its closing parenthesis.
fn balanced(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let (mut depth, mut at, mut space) = (0_usize, start, None);
    loop {
        steps::count(1);
        match *bytes.get(at)? {
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            b'(' if depth == MAX_DEPTH => return None,
            b'(' => depth += 1,
            b')' if depth == 0 => return Some((space.unwrap_or(at), at)),
            b')' => depth -= 1,
            b' ' | b'\t' if space.is_none() => space = Some(at),
            _ => {}
        }
        at += 1;
    }
}

/// Parses the text after a target: an optional title, and the closing parenthesis.
fn rest(text: &str, from: usize) -> Option<(Option<&str>, usize)> {
    let bytes = text.as_bytes();
    let at = skip_spaces(bytes, from);
    let (title, at) = match bytes.get(at)? {
        quote @ (b'"' | b'\'') if at > from => {
            let inner = &bytes[at + 1..];
            let length = unescaped(inner, *quote)?;
            (Some(&text[at + 1..at + 1 + length]), skip_spaces(bytes, at + length + 2))
        }
        _ => (None, at),
    };
    (bytes.get(at) == Some(&b')')).then_some((title, at + 1))
}

/// Returns the position of the first `wanted` byte that is not escaped by a backslash.
fn unescaped(bytes: &[u8], wanted: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        steps::count(1);
        match *bytes.get(at)? {
            b'\\' => at += 2,
            byte if byte == wanted => return Some(at),
            _ => at += 1,
        }
    }
}

fn skip_spaces(bytes: &[u8], from: usize) -> usize {
    from + bytes
        .get(from..)
        .unwrap_or_default()
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}
