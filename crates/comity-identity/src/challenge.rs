//! `Accept-Signature`: a site requests a signature (RFC 9421 §5, §5.3 of the draft).
//!
//! A challenge lists the wanted components and gives a nonce. It never changes the signed components, because a site
//! could otherwise obtain signatures over header fields that have a meaning for another site.

use comity::http::Headers;
use sfv::{ListEntry, Parameters};

use crate::fields;
use crate::key::Thumbprint;
use crate::protocol::{self, ALGORITHM};

const FIELD: &str = "accept-signature";

/// Maximum number of signatures that one answer may request.
const MAX_CHALLENGES: usize = 8;

/// Maximum length of a nonce in a challenge, in bytes.
pub(crate) const MAX_NONCE_BYTES: usize = 256;

/// Maximum length of a label in a challenge, in bytes.
const MAX_LABEL_BYTES: usize = 64;

/// One signature that a site requests.
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
    /// Returns the first eight challenges in the header of an answer. Ignores a field that is not a dictionary, and members
    /// that are not lists of components or whose labels are longer than 64 bytes.
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

    /// Returns the label for the signature.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Returns the nonce that the signature has to repeat.
    pub fn nonce(&self) -> Option<&str> {
        self.nonce.as_deref()
    }

    /// Returns the components that the site would like to be covered, in the notation of RFC 9421.
    pub fn components(&self) -> &[String] {
        &self.components
    }

    /// Returns true if a signature of this protocol by the key can satisfy the challenge: the tag, the algorithm and the key
    /// match if the challenge names them.
    pub fn is_for(&self, key: Thumbprint) -> bool {
        self.tag.as_deref().is_none_or(|tag| tag == protocol::TAG)
            && self.algorithm.as_deref().is_none_or(|algorithm| algorithm == ALGORITHM)
            && self.key.as_deref().is_none_or(|name| name == key.to_string())
    }

    /// Returns the wanted components that [`Identity::answer`](crate::Identity::answer) does not cover. If there are
    /// any, the site may send the challenge again.
    pub fn not_covered(&self) -> impl Iterator<Item = &str> {
        let own = protocol::covered_names(&self.label);
        self.components.iter().map(String::as_str).filter(move |wanted| !own.iter().any(|own| own == wanted))
    }
}

fn text(parameters: &Parameters, name: &str) -> Option<String> {
    parameters.get(name)?.as_string().map(|text| text.as_str().to_owned())
}
