//! The answer to a request for robots.txt. It is the input of every policy.

use std::fmt;
use std::time::SystemTime;

use crate::http::Headers;
use crate::robots::Body;
use crate::words::words;

/// The answer to a request for the `/robots.txt` of an origin, after redirects.
///
/// ```
/// use std::time::SystemTime;
///
/// use comity::http::Headers;
/// use comity::policy::{Answer, Failure, Reply};
///
/// let headers: Headers = [("Cache-Control", "max-age=3600")].into_iter().collect();
/// let answer = Answer::status(200, SystemTime::UNIX_EPOCH).with_headers(&headers).with_body(b"User-agent: *\n");
/// assert_eq!(answer.reply(), Reply::Status(200));
///
/// let answer = Answer::failure(Failure::Timeout, SystemTime::UNIX_EPOCH);
/// assert_eq!(answer.reply(), Reply::Failure(Failure::Timeout));
/// ```
#[derive(Clone, Debug)]
pub struct Answer<'a> {
    pub(super) reply: Reply,
    pub(super) at: SystemTime,
    pub(super) headers: Option<&'a Headers<'a>>,
    /// `None` if the caller did not provide a body.
    pub(super) body: Option<Body<'a>>,
    pub(super) is_cut: bool,
    pub(super) redirects: Vec<String>,
    pub(super) digest: Option<String>,
    pub(super) error: Option<String>,
    pub(super) certificate: Option<CertificateFault>,
}

/// Maximum number of redirects that are stored as evidence. RFC 9309 §2.3.1.2 recommends that crawlers follow at
/// least five.
pub const MAX_REDIRECTS: usize = 32;

/// Maximum number of characters of an error that are stored as evidence.
const MAX_ERROR: usize = 500;

impl<'a> Answer<'a> {
    /// Makes an HTTP answer with this status code, received at `at`.
    ///
    /// A status code of 300 to 399, except 304, means a redirect that the caller did not follow. In this case
    /// robots.txt is unknown ([`AnswerKind::UnfollowedRedirect`](super::AnswerKind::UnfollowedRedirect)). A caller that
    /// followed redirects up to its limit reports [`Failure::Redirects`] instead. A 2xx answer needs a
    /// [body](Answer::with_body), even an empty one, unless its status or header declares that it has no content.
    /// Without a body, robots.txt is unknown, too ([`AnswerKind::MissingBody`](super::AnswerKind::MissingBody)). A 206
    /// contains a part of the file, so its body is ignored, unless the field `Content-Range` of its
    /// [header](Answer::with_headers) states that the part is the whole file (RFC 9110 §15.3.7). A code outside 100 to
    /// 599 counts as 5xx (RFC 9110 §15).
    pub fn status(code: u16, at: SystemTime) -> Self {
        Answer::new(Reply::Status(code), at)
    }

    /// Makes an answer that represents a request that failed at `at`.
    pub fn failure(failure: Failure, at: SystemTime) -> Self {
        Answer::new(Reply::Failure(failure), at)
    }

    fn new(reply: Reply, at: SystemTime) -> Self {
        Answer {
            reply,
            at,
            headers: None,
            body: None,
            is_cut: false,
            redirects: Vec::new(),
            digest: None,
            error: None,
            certificate: None,
        }
    }

    /// Adds the header of the answer. It sets the media type, the charset and the lifetime, and may show that the
    /// answer has no content or is a browser challenge ([`ChallengeSign`](super::ChallengeSign)).
    #[must_use]
    pub fn with_headers(self, headers: &'a Headers<'a>) -> Self {
        Answer { headers: Some(headers), ..self }
    }

    /// Adds the body as bytes or text, with its content encodings decoded. A client that stops reading before the end
    /// uses [`with_cut_body`](Answer::with_cut_body) instead.
    #[must_use]
    pub fn with_body(self, body: impl Into<Body<'a>>) -> Self {
        Answer { body: Some(body.into()), ..self }
    }

