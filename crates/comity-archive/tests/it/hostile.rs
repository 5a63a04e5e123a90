//! Files that somebody broke on purpose: every reader comes to an end, and tells of no more than it was given.

use std::io::Cursor;

use comity_archive::{ArchiveFormat, ArchiveInput, CaptureOptions, Captures, PageOptions, Pages};

use crate::warcs;

/// Small files of every format.
fn seeds() -> Vec<Vec<u8>> {
    let time = "2024-03-01T12:00:00Z";
    let records = [
        warcs::response(
            "https://a.example/robots.txt",
            time,
            200,
            "Content-Encoding: gzip\r\n",
            "User-agent: *\n",
        ),
        warcs::response(
            "https://a.example/1",
            time,
            404,
            "Transfer-Encoding: chunked\r\n",
            "3\r\nabc\r\n0\r\n\r\n",
        ),
        warcs::record("revisit", "https://a.example/robots.txt", time, "HTTP/1.1 200 OK\r\n\r\n"),
    ];
    vec![
        records.concat(),
        warcs::gzipped(&records),
        warcs::zstd(&records.concat()),
        warcs::lz4(&records.concat()),
        b"url,timestamp,note\nhttps://a.example/,20240301120000,\"a,\n\"\"b\"\nhttps://b.example/,,\n"
            .to_vec(),
        b"{\"url\":\"https://a.example/\",\"x\":{\"y\":[1,2.5,null,\"z\"]}}\n{\"url\":null}\n".to_vec(),
        b" CDX N b a m s\nexample,a)/1 20240301120000 https://a.example/ text/html 200\n".to_vec(),
        b"example,a)/1 20240301120000 {\"url\": \"https://a.example/\"}\n!meta {}\n".to_vec(),
        crate::pages::parquet(),
    ]
}

/// Changes, removes, repeats or cuts off some bytes.
fn mutate(bytes: &mut Vec<u8>, random: &mut fastrand::Rng) {
    for _ in 0..random.usize(1..=4) {
        if bytes.is_empty() {
            return;
        }
        let at = random.usize(..bytes.len());
        match random.u8(..5) {
            0 => bytes[at] = random.u8(..),
            1 => bytes[at] ^= 1 << random.u8(..8),
            2 => drop(bytes.drain(at..(at + random.usize(1..64)).min(bytes.len()))),
            3 => {
                let piece = bytes[at..(at + random.usize(1..64)).min(bytes.len())].to_vec();
                let to = random.usize(..=bytes.len());
                bytes.splice(to..to, piece);
            }
            _ => bytes.truncate(at),
        }
    }
}

fn read_through(bytes: &[u8], format: Option<ArchiveFormat>) {
    let options = match format {
        Some(format) => PageOptions::new().format(format),
        None => PageOptions::new(),
    };
    for is_file in [true, false] {
        let input = || match is_file {
            true => ArchiveInput::file("x", Cursor::new(bytes.to_vec())),
            false => ArchiveInput::stream("x", Cursor::new(bytes.to_vec())),
        };
        if let Ok(pages) = Pages::open(input(), &options.clone().batch_rows(3)) {
            // A row takes at least a byte, in Parquet perhaps less, but none of these makes a million.
            let rows: usize = pages.take(100_000).map_while(Result::ok).map(|batch| batch.num_rows()).sum();
            assert!(rows < 1_000_000, "{rows} rows out of {} bytes", bytes.len());
        }
        if let Ok(captures) = Captures::open(input(), &CaptureOptions::new()) {
            let rows: usize = captures.map_while(Result::ok).map(|batch| batch.num_rows()).sum();
            assert!(rows <= bytes.len());
        }
    }
}

#[test]
fn no_damage_makes_a_reader_panic_or_go_on_for_ever() {
    let mut random = fastrand::Rng::with_seed(22);
    for seed in seeds() {
        for _ in 0..400 {
            let mut bytes = seed.clone();
            mutate(&mut bytes, &mut random);
            read_through(&bytes, None);
        }
    }
}

#[test]
fn a_format_that_was_named_wrongly_does_no_harm() {
    for seed in seeds() {
        for format in ArchiveFormat::ALL {
            read_through(&seed, Some(format));
        }
    }
}

#[test]
fn many_tiny_records_are_read_in_one_go() {
    let record = warcs::record("resource", "https://a.example/", "2024-03-01T12:00:00Z", "");
    let bytes = record.repeat(20_000);
    let pages = Pages::open(ArchiveInput::file("x.warc", Cursor::new(bytes)), &PageOptions::new()).unwrap();
    assert_eq!(pages.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 20_000);
}
