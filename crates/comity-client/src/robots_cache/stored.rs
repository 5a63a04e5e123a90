//! The content of an entry of a store, for inspection.

use std::time::SystemTime;

use bytes::Bytes;
use comity::policy::{Evidence, Preset, Reply};
use serde::Serialize;

use super::answer::KeptAnswer;
use super::history::{AnswerHistory, AnswersByRequester};
use crate::store::Entry;

/// A parsed entry of a [store](crate::store::Entries): the latest answer to the request for robots.txt and, during an
/// outage, the last good copy.
///
/// ```
/// use comity::policy::Preset;
/// use comity_client::robots_cache::StoredRobotsTxt;
/// use comity_client::store::Entry;
///
/// assert!(StoredRobotsTxt::of_entry(&Entry::seal(b"something else"), Preset::Rfc9309).is_none());
/// ```
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct StoredRobotsTxt {
    /// The identity that signed the request, and when it signs requests (`always https://…`); null for an unsigned
    /// request. A site may send each identity a different answer.
    pub requested_as: Option<String>,
    /// The latest answer: its kind, its time, and how long it is fresh under the preset.
    #[serde(flatten)]
    pub evidence: Evidence,
    /// The stored header fields of the latest answer, with names in lower case: `cache-control`, `etag`,
    /// `last-modified`, ….
    pub fields: Vec<(String, String)>,
    /// During an outage, the time of the first failure.
    #[serde(with = "crate::rfc3339::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<comity::schema::DateTime>"))]
    pub failing_since: Option<SystemTime>,
    /// During an outage, the last answer with a valid robots.txt, if the store has it.
    pub copy: Option<Evidence>,
    /// True if the latest answer is a failure that only one worker has seen. Other workers make their own request.
    pub unconfirmed: bool,
    /// The body that contains the rules: the body of the latest answer or, during an outage, of the copy.
    #[serde(skip)]
    pub body: Option<Bytes>,
    /// All stored answers to this requester, the oldest first. During an outage, these are the last answer with a valid
    /// robots.txt, the first failure, and the latest answer.
    #[serde(skip)]
    pub answers: Vec<StoredAnswer>,
}

/// An answer in an entry of a store, as it was received.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredAnswer {
    /// Time of the answer.
    pub at: SystemTime,
    /// The status code, or the failure of the request.
    pub reply: Reply,
    /// The `Content-Type`.
    pub content_type: Option<String>,
    /// The body of a successful answer.
    pub body: Option<Bytes>,
    /// True for a failure that only one worker has seen. The network of that worker may be the cause.
    pub unconfirmed: bool,
}

impl StoredAnswer {
    fn of(answer: &KeptAnswer) -> StoredAnswer {
        let content_type = answer.field("content-type");
        StoredAnswer {
            at: answer.at,
            reply: answer.reply,
            content_type: content_type.map(|value| String::from_utf8_lossy(value).into_owned()),
            // Every successful answer has a digest, even if its body is empty.
            body: answer.digest.is_some().then(|| answer.body.clone()),
            unconfirmed: answer.is_unconfirmed,
        }
    }
}

impl StoredRobotsTxt {
    /// Parses an entry and evaluates it under a preset. Returns the answers to unsigned requests or, if there are none,
    /// to the identity that sent the latest request. Returns `None` if the entry was not written by a robots cache.
    pub fn of_entry(entry: &Entry, preset: Preset) -> Option<StoredRobotsTxt> {
        StoredRobotsTxt::all_of_entry(entry, preset).into_iter().next()
    }

    /// Parses an entry and evaluates it under a preset. Returns the answers to all requesters, first the answers to
    /// unsigned requests. The list is empty if the entry was not written by a robots cache.
    pub fn all_of_entry(entry: &Entry, preset: Preset) -> Vec<StoredRobotsTxt> {
        let answers = AnswersByRequester::of_entry(entry).unwrap_or_default();
        answers
            .iter()
            .map(|(requester, history)| StoredRobotsTxt::of_history(requester, history, preset))
            .collect()
    }

    pub(super) fn of_history(
        requester: Option<&str>,
        record: &AnswerHistory,
        preset: Preset,
    ) -> StoredRobotsTxt {
        let evidence = |answer: &KeptAnswer| answer.read(|answer| preset.read(answer).evidence().clone());
        let copy = record.outage.as_ref().and_then(|outage| outage.copy.as_ref());
        let text =
            |(name, value): &(String, Vec<u8>)| (name.clone(), String::from_utf8_lossy(value).into_owned());
        let outage = record.outage.as_ref();
        let copy_and_first = outage.into_iter().flat_map(|outage| outage.copy.iter().chain([&outage.first]));
        let mut answers: Vec<StoredAnswer> =
            copy_and_first.chain([&record.latest]).map(StoredAnswer::of).collect();
        // The first failure may also be the latest answer.
        answers.dedup();
        StoredRobotsTxt {
            requested_as: requester.map(str::to_owned),
            evidence: evidence(&record.latest),
            fields: record.latest.fields.iter().map(text).collect(),
            failing_since: record.outage.as_ref().map(|outage| outage.first.at),
            copy: copy.map(evidence),
            unconfirmed: record.latest.is_unconfirmed,
            body: record.copy(preset).map(|answer| answer.body.clone()),
            answers,
        }
    }

    /// Returns the value of the first stored header field with this name.
    pub fn field(&self, name: &str) -> Option<&str> {
        let field = self.fields.iter().find(|(field, _)| field.eq_ignore_ascii_case(name));
        field.map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use comity::policy::Failure;
    use http::HeaderMap;

    use super::*;

    #[test]
    fn stored_outage_contains_its_copy() {
        let at = |hours: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + 3600 * hours);
        let mut headers = HeaderMap::new();
        headers.insert("etag", "\"1\"".parse().unwrap());
        let body = Bytes::from_static(b"User-agent: *\nDisallow: /x\n");
        let good = KeptAnswer::status(200, at(0), &headers, body.clone(), Vec::new());
        let entry = |record: &AnswerHistory| {
            let mut answers = AnswersByRequester::default();
            answers.put(None, record.clone());
            answers.to_entry()
        };
        let record = AnswerHistory::after(None, good, Preset::Rfc9309, 1);
        let stored = StoredRobotsTxt::of_entry(&entry(&record), Preset::Rfc9309).unwrap();
        assert_eq!((stored.evidence.status(), stored.field("ETag")), (Some(200), Some("\"1\"")));
        assert_eq!(
            (stored.failing_since, stored.copy.is_none(), &stored.body),
            (None, true, &Some(body.clone()))
        );

        let failure = KeptAnswer::failure(Failure::Timeout, at(30), Vec::new());
        let record = AnswerHistory::after(Some(record), failure, Preset::Rfc9309, 1);
        let stored = StoredRobotsTxt::of_entry(&entry(&record), Preset::Rfc9309).unwrap();
        assert_eq!(stored.evidence.failure(), Some(Failure::Timeout));
        assert_eq!(stored.failing_since, Some(at(30)));
        assert_eq!(stored.copy.and_then(|copy| copy.status()), Some(200));
        assert_eq!(stored.body, Some(body.clone()));
        let answers: Vec<_> =
            stored.answers.iter().map(|answer| (answer.reply, answer.at, &answer.body)).collect();
        let timeout = Reply::Failure(Failure::Timeout);
        assert_eq!(answers, [(Reply::Status(200), at(0), &Some(body)), (timeout, at(30), &None)]);
        assert!(stored.answers[1].unconfirmed);
    }
}
