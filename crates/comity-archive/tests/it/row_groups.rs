//! Columns of Parquet that are copied, and columns that stand beside them.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date64Array, DictionaryArray, Int64Array, ListArray, RecordBatch, StringArray,
    StructArray,
};
use arrow_schema::{Field, Schema, SchemaRef};
use comity_archive::{ArchiveInput, PageOptions, Pages, TableFormat, TableWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::parquet_files::{metadata, read};

const ROWS: usize = 25_000;
const GROUP: usize = 10_000;

/// Pages with columns of several kinds: numbers, texts, lists, words by number, and nulls among all of them.
fn pages() -> RecordBatch {
    let numbers = || 0..ROWS as i64;
    let urls = numbers().map(|n| Some(format!("https://s{}.example/{n}", n / 100)));
    let lists =
        numbers().map(|n| (n % 5 > 0).then(|| (0..n % 4).map(|item| Some(item as i32)).collect::<Vec<_>>()));
    let words: Vec<Option<&str>> =
        numbers().map(|n| (n % 7 > 0).then_some(if n % 2 == 0 { "deu" } else { "eng" })).collect();
    let columns: [(&str, ArrayRef); 5] = [
        ("id", Arc::new(numbers().map(|n| (n % 3 > 0).then_some(n)).collect::<Int64Array>())),
        ("tags", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))),
        ("url", Arc::new(urls.collect::<StringArray>())),
        ("language", Arc::new(words.iter().copied().collect::<DictionaryArray<Int32Type>>())),
        (
            "note",
            Arc::new(numbers().map(|n| Some(format!("note {}", n * 7919 % 1000))).collect::<StringArray>()),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn parquet(batch: &RecordBatch, group: usize) -> Vec<u8> {
    compressed(batch, group, Compression::SNAPPY)
}

fn compressed(batch: &RecordBatch, group: usize, compression: Compression) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(group))
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn open(bytes: &[u8]) -> Pages {
    let input = ArchiveInput::file("pages.parquet", Cursor::new(bytes.to_vec()));
    Pages::open(input, &PageOptions::new().copy_columns(true)).unwrap()
}

fn with_verdict(schema: &Schema) -> SchemaRef {
    let verdict = Arc::new(Field::new("allowed", arrow_schema::DataType::Boolean, true));
    Arc::new(Schema::new(schema.fields().iter().cloned().chain([verdict]).collect::<Vec<_>>()))
}

/// Copies a table with a column more.
fn copied(bytes: &[u8]) -> Vec<u8> {
    let mut pages = open(bytes);
    assert!(pages.copies_columns());
    let format = TableFormat::of_name("out.parquet").unwrap();
    let mut writer =
        TableWriter::new("out.parquet", Vec::new(), format, with_verdict(&pages.schema())).unwrap();
    let mut at = 0;
    while let Some(batch) = pages.next() {
        let batch = batch.unwrap();
        assert_eq!(batch.schema().fields().iter().map(|field| field.name()).collect::<Vec<_>>(), ["url"]);
        if let Some(group) = pages.take_row_group() {
            writer.begin_row_group(group).unwrap();
        }
        let allowed = (at..at + batch.num_rows()).map(|row| Some(row % 2 == 0));
        let allowed: ArrayRef = Arc::new(allowed.collect::<BooleanArray>());
        at += batch.num_rows();
        writer.write(&RecordBatch::try_from_iter([("allowed", allowed)]).unwrap()).unwrap();
    }
    assert_eq!((at, pages.damaged().count()), (ROWS, 0));
    writer.finish().unwrap()
}

#[test]
fn copied_columns_are_what_they_were_beside_new_ones() {
    let (input, bytes) = (pages(), parquet(&pages(), GROUP));
    let out = copied(&bytes);
    let (before, after) = (metadata(&bytes), metadata(&out));
    assert_eq!(
        after.row_groups().iter().map(|group| group.num_rows()).collect::<Vec<_>>(),
        [10_000, 10_000, 5_000]
    );
    for (before, after) in before.row_groups().iter().zip(after.row_groups()) {
        for (one, other) in before.columns().iter().zip(after.columns()) {
            assert_eq!(one.compression(), other.compression());
            assert_eq!(one.statistics(), other.statistics());
            assert_eq!(one.compressed_size(), other.compressed_size());
        }
        assert!(matches!(after.column(after.num_columns() - 1).compression(), Compression::ZSTD(_)));
    }
    let output = read(out);
    assert_eq!(output.project(&[0, 1, 2, 3, 4]).unwrap(), input);
    let allowed = (0..ROWS).map(|row| Some(row % 2 == 0)).collect::<BooleanArray>();
    assert_eq!(output.column(5).as_ref(), &allowed as &dyn arrow_array::Array);
}

#[test]
fn small_groups_of_rows_and_columns_of_one_name_are_not_copied() {
    assert!(!open(&parquet(&pages(), 1_000)).copies_columns());
    let batch = pages();
    let twice: Vec<_> =
        batch.schema().fields().iter().cloned().chain([batch.schema().field(0).clone().into()]).collect();
    let columns = batch.columns().iter().cloned().chain([batch.column(0).clone()]).collect();
    let twice = RecordBatch::try_new(Arc::new(Schema::new(twice)), columns).unwrap();
    assert!(!open(&parquet(&twice, GROUP)).copies_columns());
}

#[test]
fn a_group_that_is_not_whole_is_refused() {
    let bytes = parquet(&pages(), GROUP);
    let mut pages = open(&bytes);
    let format = TableFormat::of_name("out.parquet").unwrap();
    let mut writer = TableWriter::new("out.parquet", Vec::new(), format, pages.schema()).unwrap();
    let first = pages.next().unwrap().unwrap();
    writer.begin_row_group(pages.take_row_group().unwrap()).unwrap();
    writer.write(&first).unwrap();
    assert!(writer.finish().is_err());
}

#[test]
fn damage_anywhere_ends_the_reading_and_is_counted() {
    let bytes = parquet(&pages(), GROUP);
    let metadata = metadata(&bytes);
    for column in 0..metadata.row_group(1).num_columns() {
        let chunk = metadata.row_group(1).column(column);
        let (begin, length) = chunk.byte_range();
        let mut damaged = bytes.clone();
        damaged[begin as usize..(begin + length) as usize].fill(0xff);
        let mut pages = open(&damaged);
        let rows: usize = pages.by_ref().map(|batch| batch.unwrap().num_rows()).sum();
        assert_eq!((rows, pages.damaged().count()), (GROUP, 1), "{column}");
    }
}

/// Pages that are not compressed can be unpacked whatever is in them.
#[test]
fn what_cannot_be_decoded_is_not_copied() {
    let bytes = compressed(&pages(), GROUP, Compression::UNCOMPRESSED);
    let metadata = metadata(&bytes);
    let damage = |bytes: &[u8], options: &PageOptions| {
        let input = ArchiveInput::file("pages.parquet", Cursor::new(bytes.to_vec()));
        let mut pages = Pages::open(input, options).unwrap();
        assert_eq!(pages.copies_columns(), pages.by_ref().next().unwrap().unwrap().num_columns() == 1);
        pages.by_ref().for_each(|batch| drop(batch.unwrap()));
        pages.damaged().count()
    };
    let mut found = 0;
    for column in 0..metadata.row_group(1).num_columns() {
        let (begin, length) = metadata.row_group(1).column(column).byte_range();
        for eighth in 1..8 {
            let at = (begin + length * eighth / 8) as usize;
            let mut damaged = bytes.clone();
            damaged[at - 16..at].fill(0xff);
            let decoded = damage(&damaged, &PageOptions::new());
            let copied = damage(&damaged, &PageOptions::new().copy_columns(true));
            assert_eq!(copied > 0, decoded > 0, "{column}, {eighth}");
            found += u64::from(copied > 0);
        }
    }
    assert!(found > 7, "{found}");
}

/// What is not copied is kept in memory until its group ends.
#[test]
fn nothing_is_copied_beside_large_columns_that_are_not() {
    let urls = (0..GROUP).map(|n| Some(format!("https://a.example/{n}")));
    let urls: ArrayRef = Arc::new(urls.collect::<StringArray>());
    // Such a file has days where tables that are written have milliseconds.
    let properties = WriterProperties::builder().set_coerce_types(true).build();
    for (length, is_copied) in [(100, true), (7_000, false)] {
        let texts: ArrayRef =
            Arc::new((0..GROUP).map(|n| Some(format!("{n:0length$}"))).collect::<StringArray>());
        let days: ArrayRef = Arc::new(Date64Array::from(vec![86_400_000; GROUP]));
        let notes = StructArray::try_from(vec![("text", texts), ("day", days)]).unwrap();
        let notes: ArrayRef = Arc::new(notes);
        let batch = RecordBatch::try_from_iter([("url", urls.clone()), ("notes", notes)]).unwrap();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties.clone())).unwrap();
        writer.write(&batch).unwrap();
        assert_eq!(open(&writer.into_inner().unwrap()).copies_columns(), is_copied, "{length}");
    }
}
