//! Tests of answers from tables and single files, of WACZ, and of written tables.

use std::io::{Cursor, Write};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt16Type;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow_schema::{DataType, Field, Fields, Schema};
use comity_formats::{
    ArchiveError, ArchiveInput, CaptureFile, CaptureIndexWriter, CaptureOptions, Captures, PageOptions,
    Pages, TableFormat, TableWriter,
};

use crate::warcs::{gzipped, response};

fn captures(name: &str, bytes: impl AsRef<[u8]>) -> Vec<RecordBatch> {
    let input = ArchiveInput::file(name, Cursor::new(bytes.as_ref().to_vec()));
    Captures::open(input, &CaptureOptions::new()).unwrap().map(Result::unwrap).collect()
}

fn texts(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    batch[name].as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect()
}

#[test]
fn columns_of_answers_are_found_by_common_names() {
    let cases = [
        ("a.csv", "url,status_code,robots_txt,fetch_time\nhttps://a.example/,200,x,20240301120000\n"),
        ("a.tsv", "Host\tstatus\tbody\tdate\nhttps://a.example/\t200\tx\t2024-03-01T12:00:00Z\n"),
        (
            "a.jsonl",
            "{\"origin\": \"https://a.example/\", \"status\": 200, \"content\": \"x\", \"ts\": 1709294400}\n",
        ),
    ];
    for (name, text) in cases {
        let batches = captures(name, text);
        let batch = &batches[0];
        assert_eq!(texts(batch, "key"), [Some("https://a.example/".to_owned())], "{name}");
        assert_eq!(batch["status"].as_primitive::<UInt16Type>().value(0), 200, "{name}");
        assert_eq!(batch["body"].as_binary::<i32>().value(0), b"x", "{name}");
        let times = batch["fetched_at"].as_primitive::<arrow_array::types::TimestampMicrosecondType>();
        assert_eq!(times.value(0), 1_709_294_400_000_000, "{name}");
    }
}

#[test]
fn table_without_the_columns_of_answers_is_rejected() {
    for (text, wanted) in [("url,size\nhttps://a.example/,1\n", "body"), ("size,body\n1,x\n", "key")] {
        let input = ArchiveInput::file("a.csv", Cursor::new(text));
        let rejected = Captures::open(input, &CaptureOptions::new());
        assert!(
            matches!(&rejected, Err(ArchiveError::NoColumn { wanted: Some(name), .. }) if name == wanted),
            "{rejected:?}"
        );
    }
}

#[test]
fn row_without_a_site_is_damage_and_long_body_is_truncated() {
    let long = "x".repeat(600_000);
    let text = format!(
        "{{\"key\": \"https://a.example\", \"body\": \"{long}\"}}\n{{\"key\": null, \"body\": \"x\"}}\n"
    );
    let input = ArchiveInput::file("a.jsonl", Cursor::new(text));
    let mut captures = Captures::open(input, &CaptureOptions::new()).unwrap();
    let batches: Vec<RecordBatch> = captures.by_ref().map(Result::unwrap).collect();
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 1);
    assert_eq!(batches[0]["body"].as_binary::<i32>().value(0).len(), 512_001);
    assert_eq!(captures.damaged().count(), 1);
    assert_eq!(captures.damaged().first()[0].place, 2);
}

#[test]
fn index_is_read_back_unchanged() {
    let archive = [
        response(
            "https://a.example/robots.txt",
            "2024-03-01T12:00:00Z",
            200,
            "Content-Type: text/plain\r\n",
            "A",
        ),
        response(
            "https://b.example/robots.txt",
            "2024-03-01T12:00:01Z",
            301,
            "Location: https://a.example/robots.txt\r\n",
            "",
        ),
        response("https://c.example/robots.txt", "2024-03-01T12:00:02Z", 503, "", "no"),
    ];
    let written = captures("a.warc", archive.concat());
    let mut file = Vec::new();
    let mut writer = CaptureIndexWriter::new("robots.parquet", &mut file).unwrap();
    for batch in &written {
        writer.write(batch).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), 3);
    assert_eq!(captures("robots.parquet", file), written);
}

