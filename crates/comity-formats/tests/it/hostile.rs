//! Tests of hostile files. Every reader terminates, and returns no more rows than the input contains.

use std::io::Cursor;

use comity_formats::{ArchiveFormat, ArchiveInput, CaptureOptions, Captures, PageOptions, Pages};

use crate::warcs;

/// Returns small files of most formats.
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

/// Changes, removes or repeats some bytes, or truncates the file.
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
            // In most formats, a row needs at least one byte. In Parquet it may need less, but these inputs are small.
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
fn mutated_file_causes_no_panic_and_no_endless_loop() {
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
fn wrong_format_option_causes_no_panic() {
    for seed in seeds() {
        for format in ArchiveFormat::ALL {
            read_through(&seed, Some(format));
        }
    }
}

#[test]
fn many_empty_records_are_all_read() {
    let record = warcs::record("resource", "https://a.example/", "2024-03-01T12:00:00Z", "");
    let bytes = record.repeat(20_000);
    let pages = Pages::open(ArchiveInput::file("x.warc", Cursor::new(bytes)), &PageOptions::new()).unwrap();
    assert_eq!(pages.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 20_000);
}

/// Length of a field or header that readers must skip, in bytes.
const LONG: usize = 48 << 20;

fn pages_of(name: &str, bytes: Vec<u8>) -> (Vec<String>, u64) {
    let mut pages = Pages::open(ArchiveInput::file(name, Cursor::new(bytes)), &PageOptions::new()).unwrap();
    let mut urls = Vec::new();
    for batch in pages.by_ref() {
        let Ok(batch) = batch else { break };
        let column = batch.column_by_name("url").unwrap();
        let column = arrow_array::cast::AsArray::as_string::<i32>(column);
        urls.extend(column.iter().map(|url| url.unwrap_or("-").to_owned()));
    }
    (urls, pages.damaged().count())
}

#[test]
fn very_long_line_is_damage_and_other_rows_are_read() {
    let long = "a".repeat(LONG);
    let cases = [
        ("x.csv", format!("url,note\nhttps://a.example/,\"{long}\"\nhttps://b.example/,x\n")),
        ("x.tsv", format!("url\tnote\nhttps://a.example/\t{long}\nhttps://b.example/\tx\n")),
        (
            "x.jsonl",
            format!(
                "{{\"url\":\"https://a.example/\",\"x\":\"{long}\"}}\n{{\"url\":\"https://b.example/\"}}\n"
            ),
        ),
        ("x.txt", format!("https://a.example/{long}\nhttps://b.example/\n")),
        (
            "x.cdxj",
            format!(
                "a 20240301120000 {{\"url\": \"{long}\"}}\nb 20240301120000 {{\"url\": \"https://b.example/\"}}\n"
            ),
        ),
    ];
    for (name, text) in cases {
        let (urls, damaged) = pages_of(name, text.into_bytes());
        assert_eq!((urls.last().map(String::as_str), damaged), (Some("https://b.example/"), 1), "{name}");
        assert_eq!(urls.len(), 1, "{name}");
    }
}

#[test]
fn very_long_header_is_damage_and_other_records_are_read() {
    let time = "2024-03-01T12:00:00Z";
    let last = warcs::response("https://b.example/", time, 200, "", "b");
    let of_record =
        format!("WARC/1.1\r\nWARC-Type: response\r\nX: {}\r\n\r\n", "a".repeat(LONG)).into_bytes();
    let of_answer =
        warcs::response("https://a.example/", time, 200, &format!("X: {}\r\n", "a".repeat(LONG)), "a");
    for broken in [of_record, of_answer] {
        for bytes in [[&*broken, &*last].concat(), warcs::gzipped(&[broken.clone(), last.clone()])] {
            let (urls, damaged) = pages_of("x.warc", bytes);
            assert_eq!(urls, ["https://b.example/"]);
            assert!(damaged >= 1);
        }
    }
}

#[test]
fn compressed_file_with_an_invalid_header_is_not_empty() {
    let headers: [&[u8]; 6] = [
        // Cut off.
        b"\x1f\x8b\x08",
        b"\x1f\x8b\x08\0\0\0",
        // Reserved flags.
        b"\x1f\x8b\x08\xe0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0",
        // An extra field that is longer than the file, a name without an end, and a wrong checksum.
        b"\x1f\x8b\x08\x04\0\0\0\0\0\x03\xff\xff",
        b"\x1f\x8b\x08\x08\0\0\0\0\0\x03name",
        b"\x1f\x8b\x08\x02\0\0\0\0\0\x03\xff\xff\x03\0\0\0\0\0\0\0\0\0",
    ];
    let formats = [
        ArchiveFormat::Csv,
        ArchiveFormat::Tsv,
        ArchiveFormat::JsonLines,
        ArchiveFormat::Urls,
        ArchiveFormat::Cdx,
        ArchiveFormat::Cdxj,
        ArchiveFormat::Warc,
    ];
    for bytes in headers {
        for (format, is_file) in formats.iter().flat_map(|format| [(*format, true), (*format, false)]) {
            let input = match is_file {
                true => ArchiveInput::file("x", Cursor::new(bytes)),
                false => ArchiveInput::stream("x", Cursor::new(bytes)),
            };
            let Ok(mut pages) = Pages::open(input, &PageOptions::new().format(format)) else { continue };
            let is_failed = pages.by_ref().any(|batch| batch.is_err());
            let is_damaged = is_failed || pages.damaged().count() > 0;
            assert!(is_damaged, "{format}, file {is_file}: {}", bytes.escape_ascii());
        }
    }
}

#[test]
fn json_with_very_many_fields_is_rejected() {
    let fields = |count: usize| (0..count).map(|id| format!("\"f{id}\":\"x\"")).collect::<Vec<_>>().join(",");
    let open = |text: String| {
        let input = ArchiveInput::file("x.jsonl", Cursor::new(text));
        Pages::open(input, &PageOptions::new().url_column("f0")).map(drop)
    };
    assert!(open(format!("{{{}}}\n", fields(4_000))).is_ok());
    for text in [format!("{{{}}}\n", fields(5_000)), format!("{{\"f0\":1,\"x\":{{{}}}}}\n", fields(5_000))] {
        let error = open(text).unwrap_err().to_string();
        assert_eq!(error, "x.jsonl: not jsonl: the first lines have more than 4096 different fields");
    }
}

#[test]
fn long_header_fields_of_many_records_are_in_several_batches() {
    let time = "2024-03-01T12:00:00Z";
    let field = format!("Content-Type: {}\r\n", "a".repeat(60_000));
    let records = warcs::response("https://a.example/", time, 200, &field, "").repeat(1_200);
    let input = ArchiveInput::file("x.warc", Cursor::new(records));
    let rows: Vec<usize> =
        Pages::open(input, &PageOptions::new()).unwrap().map(|batch| batch.unwrap().num_rows()).collect();
    assert_eq!((rows.len(), rows.iter().sum::<usize>()), (2, 1_200), "{rows:?}");
}

#[test]
fn decompression_bomb_is_truncated() {
    let time = "2024-03-01T12:00:00Z";
    let bomb = warcs::gzip(&vec![b'\n'; LONG]);
    let block = [b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", &*bomb].concat();
    let record = warcs::record_with("response", "https://a.example/robots.txt", time, "", &block);
    let archive =
        warcs::gzipped(&[record, warcs::response("https://b.example/robots.txt", time, 404, "", "")]);
    let captures =
        Captures::open(ArchiveInput::file("x.warc.gz", Cursor::new(archive)), &CaptureOptions::new());
    let batches: Vec<_> = captures.unwrap().map(Result::unwrap).collect();
    assert_eq!(batches.iter().map(arrow_array::RecordBatch::num_rows).sum::<usize>(), 2);
    let bodies = batches[0].column_by_name("body").unwrap();
    assert_eq!(arrow_array::cast::AsArray::as_binary::<i32>(bodies).value(0).len(), 512_001);
}

#[test]
fn damaged_row_group_is_skipped_and_other_groups_are_read() {
    let urls = |from: u32| -> arrow_array::ArrayRef {
        let urls = (from..from + 100).map(|id| format!("https://a.example/{id}"));
        std::sync::Arc::new(arrow_array::StringArray::from_iter_values(urls))
    };
    let schema = arrow_array::RecordBatch::try_from_iter([("url", urls(0))]).unwrap().schema();
    let mut file = Vec::new();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut file, schema, None).unwrap();
    let mut second = 0..0;
    for group in 0..3 {
        let begin = writer.bytes_written();
        writer
            .write(&arrow_array::RecordBatch::try_from_iter([("url", urls(group * 100))]).unwrap())
            .unwrap();
        writer.flush().unwrap();
        if group == 1 {
            second = begin..writer.bytes_written();
        }
    }
    writer.close().unwrap();
    file[second].fill(0xff);
    let (urls, damaged) = pages_of("x.parquet", file);
    assert_eq!(damaged, 1);
    assert_eq!(
        (urls.len(), urls[99].as_str(), urls[100].as_str()),
        (200, "https://a.example/99", "https://a.example/200")
    );
}
