//! Tests of inconclusive requests for robots.txt: local faults, failures that only one worker has seen, and bodies that
//! are cut in a line.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use comity::policy::{AnswerKind, Failure, Mode, Preset, Verdict};
use comity_client::robots_cache::StoredRobotsTxt;
use comity_client::store::{MemoryStore, Store};
use comity_client::transport::{Request, Response, Transport, TransportError};
use comity_client::{BoxFuture, Client, Origin};
use http::{HeaderMap, StatusCode};

use super::ahead::Ahead;
use super::builder;

const PAGE: &str = "http://127.0.0.1/page";
const OPEN: &[u8] = b"User-agent: *\n";
const CLOSED: &[u8] = b"User-agent: *\nDisallow: /\n";

/// A transport with a script: the results of consecutive requests for robots.txt. The last result is repeated.
#[derive(Clone, Debug)]
struct Wire(Arc<Mutex<VecDeque<Result<Bytes, Failure>>>>);

impl Wire {
    fn of(script: impl IntoIterator<Item = Result<&'static [u8], Failure>>) -> Self {
        let script = script.into_iter().map(|step| step.map(Bytes::from_static));
        Wire(Arc::new(Mutex::new(script.collect())))
    }

    fn left(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

impl Transport for Wire {
    fn send(&self, _: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let mut script = self.0.lock().unwrap();
        let step = if script.len() > 1 { script.pop_front() } else { script.front().cloned() };
        Box::pin(async move {
            match step.expect("a script has a step") {
                Ok(body) => Ok(Response::new(StatusCode::OK, HeaderMap::new(), body)),
                Err(failure) => Err(TransportError::new(failure, "scripted")),
            }
        })
    }
}

/// Workers with one store and one clock, each with its own network.
struct Fleet {
    store: Arc<dyn Store>,
    clock: Ahead,
}

impl Fleet {
    fn new() -> Self {
        Fleet { store: Arc::new(MemoryStore::new()), clock: Ahead::default() }
    }

    fn worker(&self, wire: &Wire) -> Client {
        builder()
            .shared_store(self.store.clone())
            .clock(self.clock.clone())
            .transport(wire.clone())
            .build()
            .unwrap()
    }

    async fn stored(&self) -> Option<StoredRobotsTxt> {
        let origin = Origin::of(&PAGE.parse().unwrap()).unwrap();
        let entry = self.store.get(&origin).await.unwrap()?;
        StoredRobotsTxt::of_entry(&entry, Preset::Rfc9309)
    }
}

async fn verdict(client: &Client) -> Verdict {
    client.decide(PAGE).await.unwrap().verdict
}

#[tokio::test]
async fn local_failure_is_not_stored_and_soon_retried() {
    let fleet = Fleet::new();
    let sick = Wire::of([Err(Failure::Local), Err(Failure::Local), Ok(CLOSED)]);
    let worker = fleet.worker(&sick);
    assert_eq!(verdict(&worker).await, Verdict::UnknownUnreachable);
    assert_eq!(verdict(&worker).await, Verdict::UnknownUnreachable);
    assert_eq!(sick.left(), 2, "robots.txt is not requested again at once");
    assert!(fleet.stored().await.is_none(), "the site did not answer");
    let healthy = fleet.worker(&Wire::of([Ok(CLOSED)]));
    assert_eq!(verdict(&healthy).await, Verdict::DisallowedExplicit);
    fleet.clock.pass_seconds(1);
    assert_eq!(
        verdict(&worker).await,
        Verdict::DisallowedExplicit,
        "the answer stored by the other worker applies"
    );
}

#[tokio::test]
async fn stored_copy_decides_during_a_local_failure() {
    let fleet = Fleet::new();
    let wire = Wire::of([Ok(CLOSED), Err(Failure::Local), Err(Failure::Local), Ok(OPEN)]);
    let worker = fleet.worker(&wire);
    assert_eq!(verdict(&worker).await, Verdict::DisallowedExplicit);
    for hours in [25, 24] {
        fleet.clock.pass(hours);
        assert_eq!(verdict(&worker).await, Verdict::DisallowedExplicit);
    }
    assert_eq!(fleet.stored().await.unwrap().failing_since, None, "no outage of the site");
    fleet.clock.pass(1);
    assert_eq!(verdict(&worker).await, Verdict::AllowedImplicit);
}

#[tokio::test]
async fn failing_worker_does_not_close_a_site_for_others() {
    for failure in [Failure::Connection, Failure::Timeout] {
        let fleet = Fleet::new();
        let sick = fleet.worker(&Wire::of([Err(failure)]));
        assert_eq!(verdict(&sick).await, Verdict::UnknownUnreachable);
        assert!(fleet.stored().await.unwrap().unconfirmed);
        let healthy = fleet.worker(&Wire::of([Ok(CLOSED)]));
        assert_eq!(verdict(&healthy).await, Verdict::DisallowedExplicit);
        assert!(!fleet.stored().await.unwrap().unconfirmed);
        // The failing worker reads the store before it requests the file again.
        fleet.clock.pass_seconds(61);
        assert_eq!(verdict(&sick).await, Verdict::DisallowedExplicit);
    }
}

#[tokio::test]
async fn failure_seen_by_two_workers_is_attributed_to_the_site() {
    let fleet = Fleet::new();
    for _ in 0..2 {
        let worker = fleet.worker(&Wire::of([Err(Failure::Connection)]));
        assert_eq!(verdict(&worker).await, Verdict::UnknownUnreachable);
    }
    let third = Wire::of([Ok(CLOSED), Ok(CLOSED)]);
    assert_eq!(verdict(&fleet.worker(&third)).await, Verdict::UnknownUnreachable);
    assert_eq!(third.left(), 2, "the third worker used the stored failure");
}

#[tokio::test]
async fn failure_seen_twice_by_one_worker_is_attributed_to_the_site() {
    let fleet = Fleet::new();
    let worker = fleet.worker(&Wire::of([Err(Failure::Connection)]));
    verdict(&worker).await;
    fleet.clock.pass_seconds(30);
    verdict(&worker).await;
    assert!(fleet.stored().await.unwrap().unconfirmed, "the failure is not confirmed for a minute");
    fleet.clock.pass_seconds(31);
    verdict(&worker).await;
    assert!(!fleet.stored().await.unwrap().unconfirmed);
}

#[tokio::test]
async fn answer_without_expiry_is_valid_only_in_its_process() {
    let fleet = Fleet::new();
    let process = |wire: &Wire| {
        let client = builder().preset(Preset::Ladon).mode(Mode::Respect).transport(wire.clone());
        client.shared_store(fleet.store.clone()).clock(fleet.clock.clone()).build().unwrap()
    };
    let wire = Wire::of([Err(Failure::Protocol), Ok(CLOSED)]);
    let first = process(&wire);
    assert!(first.decide(PAGE).await.unwrap().failed_open);
    fleet.clock.pass(24 * 400);
    assert!(first.decide(PAGE).await.unwrap().failed_open, "the session continues");
    assert_eq!(verdict(&process(&wire)).await, Verdict::DisallowedExplicit, "a new process has no session");
}

#[tokio::test]
async fn entry_dated_in_the_future_is_requested_again() {
    let fleet = Fleet::new();
    fleet.clock.pass(24 * 365 * 10);
    verdict(&fleet.worker(&Wire::of([Ok(OPEN)]))).await;
    fleet.clock.back(24 * 365 * 10);
    let wire = Wire::of([Ok(CLOSED)]);
    assert_eq!(verdict(&fleet.worker(&wire)).await, Verdict::DisallowedExplicit);
    let dated = fleet.stored().await.unwrap().evidence.fetched_at();
    assert!(dated < SystemTime::now() + Duration::from_secs(60));
}

#[tokio::test]
async fn cut_body_ends_with_its_last_complete_line() {
    let mut body = b"User-agent: *\nDisallow: /\n".to_vec();
    body.resize(512_000 - "Allow: /".len() - 1, b'#');
    body.extend_from_slice(b"\nAllow: /only-this\n");
    let body: &'static [u8] = body.leak();
    let fleet = Fleet::new();
    let decision = fleet.worker(&Wire::of([Ok(body)])).decide(PAGE).await.unwrap();
    assert_eq!(decision.verdict, Verdict::DisallowedExplicit);
    let stored = fleet.stored().await.unwrap();
    assert_eq!((stored.evidence.kind(), stored.evidence.body_bytes()), (AnswerKind::LongBody, 512_000));
    // Another worker reads this answer from the store.
    let other = Wire::of([Err(Failure::Connection)]);
    assert_eq!(verdict(&fleet.worker(&other)).await, Verdict::DisallowedExplicit);
}

#[tokio::test]
async fn copy_cut_at_a_smaller_limit_is_requested_again() {
    let fleet = Fleet::new();
    let mut body = b"User-agent: *\nAllow: /\n".to_vec();
    body.resize(200_000, b'\n');
    body.extend_from_slice(b"Disallow: /page\n");
    let body: &'static [u8] = body.leak();
    let short = {
        let wire = Wire::of([Ok(body)]);
        let client = builder().preset(Preset::Gym2008).shared_store(fleet.store.clone()).transport(wire);
        client.clock(fleet.clock.clone()).build().unwrap()
    };
    assert_eq!(verdict(&short).await, Verdict::AllowedExplicit, "100 KiB are read");
    assert_eq!(verdict(&fleet.worker(&Wire::of([Ok(body)]))).await, Verdict::DisallowedExplicit);
}