#[test]
fn site_and_time_are_found_in_a_path() {
    let noon = Some(1_709_294_400_000_000);
    let midnight = Some(1_709_251_200_000_000);
    let cases = [
        ("example.com.txt", "example.com", None),
        ("example.com/robots.txt", "example.com", None),
        ("saved/Example.COM/robots.txt", "example.com", None),
        ("example.com/20240301120000.txt", "example.com", noon),
        ("example.com/robots-20240301.txt", "example.com", midnight),
        ("example.com/robots.txt.20240301.txt", "example.com", midnight),
        ("example.com/2024-03-01T12_00_00Z.txt", "example.com", noon),
        ("example.com/20240301120000/robots.txt", "example.com", noon),
        ("example.com_20240301.txt", "example.com", midnight),
        ("my-shop.example-20240301120000.txt", "my-shop.example", noon),
        ("example.com_8080.txt", "example.com:8080", None),
        ("127.0.0.1_8080/robots.txt", "127.0.0.1:8080", None),
        ("localhost/robots.txt", "localhost", None),
    ];
    for (path, host, at) in cases {
        let file = CaptureFile::of_path(path).unwrap_or_else(|| panic!("{path}"));
        assert_eq!((file.host(), file.fetched_at()), (host, at), "{path}");
    }
    for path in ["robots.txt", "", "/", "folder/robots.txt", "1.2.txt", "../robots.txt", "notes 2024.txt"] {
        assert_eq!(CaptureFile::of_path(path), None, "{path}");
    }
}

#[test]
fn single_file_is_a_capture() {
    let file = CaptureFile::of_path("example.com.txt").unwrap();
    let batch = file.capture(b"User-agent: *\n", Some(1), "saved/example.com.txt").unwrap();
    assert_eq!(batch.schema(), Captures::schema());
    assert_eq!(texts(&batch, "source"), [Some("saved/example.com.txt".to_owned())]);
}

/// Returns a ZIP file with these members, uncompressed.
fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in members {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn members(bytes: Vec<u8>) -> Result<Vec<ArchiveInput>, ArchiveError> {
    ArchiveInput::file("crawl.wacz", Cursor::new(bytes)).members()
}

#[test]
fn warc_files_in_a_wacz_file_are_separate_inputs() {
    let page =
        |path: &str| response(&format!("https://a.example/{path}"), "2024-03-01T12:00:00Z", 200, "", "x");
    let one = gzipped(&[page("1"), page("2")]);
    let two = page("3");
    let file = zipped(&[
        ("datapackage.json", b"{}"),
        ("archive/one.warc.gz", &one),
        ("archive/two.warc", &two),
        ("indexes/index.cdx", b"x"),
    ]);
    let (mut urls, mut sources) = (Vec::new(), Vec::new());
    let inputs = members(file).unwrap();
    assert_eq!(
        inputs.iter().map(ArchiveInput::name).collect::<Vec<_>>(),
        ["crawl.wacz!archive/one.warc.gz", "crawl.wacz!archive/two.warc"]
    );
    for input in inputs {
        let mut pages = Pages::open(input, &PageOptions::new()).unwrap();
        for batch in pages.by_ref() {
            let batch = batch.unwrap();
            urls.extend(texts(&batch, "url").into_iter().flatten());
            sources.extend(texts(&batch, "source").into_iter().flatten());
        }
        assert_eq!(pages.damaged().count(), 0);
    }
    assert_eq!(urls, ["https://a.example/1", "https://a.example/2", "https://a.example/3"]);
    let [one, two] = ["crawl.wacz!archive/one.warc.gz", "crawl.wacz!archive/two.warc"];
    assert_eq!(sources, [one, one, two]);
}

#[test]
fn wacz_file_with_contradictory_members_is_rejected() {
    let whole =
        zipped(&[("archive/one.warc", b"WARC/1.1\r\n\r\n"), ("archive/two.warc", b"WARC/1.1\r\n\r\n")]);
    // Each copy has one change: the name in the local header, the sizes in the directory, or an offset in the directory.
    let directory = whole.windows(4).position(|mark| mark == b"PK\x01\x02").unwrap();
    let mut renamed = whole.clone();
    renamed[30] = b'A';
    let mut too_long = whole.clone();
    for at in [20, 24] {
        too_long[directory + at..directory + at + 4].copy_from_slice(&100_000_u32.to_le_bytes());
    }
    let mut overlapping = whole.clone();
    let second =
        directory + 4 + whole[directory + 4..].windows(4).position(|mark| mark == b"PK\x01\x02").unwrap();
    overlapping[second + 42..second + 46].copy_from_slice(&0_u32.to_le_bytes());
    for (name, bytes) in [("renamed", renamed), ("too long", too_long), ("overlapping", overlapping)] {
        let rejected = members(bytes);
        assert!(matches!(rejected, Err(ArchiveError::Broken { .. })), "{name}: {rejected:?}");
    }
    assert!(matches!(members(zipped(&[("a.txt", b"x")])), Err(ArchiveError::Broken { .. })));
    assert!(matches!(members(b"PK\x03\x04 and no more".to_vec()), Err(ArchiveError::Broken { .. })));
    let stream = ArchiveInput::stream("-", Cursor::new(whole)).members();
    assert!(matches!(stream, Err(ArchiveError::NeedsSeek { .. })), "{stream:?}");
}

#[test]
fn mutated_wacz_file_causes_no_panic() {
    let page = response("https://a.example/", "2024-03-01T12:00:00Z", 200, "", "x");
    let whole = zipped(&[("archive/one.warc.gz", &gzipped(&[page]))]);
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..2_000 {
        let mut bytes = whole.clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
        }
        bytes.truncate(random.usize(bytes.len() / 2..=bytes.len()));
        let Ok(inputs) = members(bytes) else { continue };
        for input in inputs {
            let Ok(pages) = Pages::open(input, &PageOptions::new()) else { continue };
            pages.for_each(drop);
        }
    }
}

