//! Parses the words of `Content-Encoding` and `Transfer-Encoding`.
//!
//! Some servers send a charset or a placeholder in `Content-Encoding` for a plain body. Such words do not name a
//! coding, so the body is not decoded. Any other unknown word counts as an unsupported coding.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, header};

/// Words that some servers send for a body without a coding.
const PLACEHOLDERS: [&str; 29] = [
    "*",
    "-",
    "0",
    "7bit",
    "8bit",
    "auto",
    "aws-chunked",
    "binary",
    "chunked",
    "default",
    "disabled",
    "empty",
    "false",
    "html",
    "n/a",
    "nil",
    "no",
    "none",
    "null",
    "off",
    "plain",
    "plaintext",
    "raw",
    "string",
    "text",
    "uncompressed",
    "undefined",
    "unicode",
    "unknown",
];

/// Prefixes of charset names, for spellings that are not labels of the Encoding Standard.
const CHARSETS: [&str; 9] =
    ["ansi", "iso-8859", "iso8859", "iso_8859", "latin", "ucs", "us-ascii", "utf", "windows-"];

/// Returns the words of all lines of a header field, in order.
pub(super) fn words(headers: &HeaderMap, field: HeaderName) -> impl Iterator<Item = Cow<'_, str>> {
    headers.get_all(field).into_iter().flat_map(|value| {
        value.as_bytes().split(|&byte| byte == b',').map(|word| String::from_utf8_lossy(word.trim_ascii()))
    })
}

/// Returns the words of `Content-Encoding` that are not codings: charsets, text media types, and placeholders such as
/// `none`. The decoder ignores these words. An empty field value counts as such a word. Returns `None` if there are no
/// such words.
///
/// ```
/// use comity_client::transport::coding::ignored_words;
/// use http::HeaderMap;
///
/// let mut headers = HeaderMap::new();
/// headers.insert("content-encoding", "gzip, UTF-8".parse()?);
/// assert_eq!(ignored_words(&headers).as_deref(), Some("UTF-8"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg_attr(not(feature = "http"), allow(unreachable_pub, reason = "the feature exports it"))]
pub fn ignored_words(headers: &HeaderMap) -> Option<String> {
    let is_empty = headers
        .get_all(header::CONTENT_ENCODING)
        .into_iter()
        .any(|value| value.as_bytes().trim_ascii().is_empty());
    let ignored: Vec<_> =
        words(headers, header::CONTENT_ENCODING).filter(|word| is_not_a_coding(word)).collect();
    (is_empty || !ignored.is_empty()).then(|| ignored.join(", "))
}

/// Returns true if a word of `Content-Encoding` is not the name of a coding.
pub(super) fn is_not_a_coding(word: &str) -> bool {
    let unquoted = |text: &str| text.trim_matches(['"', '\'', ' ', '\t']).to_ascii_lowercase();
    let word = unquoted(word.split(';').next().unwrap_or_default());
    let name =
        word.split_once('=').filter(|(name, _)| name.trim() == "charset").map(|(_, value)| unquoted(value));
    let name = name.unwrap_or(word);
    PLACEHOLDERS.contains(&&*name) || is_charset(&name) || is_text_type(&name)
}

fn is_charset(name: &str) -> bool {
    encoding_rs::Encoding::for_label(name.as_bytes()).is_some()
        || CHARSETS.iter().any(|start| name.starts_with(start))
}

fn is_text_type(name: &str) -> bool {
    name.starts_with("text/") || name.contains('/') && (name.ends_with("json") || name.ends_with("xml"))
}
