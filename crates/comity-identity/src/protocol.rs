//! Constants of the protocol: its tag, and the components that this crate signs (§5.2 of the draft).

use sfv::{BareItem, Item, Key, KeyRef, StringRef, key_ref, string_ref};

use crate::fields;

/// The tag of request signatures.
pub(crate) const TAG: &str = "web-bot-auth";

/// The only supported algorithm, by its name in signatures (RFC 9421 §6.2).
pub(crate) const ALGORITHM: &str = "ed25519";

// Parameters of signatures.
pub(crate) const CREATED: &KeyRef = key_ref("created");
pub(crate) const EXPIRES: &KeyRef = key_ref("expires");
pub(crate) const KEYID: &KeyRef = key_ref("keyid");
pub(crate) const ALG: &KeyRef = key_ref("alg");
pub(crate) const NONCE: &KeyRef = key_ref("nonce");
pub(crate) const TAG_PARAMETER: &KeyRef = key_ref("tag");

/// The parameter that selects a member of a dictionary.
const KEY: &KeyRef = key_ref("key");

/// The signed components in addition to the member of `Signature-Agent`. They identify one request at one site, by facts that a
/// server behind a TLS proxy also knows.
///
/// So `@target-uri`, which contains the scheme, is not used.
const FACTS: [&StringRef; 4] =
    [string_ref("@method"), string_ref("@authority"), string_ref("@path"), string_ref("@query")];

const AGENT: &StringRef = string_ref("signature-agent");

/// Returns the components that are signed under a label. The list is fixed.
pub(crate) fn covered(label: &Key) -> Vec<Item> {
    let mut items: Vec<Item> =
        FACTS.iter().map(|name| Item::new(BareItem::String((*name).to_owned()))).collect();
    let mut agent = Item::new(BareItem::String(AGENT.to_owned()));
    // The characters of a key are always valid in a string.
    if let Ok(text) = StringRef::from_str(label.as_str()) {
        agent.params.insert(KEY.to_owned(), BareItem::String(text.to_owned()));
    }
    items.push(agent);
    items
}

/// Returns the names of the signed components, in the notation of RFC 9421.
pub(crate) fn covered_names(label: &str) -> Vec<String> {
    let label = Key::from_string(label.to_owned());
    label.map(|label| covered(&label).iter().map(fields::item).collect()).unwrap_or_default()
}