    /// Adds the beginning of a body that the client did not read to its end. An incomplete last line is ignored.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use comity::policy::{Answer, AnswerKind, Policy, Preset};
    /// use comity::robots::Agent;
    ///
    /// let body = b"User-agent: *\nDisallow: /\nAllow: /"; // The server sent `Allow: /only-this`.
    /// let answer = Answer::status(200, SystemTime::UNIX_EPOCH).with_cut_body(body);
    /// let reading = Preset::Rfc9309.read(&answer);
    /// assert_eq!(reading.evidence().kind(), AnswerKind::LongBody);
    /// let policy = Policy::new(&reading, &Agent::token("examplebot")?);
    /// assert!(policy.decide("/page", SystemTime::UNIX_EPOCH)?.blocks());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_cut_body(self, body: impl Into<Body<'a>>) -> Self {
        Answer { body: Some(body.into()), is_cut: true, ..self }
    }

    /// Adds the URLs of the redirects, in order, as evidence. If there are more than [`MAX_REDIRECTS`], the first ones
    /// are stored.
    #[must_use]
    pub fn with_redirects<S: Into<String>>(self, urls: impl IntoIterator<Item = S>) -> Self {
        Answer { redirects: urls.into_iter().take(MAX_REDIRECTS).map(Into::into).collect(), ..self }
    }

    /// Adds a digest of the body, computed by the caller (`sha-256=:…:`), as evidence.
    #[must_use]
    pub fn with_digest(self, digest: impl Into<String>) -> Self {
        Answer { digest: Some(digest.into()), ..self }
    }

    /// Adds the error of a request that failed, in a sentence, as evidence. If it has more than 500 characters, the
    /// first 500 are stored.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use comity::policy::{Answer, CertificateFault, Failure, Preset};
    ///
    /// let answer = Answer::failure(Failure::Tls, SystemTime::UNIX_EPOCH)
    ///     .with_error("the certificate expired on 1 January 2021")
    ///     .with_certificate_fault(CertificateFault::Expired);
    /// let reading = Preset::Rfc9309.read(&answer);
    /// assert_eq!(reading.evidence().error(), Some("the certificate expired on 1 January 2021"));
    /// assert_eq!(reading.evidence().certificate(), Some(CertificateFault::Expired));
    /// ```
    #[must_use]
    pub fn with_error(self, error: &str) -> Self {
        Answer { error: Some(error.chars().take(MAX_ERROR).collect()), ..self }
    }

    /// Adds the reason why the server's certificate was rejected, as evidence.
    #[must_use]
    pub fn with_certificate_fault(self, fault: CertificateFault) -> Self {
        Answer { certificate: Some(fault), ..self }
    }

    /// Returns the status code or the failure.
    pub fn reply(&self) -> Reply {
        self.reply
    }

    /// Returns the time when the answer was received.
    pub fn at(&self) -> SystemTime {
        self.at
    }

    /// Returns the whole body, or its beginning if it was cut. Returns `None` for another part of the body. If the caller
    /// did not provide a body, returns an empty body for an answer that declares that it has no content, and `None` for
    /// any other answer.
    pub(super) fn body(&self) -> Option<Body<'a>> {
        let provided = self.body.filter(|_| !self.is_part());
        provided.or_else(|| self.has_no_content().then(Body::default))
    }

    /// Returns true if the answer contains only a part of the file, or several parts (RFC 9110 §15.3.7).
    fn is_part(&self) -> bool {
        self.reply == Reply::Status(206)
            && !self.headers.is_some_and(|headers| {
                let mut ranges = headers.get_all("content-range");
                ranges.next().is_some_and(is_whole_range) && ranges.next().is_none()
            })
    }

    /// Returns true if the answer declares that its body is empty (RFC 9110 §15.3.5, §15.3.6 and §8.6).
    /// `Content-Length` is ignored if there is a `Transfer-Encoding` (RFC 9112 §6.3).
    fn has_no_content(&self) -> bool {
        let states_zero = |headers: &Headers<'_>| {
            let mut lengths = headers.get_all("content-length").peekable();
            lengths.peek().is_some()
                && lengths.all(|length| length.trim_ascii() == b"0")
                && headers.get("transfer-encoding").is_none()
        };
        matches!(self.reply, Reply::Status(204 | 205)) || self.headers.is_some_and(states_zero)
    }
}

/// Returns true if the value of a `Content-Range` covers the whole file, such as `bytes 0-9/10` (RFC 9110 §14.4).
fn is_whole_range(value: &[u8]) -> bool {
    let number = |digits: &str| {
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u64>().ok()).flatten()
    };
    let numbers = || {
        let (last, length) =
            std::str::from_utf8(value).ok()?.trim_ascii().strip_prefix("bytes 0-")?.split_once('/')?;
        Some((number(last)?, number(length)?))
    };
    numbers().is_some_and(|(last, length)| last.checked_add(1) == Some(length))
}

/// A status code, or the reason why there is no status code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reply {
    /// The status code of an HTTP answer.
    Status(u16),
    /// There was no usable HTTP answer.
    Failure(Failure),
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Status(code) => code.fmt(f),
            Reply::Failure(failure) => failure.fmt(f),
        }
    }
}

words! {
    /// The reason why there is no usable HTTP answer.
    Failure as "failure" with summary {
        /// The redirects form a loop, or are more than the client follows.
        Redirects = "redirects" => "too many redirects, or a loop",
        /// No answer arrived before the client's time limit.
        Timeout = "timeout" => "no answer in time",
        /// The host's name has no address. If no name server is reachable, the failure is [`Failure::Local`].
        Dns = "dns" => "the host's name has no address",
        /// TLS failed: the handshake, or the server's certificate.
        Tls = "tls" => "TLS failed",
        /// The connection was refused, reset or cut off.
        Connection = "connection" => "the connection was refused, reset or cut off",
        /// The answer is not HTTP, or is incomplete: a bad chunk, a broken content encoding.
        Protocol = "protocol" => "the answer is not HTTP, or is incomplete",
        /// The client's own guard rejected the address or the scheme.
        Guard = "guard" => "the client's own guard rejected the address or the scheme",
        /// The body is longer than the client reads, and the client stored no part of it. If the client stored the
        /// beginning of the body, the answer has a status code instead.
        Oversize = "oversize" => "the body is longer than the client reads, and no part of it was stored",
        /// The body has a content coding that the client cannot undo (RFC 9110 §8.4.1). If only the charset cannot be
        /// decoded, the answer has a status code instead.
        UnsupportedCoding = "unsupported_coding" => "the body has a content coding that is not supported",
        /// The request failed on the client's side before it reached the site: no descriptor left, no network, a dead
        /// proxy, no name server, TLS that cannot be set up, a full disk. It is not evidence about the site.
        Local = "local" => "the request failed on the client's side, before it reached the site",
    }
}

words! {
    /// The reason why a server's certificate is rejected.
    CertificateFault as "fault of a certificate" {
        /// The certificate has expired.
        Expired = "expired",
        /// The certificate is not valid yet.
        NotYetValid = "not_yet_valid",
        /// The certificate is for other names.
        WrongName = "wrong_name",
        /// The issuer is not among the trusted authorities.
        UnknownIssuer = "unknown_issuer",
        /// The issuer has revoked the certificate.
        Revoked = "revoked",
    }
}
