//! An identity: its keys, the address at which they are published, and signing.

use std::io::{self, Read};
use std::time::{Duration, SystemTime};

use serde::Deserialize;
use sfv::{BareItem, Item, Key, StringRef};
use zeroize::Zeroizing;

use crate::agent::{self, Discovery, DiscoveryError, DiscoveryType, Revision};
use crate::base::CoveredComponents;
use crate::challenge::{Challenge, MAX_NONCE_BYTES};
use crate::directory::{Directory, MAX_KEYS, PublishedKey};
use crate::fields;
use crate::key::{JWK_BYTES, KeyError, PrivateJwk, PrivateKey, Thumbprint, Validity};
use crate::message::{Message, Request};
use crate::proof;
use crate::protocol::{self, ALG, ALGORITHM, CREATED, EXPIRES, KEYID, NONCE, TAG, TAG_PARAMETER};
use crate::signature::{INPUT_FIELD, SIGNATURE_FIELD};
use crate::time;

/// Label of signatures that do not answer a challenge.
const LABEL: &str = "sig1";

/// Maximum size of an identity file, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Maximum lifetime of a signature (§5.2).
const MAX_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Default lifetime of a signature: a request travels for seconds, and clocks differ by minutes.
const LIFETIME: Duration = Duration::from_secs(5 * 60);

/// The identity of a signer: its keys, and the address at which they are published.
///
/// A signature covers one request at one site: `@method`, `@authority`, `@path`, `@query`, and the member of
/// `Signature-Agent` that has the label of the signature. The list is fixed, and no site can change it. Requests over
/// `http` are not signed.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use comity::http::Headers;
/// use comity_identity::{Discovery, Identity, PrivateKey, Request, Validity};
///
/// let key = PrivateKey::from_random(&[7; 32]);
/// let identity = Identity::new(Discovery::directory("https://bot.example")?).with_key(key, Validity::unbounded());
///
/// let headers = Headers::new();
/// let request = Request::new("GET", &"https://example.com/heron?a".parse()?, &headers);
/// let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
/// let signed = identity.sign(&request, now)?;
/// assert_eq!(signed.signature_agent(), r#"sig1="https://bot.example""#);
/// assert!(signed.signature_input().starts_with(
///     r#"sig1=("@method" "@authority" "@path" "@query" "signature-agent";key="sig1");created=1790000000;"#
/// ));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Identity {
    discovery: Discovery,
    keys: Vec<(PrivateKey, Validity)>,
    revision: Revision,
    lifetime: Duration,
}

impl Identity {
    /// Creates an identity without keys.
    pub fn new(discovery: Discovery) -> Self {
        Identity { discovery, keys: Vec::new(), revision: Revision::default(), lifetime: LIFETIME }
    }

    /// Adds a key with its validity.
    #[must_use]
    pub fn with_key(mut self, key: PrivateKey, validity: Validity) -> Self {
        self.keys.push((key, validity));
        self
    }

    /// Sets the revision of the draft for writing `Signature-Agent`.
    #[must_use]
    pub fn revision(self, revision: Revision) -> Self {
        Identity { revision, ..self }
    }

    /// Sets the lifetime of a signature: whole seconds, from one second to 24 hours. The default is five minutes.
    #[must_use]
    pub fn lifetime(self, lifetime: Duration) -> Self {
        Identity { lifetime: lifetime.clamp(Duration::from_secs(1), MAX_LIFETIME), ..self }
    }

    /// Returns the address at which the keys are published.
    pub fn discovery(&self) -> &Discovery {
        &self.discovery
    }

    /// Returns the names of the keys, and the validity of each.
    pub fn keys(&self) -> impl Iterator<Item = (Thumbprint, Validity)> {
        self.keys.iter().map(|(key, validity)| (key.public().thumbprint(), *validity))
    }

    /// Returns the directory to publish: every key that is valid at `now` or later.
    pub fn directory(&self, now: SystemTime) -> Directory {
        let alive = self.keys.iter().filter(|(_, validity)| !validity.is_over(now));
        Directory::new(alive.map(|(key, validity)| PublishedKey::new(key.public(), *validity)))
    }

