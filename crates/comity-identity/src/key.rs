//! Ed25519 keys, their thumbprints, and their validity.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, KeypairBytes};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::time;

/// The name of a key: the SHA-256 thumbprint of its public half (RFC 7638, RFC 8037 appendix A.3), in base64url.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Thumbprint([u8; 32]);

impl fmt::Display for Thumbprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for Thumbprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Thumbprint({self})")
    }
}

impl FromStr for Thumbprint {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        decode(text).map(Thumbprint).ok_or(KeyError::Encoding)
    }
}

/// Decodes exactly 32 bytes of base64url without padding.
pub(crate) fn decode(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 33];
    let length = URL_SAFE_NO_PAD.decode_slice(text, &mut bytes).ok()?;
    if length == 32 { bytes[..32].try_into().ok() } else { None }
}

/// The public half of a key, which verifies signatures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// Parses the 32 bytes of a key (RFC 8032 §5.1.5).
    ///
    /// # Errors
    ///
    /// Returns [`KeyError::Encoding`] if the bytes are not a point of the curve, and [`KeyError::Weak`] if signatures
    /// for the point can be made without a private key.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| KeyError::Encoding)?;
        if key.is_weak() { Err(KeyError::Weak) } else { Ok(PublicKey(key)) }
    }

    /// Returns the 32 bytes of the key.
    pub fn to_bytes(self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// Returns the member `x` of its JWK.
    pub(crate) fn x(self) -> String {
        URL_SAFE_NO_PAD.encode(self.to_bytes())
    }

    /// Returns the name of the key.
    pub fn thumbprint(self) -> Thumbprint {
        // RFC 7638 §3.2: the required members, in lexicographic order, without white space.
        let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, self.x());
        Thumbprint(Sha256::digest(members.as_bytes()).into())
    }

    /// Returns whether a signature of `message` was made by the private half.
    ///
    /// Verification is strict: a signature has one valid form, so a second one cannot be derived from it.
    pub fn verifies(self, message: &[u8], signature: &[u8]) -> bool {
        let Ok(signature) = Signature::from_slice(signature) else { return false };
        self.0.verify_strict(message, &signature).is_ok()
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.x())
    }
}

/// The private half of a key, which signs requests. Its bytes are wiped on drop, and never printed.
///
/// ```
/// use comity_identity::PrivateKey;
///
/// let random = [7; 32]; // a program fills it: `getrandom::fill(&mut random)?`
/// let key = PrivateKey::from_random(&random);
/// let again = PrivateKey::from_pem(&key.to_pem())?;
/// assert_eq!(key.public(), again.public());
/// assert!(!format!("{key:?}").contains("07"));
/// # Ok::<(), comity_identity::KeyError>(())
/// ```
#[derive(Clone)]
pub struct PrivateKey(SigningKey);

impl PrivateKey {
    /// Creates a key from 32 unpredictable bytes, from a cryptographic random source such as that of the operating system
    /// (`getrandom::fill`). This crate has no random source.
    pub fn from_random(bytes: &[u8; 32]) -> Self {
        PrivateKey(SigningKey::from_bytes(bytes))
    }

