//! Conformance tests for implementations of [`Store`]. The stores of this crate pass these tests, too.
//!
//! [`store_conformance!`](crate::store_conformance) generates one test for each check; each test uses a new store.
//!
//! ```
//! mod tests {
//!     use std::sync::Arc;
//!
//!     use comity_client::store::MemoryStore;
//!     use comity_client::store::conformance::StoreUnderTest;
//!
//!     comity_client::store_conformance!(StoreUnderTest::new(Arc::new(MemoryStore::new())));
//! }
//! # fn main() {}
//! ```
//!
//! A store with its own clock ignores the time that its caller passes. So the checks use waits of hours and compare
//! times with a tolerance, the [`slack`](StoreUnderTest::slack) of the store under test. The tolerance is zero for
//! stores that use the caller's time, and a minute for a store with its own clock.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a check fails by a panic, as a test does")]

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::{
    Entry, EntryOrLease, FirstRequest, Lane, Lease, LeaseAnswer, Slot, SlotRequest, SlotStatus, Store,
};
use crate::{Clock, Moment, Origin, SystemClock};

const HOUR: Duration = Duration::from_secs(3600);
const LONG: Duration = Duration::from_secs(1_000_000);
const YEAR: Duration = Duration::from_secs(365 * 86_400);

/// The current time of a check: a time of day for writing entries, and a moment for leases and slots.
#[derive(Clone, Copy, Debug)]
struct CheckTime {
    time: SystemTime,
    moment: Moment,
}

/// Returns the time of a machine with a long uptime. So a check can set the clock back without reaching zero.
fn now() -> CheckTime {
    CheckTime { time: SystemTime::now(), moment: SystemClock.moment() + 20 * YEAR }
}

impl std::ops::Add<Duration> for CheckTime {
    type Output = CheckTime;

    fn add(self, duration: Duration) -> CheckTime {
        CheckTime { time: self.time + duration, moment: self.moment + duration }
    }
}

impl CheckTime {
    fn before(self, duration: Duration) -> CheckTime {
        let since_zero = self.moment.since_zero() - duration;
        CheckTime { time: self.time - duration, moment: Moment::after(since_zero) }
    }
}

/// Returns a slot request without a limit on the distance of the slot.
fn request(interval: Duration, max_wait: Duration) -> SlotRequest {
    SlotRequest { furthest: Duration::MAX, ..SlotRequest::new(interval, max_wait) }
}

/// A store under test.
#[derive(Debug)]
pub struct StoreUnderTest {
    store: Arc<dyn Store>,
    other: Arc<dyn Store>,
    slack: Duration,
    kept: Vec<Box<dyn Any + Send>>,
}

impl StoreUnderTest {
    /// Creates a store under test from a new, empty store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        StoreUnderTest { other: Arc::clone(&store), store, slack: Duration::ZERO, kept: Vec::new() }
    }

    /// Sets a second store with the same data, as another process would open it. By default, the first store is used in
    /// its place.
    #[must_use]
    pub fn other(self, other: Arc<dyn Store>) -> Self {
        StoreUnderTest { other, ..self }
    }

    /// Sets the maximum difference between an expected time and the time that the store returns. The default is zero. A
    /// store with its own clock needs a minute.
    #[must_use]
    pub fn slack(self, slack: Duration) -> Self {
        StoreUnderTest { slack, ..self }
    }

    /// Keeps a value, such as a folder or a server, alive while the check runs.
    #[must_use]
    pub fn keeping(mut self, kept: impl Any + Send) -> Self {
        self.kept.push(Box::new(kept));
        self
    }

    /// Returns true if the store uses the time of its caller.
    fn uses_given_time(&self) -> bool {
        self.slack.is_zero()
    }

    /// Returns the given time plus `duration`. For a store with its own clock, waits that long and returns the new
    /// time.
    async fn after(&self, now: CheckTime, duration: Duration) -> CheckTime {
        if self.uses_given_time() {
            return now + duration;
        }
        tokio::time::sleep(duration).await;
        self::now()
    }

    fn assert_near(&self, found: Duration, expected: Duration) {
        assert!(found.abs_diff(expected) <= self.slack, "{found:?} is not {expected:?}");
    }
}

