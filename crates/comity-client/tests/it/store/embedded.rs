//! Tests of the store in a file, in one process.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity_client::store::conformance::StoreUnderTest;
use comity_client::store::{
    EmbeddedStore, Entries, Entry, EntryOrLease, Lane, LeaseAnswer, Store, StoreFault, Turns,
};
use comity_client::store_conformance;
use comity_client::{Clock, Moment, SystemClock};

use super::origin;
use super::request;

/// Returns two stores on one file.
fn place() -> StoreUnderTest {
    let folder = tempfile::tempdir().unwrap();
    let open = || Arc::new(EmbeddedStore::open(folder.path().join("store.db")).unwrap());
    StoreUnderTest::new(open()).other(open()).keeping(folder)
}

store_conformance!(place());

fn file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    (folder, path)
}

/// Runs SQL statements on the file, without the store.
fn tamper(path: &Path, statements: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(statements).unwrap();
}

#[tokio::test]
async fn entries_are_kept_when_the_file_is_reopened() {
    let (_folder, path) = file();
    let (now, origin) = (SystemTime::now(), origin("example.com"));
    for content in [&b"first"[..], b"second"] {
        let store = EmbeddedStore::open(&path).unwrap();
        store.put(&origin, &Entry::seal(content), None, now).await.unwrap();
        drop(store);
        let store = EmbeddedStore::open(&path).unwrap();
        assert_eq!(store.get(&origin).await.unwrap().unwrap().content(), content);
    }
}

#[tokio::test]
async fn torn_entry_counts_as_absent_and_is_removed() {
    let (_folder, path) = file();
    let store = EmbeddedStore::open(&path).unwrap();
    let now = SystemTime::now();
    for host in ["a.example", "b.example", "c.example"] {
        store.put(&origin(host), &Entry::seal(b"whole"), None, now).await.unwrap();
    }
    tamper(
        &path,
        "UPDATE entry_1 SET sealed = substr(sealed, 1, length(sealed) - 1) WHERE origin LIKE '%b.ex%'",
    );
    tamper(&path, "UPDATE entry_1 SET sealed = x'' WHERE origin LIKE '%c.ex%'");

    let found = store.verify().await.unwrap();
    assert!(!found.is_sound());
    assert_eq!(
        (found.entries, found.torn),
        (3, vec!["https://b.example".to_owned(), "https://c.example".to_owned()])
    );
    assert!(found.problems.is_empty());

    assert_eq!(store.get(&origin("b.example")).await.unwrap(), None);
    assert_eq!(store.get(&origin("c.example")).await.unwrap(), None);
    assert_eq!(store.list(None, 9).await.unwrap(), [origin("a.example")]);
    assert!(store.verify().await.unwrap().is_sound());
    assert!(store.put(&origin("b.example"), &Entry::seal(b"new"), None, now).await.unwrap());
    assert_eq!(store.get(&origin("b.example")).await.unwrap().unwrap().content(), b"new");

    tamper(&path, "UPDATE entry_1 SET sealed = x'00' WHERE origin LIKE '%b.ex%'");
    let (hour, moment) = (Duration::from_secs(3600), SystemClock.moment());
    let looked = store.get_or_acquire(&origin("b.example"), hour, None, moment).await.unwrap();
    assert!(
        matches!(looked, EntryOrLease::Lease(LeaseAnswer::Granted { entry: None, .. }, None)),
        "{looked:?}"
    );
}

#[tokio::test]
async fn full_store_evicts_the_oldest_entries() {
    let (_folder, path) = file();
    let entry = Entry::seal(&[0; 9_000]);
    let one = (entry.sealed().len() + origin("00.example").as_str().len()) as u64;
    let store = EmbeddedStore::options().max_bytes(10 * one).open(&path).unwrap();
    let start = SystemTime::UNIX_EPOCH;
    for number in 0..30 {
        let now = start + Duration::from_secs(number);
        store.put(&origin(&format!("{number:02}.example")), &entry, None, now).await.unwrap();
        // Write one entry repeatedly, so that it is always the newest.
        store.put(&origin("00.example"), &entry, None, now).await.unwrap();
        assert!(store.size().await.unwrap().bytes <= 10 * one);
    }
    let kept = store.entries(None, 100).await.unwrap();
    let hosts: Vec<&str> = kept.iter().map(|entry| entry.origin.host()).collect();
    assert_eq!(hosts.len(), 10);
    assert_eq!((hosts[0], hosts[1], hosts[9]), ("00.example", "21.example", "29.example"));
    assert_eq!(kept[1].sealed_bytes, entry.sealed().len() as u64);
    assert_eq!(kept[1].put, start + Duration::from_secs(21));

    // An entry larger than the limit is not stored, and the entry that it would replace is removed.
    let large = Entry::seal(&vec![0; usize::try_from(10 * one).unwrap()]);
    assert!(store.put(&origin("29.example"), &large, None, start).await.unwrap());
    assert_eq!(store.size().await.unwrap().entries, 9);
    assert_eq!(store.size().await.unwrap().bytes, 9 * one);
}

