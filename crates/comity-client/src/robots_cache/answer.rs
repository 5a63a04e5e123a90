//! One answer of a server to a request for robots.txt, with all data that is needed to evaluate it again under any
//! preset.

use std::time::SystemTime;

use bytes::Bytes;
use comity::finding::Channel;
use comity::http::Headers;
use comity::policy::{Answer, CertificateFault, ChallengeSign, Failure, Reply};
use http::HeaderMap;
use sha2::{Digest, Sha256};

use crate::transport::TransportError;

/// Header fields that determine the freshness, revalidation, charset and completeness of an answer. [`is_kept`] also
/// accepts the fields that identify a browser challenge.
const KEPT_FIELDS: [&str; 9] = [
    "age",
    "cache-control",
    "content-range",
    "content-type",
    "date",
    "etag",
    "expires",
    "last-modified",
    "retry-after",
];

/// Maximum length of a stored field value, in bytes. Longer values are dropped.
const MAX_VALUE_BYTES: usize = 1024;

/// A stored answer of a server, or the failure of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeptAnswer {
    pub reply: Reply,
    pub at: SystemTime,
    /// Header fields that are stored, with names in lower case.
    pub fields: Vec<(String, Vec<u8>)>,
    /// The body of a 2xx answer.
    pub body: Bytes,
    /// True if the body was longer than the limit, so that only its beginning was read.
    pub is_cut: bool,
    /// The targets of the redirects that were followed.
    pub redirects: Vec<String>,
    /// Digest of the body (`sha-256=:…:`, RFC 9530), if the status is 2xx.
    pub digest: Option<String>,
    /// The error message of a failed request.
    pub error: Option<String>,
    /// The reason why the server's certificate was rejected, if it was.
    pub certificate: Option<CertificateFault>,
    /// Number of the worker that made the request.
    pub worker: u64,
    /// True for a network failure that is not confirmed yet, by another worker or by a second failure a minute later.
    /// The network of this worker may be the cause.
    pub is_unconfirmed: bool,
}

impl KeptAnswer {
    pub(crate) fn failure(failure: Failure, at: SystemTime, redirects: Vec<String>) -> Self {
        KeptAnswer {
            reply: Reply::Failure(failure),
            at,
            fields: Vec::new(),
            body: Bytes::new(),
            is_cut: false,
            redirects,
            digest: None,
            error: None,
            certificate: None,
            worker: 0,
            is_unconfirmed: false,
        }
    }

    /// Creates the answer for a request that failed with this error.
    pub(super) fn of_error(error: &TransportError, at: SystemTime) -> Self {
        KeptAnswer {
            error: Some(error.to_string()),
            certificate: error.certificate(),
            ..KeptAnswer::failure(error.failure(), at, Vec::new())
        }
    }

    pub(crate) fn status(
        code: u16,
        at: SystemTime,
        headers: &HeaderMap,
        body: Bytes,
        redirects: Vec<String>,
    ) -> Self {
        let digest = (200..300).contains(&code).then(|| digest(&body));
        KeptAnswer {
            reply: Reply::Status(code),
            at,
            fields: kept_fields(headers),
            body,
            is_cut: false,
            redirects,
            digest,
            error: None,
            certificate: None,
            worker: 0,
            is_unconfirmed: false,
        }
    }

    /// Marks the body as incomplete: the rest was not read.
    pub(crate) fn cut(self) -> Self {
        KeptAnswer { is_cut: true, ..self }
    }

    /// Converts a final 3xx, except 304, into a redirect failure.
    pub(super) fn after_redirects(self) -> Self {
        match self.reply {
            Reply::Status(304) => self,
            Reply::Status(300..=399) => KeptAnswer { reply: Reply::Failure(Failure::Redirects), ..self },
            _ => self,
        }
    }

    /// Returns true if the request failed on this machine, so that the result shows nothing about the origin.
    pub(crate) fn is_local(&self) -> bool {
        self.reply == Reply::Failure(Failure::Local)
    }