/// Generates a test for each [check](crate::store::conformance). The argument is an expression that creates the [store
/// under test](crate::store::conformance::StoreUnderTest). With `one NAME, EXPRESSION`, generates one test that runs
/// all checks in order, for a store whose servers start slowly. The expression then returns a function that creates a
/// new, empty store under test. The tests need `tokio` with `macros` and `rt-multi-thread`.
#[macro_export]
macro_rules! store_conformance {
    (one $test:ident, $place:expr) => {
        $crate::store_conformance!(@all [one $test,] $place);
    };
    ($place:expr) => {
        $crate::store_conformance!(@all [] $place);
    };
    (@all [$($how:tt)*] $place:expr) => {
        $crate::store_conformance!($($how)* $place;
            put_entry_is_returned_unchanged,
            second_put_replaces_entry_and_remove_deletes_it,
            list_with_limit_returns_pages_in_order,
            purge_before_a_time_removes_older_entries_only,
            get_or_acquire_returns_the_entry_or_the_lease,
            first_slot_is_taken_only_with_the_lease,
            lease_has_one_holder_at_a_time,
            lease_expires_after_its_ttl,
            put_with_an_older_lease_is_rejected,
            thousand_concurrent_requests_get_one_lease,
            reserved_slots_keep_their_intervals,
            slot_beyond_the_longest_wait_is_not_taken,
            hold_delays_later_slots,
            hold_delays_requests_that_wait_for_their_slot,
            longer_of_interval_and_hold_applies,
            emptied_store_delays_every_origin_by_one_interval,
            emptied_store_keeps_its_distance_from_handed_on_slots,
            given_back_slot_is_free_unless_a_later_one_was_taken,
            repeated_request_gets_the_same_slot,
            lanes_have_separate_paces,
            only_an_immediate_slot_holds_the_other_lane,
            granted_lease_includes_the_entry,
            next_slot_keeps_its_distance_from_the_end_of_the_window,
            stored_times_beyond_the_limit_are_cut,
            clock_set_back_adds_no_wait,
            concurrent_reservations_share_one_pace,
            origins_have_separate_state);
    };
    (one $test:ident, $place:expr; $($name:ident),*) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $test() {
            let place = $place;
            $($crate::store::conformance::$name(place()).await;)*
        }
    };
    ($place:expr; $($name:ident),*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                $crate::store::conformance::$name($place).await;
            }
        )*
    };
}

/// Returns the origin of a host.
fn origin(host: &str) -> Origin {
    Origin::of(&format!("https://{host}/").parse().unwrap()).unwrap()
}

/// Reserves a slot.
async fn reserve(store: &Arc<dyn Store>, origin: &Origin, request: &SlotRequest, now: Moment) -> Slot {
    store.reserve(origin, request, now).await.unwrap()
}

/// Requests the lease of an origin.
async fn acquire(store: &Arc<dyn Store>, origin: &Origin, ttl: Duration, now: Moment) -> LeaseAnswer {
    store.acquire(origin, ttl, now).await.unwrap()
}

fn granted(acquired: LeaseAnswer) -> Lease {
    let LeaseAnswer::Granted { lease, .. } = acquired else { panic!("not granted: {acquired:?}") };
    lease
}

fn held(acquired: LeaseAnswer) -> Duration {
    let LeaseAnswer::Held(wait) = acquired else { panic!("not held: {acquired:?}") };
    wait
}

fn taken(slot: Slot) -> Duration {
    let Slot::Taken(wait) = slot else { panic!("not taken: {slot:?}") };
    wait
}

fn too_far(slot: Slot) -> Duration {
    let Slot::TooFar(wait) = slot else { panic!("not too far: {slot:?}") };
    wait
}

/// Checks that entries are read back unchanged.
pub async fn put_entry_is_returned_unchanged(place: StoreUnderTest) {
    let now = now();
    let all: Vec<u8> = (0..=255).collect();
    let contents: [&[u8]; 4] = [b"", b"User-agent: *\nDisallow: /\n", &all, &vec![7; 600_000]];
    for (number, content) in contents.into_iter().enumerate() {
        let origin = origin(&format!("{number}.example"));
        assert_eq!(place.store.get(&origin).await.unwrap(), None);
        let entry = Entry::seal(content);
        assert!(place.store.put(&origin, &entry, None, now.time).await.unwrap());
        for store in [&place.store, &place.other] {
            assert_eq!(store.get(&origin).await.unwrap().as_ref(), Some(&entry));
        }
    }
}

/// Checks that a second write replaces an entry, and that `remove` deletes it.
pub async fn second_put_replaces_entry_and_remove_deletes_it(place: StoreUnderTest) {
    let (now, origin) = (now(), origin("example.com"));
    for content in [&b"first"[..], b"second, longer", b"3rd"] {
        assert!(place.store.put(&origin, &Entry::seal(content), None, now.time).await.unwrap());
        assert_eq!(place.other.get(&origin).await.unwrap().unwrap().content(), content);
    }
    assert_eq!(place.store.list(None, 10).await.unwrap(), std::slice::from_ref(&origin));
    assert!(place.other.remove(&origin).await.unwrap());
    assert!(!place.store.remove(&origin).await.unwrap());
    assert_eq!(place.store.get(&origin).await.unwrap(), None);
    assert!(place.store.list(None, 10).await.unwrap().is_empty());
}

/// Checks that `list` returns origins in order, in pages of the requested size.
pub async fn list_with_limit_returns_pages_in_order(place: StoreUnderTest) {
    let now = now();
    let mut expected: Vec<Origin> = (0..25).map(|number| origin(&format!("{number}.example"))).collect();
    expected.push(Origin::of(&"http://[::1]:8080/".parse().unwrap()).unwrap());
    for origin in &expected {
        place.store.put(origin, &Entry::seal(b"x"), None, now.time).await.unwrap();
    }
    expected.sort();
    for size in [1, 7, 26, 100] {
        let mut found: Vec<Origin> = Vec::new();
        loop {
            let page = place.other.list(found.last(), size).await.unwrap();
            assert!(page.len() <= size);
            if page.is_empty() {
                break;
            }
            found.extend(page);
        }
        assert_eq!(found, expected, "pages of {size}");
    }
    assert!(place.store.list(None, 0).await.unwrap().is_empty());
    // A page can also begin after an origin without an entry.
    let page = place.store.list(Some(&origin("5.example.com")), 1).await.unwrap();
    assert_eq!(page, [origin("6.example")]);
}

