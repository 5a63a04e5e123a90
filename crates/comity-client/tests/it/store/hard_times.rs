//! Tests of the store in a file: if the disk is full, if the file was replaced, and if the file belongs to another
//! user.

use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use comity_client::store::{
    EmbeddedStore, Entries, Entry, Lane, LeaseAnswer, Slot, SlotStatus, StoreFault, Turns,
};
use comity_client::{Clock, Moment, SystemClock};

use super::origin;
use super::processes::PATH;
use super::request;

const HOUR: Duration = Duration::from_secs(3600);

fn rows(path: &Path, table: &str) -> i64 {
    rusqlite::Connection::open(path)
        .unwrap()
        .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))
        .unwrap()
}

/// Fills a store in a process with a limit on the size of files. Prints a line at the end.
#[tokio::test]
#[ignore = "a process with limits that another test starts"]
async fn filler() {
    let store = EmbeddedStore::open(std::env::var_os(PATH).expect("started by a test")).unwrap();
    let now = SystemTime::now();
    let big = Entry::seal(&vec![7; 40_000]);
    let mut full = None;
    for number in 0..500 {
        let put = store.put(&origin(&format!("{number}.example")), &big, None, now).await;
        if let Err(error) = put {
            assert_eq!(error.fault(), StoreFault::Full, "{error}");
            assert!(error.to_string().contains("has no disk space"), "{error}");
            full = Some(number);
            break;
        }
    }
    assert!(full.expect("the disk becomes full") > 5);

    // An entry cannot be stored, but its lease is released, so other tasks do not wait.
    let here = origin("here.example");
    for _ in 0..3 {
        let acquired = store.acquire(&here, HOUR, SystemClock.moment()).await.unwrap();
        let LeaseAnswer::Granted { lease, .. } = acquired else { panic!("{acquired:?}") };
        let huge = Entry::seal(&vec![7; 3_000_000]);
        let error = store.put(&here, &huge, Some(&lease), now).await.unwrap_err();
        assert_eq!(error.fault(), StoreFault::Full);
    }
    // Slots can still be reserved, in any number.
    let mut last = Moment::after(Duration::ZERO);
    let interval = Duration::from_secs(1);
    for number in 0..600 {
        let asked = SystemClock.moment();
        let slot = store.reserve(&here, &request(interval, HOUR), asked).await.unwrap();
        let Slot::Taken(wait) = slot else { panic!("{slot:?}") };
        // If the store creates its file again, every origin waits one interval, and confirmations detect the lost
        // slots.
        assert!(asked + wait >= last + interval || number > 0, "{wait:?}");
        last = asked + wait;
        store.reserve(&origin(&format!("{number}.example")), &request(interval, HOUR), asked).await.unwrap();
        store.hold(&origin(&format!("{number}.example")), Lane::Pages, interval, asked).await.unwrap();
    }
    store.purge(None).await.unwrap();
    assert!(store.put(&here, &Entry::seal(b"small"), None, now).await.unwrap());
    assert_eq!(store.get(&here).await.unwrap().unwrap().content(), b"small");
    assert!(store.verify().await.unwrap().is_sound());
    println!("\nthe filler has finished");
}

