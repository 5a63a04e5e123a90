//! Tests with many tasks over ten thousand virtual seconds. The time between two requests must be at least their
//! interval.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use comity_client::pace::{Pace, PaceOptions};
use comity_client::store::Turns;
use comity_client::{Clock, TokioClock};

use super::interval;
use super::world::{Begin, Log, Oversleeping, START, Slots, origin, seconds};

const END: Duration = Duration::from_secs(10_000);
const TASKS: u64 = 50;

/// A simulation of several processes that share a store. Each process has its own pace and clock. Their tasks send
/// requests to three origins.
struct Fleet {
    processes: u64,
    concurrency: u32,
    /// Average number of sleeps per late sleep. A late sleep ends up to `longest` seconds late.
    seldom: u32,
    longest: f64,
    latency: f64,
    intervals: &'static [f64],
}

impl Fleet {
    async fn run(self) -> Log {
        let clock = TokioClock::starting_at(START);
        let store: Arc<dyn Turns> = Slots::new(clock, seconds(self.latency));
        let mut config = PaceOptions::default();
        config.concurrency = NonZeroU32::new(self.concurrency).unwrap();
        let paces: Vec<_> = (0..self.processes)
            .map(|process| {
                let clock = Oversleeping::new(clock, self.seldom, seconds(self.longest), process);
                Arc::new(Pace::new(store.clone(), clock, &config))
            })
            .collect();
        let log = Log::default();
        let tasks: Vec<_> = (0..TASKS)
            .map(|task| {
                let pace = paces[(task % self.processes) as usize].clone();
                tokio::spawn(work(task, pace, clock, self.intervals, log.clone()))
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        log
    }
}

/// Sends one request after the other until the end of the simulation.
async fn work(seed: u64, pace: Arc<Pace>, clock: TokioClock, intervals: &'static [f64], log: Log) {
    let mut random = fastrand::Rng::with_seed(seed);
    while clock.now() < START + END {
        let origin = origin(["a", "b", "c"][random.usize(0..3)]);
        let interval = interval(intervals[random.usize(0..intervals.len())]);
        let max_wait = if random.bool() { Duration::MAX } else { seconds(60.0) };
        let Ok(turn) = pace.enter(&origin, &interval, max_wait).await else {
            clock.sleep(seconds(60.0)).await;
            continue;
        };
        log.add(&origin, Begin { at: clock.now(), interval: interval.duration, late: turn.wait().late });
        clock.sleep(seconds(random.f64() * random.f64() * 5.0)).await;
    }
}

/// Returns true if the second request began too soon after the first.
fn is_too_close(&(before, after): &(Begin, Begin)) -> bool {
    after.at < before.at + after.interval
}

#[tokio::test(start_paused = true)]
async fn requests_of_one_process_keep_intervals_when_tasks_wake_late() {
    for concurrency in [1, 4] {
        let fleet = Fleet {
            processes: 1,
            concurrency,
            seldom: 3,
            longest: 6.0,
            latency: 0.2,
            intervals: &[0.5, 1.0, 2.0, 7.0],
        };
        let log = fleet.run().await;
        let pairs = log.pairs();
        assert!(log.counts().iter().all(|count| *count > 500), "{:?}", log.counts());
        assert!(
            pairs.iter().any(|(_, after)| after.late.is_some()),
            "some requests begin late after three missed slots"
        );
        let close: Vec<_> = pairs.iter().filter(|pair| is_too_close(pair)).collect();
        assert!(close.is_empty(), "{} of {}: {:?}", close.len(), pairs.len(), close.first());
    }
}

#[tokio::test(start_paused = true)]
async fn punctual_requests_keep_intervals_across_processes() {
    let fleet = Fleet {
        processes: 8,
        concurrency: 2,
        seldom: 10,
        longest: 3.0,
        latency: 0.01,
        intervals: &[1.0, 2.5],
    };
    let log = fleet.run().await;
    let pairs = log.pairs();
    let late = pairs.iter().filter(|(_, after)| after.late.is_some()).count();
    assert!(log.counts().iter().all(|count| *count > 3_000), "{:?}", log.counts());
    assert!(late * 100 < pairs.len(), "{late} of {} requests are late", pairs.len());
    // A late request reports its lateness. Requests of other processes may begin too soon after it.
    let close: Vec<_> = pairs
        .iter()
        .filter(|(before, after)| before.late.is_none() && after.late.is_none())
        .filter(|pair| is_too_close(pair))
        .collect();
    assert!(close.is_empty(), "{} of {}: {:?}", close.len(), pairs.len(), close.first());
}

#[tokio::test(start_paused = true)]
async fn punctual_requests_lose_only_the_slack() {
    let fleet = Fleet {
        processes: 4,
        concurrency: 4,
        seldom: u32::MAX,
        longest: 0.0,
        latency: 0.01,
        intervals: &[2.0],
    };
    let log = fleet.run().await;
    let pairs = log.pairs();
    assert!(!pairs.iter().any(is_too_close));
    assert!(pairs.iter().all(|(_, after)| after.late.is_none()));
    // 50 tasks are enough to keep three origins busy: 10,000 s / 2.05 s.
    assert!(log.counts().iter().all(|count| (4_600..=4_930).contains(count)), "{:?}", log.counts());
}

#[tokio::test(start_paused = true)]
async fn late_start_delays_later_slots() {
    let clock = TokioClock::starting_at(START);
    // The latency of the store exceeds the slack.
    let away = seconds(0.3);
    let store: Arc<dyn Turns> = Slots::new(clock, away);
    let config = PaceOptions::default();
    let paces: [Pace; 2] = [(); 2].map(|()| Pace::new(store.clone(), Arc::new(clock), &config));
    let (origin, interval) = (origin("a"), interval(10.0));
    let (mut times_late, mut last) = (0, None);
    for pace in paces.iter().cycle().take(200) {
        let begun = pace.enter(&origin, &interval, Duration::MAX).await.unwrap();
        times_late += u32::from(begun.wait().late.is_some());
        let apart = last.map_or(interval.duration, |last| clock.now().duration_since(last).unwrap());
        assert!(apart + away >= interval.duration, "{apart:?}, late by {:?}", begun.wait().late);
        last = Some(clock.now());
    }
    assert!(times_late > 50, "{times_late}");
}

#[tokio::test(start_paused = true)]
async fn punctual_requests_of_one_process_begin_at_their_interval() {
    let clock = TokioClock::starting_at(START);
    let store: Arc<dyn Turns> = Slots::new(clock, Duration::from_micros(500));
    let pace = Pace::new(store, Arc::new(clock), &PaceOptions::default());
    let (origin, interval) = (origin("a"), interval(0.3));
    let begun = clock.now();
    for _ in 0..1000 {
        drop(pace.enter(&origin, &interval, Duration::MAX).await.unwrap());
    }
    let each = clock.now().duration_since(begun).unwrap() / 1000;
    assert!(each < interval.duration.mul_f64(1.03), "{each:?}");
}