/// Checks that a purge removes the entries older than the given time.
pub async fn purge_before_a_time_removes_older_entries_only(place: StoreUnderTest) {
    let step = Duration::from_millis(5);
    let old = now();
    for host in ["a.example", "b.example", "c.example"] {
        place.store.put(&origin(host), &Entry::seal(b"old"), None, old.time).await.unwrap();
    }
    let _lease = granted(acquire(&place.store, &origin("a.example"), HOUR, old.moment).await);
    taken(reserve(&place.store, &origin("a.example"), &request(HOUR, LONG), old.moment).await);
    let between = place.after(old, step).await;
    let new = place.after(between, step).await;
    // An entry that is written again counts as new.
    for host in ["b.example", "d.example"] {
        place.store.put(&origin(host), &Entry::seal(b"new"), None, new.time).await.unwrap();
    }
    assert_eq!(place.other.purge(Some(between.time)).await.unwrap(), 2);
    assert_eq!(place.store.list(None, 10).await.unwrap(), [origin("b.example"), origin("d.example")]);
    // The purge keeps leases and paces.
    held(acquire(&place.store, &origin("a.example"), HOUR, new.moment).await);
    too_far(reserve(&place.store, &origin("a.example"), &request(HOUR, step), new.moment).await);
}

/// Checks that removed slots become invalid, and that every origin waits one interval after a purge of all data: the
/// purge may have removed a slot that was reserved just before.
pub async fn emptied_store_delays_every_origin_by_one_interval(place: StoreUnderTest) {
    let now = now();
    let (known, unknown) = (origin("known.example"), origin("unknown.example"));
    for host in ["a.example", "b.example"] {
        place.store.put(&origin(host), &Entry::seal(b"x"), None, now.time).await.unwrap();
    }
    let lease = granted(acquire(&place.store, &known, HOUR, now.moment).await);
    let waiting = request(HOUR, LONG);
    taken(reserve(&place.store, &known, &request(HOUR, LONG), now.moment).await);
    taken(reserve(&place.store, &known, &waiting, now.moment).await);
    let slot_status = place.store.confirm(&known, &waiting, now.moment, now.moment).await.unwrap();
    assert_eq!(slot_status, SlotStatus::Valid);
    let unconfirmed = request(HOUR, LONG);
    taken(reserve(&place.store, &known, &unconfirmed, now.moment).await);

    let later = place.after(now, Duration::from_millis(20)).await;
    assert_eq!(place.other.purge(None).await.unwrap(), 2);
    assert_eq!(place.other.purge(None).await.unwrap(), 0);
    assert!(place.store.list(None, 10).await.unwrap().is_empty());
    let slot_status = place.store.confirm(&known, &unconfirmed, now.moment, later.moment).await.unwrap();
    assert_eq!(slot_status, SlotStatus::Forgotten);
    let wait = too_far(reserve(&place.other, &unknown, &request(HOUR, HOUR / 2), later.moment).await);
    place.assert_near(wait, HOUR);
    place.store.release(lease).await.unwrap();
    let _lease = granted(acquire(&place.other, &known, HOUR, later.moment).await);
    if place.uses_given_time() {
        let after = later + HOUR;
        assert_eq!(
            taken(reserve(&place.store, &unknown, &request(HOUR, LONG), after.moment).await),
            Duration::ZERO
        );
    }
}

/// Checks that the slots of an emptied store begin one interval after the slots that were
/// [handed on](SlotRequest::is_handed_on) to other programs.
///
/// Other programs do not confirm their slots. So every origin waits one interval from the end of the last handed-on
/// slot.
pub async fn emptied_store_keeps_its_distance_from_handed_on_slots(place: StoreUnderTest) {
    let (now, known, unknown) = (now(), origin("known.example"), origin("unknown.example"));
    let handed_on = || SlotRequest { is_handed_on: true, window: HOUR, ..request(4 * HOUR, LONG) };
    for wait in [0, 5] {
        let slot = reserve(&place.store, &known, &handed_on(), now.moment).await;
        place.assert_near(taken(slot), HOUR * wait);
    }
    // Before the purge, other origins do not wait for the handed-on slots.
    let slot = reserve(&place.other, &unknown, &request(HOUR, Duration::ZERO), now.moment).await;
    assert_eq!(taken(slot), Duration::ZERO);
    place.other.purge(None).await.unwrap();
    // A second purge keeps the end of the handed-on slots.
    for _ in 0..2 {
        let slot = reserve(&place.other, &known, &request(4 * HOUR, LONG), now.moment).await;
        place.assert_near(taken(slot), 10 * HOUR);
        // A store with several servers keeps an end for each, so other origins may wait less.
        let slot = reserve(&place.other, &unknown, &request(HOUR, LONG), now.moment).await;
        let wait = taken(slot);
        assert!(wait + place.slack >= HOUR && wait <= 7 * HOUR + place.slack, "{wait:?}");
        place.other.purge(None).await.unwrap();
    }
    if place.uses_given_time() {
        place.other.purge(None).await.unwrap();
        let after = now + 24 * HOUR;
        let slot = reserve(&place.other, &unknown, &request(HOUR, LONG), after.moment).await;
        assert_eq!(taken(slot), HOUR, "the handed-on slots are over");
    }
}