#[tokio::test]
async fn purge_shrinks_the_file() {
    let (_folder, path) = file();
    let store = EmbeddedStore::open(&path).unwrap();
    for number in 0..50 {
        let entry = Entry::seal(&vec![0; 100_000]);
        store.put(&origin(&format!("{number}.example")), &entry, None, SystemTime::now()).await.unwrap();
    }
    assert!(store.size().await.unwrap().file_bytes > 5_000_000);
    assert_eq!(store.purge(None).await.unwrap(), 50);
    let size = store.size().await.unwrap();
    assert_eq!((size.entries, size.bytes), (0, 0));
    assert!(size.file_bytes < 200_000, "{size:?}");
}

/// Writes entries of 64 KiB concurrently.
async fn fill(store: &Arc<EmbeddedStore>, entries: usize) {
    let entry = Entry::seal(&vec![0; 64 << 10]);
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..entries {
        let (store, entry) = (Arc::clone(store), entry.clone());
        tasks.spawn(async move {
            let origin = origin(&format!("{number}.example"));
            assert!(store.put(&origin, &entry, None, SystemTime::now()).await.unwrap());
        });
    }
    tasks.join_all().await;
}

/// Returns the length of the file at `path` plus the suffix `ending`; `-wal` is the write-ahead log.
fn length(path: &Path, ending: &str) -> u64 {
    std::fs::metadata(format!("{}{ending}", path.display())).unwrap().len()
}

#[tokio::test]
async fn log_that_has_grown_is_copied_into_the_file() {
    let (_folder, path) = file();
    let store = Arc::new(EmbeddedStore::open(&path).unwrap());
    fill(&store, 80).await;
    assert!(length(&path, "-wal") < 8 << 20);
    assert!(length(&path, "") >= 4 << 20);
    assert!(store.verify().await.unwrap().is_sound());
}

#[tokio::test]
async fn log_is_bounded_during_constant_writes() {
    let (_folder, path) = file();
    let store = Arc::new(EmbeddedStore::open(&path).unwrap());
    for _ in 0..4 {
        fill(&store, 256).await;
        // The limit of the log plus the size of one transaction.
        assert!(length(&path, "-wal") <= (6 << 20) + 128 * (68 << 10));
    }
    assert!(store.verify().await.unwrap().is_sound());
}

#[tokio::test]
async fn purge_empties_the_log() {
    let (_folder, path) = file();
    let store = Arc::new(EmbeddedStore::open(&path).unwrap());
    for _ in 0..10 {
        fill(&store, 80).await;
        assert_eq!(store.purge(None).await.unwrap(), 80);
        assert_eq!(length(&path, "-wal"), 0);
    }
}

/// All operations of the transaction are queued before the first one grants the lease. The others must see that change.
#[tokio::test]
async fn concurrent_acquires_in_one_transaction_grant_one_lease() {
    let (_folder, path) = file();
    let store = EmbeddedStore::open(&path).unwrap();
    let (here, hour, now) = (origin("here.example"), Duration::from_secs(3600), SystemClock.moment());
    let large = Entry::seal(&vec![0; 4 << 20]);
    // The other operations are queued while this large entry is written.
    let written = store.put(&here, &large, None, SystemTime::now());
    let there = origin("there.example");
    let asked = futures_util::future::join_all(
        std::iter::repeat_with(|| store.get_or_acquire(&there, hour, None, now)).take(50),
    );
    let (written, asked) = tokio::join!(written, asked);
    assert!(written.unwrap());
    let granted = asked
        .iter()
        .filter(|asked| matches!(asked, Ok(EntryOrLease::Lease(LeaseAnswer::Granted { .. }, None))));
    assert_eq!(granted.count(), 1);
}

/// Up to 128 operations share a transaction. A failed operation must not affect the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writes_are_all_stored() {
    let (_folder, path) = file();
    let store = Arc::new(EmbeddedStore::open(&path).unwrap());
    tamper(
        &path,
        "CREATE TRIGGER refused BEFORE INSERT ON entry_1 WHEN new.origin LIKE '%13.example' BEGIN
             SELECT RAISE(ABORT, 'thirteen'); END",
    );
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..1000 {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let origin = origin(&format!("{number}.example"));
            let done = store.put(&origin, &Entry::seal(b"x"), None, SystemTime::now()).await;
            assert_eq!(done.is_err(), number % 100 == 13, "{number}: {done:?}");
        });
    }
    tasks.join_all().await;
    assert_eq!(store.size().await.unwrap().entries, 990);
    assert!(store.verify().await.unwrap().is_sound());
}