    /// Rotates to a new key (§5.5.2). The new key signs from `start` on. The other keys stay published until `end`
    /// at the latest, for signatures of requests in flight. Keys that are no longer valid at `now` are dropped.
    ///
    /// The directory has to be published again at once, so that verifiers know the new key before it signs.
    ///
    /// # Errors
    ///
    /// Returns [`IdentityError::Rotation`] if `end` is not after `start`, and [`IdentityError::TooManyKeys`] if a directory could
    /// not list one more key.
    pub fn rotate(
        &mut self,
        key: PrivateKey,
        now: SystemTime,
        start: SystemTime,
        end: SystemTime,
    ) -> Result<(), IdentityError> {
        if end <= start {
            return Err(IdentityError::Rotation);
        }
        self.keys.retain(|(_, validity)| !validity.is_over(now));
        if self.keys.len() >= MAX_KEYS {
            return Err(IdentityError::TooManyKeys);
        }
        let end = time::seconds(end);
        for (_, validity) in &mut self.keys {
            validity.expires = Some(validity.expires.map_or(end, |earlier| earlier.min(end)));
        }
        self.keys.push((key, Validity::unbounded().from(start)));
        Ok(())
    }

    /// Returns the name of the key that signs at `now`, or `None` if no key is valid then.
    pub fn signing_key(&self, now: SystemTime) -> Option<Thumbprint> {
        self.key(now).map(|(key, _)| key.public().thumbprint())
    }

    /// Returns the key that signs: the most recently started one of the valid keys.
    fn key(&self, now: SystemTime) -> Option<&(PrivateKey, Validity)> {
        let in_force = self.keys.iter().filter(|(_, validity)| validity.holds(now));
        in_force.max_by_key(|(_, validity)| validity.not_before)
    }

    /// Signs a request.
    ///
    /// # Errors
    ///
    /// Returns [`SignError`] if the request is not for `https`, is already signed or is not ASCII, or if no key is valid.
    pub fn sign(&self, request: &Request<'_>, now: SystemTime) -> Result<SignatureFields, SignError> {
        self.sign_as(LABEL, None, request, now)
    }

    /// Signs a request with a nonce: printable ASCII, 256 characters at most, unique (RFC 9421 §7.2.2).
    ///
    /// # Errors
    ///
    /// Returns [`SignError`] in the cases of [`Identity::sign`], and if the nonce has another form.
    pub fn sign_with_nonce(
        &self,
        request: &Request<'_>,
        nonce: &str,
        now: SystemTime,
    ) -> Result<SignatureFields, SignError> {
        self.sign_as(LABEL, Some(nonce), request, now)
    }

    /// Signs a request in answer to a challenge of the site: with its label and its nonce. The covered components do
    /// not change.
    ///
    /// # Errors
    ///
    /// Returns [`SignError`] in the cases of [`Identity::sign`], and if the challenge requires another key, algorithm or tag.
    pub fn answer(
        &self,
        challenge: &Challenge,
        request: &Request<'_>,
        now: SystemTime,
    ) -> Result<SignatureFields, SignError> {
        let (key, _) = self.key(now).ok_or(SignError::NoKey)?;
        if !challenge.is_for(key.public().thumbprint()) {
            return Err(SignError::OtherChallenge);
        }
        self.sign_as(challenge.label(), challenge.nonce(), request, now)
    }

    fn sign_as(
        &self,
        label: &str,
        nonce: Option<&str>,
        request: &Request<'_>,
        now: SystemTime,
    ) -> Result<SignatureFields, SignError> {
        if request.scheme() != "https" {
            return Err(SignError::NotHttps);
        }
        let is_signed = |name: &str| {
            [agent::FIELD, INPUT_FIELD, SIGNATURE_FIELD].iter().any(|own| name.eq_ignore_ascii_case(own))
        };
        if request.headers().iter().any(|(name, _)| is_signed(name)) {
            return Err(SignError::AlreadySigned);
        }
        let (key, validity) = self.key(now).ok_or(SignError::NoKey)?;
        let name = key.public().thumbprint();
        let created = time::seconds(now);
        let ends = created.saturating_add(self.lifetime.as_secs());
        let expires = validity.expires.map_or(ends, |end| ends.min(end));
        let label = Key::from_string(label.to_owned()).map_err(|_| SignError::NotAscii)?;
        let covered =
            CoveredComponents::new(protocol::covered(&label), parameters(created, expires, name, nonce)?)
                .map_err(|_| SignError::NotAscii)?;
        let signature_agent = format!("{}={}", label.as_str(), self.discovery.to_member(self.revision));
        let mut headers = request.headers().clone();
        headers.push(agent::FIELD, signature_agent.as_bytes());
        let request = request.with_headers(&headers);
        let base = covered.base(Message::Request(&request)).map_err(|_| SignError::NotAscii)?;
        let signature = Item::new(BareItem::ByteSequence(key.sign(base.as_bytes()).to_vec()));
        Ok(SignatureFields {
            signature_input: format!("{}={}", label.as_str(), covered.value()),
            signature: format!("{}={}", label.as_str(), fields::item(&signature)),
            signature_agent: signature_agent.clone(),
            key: name,
            created,
            expires,
        })
    }

