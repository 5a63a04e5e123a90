//! Support for requests of the crate `http` (feature `http`).

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

/// The header fields that a signed request has.
const FIELDS: [HeaderName; 3] = [
    HeaderName::from_static(agent::FIELD),
    HeaderName::from_static(INPUT_FIELD),
    HeaderName::from_static(SIGNATURE_FIELD),
];

impl Identity {
    /// Signs a request that is about to be sent. Its URI has to be absolute. Replaces the fields of an earlier signature, so that
    /// a retried or redirected request gets a new signature.
    ///
    /// Answers the challenge, if there is one (see [`Identity::answer`]).
    ///
    /// # Errors
    ///
    /// Returns [`SignError`] in the cases of [`Identity::sign`] and [`Identity::answer`]. The request then has no signature.
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
        // Uses the exact spelling of the URI that is sent, without the normalization of browsers.
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
    /// Adds the fields to the header of their request. Replaces the fields of an earlier signature.
    ///
    /// # Errors
    ///
    /// Returns [`SignError::NotAscii`] if a field cannot be sent.
    pub fn put(&self, headers: &mut HeaderMap) -> Result<(), SignError> {
        let values = [self.signature_agent(), self.signature_input(), self.signature()];
        for (name, value) in FIELDS.into_iter().zip(values) {
            headers.insert(name, HeaderValue::from_str(value).map_err(|_| SignError::NotAscii)?);
        }
        Ok(())
    }
}

impl Challenge {
    /// Reads the challenges in the header of an answer, as [`Challenge::read`] does.
    pub fn read_map(headers: &HeaderMap) -> Vec<Challenge> {
        Challenge::read(&headers_of(headers))
    }
}

impl Verifier {
    /// Verifies a request that a server received, as [`Verifier::verify`] does. `scheme` is the scheme of the URL that the
    /// client requested.
    ///
    /// # Errors
    ///
    /// Returns [`MalformedRequest`] in the cases of [`Request::of_parts`].
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
    /// Creates a request from the parts that a server received, and its [header fields](headers_of). `scheme` is the scheme of
    /// the URL that the client requested.
    ///
    /// The authority is that of the URI, as in HTTP/2, or else the field `Host`. If a request has both and they differ, a
    /// [`Verifier`](crate::Verifier) reports it as [invalid](crate::Invalid::OtherHost).
    ///
    /// # Errors
    ///
    /// Returns [`MalformedRequest`] if the authority or the target is not valid in a request, or if the request has several
    /// `Host` fields.
    pub fn of_parts(
        parts: &'p Parts,
        scheme: &str,
        headers: &'p Headers<'p>,
    ) -> Result<Self, MalformedRequest> {
        let mut hosts = parts.headers.get_all(HOST).iter();
        // An unreadable host never equals an authority.
        let host = hosts.next().map(|host| host.to_str().unwrap_or_default());
        if hosts.next().is_some() {
            return Err(MalformedRequest::TWO_HOSTS);
        }
        let authority = parts.uri.authority().map(http::uri::Authority::as_str);
        let target = parts.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
        let known = authority.or(host).unwrap_or_default();
        let request = Request::received(parts.method.as_str(), scheme, known, target, headers)?;
        request.check_host(host.unwrap_or(known))
    }
}

/// Returns the header fields of a header map of the crate `http`.
pub fn headers_of(headers: &HeaderMap) -> Headers<'_> {
    headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect()
}