#[tokio::test]
async fn locked_file_is_an_error_after_the_busy_timeout() {
    let (_folder, path) = file();
    let store = EmbeddedStore::options().busy_timeout(Duration::from_millis(50)).open(&path).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let origin = origin("example.com");
    let error = store.put(&origin, &Entry::seal(b"x"), None, SystemTime::now()).await.unwrap_err();
    let error = error.to_string();
    assert!(error.contains("store.db") && error.contains("locked by another process"), "{error}");
    // Readers do not wait for the lock.
    assert_eq!(store.get(&origin).await.unwrap(), None);
    other.execute_batch("COMMIT").unwrap();
    assert!(store.put(&origin, &Entry::seal(b"x"), None, SystemTime::now()).await.unwrap());
}

/// Reads that share a transaction with writes run again without them.
#[tokio::test]
async fn concurrent_reads_succeed_when_the_writes_fail_on_a_locked_file() {
    let (_folder, path) = file();
    let store = EmbeddedStore::options().busy_timeout(Duration::from_millis(50)).open(&path).unwrap();
    let (origin, entry) = (origin("example.com"), Entry::seal(b"x"));
    assert!(store.put(&origin, &entry, None, SystemTime::now()).await.unwrap());
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let visits = (0..20).map(async |_| {
        let written = store.put(&origin, &entry, None, SystemTime::now());
        let (written, read) = tokio::join!(written, store.get(&origin));
        assert_eq!(written.unwrap_err().fault(), StoreFault::Down);
        assert_eq!(read.unwrap().as_ref(), Some(&entry));
    });
    futures_util::future::join_all(visits).await;
}

fn error(path: &Path) -> String {
    EmbeddedStore::open(path).unwrap_err().to_string()
}

#[test]
fn invalid_store_file_is_an_error_with_a_remedy() {
    let (folder, path) = file();
    std::fs::write(&path, "User-agent: *\nDisallow: /\n".repeat(100)).unwrap();
    let found = error(&path);
    assert!(found.contains("store.db` is not a store") && found.contains("delete it"), "{found}");
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("User-agent"), "the file is unchanged");

    let foreign = folder.path().join("foreign.db");
    tamper(&foreign, "CREATE TABLE bookmarks (url TEXT)");
    let found = error(&foreign);
    assert!(found.contains("foreign.db` is another program's database"), "{found}");

    let newer = folder.path().join("newer.db");
    drop(EmbeddedStore::open(&newer).unwrap());
    tamper(&newer, "PRAGMA user_version = 7");
    let found = error(&newer);
    assert!(
        found.contains("newer.db` was written by a newer Comity (schema 7, this one reads 1)"),
        "{found}"
    );

    let found = error(folder.path());
    assert!(found.contains("cannot be opened"), "{found}");
}

#[tokio::test]
async fn damaged_file_is_an_error_with_a_remedy() {
    let (_folder, path) = file();
    let store = EmbeddedStore::open(&path).unwrap();
    for number in 0..200 {
        let entry = Entry::seal(&vec![1; 10_000]);
        store.put(&origin(&format!("{number}.example")), &entry, None, SystemTime::now()).await.unwrap();
    }
    drop(store);
    let copy = path.with_file_name("copy.db");
    // Copy the file with its log into one file.
    tamper(&path, &format!("VACUUM INTO '{}'", copy.display()));
    let mut bytes = std::fs::read(&copy).unwrap();
    bytes[4096..400_000].fill(0xff);
    std::fs::write(&copy, bytes).unwrap();
    let broken = match EmbeddedStore::open(&copy) {
        Err(error) => error.to_string(),
        Ok(store) => match store.verify().await {
            Err(error) => error.to_string(),
            Ok(found) => panic!("{found:?}"),
        },
    };
    assert!(broken.contains("copy.db` is damaged; delete it"), "{broken}");
}

#[cfg(unix)]
#[tokio::test]
async fn created_files_are_private_to_the_user() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/store.db");
    let store = EmbeddedStore::open(&path).unwrap();
    store.put(&origin("example.com"), &Entry::seal(b"x"), None, SystemTime::now()).await.unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder.path().join("a")), 0o700);
    assert_eq!(mode(&folder.path().join("a/b")), 0o700);
    for name in ["store.db", "store.db-wal", "store.db-shm"] {
        assert_eq!(mode(&folder.path().join("a/b").join(name)), 0o600, "{name}");
    }
}

#[tokio::test]
async fn obsolete_rows_are_swept() {
    let (_folder, path) = file();
    let store = EmbeddedStore::open(&path).unwrap();
    let second = Duration::from_secs(1);
    let start = Moment::after(Duration::ZERO);
    store.hold(&origin("held.example"), Lane::Pages, 100_000 * second, start).await.unwrap();
    for step in 0..9000 {
        let now = start + step * second;
        store.reserve(&origin(&format!("{step}.example")), &request(second, second), now).await.unwrap();
    }
    drop(store);
    let rows: i64 = rusqlite::Connection::open(&path)
        .unwrap()
        .query_row("SELECT count(*) FROM origin_1", [], |row| row.get(0))
        .unwrap();
    assert!(rows < 2000, "{rows}");
    let held: i64 = rusqlite::Connection::open(&path)
        .unwrap()
        .query_row("SELECT count(*) FROM origin_1 WHERE origin = 'https://held.example'", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(held, 1);
}
