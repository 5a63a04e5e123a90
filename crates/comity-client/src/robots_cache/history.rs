//! The stored answers of an origin, from which the policy for its robots.txt is derived.
//!
//! The [`Policy`] itself is not stored, since it depends on the crawler and the preset. It is computed from the stored
//! answers. So one entry of a store serves all crawlers, and all policies are computed in the same way.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use comity::policy::{Availability, Failure, Policy, Preset, Reply, Treatment};
use comity::robots::Agent;
use serde::{Deserialize, Serialize};

use super::answer::KeptAnswer;
use super::cached::UNCONFIRMED;
use crate::store::Entry;

/// The answers of an origin that determine the current policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnswerHistory {
    /// The latest answer; after a 304, the answer that the 304 confirmed.
    pub latest: KeptAnswer,
    /// Earlier answers, if the latest answer is a failure.
    pub outage: Option<Box<OutageAnswers>>,
}

/// The earlier answers that matter during an outage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutageAnswers {
    /// First of the consecutive failures. Its time is the start of the outage.
    pub first: KeptAnswer,
    /// Last answer with a valid robots.txt, if there is one.
    pub copy: Option<KeptAnswer>,
}

impl AnswerHistory {
    /// Returns the history after a new answer. `worker` is the worker that made the request.
    ///
    /// A network failure is attributed to the site if another worker has seen it, too, or if the same worker has seen
    /// it again a minute later. Until then, the network of the worker may be the cause.
    pub(crate) fn after(
        before: Option<AnswerHistory>,
        mut answer: KeptAnswer,
        preset: Preset,
        worker: u64,
    ) -> AnswerHistory {
        answer.worker = worker;
        if answer.is_of_the_network() {
            let seen =
                before.as_ref().map(|record| &record.latest).filter(|latest| latest.is_of_the_network());
            let is_apart =
                |seen: &KeptAnswer| answer.at.duration_since(seen.at).is_ok_and(|apart| apart >= UNCONFIRMED);
            answer.is_unconfirmed =
                seen.is_none_or(|seen| seen.is_unconfirmed && seen.worker == worker && !is_apart(seen));
        }
        let is_not_modified = answer.reply == Reply::Status(304);
        if is_not_modified && let Some(copy) = before.as_ref().and_then(|record| record.copy(preset)) {
            return AnswerHistory { latest: copy.confirmed_by(&answer), outage: None };
        }
        let availability = answer.read(|answer| preset.read(answer).evidence().availability());
        if availability != Availability::Unreachable {
            return AnswerHistory { latest: answer, outage: None };
        }
        let outage = match before {
            Some(AnswerHistory { outage: Some(outage), .. }) => outage,
            Some(record) => {
                let copy = record.copy(preset).cloned();
                Box::new(OutageAnswers { first: answer.clone(), copy })
            }
            None => Box::new(OutageAnswers { first: answer.clone(), copy: None }),
        };
        AnswerHistory { latest: answer, outage: Some(outage) }
    }

    /// Returns true if `worker`, which reads `wanted` bytes of a body, may use the history. It may not use a failure
    /// that only one other worker has seen, or a body that was cut at fewer bytes.
    pub(crate) fn counts_for(&self, worker: u64, wanted: usize) -> bool {
        let is_shared = !self.latest.is_unconfirmed || self.latest.worker == worker;
        is_shared && (!self.latest.is_cut || self.latest.body.len() >= wanted)
    }

    /// Returns the latest answer whose body was read as a robots.txt.
    pub(crate) fn copy(&self, preset: Preset) -> Option<&KeptAnswer> {
        match &self.outage {
            Some(outage) => outage.copy.as_ref(),
            None => Some(&self.latest),
        }
        .filter(|answer| {
            answer.read(|answer| preset.read(answer).evidence().treatment()) == Treatment::ReadRules
        })
    }