    /// Parses a key in PEM: `BEGIN PRIVATE KEY`, as `openssl genpkey -algorithm ed25519` writes it (RFC 8410).
    ///
    /// # Errors
    ///
    /// Returns [`KeyError::Encoding`] if the text is not PEM, or the key has another algorithm.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        SigningKey::from_pkcs8_pem(text.trim()).map(PrivateKey).map_err(|_| KeyError::Encoding)
    }

    /// Returns the key as PEM, which other programs can read.
    pub fn to_pem(&self) -> Zeroizing<String> {
        // Omits the public half, which older programs do not expect in the file.
        let bytes = KeypairBytes { secret_key: self.0.to_bytes(), public_key: None };
        bytes.to_pkcs8_pem(LineEnding::LF).unwrap_or_default()
    }

    /// Parses a key in a private JWK (RFC 8037 §2).
    ///
    /// # Errors
    ///
    /// Returns [`KeyError::Encoding`] if the text is not such a JWK, and [`KeyError::Mismatch`] if its halves do not belong
    /// together.
    pub fn from_jwk(text: &str) -> Result<Self, KeyError> {
        let jwk: PrivateJwk = serde_json::from_str(text).map_err(|_| KeyError::Encoding)?;
        jwk.read().map(|(key, _)| key)
    }

    /// Returns the key as a private JWK, with its thumbprint as its name.
    pub fn to_jwk(&self) -> Zeroizing<String> {
        let mut jwk = Zeroizing::new(String::with_capacity(JWK_BYTES));
        self.write_jwk(Validity::unbounded(), &mut jwk);
        jwk
    }

    /// Appends the key and its validity to a text. The text must have a spare capacity of [`JWK_BYTES`], because its
    /// growth would leave a copy of the key in memory.
    pub(crate) fn write_jwk(&self, validity: Validity, text: &mut Zeroizing<String>) {
        let public = self.public();
        text.push_str(r#"{"kty":"OKP","crv":"Ed25519","kid":""#);
        text.push_str(&public.thumbprint().to_string());
        text.push_str(r#"","x":""#);
        text.push_str(&public.x());
        text.push_str(r#"","d":""#);
        text.push_str(&self.d());
        text.push('"');
        for (name, seconds) in [("nbf", validity.not_before), ("exp", validity.expires)] {
            if let Some(seconds) = seconds {
                text.push_str(&format!(",\"{name}\":{seconds}"));
            }
        }
        text.push('}');
    }

    /// Returns the public half.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// Returns the member `d` of its JWK.
    fn d(&self) -> Zeroizing<String> {
        Zeroizing::new(URL_SAFE_NO_PAD.encode(self.0.as_bytes()))
    }

    /// Returns the signature of a message.
    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateKey({})", self.public().thumbprint())
    }
}

/// Capacity to reserve for a private JWK, in bytes.
pub(crate) const JWK_BYTES: usize = 320;

/// A private JWK, as parsed.
#[derive(Deserialize)]
pub(crate) struct PrivateJwk {
    kty: String,
    crv: String,
    x: String,
    d: Zeroizing<String>,
    nbf: Option<u64>,
    exp: Option<u64>,
}

impl PrivateJwk {
    pub(crate) fn read(&self) -> Result<(PrivateKey, Validity), KeyError> {
        if self.kty != "OKP" || self.crv != "Ed25519" {
            return Err(KeyError::Encoding);
        }
        let seed = Zeroizing::new(decode(&self.d).ok_or(KeyError::Encoding)?);
        let key = PrivateKey::from_random(&seed);
        if key.public().x() != self.x {
            return Err(KeyError::Mismatch);
        }
        Ok((key, Validity { not_before: self.nbf, expires: self.exp }))
    }
}

/// The period in which a key is valid: the members `nbf` and `exp` of its JWK.
///
/// A missing time means no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Validity {
    pub(crate) not_before: Option<u64>,
    pub(crate) expires: Option<u64>,
}

impl Validity {
    /// Returns a validity without bounds.
    pub const fn unbounded() -> Self {
        Validity { not_before: None, expires: None }
    }

    /// Returns the validity with this start time.
    #[must_use]
    pub fn from(self, time: SystemTime) -> Self {
        Validity { not_before: Some(time::seconds(time)), ..self }
    }

    /// Returns the validity with this end time, which is exclusive.
    #[must_use]
    pub fn until(self, time: SystemTime) -> Self {
        Validity { expires: Some(time::seconds(time)), ..self }
    }

    /// Returns the start time.
    pub fn not_before(self) -> Option<SystemTime> {
        time::at(self.not_before?)
    }

    /// Returns the end time. The key is not valid at this time or later.
    pub fn expires(self) -> Option<SystemTime> {
        time::at(self.expires?)
    }

    /// Returns whether the key is not valid yet.
    pub fn is_before(self, now: SystemTime) -> bool {
        self.not_before.is_some_and(|not_before| time::seconds(now) < not_before)
    }

    /// Returns whether the key is no longer valid.
    pub fn is_over(self, now: SystemTime) -> bool {
        self.expires.is_some_and(|expires| time::seconds(now) >= expires)
    }

    /// Returns whether the key is valid.
    pub fn holds(self, now: SystemTime) -> bool {
        !self.is_before(now) && !self.is_over(now)
    }
}

/// Keys whose private halves are printed in standards as examples, which must not be used (§6.8 of the draft).
///
/// RFC 9421 appendix B.1.4, and RFC 8037 appendix A.1.
const TEST_KEYS: [&str; 2] =
    ["poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U", "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"];

impl Thumbprint {
    /// Returns whether the name belongs to a key whose private half is printed in a standard, so that anyone can sign with it.
    pub fn is_test_key(self) -> bool {
        TEST_KEYS.contains(&self.to_string().as_str())
    }
}

/// The reasons why a key is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The key is not encoded as an Ed25519 key.
    #[error("not an Ed25519 key in a known form")]
    Encoding,
    /// The key is a point of small order, for which anyone can make signatures.
    #[error("a weak key, for which anybody can make signatures")]
    Weak,
    /// The public half does not belong to the private half.
    #[error("the public half does not belong to the private half")]
    Mismatch,
}
