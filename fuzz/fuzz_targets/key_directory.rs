//! Any key directory is parsed within the limits. Writing and parsing it again returns equal keys.
#![no_main]

use std::time::{Duration, SystemTime};

use comity::http::Headers;
use comity_identity::{
    Directories, Directory, DirectoryAnswer, DirectoryProof, Discovery, DiscoveryType, MAX_KEYS, MEDIA_TYPE,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let end = input.windows(2).position(|window| window == b"\n\n").unwrap_or(0);
    let (header, body) = input.split_at(end);
    let discovery = Discovery::directory("https://bot.example").expect("an origin");
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
    for kind in [DiscoveryType::Directory, DiscoveryType::JwksUri] {
        let Ok(directory) = Directory::read(body, kind) else { continue };
        assert!(directory.keys().len() + directory.left_out().len() <= MAX_KEYS);
        let again = Directory::read(directory.to_json().as_bytes(), kind).expect("a directory");
        assert_eq!(again.keys(), directory.keys());
        assert!(again.left_out().is_empty());
        let headers = Headers::parse(header).unwrap_or_default();
        let proof = DirectoryProof::check(&discovery, &headers, body, &directory, now);
        assert!(proof.proven().iter().all(|key| directory.get(*key).is_some()));
    }
    let mut headers = Headers::parse(header).unwrap_or_default();
    headers.push("content-type", MEDIA_TYPE.as_bytes());
    let mut directories = Directories::new();
    let answer = DirectoryAnswer { url: discovery.url(), status: 200, headers: &headers, body };
    let is_taken = directories.take(&discovery, &answer, now).is_ok();
    assert_eq!(directories.get(&discovery).is_some(), is_taken);
    assert!(!directories.is_due(&discovery, None, now));
});
