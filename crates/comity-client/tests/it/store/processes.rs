//! Tests of several real processes with one file. This test binary starts itself as a process.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use comity_client::store::{EmbeddedStore, Entries, Entry, LeaseAnswer, Slot, Turns};
use comity_client::{Clock, SystemClock};

use super::origin;
use super::request;

const PROCESSES: u64 = 8;
const ROUNDS: u64 = 200;
const ORIGINS: u64 = 3;
const INTERVAL: Duration = Duration::from_millis(7);

/// Environment variable with the path of the file, for tests that run as separate processes.
pub(super) const PATH: &str = "COMITY_TEST_STORE";

/// Starts this binary again to run one of its tests, with the path of the file in an environment variable.
pub(super) fn start(test: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env(PATH, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn since_1970() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos()
}

/// The function of each process. It prints the granted leases and slots with their times.
#[tokio::test(flavor = "current_thread")]
#[ignore = "a process that another test starts"]
async fn worker() {
    let store = EmbeddedStore::open(std::env::var_os(PATH).expect("started by a test")).unwrap();
    // The test harness has already printed the beginning of a line.
    println!();
    for round in 0..ROUNDS {
        let number = fastrand::u64(0..ORIGINS);
        let origin = origin(&format!("{number}.example"));
        let acquired = store.acquire(&origin, Duration::from_secs(60), SystemClock.moment()).await.unwrap();
        if let LeaseAnswer::Granted { lease, .. } = acquired {
            let from = since_1970();
            tokio::time::sleep(Duration::from_micros(fastrand::u64(0..300))).await;
            let entry = Entry::seal(format!("{} {round}", std::process::id()).repeat(200).as_bytes());
            // The write releases the lease, so the time before the write counts as the end of the lease.
            println!("lease {number} {} {from} {}", lease.number(), since_1970());
            assert!(store.put(&origin, &entry, Some(&lease), SystemTime::now()).await.unwrap());
            assert!(store.get(&origin).await.unwrap().is_some());
        }
        let now = SystemClock.moment();
        match store.reserve(&origin, &request(INTERVAL, Duration::from_secs(600)), now).await.unwrap() {
            Slot::Taken(wait) => {
                println!("slot {number} {}", (now + wait).since_zero().as_nanos());
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn eight_processes_share_a_file() {
    let folder = tempfile::tempdir().unwrap();
    // The file does not exist yet, so all processes try to create it.
    let path = folder.path().join("store.db");
    let processes: Vec<Child> = (0..PROCESSES).map(|_| start("store::processes::worker", &path)).collect();
    let mut leases: Vec<Vec<(u128, u128, u128)>> = vec![Vec::new(); ORIGINS as usize];
    let mut slots: Vec<Vec<u128>> = vec![Vec::new(); ORIGINS as usize];
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for line in BufReader::new(&output.stdout[..]).lines().map(Result::unwrap) {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |at: usize| words[at].parse::<u128>().unwrap();
            match words[0] {
                "lease" => leases[number(1) as usize].push((number(2), number(3), number(4))),
                "slot" => slots[number(1) as usize].push(number(2)),
                _ => {}
            }
        }
    }
    assert_eq!(slots.iter().map(Vec::len).sum::<usize>() as u64, PROCESSES * ROUNDS);
    for slots in &mut slots {
        slots.sort_unstable();
        for pair in slots.windows(2) {
            assert!(pair[1] - pair[0] >= INTERVAL.as_nanos(), "{pair:?}");
        }
    }
    assert!(leases.iter().map(Vec::len).sum::<usize>() as u64 >= ROUNDS);
    for leases in &mut leases {
        // In the order of their numbers, each lease ends before the next lease begins.
        leases.sort_unstable();
        for pair in leases.windows(2) {
            assert!(pair[0].0 < pair[1].0 && pair[0].2 <= pair[1].1, "{pair:?}");
        }
    }
}
