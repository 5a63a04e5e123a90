//! Directories: the public keys of a signer, as a JWK Set (§5.5.1 of the draft, RFC 7517 §5).

use serde::Deserialize;
use serde_json::{Value, json};

use crate::agent::DiscoveryType;
use crate::key::{self, PublicKey, Thumbprint, Validity};

/// The media type of a directory at the well-known place (§8.2.1).
pub const MEDIA_TYPE: &str = "application/http-message-signatures-directory+json";

/// The largest number of bytes of a directory that is read, after content decoding.
pub const MAX_DIRECTORY_BYTES: usize = 64 * 1024;

/// The largest number of keys that a directory may list.
pub const MAX_KEYS: usize = 64;

/// A key that a directory publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedKey {
    key: PublicKey,
    thumbprint: Thumbprint,
    validity: Validity,
}

impl PublishedKey {
    /// Makes one out of a key and the time within which it counts.
    pub fn new(key: PublicKey, validity: Validity) -> Self {
        PublishedKey { key, thumbprint: key.thumbprint(), validity }
    }

    /// Returns the key.
    pub fn key(&self) -> PublicKey {
        self.key
    }

    /// Returns its name.
    pub fn thumbprint(&self) -> Thumbprint {
        self.thumbprint
    }

    /// Returns the time within which it counts.
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
    /// Makes a directory of keys.
    pub fn new(keys: impl IntoIterator<Item = PublishedKey>) -> Self {
        Directory { keys: keys.into_iter().collect(), left_out: Vec::new() }
    }

    /// Reads a directory. Keys that cannot be used are left out, and listed by [`left_out`](Directory::left_out).
    ///
    /// At the well-known place the name that a key is given has to be its thumbprint; elsewhere operators name keys as they like.
    ///
    /// # Errors
    ///
    /// [`DirectoryError`] if it is no JWK Set, or larger than it may be.
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

    /// Returns the keys, in the order in which they are listed.
    pub fn keys(&self) -> &[PublishedKey] {
        &self.keys
    }

    /// Returns what is wrong with the entries that are left out.
    pub fn left_out(&self) -> &[KeyFault] {
        &self.left_out
    }

    /// Returns the key of a name.
    pub fn get(&self, name: Thumbprint) -> Option<&PublishedKey> {
        self.keys.iter().find(|key| key.thumbprint == name)
    }

    /// Returns the directory as it is served.
    pub fn to_json(&self) -> String {
        let keys: Vec<Value> = self.keys.iter().map(write_key).collect();
        json!({ "keys": keys }).to_string()
    }
}

/// The public JWK of a key, to be published.
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

/// The reasons why an entry of a directory is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFault {
    /// It is no JWK of a key, or a weak key.
    #[error("no JWK of a key")]
    Malformed,
    /// It is of an algorithm other than Ed25519.
    #[error("a key of an algorithm other than Ed25519")]
    Unsupported,
    /// It is published with its private half: whoever reads it can sign.
    #[error("a key with its private half, by which anybody can sign")]
    Private,
    /// It is not for signatures.
    #[error("a key that is not for signatures")]
    OtherUse,
    /// Its `kid` is not its thumbprint.
    #[error("a key whose `kid` is not its thumbprint")]
    Name,
    /// It stands there twice.
    #[error("a key that stands there twice")]
    Repeated,
}

/// The reasons why something is no directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DirectoryError {
    /// It has more than [`MAX_DIRECTORY_BYTES`].
    #[error("the directory is larger than {MAX_DIRECTORY_BYTES} bytes")]
    TooLarge,
    /// It lists more than [`MAX_KEYS`].
    #[error("the directory lists more than {MAX_KEYS} keys")]
    TooManyKeys,
    /// It is not JSON with a list `keys`.
    #[error("the directory is not JSON with a list `keys`")]
    NotAJwkSet,
}
