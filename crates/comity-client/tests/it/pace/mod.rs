//! Tests of the intervals between requests, in one process and in several. Requests may be late, cancelled or held, or
//! have a maximum wait.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use comity_client::pace::{Interval, Pace, PaceError, PaceOptions, RetryAfter, TooLong, WaitReason};
use comity_client::store::MemoryStore;
use comity_client::{BoxFuture, Clock, Moment, Origin, TokioClock};
use http::{HeaderMap, HeaderValue, header};

mod distance;
mod world;

use world::{START, Slots, origin, seconds};

/// Returns an interval from the settings, without a `Crawl-delay`.
fn interval(seconds: f64) -> Interval {
    let mut config = PaceOptions::default();
    config.min_interval = self::seconds(seconds);
    Interval::new(&config, None, START)
}

fn retry_after(seconds: u32) -> RetryAfter {
    let mut headers = HeaderMap::new();
    headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    RetryAfter::read(&headers, START, Duration::MAX).unwrap()
}

/// Rounds a duration to a tenth of a second, since timers are slightly late and slots have a slack.
fn about(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 10.0).round() / 10.0
}

/// Returns the rounded time since the start of the clock.
fn at(clock: TokioClock) -> f64 {
    about(clock.now().duration_since(START).unwrap())
}

/// Returns a pace with the minimum slack, on a clock that is never late.
fn pace(concurrency: u32) -> (TokioClock, Arc<Slots>, Arc<Pace>) {
    let clock = TokioClock::starting_at(START);
    let slots = Slots::new(clock, Duration::ZERO);
    let mut config = PaceOptions::default();
    config.concurrency = NonZeroU32::new(concurrency).unwrap();
    config.slack = Duration::ZERO;
    let pace = Arc::new(Pace::new(slots.clone(), Arc::new(clock), &config));
    (clock, slots, pace)
}

