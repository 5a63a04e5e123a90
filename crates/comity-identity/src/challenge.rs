//! `Accept-Signature`: a site asks for a signature (RFC 9421 §5, §5.3 of the draft).
//!
//! A challenge says for what it asks, and gives a nonce. It never chooses what is signed: a site could otherwise have header
//! fields signed that say something elsewhere.

use comity::http::Headers;
use sfv::{ListEntry, Parameters};

use crate::fields;
use crate::key::Thumbprint;
use crate::protocol::{self, ALGORITHM};

const FIELD: &str = "accept-signature";

/// The largest number of signatures that one answer may ask for.
const MAX_CHALLENGES: usize = 8;

/// The largest number of bytes of a nonce that is repeated.
pub(crate) const MAX_NONCE_BYTES: usize = 256;

/// The largest number of bytes of a label that is used.
const MAX_LABEL_BYTES: usize = 64;

/// One signature that a site asks for.
///
/// ```
/// use comity::http::Headers;
/// use comity_identity::Challenge;
///
/// let headers: Headers = [(
///     "Accept-Signature",
///     r#"sig2=("@authority" "signature-agent";key="sig2");created;expires;nonce="b3BlbiB0aGU";tag="web-bot-auth""#,
/// )]
/// .into_iter()
/// .collect();
/// let challenges = Challenge::read(&headers);
/// assert_eq!((challenges[0].label(), challenges[0].nonce()), ("sig2", Some("b3BlbiB0aGU")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    label: String,
    components: Vec<String>,
    nonce: Option<String>,
    key: Option<String>,
    algorithm: Option<String>,
    tag: Option<String>,
}

impl Challenge {
    /// Returns what an answer asks for, as far as it can be read: a field that is no dictionary asks for nothing, and so does a
    /// member that is no list of components.
    pub fn read(headers: &Headers<'_>) -> Vec<Challenge> {
        let Ok(Some(members)) = fields::dictionary(headers, FIELD) else { return Vec::new() };
        let lists = members.iter().filter_map(|(label, entry)| match entry {
            ListEntry::InnerList(list) if label.as_str().len() <= MAX_LABEL_BYTES => Some((label, list)),
            _ => None,
        });
        let read = lists.map(|(label, list)| Challenge {
            label: label.as_str().to_owned(),
            components: list.items.iter().map(fields::item).collect(),
            nonce: text(&list.params, "nonce").filter(|nonce| nonce.len() <= MAX_NONCE_BYTES),
            key: text(&list.params, "keyid"),
            algorithm: text(&list.params, "alg"),
            tag: text(&list.params, "tag"),
        });
        read.take(MAX_CHALLENGES).collect()
    }

    /// Returns the label under which the signature is wanted.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Returns the nonce that the signature has to repeat.
    pub fn nonce(&self) -> Option<&str> {
        self.nonce.as_deref()
    }

    /// Returns the components that the site would like to be covered, as RFC 9421 writes them.
    pub fn components(&self) -> &[String] {
        &self.components
    }

    /// Returns whether a signature of this protocol by the key could be what is meant: nothing that the challenge names, the
    /// tag, the algorithm and the key, is another.
    pub fn is_for(&self, key: Thumbprint) -> bool {
        self.tag.as_deref().is_none_or(|tag| tag == protocol::TAG)
            && self.algorithm.as_deref().is_none_or(|algorithm| algorithm == ALGORITHM)
            && self.key.as_deref().is_none_or(|name| name == key.to_string())
    }

    /// Returns the components that are wanted and that [`Identity::answer`](crate::Identity::answer) does not cover. With any of
    /// them, the site may well ask again.
    pub fn not_covered(&self) -> impl Iterator<Item = &str> {
        let own = protocol::covered_names(&self.label);
        self.components.iter().map(String::as_str).filter(move |wanted| !own.iter().any(|own| own == wanted))
    }
}

fn text(parameters: &Parameters, name: &str) -> Option<String> {
    parameters.get(name)?.as_string().map(|text| text.as_str().to_owned())
}
