//! Decides whether a request is signed, and creates the signature.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use comity::http::Headers;
pub(crate) use comity_identity::{Challenge, SignatureFields};
use comity_identity::{Identity, Request, SignError};
use http::{HeaderMap, Method, StatusCode};

use super::Sign;
use crate::Origin;
use crate::clock::Clock;

/// Time for which requests to an origin are signed after it required a signature.
const CHALLENGE_TTL: Duration = Duration::from_secs(60 * 60);

/// Maximum number of origins that are recorded as requiring a signature.
const MAX_CHALLENGING_ORIGINS: usize = 65_536;

/// Number of random bytes in a nonce, as in the examples of the draft in [`comity_identity`].
const NONCE_BYTES: usize = 64;

/// The signer of a client's requests.
#[derive(Debug)]
pub(crate) struct Signer {
    identity: Identity,
    sign: Sign,
    clock: Arc<dyn Clock>,
    /// The last time at which each origin required a signature.
    challenged_at: quick_cache::sync::Cache<Origin, SystemTime>,
}

impl Signer {
    pub(crate) fn new(identity: Identity, sign: Sign, clock: Arc<dyn Clock>) -> Self {
        Signer {
            identity,
            sign,
            clock,
            challenged_at: quick_cache::sync::Cache::new(MAX_CHALLENGING_ORIGINS),
        }
    }

    /// Returns the identity.
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Returns the name under which answers to signed requests are stored. It contains the identity and its [`Sign`]
    /// setting, since a site may give a different answer if either of them differs.
    pub(crate) fn requester(&self) -> String {
        format!("{} {}", self.sign, self.identity.discovery().identifier())
    }

    /// Returns true if requests to an origin are signed on the first attempt.
    pub(crate) fn signs_without_challenge(&self, origin: &Origin) -> bool {
        self.sign == Sign::Always || self.has_challenged(origin)
    }

    fn has_challenged(&self, origin: &Origin) -> bool {
        let now = self.clock.now();
        let lasts = |at: SystemTime| now.duration_since(at).is_ok_and(|age| age < CHALLENGE_TTL);
        self.challenged_at.get(origin).is_some_and(lasts) && self.identity.signing_key(now).is_some()
    }

    /// Returns the signature that an answer requires, if this identity can create it. After a signed request, only a
    /// challenge with a nonce is answered.
    pub(crate) fn challenge(
        &self,
        origin: &Origin,
        (status, headers): (StatusCode, &HeaderMap),
        was_signed: bool,
    ) -> Option<Challenge> {
        if !origin.as_str().starts_with("https:") || !matches!(status.as_u16(), 401 | 403 | 429) {
            return None;
        }
        let now = self.clock.now();
        let key = self.identity.signing_key(now)?;
        let challenges = Challenge::read_map(headers);
        let mut meant = challenges.into_iter().filter(|challenge| challenge.is_for(key));
        let challenge = meant.find(|challenge| !was_signed || challenge.nonce().is_some())?;
        self.challenged_at.insert(origin.clone(), now);
        Some(challenge)
    }

    /// Signs a request: adds the three fields of the signature to its header. The signature covers the method, the
    /// target and the location of the keys. `path` contains path and query, in the form in which they are sent.
    /// Requests without TLS are not signed.
    pub(crate) fn sign(
        &self,
        method: &Method,
        (scheme, authority, path): (&str, &str, &str),
        headers: &mut HeaderMap,
        challenge: Option<&Challenge>,
    ) -> Result<Option<SignatureFields>, CannotSign> {
        if scheme != "https" {
            return Ok(None);
        }
        let none = Headers::new();
        let request = Request::received(method.as_str(), scheme, authority, path, &none)
            .map_err(|error| CannotSign(error.to_string()))?;
        let now = self.clock.now();
        let signed = match challenge {
            Some(challenge) => self.identity.answer(challenge, &request, now),
            None => self.identity.sign_with_nonce(&request, &nonce()?, now),
        }?;
        signed.put(headers)?;
        Ok(Some(signed))
    }
}

fn nonce() -> Result<String, CannotSign> {
    let mut bytes = [0; NONCE_BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| CannotSign(format!("cannot read random bytes from the system: {error}")))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The error for a request that must be signed but cannot be signed. It is a local fault.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the request cannot be signed: {0}")]
pub(crate) struct CannotSign(String);

impl From<SignError> for CannotSign {
    fn from(error: SignError) -> Self {
        CannotSign(error.to_string())
    }
}
