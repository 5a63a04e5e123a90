//! Measures the operations per second of each store, with one task and with 64 tasks.
//!
//! ```sh
//! cargo run --release -p comity-client --no-default-features --features embedded,redis --example store_rates -- redis://127.0.0.1:6379
//! ```
//!
//! The argument is the URL of a Redis server. Without it, only the other stores are measured. The embedded store writes
//! to the folder for temporary files.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example for people")]

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use comity_client::store::{EmbeddedStore, Entry, LeaseAnswer, MemoryStore, RedisStore, SlotRequest, Store};
use comity_client::{Clock, Origin, SystemClock};

const OPERATIONS: usize = 20_000;
/// Size of an entry, in bytes: the size of an average robots.txt.
const BYTES: usize = 2_000;

#[derive(Clone, Copy)]
enum Operation {
    Put,
    Get,
    Lease,
    Slot,
}

async fn once(store: &dyn Store, operation: Operation, number: usize, entry: &Entry) {
    let origin = Origin::of(&format!("https://{}.example/", number % 5000).parse().unwrap()).unwrap();
    let now = SystemClock.moment();
    let minute = Duration::from_secs(60);
    match operation {
        Operation::Put => assert!(store.put(&origin, entry, None, SystemTime::now()).await.unwrap()),
        Operation::Get => assert!(store.get(&origin).await.unwrap().is_some()),
        Operation::Lease => {
            if let LeaseAnswer::Granted { lease, .. } = store.acquire(&origin, minute, now).await.unwrap() {
                store.release(lease).await.unwrap();
            }
        }
        Operation::Slot => {
            let request = SlotRequest::new(Duration::from_secs(1), 1000 * minute);
            store.reserve(&origin, &request, now).await.unwrap();
        }
    }
}

async fn rate(store: &Arc<dyn Store>, operation: Operation, tasks: usize) -> f64 {
    let entry = Entry::seal(&[b'a'; BYTES]);
    let begun = Instant::now();
    let mut running = tokio::task::JoinSet::new();
    for task in 0..tasks {
        let (store, entry) = (Arc::clone(store), entry.clone());
        running.spawn(async move {
            for number in (task..OPERATIONS).step_by(tasks) {
                once(&*store, operation, number, &entry).await;
            }
        });
    }
    running.join_all().await;
    OPERATIONS as f64 / begun.elapsed().as_secs_f64()
}

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().unwrap();
    let mut stores: Vec<(&str, Arc<dyn Store>)> = vec![
        ("memory", Arc::new(MemoryStore::new())),
        ("embedded", Arc::new(EmbeddedStore::open(folder.path().join("store.db")).unwrap())),
    ];
    if let Some(url) = std::env::args().nth(1) {
        stores.push(("redis", Arc::new(RedisStore::open(&url).unwrap())));
    }
    println!(
        "{:<10}{:>7}{:>12}{:>12}{:>16}{:>12}",
        "store", "tasks", "puts/s", "gets/s", "leases+back/s", "slots/s"
    );
    for (name, store) in stores {
        for tasks in [1, 64] {
            let mut rates = Vec::new();
            for operation in [Operation::Put, Operation::Get, Operation::Lease, Operation::Slot] {
                rates.push(rate(&store, operation, tasks).await);
            }
            println!(
                "{name:<10}{tasks:>7}{:>12.0}{:>12.0}{:>16.0}{:>12.0}",
                rates[0], rates[1], rates[2], rates[3]
            );
        }
    }
}
