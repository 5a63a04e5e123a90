//! The store in memory.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity_client::store::{Acquired, Entry, MemoryStore, Slot, Store};

use super::origin;
use super::suite::{Place, for_each_store};

fn place() -> Place {
    let store = Arc::new(MemoryStore::new());
    Place { other: store.clone(), store, slack: Duration::ZERO, _kept: Box::new(()) }
}

for_each_store!(place());

#[tokio::test]
async fn it_never_takes_more_than_its_bound() {
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
    assert!(store.bytes() > 900_000, "the room is used: {}", store.bytes());
}

#[tokio::test]
async fn without_room_it_keeps_no_entries_but_leases_and_pace() {
    let store = MemoryStore::new().max_bytes(0);
    let (now, origin, second) = (SystemTime::now(), origin("example.com"), Duration::from_secs(1));
    let Acquired::Granted(lease) = store.acquire(&origin, second, now).await.unwrap() else { panic!() };
    assert_eq!(store.acquire(&origin, second, now).await.unwrap(), Acquired::Held(second));
    assert!(store.put(&origin, &Entry::seal(b""), Some(&lease), now).await.unwrap());
    assert_eq!(store.get(&origin).await.unwrap(), None);
    assert_eq!(store.bytes(), 0);
    assert!(matches!(store.acquire(&origin, second, now).await.unwrap(), Acquired::Granted(_)), "given back");
    store.reserve(&origin, second, second, now).await.unwrap();
    assert_eq!(store.reserve(&origin, second, second, now).await.unwrap(), Slot::Taken(second));
}