    /// Signs the directory that is served: `body` is [`Identity::directory`] as JSON. Each key signs, which proves that the
    /// publisher holds its private half (appendix B.1). Returns the header fields to serve with the directory, by name and value.
    ///
    /// The lifetime of the signatures should be much longer than the cache lifetime of the directory: copies are
    /// invalid after their signatures have expired.
    ///
    /// # Errors
    ///
    /// Returns [`SignError`] if no key is valid at `now` or later.
    pub fn sign_directory(
        &self,
        body: &[u8],
        now: SystemTime,
        lifetime: Duration,
    ) -> Result<Vec<(&'static str, String)>, SignError> {
        let alive = self.keys.iter().filter(|(_, validity)| !validity.is_over(now));
        let keys: Vec<&PrivateKey> = alive.map(|(key, _)| key).collect();
        if keys.is_empty() {
            return Err(SignError::NoKey);
        }
        let created = time::seconds(now);
        let expires = created.saturating_add(lifetime.as_secs().max(1));
        proof::prove(&keys, &self.discovery, body, (created, expires)).map_err(|_| SignError::NotAscii)
    }

    /// Parses an identity that [`Identity::to_json`] wrote.
    ///
    /// # Errors
    ///
    /// Returns [`IdentityError`] if the text has any other form.
    pub fn from_json(text: &str) -> Result<Self, IdentityError> {
        let stored: IdentityJson = serde_json::from_str(text).map_err(|_| IdentityError::Json)?;
        if stored.keys.len() > MAX_KEYS {
            return Err(IdentityError::TooManyKeys);
        }
        let discovery = match stored.r#type.as_deref() {
            None | Some("directory") => Discovery::directory(&stored.signature_agent),
            Some("jwks_uri") => Discovery::jwks_uri(&stored.signature_agent),
            Some(_) => Err(DiscoveryError::UnknownType),
        };
        let keys = stored.keys.iter().map(PrivateJwk::read).collect::<Result<_, _>>();
        let keys = keys.map_err(IdentityError::Key)?;
        Ok(Identity { keys, ..Identity::new(discovery.map_err(IdentityError::Discovery)?) })
    }

    /// Reads a file that [`Identity::to_json`] wrote, up to 64 KiB. The bytes are wiped from memory afterwards.
    ///
    /// # Errors
    ///
    /// Returns [`ReadIdentityError`] if reading fails, or the file has other content. The error does not quote the
    /// file.
    pub fn read(file: impl Read) -> Result<Self, ReadIdentityError> {
        // The buffer has its full size from the start: a buffer that grows leaves copies in memory.
        let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_BYTES + 1));
        file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(ReadIdentityError::Io)?;
        if bytes.len() > MAX_BYTES {
            return Err(ReadIdentityError::Content(IdentityError::TooLarge));
        }
        let text =
            std::str::from_utf8(&bytes).map_err(|_| ReadIdentityError::Content(IdentityError::Json))?;
        Identity::from_json(text).map_err(ReadIdentityError::Content)
    }

    /// Returns the address and the private keys as JSON, for a file that only its owner can read. Revision and lifetime are
    /// not stored.
    pub fn to_json(&self) -> Zeroizing<String> {
        // Reserves the full size, so that no copy is left in memory.
        let url = self.discovery.url();
        let room = 64 + url.as_str().len() + self.keys.len() * (JWK_BYTES + 4);
        let mut text = Zeroizing::new(String::with_capacity(room));
        let is_origin = self.discovery.kind() == DiscoveryType::Directory && url.query().is_none();
        if is_origin {
            text.push_str(r#"{"signature_agent":""#);
            text.push_str(&url.origin().ascii_serialization());
        } else {
            // A printed URL has no quotes and no backslashes.
            text.push_str(r#"{"type":"jwks_uri","signature_agent":""#);
            text.push_str(url.as_str());
        }
        text.push_str("\",\"keys\":[");
        for (number, (key, validity)) in self.keys.iter().enumerate() {
            text.push_str(if number == 0 { "\n" } else { ",\n" });
            key.write_jwk(*validity, &mut text);
        }
        text.push_str("\n]}\n");
        text
    }
}

fn parameters(
    created: u64,
    expires: u64,
    key: Thumbprint,
    nonce: Option<&str>,
) -> Result<Vec<(&'static sfv::KeyRef, BareItem)>, SignError> {
    let text = |text: &str| StringRef::from_str(text).map(|text| BareItem::String(text.to_owned()));
    let seconds = |seconds| proof::seconds(seconds).map_err(|_| SignError::NotAscii);
    let mut parameters = vec![
        (CREATED, seconds(created)?),
        (EXPIRES, seconds(expires)?),
        (KEYID, text(&key.to_string()).map_err(|_| SignError::NotAscii)?),
        (ALG, text(ALGORITHM).map_err(|_| SignError::NotAscii)?),
    ];
    if let Some(nonce) = nonce {
        let is_short = nonce.len() <= MAX_NONCE_BYTES;
        let nonce = text(nonce).ok().filter(|_| is_short).ok_or(SignError::Nonce)?;
        parameters.push((NONCE, nonce));
    }
    parameters.push((TAG_PARAMETER, text(TAG).map_err(|_| SignError::NotAscii)?));
    Ok(parameters)
}

/// The JSON form of an identity.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IdentityJson {
    signature_agent: String,
    r#type: Option<String>,
    keys: Vec<PrivateJwk>,
}

