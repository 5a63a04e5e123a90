//! Origins, which are the common keys of URLs and their robots.txt files.

use std::borrow::Cow;

use arrow_array::builder::StringBuilder;
use arrow_array::{Array, ArrayRef, StringArray};
use comity::plain_origin;
use url::Url;

use crate::error::BatchError;
use crate::input::BytesColumn;

/// Returns the origin of an `http` or `https` URL in the form of the URL standard: scheme and host in lower case, with
/// Punycode, without a default port. Returns `None` for any other text.
///
/// ```
/// use comity_arrow::origin;
///
/// assert_eq!(origin(b"HTTPS://B\xc3\xbccher.example:443/a?b").as_deref(), Some("https://xn--bcher-kva.example"));
/// assert_eq!(origin(b"http://example.com:8080/robots.txt").as_deref(), Some("http://example.com:8080"));
/// assert_eq!(origin(b"ftp://example.com/"), None);
/// assert_eq!(origin(b"/page"), None);
/// ```
pub fn origin(url: &[u8]) -> Option<Cow<'_, str>> {
    if let Some(prefix) = plain_origin(url) {
        return Some(Cow::Borrowed(prefix));
    }
    let url = Url::parse(&String::from_utf8_lossy(url)).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    Some(Cow::Owned(url.origin().ascii_serialization()))
}

/// Returns the https origin and the http origin of a bare host, such as `example.com` or `[::1]:8080`. Returns `None` for any
/// other text, including a name without a dot other than `localhost`: it is probably a key of another kind.
pub(crate) fn bare_host(text: &[u8]) -> Option<[String; 2]> {
    let is_host = text.contains(&b'.') || text.starts_with(b"[") || text.starts_with(b"localhost");
    let is_more =
        |byte: &u8| b"/?#@\\".contains(byte) || byte.is_ascii_whitespace() || byte.is_ascii_control();
    if !is_host || text.iter().any(is_more) {
        return None;
    }
    let of = |scheme: &[u8]| origin(&[scheme, text].concat()).map(Cow::into_owned);
    Some([of(b"https://")?, of(b"http://")?])
}

/// Returns the prefix of a URL that equals the text of its origin. Every URL that consists of this prefix and a path, a query
/// or a fragment has this origin.
pub(crate) fn begins<'a>(url: &'a [u8], origin: &str) -> Option<&'a [u8]> {
    url.starts_with(origin.as_bytes()).then(|| &url[..origin.len()])
}

/// Returns the origins of a column of URLs. A value without an origin becomes null.
///
/// # Errors
///
/// Returns [`BatchError`] if the column does not contain text, or its origins need more than 2 GiB.
pub fn origins(urls: &ArrayRef) -> Result<StringArray, BatchError> {
    let urls_read = BytesColumn::new("url", urls)?;
    let mut builder = StringBuilder::with_capacity(urls.len(), 24 * urls.len());
    let mut length = 0;
    for row in 0..urls.len() {
        let origin = urls_read.get(row).and_then(origin);
        length += origin.as_ref().map_or(0, |origin| origin.len());
        if i32::try_from(length).is_err() {
            return Err(BatchError::TooMuchText("origin".to_owned()));
        }
        builder.append_option(origin);
    }
    Ok(builder.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_without_parsing_equals_the_parsed_origin() {
        for url in [
            "https://example.com",
            "https://example.com/a",
            "http://a-b.example?x",
            "https://a.b.c.example#f",
            "https://xn--bcher-kva.example/",
            "https://1.2.3.4/",
            "https://0x7f.1/",
            "https://example.com./",
            "https://example.com:443/",
            "https://user@example.com/",
            "https://EXAMPLE.com/",
            "https://exa\tmple.com/",
            "https://example.com\\a",
            "http://localhost/",
            "https://.example/",
            "https://a..example/",
        ] {
            let parsed = Url::parse(url).ok().map(|url| url.origin().ascii_serialization());
            assert_eq!(origin(url.as_bytes()).map(Cow::into_owned), parsed, "{url}");
        }
    }
}