    /// Returns the policy for one crawler. `unasked` is the policy before robots.txt is requested.
    pub(crate) fn policy(&self, unasked: &Policy, agent: &Agent) -> Policy {
        let (preset, mut policy) = (unasked.preset(), unasked.clone());
        let mut update = |answer: &KeptAnswer| {
            answer.read(|answer| policy.update(&preset.read(answer), agent));
        };
        if let Some(outage) = &self.outage {
            outage.copy.iter().for_each(&mut update);
            update(&outage.first);
        }
        update(&self.latest);
        policy
    }
}

/// The answers of an origin by requester: one history for unsigned requests, and one for each signing identity
/// ([`Signer::requester`](crate::signing::Signer::requester)). A site may send each of them different answers.
///
/// One entry of a store contains all histories, since all requesters share the lease and the pace of the origin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AnswersByRequester {
    /// The requesters and their histories. The requester with the latest request is first.
    requesters: Vec<(Option<String>, AnswerHistory)>,
}

/// Maximum number of identities whose answers are stored for an origin.
const MAX_IDENTITIES: usize = 4;

impl AnswersByRequester {
    /// Returns the answers to one requester.
    pub(crate) fn get(&self, requester: Option<&str>) -> Option<&AnswerHistory> {
        self.requesters.iter().find(|(other, _)| other.as_deref() == requester).map(|(_, history)| history)
    }

    /// Returns all requesters with their answers: first the unsigned requests, then the identities. The identity with
    /// the latest request is first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Option<&str>, &AnswerHistory)> {
        let all = || self.requesters.iter().map(|(requester, history)| (requester.as_deref(), history));
        all()
            .filter(|(requester, _)| requester.is_none())
            .chain(all().filter(|(requester, _)| requester.is_some()))
    }

    /// Replaces the answers to one requester. If there are too many identities, evicts the identity whose last request
    /// is the oldest.
    pub(crate) fn put(&mut self, requester: Option<&str>, history: AnswerHistory) {
        self.requesters.retain(|(other, _)| other.as_deref() != requester);
        self.requesters.insert(0, (requester.map(str::to_owned), history));
        let mut identities = 0;
        self.requesters.retain(|(requester, _)| {
            identities += usize::from(requester.is_some());
            requester.is_none() || identities <= MAX_IDENTITIES
        });
    }

    /// Returns the answers as an entry of a store.
    pub(crate) fn to_entry(&self) -> Entry {
        let mut bodies = Vec::new();
        let unsigned = self.get(None).map(|history| SerializedHistory::of(None, history, &mut bodies));
        let signed = self.iter().filter(|(requester, _)| requester.is_some());
        let signed = signed
            .map(|(requester, history)| SerializedHistory::of(requester, history, &mut bodies))
            .collect();
        let written = SerializedHistory { signed, ..unsigned.unwrap_or_default() };
        // Serialization cannot fail, since the value contains only strings, numbers and lists.
        let head = serde_json::to_vec(&written).unwrap_or_default();
        let mut content = Vec::with_capacity(4 + head.len() + bodies.len());
        content.extend_from_slice(&u32::try_from(head.len()).unwrap_or(0).to_le_bytes());
        content.extend_from_slice(&head);
        content.extend_from_slice(&bodies);
        Entry::seal(&content)
    }

    /// Parses an entry that [`to_entry`](AnswersByRequester::to_entry) created. Returns `None` for other entries.
    pub(crate) fn of_entry(entry: &Entry) -> Option<AnswersByRequester> {
        let (length, rest) = entry.content().split_first_chunk::<4>()?;
        let (head, bodies) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let written: SerializedHistory = serde_json::from_slice(head).ok()?;
        let mut bodies = Bytes::copy_from_slice(bodies);
        let mut requesters = Vec::new();
        let SerializedHistory { latest, first, copy, signed, .. } = written;
        if let Some(latest) = latest {
            requesters.push((None, SerializedHistory::read(latest, first, copy, &mut bodies)?));
        }
        for SerializedHistory { requester, latest, first, copy, .. } in signed {
            requesters.push((Some(requester?), SerializedHistory::read(latest?, first, copy, &mut bodies)?));
        }
        (!requesters.is_empty()).then_some(AnswersByRequester { requesters })
    }
}

