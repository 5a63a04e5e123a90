//! Tables of text: CSV, TSV, CDX and lists of URLs. All columns have the type text, so that values are copied unchanged.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::builder::StringBuilder;
use arrow_schema::{DataType, Field, Schema};

use super::{MAX_COLUMNS, OpenedReader, Reader};
use crate::damage::Damaged;
use crate::error::ArchiveError;
use crate::format::{ArchiveFormat, Compression};
use crate::input::ArchiveInput;
use crate::lines::{Lines, Next};
use crate::options::PageOptions;

/// Size of the text at which a batch ends, in bytes.
const BATCH_BYTES: usize = 32 << 20;

/// The decompressed bytes.
type Plain = BufReader<Box<dyn std::io::Read + Send>>;

/// Opens a table, and detects whether the first row is a header.
pub(super) fn open(
    input: ArchiveInput,
    compression: Compression,
    format: ArchiveFormat,
    options: &PageOptions,
) -> Result<OpenedReader, ArchiveError> {
    let name = input.name().to_owned();
    let plain = BufReader::with_capacity(1 << 16, input.into_plain(compression)?);
    let mut rows = match format {
        ArchiveFormat::Csv => {
            Rows::quoted(plain, options.delimiter.unwrap_or(b','), options.max_record_bytes)
        }
        ArchiveFormat::Tsv => {
            Rows::quoted(plain, options.delimiter.unwrap_or(b'\t'), options.max_record_bytes)
        }
        _ => Rows::Lines(Lines::new(plain, options.max_record_bytes), format),
    };
    let mut row = Row::default();
    let mut damaged = Damaged::default();
    let has_row = rows.next(&mut row, &mut damaged).map_err(|error| ArchiveError::io(&name, error))?;
    // A damaged first row may contain the names of the columns.
    let is_quoted = matches!(format, ArchiveFormat::Csv | ArchiveFormat::Tsv);
    if let Some(lost) = damaged.first().first().filter(|_| is_quoted && row.number != 1) {
        return Err(ArchiveError::broken(&name, format, format!("its first row: {}", lost.problem)));
    }
    let (names, pending) = match format {
        _ if !has_row => (vec!["url".to_owned()], None),
        ArchiveFormat::Urls => (vec!["url".to_owned()], Some(row)),
        ArchiveFormat::Cdx => match legend(&row) {
            Some(names) => (names, None),
            None => (cdx_columns(row.ends.len()), Some(row)),
        },
        _ if is_header(&row, options) => (row.texts().map(str::to_owned).collect(), None),
        _ => ((1..=row.ends.len()).map(|number| format!("column_{number}")).collect(), Some(row)),
    };
    let names = distinct(names);
    let url_index = pending.as_ref().and_then(|row| row.texts().position(is_url));
    let fields = names.iter().map(|name| Field::new(name, DataType::Utf8, true));
    let schema = Schema::new(fields.collect::<Vec<_>>());
    let reader = DelimitedReader {
        name,
        format,
        rows,
        pending,
        schema: Arc::new(schema.clone()),
        batch_rows: options.batch_rows,
    };
    Ok(OpenedReader { reader: Box::new(reader), schema, url_index, damaged })
}

fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// Returns whether a first row is a header: it contains the requested column name, or neither a URL nor an empty field.
fn is_header(row: &Row, options: &PageOptions) -> bool {
    let is_requested = |text: &str| options.url_column.as_deref() == Some(text);
    row.texts().any(is_requested) || !row.texts().any(|text| is_url(text) || text.is_empty())
}

/// Returns the column names of a CDX header, such as ` CDX N b a m s k r M S V g`.
fn legend(row: &Row) -> Option<Vec<String>> {
    let mut words = row.texts().skip_while(|word| word.is_empty());
    (words.next() == Some("CDX")).then(|| words.map(cdx_column).collect())
}

fn cdx_column(letter: &str) -> String {
    let name = match letter {
        "N" => "urlkey",
        "b" => "timestamp",
        "a" => "url",
        "m" => "mime",
        "s" => "status",
        "k" => "digest",
        "r" => "redirect",
        "M" => "robotflags",
        "S" => "length",
        "V" => "offset",
        "g" => "filename",
        other => other,
    };
    name.to_owned()
}

/// Returns the column names of CDX lines without a header, by the number of columns.
fn cdx_columns(count: usize) -> Vec<String> {
    let letters = match count {
        0..=7 => "N b a m s k S",
        8..=9 => "N b a m s k r V g",
        _ => "N b a m s k r M S V g",
    };
    let known = letters.split(' ').map(cdx_column);
    known.chain((12..).map(|number| format!("column_{number}"))).take(count).collect()
}

