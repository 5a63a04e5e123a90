//! Any bytes in a store are opened as an entry or rejected. An opened entry has the sealed content, and parsing it does
//! not panic.
#![no_main]

use comity::policy::Preset;
use comity_client::robots_cache::StoredRobotsTxt;
use comity_client::store::Entry;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // The bytes are an entry that another program may have written.
    if let Some(entry) = Entry::open(bytes.to_vec()) {
        assert_eq!(Entry::seal(entry.content()).sealed(), bytes);
    }
    // The bytes are sealed, so that the parser of the content is tested.
    let entry = Entry::seal(bytes);
    assert_eq!(
        Entry::open(entry.sealed().to_vec()).map(|entry| entry.content().to_vec()),
        Some(bytes.to_vec())
    );
    for preset in Preset::ALL {
        if let Some(stored) = StoredRobotsTxt::of_entry(&entry, preset) {
            assert!(stored.body.is_none_or(|body| body.len() <= bytes.len()));
        }
    }
});