/// The first part of an entry, in JSON. The bodies follow in the order of the fields.
#[derive(Default, Serialize, Deserialize)]
struct SerializedHistory {
    /// The signing identity; absent for unsigned requests, whose answers are at the top level.
    #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
    requester: Option<String>,
    /// Absent at the top level if all requests were signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    latest: Option<SerializedAnswer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first: Option<SerializedAnswer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    copy: Option<SerializedAnswer>,
    /// The answers to identities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    signed: Vec<SerializedHistory>,
}

impl SerializedHistory {
    fn of(requester: Option<&str>, history: &AnswerHistory, bodies: &mut Vec<u8>) -> Self {
        let mut written = |answer: &KeptAnswer| {
            bodies.extend_from_slice(&answer.body);
            SerializedAnswer::of(answer)
        };
        SerializedHistory {
            requester: requester.map(str::to_owned),
            latest: Some(written(&history.latest)),
            first: history.outage.as_ref().map(|outage| written(&outage.first)),
            copy: history.outage.as_ref().and_then(|outage| outage.copy.as_ref()).map(written),
            signed: Vec::new(),
        }
    }

    fn read(
        latest: SerializedAnswer,
        first: Option<SerializedAnswer>,
        copy: Option<SerializedAnswer>,
        bodies: &mut Bytes,
    ) -> Option<AnswerHistory> {
        let latest = latest.read(bodies)?;
        let outage = match first {
            Some(first) => {
                let first = first.read(bodies)?;
                let copy = match copy {
                    Some(copy) => Some(copy.read(bodies)?),
                    None => None,
                };
                Some(Box::new(OutageAnswers { first, copy }))
            }
            None => None,
        };
        Some(AnswerHistory { latest, outage })
    }
}

#[derive(Serialize, Deserialize)]
struct SerializedAnswer {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    /// Milliseconds since 1970.
    at: u64,
    body_bytes: usize,
    #[serde(default, skip_serializing_if = "is_false")]
    cut: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fields: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    redirects: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    certificate: Option<String>,
    #[serde(default)]
    worker: u64,
    #[serde(default, skip_serializing_if = "is_false")]
    unconfirmed: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(value: &bool) -> bool {
    !value
}

impl SerializedAnswer {
    fn of(answer: &KeptAnswer) -> Self {
        let (status, failure) = match answer.reply {
            Reply::Status(code) => (Some(code), None),
            Reply::Failure(failure) => (None, Some(failure.as_str().to_owned())),
            _ => (None, None),
        };
        let millis = answer.at.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |age| age.as_millis());
        SerializedAnswer {
            status,
            failure,
            at: u64::try_from(millis).unwrap_or(u64::MAX),
            body_bytes: answer.body.len(),
            cut: answer.is_cut,
            // The fields contain dates, tokens and numbers, in which bytes outside ASCII have no meaning.
            fields: (answer.fields.iter())
                .map(|(name, value)| (name.clone(), String::from_utf8_lossy(value).into_owned()))
                .collect(),
            redirects: answer.redirects.clone(),
            digest: answer.digest.clone(),
            error: answer.error.clone(),
            certificate: answer.certificate.map(|fault| fault.as_str().to_owned()),
            worker: answer.worker,
            unconfirmed: answer.is_unconfirmed,
        }
    }

    fn read(self, bodies: &mut Bytes) -> Option<KeptAnswer> {
        let reply = match (self.status, self.failure) {
            (Some(code), None) => Reply::Status(code),
            (None, Some(failure)) => Reply::Failure(failure.parse::<Failure>().ok()?),
            _ => return None,
        };
        if self.body_bytes > bodies.len() {
            return None;
        }
        Some(KeptAnswer {
            reply,
            at: SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(self.at))?,
            fields: self.fields.into_iter().map(|(name, value)| (name, value.into_bytes())).collect(),
            body: bodies.split_to(self.body_bytes),
            is_cut: self.cut,
            redirects: self.redirects,
            digest: self.digest,
            error: self.error,
            // A newer version of this crate may write other faults.
            certificate: self.certificate.and_then(|fault| fault.parse().ok()),
            worker: self.worker,
            is_unconfirmed: self.unconfirmed,
        })
    }
}

