//! Test of a process that is killed repeatedly while it writes. All entries that were reported as written must exist,
//! and all entries must be complete.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::time::{Duration, SystemTime};

use comity_client::store::{EmbeddedStore, Entries, Entry};

use super::origin;
use super::processes::{PATH, start};

const TIMES: u32 = 200;
const ORIGINS: u64 = 50;

fn content(version: u64) -> Vec<u8> {
    let length = usize::try_from(version * 7919 % 30_000).unwrap();
    let mut content = version.to_le_bytes().to_vec();
    content.resize(8 + length, version.to_le_bytes()[0]);
    content
}

/// Returns the version of an entry, and checks that its content is complete.
fn version(entry: &Entry) -> u64 {
    let version = u64::from_le_bytes(entry.content()[..8].try_into().unwrap());
    assert!(entry.content() == content(version), "version {version} differs from the written content");
    version
}

/// Writes several entries concurrently until it is killed, and prints each entry that was written.
#[tokio::test(flavor = "current_thread")]
#[ignore = "a process that another test starts and kills"]
async fn writer() {
    let store = EmbeddedStore::open(std::env::var_os(PATH).expect("started by a test")).unwrap();
    println!("\nready");
    // Each process begins with a higher version than the previous process.
    let start = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_micros() as u64;
    for version in (start..).step_by(8) {
        let writes = (version..version + 8).map(|version| {
            let store = &store;
            async move {
                let number = version % ORIGINS;
                let entry = Entry::seal(&content(version));
                store
                    .put(&origin(&format!("{number}.example")), &entry, None, SystemTime::now())
                    .await
                    .unwrap();
                println!("put {number} {version}");
            }
        });
        futures_util::future::join_all(writes).await;
    }
}

#[tokio::test]
async fn killed_writer_keeps_every_reported_entry() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let mut written: HashMap<u64, u64> = HashMap::new();
    let mut puts = 0;
    for time in 0..TIMES {
        let mut child = start("store::killed::writer", &path);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.any(|line| line == "ready"), "the process did not begin to write");
        std::thread::sleep(Duration::from_micros(fastrand::u64(5_000..40_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        for line in lines {
            let mut words = line.split(' ');
            // The last line may be incomplete. A version without its last digits is smaller, so it does no harm.
            let (Some("put"), Some(number), Some(version)) = (words.next(), words.next(), words.next())
            else {
                continue;
            };
            let (Ok(number), Ok(version)) = (number.parse(), version.parse::<u64>()) else { continue };
            let known = written.entry(number).or_default();
            *known = version.max(*known);
            puts += 1;
        }

        let store = EmbeddedStore::open(&path).unwrap_or_else(|error| panic!("time {time}: {error}"));
        for (number, written) in &written {
            let entry = store.get(&origin(&format!("{number}.example"))).await.unwrap();
            let found = entry.as_ref().map(version);
            assert!(found >= Some(*written), "time {time}, {number}: {found:?} where {written} was written");
        }
        let found = store.verify().await.unwrap();
        assert!(found.is_sound(), "time {time}: {found:?}");
    }
    assert!(puts > TIMES, "only {puts} entries were written");
}
