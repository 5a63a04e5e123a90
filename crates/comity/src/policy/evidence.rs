//! The evidence for a decision: the answer to the request for robots.txt.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::SystemTime;

use super::answer::{CertificateFault, Failure, Reply};
use super::freshness;
use super::kind::{AnswerKind, Availability};
use super::treatment::Treatment;

/// The facts about an answer that a decision is based on: its kind, its time of arrival, and its freshness.
#[derive(Clone, Debug)]
pub struct Evidence {
    pub(crate) kind: AnswerKind,
    pub(crate) availability: Availability,
    pub(crate) treatment: Treatment,
    pub(crate) reply: Reply,
    pub(crate) fetched_at: SystemTime,
    pub(crate) fresh_for: u32,
    pub(crate) stale_for: u32,
    pub(crate) body_bytes: usize,
    /// Shared by the clones of the evidence.
    pub(crate) provenance: Option<Arc<Provenance>>,
}

/// Optional evidence. It is stored separately, because few answers have any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Provenance {
    pub redirects: Vec<String>,
    pub digest: Option<String>,
    pub challenge: Option<String>,
    pub error: Option<String>,
    pub certificate: Option<CertificateFault>,
}

impl Provenance {
    /// Returns the provenance for [`Evidence`], or `None` if all fields are absent.
    pub(crate) fn into_shared(self) -> Option<Arc<Self>> {
        (self != Provenance::default()).then(|| Arc::new(self))
    }
}

/// Two values are equal if their fields are equal. A `stale_for` that is shorter than `fresh_for` counts as equal to
/// `fresh_for`, because [`stale_until`](Evidence::stale_until) uses the longer one.
impl PartialEq for Evidence {
    fn eq(&self, other: &Self) -> bool {
        let fields = |evidence: &Evidence| {
            let Evidence { kind, availability, treatment, reply, fetched_at, fresh_for, body_bytes, .. } =
                *evidence;
            let stale_for = evidence.stale_for.max(fresh_for);
            (kind, availability, treatment, reply, fetched_at, fresh_for, stale_for, body_bytes)
        };
        fields(self) == fields(other) && self.provenance == other.provenance
    }
}

impl Eq for Evidence {}

impl Evidence {
    /// Returns the kind of answer.
    pub fn kind(&self) -> AnswerKind {
        self.kind
    }

    /// Returns the availability of robots.txt, as the preset classifies it.
    pub fn availability(&self) -> Availability {
        self.availability
    }

    /// Returns the preset's treatment of this kind of answer.
    pub fn treatment(&self) -> Treatment {
        self.treatment
    }

    /// Returns the status code, if there was an answer.
    pub fn status(&self) -> Option<u16> {
        match self.reply {
            Reply::Status(code) => Some(code),
            Reply::Failure(_) => None,
        }
    }

    /// Returns the failure, if there was no answer.
    pub fn failure(&self) -> Option<Failure> {
        match self.reply {
            Reply::Status(_) => None,
            Reply::Failure(failure) => Some(failure),
        }
    }

    /// Returns the time when the answer arrived, or was last confirmed to be unchanged (304).
    pub fn fetched_at(&self) -> SystemTime {
        self.fetched_at
    }

    /// Returns the time until which the answer is used without a new request. After a failure, this is the time of the
    /// next request. `None` means as long as the program runs.
    pub fn fresh_until(&self) -> Option<SystemTime> {
        freshness::after(self.fetched_at, self.fresh_for)
    }

    /// Returns the time until which the answer may be used as the last good copy while robots.txt is unreachable.
    /// `None` means that any age is accepted; [`Preset::outage_steps`](super::Preset::outage_steps) still apply.
    pub fn stale_until(&self) -> Option<SystemTime> {
        freshness::after(self.fetched_at, self.stale_for.max(self.fresh_for))
    }

    /// Returns true if the answer is used at `now` without a new request.
    ///
    /// An answer is not fresh if its time is later than `now` by more than a minute. Smaller differences occur between
    /// machines that share a store. A larger one means that a clock was wrong, so the age of the answer is unknown.
    pub fn is_fresh(&self, now: SystemTime) -> bool {
        let is_past = freshness::is_within(self.fetched_at, now, freshness::CLOCK_SKEW);
        is_past && self.fresh_until().is_none_or(|until| now < until)
    }

    /// Returns true if the answer may be used at `now` as the last good copy.
    ///
    /// The time of the answer can be later than `now` if a clock was wrong. The answer is not accepted if the
    /// difference is longer than the time for which it may be used.
    pub(super) fn may_serve(&self, now: SystemTime) -> bool {
        let ahead = self.stale_for.max(self.fresh_for);
        freshness::is_within(self.fetched_at, now, ahead)
            && self.stale_until().is_none_or(|until| now < until)
    }

    /// Returns the size of the body in bytes.
    pub fn body_bytes(&self) -> usize {
        self.body_bytes
    }

    /// Returns the number of bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.provenance.as_ref().map_or(0, |provenance| {
            let redirects = provenance.redirects.iter().map(|url| size_of::<String>() + url.len());
            let texts = [&provenance.digest, &provenance.challenge, &provenance.error];
            // The allocation starts with the two reference counts of the `Arc`.
            2 * size_of::<usize>()
                + size_of::<Provenance>()
                + redirects.sum::<usize>()
                + texts.into_iter().flatten().map(String::len).sum::<usize>()
        })
    }

    /// Returns the URLs of the redirects. The rules apply to the origin of the first request (RFC 9309 §2.3.1.2).
    pub fn redirects(&self) -> &[String] {
        self.provenance.as_ref().map_or(&[], |provenance| &provenance.redirects)
    }

    /// Returns the digest of the body, if the caller provided one.
    pub fn digest(&self) -> Option<&str> {
        self.provenance.as_ref()?.digest.as_deref()
    }

    /// Returns the sign that identifies the answer as a browser challenge: a header field as sent, or
    /// `a page of SERVICE`. A 2xx answer that contains a record of a robots.txt is not checked for signs.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use comity::http::Headers;
    /// use comity::policy::{Answer, AnswerKind, Preset};
    ///
    /// let headers: Headers = [("cf-mitigated", "challenge")].into_iter().collect();
    /// let answer = Answer::status(403, SystemTime::UNIX_EPOCH).with_headers(&headers);
    /// let reading = Preset::Rfc9309.read(&answer);
    /// assert_eq!(reading.evidence().kind(), AnswerKind::AccessDenied);
    /// assert_eq!(reading.evidence().challenge(), Some("cf-mitigated: challenge"));
    /// ```
    pub fn challenge(&self) -> Option<&str> {
        self.provenance.as_ref()?.challenge.as_deref()
    }

    /// Returns the answer in a few words: its status code or its kind, and the error of the request if there is one.
    pub fn summary(&self) -> Cow<'static, str> {
        match self.error() {
            Some(error) => format!("{}: {error}", self.kind.label()).into(),
            None => self.kind.with_status(self.status()),
        }
    }

    /// Returns the error of the request in a sentence, if the caller provided one.
    pub fn error(&self) -> Option<&str> {
        self.provenance.as_ref()?.error.as_deref()
    }

    /// Returns the reason why the server's certificate was rejected, if the request failed for this reason.
    pub fn certificate(&self) -> Option<CertificateFault> {
        self.provenance.as_ref()?.certificate
    }
}
