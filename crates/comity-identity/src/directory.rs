//! Directories: the public keys of a signer, as a JWK Set (§5.5.1 of the draft, RFC 7517 §5).

use serde::Deserialize;
use serde_json::{Value, json};

use crate::agent::DiscoveryType;
use crate::key::{self, PublicKey, Thumbprint, Validity};

/// The media type of a directory at the well-known path (§8.2.1).
pub const MEDIA_TYPE: &str = "application/http-message-signatures-directory+json";

/// Maximum size of a directory, in bytes after content decoding.
pub const MAX_DIRECTORY_BYTES: usize = 64 * 1024;

/// Maximum number of keys in a directory.
pub const MAX_KEYS: usize = 64;

/// A key that a directory publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedKey {
    key: PublicKey,
    thumbprint: Thumbprint,
    validity: Validity,
}

impl PublishedKey {
    /// Creates a published key with its validity.
    pub fn new(key: PublicKey, validity: Validity) -> Self {
        PublishedKey { key, thumbprint: key.thumbprint(), validity }
    }

    /// Returns the key.
    pub fn key(&self) -> PublicKey {
        self.key
    }

    /// Returns the name of the key.
    pub fn thumbprint(&self) -> Thumbprint {
        self.thumbprint
    }

    /// Returns the period in which the key is valid.
    pub fn validity(&self) -> Validity {
        self.validity
    }
}

/// The keys that a signer publishes.
///
/// ```
/// use comity_identity::{Directory, DiscoveryType};
///
/// let body = br#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}]}"#;
/// let directory = Directory::read(body, DiscoveryType::Directory)?;
/// assert_eq!(directory.keys()[0].thumbprint().to_string(), "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U");
/// # Ok::<(), comity_identity::DirectoryError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directory {
    keys: Vec<PublishedKey>,
    left_out: Vec<KeyFault>,
}

#[derive(Deserialize)]
struct JwkSet {
    keys: Vec<Value>,
}

impl Directory {
    /// Creates a directory from keys.
    pub fn new(keys: impl IntoIterator<Item = PublishedKey>) -> Self {
        Directory { keys: keys.into_iter().collect(), left_out: Vec::new() }
    }

    /// Parses a directory. Skips keys that cannot be used, and lists them in [`left_out`](Directory::left_out).
    ///
    /// At the well-known path, the name of a key has to be its thumbprint. Elsewhere, operators may name keys freely.
    ///
    /// # Errors
    ///
    /// Returns [`DirectoryError`] if the text is not a JWK Set, or is too large.
    pub fn read(body: &[u8], kind: DiscoveryType) -> Result<Self, DirectoryError> {
        if body.len() > MAX_DIRECTORY_BYTES {
            return Err(DirectoryError::TooLarge);
        }
        let set: JwkSet = serde_json::from_slice(body).map_err(|_| DirectoryError::NotAJwkSet)?;
        if set.keys.len() > MAX_KEYS {
            return Err(DirectoryError::TooManyKeys);
        }
        let mut directory = Directory::default();
        for jwk in &set.keys {
            match read_key(jwk, kind) {
                Ok(key) if directory.get(key.thumbprint).is_some() => {
                    directory.left_out.push(KeyFault::Repeated);
                }
                Ok(key) => directory.keys.push(key),
                Err(fault) => directory.left_out.push(fault),
            }
        }
        Ok(directory)
    }

    /// Returns the keys, in the order of the directory.
    pub fn keys(&self) -> &[PublishedKey] {
        &self.keys
    }

    /// Returns the faults of the entries that were skipped.
    pub fn left_out(&self) -> &[KeyFault] {
        &self.left_out
    }

    /// Returns the key with this name.
    pub fn get(&self, name: Thumbprint) -> Option<&PublishedKey> {
        self.keys.iter().find(|key| key.thumbprint == name)
    }

