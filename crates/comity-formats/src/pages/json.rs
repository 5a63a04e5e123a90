//! Reads lines with one JSON object each. The fields of the first lines are the columns. Fields that occur only later are
//! ignored.

use std::io::{BufReader, Read};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_json::ReaderBuilder;
use arrow_json::reader::infer_json_schema_from_iterator;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use serde_json::Value;

use super::{MAX_COLUMNS, OpenedReader, Reader};
use crate::damage::Damaged;
use crate::error::ArchiveError;
use crate::format::{ArchiveFormat, Compression};
use crate::input::ArchiveInput;
use crate::lines::{Lines, Next};
use crate::options::PageOptions;

/// Maximum number of lines in which columns are detected.
const MAX_FIRST_LINES: usize = 1_000;

/// Size of the read lines at which the detection of columns ends, in bytes.
const MAX_FIRST_BYTES: usize = 8 << 20;

/// Maximum nesting depth of an object, which is the limit of `serde_json`.
const DEPTH: usize = 127;

/// Size of the text at which a batch ends, in bytes.
const BATCH_BYTES: usize = 32 << 20;

pub(super) fn open(
    input: ArchiveInput,
    compression: Compression,
    format: ArchiveFormat,
    options: &PageOptions,
) -> Result<OpenedReader, ArchiveError> {
    let name = input.name().to_owned();
    let plain = BufReader::with_capacity(1 << 16, input.into_plain(compression)?);
    let mut objects = Objects { lines: Lines::new(plain, options.max_record_bytes), format };
    let mut damaged = Damaged::default();
    let mut first = Vec::new();
    let mut bytes = 0;
    while first.len() < MAX_FIRST_LINES && bytes < MAX_FIRST_BYTES {
        let mut object = Vec::new();
        match objects.next(&mut object, &mut damaged) {
            Ok(Some(number)) => {
                bytes += object.len();
                first.push((number, object));
            }
            Ok(None) => break,
            Err(error) if first.is_empty() => return Err(ArchiveError::io(&name, error)),
            Err(error) => {
                objects.skip_rest(&error, &mut damaged);
                break;
            }
        }
    }
    let values = first.iter().filter_map(|(_, object)| serde_json::from_slice::<Value>(object).ok());
    let schema = infer_json_schema_from_iterator(values.filter(Value::is_object).map(Ok::<_, ArrowError>))
        .map_err(|error| ArchiveError::broken(&name, format, error))?;
    // A column without a value in the first lines may have a value later.
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Null => Field::new(field.name(), DataType::Utf8, true),
        _ => field.as_ref().clone(),
    });
    let schema = Schema::new(fields.collect::<Vec<_>>());
    if schema.flattened_fields().len() > MAX_COLUMNS {
        let problem = format!("the first lines have more than {MAX_COLUMNS} different fields");
        return Err(ArchiveError::broken(&name, format, problem));
    }
    first.reverse();
    let reader =
        Json { name, objects, first, schema: Arc::new(schema.clone()), batch_rows: options.batch_rows };
    Ok(OpenedReader { reader: Box::new(reader), schema, url_index: None, damaged })
}

/// A reader of lines with JSON objects.
struct Objects {
    lines: Lines<BufReader<Box<dyn Read + Send>>>,
    format: ArchiveFormat,
}

impl Objects {
    /// Ends the input after an error, and counts the rest as damage.
    fn skip_rest(&mut self, error: &std::io::Error, damaged: &mut Damaged) {
        damaged.note(self.lines.number() + 1, format!("the rest cannot be read: {error}"));
        self.lines = Lines::new(BufReader::new(Box::new(std::io::empty())), 0);
    }

    /// Reads the next line that begins like an object. Returns the number of the line, or `None` at the end.
    fn next(&mut self, object: &mut Vec<u8>, damaged: &mut Damaged) -> std::io::Result<Option<u64>> {
        loop {
            let (number, line) = match self.lines.next()? {
                Next::End => return Ok(None),
                Next::TooLong(number) => {
                    damaged.note(number, "exceeds the maximum length of a line");
                    continue;
                }
                Next::Line(number, line) => (number, line.trim_ascii()),
            };
            if line.is_empty() {
                continue;
            }
            object.clear();
            let is_object = match self.format {
                ArchiveFormat::Cdxj if !line.starts_with(b"{") => flattened(line, object),
                _ => {
                    object.extend_from_slice(line);
                    line.starts_with(b"{")
                }
            };
            // Lines that begin with `!` are metadata of the index.
            if !is_object && line.starts_with(b"!") && self.format == ArchiveFormat::Cdxj {
                continue;
            }
            if !is_object {
                damaged.note(number, "not a JSON object");
                continue;
            }
            if is_too_deep(object) {
                damaged.note(number, "nested too deeply");
                continue;
            }
            return Ok(Some(number));
        }
    }
}