#[test]
fn full_disk_keeps_pace_and_allows_a_purge() {
    let folder = tempfile::tempdir().unwrap();
    for kilobytes in [700, 1500] {
        // The system sends a signal when the limit is reached. Ignore the signal, since it would kill the process.
        let limited = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", kilobytes * 2);
        let output = Command::new("sh")
            .arg("-c")
            .arg(limited)
            .arg(std::env::current_exe().unwrap())
            .args(["store::hard_times::filler", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
            .env(PATH, folder.path().join(format!("{kilobytes}.db")))
            .output()
            .unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && stdout.contains("the filler has finished"),
            "{stdout}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[tokio::test]
async fn deleted_or_replaced_file_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = EmbeddedStore::open(&path).unwrap();
    let (time, now) = (SystemTime::now(), SystemClock.moment());
    let (here, unknown) = (origin("here.example"), origin("unknown.example"));
    assert!(store.put(&here, &Entry::seal(b"old"), None, time).await.unwrap());
    let waiting = [request(HOUR, HOUR), request(HOUR, 2 * HOUR)];
    for request in &waiting {
        assert!(matches!(store.reserve(&here, request, now).await.unwrap(), Slot::Taken(_)));
    }
    let mut handed_on = request(HOUR, 4 * HOUR);
    handed_on.is_handed_on = true;
    assert!(matches!(store.reserve(&here, &handed_on, now).await.unwrap(), Slot::Taken(_)));
    for other in [None, Some(folder.path().join("other.db"))] {
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", path.display()));
        }
        if let Some(other) = &other {
            let store = EmbeddedStore::open(other).unwrap();
            store.put(&here, &Entry::seal(b"another's"), None, time).await.unwrap();
            drop(store);
            // The connection that is closed last removes the log. If two connections are closed at the same time,
            // neither removes it. So repeat until it is removed.
            while folder.path().join("other.db-wal").exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
                let last = rusqlite::Connection::open(other).unwrap();
                let _tables: i64 =
                    last.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).unwrap();
            }
            std::fs::rename(other, &path).unwrap();
        }
        // Every origin waits one interval from the end of the slot that was handed on.
        let slot = store.reserve(&unknown, &request(HOUR, HOUR / 2), SystemClock.moment()).await.unwrap();
        assert!(matches!(slot, Slot::TooFar(wait) if wait > 2 * HOUR), "{slot:?}");
        assert_eq!(store.confirm(&here, &waiting[1], now, now).await.unwrap(), SlotStatus::Forgotten);
        let found = store.get(&here).await.unwrap();
        assert_eq!(found.as_ref().map(Entry::content), other.map(|_| &b"another's"[..]));
        // Another store reads the entries that are written to the new file.
        store.put(&unknown, &Entry::seal(b"new"), None, time).await.unwrap();
        let another = EmbeddedStore::open(&path).unwrap();
        assert_eq!(another.get(&unknown).await.unwrap().unwrap().content(), b"new");
    }
}

#[test]
fn symbolic_link_is_rejected_as_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("target"), folder.path().join("link.db"));
    symlink(&target, &link).unwrap();
    let error = EmbeddedStore::open(&link).unwrap_err().to_string();
    assert!(error.contains("link.db` has a symbolic link in place of a file"), "{error}");
    assert!(!target.exists());
    let path = folder.path().join("store.db");
    symlink(&target, folder.path().join("store.db-wal")).unwrap();
    let error = EmbeddedStore::open(&path).unwrap_err().to_string();
    assert!(error.contains("symbolic link in place of a file (`-wal`)"), "{error}");
    // A parent folder may be a link.
    let real = folder.path().join("real");
    std::fs::create_dir(&real).unwrap();
    symlink(&real, folder.path().join("folder")).unwrap();
    EmbeddedStore::open(folder.path().join("folder/store.db")).unwrap();
    assert!(real.join("store.db").exists());
}

#[tokio::test]
async fn file_of_another_user_is_rejected_unless_shared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    drop(EmbeddedStore::open(&path).unwrap());
    if std::os::unix::fs::chown(&path, Some(12_345), None).is_err() {
        eprintln!("skipped: only root can give files to others");
        return;
    }
    let error = EmbeddedStore::open(&path).unwrap_err().to_string();
    assert!(error.contains("belongs to another user (12345)") && error.contains("`shared`"), "{error}");
    let store = EmbeddedStore::options().shared(true).open(&path).unwrap();
    assert!(store.put(&origin("a.example"), &Entry::seal(b"x"), None, SystemTime::now()).await.unwrap());
    drop(store);
    let made = folder.path().join("shared/store.db");
    drop(EmbeddedStore::options().shared(true).open(&made).unwrap());
    assert_eq!(std::fs::metadata(&made).unwrap().mode() & 0o777, 0o660 & !umask(folder.path()));
}

/// Returns the permission bits that the umask of this process removes from new files.
fn umask(folder: &Path) -> u32 {
    use std::os::unix::fs::OpenOptionsExt;

    let path = folder.join("mode");
    std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o777).open(&path).unwrap();
    0o777 & !std::fs::metadata(&path).unwrap().mode()
}

#[tokio::test]
async fn short_lived_processes_sweep_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let second = Duration::from_secs(1);
    for process in 0..40_u32 {
        let store = EmbeddedStore::open(&path).unwrap();
        let now = Moment::after(HOUR * process);
        let here = origin(&format!("{process}.example"));
        let acquired = store.acquire(&here, second, now).await.unwrap();
        assert!(matches!(acquired, LeaseAnswer::Granted { .. }));
        store.reserve(&here, &request(second, second), now).await.unwrap();
    }
    assert!(rows(&path, "origin_1") <= 2, "{}", rows(&path, "origin_1"));
}

