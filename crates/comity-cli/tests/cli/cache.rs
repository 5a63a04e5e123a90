//! `comity cache` over a store in a file.

use testkit::servers::{Origin, Reply};

use crate::{Run, comity};

const ROBOTS: &str = "User-agent: *\nDisallow: /torn-marker\n";

/// A folder with a store that contains the robots.txt of an origin.
struct StoredOrigin {
    origin: Origin,
    folder: tempfile::TempDir,
}

impl StoredOrigin {
    fn new() -> StoredOrigin {
        let kept = StoredOrigin { origin: Origin::start(), folder: tempfile::tempdir().expect("a folder") };
        let robots = Reply::ok(ROBOTS).header("ETag", "\"v1\"").header("Cache-Control", "max-age=7200");
        kept.origin.on("/robots.txt", robots).on("/", Reply::ok("page\n"));
        kept.run("fetch --allow-address 127.0.0.0/8").arg(&kept.origin.url("/")).run().exits(0);
        kept
    }

    fn store(&self) -> std::path::PathBuf {
        self.folder.path().join("robots.db")
    }

    fn run(&self, args: &str) -> Run {
        comity(args).arg("--no-config").arg("--store").arg(&self.store().display().to_string())
    }

    fn name(&self) -> String {
        self.origin.url("")
    }
}

#[test]
fn stored_answers_are_listed() {
    let kept = StoredOrigin::new();
    let outcome = kept.run("cache list").run().exits(0);
    let lines: Vec<Vec<&str>> =
        outcome.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["origin", "answer", "age", "fresh", "for", "size"]);
    assert_eq!(lines[1][..2], [kept.name().as_str(), "200"]);
    assert_eq!(lines[1].last(), Some(&"B"));
    assert!(outcome.stderr.starts_with("1 origin in "), "{}", outcome.stderr);
    let record = &kept.run("cache list --json").run().exits(0).json_lines()[0];
    assert_eq!((&record["origin"], &record["status"]), (&kept.name().into(), &200.into()));
    assert_eq!((&record["fresh"], &record["body_bytes"]), (&true.into(), &ROBOTS.len().into()));
}

#[test]
fn stored_origin_is_shown() {
    let kept = StoredOrigin::new();
    let outcome = kept.run("cache show").arg(&kept.origin.url("/some/page")).run().exits(0);
    for line in [
        "answer        200: ",
        "etag          \"v1\"",
        "cache-control max-age=7200",
        "digest        sha-256=:",
    ] {
        assert!(outcome.stdout.contains(line), "{line}\n{}", outcome.stdout);
    }
    assert_eq!(kept.run("cache show --body").arg(&kept.name()).run().exits(0).stdout, ROBOTS);
    let record = kept.run("cache show --json").arg(&kept.name()).run().exits(0).json();
    assert_eq!(record["fields"][1][0], "etag");
    let outcome = kept.run("cache show example.com").run().exits(1);
    assert!(outcome.stderr.contains(" has no entry for https://example.com"), "{}", outcome.stderr);
    kept.run("cache show").arg("ftp://example.com").run().exits(2);
}

#[test]
fn purged_entry_is_removed() {
    let kept = StoredOrigin::new();
    let outcome = kept.run("cache purge --older-than 1h").run().exits(0);
    assert_eq!(outcome.stderr, "0 entries removed\n");
    let outcome = kept.run("cache purge example.com").arg(&kept.name()).run().exits(1);
    assert!(outcome.stderr.ends_with("1 entry removed\n"), "{}", outcome.stderr);
    assert_eq!(kept.run("cache list").run().exits(0).stdout, "");
    kept.run("fetch --allow-address 127.0.0.0/8").arg(&kept.origin.url("/")).run().exits(0);
    assert_eq!(kept.origin.count("/robots.txt"), 2);
    assert_eq!(kept.run("cache purge --all").run().exits(0).stderr, "1 entry removed\n");
    kept.run("cache purge").run().exits(2);
}

#[test]
fn damaged_entry_is_found_and_removed() {
    let kept = StoredOrigin::new();
    let outcome = kept.run("cache verify").run().exits(0);
    assert!(outcome.stdout.starts_with("sound  1 entry in "), "{}", outcome.stdout);
    // Folds the write-ahead log into the file.
    kept.run("cache purge --older-than 1h").run().exits(0);
    let mut bytes = std::fs::read(kept.store()).unwrap();
    let at = bytes.windows(11).rposition(|part| part == b"torn-marker").expect("the body in the file");
    bytes[at] = b'T';
    std::fs::write(kept.store(), bytes).unwrap();
    let outcome = kept.run("cache verify").run().exits(1);
    assert_eq!(outcome.stdout, format!("damaged  {}\n", kept.name()));
    assert!(outcome.stderr.contains("--repair"), "{}", outcome.stderr);
    let outcome = kept.run("cache verify --repair").run().exits(0);
    assert_eq!(outcome.stdout, format!("removed  {}\n", kept.name()));
    kept.run("cache verify").run().exits(0);
    assert_eq!(kept.run("cache list").run().exits(0).stdout, "");
}

#[test]
fn missing_or_invalid_store_is_named_in_the_message() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robots.db");
    let run = |args: &str| comity(args).arg("--no-config").arg("--store").arg(&path.display().to_string());
    let outcome = run("cache list").run().exits(0);
    assert!(outcome.stderr.starts_with("there is no store yet at "), "{}", outcome.stderr);
    assert!(!path.exists(), "the command created a store");
    std::fs::write(&path, "not a store ".repeat(100)).unwrap();
    let outcome = run("cache list").run().exits(2);
    assert!(outcome.stderr.contains("robots.db") && outcome.stderr.contains("hint"), "{}", outcome.stderr);
    comity("cache list --no-config --store memory").run().exits(2);
}

#[test]
fn store_on_a_server_is_listed_but_not_verified() {
    let origin = Origin::start();
    origin.on("/robots.txt", Reply::ok(ROBOTS)).on("/", Reply::ok("page\n"));
    let redis = testkit::redis::RedisServer::start();
    let run = |args: &str| comity(args).arg("--no-config").arg("--store").arg(&redis.url());
    for _ in 0..2 {
        let fetched =
            run("fetch --allow-address 127.0.0.0/8 --min-interval 10ms").arg(&origin.url("/")).run();
        assert_eq!(fetched.exits(0).stdout, "page\n");
    }
    assert_eq!(origin.count("/robots.txt"), 1);
    assert!(run("cache list").run().exits(0).stdout.contains(&origin.url("")));
    assert_eq!(run("cache show --body").arg(&origin.url("")).run().exits(0).stdout, ROBOTS);
    let outcome = run("cache verify").run().exits(2);
    assert!(outcome.stderr.contains("only a store in a file can be verified"), "{}", outcome.stderr);
    assert_eq!(run("cache purge --all").run().exits(0).stderr, "1 entry removed\n");
    drop(redis);
    let down = comity("cache list --no-config --store redis://127.0.0.1:1").run().exits(2);
    assert!(
        down.stderr.starts_with("error: ") && down.stderr.contains("redis://127.0.0.1:1"),
        "{}",
        down.stderr
    );
}
