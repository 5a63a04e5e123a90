//! The form of evidence in JSON.

use std::time::SystemTime;

use super::fields::{FieldValue, record};
use super::{FieldKind, Value};
use crate::policy::{AnswerKind, Availability, CertificateFault, Evidence, Failure, Treatment};
#[cfg(feature = "serde")]
use crate::policy::{FOREVER, Provenance, Reply};

record! {
    /// The answer that a decision is based on.
    struct EvidenceRecord as "Evidence" {
        /// The kind of answer.
        answer: AnswerKind,
        /// The availability of robots.txt, as the preset classifies it.
        availability: Availability,
        /// The preset's treatment of this kind of answer.
        treatment: Treatment,
        /// The status code, if there was an answer.
        status: Option<u16>,
        /// The reason why there was no answer.
        failure: Option<Failure>,
        /// The time when the answer was received, or last revalidated.
        #[serde(with = "super::time")]
        #[schemars(with = "crate::schema::DateTime")]
        fetched_at: SystemTime,
        /// The time until which the answer is fresh; null if it is fresh as long as the program runs.
        #[serde(with = "super::time::option")]
        #[schemars(with = "Option<crate::schema::DateTime>")]
        fresh_until: Option<SystemTime>,
        /// The time until which the answer may be used as the last good copy; null if any age is accepted.
        #[serde(with = "super::time::option")]
        #[schemars(with = "Option<crate::schema::DateTime>")]
        stale_until: Option<SystemTime>,
        /// The size of the body in bytes.
        body_bytes: usize,
        /// The URLs of the redirects, in order.
        redirects: Vec<String>,
        /// The digest of the body, if the caller provided one.
        digest: Option<String>,
        /// The evidence that the answer is a browser challenge: a header field as it was sent, or
        /// `a page of SERVICE`. Null if the answer is not a challenge.
        challenge: Option<String>,
        /// The error of the request in a sentence, if there was no answer.
        error: Option<String>,
        /// The reason why the server's certificate was rejected, if the request failed for this reason.
        certificate: Option<CertificateFault>,
    }
}

impl FieldValue for Evidence {
    const KIND: FieldKind = EvidenceRecord::KIND;

    fn value(&self) -> Value<'_> {
        Value::Other
    }
}

#[cfg(feature = "serde")]
impl EvidenceRecord {
    fn of(evidence: &Evidence) -> Self {
        EvidenceRecord {
            answer: evidence.kind(),
            availability: evidence.availability(),
            treatment: evidence.treatment(),
            status: evidence.status(),
            failure: evidence.failure(),
            fetched_at: evidence.fetched_at(),
            fresh_until: evidence.fresh_until(),
            stale_until: evidence.stale_until(),
            body_bytes: evidence.body_bytes(),
            redirects: evidence.redirects().to_vec(),
            digest: evidence.digest().map(str::to_owned),
            challenge: evidence.challenge().map(str::to_owned),
            error: evidence.error().map(str::to_owned),
            certificate: evidence.certificate(),
        }
    }

    /// Returns the evidence with these fields. Returns `None` if there are both a status code and a failure, or
    /// neither.
    fn evidence(self) -> Option<Evidence> {
        let reply = match (self.status, self.failure) {
            (Some(code), None) => Reply::Status(code),
            (None, Some(failure)) => Reply::Failure(failure),
            _ => return None,
        };
        // An end before the arrival of the answer counts as the time of arrival.
        let seconds_until = |until: Option<SystemTime>| {
            until.map_or(FOREVER, |until| {
                let span = until.duration_since(self.fetched_at).unwrap_or_default();
                u32::try_from(span.as_secs()).unwrap_or(FOREVER)
            })
        };
        let provenance = Provenance {
            redirects: self.redirects,
            digest: self.digest,
            challenge: self.challenge,
            error: self.error,
            certificate: self.certificate,
        };
        let (fresh_for, stale_for) = (seconds_until(self.fresh_until), seconds_until(self.stale_until));
        Some(Evidence {
            kind: self.answer,
            availability: self.availability,
            treatment: self.treatment,
            reply,
            fetched_at: self.fetched_at,
            fresh_for,
            stale_for,
            body_bytes: self.body_bytes,
            provenance: provenance.into_shared(),
        })
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Evidence {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        EvidenceRecord::of(self).serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Evidence {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let evidence = EvidenceRecord::deserialize(deserializer)?.evidence();
        evidence.ok_or_else(|| serde::de::Error::custom("evidence needs either a status code or a failure"))
    }
}

#[cfg(feature = "schema")]
crate::schema::written_as!(Evidence: EvidenceRecord;);
