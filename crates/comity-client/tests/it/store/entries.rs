//! Tests of read-only access to the entries of a store's file.

use std::path::Path;
use std::time::SystemTime;

use comity_client::store::{EmbeddedEntries, EmbeddedStore, Entries, Entry};

use super::origin;

async fn filled(path: &Path, count: usize) -> EmbeddedStore {
    let store = EmbeddedStore::open(path).unwrap();
    for number in 0..count {
        let entry = Entry::seal(format!("entry {number}").as_bytes());
        let host = format!("{number:04}.example");
        store.put(&origin(&host), &entry, None, SystemTime::now()).await.unwrap();
    }
    store
}

fn read(path: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = EmbeddedEntries::open(path).unwrap().map(Result::unwrap);
    entries.map(|(origin, entry)| (origin.to_string(), entry.content().to_vec())).collect()
}

/// Returns the names and contents of the files in a folder.
fn files(folder: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let files = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let mut files: Vec<_> =
        files.map(|file| (file.file_name(), std::fs::read(file.path()).unwrap())).collect();
    files.sort();
    files
}

#[tokio::test]
async fn entries_are_read_with_and_without_an_open_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = filled(&path, 600).await;
    let entries = read(&path);
    assert_eq!(entries.len(), 600);
    assert_eq!(entries[7], ("https://0007.example".to_owned(), b"entry 7".to_vec()));
    // A reader that stops before the last entry does not block writers.
    let mut half = EmbeddedEntries::open(&path).unwrap();
    half.next().unwrap().unwrap();
    store.put(&origin("0007.example"), &Entry::seal(b"new"), None, SystemTime::now()).await.unwrap();
    store.purge(None).await.unwrap();
    drop((half, store));
    assert!(read(&path).is_empty());
}

#[tokio::test]
async fn reading_entries_does_not_change_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    // Keep the store open, so that its log is not copied into the file.
    let store = filled(&path, 3).await;
    let before = std::fs::read(&path).unwrap();
    assert_eq!(read(&path).len(), 3);
    assert!(before == std::fs::read(&path).unwrap());
    drop(store);
    // Reading does not create a missing file.
    let empty = tempfile::tempdir().unwrap();
    let error = EmbeddedEntries::open(empty.path().join("a/store.db")).unwrap_err().to_string();
    assert!(error.contains("store.db"), "{error}");
    assert!(files(empty.path()).is_empty());
}

#[tokio::test]
async fn foreign_file_and_other_version_are_rejected_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    drop(filled(&path, 1).await);
    let tamper =
        |statements: &str| rusqlite::Connection::open(&path).unwrap().execute_batch(statements).unwrap();
    let refused = || EmbeddedEntries::open(&path).unwrap_err().to_string();
    tamper("ALTER TABLE counter_1 RENAME TO counter_4; ALTER TABLE entry_1 RENAME TO entry_4");
    assert!(refused().contains("another version of Comity (format 4, this one reads 1)"), "{}", refused());
    tamper("PRAGMA user_version = 9");
    assert!(refused().contains("newer Comity (schema 9"), "{}", refused());
    tamper("PRAGMA application_id = 7");
    assert!(refused().contains("another program's database"), "{}", refused());
    std::fs::write(&path, "SQLite format 3\0 and nothing else").unwrap();
    assert!(refused().contains("store.db"), "{}", refused());
    std::fs::write(&path, "").unwrap();
    assert!(refused().contains("store.db"), "{}", refused());
}

#[tokio::test]
async fn torn_entries_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    drop(filled(&path, 3).await);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("UPDATE entry_1 SET sealed = x'00' WHERE origin LIKE '%0001%'").unwrap();
    drop(connection);
    let origins: Vec<String> = read(&path).into_iter().map(|(origin, _)| origin).collect();
    assert_eq!(origins, ["https://0000.example", "https://0002.example"]);
}