/// Returns whether arrays and objects are nested deeper than the limit. The Arrow parser would read such a line as null.
fn is_too_deep(object: &[u8]) -> bool {
    if memchr::memchr2_iter(b'[', b'{', object).count() <= DEPTH {
        return false;
    }
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    for byte in object {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => depth += 1,
            b']' | b'}' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH {
            return true;
        }
    }
    false
}

/// Converts a line `urlkey timestamp {…}` to one object. Returns false if the line has another format.
fn flattened(line: &[u8], object: &mut Vec<u8>) -> bool {
    let mut words = line.splitn(3, |byte| *byte == b' ');
    let (Some(key), Some(time), Some(rest)) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    let Some(rest) = rest.trim_ascii_start().strip_prefix(b"{") else { return false };
    object.push(b'{');
    for (name, value) in [("urlkey", key), ("timestamp", time)] {
        let value = Value::from(String::from_utf8_lossy(value));
        object.extend_from_slice(format!("\"{name}\":{value}").as_bytes());
        if name == "urlkey" || !rest.trim_ascii_start().starts_with(b"}") {
            object.push(b',');
        }
    }
    object.extend_from_slice(rest);
    true
}

struct Json {
    name: String,
    objects: Objects,
    /// The lines that were read to detect the columns, in reverse order.
    first: Vec<(u64, Vec<u8>)>,
    schema: Arc<Schema>,
    batch_rows: usize,
}

impl Json {
    fn next_object(&mut self, object: &mut Vec<u8>, damaged: &mut Damaged) -> Option<u64> {
        if let Some((number, first)) = self.first.pop() {
            *object = first;
            return Some(number);
        }
        match self.objects.next(object, damaged) {
            Ok(number) => number,
            Err(error) => {
                self.objects.skip_rest(&error, damaged);
                None
            }
        }
    }

    fn decode(&self, objects: &[u8], count: usize) -> Result<Option<RecordBatch>, ArrowError> {
        let mut decoder = ReaderBuilder::new(self.schema.clone())
            .with_batch_size(count.max(1))
            .with_coerce_primitive(true)
            .with_ignore_type_conflicts(true)
            .build_decoder()?;
        decoder.decode(objects)?;
        decoder.flush()
    }
}

impl Reader for Json {
    fn next(&mut self, damaged: &mut Damaged) -> Option<Result<RecordBatch, ArchiveError>> {
        loop {
            // `starts` are the numbers of the lines, and their offsets in `text`.
            let (mut text, mut starts) = (Vec::new(), Vec::new());
            let mut object = Vec::new();
            while starts.len() < self.batch_rows && text.len() < BATCH_BYTES {
                let Some(number) = self.next_object(&mut object, damaged) else { break };
                starts.push((number, text.len()));
                text.extend_from_slice(&object);
                text.push(b'\n');
            }
            if starts.is_empty() {
                return None;
            }
            let broken = |error| ArchiveError::broken(&self.name, self.objects.format, error);
            if let Ok(batch) = self.decode(&text, starts.len())
                && batch.as_ref().is_some_and(|batch| batch.num_rows() == starts.len())
            {
                return batch.map(Ok);
            }
            // At least one line is invalid, so each line is decoded separately.
            let ends = starts.iter().skip(1).map(|(_, from)| *from).chain([text.len()]);
            let mut whole = Vec::new();
            for ((number, from), to) in starts.iter().zip(ends) {
                match self.decode(text.get(*from..to).unwrap_or_default(), 1) {
                    Ok(Some(batch)) if batch.num_rows() == 1 => whole.push(batch),
                    Ok(_) => damaged.note(*number, "not exactly one JSON object"),
                    Err(error) => damaged.note(*number, error.to_string()),
                }
            }
            if !whole.is_empty() {
                return Some(arrow_select::concat::concat_batches(&self.schema, &whole).map_err(broken));
            }
        }
    }
}