#[test]
fn table_is_written_in_the_format_of_its_extension() {
    let urls: ArrayRef = Arc::new(StringArray::from(vec![Some("https://a.example/,\"x\""), None]));
    let times: ArrayRef = Arc::new(
        TimestampMicrosecondArray::from(vec![Some(1_709_294_400_000_000), None]).with_timezone("UTC"),
    );
    let batch = RecordBatch::try_from_iter([("url", urls), ("seen_at", times)]).unwrap();
    for ending in TableFormat::ENDINGS {
        let name = format!("out{ending}");
        let format = TableFormat::of_name(&name).unwrap();
        let mut writer = TableWriter::new(&name, Vec::new(), format, batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        let bytes = writer.finish().unwrap();
        let input = ArchiveInput::file(&name, Cursor::new(bytes));
        let read: Vec<RecordBatch> =
            Pages::open(input, &PageOptions::new().url_column("url")).unwrap().map(Result::unwrap).collect();
        assert_eq!(texts(&read[0], "url")[0].as_deref(), Some("https://a.example/,\"x\""), "{ending}");
        let times =
            arrow_cast::cast(read[0].columns().last().unwrap(), &arrow_schema::DataType::Int64).unwrap();
        let times = times.as_primitive::<arrow_array::types::Int64Type>();
        assert_eq!((times.value(0), times.is_null(1)), (1_709_294_400_000_000, true), "{ending}");
    }
    for name in ["out", "out.docx", "out.parquet.gz", ".gz"] {
        assert_eq!(TableFormat::of_name(name), None, "{name}");
    }
}

/// A file on a disk without space.
#[derive(Debug)]
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn failed_output_is_no_invalid_input() {
    let urls: ArrayRef = Arc::new(StringArray::from(vec!["https://a.example/"]));
    let batch = RecordBatch::try_from_iter([("url", urls)]).unwrap();
    for name in ["x.csv", "x.jsonl", "x.parquet"] {
        let write = || -> Result<(), ArchiveError> {
            let format = TableFormat::of_name(name).unwrap();
            let mut writer = TableWriter::new(name, Full, format, batch.schema())?;
            writer.write(&batch)?;
            writer.finish().map(drop)
        };
        let error = write().unwrap_err();
        assert!(matches!(error, ArchiveError::Unwritable { .. } | ArchiveError::Io { .. }), "{error:?}");
    }
    let nested = Schema::new(vec![Field::new("x", DataType::Struct(Fields::empty()), true)]);
    let error = TableFormat::of_name("x.csv").unwrap().check("x.csv", &nested).unwrap_err();
    assert_eq!(
        error.to_string(),
        "x.csv: cannot write csv: the column `x` has nested values; write Parquet or JSON Lines"
    );
}
