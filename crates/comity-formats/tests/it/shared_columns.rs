//! Tests of Parquet files in which several columns contain one Arrow array. Such columns are encoded once.

use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Decimal128Array, DictionaryArray, FixedSizeBinaryArray,
    Float64Array, Int64Array, LargeStringArray, ListArray, RecordBatch, StringArray, StringViewArray,
    StructArray, TimestampMicrosecondArray, UInt32Array, make_array, new_null_array,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use comity_formats::{TableFormat, TableWriter};

use crate::parquet_files::{metadata, read};

/// Returns columns of all kinds that Parquet encodes differently, with values that depend on the seed.
fn kinds(rows: usize, seed: usize) -> Vec<(&'static str, ArrayRef)> {
    let numbers = || (0..rows).map(|row| (row * 7919 + seed * 31) % 1000);
    let some = |number: usize| !number.is_multiple_of(5);
    let text = |number: usize| format!("text {}", number / 10);
    let texts = || numbers().map(|number| some(number).then(|| text(number)));
    let words =
        || numbers().map(|number| some(number).then_some(["allow", "disallow", "unknown"][number % 3]));
    // All texts are different, so that Parquet stores no dictionary.
    let different = (0..rows).map(|row| Some(format!("{row:0100} {seed}")));
    let lists = numbers().map(|number| {
        some(number).then(|| (0..number % 4).map(|item| Some(item as i32)).collect::<Vec<_>>())
    });
    let parts: [(&str, ArrayRef); 2] = [
        ("number", Arc::new(numbers().map(|number| Some(number as i64)).collect::<Int64Array>())),
        ("text", Arc::new(texts().collect::<StringArray>())),
    ];
    let bytes = numbers().map(|number| some(number).then_some([number as u8; 8]));
    let decimals = numbers().map(|number| some(number).then_some(number as i128));
    let delays = numbers().map(|number| match number % 7 {
        0 => None,
        1 => Some(f64::NAN),
        _ => Some(number as f64 / 8.0),
    });
    vec![
        (
            "flags",
            Arc::new(numbers().map(|number| some(number).then_some(number > 500)).collect::<BooleanArray>()),
        ),
        (
            "counts",
            Arc::new(numbers().map(|number| some(number).then_some(number as u32)).collect::<UInt32Array>()),
        ),
        ("delays", Arc::new(delays.collect::<Float64Array>())),
        (
            "times",
            Arc::new(
                numbers()
                    .map(|number| some(number).then_some(number as i64))
                    .collect::<TimestampMicrosecondArray>(),
            ),
        ),
        ("decimals", Arc::new(decimals.collect::<Decimal128Array>())),
        ("texts", Arc::new(texts().collect::<StringArray>())),
        ("long texts", Arc::new(texts().collect::<LargeStringArray>())),
        ("views", Arc::new(texts().collect::<StringViewArray>())),
        ("different", Arc::new(different.collect::<StringArray>())),
        (
            "runs",
            Arc::new((0..rows).map(|row| Some(format!("{}", row / 500 + seed))).collect::<StringArray>()),
        ),
        ("one text", Arc::new(StringArray::from(vec![format!("one {seed}"); rows]))),
        ("nothing", new_null_array(&DataType::Utf8, rows)),
        ("words", Arc::new(words().collect::<DictionaryArray<Int8Type>>())),
        (
            "bytes",
            Arc::new(BinaryArray::from_iter(
                numbers().map(|number| some(number).then(|| text(number).into_bytes())),
            )),
        ),
        ("eight bytes", Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes, 8).unwrap())),
        ("lists", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))),
        ("parts", Arc::new(StructArray::try_from(parts.to_vec()).unwrap())),
    ]
}

/// Returns an equal array with another address.
fn copied(array: &ArrayRef) -> ArrayRef {
    make_array(array.to_data())
}

fn fields(names: &[&str], data_type: &DataType) -> SchemaRef {
    let fields: Vec<Field> = names.iter().map(|name| Field::new(*name, data_type.clone(), true)).collect();
    Arc::new(Schema::new(fields))
}

fn written(schema: &SchemaRef, batches: impl IntoIterator<Item = Vec<ArrayRef>>) -> Vec<u8> {
    let format = TableFormat::of_name("out.parquet").unwrap();
    let mut writer = TableWriter::new("out.parquet", Vec::new(), format, schema.clone()).unwrap();
    for columns in batches {
        writer.write(&RecordBatch::try_new(schema.clone(), columns).unwrap()).unwrap();
    }
    writer.finish().unwrap()
}

fn slices(array: &ArrayRef, rows: usize) -> Vec<ArrayRef> {
    let starts = (0..array.len()).step_by(rows);
    starts.map(|start| array.slice(start, rows.min(array.len() - start))).collect()
}