/// The three header fields of a signed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureFields {
    signature_agent: String,
    signature_input: String,
    signature: String,
    key: Thumbprint,
    created: u64,
    expires: u64,
}

impl SignatureFields {
    /// Returns the value of `Signature-Agent`.
    pub fn signature_agent(&self) -> &str {
        &self.signature_agent
    }

    /// Returns the value of `Signature-Input`.
    pub fn signature_input(&self) -> &str {
        &self.signature_input
    }

    /// Returns the value of `Signature`.
    pub fn signature(&self) -> &str {
        &self.signature
    }

    /// Returns the fields, by name and value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        [
            ("Signature-Agent", self.signature_agent()),
            ("Signature-Input", self.signature_input()),
            ("Signature", self.signature()),
        ]
        .into_iter()
    }

    /// Returns the name of the key that signed.
    pub fn key(&self) -> Thumbprint {
        self.key
    }

    /// Returns the time when the signature was made, in whole seconds.
    pub fn created(&self) -> Option<SystemTime> {
        time::at(self.created)
    }

    /// Returns the time when the signature expires.
    pub fn expires(&self) -> Option<SystemTime> {
        time::at(self.expires)
    }
}

/// The reasons why signing fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The request is not for `https`.
    #[error("requests without TLS are not signed")]
    NotHttps,
    /// The request already has a field of a signature. Each request needs its own signature.
    #[error("the request is already signed; remove its signature fields first")]
    AlreadySigned,
    /// No key is valid at the time.
    #[error("the identity has no key that is valid now")]
    NoKey,
    /// The nonce is not printable ASCII of 256 characters at most.
    #[error("a nonce must be printable ASCII of at most 256 characters")]
    Nonce,
    /// The challenge requires another key, algorithm or tag.
    #[error("the challenge requires another key, algorithm or tag")]
    OtherChallenge,
    /// The method or the target is not ASCII or contains a line break, or the time cannot be written.
    #[error("the method, the target or the time cannot be written in a signature")]
    NotAscii,
}

/// The reasons why a text is not a valid identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// The text is not JSON with `signature_agent` and `keys`.
    #[error("not JSON with `signature_agent` and `keys`")]
    Json,
    /// The address of the keys cannot be used.
    #[error("`signature_agent`: {0}")]
    Discovery(DiscoveryError),
    /// One of the keys is not valid.
    #[error("`keys`: {0}")]
    Key(KeyError),
    /// There are more keys than a directory may list.
    #[error("more than {MAX_KEYS} keys")]
    TooManyKeys,
    /// The old keys would end before the new one begins, or at the same time.
    #[error("the old keys must end after the new one begins")]
    Rotation,
    /// The file is too large for an identity.
    #[error("the file is larger than {MAX_BYTES} bytes")]
    TooLarge,
}

/// The reasons why [`Identity::read`] returns an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadIdentityError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(io::Error),
    /// The file does not contain an identity.
    #[error(transparent)]
    Content(IdentityError),
}