fn too_long(result: Result<comity_client::pace::Turn, PaceError>) -> TooLong {
    match result {
        Err(PaceError::TooLong(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn second_request_waits_and_reports_the_reason() {
    let (_, _, pace) = pace(1);
    let (site, interval) = (origin("a"), interval(2.0));
    let first = pace.enter(&site, &interval, Duration::MAX).await.unwrap();
    assert_eq!((first.waited(), first.reason()), (Duration::ZERO, None));
    drop(first);
    let second = pace.enter(&site, &interval, Duration::MAX).await.unwrap();
    assert_eq!((about(second.waited()), second.reason()), (2.0, Some(WaitReason::Configured)));
    let json = serde_json::to_value(second.wait()).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "duration_seconds": second.waited().as_secs_f64(),
            "reason": "configured",
            "late_seconds": null,
        })
    );
    let other = pace.enter(&origin("b"), &interval, Duration::ZERO).await.unwrap();
    assert_eq!(other.waited(), Duration::ZERO, "origins do not wait for each other");
}

#[tokio::test(start_paused = true)]
async fn concurrent_requests_are_limited_by_permits() {
    for concurrency in [1, 3] {
        let (clock, _, pace) = pace(concurrency);
        let (under_way, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let tasks: Vec<_> = (0..30)
            .map(|_| {
                let (pace, under_way, most) = (pace.clone(), under_way.clone(), most.clone());
                tokio::spawn(async move {
                    let turn = pace.enter(&origin("a"), &interval(1.0), Duration::MAX).await.unwrap();
                    let now = under_way.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(now, Ordering::SeqCst);
                    clock.sleep(seconds(10.0)).await;
                    under_way.fetch_sub(1, Ordering::SeqCst);
                    drop(turn);
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(most.load(Ordering::SeqCst), concurrency);
    }
}

#[tokio::test(start_paused = true)]
async fn wait_for_a_permit_is_bounded_and_reported() {
    let (clock, _, pace) = pace(1);
    let (site, interval) = (origin("a"), interval(1.0));
    let first = pace.enter(&site, &interval, Duration::MAX).await.unwrap();
    let error = too_long(pace.enter(&site, &interval, seconds(5.0)).await);
    assert_eq!((error.needed, error.reason), (None, WaitReason::Concurrency));
    assert_eq!(at(clock), 5.0);
    let waiting = tokio::spawn({
        let pace = pace.clone();
        async move { pace.enter(&origin("a"), &interval, Duration::MAX).await }
    });
    clock.sleep(seconds(5.0)).await;
    drop(first);
    let second = waiting.await.unwrap().unwrap();
    assert_eq!((about(second.waited()), second.reason()), (5.0, Some(WaitReason::Concurrency)));
}

#[tokio::test(start_paused = true)]
async fn refused_wait_takes_no_slot() {
    let (clock, _, pace) = pace(2);
    let (site, interval) = (origin("a"), interval(10.0));
    drop(pace.enter(&site, &interval, Duration::ZERO).await.unwrap());
    for _ in 0..5 {
        let error = too_long(pace.enter(&site, &interval, seconds(9.0)).await);
        assert_eq!(error.needed.map(about), Some(10.0));
        assert_eq!((error.allowed, error.reason), (seconds(9.0), WaitReason::Configured));
        assert_eq!(
            error.to_string(),
            "https://a.example: waiting for the configured interval takes 10.0 s, but at most 9.0 s are \
             allowed; allow a longer wait, or retry later"
        );
    }
    assert_eq!(at(clock), 0.0, "the refusal is immediate");
    let next = pace.enter(&site, &interval, seconds(11.0)).await.unwrap();
    assert_eq!(about(next.waited()), 10.0);
}

#[tokio::test(start_paused = true)]
async fn waits_for_permit_and_slot_share_one_bound() {
    let (clock, _, pace) = pace(1);
    let (site, interval) = (origin("a"), interval(10.0));
    let first = pace.enter(&site, &interval, Duration::ZERO).await.unwrap();
    let waiting = tokio::spawn({
        let (pace, site) = (pace.clone(), site.clone());
        async move { pace.enter(&site, &interval, seconds(8.0)).await }
    });
    clock.sleep(seconds(5.0)).await;
    drop(first);
    let error = too_long(waiting.await.unwrap());
    assert_eq!((error.needed.map(about), at(clock)), (Some(10.0), 5.0));
}

#[tokio::test(start_paused = true)]
async fn cancelled_wait_gives_its_slot_back() {
    let (clock, _, pace) = pace(1);
    let (site, interval) = (origin("a"), interval(10.0));
    drop(pace.enter(&site, &interval, Duration::MAX).await.unwrap());
    for _ in 0..3 {
        let cancelled = tokio::time::timeout(seconds(1.0), pace.enter(&site, &interval, Duration::MAX)).await;
        assert!(cancelled.is_err());
    }
    assert_eq!(at(clock), 3.0);
    let next = pace.enter(&site, &interval, Duration::MAX).await.unwrap();
    assert_eq!(at(clock), 10.0, "the cancelled wait gave its slot back");
    assert_eq!(next.reason(), Some(WaitReason::Configured));
}

#[tokio::test(start_paused = true)]
async fn cancelled_reservation_gives_its_slot_back() {
    let clock = TokioClock::starting_at(START);
    let slots = Slots::new(clock, seconds(0.02));
    let pace = Pace::new(slots, Arc::new(clock), &PaceOptions::default());
    let (site, interval) = (origin("a"), interval(10.0));
    drop(pace.enter(&site, &interval, Duration::MAX).await.unwrap());
    for _ in 0..30 {
        // Cancel at a random time between the call of the store and its answer.
        let soon = Duration::from_millis(fastrand::u64(0..40));
        assert!(tokio::time::timeout(soon, pace.enter(&site, &interval, Duration::MAX)).await.is_err());
        clock.sleep(seconds(0.1)).await;
    }
    let begun = clock.now();
    drop(pace.enter(&site, &interval, Duration::MAX).await.unwrap());
    let waited = clock.now().duration_since(begun).unwrap();
    assert!(waited < seconds(10.1), "{waited:?}");
}

/// If no task can be spawned, the next request gives the slot back.
#[test]
fn wait_dropped_without_a_runtime_gives_its_slot_back_later() {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let (clock, _, pace) = {
        let _inside = runtime.enter();
        pace(1)
    };
    let (site, interval) = (origin("a"), interval(10.0));
    runtime.block_on(async { drop(pace.enter(&site, &interval, Duration::MAX).await.unwrap()) });
    let mut waiting = Box::pin(pace.enter(&site, &interval, Duration::MAX));
    runtime.block_on(async { assert!(tokio::time::timeout(seconds(1.0), &mut waiting).await.is_err()) });
    drop(waiting);
    runtime.block_on(async {
        drop(pace.enter(&site, &interval, Duration::MAX).await.unwrap());
        assert_eq!(at(clock), 10.0);
    });
}

#[tokio::test(start_paused = true)]
async fn slot_lost_by_the_store_is_replaced() {
    let (clock, slots, pace) = pace(1);
    let (site, interval) = (origin("a"), interval(10.0));
    drop(pace.enter(&site, &interval, Duration::MAX).await.unwrap());
    *slots.has_forgotten.lock().unwrap() = true;
    let asked = *slots.asked.lock().unwrap();
    drop(pace.enter(&site, &interval, Duration::MAX).await.unwrap());
    assert_eq!(*slots.asked.lock().unwrap(), asked + 2);
    assert_eq!(at(clock), 10.0, "this store grants the same slot again");
}

/// Waits for a turn in each of several processes that share a store, while one of them adds a hold. Returns the start
/// times of their requests, in order.
async fn begins_of(paces: &[Arc<Pace>], clock: TokioClock, hold: (f64, u32)) -> Vec<f64> {
    let begins: Vec<_> = paces
        .iter()
        .map(|pace| {
            let pace = pace.clone();
            tokio::spawn(async move {
                drop(pace.enter(&origin("a"), &interval(10.0), Duration::MAX).await.unwrap());
                at(clock)
            })
        })
        .collect();
    let (when, long) = hold;
    clock.sleep(seconds(when)).await;
    paces[0].hold(&origin("a"), &retry_after(long)).await.unwrap();
    let mut times = Vec::new();
    for begin in begins {
        times.push(begin.await.unwrap());
    }
    times.sort_by(f64::total_cmp);
    times
}

#[tokio::test(start_paused = true)]
async fn hold_by_another_process_delays_waiting_requests() {
    for (hold, expected) in [
        // The hold ends when the slot begins.
        ((9.0, 1), [0.0, 10.0, 20.0]),
        // The request with the slot at 10 gets a new slot after the slot at 20.
        ((9.0, 4), [0.0, 20.0, 30.0]),
        ((19.0, 5), [0.0, 10.0, 24.0]),
        // Both waiting requests get new slots, since otherwise both would begin at the end of the hold.
        ((9.0, 100), [0.0, 109.0, 119.0]),
    ] {
        let clock = TokioClock::starting_at(START);
        let slots = Slots::new(clock, Duration::ZERO);
        let mut config = PaceOptions::default();
        config.slack = Duration::ZERO;
        let paces: Vec<_> =
            (0..3).map(|_| Arc::new(Pace::new(slots.clone(), Arc::new(clock), &config))).collect();
        assert_eq!(begins_of(&paces, clock, hold).await, expected, "{hold:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn turn_beyond_the_limit_of_slots_is_waited_for() {
    let clock = TokioClock::starting_at(START);
    let slots = Slots::new(clock, Duration::ZERO);
    let mut config = PaceOptions::default();
    config.concurrency = NonZeroU32::new(40).unwrap();
    config.max_interval = seconds(30.0);
    config.max_retry_after = seconds(30.0);
    assert_eq!(config.furthest(), seconds(60.0));
    let pace = Arc::new(Pace::new(slots, Arc::new(clock), &config));
    let begins: Vec<_> = (0..20)
        .map(|_| {
            let pace = pace.clone();
            tokio::spawn(async move {
                drop(pace.enter(&origin("a"), &interval(10.0), seconds(500.0)).await.unwrap());
                clock.now().duration_since(START).unwrap()
            })
        })
        .collect();
    let mut times = Vec::new();
    for begin in begins {
        times.push(begin.await.unwrap());
    }
    times.sort();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= seconds(10.0)), "{times:?}");
    assert!(times.last().is_some_and(|last| *last < seconds(200.0)), "{times:?}");
    // Repeated attempts do not lengthen the wait.
    for _ in 0..20 {
        let pace = pace.clone();
        tokio::spawn(async move { drop(pace.enter(&origin("a"), &interval(10.0), Duration::MAX).await) });
    }
    tokio::task::yield_now().await;
    let begun = clock.now();
    drop(pace.enter(&origin("a"), &interval(10.0), seconds(100.0)).await);
    assert!(clock.now().duration_since(begun).unwrap() <= seconds(100.1));
}

/// A clock whose time of day can be set.
#[derive(Debug)]
struct Stepped {
    clock: TokioClock,
    ahead: std::sync::Mutex<i64>,
}

impl Clock for Stepped {
    fn now(&self) -> std::time::SystemTime {
        let ahead = *self.ahead.lock().unwrap();
        let by = Duration::from_secs(ahead.unsigned_abs());
        let now = self.clock.now() + seconds(1e9);
        if ahead < 0 { now - by } else { now + by }
    }

    fn moment(&self) -> Moment {
        self.clock.moment()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        self.clock.sleep(duration)
    }
}

#[tokio::test(start_paused = true)]
async fn change_of_the_time_of_day_does_not_affect_waits() {
    const YEARS: i64 = 10 * 365 * 86_400;
    let clock = TokioClock::starting_at(START);
    let stepped = Arc::new(Stepped { clock, ahead: std::sync::Mutex::new(0) });
    let pace = Pace::new(Arc::new(MemoryStore::new()), stepped.clone(), &PaceOptions::default());
    let (site, interval) = (origin("a"), interval(10.0));
    drop(pace.enter(&site, &interval, Duration::MAX).await.unwrap());
    for (step, number) in [3_600, -3_600, YEARS, -YEARS].into_iter().zip(1..) {
        *stepped.ahead.lock().unwrap() = step;
        drop(pace.enter(&site, &interval, seconds(11.0)).await.unwrap());
        assert_eq!(at(clock), 10.0 * f64::from(number));
    }
    *stepped.ahead.lock().unwrap() = 0;
    pace.hold(&site, &retry_after(100)).await.unwrap();
    *stepped.ahead.lock().unwrap() = -YEARS;
    drop(pace.enter(&site, &interval, seconds(101.0)).await.unwrap());
    assert_eq!(at(clock), 140.0);
}

#[tokio::test(start_paused = true)]
async fn zero_interval_rarely_uses_the_store() {
    let (clock, slots, pace) = pace(1);
    let site = origin("a");
    for _ in 0..1000 {
        drop(pace.enter(&site, &interval(0.0), Duration::ZERO).await.unwrap());
        clock.sleep(Duration::from_millis(1)).await;
    }
    let asked = *slots.asked.lock().unwrap();
    assert!((4..=9).contains(&asked), "{asked} calls of the store");
}

#[tokio::test(start_paused = true)]
async fn retry_after_holds_new_and_waiting_requests() {
    let (clock, slots, pace) = pace(2);
    let (site, interval) = (origin("a"), interval(10.0));
    let first = pace.enter(&site, &interval, Duration::MAX).await.unwrap();
    let waiting = tokio::spawn({
        let (pace, site) = (pace.clone(), site.clone());
        async move { pace.enter(&site, &interval, Duration::MAX).await }
    });
    clock.sleep(seconds(1.0)).await;
    pace.hold(&site, &retry_after(100)).await.unwrap();
    pace.hold(&site, &retry_after(5)).await.unwrap();
    drop(first);
    let error = too_long(pace.enter(&site, &interval, seconds(50.0)).await);
    assert_eq!((error.needed.map(about), error.reason), (Some(100.0), WaitReason::RetryAfter));
    // The hold also applies to another process with the same store, but that process does not know its reason.
    let elsewhere = Pace::new(slots, Arc::new(clock), &PaceOptions::default());
    let error = too_long(elsewhere.enter(&site, &interval, seconds(50.0)).await);
    assert_eq!((error.needed.map(about), error.reason), (Some(100.0), WaitReason::Configured));

    let waited = waiting.await.unwrap().unwrap();
    assert_eq!(at(clock), 101.0, "its slot was reserved before the hold");
    assert_eq!(waited.reason(), Some(WaitReason::RetryAfter));
}

#[tokio::test(start_paused = true)]
async fn hold_applies_locally_while_the_store_is_down() {
    let (clock, slots, pace) = pace(1);
    *slots.is_down.lock().unwrap() = true;
    assert!(pace.hold(&origin("a"), &retry_after(100)).await.is_err());
    *slots.is_down.lock().unwrap() = false;
    let turn = pace.enter(&origin("a"), &interval(1.0), Duration::MAX).await.unwrap();
    assert_eq!((at(clock), turn.reason()), (100.0, Some(WaitReason::RetryAfter)));
    assert!(turn.wait().late.is_some());
}

#[tokio::test(start_paused = true)]
async fn failed_store_blocks_requests() {
    let (_, slots, pace) = pace(1);
    *slots.is_down.lock().unwrap() = true;
    for _ in 0..2 {
        match pace.enter(&origin("a"), &interval(1.0), Duration::MAX).await {
            Err(PaceError::Store(error)) => assert_eq!(error.to_string(), "the store is down"),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn zero_interval_waits_only_for_retry_after() {
    let (clock, _, pace) = pace(1);
    let site: Origin = origin("a");
    for _ in 0..100 {
        drop(pace.enter(&site, &interval(0.0), Duration::ZERO).await.unwrap());
    }
    pace.hold(&site, &retry_after(7)).await.unwrap();
    drop(pace.enter(&site, &interval(0.0), Duration::MAX).await.unwrap());
    assert_eq!(at(clock), 7.0);
}
