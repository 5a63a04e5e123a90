//! Tests of robots.txt answers from WARC files, and of their index.

use std::io::Cursor;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt16Type;
use comity_formats::{ArchiveInput, CaptureIndexWriter, CaptureOptions, Captures, Damaged};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::warcs;

const TIME: &str = "2024-03-01T12:00:00Z";
const ROBOTS: &str = "https://a.example/robots.txt";

fn captures(bytes: Vec<u8>) -> (Vec<RecordBatch>, Damaged) {
    let mut captures =
        Captures::open(ArchiveInput::file("a.warc", Cursor::new(bytes)), &CaptureOptions::new()).unwrap();
    let batches = captures.by_ref().collect::<Result<Vec<_>, _>>().unwrap();
    (batches, captures.damaged().clone())
}

fn texts(batches: &[RecordBatch], column: &str) -> Vec<Option<String>> {
    let texts = |batch: &RecordBatch| {
        let array = batch.column_by_name(column).unwrap().clone();
        array.as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>()
    };
    batches.iter().flat_map(texts).collect()
}

fn bodies(batches: &[RecordBatch]) -> Vec<Option<String>> {
    let bodies = |batch: &RecordBatch| {
        let array = batch.column_by_name("body").unwrap().clone();
        let text = |body: &[u8]| String::from_utf8_lossy(body).into_owned();
        array.as_binary::<i32>().iter().map(|body| body.map(text)).collect::<Vec<_>>()
    };
    batches.iter().flat_map(bodies).collect()
}

fn statuses(batches: &[RecordBatch]) -> Vec<u16> {
    let statuses = |batch: &RecordBatch| {
        let array = batch.column_by_name("status").unwrap().clone();
        array.as_primitive::<UInt16Type>().values().to_vec()
    };
    batches.iter().flat_map(statuses).collect()
}

#[test]
fn every_robots_txt_answer_in_a_warc_file_is_a_capture() {
    let warc = [
        warcs::response(
            ROBOTS,
            TIME,
            200,
            "Content-Type: text/plain; charset=utf-8\r\n",
            "User-agent: *\nDisallow: /x\n",
        ),
        warcs::response("https://a.example/robots.txt?x", TIME, 200, "", "no"),
        warcs::response("https://a.example/page", TIME, 200, "", "no"),
        warcs::response(
            "http://B.example:80/robots.txt",
            TIME,
            301,
            "Location: https://b.example/robots.txt\r\n",
            "moved",
        ),
        warcs::response("<https://c.example:8443/robots.txt>", TIME, 503, "", "later"),
        warcs::record("request", ROBOTS, TIME, "GET /robots.txt HTTP/1.1\r\n\r\n"),
    ];
    let (batches, damaged) = captures(warc.concat());
    assert_eq!(damaged.count(), 0, "{damaged:?}");
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        texts(&batches, "key"),
        [some("https://a.example"), some("http://b.example"), some("https://c.example:8443")]
    );
    assert_eq!(statuses(&batches), [200, 301, 503]);
    assert_eq!(bodies(&batches), [some("User-agent: *\nDisallow: /x\n"), None, None]);
    assert_eq!(texts(&batches, "location"), [None, some("https://b.example/robots.txt"), None]);
    assert_eq!(texts(&batches, "content_type")[0], some("text/plain; charset=utf-8"));
    assert!(texts(&batches, "digest")[0].as_ref().is_some_and(|digest| digest.starts_with("sha-256=:")));
}

#[test]
fn body_is_decoded_if_it_is_stored_with_its_codings() {
    let text = "User-agent: *\nDisallow: /x\n";
    let block = |header: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 200 OK\r\n{header}\r\n");
        warcs::record_with("response", ROBOTS, TIME, "", &[head.as_bytes(), body].concat())
    };
    let chunked = format!("{:x}\r\n{text}\r\n0\r\n\r\n", text.len());
    let zipped = warcs::gzip(text.as_bytes());
    let both =
        [format!("{:x}\r\n", zipped.len()).into_bytes(), zipped.clone(), b"\r\n0\r\n\r\n".to_vec()].concat();
    let cases: [(&str, &str, Vec<u8>); 6] = [
        ("plain", "", text.into()),
        ("chunked", "Transfer-Encoding: chunked\r\n", chunked.into()),
        ("chunked in the header only", "Transfer-Encoding: chunked\r\n", text.into()),
        ("gzip", "Content-Encoding: gzip\r\n", zipped),
        ("gzip in the header only", "Content-Encoding: GZIP\r\n", text.into()),
        ("gzip in chunks", "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", both),
    ];
    for (name, header, body) in cases {
        let (batches, _) = captures(block(header, &body));
        assert_eq!(bodies(&batches), [Some(text.to_owned())], "{name}");
    }
}

#[test]
fn revisit_has_the_body_of_the_record_with_its_digest() {
    let digest = "WARC-Payload-Digest: sha1:AAAA\r\n";
    let block = b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /x\n";
    let warc = [
        warcs::record_with("response", ROBOTS, TIME, digest, block),
        warcs::record_with("revisit", ROBOTS, "2024-04-01T12:00:00Z", digest, b"HTTP/1.1 200 OK\r\n\r\n"),
        warcs::record_with(
            "revisit",
            "https://b.example/robots.txt",
            TIME,
            "WARC-Payload-Digest: sha1:BBBB\r\n",
            b"HTTP/1.1 200 OK\r\n\r\n",
        ),
    ];
    let (batches, _) = captures(warc.concat());
    let body = Some("User-agent: *\nDisallow: /x\n".to_owned());
    // An unknown digest leaves the body null, which differs from an empty file.
    assert_eq!(bodies(&batches), [body.clone(), body, None]);
}

#[test]
fn decompressed_body_is_truncated_to_the_maximum_size() {
    let bomb = warcs::gzip(&vec![b'\n'; 64 << 20]);
    let head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec();
    let warc = warcs::record_with("response", ROBOTS, TIME, "", &[head, bomb].concat());
    let (batches, _) = captures(warc);
    assert_eq!(bodies(&batches)[0].as_ref().map(String::len), Some(512_001));
}

#[test]
fn index_with_repeated_bodies_is_read_back_unchanged() {
    let warc: Vec<u8> = (0..300)
        .flat_map(|number| {
            let url = format!("https://site-{}.example/robots.txt", number % 7);
            warcs::response(&url, TIME, 200, "", "User-agent: *\nDisallow: /the-same-for-all\n")
        })
        .collect();
    let (batches, _) = captures(warc);
    let mut bytes = Vec::new();
    let mut writer = CaptureIndexWriter::new("index.parquet", &mut bytes).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    assert_eq!(writer.finish().unwrap(), 300);
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap().build().unwrap();
    let read = reader.collect::<Result<Vec<_>, _>>().unwrap();
    for column in ["key", "digest", "source"] {
        assert_eq!(texts(&read, column), texts(&batches, column));
    }
    assert_eq!(bodies(&read), bodies(&batches));
}