/// Checks that an existing entry is returned at once, and that the lease is granted if there is no entry.
pub async fn get_or_acquire_returns_the_entry_or_the_lease(place: StoreUnderTest) {
    let (now, origin) = (now(), origin("example.com"));
    let look = async |store: &dyn Store| store.get_or_acquire(&origin, HOUR, None, now.moment).await.unwrap();
    let leased = |looked| match looked {
        EntryOrLease::Lease(acquired, None) => acquired,
        other => panic!("{other:?}"),
    };
    let lease = granted(leased(look(&*place.store).await));
    place.assert_near(held(leased(look(&*place.other).await)), HOUR);
    let entry = Entry::seal(b"found");
    assert!(place.store.put(&origin, &entry, Some(&lease), now.time).await.unwrap());
    for store in [&place.store, &place.other] {
        let EntryOrLease::Entry(found) = look(&**store).await else { panic!("no entry") };
        assert_eq!(found.content(), entry.content());
    }
    // The call that found the entry acquired no lease.
    let _lease = granted(acquire(&place.store, &origin, HOUR, now.moment).await);
}

/// Checks that the slot of the first request is reserved only if the lease is granted.
pub async fn first_slot_is_taken_only_with_the_lease(place: StoreUnderTest) {
    let now = now();
    let in_lane = |lane, max_wait| SlotRequest { lane, ..request(HOUR, max_wait) };
    for (here, pace_of) in [("a.example", "a.example"), ("b.example", "b.other.example")] {
        let (here, pace_of) = (origin(here), origin(pace_of));
        let look = async |store: &dyn Store| {
            let slot = in_lane(Lane::RobotsTxt, Duration::ZERO);
            let first = FirstRequest::new(&pace_of, slot, (Lane::Pages, 3 * HOUR));
            let looked = store.get_or_acquire(&here, HOUR, Some(first), now.moment).await.unwrap();
            (slot, looked)
        };
        let page = async |max_wait| {
            let slot = in_lane(Lane::Pages, max_wait);
            let answer = reserve(&place.other, &pace_of, &slot, now.moment).await;
            place.other.give_back(&pace_of, &slot).await.unwrap();
            answer
        };
        // A task that has to wait for the lease gets no slot.
        let lease = granted(acquire(&place.store, &here, HOUR, now.moment).await);
        let (_, looked) = look(&*place.other).await;
        assert!(matches!(looked, EntryOrLease::Lease(LeaseAnswer::Held(_), None)), "{looked:?}");
        assert!(page(Duration::ZERO).await.is_now());
        place.store.release(lease).await.unwrap();

        let (slot, looked) = look(&*place.store).await;
        let EntryOrLease::Lease(acquired, Some(taken)) = looked else { panic!("{looked:?}") };
        let lease = granted(acquired);
        assert!(taken.is_now(), "{taken:?}");
        place.assert_near(self::taken(page(LONG).await), 3 * HOUR);
        let next =
            reserve(&place.other, &pace_of, &in_lane(Lane::RobotsTxt, Duration::ZERO), now.moment).await;
        place.assert_near(too_far(next), HOUR);

        // The slot is too far off, so the lease is granted without a slot. The holder of the lease must wait or release
        // the lease.
        place.store.release(lease).await.unwrap();
        let (_, looked) = look(&*place.store).await;
        let EntryOrLease::Lease(acquired, Some(taken)) = looked else { panic!("{looked:?}") };
        place.assert_near(too_far(taken), HOUR);
        let lease = granted(acquired);
        place.store.give_back(&pace_of, &slot).await.unwrap();
        let entry = Entry::seal(b"found");
        assert!(place.store.put(&here, &entry, Some(&lease), now.time).await.unwrap());
        // A task that finds an entry gets no slot, either.
        assert!(matches!(look(&*place.other).await.1, EntryOrLease::Entry(_)));
        let next =
            reserve(&place.other, &pace_of, &in_lane(Lane::RobotsTxt, Duration::ZERO), now.moment).await;
        assert!(next.is_now(), "{next:?}");
    }
}

/// Checks that a lease has only one holder at a time.
pub async fn lease_has_one_holder_at_a_time(place: StoreUnderTest) {
    let (now, origin) = (now(), origin("example.com"));
    let first = granted(acquire(&place.store, &origin, HOUR, now.moment).await);
    assert_eq!(first.origin(), &origin);
    for store in [&place.store, &place.other] {
        place.assert_near(held(store.acquire(&origin, 2 * HOUR, now.moment).await.unwrap()), HOUR);
    }
    place.store.release(first.clone()).await.unwrap();
    let second = granted(acquire(&place.other, &origin, HOUR, now.moment).await);
    assert!(second.number() > first.number());
    // The first lease was released before. Releasing it again does not release the second lease.
    place.store.release(first).await.unwrap();
    held(acquire(&place.store, &origin, HOUR, now.moment).await);
    place.other.release(second.clone()).await.unwrap();
    let third = granted(acquire(&place.other, &origin, HOUR, now.moment).await);
    assert!(third.number() > second.number());
    // Writing an entry releases the lease.
    assert!(place.store.put(&origin, &Entry::seal(b"done"), Some(&third), now.time).await.unwrap());
    let fourth = granted(acquire(&place.store, &origin, HOUR, now.moment).await);
    assert!(fourth.number() > third.number());
}