#[cfg(test)]
mod tests {
    use comity::policy::{CertificateFault, Verdict};
    use http::HeaderMap;

    use super::*;

    /// Returns the history after an answer to worker 1.
    fn after(before: Option<AnswerHistory>, answer: KeptAnswer, preset: Preset) -> AnswerHistory {
        AnswerHistory::after(before, answer, preset, 1)
    }

    const HOUR: Duration = Duration::from_secs(3600);

    fn at(hours: u32) -> SystemTime {
        SystemTime::UNIX_EPOCH + 400_000 * HOUR + hours * HOUR
    }

    fn answer(code: u16, hours: u32, fields: &[(&'static str, &str)], body: &'static str) -> KeptAnswer {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, value.parse().unwrap());
        }
        KeptAnswer::status(code, at(hours), &headers, Bytes::from_static(body.as_bytes()), Vec::new())
    }

    fn verdict(record: &AnswerHistory, hours: u32) -> Verdict {
        let policy =
            record.policy(&Policy::without_answer(Preset::Rfc9309), &Agent::unchecked_token("examplebot"));
        policy.decide("/private", at(hours)).unwrap().verdict()
    }

    const BODY: &str = "User-agent: *\nDisallow: /private\n";

    #[test]
    fn history_is_unchanged_after_a_round_trip() {
        let good = answer(200, 0, &[("etag", "\"1\""), ("cache-control", "max-age=3600")], BODY);
        let mut record = after(None, good, Preset::Rfc9309);
        for (hours, failure) in [(25, Failure::Timeout), (26, Failure::Dns)] {
            let redirects = vec!["https://www.example.com/robots.txt".to_owned()];
            let failed = KeptAnswer {
                error: Some("the certificate of the server has expired".to_owned()),
                certificate: Some(CertificateFault::Expired),
                ..KeptAnswer::failure(failure, at(hours), redirects)
            };
            record = after(Some(record), failed, Preset::Rfc9309);
            let mut answers = AnswersByRequester::default();
            answers.put(None, record.clone());
            assert_eq!(AnswersByRequester::of_entry(&answers.to_entry()), Some(answers));
        }
        let outage = record.outage.as_ref().unwrap();
        assert_eq!(outage.first.reply, Reply::Failure(Failure::Timeout));
        assert_eq!(record.copy(Preset::Rfc9309).unwrap().body, BODY.as_bytes());
    }

    #[test]
    fn answers_to_identities_are_separate_and_bounded() {
        let answered = |body| after(None, answer(200, 0, &[], body), Preset::Rfc9309);
        let mut answers = AnswersByRequester::default();
        answers.put(Some("always a"), answered("for a"));
        let read = AnswersByRequester::of_entry(&answers.to_entry()).unwrap();
        assert_eq!((read.get(None), read.get(Some("always b"))), (None, None));
        answers.put(None, answered("for everybody"));
        answers.put(Some("always a"), answered("for a, later"));
        for identity in ["always b", "always c", "always d", "always b"] {
            answers.put(Some(identity), answered(identity));
        }
        let read = AnswersByRequester::of_entry(&answers.to_entry()).unwrap();
        let body = |requester| read.get(requester).map(|history| history.latest.body.clone());
        assert_eq!(body(None).as_deref(), Some(&b"for everybody"[..]));
        assert_eq!(body(Some("always a")).as_deref(), Some(&b"for a, later"[..]));
        assert_eq!(body(Some("always b")).as_deref(), Some(&b"always b"[..]));
        assert_eq!(
            read.iter().map(|(requester, _)| requester).collect::<Vec<_>>(),
            [None, Some("always b"), Some("always d"), Some("always c"), Some("always a"),]
        );
        answers.put(Some("always e"), answered("e"));
        assert!(answers.get(Some("always a")).is_none() && answers.get(None).is_some());
    }