    /// Returns the directory as JSON, ready to be served.
    pub fn to_json(&self) -> String {
        let keys: Vec<Value> = self.keys.iter().map(write_key).collect();
        json!({ "keys": keys }).to_string()
    }
}

/// Returns the public JWK of a key, ready to be published.
fn write_key(key: &PublishedKey) -> Value {
    let mut jwk = json!({
        "kty": "OKP",
        "crv": "Ed25519",
        "kid": key.thumbprint.to_string(),
        "x": key.key.x(),
        "use": "sig",
    });
    let Validity { not_before, expires } = key.validity;
    for (name, seconds) in [("nbf", not_before), ("exp", expires)] {
        if let Some(seconds) = seconds {
            jwk[name] = seconds.into();
        }
    }
    jwk
}

fn read_key(jwk: &Value, kind: DiscoveryType) -> Result<PublishedKey, KeyFault> {
    let jwk = jwk.as_object().ok_or(KeyFault::Malformed)?;
    let text = |name: &str| match jwk.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(KeyFault::Malformed),
    };
    if jwk.contains_key("d") || jwk.contains_key("k") {
        return Err(KeyFault::Private);
    }
    if text("kty")? != Some("OKP") || text("crv")? != Some("Ed25519") {
        return Err(KeyFault::Unsupported);
    }
    if !matches!(text("alg")?, None | Some("EdDSA" | "Ed25519" | "ed25519")) {
        return Err(KeyFault::Unsupported);
    }
    if !matches!(text("use")?, None | Some("sig")) {
        return Err(KeyFault::OtherUse);
    }
    match jwk.get("key_ops") {
        None => {}
        Some(Value::Array(uses)) if uses.iter().any(|operation| operation == "verify") => {}
        Some(_) => return Err(KeyFault::OtherUse),
    }
    let bytes = key::decode(text("x")?.ok_or(KeyFault::Malformed)?).ok_or(KeyFault::Malformed)?;
    let key = PublicKey::from_bytes(&bytes).map_err(|_| KeyFault::Malformed)?;
    let seconds = |name: &str| match jwk.get(name) {
        None => Ok(None),
        Some(value) => value.as_u64().map(Some).ok_or(KeyFault::Malformed),
    };
    let validity = Validity { not_before: seconds("nbf")?, expires: seconds("exp")? };
    let published = PublishedKey::new(key, validity);
    let is_named = match text("kid")? {
        Some(kid) if kind == DiscoveryType::Directory => kid == published.thumbprint.to_string(),
        _ => true,
    };
    if is_named { Ok(published) } else { Err(KeyFault::Name) }
}

/// The reasons why an entry of a directory is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFault {
    /// The entry is not a JWK of a key, or the key is weak.
    #[error("an entry that is not a JWK of a valid key")]
    Malformed,
    /// The algorithm of the key is not Ed25519.
    #[error("a key of an algorithm other than Ed25519")]
    Unsupported,
    /// The private half is published, too: every reader can sign with it.
    #[error("a key with its private half, with which anybody can sign")]
    Private,
    /// The key is not intended for signatures.
    #[error("a key that is not for signatures")]
    OtherUse,
    /// The `kid` is not the thumbprint of the key.
    #[error("a key whose `kid` is not its thumbprint")]
    Name,
    /// The key occurs twice.
    #[error("a key that is listed twice")]
    Repeated,
}

/// The reasons why a text is not a valid directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DirectoryError {
    /// The text is longer than [`MAX_DIRECTORY_BYTES`].
    #[error("the directory is larger than {MAX_DIRECTORY_BYTES} bytes")]
    TooLarge,
    /// The directory has more than [`MAX_KEYS`] keys.
    #[error("the directory lists more than {MAX_KEYS} keys")]
    TooManyKeys,
    /// The text is not JSON with a list `keys`.
    #[error("the directory is not JSON with a list `keys`")]
    NotAJwkSet,
}