#[test]
fn shared_columns_have_the_bytes_of_separate_columns() {
    for (kind, array) in kinds(30_000, 0) {
        let schema = fields(&["a", "b_of_longer_name", "c"], array.data_type());
        let batches = slices(&array, 8192);
        let shared = written(&schema, batches.iter().map(|array| vec![array.clone(); 3]));
        let alone =
            written(&schema, batches.iter().map(|array| (0..3).map(|_| copied(array)).collect::<Vec<_>>()));
        assert!(shared == alone, "{kind}");
        let table = read(shared);
        assert!(table.columns().iter().all(|column| column == &array), "{kind}");
    }
}

#[test]
fn columns_that_stop_sharing_an_array_have_the_bytes_of_separate_columns() {
    // The number of the array of each column, batch by batch. Columns with equal numbers share an array.
    let cases: [&[[usize; 4]]; 5] = [
        &[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]],
        &[[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
        &[[0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 1]],
        &[[0, 1, 0, 1], [2, 0, 2, 1], [0, 1, 2, 0]],
        &[[0, 0, 0, 0], [0, 1, 2, 3], [0, 0, 0, 0]],
    ];
    let distinct: Vec<_> = (0..4).map(|seed| kinds(4096, seed)).collect();
    for (number, (kind, array)) in distinct[0].iter().enumerate() {
        let schema = fields(&["a", "b", "c", "d"], array.data_type());
        for case in cases {
            let batches = |array: fn(&ArrayRef) -> ArrayRef| {
                let columns =
                    |batch: &[usize; 4]| batch.iter().map(|seed| array(&distinct[*seed][number].1)).collect();
                written(&schema, case.iter().map(columns))
            };
            assert!(batches(ArrayRef::clone) == batches(copied), "{kind}, {case:?}");
        }
    }
}

#[test]
fn columns_are_shared_in_several_row_groups() {
    let flags: ArrayRef = Arc::new((0..300_000).map(|row| Some(row % 3 == 0)).collect::<BooleanArray>());
    let schema = fields(&["a", "b"], flags.data_type());
    let shared = written(&schema, (0..5).map(|_| vec![flags.clone(); 2]));
    let alone = written(&schema, (0..5).map(|_| vec![flags.clone(), copied(&flags)]));
    assert_eq!(metadata(&shared).num_row_groups(), 2);
    assert!(shared == alone);
}

#[test]
fn one_array_with_two_kinds_of_fields_is_written_correctly() {
    let numbers: ArrayRef = Arc::new(UInt32Array::from_iter_values(0..1000));
    let fields: Vec<Field> = [("a", true), ("b", false), ("c", true)]
        .map(|(name, null)| Field::new(name, DataType::UInt32, null))
        .into();
    let schema = Arc::new(Schema::new(fields));
    let bytes = written(&schema, [vec![numbers.clone(); 3]]);
    assert!(bytes == written(&schema, [(0..3).map(|_| copied(&numbers)).collect::<Vec<_>>()]));
    assert_eq!(read(bytes).schema().fields(), schema.fields());
}

/// Writes random batches in which columns are one array or different arrays.
#[test]
fn randomly_shared_columns_are_read_back_unchanged() {
    const ROWS: usize = 30_000;
    let names = ["a", "b", "c", "d", "e"];
    let distinct: Vec<_> = (0..names.len()).map(|seed| kinds(ROWS, seed)).collect();
    for seed in 0..60 {
        let mut random = fastrand::Rng::with_seed(seed);
        let kind = random.usize(..distinct[0].len());
        let schema = fields(&names, distinct[0][kind].1.data_type());
        let mut expected: Vec<Vec<ArrayRef>> = vec![Vec::new(); names.len()];
        let (mut at, mut columns, mut batches) = (0, [0; 5], Vec::new());
        while at < ROWS {
            if random.u8(..4) == 0 {
                columns[random.usize(..5)] = random.usize(..5);
            }
            let length = random.usize(1..=3000).min(ROWS - at);
            let arrays: Vec<ArrayRef> =
                distinct.iter().map(|distinct| distinct[kind].1.slice(at, length)).collect();
            let batch: Vec<ArrayRef> = columns.iter().map(|number| arrays[*number].clone()).collect();
            expected.iter_mut().zip(&batch).for_each(|(expected, array)| expected.push(array.clone()));
            batches.push(batch);
            at += length;
        }
        let table = read(written(&schema, batches));
        for (name, expected) in names.iter().zip(&expected) {
            let expected: Vec<&dyn Array> = expected.iter().map(AsRef::as_ref).collect();
            let expected = arrow_select::concat::concat(&expected).unwrap();
            assert!(table[*name] == expected, "{name}, seed {seed}");
        }
    }
}