/// Appends a number to each repeated name.
fn distinct(names: Vec<String>) -> Vec<String> {
    // The next number of each name.
    let mut next: HashMap<String, usize> = HashMap::with_capacity(names.len());
    let mut distinct = Vec::with_capacity(names.len());
    for name in names {
        let mut free = name.clone();
        let mut number = next.get(&name).copied().unwrap_or(1);
        while next.contains_key(&free) {
            number += 1;
            free = format!("{name}_{number}");
        }
        next.insert(name, number);
        next.insert(free.clone(), 1);
        distinct.push(free);
    }
    distinct
}

/// A row of a table.
#[derive(Debug, Default)]
struct Row {
    /// The concatenated fields.
    bytes: Vec<u8>,
    /// The end of each field in `bytes`.
    ends: Vec<usize>,
    /// Number of the row or line, from 1.
    number: u64,
}

impl Row {
    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    fn push(&mut self, field: &[u8]) {
        self.bytes.extend_from_slice(field);
        self.ends.push(self.bytes.len());
    }

    fn fields(&self) -> impl Iterator<Item = &[u8]> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(from, to)| self.bytes.get(from..*to).unwrap_or_default())
    }

    /// Returns the fields as text. A field that is not UTF-8 becomes empty.
    fn texts(&self) -> impl Iterator<Item = &str> {
        self.fields().map(|field| std::str::from_utf8(field).unwrap_or_default())
    }
}

/// The parser that splits an input into rows.
enum Rows {
    Quoted(Box<CsvRows>),
    Lines(Lines<Plain>, ArchiveFormat),
}

impl Rows {
    fn quoted(bytes: Plain, delimiter: u8, limit: usize) -> Rows {
        let core = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
        Rows::Quoted(Box::new(CsvRows {
            bytes,
            core,
            limit,
            number: 0,
            is_first: true,
            is_over: false,
            is_unended: false,
        }))
    }

    /// Reads the next row. Returns false at the end.
    fn next(&mut self, row: &mut Row, damaged: &mut Damaged) -> std::io::Result<bool> {
        match self {
            Rows::Quoted(quoted) => quoted.next(row, damaged),
            Rows::Lines(lines, format) => next_line(lines, *format, row, damaged),
        }
    }
}

fn next_line(
    lines: &mut Lines<Plain>,
    format: ArchiveFormat,
    row: &mut Row,
    damaged: &mut Damaged,
) -> std::io::Result<bool> {
    loop {
        let (number, line) = match lines.next()? {
            Next::End => return Ok(false),
            Next::TooLong(number) => {
                damaged.note(number, TOO_LONG);
                continue;
            }
            Next::Line(number, line) => (number, line),
        };
        row.clear();
        row.number = number;
        if format == ArchiveFormat::Cdx {
            let is_legend = number == 1 && line.starts_with(b" CDX");
            if line.is_empty() || (line.starts_with(b" ") && !is_legend) {
                continue;
            }
            line.split(|byte| *byte == b' ').take(MAX_COLUMNS).for_each(|field| row.push(field));
        } else {
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            row.push(line);
        }
        if lines.is_unended() {
            damaged.note(number, UNENDED);
        }
        return Ok(true);
    }
}

/// The problem of a last row without a line end. RFC 4180 does not require the line end, so the row is used.
const UNENDED: &str = "the last line has no line end; it is used, but may be cut off";

const TOO_LONG: &str = "exceeds the maximum length of a line";

/// A parser of CSV (RFC 4180), in which a quoted field may contain line ends.
struct CsvRows {
    bytes: Plain,
    core: csv_core::Reader,
    limit: usize,
    number: u64,
    is_first: bool,
    /// True if the end of the input was reached.
    is_over: bool,
    /// True if the last row has no line end.
    is_unended: bool,
}

