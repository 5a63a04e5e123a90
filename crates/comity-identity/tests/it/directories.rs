//! Cached keys of a verifier: when they are requested again, and when they are replaced.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use comity::http::Headers;
use comity_identity::{
    Directories, DirectoryAnswer, Discovery, PrivateKey, PublishedKey, Thumbprint, Validity,
};

const YEAR: u64 = 365 * 24 * 60 * 60;

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_790_000_000 + seconds)
}

fn keys(url: &str) -> Discovery {
    Discovery::jwks_uri(url).expect("an address of keys")
}

/// Stores an answer with one key for an address.
fn answers(directories: &mut Directories, address: &Discovery, seed: u8, now: SystemTime) -> Thumbprint {
    let key = PublishedKey::new(PrivateKey::from_random(&[seed; 32]).public(), Validity::unbounded());
    let body = comity_identity::Directory::new([key]).to_json();
    let headers = Headers::new();
    let answer =
        DirectoryAnswer { url: address.url(), status: 200, headers: &headers, body: body.as_bytes() };
    directories.take(address, &answer, now).expect("a directory");
    key.thumbprint()
}

#[test]
fn directory_requested_in_the_future_is_due_again() {
    let (mut directories, address) = (Directories::new(), keys("https://bot.example/keys.json"));
    directories.failed(&address, at(YEAR));
    assert!(directories.is_due(&address, None, at(0)), "the clock was set back");
    directories.failed(&address, at(0));
    assert!(!directories.is_due(&address, None, at(299)), "it was requested just now");
    assert!(directories.is_due(&address, None, at(300)));
}

#[test]
fn keys_fetched_in_the_future_are_replaced() {
    let (mut directories, address) = (Directories::new(), keys("https://bot.example/keys.json"));
    answers(&mut directories, &address, 1, at(YEAR));
    assert!(directories.is_due(&address, None, at(0)), "the clock was set back");
    let now = answers(&mut directories, &address, 2, at(0));
    assert!(directories.get(&address).is_some_and(|known| known.get(now).is_some()));
    assert!(!directories.is_due(&address, None, at(3_599)));
    assert!(directories.is_due(&address, None, at(3_600)), "the default lifetime is an hour");
}

#[test]
fn late_answer_does_not_replace_a_newer_one() {
    let (mut directories, address) = (Directories::new(), keys("https://bot.example/keys.json"));
    let newer = answers(&mut directories, &address, 1, at(60));
    answers(&mut directories, &address, 2, at(0));
    assert!(directories.get(&address).is_some_and(|known| known.get(newer).is_some()));
}

#[test]
fn keys_are_cached_per_query() {
    let mut directories = Directories::new();
    let (one, other) = (keys("https://bot.example/keys?of=a"), keys("https://BOT.example/keys?of=b"));
    assert_eq!(one.identifier(), other.identifier());
    let key = answers(&mut directories, &one, 1, at(0));
    answers(&mut directories, &other, 2, at(1));
    assert!(directories.get(&one).is_some_and(|known| known.get(key).is_some()));
    assert!(
        directories.get(&keys("https://Bot.example/k%65ys?of=a")).is_some(),
        "one location in two spellings"
    );
}