/// Checks that a lease expires.
pub async fn lease_expires_after_its_ttl(place: StoreUnderTest) {
    let (start, origin) = (now(), origin("example.com"));
    let ttl = Duration::from_millis(300);
    let first = granted(acquire(&place.store, &origin, ttl, start.moment).await);
    if place.uses_given_time() {
        let just_before = (start + ttl).before(Duration::from_nanos(1));
        assert_eq!(
            held(acquire(&place.other, &origin, ttl, just_before.moment).await),
            Duration::from_nanos(1)
        );
    } else {
        assert!(held(acquire(&place.other, &origin, ttl, start.moment).await) <= ttl);
    }
    let now = place.after(start, ttl + Duration::from_millis(u64::from(!place.uses_given_time()) * 20)).await;
    // The lease has expired, but no later lease was granted, so the write is accepted.
    assert!(place.store.put(&origin, &Entry::seal(b"late"), Some(&first), now.time).await.unwrap());
    let second = granted(acquire(&place.other, &origin, ttl, now.moment).await);
    assert!(second.number() > first.number());
}

/// Checks that the store rejects a write with a lease that is no longer the latest.
pub async fn put_with_an_older_lease_is_rejected(place: StoreUnderTest) {
    let (start, here) = (now(), origin("example.com"));
    let ttl = Duration::from_millis(50);
    let late = granted(acquire(&place.store, &here, ttl, start.moment).await);
    let now = place.after(start, 2 * ttl).await;
    let latest = granted(acquire(&place.other, &here, HOUR, now.moment).await);
    // The late write is rejected before the holder of the latest lease has written, and afterwards.
    assert!(!place.store.put(&here, &Entry::seal(b"late"), Some(&late), now.time).await.unwrap());
    assert_eq!(place.store.get(&here).await.unwrap(), None);
    assert!(place.other.put(&here, &Entry::seal(b"good"), Some(&latest), now.time).await.unwrap());
    assert!(!place.store.put(&here, &Entry::seal(b"late"), Some(&late), now.time).await.unwrap());
    place.other.release(latest.clone()).await.unwrap();
    assert!(!place.store.put(&here, &Entry::seal(b"late"), Some(&late), now.time).await.unwrap());
    assert_eq!(place.store.get(&here).await.unwrap().unwrap().content(), b"good");
    // A released lease is still the latest lease, so its write is accepted.
    assert!(place.other.put(&here, &Entry::seal(b"better"), Some(&latest), now.time).await.unwrap());
    // A lease is valid only for its own origin.
    let elsewhere = origin("example.org");
    assert!(!place.other.put(&elsewhere, &Entry::seal(b"no"), Some(&latest), now.time).await.unwrap());
    assert_eq!(place.other.get(&elsewhere).await.unwrap(), None);
}

/// Checks that exactly one of a thousand concurrent requests gets the lease.
pub async fn thousand_concurrent_requests_get_one_lease(place: StoreUnderTest) {
    let now = now();
    let origin = origin("example.com");
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..1000 {
        let store = Arc::clone(if number % 2 == 0 { &place.store } else { &place.other });
        let origin = origin.clone();
        tasks.spawn(async move { store.acquire(&origin, HOUR, now.moment).await.unwrap() });
    }
    let answers = tasks.join_all().await;
    let grants = answers.iter().filter(|answer| matches!(answer, LeaseAnswer::Granted { .. })).count();
    assert_eq!((answers.len(), grants), (1000, 1));
}

/// Checks that slots are at least one interval apart.
///
/// Compares the store with a simple model, for random intervals, windows, holds and times.
pub async fn reserved_slots_keep_their_intervals(place: StoreUnderTest) {
    let mut random = fastrand::Rng::with_seed(5);
    for round in 0..4 {
        let origin = origin(&format!("{round}.example"));
        let mut now = now().moment;
        let (mut last, mut held) = (None, Moment::after(Duration::ZERO));
        for step in 0..100 {
            if place.uses_given_time() {
                // Concurrent tasks read the clock before they call the store, so a later call may pass an earlier time.
                let back = Duration::from_secs(if random.f64() < 0.1 { 10 } else { 0 });
                let ahead = if back.is_zero() { HOUR.mul_f64(random.f64() * 2.0) } else { Duration::ZERO };
                now = Moment::after(now.since_zero() - back) + ahead;
            }
            if random.f64() < 0.1 {
                let until_in = HOUR.mul_f64(random.f64() * 5.0);
                place.other.hold(&origin, Lane::Pages, until_in, now).await.unwrap();
                held = held.max(now + until_in);
            }
            let interval = if random.bool() { HOUR.mul_f64(random.f64() * 3.0) } else { HOUR };
            let mut request = request(interval, HOUR.mul_f64(random.f64() * random.f64() * 200.0));
            request.window = if random.bool() { HOUR.mul_f64(random.f64()) } else { Duration::ZERO };
            let free = last.map_or(now, |last: Moment| last + interval);
            let wait = free.max(held).max(now).since(now);
            let store = if random.bool() { &place.store } else { &place.other };
            match store.reserve(&origin, &request, now).await.unwrap() {
                Slot::Taken(found) => {
                    place.assert_near(found, wait);
                    assert!(found <= request.max_wait, "round {round}, step {step}");
                    last = Some((now + found + request.window).max(last.unwrap_or(now)));
                }
                Slot::TooFar(found) => {
                    place.assert_near(found, wait);
                    assert!(found > request.max_wait, "round {round}, step {step}");
                }
            }
        }
        assert!(last.is_some());
    }
}