    /// Returns true if a worker's own network may have caused the failure: a refused or reset connection, or a timeout.
    pub(super) fn is_of_the_network(&self) -> bool {
        matches!(self.reply, Reply::Failure(Failure::Connection | Failure::Timeout))
    }

    /// Returns this answer with the time and header fields of the 304 that confirmed it (RFC 9111 §3.2).
    pub(crate) fn confirmed_by(&self, not_modified: &KeptAnswer) -> KeptAnswer {
        let mut fields = self.fields.clone();
        // The stored `Age` is outdated, since the age counts from the 304.
        fields.retain(|(name, _)| name != "age" && !not_modified.fields.iter().any(|(new, _)| new == name));
        fields.extend(not_modified.fields.iter().cloned());
        KeptAnswer { at: not_modified.at, worker: not_modified.worker, fields, ..self.clone() }
    }

    pub(crate) fn field(&self, name: &str) -> Option<&[u8]> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_slice())
    }

    /// Returns the charset in the `Content-Type`.
    pub(crate) fn charset(&self) -> Option<String> {
        self.headers().charset()
    }

    fn headers(&self) -> Headers<'_> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value)).collect()
    }

    /// Calls `read` with the answer as the type that the engine evaluates.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Answer<'_>) -> T) -> T {
        let headers = self.headers();
        let answer = match self.reply {
            Reply::Failure(failure) => Answer::failure(failure, self.at),
            Reply::Status(code) => Answer::status(code, self.at),
            // `Reply` may get more variants. An unknown variant counts as a failed request.
            _ => Answer::failure(Failure::Protocol, self.at),
        };
        let answer = match self.is_cut {
            true => answer.with_cut_body(&self.body[..]),
            false => answer.with_body(&self.body[..]),
        };
        let mut answer = answer.with_headers(&headers).with_redirects(self.redirects.clone());
        if let Some(error) = &self.error {
            answer = answer.with_error(error);
        }
        if let Some(fault) = self.certificate {
            answer = answer.with_certificate_fault(fault);
        }
        match &self.digest {
            Some(digest) => read(&answer.with_digest(digest)),
            None => read(&answer),
        }
    }
}

fn kept_fields(headers: &HeaderMap) -> Vec<(String, Vec<u8>)> {
    let kept =
        headers.iter().filter(|(name, value)| is_kept(name.as_str()) && value.len() <= MAX_VALUE_BYTES);
    kept.take(32).map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec())).collect()
}

/// Returns true if a header field must be stored because it may affect the evaluation of an answer.
fn is_kept(name: &str) -> bool {
    let signs = ChallengeSign::all().iter().filter(|sign| sign.channel() == Channel::HttpHeader);
    let mut names = signs.flat_map(|sign| sign.texts()).filter_map(|text| text.split_once(": "));
    KEPT_FIELDS.contains(&name) || names.any(|(sign, _)| sign == name)
}

/// Computes the SHA-256 digest of a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyDigest(Sha256);

impl BodyDigest {
    /// Adds the next part of the body.
    pub(crate) fn update(&mut self, part: &[u8]) {
        self.0.update(part);
    }

    /// Returns the digest in the syntax of RFC 9530.
    pub(crate) fn finish(self) -> String {
        use base64::Engine;

        // This function runs for every page, so it avoids the cost of `format!`.
        let mut written = String::with_capacity("sha-256=::".len() + 44);
        written.push_str("sha-256=:");
        base64::engine::general_purpose::STANDARD.encode_string(self.0.finalize(), &mut written);
        written.push(':');
        written
    }
}

/// Returns the SHA-256 digest of a body in the syntax of RFC 9530.
pub(crate) fn digest(body: &[u8]) -> String {
    let mut digest = BodyDigest::default();
    digest.update(body);
    digest.finish()
}
