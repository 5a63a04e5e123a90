//! Tests of manifests: tables with the names of files that contain bodies. The expected results are in
//! `tests/data/manifest.toml`.

use std::collections::BTreeMap;
use std::io::{self, Cursor};
use std::path::Path;
use std::sync::{Arc, Mutex};

use arrow_array::cast::AsArray;
use arrow_array::types::{TimestampMicrosecondType, UInt16Type};
use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt16Array};
use comity_formats::{ArchiveInput, CaptureOptions, Captures, TableFormat, TableWriter};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    files: BTreeMap<String, String>,
    row: Vec<Row>,
    expected: Expected,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    origin: Option<String>,
    time: String,
    status: u16,
    body_file: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    captures: Vec<[String; 4]>,
    damage: Vec<(u64, String)>,
    requested: Vec<String>,
}

fn data() -> Data {
    toml::from_str(include_str!("../data/manifest.toml")).unwrap()
}

fn csv(rows: &[Row]) -> String {
    let line = |row: &Row| {
        let of = |text: &Option<String>| text.clone().unwrap_or_default();
        format!("{},{},{},{}\n", of(&row.origin), row.time, row.status, of(&row.body_file))
    };
    format!("origin,time,status,body_file\n{}", rows.iter().map(line).collect::<String>())
}

fn json_lines(rows: &[Row]) -> String {
    let line = |row: &Row| {
        let all = serde_json::json!({
            "origin": row.origin, "time": row.time, "status": row.status, "body_file": row.body_file
        });
        format!("{all}\n")
    };
    rows.iter().map(line).collect()
}

fn parquet(rows: &[Row]) -> Vec<u8> {
    let text = |of: fn(&Row) -> Option<String>| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<StringArray>())
    };
    let statuses: UInt16Array = rows.iter().map(|row| Some(row.status)).collect();
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("origin", text(|row| row.origin.clone()), true),
        ("time", text(|row| Some(row.time.clone())), true),
        ("status", Arc::new(statuses) as ArrayRef, true),
        ("body_file", text(|row| row.body_file.clone()), true),
    ])
    .unwrap();
    let mut bytes = Vec::new();
    let format = TableFormat::of_name("manifest.parquet").unwrap();
    let mut writer = TableWriter::new("manifest.parquet", &mut bytes, format, batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    bytes
}

#[test]
fn body_is_read_from_the_named_file_below_the_folder() {
    let Data { files, row: rows, expected } = data();
    let forms = [
        ("manifest.csv", csv(&rows).into_bytes()),
        ("manifest.jsonl", json_lines(&rows).into_bytes()),
        ("manifest.parquet", parquet(&rows)),
    ];
    for (name, bytes) in forms {
        let requested: Arc<Mutex<Vec<String>>> = Arc::default();
        let (known, log) = (files.clone(), requested.clone());
        let options = CaptureOptions::new().body_files(move |path: &Path, _| {
            let path = path.to_str().unwrap().trim_start_matches("./").to_owned();
            log.lock().unwrap().push(path.clone());
            let file = known.get(&path).map(|body| body.clone().into_bytes());
            file.ok_or_else(|| io::Error::other("no such file"))
        });
        let mut captures = Captures::open(ArchiveInput::file(name, Cursor::new(bytes)), &options).unwrap();
        assert!(captures.is_manifest(), "{name}");
        let batches = captures.by_ref().collect::<Result<Vec<_>, _>>().unwrap();
        let read: Vec<[String; 4]> = batches.iter().flat_map(shown).collect();
        assert_eq!(read, expected.captures, "{name}");
        let damaged = captures.damaged();
        assert_eq!(damaged.count(), expected.damage.len() as u64, "{name}: {damaged:?}");
        let mut found: Vec<_> = damaged.first().iter().collect();
        found.sort_by_key(|damage| damage.place);
        for (damage, (place, problem)) in found.iter().zip(&expected.damage) {
            assert!(damage.place == *place && damage.problem.contains(problem), "{name}: {damage:?}");
        }
        assert_eq!(*requested.lock().unwrap(), expected.requested, "{name}");
    }
}

/// Returns the captures of a batch as text: key, seconds since 1970, status and body.
fn shown(batch: &RecordBatch) -> Vec<[String; 4]> {
    let column = |name| batch.column_by_name(name).unwrap();
    let (keys, bodies) = (column("key").as_string::<i32>(), column("body").as_binary::<i32>());
    let times = column("fetched_at").as_primitive::<TimestampMicrosecondType>();
    let statuses = column("status").as_primitive::<UInt16Type>();
    let row = |row: usize| {
        [
            keys.value(row).to_owned(),
            (times.value(row) / 1_000_000).to_string(),
            statuses.value(row).to_string(),
            String::from_utf8_lossy(bodies.value(row)).into_owned(),
        ]
    };
    (0..batch.num_rows()).map(row).collect()
}

#[test]
fn named_file_without_a_known_folder_is_damage() {
    let table = "origin,status,file\nhttps://a.example,200,a.txt\nhttps://b.example,404,\n";
    let input = ArchiveInput::file("-", Cursor::new(table));
    let mut captures = Captures::open(input, &CaptureOptions::new()).unwrap();
    let rows: usize = captures.by_ref().map(|batch| batch.unwrap().num_rows()).sum();
    assert_eq!((rows, captures.damaged().count()), (1, 1));
    assert!(captures.damaged().first()[0].problem.contains("the folder of the table is unknown"));
}

#[test]
fn table_with_bodies_is_not_a_manifest() {
    let table = "origin,body,file\nhttps://a.example,User-agent: *,a.txt\n";
    let input = ArchiveInput::file("a.csv", Cursor::new(table));
    let mut captures = Captures::open(input, &CaptureOptions::new()).unwrap();
    assert!(!captures.is_manifest());
    assert_eq!(captures.by_ref().map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 1);
    assert_eq!(captures.damaged().count(), 0);
}

#[test]
fn bodies_from_files_are_truncated_and_split_into_batches() {
    let rows: String = (0..300).map(|number| format!("https://s{number}.example,200,body\n")).collect();
    let table = format!("origin,status,body_file\n{rows}");
    let options = CaptureOptions::new().body_files(|_, most| Ok(vec![b'#'; 2 * most]));
    let input = ArchiveInput::file("manifest.csv", Cursor::new(table));
    let (mut total, mut batches) = (0, 0);
    for batch in Captures::open(input, &options).unwrap() {
        let batch = batch.unwrap();
        let bodies = batch.column_by_name("body").unwrap().as_binary::<i32>();
        assert!(bodies.iter().all(|body| body.is_some_and(|body| body.len() == 512_001)));
        assert!(bodies.values().len() < 70 << 20);
        (total, batches) = (total + batch.num_rows(), batches + 1);
    }
    assert_eq!((total, batches), (300, 3));
}
