//! Tests of the store in memory.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity_client::store::conformance::StoreUnderTest;
use comity_client::store::{Entries, Entry, LeaseAnswer, MemoryStore, Slot, SlotRequest, Turns};
use comity_client::store_conformance;
use comity_client::{Clock, SystemClock};

use super::origin;

fn place() -> StoreUnderTest {
    StoreUnderTest::new(Arc::new(MemoryStore::new()))
}

store_conformance!(place());

#[tokio::test]
async fn memory_store_stays_within_its_bound() {
    let store = MemoryStore::new().max_bytes(1 << 20);
    let now = SystemTime::now();
    let mut random = fastrand::Rng::with_seed(7);
    for number in 0..3000 {
        let content = vec![0; random.usize(0..20_000)];
        let origin = origin(&format!("{}.example", number % 500));
        assert!(store.put(&origin, &Entry::seal(&content), None, now).await.unwrap());
        assert_eq!(store.get(&origin).await.unwrap().unwrap().content(), content);
        assert!(store.bytes() <= 1 << 20, "{}", store.bytes());
    }
    assert!(store.bytes() > 900_000, "the space is used: {}", store.bytes());
}

#[tokio::test]
async fn memory_store_with_zero_bytes_keeps_leases_and_pace() {
    let store = MemoryStore::new().max_bytes(0);
    let (now, moment) = (SystemTime::now(), SystemClock.moment());
    let (origin, second) = (origin("example.com"), Duration::from_secs(1));
    let LeaseAnswer::Granted { lease, .. } = store.acquire(&origin, second, moment).await.unwrap() else {
        panic!()
    };
    assert_eq!(store.acquire(&origin, second, moment).await.unwrap(), LeaseAnswer::Held(second));
    assert!(store.put(&origin, &Entry::seal(b""), Some(&lease), now).await.unwrap());
    assert_eq!(store.get(&origin).await.unwrap(), None);
    assert_eq!(store.bytes(), 0);
    let again = store.acquire(&origin, second, moment).await.unwrap();
    assert!(matches!(again, LeaseAnswer::Granted { .. }), "the write released the lease");
    for expected in [Duration::ZERO, second] {
        let slot = store.reserve(&origin, &SlotRequest::new(second, second), moment).await.unwrap();
        assert_eq!(slot, Slot::Taken(expected));
    }
}
