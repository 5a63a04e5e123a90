//! A sitemap of any bytes, plain or compressed: read alike however it arrives, places in order, and what was read can be
//! written and read again, unless the writer refuses it by name.
#![no_main]

use std::io::Read;

use comity::sitemap::{Item, Reader, ReaderOptions, Scope, UrlsetWriter, WriteError};
use libfuzzer_sys::fuzz_target;

/// Gives a few bytes at a time.
struct Dripping<'b>(&'b [u8]);

impl Read for Dripping<'_> {
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
    let dripped: Vec<Item> = Reader::with_options(Dripping(bytes), options()).collect();
    assert_eq!(items, dripped);
    let mut writer = UrlsetWriter::with_extensions(Vec::new()).expect("memory");
    let mut written = Vec::new();
    for item in &items {
        match item {
            Item::Finding(finding) => {
                assert!(finding.place().line >= Some(1) && !finding.to_string().contains('\n'));
            }
            Item::Url(url) => match writer.write(url) {
                Ok(()) => written.push(&url.loc),
                Err(WriteError::Invalid(_)) => {}
                Err(error) => panic!("{error}"),
            },
            _ => {}
        }
    }
    let text = writer.finish().expect("memory");
    let read: Vec<String> = Reader::new(&text[..])
        .filter_map(|item| match item {
            Item::Url(url) => Some(url.loc),
            _ => None,
        })
        .collect();
    assert_eq!(read.iter().collect::<Vec<_>>(), written);
});
