//! `Content-Digest`: the digest by which a signature covers a body (RFC 9530).

use comity::http::Headers;
use sfv::{BareItem, Item, ListEntry};
use sha2::{Digest as _, Sha256, Sha512};

use crate::fields;

/// The name of the header field.
pub(crate) const FIELD: &str = "content-digest";

/// Returns the value of `Content-Digest` for a body.
pub(crate) fn content_digest(body: &[u8]) -> String {
    let digest = Item::new(BareItem::ByteSequence(Sha256::digest(body).to_vec()));
    format!("sha-256={}", fields::item(&digest))
}

/// Returns whether `Content-Digest` matches this body; `None` if the field is absent, unreadable, or has no digest by
/// SHA-256 or SHA-512. If it has both, both have to match.
///
/// A signature that covers `content-digest` covers the body only if this function returns true.
///
/// ```
/// use comity::http::Headers;
/// use comity_identity::content_digest_matches;
///
/// let headers: Headers =
///     [("Content-Digest", "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:")].into_iter().collect();
/// assert_eq!(content_digest_matches(&headers, b""), Some(true));
/// assert_eq!(content_digest_matches(&headers, b"a"), Some(false));
/// assert_eq!(content_digest_matches(&Headers::new(), b""), None);
/// ```
pub fn content_digest_matches(headers: &Headers<'_>, body: &[u8]) -> Option<bool> {
    let digests = fields::dictionary(headers, FIELD).ok()??;
    let stated = |name: &str| match digests.get(name)? {
        ListEntry::Item(item) => item.bare_item.as_byte_sequence(),
        ListEntry::InnerList(_) => None,
    };
    let short = stated("sha-256").map(|digest| digest == Sha256::digest(body).as_slice());
    let long = stated("sha-512").map(|digest| digest == Sha512::digest(body).as_slice());
    match (short, long) {
        (Some(short), Some(long)) => Some(short && long),
        (short, long) => short.or(long),
    }
}
