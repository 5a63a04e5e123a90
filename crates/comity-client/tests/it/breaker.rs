//! Tests of the circuit breaker: the opening and closing of circuits, and the limit of one probe.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity::policy::Failure;
use comity_client::Origin;
use comity_client::breaker::{Breaker, BreakerOptions, CircuitState, Permit};
use comity_client::retry::AttemptEnd;
use http::StatusCode;
use tokio::sync::Barrier;

const START: SystemTime = SystemTime::UNIX_EPOCH;
const RECOVERY: Duration = Duration::from_secs(60);

fn breaker(threshold: u32) -> Breaker {
    let mut config = BreakerOptions::default();
    config.failure_threshold = NonZeroU32::new(threshold);
    Breaker::new(&config)
}

fn origin(name: &str) -> Origin {
    Origin::of(&format!("https://{name}.example/").parse().unwrap()).unwrap()
}

fn fail(breaker: &Breaker, times: u32, now: SystemTime) {
    for _ in 0..times {
        breaker.admit(&origin("a"), now).unwrap().failure(now);
    }
}

fn admit(breaker: &Breaker, now: SystemTime) -> Permit {
    breaker.admit(&origin("a"), now).unwrap()
}

#[test]
fn breaker_is_off_by_default() {
    let config: BreakerOptions = serde_json::from_str("{}").unwrap();
    assert_eq!(config, BreakerOptions::default());
    let breaker = Breaker::new(&config);
    fail(&breaker, 1_000, START);
    assert_eq!(breaker.state(&origin("a"), START), CircuitState::Closed);
    let config = r#"{"failure_threshold": 5, "recovery_seconds": 1.5}"#;
    let config: BreakerOptions = serde_json::from_str(config).unwrap();
    assert_eq!(
        (config.failure_threshold, config.recovery),
        (NonZeroU32::new(5), Duration::from_millis(1_500))
    );
    for wrong in [r#"{"failure_threshold": 0}"#, r#"{"threshold": 5}"#] {
        assert!(serde_json::from_str::<BreakerOptions>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn consecutive_failures_open_the_circuit() {
    let breaker = breaker(3);
    fail(&breaker, 2, START);
    admit(&breaker, START).success();
    fail(&breaker, 2, START);
    assert_eq!(breaker.state(&origin("a"), START), CircuitState::Closed, "a success resets the count");
    fail(&breaker, 1, START);
    assert_eq!(breaker.state(&origin("a"), START), CircuitState::Open);
    let open = breaker.admit(&origin("a"), START + RECOVERY / 2).unwrap_err();
    assert_eq!((open.origin.clone(), open.retry_in), (origin("a"), Some(RECOVERY / 2)));
    assert_eq!(
        serde_json::to_value(&open).unwrap(),
        serde_json::json!({"origin": "https://a.example", "retry_in_seconds": 30.0})
    );
    assert!(breaker.admit(&origin("b"), START).is_ok(), "origins have separate circuits");
    assert_eq!(breaker.state(&origin("a"), START + RECOVERY), CircuitState::HalfOpen);
}

#[test]
fn result_of_the_probe_closes_or_reopens_the_circuit() {
    let breaker = breaker(2);
    fail(&breaker, 2, START);
    let later = START + RECOVERY;
    let probe = admit(&breaker, later);
    assert_eq!(breaker.state(&origin("a"), later), CircuitState::HalfOpen);
    assert_eq!(breaker.admit(&origin("a"), later).unwrap_err().retry_in, None);
    probe.failure(later);
    assert_eq!(
        breaker.admit(&origin("a"), later).unwrap_err().retry_in,
        Some(RECOVERY),
        "one failure is enough"
    );
    admit(&breaker, later + RECOVERY).success();
    fail(&breaker, 1, later + RECOVERY);
    assert_eq!(breaker.state(&origin("a"), later + RECOVERY), CircuitState::Closed, "the count was reset");
}

#[test]
fn dropped_probe_is_replaced_by_the_next_call() {
    let breaker = breaker(1);
    fail(&breaker, 1, START);
    let later = START + RECOVERY;
    for _ in 0..3 {
        drop(admit(&breaker, later));
    }
    let refused = admit(&breaker, later);
    refused.settle(&AttemptEnd::Failed(Failure::Guard), later);
    let probe = admit(&breaker, later);
    assert!(breaker.admit(&origin("a"), later).is_err());
    probe.success();
    assert_eq!(breaker.state(&origin("a"), later), CircuitState::Closed);
}

#[test]
fn calls_from_before_the_opening_do_not_close_the_circuit() {
    let breaker = breaker(1);
    let (slow, slower, slowest) = (admit(&breaker, START), admit(&breaker, START), admit(&breaker, START));
    fail(&breaker, 1, START);
    slow.success();
    assert_eq!(breaker.state(&origin("a"), START), CircuitState::Open);
    slower.failure(START + RECOVERY / 2);
    assert_eq!(
        breaker.state(&origin("a"), START + RECOVERY),
        CircuitState::HalfOpen,
        "an old failure does not extend the recovery"
    );
    let probe = admit(&breaker, START + RECOVERY);
    slowest.success();
    assert_eq!(breaker.state(&origin("a"), START + RECOVERY), CircuitState::HalfOpen);
    probe.failure(START + RECOVERY);
    assert_eq!(breaker.state(&origin("a"), START + RECOVERY), CircuitState::Open);
}

#[test]
fn missing_answers_and_5xx_count_as_failures() {
    let is_failure = |ended: AttemptEnd| {
        let breaker = breaker(1);
        admit(&breaker, START).settle(&ended, START);
        breaker.state(&origin("a"), START) == CircuitState::Open
    };
    for status in 100..600 {
        let answered = AttemptEnd::Answered(StatusCode::from_u16(status).unwrap(), None);
        assert_eq!(is_failure(answered), status >= 500, "{status}");
    }
    for failure in Failure::ALL {
        let is_the_origins = matches!(
            failure,
            Failure::Timeout | Failure::Dns | Failure::Tls | Failure::Connection | Failure::Protocol
        );
        assert_eq!(is_failure(AttemptEnd::Failed(failure)), is_the_origins, "{failure:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn thousand_concurrent_calls_have_one_probe() {
    for round in 0..10 {
        let breaker = Arc::new(breaker(1));
        fail(&breaker, 1, START);
        let gate = Arc::new(Barrier::new(1_000));
        let tasks: Vec<_> = (0..1_000)
            .map(|_| {
                let (breaker, gate) = (breaker.clone(), gate.clone());
                tokio::spawn(async move {
                    gate.wait().await;
                    breaker.admit(&origin("a"), START + RECOVERY)
                })
            })
            .collect();
        let mut probes = Vec::new();
        for task in tasks {
            // Keep the permits until all calls have returned, since another call replaces a dropped probe.
            probes.extend(task.await.unwrap());
        }
        assert_eq!(probes.len(), 1, "round {round}");
    }
}