#[tokio::test]
async fn full_purge_overwrites_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = EmbeddedStore::open(&path).unwrap();
    let (here, now) = (origin("here.example"), SystemClock.moment());
    store.put(&here, &Entry::seal(b"x"), None, SystemTime::now()).await.unwrap();
    assert!(matches!(store.acquire(&here, HOUR, now).await.unwrap(), LeaseAnswer::Granted { .. }));
    store.reserve(&here, &request(HOUR, HOUR), now).await.unwrap();
    assert_eq!(store.purge(None).await.unwrap(), 1);
    for table in ["entry_1", "origin_1"] {
        assert_eq!(rows(&path, table), 0, "{table}");
    }
    let bytes = [std::fs::read(&path).unwrap(), std::fs::read(folder.path().join("store.db-wal")).unwrap()];
    let named = bytes.concat().windows(12).any(|some| some == b"here.example");
    assert!(!named, "no page of the file contains the origin");
}

/// A file may contain the tables of another format, too.
#[tokio::test]
async fn clients_of_two_formats_use_separate_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch(
        "PRAGMA application_id = 1668117625; PRAGMA user_version = 1;
         CREATE TABLE entry (id INTEGER PRIMARY KEY, origin TEXT, put INTEGER, sealed BLOB);
         CREATE TABLE pace (origin TEXT PRIMARY KEY, last INTEGER, held INTEGER, longest INTEGER);
         INSERT INTO entry VALUES (1, 'https://here.example', 5, x'00');
         INSERT INTO pace VALUES ('https://here.example', 9223372036854775807, 5, 5);",
    )
    .unwrap();
    let store = EmbeddedStore::open(&path).unwrap();
    let here = origin("here.example");
    assert_eq!(store.get(&here).await.unwrap(), None);
    let slot = store.reserve(&here, &request(HOUR, HOUR), SystemClock.moment()).await.unwrap();
    assert_eq!(slot, Slot::Taken(Duration::ZERO));
    assert_eq!(store.purge(None).await.unwrap(), 0);
    assert_eq!((rows(&path, "entry"), rows(&path, "pace")), (1, 1));
    let version: i32 = old.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, 1, "the other version can still open the file");
}

/// The times in the rows are far in the future or the past.
#[tokio::test]
async fn forged_row_delays_a_request_at_most_by_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = EmbeddedStore::open(&path).unwrap();
    let (now, most) = (SystemClock.moment(), i64::MAX);
    let other = rusqlite::Connection::open(&path).unwrap();
    for (host, values) in [
        ("a.example", [most, 0, most, most, most, 0]),
        ("b.example", [most, -1, most, most, most, most]),
        ("c.example", [i64::MIN, 7, i64::MIN, i64::MIN, -5, i64::MIN]),
        ("d.example", [i64::MIN, 7, i64::MIN, i64::MIN, i64::MIN, most]),
    ] {
        let pages = [0];
        let pace =
            pages.into_iter().chain(values.into_iter().flat_map(i64::to_le_bytes)).collect::<Vec<u8>>();
        other
            .execute(
                "INSERT INTO origin_1 (origin, lease, paces) VALUES (?1, 0, ?2)",
                rusqlite::params![format!("https://{host}"), pace],
            )
            .unwrap();
        let mut request = request(HOUR, Duration::ZERO);
        request.furthest = 2 * HOUR;
        match store.reserve(&origin(host), &request, now).await.unwrap() {
            Slot::TooFar(wait) => assert!(wait <= 3 * HOUR, "{host}: {wait:?}"),
            Slot::Taken(wait) => assert_eq!(wait, Duration::ZERO),
            other => panic!("{other:?}"),
        }
        let later = now + 3 * HOUR;
        let slot = store.reserve(&origin(host), &request, later).await.unwrap();
        assert!(matches!(slot, Slot::Taken(_) | Slot::TooFar(_)), "{host}: {slot:?}");
        request.number += 1;
        let slot = store.reserve(&origin(host), &request, later + 2 * HOUR).await.unwrap();
        assert_eq!(slot, Slot::Taken(Duration::ZERO), "{host}");
    }
}
