//! Any bytes are read to their end as an archive, a table and a WACZ file, despite damage. If they are undamaged, a
//! file and a stream give equal numbers of rows.
#![no_main]

use std::io::Cursor;

use comity_formats::{ArchiveInput, CaptureFile, CaptureOptions, Captures, PageOptions, Pages};
use libfuzzer_sys::fuzz_target;

/// Returns the number of rows, and the number of damaged places.
fn pages(input: ArchiveInput) -> Option<(usize, u64)> {
    let options = PageOptions::new().batch_rows(3).max_record_bytes(1 << 16);
    let mut pages = Pages::open(input, &options).ok()?;
    let rows = pages.by_ref().map_while(Result::ok).map(|batch| batch.num_rows()).sum();
    Some((rows, pages.damaged().count()))
}

fuzz_target!(|bytes: &[u8]| {
    let file = |name: &str| ArchiveInput::file(name, Cursor::new(bytes.to_vec()));
    let Ok(members) = file("input").members() else { return };
    for member in members {
        pages(member);
    }
    let read = pages(file("input.csv"));
    let streamed = pages(ArchiveInput::stream("input.csv", Cursor::new(bytes.to_vec())));
    // In a damaged file, the reader finds records after the damage, which it cannot find in a stream.
    if let (Some((rows, 0)), Some((streamed, 0))) = (read, streamed) {
        assert_eq!(rows, streamed);
    }
    if let Ok(captures) = Captures::open(file("input"), &CaptureOptions::new().batch_rows(3).max_body_bytes(1 << 12)) {
        for batch in captures.map_while(Result::ok) {
            assert_eq!(batch.schema(), Captures::schema());
        }
    }
    if let Some(file) = std::str::from_utf8(bytes).ok().and_then(CaptureFile::of_path) {
        assert!(!file.host().is_empty());
    }
});
