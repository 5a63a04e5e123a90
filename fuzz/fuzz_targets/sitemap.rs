//! Any bytes are read as a sitemap, plain or compressed. The result does not depend on the pieces of the input.
#![no_main]

use std::io::Read;

use comity::sitemap::{Item, Reader, ReaderOptions, Scope};
use libfuzzer_sys::fuzz_target;

/// A reader that returns a few bytes at a time.
struct SmallReads<'b>(&'b [u8]);

impl Read for SmallReads<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let length = out.len().min(13);
        self.0.read(&mut out[..length])
    }
}

fn options() -> ReaderOptions {
    let options = ReaderOptions::new().at("https://example.com/a/sitemap.xml").expect("a base");
    options.scope(Scope::Report).find_duplicates(true).max_entries(20).hard_max_bytes(1 << 20)
}

fuzz_target!(|bytes: &[u8]| {
    let mut reader = Reader::with_options(bytes, options());
    let items: Vec<Item> = reader.by_ref().collect();
    let summary = reader.summary();
    assert!(summary.bytes() <= 1 << 20);
    let dripped: Vec<Item> = Reader::with_options(SmallReads(bytes), options()).collect();
    assert_eq!(items, dripped);
    for item in &items {
        if let Item::Finding(finding) = item {
            assert!(finding.place().line >= Some(1) && !finding.to_string().contains('\n'));
        }
    }
});
