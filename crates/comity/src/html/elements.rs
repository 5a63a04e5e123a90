//! Elements by name: the tokenizer's state for their content, and whether they belong to the head.

use html5gum::State;

/// Returns the tokenizer's state for the content of an element, with scripts disabled. Returns `None` if the content is
/// text with tags.
pub(super) fn content_of(element: &[u8]) -> Option<State> {
    match element {
        b"title" | b"textarea" => Some(State::RcData),
        b"style" | b"xmp" | b"iframe" | b"noembed" | b"noframes" => Some(State::RawText),
        b"script" => Some(State::ScriptData),
        b"plaintext" => Some(State::PlainText),
        _ => None,
    }
}

/// Returns true if an element does not start the body (HTML standard, "in head" and "after head" insertion modes).
pub(super) fn is_of_the_head(element: &[u8]) -> bool {
    matches!(
        element,
        b"html"
            | b"head"
            | b"base"
            | b"basefont"
            | b"bgsound"
            | b"link"
            | b"meta"
            | b"noframes"
            | b"noscript"
            | b"script"
            | b"style"
            | b"template"
            | b"title"
    )
}
