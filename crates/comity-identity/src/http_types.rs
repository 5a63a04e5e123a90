//! Requests of the crate `http`, which most stacks share (feature `http`).

use std::time::SystemTime;

use comity::http::Headers;
use http::HeaderName;
use http::header::{HOST, HeaderMap, HeaderValue};
use http::request::Parts;

use crate::agent;
use crate::challenge::Challenge;
use crate::directories::Directories;
use crate::identity::{Identity, SignError, SignatureFields};
use crate::message::{MalformedRequest, Request};
use crate::signature::{INPUT_FIELD, SIGNATURE_FIELD};
use crate::verify::{Report, Verifier};

/// The fields that a signed request carries.
const FIELDS: [HeaderName; 3] = [
    HeaderName::from_static(agent::FIELD),
    HeaderName::from_static(INPUT_FIELD),
    HeaderName::from_static(SIGNATURE_FIELD),
];

impl Identity {
    /// Signs a request that is about to be sent. Its URI has to be absolute. Fields of an earlier signature are replaced, so
    /// that a request which is sent again, or elsewhere after a redirect, is signed anew.
    ///
    /// A challenge is answered if there is one (see [`Identity::answer`]).
    ///
    /// # Errors
    ///
    /// [`SignError`], as [`Identity::sign`] and [`Identity::answer`]. The request then has no signature.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use comity_identity::{Directories, Discovery, Identity, Outcome, PrivateKey, Validity, Verifier};
    ///
    /// let identity = Identity::new(Discovery::directory("https://bot.example")?)
    ///     .with_key(PrivateKey::from_random(&[7; 32]), Validity::unbounded());
    /// let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
    ///
    /// let (mut parts, ()) = http::Request::get("https://example.com/heron").body(())?.into_parts();
    /// identity.sign_parts(&mut parts, None, now)?;
    /// assert!(parts.headers.contains_key("signature"));
    ///
    /// let report = Verifier::new().verify_parts(&parts, "https", &Directories::new(), now)?;
    /// assert_eq!(report.outcome().reason(), Some("no_directory"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sign_parts(
        &self,
        parts: &mut Parts,
        challenge: Option<&Challenge>,
        now: SystemTime,
    ) -> Result<SignatureFields, SignError> {
        for name in &FIELDS {
            parts.headers.remove(name);
        }
        let headers = Headers::new();
        let scheme = parts.uri.scheme_str().ok_or(SignError::NotHttps)?;
        // As it stands there and goes out, not as browsers would write it.
        let authority = parts.uri.authority().map_or("", http::uri::Authority::as_str);
        let path = parts.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
        let request = Request::received(parts.method.as_str(), scheme, authority, path, &headers);
        let request = request.map_err(|_| SignError::NotAscii)?;
        let signed = match challenge {
            Some(challenge) => self.answer(challenge, &request, now)?,
            None => self.sign(&request, now)?,
        };
        signed.put(&mut parts.headers)?;
        Ok(signed)
    }
}

impl SignatureFields {
    /// Puts the fields into the header of their request, in place of those of an earlier signature.
    ///
    /// # Errors
    ///
    /// [`SignError::NotAscii`] if a field cannot be sent.
    pub fn put(&self, headers: &mut HeaderMap) -> Result<(), SignError> {
        let values = [self.signature_agent(), self.signature_input(), self.signature()];
        for (name, value) in FIELDS.into_iter().zip(values) {
            headers.insert(name, HeaderValue::from_str(value).map_err(|_| SignError::NotAscii)?);
        }
        Ok(())
    }
}

impl Challenge {
    /// Works like [`Challenge::read`], for the header of an answer.
    pub fn read_map(headers: &HeaderMap) -> Vec<Challenge> {
        Challenge::read(&headers_of(headers))
    }
}

impl Verifier {
    /// Works like [`Verifier::verify`], for a request that a server received. The scheme is that of the client's side.
    ///
    /// # Errors
    ///
    /// [`MalformedRequest`], as [`Request::of_parts`].
    pub fn verify_parts(
        &self,
        parts: &Parts,
        scheme: &str,
        directories: &Directories,
        now: SystemTime,
    ) -> Result<Report, MalformedRequest> {
        let headers = headers_of(&parts.headers);
        let request = Request::of_parts(parts, scheme, &headers)?;
        Ok(self.verify(&request, directories, now))
    }
}

impl<'p> Request<'p> {
    /// Makes a request out of the parts that a server received, and its [header fields](headers_of). The scheme is that of the
    /// client's side.
    ///
    /// The authority is that of the URI, as in HTTP/2, or else the field `Host`. If there are both, a
    /// [`Verifier`](crate::Verifier) finds a request [invalid](crate::Invalid::OtherHost) in which they differ.
    ///
    /// # Errors
    ///
    /// [`MalformedRequest`] if the authority or the target has a form that no request may have.
    pub fn of_parts(
        parts: &'p Parts,
        scheme: &str,
        headers: &'p Headers<'p>,
    ) -> Result<Self, MalformedRequest> {
        let mut hosts = parts.headers.get_all(HOST).iter();
        // An unreadable host is one that no authority equals.
        let host = hosts.next().map(|host| host.to_str().unwrap_or_default());
        if hosts.next().is_some() {
            return Err(MalformedRequest::TWO_HOSTS);
        }
        let authority = parts.uri.authority().map(http::uri::Authority::as_str);
        let target = parts.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
        let known = authority.or(host).unwrap_or_default();
        let request = Request::received(parts.method.as_str(), scheme, known, target, headers)?;
        request.naming(host.unwrap_or(known))
    }
}

/// Returns the fields of a header of the crate `http`.
pub fn headers_of(headers: &HeaderMap) -> Headers<'_> {
    headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect()
}
