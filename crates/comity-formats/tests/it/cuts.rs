//! Tests of files that are cut off at each byte. A file that ends inside a record cannot be opened, or is reported as
//! damaged. Only the last row of a table may be truncated.

use std::collections::BTreeMap;
use std::io::Cursor;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use comity_formats::{ArchiveInput, CaptureOptions, Captures, PageOptions, Pages};

use crate::warcs::{gzip, lz4, response, zstd, zstd_with_dictionary};

const URLS: [&str; 3] =
    ["https://a.example/robots.txt", "https://b.example/robots.txt", "https://c.example/robots.txt"];
const BODY: &str = "User-agent: *\nDisallow: /private\nDisallow: /more\n";

/// The texts in a file, and the number of damaged records. `None` if the file cannot be opened.
type Found = Option<(Vec<String>, u64)>;

fn texts(batches: impl Iterator<Item = RecordBatch>, column: &str) -> Vec<String> {
    let of_batch = |batch: RecordBatch| -> Vec<String> {
        let column = arrow_cast::cast(&batch[column], &arrow_schema::DataType::Utf8).expect("text");
        column.as_string::<i32>().iter().map(|text| text.unwrap_or_default().to_owned()).collect()
    };
    batches.flat_map(of_batch).collect()
}

fn urls(name: &str, bytes: &[u8]) -> Found {
    let input = ArchiveInput::file(name, Cursor::new(bytes.to_vec()));
    let mut pages = Pages::open(input, &PageOptions::new()).ok()?;
    let rows = texts(pages.by_ref().map_while(Result::ok), "url");
    Some((rows, pages.damaged().count()))
}

fn bodies(name: &str, bytes: &[u8]) -> Found {
    let input = ArchiveInput::file(name, Cursor::new(bytes.to_vec()));
    let mut captures = Captures::open(input, &CaptureOptions::new()).ok()?;
    let rows = texts(captures.by_ref().map_while(Result::ok), "body");
    Some((rows, captures.damaged().count()))
}

/// A function that compresses bytes.
type Compress = fn(&[u8]) -> Vec<u8>;

/// Concatenates records. Also returns the offset after each record, with the number of records before the offset.
fn joined(records: &[Vec<u8>]) -> (Vec<u8>, BTreeMap<usize, usize>) {
    let mut whole = Vec::new();
    let mut ends = BTreeMap::from([(0, 0)]);
    for (number, record) in records.iter().enumerate() {
        whole.extend_from_slice(record);
        ends.insert(whole.len(), number + 1);
    }
    (whole, ends)
}

/// Cuts a file at every byte, and checks the rows and the damage. `rows` are the rows of the whole file.
fn check(
    name: &str,
    (whole, ends): &(Vec<u8>, BTreeMap<usize, usize>),
    rows: &[&str],
    read: fn(&str, &[u8]) -> Found,
) {
    for length in 0..=whole.len() {
        let found = read(name, &whole[..length]);
        match (ends.get(&length), &found) {
            (Some(count), Some((read, damaged))) => {
                assert_eq!((read.len(), *damaged), (*count, 0), "{name}, {length} of {} bytes", whole.len());
            }
            (Some(count), None) => assert_eq!(*count, 0, "{name}, {length} of {} bytes", whole.len()),
            (None, Some((_, damaged))) => assert!(*damaged > 0, "{name}, {length} of {} bytes", whole.len()),
            (None, None) => {}
        }
        let read = found.map(|(read, _)| read).unwrap_or_default();
        let expected = &rows[..read.len().min(rows.len())];
        assert_eq!(read, expected, "{name}, {length} of {} bytes", whole.len());
    }
}

#[test]
fn archive_cut_within_a_record_is_damaged() {
    let page = |url: &str| url.replace("robots.txt", "page");
    let records = |urls: &[String]| -> Vec<Vec<u8>> {
        let record =
            |url: &String| response(url, "2024-03-01T12:00:00Z", 200, "Content-Type: text/plain\r\n", BODY);
        urls.iter().map(record).collect()
    };
    let compressions: [(&str, Compress); 4] =
        [("a.warc", <[u8]>::to_vec), ("a.warc.gz", gzip), ("a.warc.zst", zstd), ("a.warc.lz4", lz4)];
    let pages: Vec<String> = URLS.iter().map(|url| page(url)).collect();
    let answers: Vec<String> = URLS.iter().map(|url| (*url).to_owned()).collect();
    for (name, compress) in compressions {
        let compressed = |records: Vec<Vec<u8>>| -> Vec<Vec<u8>> {
            records.iter().map(|record| compress(record)).collect()
        };
        let rows: Vec<&str> = pages.iter().map(String::as_str).collect();
        check(name, &joined(&compressed(records(&pages))), &rows, urls);
        check(name, &joined(&compressed(records(&answers))), &[BODY; 3], bodies);
    }
}