    #[test]
    fn invalid_entry_is_rejected() {
        for content in [&b""[..], b"\x02\0\0\0{}", b"\xff\xff\xff\xff{}", b"\x02\0\0\0"] {
            assert_eq!(AnswersByRequester::of_entry(&Entry::seal(content)), None);
        }
    }

    #[test]
    fn last_good_copy_applies_until_it_is_thirty_days_old() {
        let good = after(None, answer(200, 0, &[], BODY), Preset::Rfc9309);
        let down = after(Some(good), answer(503, 24, &[], ""), Preset::Rfc9309);
        assert_eq!(verdict(&down, 25), Verdict::DisallowedExplicit);
        assert_eq!(verdict(&down, 30 * 24 - 1), Verdict::DisallowedExplicit);
        assert_eq!(verdict(&down, 30 * 24 + 1), Verdict::UnknownUnreachable);
    }

    #[test]
    fn answer_404_discards_the_copy() {
        let good = after(None, answer(200, 0, &[], BODY), Preset::Rfc9309);
        let gone = after(Some(good), answer(404, 1, &[], ""), Preset::Rfc9309);
        let down = after(Some(gone), answer(503, 2, &[], ""), Preset::Rfc9309);
        assert_eq!(verdict(&down, 3), Verdict::UnknownUnreachable);
    }

    #[test]
    fn answer_304_updates_the_copy_and_its_fields() {
        let fields = [("etag", "\"1\""), ("cache-control", "max-age=3600"), ("age", "100")];
        let good = after(None, answer(200, 0, &fields, BODY), Preset::Rfc9309);
        let down = after(Some(good), answer(503, 2, &[], ""), Preset::Rfc9309);
        let confirmed =
            after(Some(down), answer(304, 3, &[("cache-control", "max-age=7200")], ""), Preset::Rfc9309);
        assert_eq!(confirmed.outage, None);
        assert_eq!(confirmed.latest.field("etag"), Some(&b"\"1\""[..]));
        assert_eq!(confirmed.latest.field("age"), None);
        let policy =
            confirmed.policy(&Policy::without_answer(Preset::Rfc9309), &Agent::unchecked_token("examplebot"));
        assert!(policy.is_fresh(at(4)) && !policy.is_fresh(at(5)));
        assert_eq!(verdict(&confirmed, 4), Verdict::DisallowedExplicit);
    }

    #[test]
    fn unrequested_304_is_recorded_as_the_answer() {
        let record = after(None, answer(304, 0, &[], ""), Preset::Rfc9309);
        assert_eq!(record.latest.reply, Reply::Status(304));
    }

    #[test]
    fn preset_with_429_as_unreachable_keeps_the_copy() {
        for (preset, keeps) in [(Preset::Google, true), (Preset::Rfc9309, false)] {
            let good = after(None, answer(200, 0, &[], BODY), preset);
            let slowed = after(Some(good), answer(429, 24, &[], ""), preset);
            assert_eq!(slowed.copy(preset).is_some(), keeps, "{preset:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_content_is_parsed_without_panic(head in "[{}\\[\\]\":,a-z_0-9]{0,60}", tail: Vec<u8>, length: u32) {
            for length in [length, u32::try_from(head.len()).unwrap()] {
                let mut content = length.to_le_bytes().to_vec();
                content.extend_from_slice(head.as_bytes());
                content.extend_from_slice(&tail);
                let _ = AnswersByRequester::of_entry(&Entry::seal(&content));
            }
        }

        #[test]
        fn entry_with_wrong_length_is_rejected(claimed in 0_usize..100, body in proptest::collection::vec(0_u8.., 0..50)) {
            let head = format!("{{\"latest\":{{\"status\":200,\"at\":1,\"body_bytes\":{claimed}}}}}");
            let mut content = u32::try_from(head.len()).unwrap().to_le_bytes().to_vec();
            content.extend_from_slice(head.as_bytes());
            content.extend_from_slice(&body);
            let record = AnswersByRequester::of_entry(&Entry::seal(&content));
            proptest::prop_assert_eq!(record.is_some(), claimed <= body.len());
        }
    }
}