/// Checks that a slot beyond the maximum wait is not reserved.
pub async fn slot_beyond_the_longest_wait_is_not_taken(place: StoreUnderTest) {
    let (now, origin) = (now(), origin("example.com"));
    assert_eq!(
        taken(reserve(&place.store, &origin, &request(HOUR, Duration::ZERO), now.moment).await),
        Duration::ZERO
    );
    for _ in 0..20 {
        let wait = too_far(reserve(&place.other, &origin, &request(HOUR, HOUR / 2), now.moment).await);
        place.assert_near(wait, HOUR);
    }
    place.assert_near(taken(reserve(&place.other, &origin, &request(HOUR, LONG), now.moment).await), HOUR);
    place
        .assert_near(taken(reserve(&place.store, &origin, &request(HOUR, LONG), now.moment).await), 2 * HOUR);
}

/// Checks that slots begin after the end of a hold.
pub async fn hold_delays_later_slots(place: StoreUnderTest) {
    let (now, origin) = (now(), origin("example.com"));
    place.store.hold(&origin, Lane::Pages, 2 * HOUR, now.moment).await.unwrap();
    place.assert_near(
        too_far(reserve(&place.other, &origin, &request(HOUR, HOUR), now.moment).await),
        2 * HOUR,
    );
    // A shorter hold does not replace a longer one.
    place.other.hold(&origin, Lane::Pages, HOUR, now.moment).await.unwrap();
    place.assert_near(
        too_far(reserve(&place.store, &origin, &request(HOUR, HOUR), now.moment).await),
        2 * HOUR,
    );
    place.other.hold(&origin, Lane::Pages, 3 * HOUR, now.moment).await.unwrap();
    place
        .assert_near(taken(reserve(&place.store, &origin, &request(HOUR, LONG), now.moment).await), 3 * HOUR);
    // A hold that ends before the next slot has no effect: the interval still applies.
    place.store.hold(&origin, Lane::Pages, 3 * HOUR + HOUR / 2, now.moment).await.unwrap();
    place
        .assert_near(taken(reserve(&place.other, &origin, &request(HOUR, LONG), now.moment).await), 4 * HOUR);
    // The store also accepts the longest possible hold.
    place.other.hold(&origin, Lane::Pages, Duration::MAX, now.moment).await.unwrap();
    assert!(too_far(reserve(&place.store, &origin, &request(HOUR, LONG), now.moment).await) > LONG);
}