impl CsvRows {
    fn next(&mut self, row: &mut Row, damaged: &mut Damaged) -> std::io::Result<bool> {
        if std::mem::take(&mut self.is_first) && self.bytes.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
            self.bytes.consume(3);
        }
        loop {
            match self.read(row)? {
                Read::End => return Ok(false),
                Read::Row => {
                    if self.is_unended {
                        damaged.note(self.number, UNENDED);
                    }
                    return Ok(true);
                }
                Read::Rejected(problem) => damaged.note(self.number, problem),
            }
        }
    }

    /// Reads one record. Stores at most `limit` bytes of it, or 4,096 bytes if `limit` is less.
    fn read(&mut self, row: &mut Row) -> std::io::Result<Read> {
        use csv_core::ReadRecordResult::{End, InputEmpty, OutputEndsFull, OutputFull, Record};

        row.bytes.resize(row.bytes.capacity().clamp(4096, self.limit.max(4096)), 0);
        row.ends.resize(row.ends.capacity().clamp(64, MAX_COLUMNS), 0);
        let (mut written, mut ended) = (0, 0);
        let mut problem = None;
        loop {
            let available = self.bytes.fill_buf()?;
            let is_over = available.is_empty();
            // At the end of the input, a line end is added. It ends the last row, except within quotes.
            let available =
                if is_over && !std::mem::replace(&mut self.is_over, true) { b"\n" } else { available };
            let (result, used, out, ends) = self.core.read_record(
                available,
                row.bytes.get_mut(written..).unwrap_or_default(),
                row.ends.get_mut(ended..).unwrap_or_default(),
            );
            let is_quoted = is_over && available.is_empty();
            if !is_over {
                self.bytes.consume(used);
            }
            written += out;
            ended += ends;
            match result {
                InputEmpty => {}
                OutputFull if row.bytes.len() < self.limit => {
                    row.bytes.resize((row.bytes.len() * 2).min(self.limit), 0)
                }
                OutputFull => {
                    // The rest of the record is read into the same buffer, and ignored.
                    problem = Some(TOO_LONG);
                    written = 0;
                }
                OutputEndsFull if row.ends.len() < MAX_COLUMNS => {
                    row.ends.resize((row.ends.len() * 2).min(MAX_COLUMNS), 0)
                }
                OutputEndsFull => {
                    problem = Some("exceeds the maximum number of fields");
                    ended = 0;
                }
                Record => {
                    self.number += 1;
                    self.is_unended = is_over;
                    if is_quoted {
                        return Ok(Read::Rejected("cut off within quotes"));
                    }
                    row.bytes.truncate(written);
                    row.ends.truncate(ended);
                    row.number = self.number;
                    return Ok(problem.map_or(Read::Row, Read::Rejected));
                }
                End => return Ok(Read::End),
            }
        }
    }
}

/// The result of reading a record.
enum Read {
    Row,
    /// A row that was skipped, with the reason.
    Rejected(&'static str),
    End,
}

struct DelimitedReader {
    name: String,
    format: ArchiveFormat,
    rows: Rows,
    /// The first row, if it is not a header.
    pending: Option<Row>,
    schema: Arc<Schema>,
    batch_rows: usize,
}

impl Reader for DelimitedReader {
    fn next(&mut self, damaged: &mut Damaged) -> Option<Result<RecordBatch, ArchiveError>> {
        let mut columns: Vec<StringBuilder> =
            self.schema.fields().iter().map(|_| StringBuilder::new()).collect();
        let (mut count, mut bytes) = (0, 0);
        let mut row = Row::default();
        while count < self.batch_rows && bytes < BATCH_BYTES {
            match self.pending.take() {
                Some(first) => row = first,
                None => match self.rows.next(&mut row, damaged) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => {
                        // The rows before the error are returned, such as those of a truncated file.
                        damaged.note(row.number + 1, format!("the rest cannot be read: {error}"));
                        self.rows = Rows::Lines(Lines::new(nothing(), 0), self.format);
                        break;
                    }
                },
            }
            if row.ends.len() != columns.len() && self.format != ArchiveFormat::Cdx {
                damaged.note(
                    row.number,
                    format!("{} fields, but the table has {} columns", row.ends.len(), columns.len()),
                );
                continue;
            }
            if std::str::from_utf8(&row.bytes).is_err() {
                damaged.note(row.number, "not UTF-8 text; convert the file");
                continue;
            }
            let mut fields = row.fields();
            for column in &mut columns {
                match fields.next().unwrap_or_default() {
                    b"" => column.append_null(),
                    field => column.append_value(String::from_utf8_lossy(field)),
                }
            }
            count += 1;
            bytes += row.bytes.len();
        }
        if count == 0 {
            return None;
        }
        let columns =
            columns.iter_mut().map(|column| Arc::new(column.finish()) as arrow_array::ArrayRef).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), columns);
        Some(batch.map_err(|error| ArchiveError::broken(&self.name, self.format, error)))
    }
}

fn nothing() -> Plain {
    BufReader::new(Box::new(std::io::empty()))
}
