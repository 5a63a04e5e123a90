//! Tests of reading pages in every format.

use std::io::{Cursor, Read};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use comity_formats::{ArchiveError, ArchiveFormat, ArchiveInput, Damaged, PageColumns, PageOptions, Pages};
use parquet::arrow::ArrowWriter;

use crate::warcs;

/// The result of reading an input.
struct Found {
    format: ArchiveFormat,
    columns: PageColumns,
    damaged: Damaged,
    batches: Vec<RecordBatch>,
}

impl Found {
    fn texts(&self, column: &str) -> Vec<Option<String>> {
        let texts = |batch: &RecordBatch| {
            let array: ArrayRef = batch.column_by_name(column).unwrap().clone();
            array.as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>()
        };
        self.batches.iter().flat_map(texts).collect()
    }

    fn urls(&self) -> Vec<String> {
        self.texts(&self.columns.url).into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Returns the times in seconds since 1970.
    fn times(&self) -> Vec<Option<i64>> {
        let column = self.columns.seen_at.clone().unwrap();
        let times = |batch: &RecordBatch| {
            let array = batch.column_by_name(&column).unwrap().clone();
            let times = array.as_primitive::<TimestampMicrosecondType>().clone();
            times.iter().map(|time| time.map(|time| time / 1_000_000)).collect::<Vec<_>>()
        };
        self.batches.iter().flat_map(times).collect()
    }

    fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

fn read_all(input: ArchiveInput, options: &PageOptions) -> Result<Found, ArchiveError> {
    let mut pages = Pages::open(input, options)?;
    let batches = pages.by_ref().collect::<Result<Vec<_>, _>>()?;
    let schema = pages.schema();
    assert!(batches.iter().all(|batch| batch.schema() == schema), "every batch has the schema of the input");
    let (format, columns, damaged) = (pages.format(), pages.columns().clone(), pages.damaged().clone());
    Ok(Found { format, columns, damaged, batches })
}

fn read(name: &str, bytes: impl Into<Vec<u8>>) -> Found {
    read_all(ArchiveInput::file(name, Cursor::new(bytes.into())), &PageOptions::new()).unwrap()
}

const A: &str = "https://a.example/1";
const B: &str = "https://b.example/2";
/// 2024-03-01T12:00:00Z in seconds since 1970.
const NOON: i64 = 1_709_294_400;

#[test]
fn format_is_detected_by_content_and_gives_the_expected_pages() {
    let response =
        |url| warcs::response(url, "2024-03-01T12:00:00Z", 200, "Content-Type: text/html\r\n", "<p>");
    let cases: [(&str, ArchiveFormat, Vec<u8>); 9] = [
        ("csv", ArchiveFormat::Csv, format!("id,url,timestamp\n1,{A},20240301120000\n2,\"{B}\",1709294400\n").into()),
        ("tsv", ArchiveFormat::Tsv, format!("url\tdate\n{A}\t2024-03-01 12:00:00\n{B}\t2024-03-01T13:00:00+01:00\n").into()),
        (
            "json lines",
            ArchiveFormat::JsonLines,
            format!("{{\"url\":\"{A}\",\"fetch_time\":1709294400}}\n\n{{\"url\":\"{B}\",\"fetch_time\":1709294400}}\n").into(),
        ),
        (
            "cdx with a legend",
            ArchiveFormat::Cdx,
            format!(" CDX N b a m s\nexample,a)/1 20240301120000 {A} text/html 200\nexample,b)/2 20240301120000 {B} text/html 404\n").into(),
        ),
        (
            "cdx without one",
            ArchiveFormat::Cdx,
            format!("example,a)/1 20240301120000 {A} text/html 200 ABC 12\nexample,b)/2 20240301120000 {B} - 404 DEF 34\n").into(),
        ),
        (
            "cdxj",
            ArchiveFormat::Cdxj,
            format!("example,a)/1 20240301120000 {{\"url\": \"{A}\", \"status\": \"200\"}}\nexample,b)/2 20240301120000 {{\"url\": \"{B}\"}}\n").into(),
        ),
        ("warc", ArchiveFormat::Warc, [response(A), response(B)].concat()),
        ("warc.gz", ArchiveFormat::Warc, warcs::gzipped(&[response(A), response(B)])),
        ("parquet", ArchiveFormat::Parquet, parquet()),
    ];
    for (name, format, bytes) in cases {
        let read = read("a file", bytes);
        assert_eq!(read.format, format, "{name}");
        assert_eq!(read.urls(), [A, B], "{name}");
        assert_eq!(read.times(), [Some(NOON), Some(NOON)], "{name}");
        assert_eq!(read.damaged.count(), 0, "{name}: {:?}", read.damaged);
        let status = matches!(format, ArchiveFormat::Cdx | ArchiveFormat::Cdxj | ArchiveFormat::Warc);
        assert_eq!(read.columns.status.as_deref(), status.then_some("status"), "{name}");
    }
}

pub(crate) fn parquet() -> Vec<u8> {
    let urls: ArrayRef = Arc::new(StringArray::from(vec![A, B]));
    let times: ArrayRef = Arc::new(StringArray::from(vec!["2024-03-01T12:00:00Z"; 2]));
    let batch = RecordBatch::try_from_iter([("url", urls), ("warc_date", times)]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn blank_lines_and_comments_in_lists_of_urls_are_skipped() {
    let read = read("seeds", format!("\u{feff}# seeds\n\n{A}\r\n  {B}  \n#end"));
    assert_eq!((read.format, read.urls()), (ArchiveFormat::Urls, vec![A.to_owned(), B.to_owned()]));
}

#[test]
fn compressed_table_is_read_from_a_file_and_from_a_stream() {
    let plain = format!("url,note\n{A},x\n{B},y\n");
    for bytes in [warcs::gzip(plain.as_bytes()), warcs::zstd(plain.as_bytes()), warcs::lz4(plain.as_bytes())]
    {
        assert_eq!(read("a", bytes.clone()).urls(), [A, B]);
        let stream = ArchiveInput::stream("standard input", Cursor::new(bytes));
        assert_eq!(read_all(stream, &PageOptions::new()).unwrap().urls(), [A, B]);
    }
}

#[test]
fn parquet_in_a_stream_is_rejected() {
    let error = read_all(ArchiveInput::stream("standard input", Cursor::new(parquet())), &PageOptions::new())
        .err()
        .unwrap();
    assert!(matches!(error, ArchiveError::NeedsSeek { format: ArchiveFormat::Parquet, .. }), "{error}");
    assert!(error.to_string().contains("give a file"), "{error}");
}

#[test]
fn other_columns_of_the_input_remain_unchanged() {
    let read = read(
        "a.csv",
        format!("page id,URL,Fetched-At,note\n007,{A},1709294400,\"a, \"\"b\"\"\nc\"\n,{B},,\n"),
    );
    assert_eq!(read.columns.url, "URL");
    assert_eq!(read.columns.time_source.as_deref(), Some("Fetched-At"));
    assert_eq!(read.texts("page id"), [Some("007".to_owned()), None]);
    assert_eq!(read.texts("note"), [Some("a, \"b\"\nc".to_owned()), None]);
    assert_eq!(read.times(), [Some(NOON), None]);
}

#[test]
fn url_column_of_a_table_without_header_is_found_by_content() {
    let read = read("a.csv", format!("1,{A}\n2,{B}\n"));
    assert_eq!(read.columns.url, "column_2");
    assert_eq!(read.urls(), [A, B]);
}

#[test]
fn requested_column_is_used_and_missing_column_is_an_error() {
    let csv = || ArchiveInput::file("a.csv", Cursor::new(format!("url,target\n{A},{B}\n")));
    let read = read_all(csv(), &PageOptions::new().url_column("target")).unwrap();
    assert_eq!(read.urls(), [B]);
    let error = read_all(csv(), &PageOptions::new().time_column("when")).err().unwrap();
    assert_eq!(error.to_string(), "a.csv: no column `when`; there are `url`, `target`");
    let error =
        read_all(ArchiveInput::file("b.csv", Cursor::new("a,b\n1,2\n")), &PageOptions::new()).err().unwrap();
    assert_eq!(error.to_string(), "b.csv: no column contains URLs; name one of `a`, `b`");
}

#[test]
fn added_time_column_has_an_unused_name() {
    let read = read("a.csv", format!("url,seen_at\n{A},20240301120000\n"));
    assert_eq!(read.columns.seen_at.as_deref(), Some("seen_at_utc"));
    assert_eq!(read.texts("seen_at"), [Some("20240301120000".to_owned())]);
    assert_eq!(read.times(), [Some(NOON)]);
}

#[test]
fn broken_lines_are_counted_and_other_lines_are_read() {
    let long = "x".repeat(2 << 20);
    let cases = [
        ("a.csv", format!("url,note\n{A},x\n{A},x,y,z\n{A},{long}\n{B},y\n"), 2),
        (
            "a.jsonl",
            format!(
                "{{\"url\":\"{A}\"}}\n{{\"url\":\n[1]\nnull\n{{\"url\":\"{long}\"}}\n{{\"url\":\"{B}\"}}\n"
            ),
            4,
        ),
        ("a.urls", format!("{A}\nhttps://{long}.example/\n{B}\n"), 1),
    ];
    for (name, text, damaged) in cases {
        let read = read(name, text);
        assert_eq!(read.urls(), [A, B], "{name}");
        assert_eq!(read.damaged.count(), damaged, "{name}: {:?}", read.damaged);
        assert!(read.damaged.first().iter().all(|damage| damage.problem.len() < 500), "{name}");
    }
}

#[test]
fn rows_before_the_cut_of_a_compressed_table_are_read() {
    let rows: String = (0..5000).map(|row| format!("https://a.example/{row},{row}\n")).collect();
    let mut bytes = warcs::gzip(format!("url,n\n{rows}").as_bytes());
    bytes.truncate(bytes.len() / 2);
    let read = read("a.csv.gz", bytes);
    assert!(read.rows() > 500, "{}", read.rows());
    assert_eq!(read.damaged.count(), 1);
    assert!(read.damaged.first()[0].problem.contains("the rest cannot be read"));
}

#[test]
fn deeply_nested_json_is_damage() {
    let nest = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for deep in [format!("\"url\":\"{A}\",\"x\":{nest}"), format!("\"url\":{nest}")] {
        let read = read("a.jsonl", format!("{{\"url\":\"{A}\"}}\n{{{deep}}}\n{{\"url\":\"{B}\"}}\n"));
        assert_eq!((read.urls(), read.damaged.count()), (vec![A.to_owned(), B.to_owned()], 1));
    }
    // Brackets in a text and adjacent arrays do not add to the depth.
    for flat in [format!("\"\\\"{}\"", "[".repeat(1_000)), format!("[{}[1]]", "[0],".repeat(1_000))] {
        let read = read("a.jsonl", format!("{{\"x\":{flat},\"url\":\"{A}\"}}\n"));
        assert_eq!((read.urls(), read.damaged.count()), (vec![A.to_owned()], 0));
    }
}

#[test]
fn file_in_an_unknown_format_is_rejected() {
    for bytes in [&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], b"", b"\n\n"] {
        let error = read_all(ArchiveInput::file("a", Cursor::new(bytes)), &PageOptions::new()).err().unwrap();
        assert!(matches!(error, ArchiveError::UnknownFormat { .. }), "{error}");
    }
    let error = read_all(
        ArchiveInput::file("a.parquet", Cursor::new("PAR1 and nothing else PAR1")),
        &PageOptions::new(),
    );
    assert!(matches!(error, Err(ArchiveError::Broken { format: ArchiveFormat::Parquet, .. })));
}

#[test]
fn warc_responses_and_revisits_are_read_as_pages() {
    let time = "2024-03-01T12:00:00Z";
    let warc = [
        warcs::record("warcinfo", "urn:x", time, "software: test\r\n"),
        warcs::record("request", A, time, "GET /1 HTTP/1.1\r\n\r\n"),
        warcs::response(A, time, 403, "", ""),
        warcs::record("metadata", A, time, "x: y"),
        warcs::record("resource", "dns:a.example", time, "20240301120000"),
        warcs::record("revisit", B, time, "HTTP/1.1 304 Not Modified\r\n\r\n"),
    ];
    let read = read("a.warc", warc.concat());
    assert_eq!(read.urls(), [A, B]);
    assert_eq!(read.texts("warc_type"), [Some("response".to_owned()), Some("revisit".to_owned())]);
    assert_eq!(read.damaged.count(), 0, "{:?}", read.damaged);
}

#[test]
fn damaged_record_is_skipped_and_other_records_are_read() {
    let time = "2024-03-01T12:00:00Z";
    let good = |number: u32| warcs::response(&format!("https://a.example/{number}"), time, 200, "", "body");
    let mut wrong_length = String::from_utf8(good(1)).unwrap();
    wrong_length = wrong_length.replace("Content-Length: ", "Content-Length: 9");
    let cases: [(&str, Vec<u8>); 4] = [
        ("a length that is too long", wrong_length.into_bytes()),
        ("no header at all", b"GARBAGE GARBAGE\r\n\r\n".to_vec()),
        ("a header without end", [b"WARC/1.1\r\nX: ".to_vec(), vec![b'x'; 100_000]].concat()),
        ("a header cut off", b"WARC/1.1\r\nWARC-Type: resp\r\n\r\n".to_vec()),
    ];
    for (name, damaged) in cases {
        for is_compressed in [false, true] {
            let records = [good(0), damaged.clone(), good(2), good(3)];
            let bytes = if is_compressed { warcs::gzipped(&records) } else { records.concat() };
            let read = read("a.warc", bytes);
            let urls = read.urls();
            assert!(urls.contains(&"https://a.example/0".to_owned()), "{name} {is_compressed}: {urls:?}");
            assert!(
                urls.contains(&"https://a.example/3".to_owned()),
                "{name} {is_compressed}: {urls:?} {:?}",
                read.damaged
            );
        }
    }
}

#[test]
fn cut_off_warc_file_is_damaged() {
    let time = "2024-03-01T12:00:00Z";
    let good = |number: u32| {
        warcs::response(&format!("https://a.example/{number}"), time, 200, "", &"body".repeat(5000))
    };
    for is_compressed in [false, true] {
        let records = [good(0), good(1)];
        let mut bytes = if is_compressed { warcs::gzipped(&records) } else { records.concat() };
        bytes.truncate(bytes.len() - 30);
        let read = read("a.warc", bytes);
        assert_eq!(read.urls().first().map(String::as_str), Some("https://a.example/0"));
        assert!(read.damaged.count() >= 1, "compressed {is_compressed}: {:?}", read.damaged);
    }
}

#[test]
fn batches_have_the_requested_number_of_rows() {
    let rows: String = (0..10).map(|row| format!("https://a.example/{row}\n")).collect();
    let options = PageOptions::new().batch_rows(4);
    let read = read_all(ArchiveInput::file("a", Cursor::new(rows)), &options).unwrap();
    assert_eq!(read.batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [4, 4, 2]);
}

/// A reader that returns one byte at a time, like a slow pipe.
struct Slow(Cursor<Vec<u8>>);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let one = buffer.len().min(1);
        self.0.read(&mut buffer[..one])
    }
}

#[test]
fn stream_that_arrives_byte_by_byte_is_read() {
    let time = "2024-03-01T12:00:00Z";
    let warc =
        warcs::gzipped(&[warcs::response(A, time, 200, "", "x"), warcs::response(B, time, 200, "", "y")]);
    for bytes in [format!("url,note\n{A},\"x\ny\"\n{B},z\n").into_bytes(), warc] {
        let read =
            read_all(ArchiveInput::stream("-", Slow(Cursor::new(bytes))), &PageOptions::new()).unwrap();
        assert_eq!(read.urls(), [A, B]);
    }
}