/// Checks that a hold also delays a request that is already waiting for its slot.
pub async fn hold_delays_requests_that_wait_for_their_slot(place: StoreUnderTest) {
    let (now, origin, step) = (now(), origin("example.com"), Duration::from_millis(10));
    let [waiting, other_lane] = [Lane::Pages, Lane::RobotsTxt].map(|lane| {
        let (first, second) = (request(step, LONG), request(step, LONG));
        [SlotRequest { lane, ..first }, SlotRequest { lane, ..second }]
    });
    for request in waiting.iter().chain(&other_lane) {
        taken(reserve(&place.store, &origin, request, now.moment).await);
    }
    place.other.hold(&origin, Lane::Pages, HOUR, now.moment).await.unwrap();
    let then = place.after(now, step).await;
    let confirm = async |request: &SlotRequest, then: CheckTime| {
        place.store.confirm(&origin, request, now.moment, then.moment).await.unwrap()
    };
    // A second confirmation returns the same result.
    for _ in 0..2 {
        match confirm(&waiting[1], then).await {
            SlotStatus::Held(rest) => place.assert_near(rest, HOUR - step),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(confirm(&other_lane[1], then).await, SlotStatus::Valid);
    if place.uses_given_time() {
        assert_eq!(confirm(&waiting[1], now + HOUR).await, SlotStatus::Valid);
    }
}

/// Checks that the interval applies to the nanosecond, and that a request without an interval waits for the last slot.
pub async fn longer_of_interval_and_hold_applies(place: StoreUnderTest) {
    let (now, origin) = (now(), origin("example.com"));
    taken(reserve(&place.store, &origin, &request(HOUR, Duration::ZERO), now.moment).await);
    let too_short = HOUR - place.slack - Duration::from_nanos(1);
    too_far(reserve(&place.store, &origin, &request(HOUR, too_short), now.moment).await);
    place.assert_near(taken(reserve(&place.store, &origin, &request(HOUR, HOUR), now.moment).await), HOUR);
    // A request with an interval of zero waits only for the last slot.
    place.assert_near(
        taken(reserve(&place.store, &origin, &request(Duration::ZERO, HOUR), now.moment).await),
        HOUR,
    );
    place.assert_near(
        taken(reserve(&place.store, &origin, &request(Duration::ZERO, HOUR), now.moment).await),
        HOUR,
    );
}

/// Checks that the slots of sixty-four concurrent tasks are one interval apart.
pub async fn concurrent_reservations_share_one_pace(place: StoreUnderTest) {
    let (now, origin) = (now(), origin("example.com"));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..64 {
        let (store, origin) = (Arc::clone(&place.store), origin.clone());
        tasks.spawn(
            async move { taken(store.reserve(&origin, &request(HOUR, LONG), now.moment).await.unwrap()) },
        );
    }
    let mut waits = tasks.join_all().await;
    waits.sort();
    for (pair, number) in waits.windows(2).zip(1..) {
        assert!(pair[1] - pair[0] >= HOUR, "{pair:?}");
        place.assert_near(pair[1], HOUR * number);
    }
}

/// Checks that each origin has its own lease, entry and slots.
pub async fn origins_have_separate_state(place: StoreUnderTest) {
    let now = now();
    let https = origin("example.com");
    for url in ["http://example.com/", "https://example.com:8443/", "https://www.example.com/"] {
        let other = Origin::of(&url.parse().unwrap()).unwrap();
        for origin in [&https, &other] {
            let lease = granted(acquire(&place.store, origin, HOUR, now.moment).await);
            let slot = reserve(&place.store, origin, &request(HOUR, Duration::ZERO), now.moment).await;
            place
                .store
                .put(origin, &Entry::seal(origin.as_str().as_bytes()), Some(&lease), now.time)
                .await
                .unwrap();
            place.store.release(lease).await.unwrap();
            if *origin == other {
                assert_eq!(taken(slot), Duration::ZERO);
            }
        }
        let entry = place.store.get(&https).await.unwrap().unwrap();
        assert_eq!(entry.content(), https.as_str().as_bytes());
    }
}

/// Checks that a slot that was given back is free again, unless a later slot was reserved.
pub async fn given_back_slot_is_free_unless_a_later_one_was_taken(place: StoreUnderTest) {
    let (now, origin) = (now().moment, origin("example.com"));
    let [first, second, third] = [(); 3].map(|()| request(HOUR, LONG));
    for (request, expected) in [(&first, Duration::ZERO), (&second, HOUR), (&third, 2 * HOUR)] {
        place.assert_near(taken(reserve(&place.store, &origin, request, now).await), expected);
    }
    // A later slot was reserved after the second slot, so giving the second slot back has no effect.
    place.store.give_back(&origin, &second).await.unwrap();
    place.store.give_back(&origin, &third).await.unwrap();
    place.store.give_back(&origin, &third).await.unwrap();
    let fourth = request(HOUR, LONG);
    place.assert_near(taken(reserve(&place.other, &origin, &fourth, now).await), 2 * HOUR);
    place.store.give_back(&origin, &third).await.unwrap();
    place.assert_near(taken(reserve(&place.other, &origin, &request(HOUR, LONG), now).await), 3 * HOUR);
    // Giving back a slot that was never reserved is not an error, since a caller may not know whether its request
    // succeeded.
    place.store.give_back(&origin, &request(HOUR, LONG)).await.unwrap();
    place.store.give_back(&self::origin("unknown.example"), &fourth).await.unwrap();
    place.assert_near(taken(reserve(&place.other, &origin, &request(HOUR, LONG), now).await), 4 * HOUR);
}

/// Checks that a repeated request gets the same slot.
pub async fn repeated_request_gets_the_same_slot(place: StoreUnderTest) {
    let (now, origin) = (now().moment, origin("example.com"));
    taken(reserve(&place.store, &origin, &request(HOUR, LONG), now).await);
    let lost = request(HOUR, LONG);
    for _ in 0..3 {
        place.assert_near(taken(reserve(&place.other, &origin, &lost, now).await), HOUR);
    }
    place.assert_near(taken(reserve(&place.store, &origin, &request(HOUR, LONG), now).await), 2 * HOUR);
}

/// Checks that each lane of an origin has its own slots and holds.
pub async fn lanes_have_separate_paces(place: StoreUnderTest) {
    let (now, origin) = (now().moment, origin("example.com"));
    place.store.hold(&origin, Lane::Redirected, HOUR, now).await.unwrap();
    for (lane, expected) in
        [(Lane::Pages, Duration::ZERO), (Lane::RobotsTxt, Duration::ZERO), (Lane::Redirected, HOUR)]
    {
        let request = SlotRequest { lane, ..request(2 * HOUR, LONG) };
        place.assert_near(taken(reserve(&place.other, &origin, &request, now).await), expected);
    }
}

/// Checks that `reserve_and_hold` holds the other lane only if the slot begins now.
pub async fn only_an_immediate_slot_holds_the_other_lane(place: StoreUnderTest) {
    let (now, origin) = (now().moment, origin("example.com"));
    let until = HOUR / 2;
    let in_lane = |lane, max_wait| SlotRequest { lane, ..request(HOUR, max_wait) };
    let ask = async |max_wait| {
        let request = in_lane(Lane::RobotsTxt, max_wait);
        place.store.reserve_and_hold(&origin, &request, (Lane::Pages, until), now).await.unwrap()
    };
    let page = async || {
        let request = in_lane(Lane::Pages, LONG);
        let wait = taken(reserve(&place.other, &origin, &request, now).await);
        place.other.give_back(&origin, &request).await.unwrap();
        wait
    };
    taken(reserve(&place.store, &origin, &in_lane(Lane::RobotsTxt, LONG), now).await);
    assert!(matches!(ask(Duration::ZERO).await, Slot::TooFar(_)));
    place.assert_near(page().await, Duration::ZERO);
    place.assert_near(taken(ask(LONG).await), HOUR);
    place.assert_near(page().await, Duration::ZERO);

    let origin = self::origin("other.example");
    let request = in_lane(Lane::RobotsTxt, LONG);
    let slot = place.store.reserve_and_hold(&origin, &request, (Lane::Pages, until), now).await.unwrap();
    assert!(slot.is_now());
    let request = in_lane(Lane::Pages, LONG);
    place.assert_near(taken(reserve(&place.other, &origin, &request, now).await), until);
}

/// Checks that a granted lease includes the current entry.
pub async fn granted_lease_includes_the_entry(place: StoreUnderTest) {
    let (now, origin) = (now(), origin("example.com"));
    let entry = Entry::seal(b"User-agent: *");
    match acquire(&place.store, &origin, HOUR, now.moment).await {
        LeaseAnswer::Granted { lease, entry: None } => {
            assert!(place.store.put(&origin, &entry, Some(&lease), now.time).await.unwrap());
        }
        other => panic!("{other:?}"),
    }
    match acquire(&place.other, &origin, HOUR, now.moment).await {
        LeaseAnswer::Granted { entry: found, .. } => assert_eq!(found, Some(entry)),
        other => panic!("{other:?}"),
    }
}

/// Checks that the interval to the next slot is counted from the end of a slot's window.
pub async fn next_slot_keeps_its_distance_from_the_end_of_the_window(place: StoreUnderTest) {
    let (now, origin) = (now().moment, origin("example.com"));
    let wide = SlotRequest { window: HOUR / 2, ..request(HOUR, LONG) };
    taken(reserve(&place.store, &origin, &wide, now).await);
    let next = taken(reserve(&place.other, &origin, &request(HOUR, LONG), now).await);
    place.assert_near(next, HOUR + HOUR / 2);
}

/// Checks that slots, holds and leases that end beyond the limit are cut to the limit.
pub async fn stored_times_beyond_the_limit_are_cut(place: StoreUnderTest) {
    let (now, origin) = (now(), origin("example.com"));
    let bounded = |max_wait| SlotRequest { furthest: 2 * HOUR, ..request(HOUR, max_wait) };
    place.store.hold(&origin, Lane::Pages, 10 * YEAR, now.moment).await.unwrap();
    let wait = too_far(reserve(&place.other, &origin, &bounded(HOUR), now.moment).await);
    place.assert_near(wait, 2 * HOUR);
    if place.uses_given_time() {
        // Reading the hold again does not restart the wait.
        let later = now + 2 * HOUR;
        let wait = taken(reserve(&place.other, &origin, &bounded(HOUR), later.moment).await);
        assert_eq!(wait, Duration::ZERO);
    }
    // A slot beyond the limit is not reserved, even if the caller would wait longer.
    let origin = self::origin("example.org");
    taken(reserve(&place.store, &origin, &bounded(LONG), now.moment).await);
    taken(reserve(&place.store, &origin, &bounded(LONG), now.moment).await);
    taken(reserve(&place.store, &origin, &bounded(LONG), now.moment).await);
    let wait = too_far(reserve(&place.store, &origin, &bounded(LONG), now.moment).await);
    place.assert_near(wait, 3 * HOUR);
    // If processes share the store, another caller waits at most for the duration that it requests itself.
    let _long = granted(acquire(&place.store, &origin, HOUR, now.moment).await);
    let wait = held(acquire(&place.other, &origin, HOUR / 60, now.moment).await);
    assert!(wait <= HOUR / 60 || Arc::ptr_eq(&place.store, &place.other), "{wait:?}");
}

/// Checks that requests wait only for the remaining time after the clock is set back.
///
/// A store with its own clock skips this check and needs its own tests.
pub async fn clock_set_back_adds_no_wait(place: StoreUnderTest) {
    if !place.uses_given_time() {
        return;
    }
    for (number, step) in [HOUR, 10 * YEAR].into_iter().enumerate() {
        let origin = origin(&format!("{number}.example"));
        let now = now();
        let minute = HOUR / 60;
        for _ in 0..3 {
            taken(reserve(&place.store, &origin, &request(minute, LONG), now.moment).await);
        }
        let _lease = granted(acquire(&place.store, &origin, minute, now.moment).await);
        let back = now.before(step);
        // Two slots are still in the future, and the next slot follows them. The step of the clock does not lengthen
        // the wait.
        let wait = taken(reserve(&place.other, &origin, &request(minute, LONG), back.moment).await);
        assert_eq!(wait, 3 * minute);
        assert!(held(acquire(&place.other, &origin, minute, back.moment).await) <= minute);
        let later = back + minute;
        let _lease = granted(acquire(&place.other, &origin, minute, later.moment).await);

        place.store.hold(&origin, Lane::Pages, 10 * minute, now.moment).await.unwrap();
        let wait = too_far(reserve(&place.other, &origin, &request(minute, minute), back.moment).await);
        assert_eq!(wait, 10 * minute);
        // A clock that is set ahead ends all waits.
        let ahead = now + step;
        let wait = taken(reserve(&place.store, &origin, &request(minute, minute), ahead.moment).await);
        assert_eq!(wait, Duration::ZERO);
    }
}