#[test]
fn archive_with_a_dictionary_cut_within_a_record_is_damaged() {
    let urls_of_pages: Vec<String> = URLS.iter().map(|url| url.replace("robots.txt", "page")).collect();
    let record =
        |url: &String| response(url, "2024-03-01T12:00:00Z", 200, "Content-Type: text/plain\r\n", BODY);
    let records: Vec<Vec<u8>> = urls_of_pages.iter().map(record).collect();
    let (whole, ends) = joined(&zstd_with_dictionary(&records));
    // The frame of the dictionary does not count as a record. A file with this frame alone is damaged.
    let record_end = |(end, count): (usize, usize)| (count != 1).then_some((end, count.max(1) - 1));
    let ends: BTreeMap<usize, usize> = ends.into_iter().filter_map(record_end).collect();
    let rows: Vec<&str> = urls_of_pages.iter().map(String::as_str).collect();
    check("a.warc.zst", &(whole, ends), &rows, urls);
}

#[test]
fn table_cut_within_a_row_is_damaged() {
    let rows = ["https://a.example/x", "https://b.example/y", "https://c.example/\"z\""];
    let csv: Vec<Vec<u8>> =
        ["url,id,note\n", "https://a.example/x,1,a\n", "https://b.example/y,2,\"b\nb\"\n"]
            .into_iter()
            .chain(["\"https://c.example/\"\"z\"\"\",3,\"c\"\n"])
            .map(|line| line.as_bytes().to_vec())
            .collect();
    let (whole, ends) = joined(&csv);
    // The header does not count as a row.
    let ends: BTreeMap<usize, usize> = ends.into_iter().map(|(end, count)| (end, count.max(1) - 1)).collect();
    for length in ends.keys().nth(1).copied().unwrap_or_default()..=whole.len() {
        let found = urls("a.csv", &whole[..length]).expect("a table");
        match ends.get(&length) {
            Some(count) => assert_eq!((found.0.len(), found.1), (*count, 0), "{length}"),
            None => assert!(found.1 > 0, "{length}: {found:?}"),
        }
        assert!(found.0.len() <= rows.len());
    }
    for (name, compressed) in
        [("a.csv.gz", gzip(&whole)), ("a.csv.zst", zstd(&whole)), ("a.csv.lz4", lz4(&whole))]
    {
        let ends = BTreeMap::from([(0, 0), (compressed.len(), 3)]);
        check(name, &(compressed, ends), &rows, urls);
    }
}

#[test]
fn json_lines_cut_within_an_object_are_damaged() {
    let rows = ["https://a.example/x", "https://b.example/y"];
    let lines: Vec<String> =
        rows.iter().map(|url| format!("{{\"id\": 1, \"meta\": {{\"n\": 2}}, \"url\": \"{url}\"}}")).collect();
    let whole = format!("{}\n{}\n", lines[0], lines[1]).into_bytes();
    let first = lines[0].len();
    let ends = BTreeMap::from([(0, 0), (first, 1), (first + 1, 1), (whole.len() - 1, 2), (whole.len(), 2)]);
    check("a.jsonl", &(whole.clone(), ends), &rows, urls);
    for (name, compressed) in [("a.jsonl.gz", gzip(&whole)), ("a.jsonl.zst", zstd(&whole))] {
        let ends = BTreeMap::from([(0, 0), (compressed.len(), 2)]);
        check(name, &(compressed, ends), &rows, urls);
    }
}

#[test]
fn concatenated_frames_and_members_are_read_as_one_file() {
    let parts = ["url,id\nhttps://a.example/x,1\n", "https://b.example/y,2\n"];
    for (name, compress) in [("a.csv.lz4", lz4 as Compress), ("a.csv.gz", gzip), ("a.csv.zst", zstd)] {
        let whole = parts.map(|part| compress(part.as_bytes())).concat();
        let found = urls(name, &whole).expect("a table");
        assert_eq!(
            found,
            (vec!["https://a.example/x".to_owned(), "https://b.example/y".to_owned()], 0),
            "{name}"
        );
    }
}
