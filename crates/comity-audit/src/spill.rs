//! Pages whose answers do not fit into memory. They are written to files by site, decided part by part, and merged back into
//! their original order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use comity_formats::{PageColumns, column_at};

use crate::answers::AnswerTables;
use crate::audit::AuditJob;
use crate::error::AuditError;
use crate::parts::{PARTS, part_of, scatter};
use crate::scratch::{PartBatches, PartReader, PartWriter, Scratch};

/// The column with the original position of a row. An input with such a column is rejected.
const PLACE: &str = "comity:place";

/// Bits of the row number in a position, which consists of the numbers of batch, view (crawler and moment) and row.
const ROW_BITS: u32 = 24;

/// Bits of the view number in a position.
const VIEW_BITS: u32 = 16;

/// Maximum number of rows in a merged batch.
const ROWS: usize = 8192;

/// Pages in files by site.
#[derive(Debug)]
pub(crate) struct SpilledPages {
    scratch: Arc<Scratch>,
    pages: PartWriter,
    batches: u64,
}

impl SpilledPages {
    /// Creates files in a folder.
    pub(crate) fn new(folder: &Path) -> Result<SpilledPages, AuditError> {
        let scratch = Arc::new(Scratch::new(folder)?);
        let pages = PartWriter::new(&scratch, "pages", PARTS);
        Ok(SpilledPages { scratch, pages, batches: 0 })
    }

    /// Adds a batch of pages. All batches have equal columns.
    pub(crate) fn add(&mut self, pages: &RecordBatch, columns: &PageColumns) -> Result<(), AuditError> {
        let urls = column_at(pages, &columns.url);
        let urls = urls.and_then(|urls| arrow_cast::cast(&urls, &DataType::Utf8).ok());
        let urls: Option<&StringArray> = urls.as_ref().and_then(|urls| urls.as_string_opt());
        let part = |row: usize| match urls {
            Some(urls) if urls.is_valid(row) => part_of(urls.value(row)),
            _ => 0,
        };
        let first = self.batches << (ROW_BITS + VIEW_BITS);
        self.batches += 1;
        let places: UInt64Array = (0..pages.num_rows() as u64).map(|row| Some(first | row)).collect();
        let placed = with_column(pages, Arc::new(places))?;
        for (part, rows) in scatter((0..pages.num_rows()).map(part)) {
            self.pages.write(part, &arrow_select::take::take_record_batch(&placed, &rows)?)?;
        }
        Ok(())
    }

    /// Decides all pages, part by part. Returns the rows to write, in the order of the pages. `done` is called with the number of
    /// decided pages.
    pub(crate) fn decide(
        self,
        job: &mut AuditJob,
        tables: &mut AnswerTables,
        columns: &PageColumns,
        mut done: impl FnMut(u64),
    ) -> Result<MergedRows, AuditError> {
        let mut count = 0;
        let pages = self.pages.finish()?;
        let mut schema = None;
        let mut rows = PartWriter::new(&self.scratch, "rows", PARTS);
        for part in 0..PARTS {
            let Some(batches) = pages.read(part)? else { continue };
            job.set_table(&tables.table(part)?);
            for batch in batches {
                let batch = batch?;
                for (view, decided) in job.decide(&batch, columns)?.into_iter().enumerate() {
                    schema.get_or_insert_with(|| decided.schema());
                    rows.write(part, &for_view(spelled_out(decided)?, view)?)?;
                }
                count += batch.num_rows() as u64;
                done(count);
            }
            pages.remove(part);
        }
        MergedRows::new(&rows.finish()?, schema)
    }
}

/// Adds the positions as a column.
fn with_column(batch: &RecordBatch, places: ArrayRef) -> Result<RecordBatch, AuditError> {
    let mut fields: Vec<Arc<Field>> = batch.schema_ref().fields().iter().cloned().collect();
    if batch.column_by_name(PLACE).is_some() {
        return Err(AuditError::NameTaken(PLACE.to_owned()));
    }
    fields.push(Arc::new(Field::new(PLACE, DataType::UInt64, false)));
    let columns = batch.columns().iter().cloned().chain([places]);
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.collect())?)
}

/// Replaces dictionaries by their values: many parts together have more values than one dictionary may have.
fn spelled_out(batch: RecordBatch) -> Result<RecordBatch, AuditError> {
    let plain = |field: &Arc<Field>| match field.data_type() {
        DataType::Dictionary(_, values) => {
            Arc::new(field.as_ref().clone().with_data_type((**values).clone()))
        }
        _ => field.clone(),
    };
    let fields: Vec<Arc<Field>> = batch.schema_ref().fields().iter().map(plain).collect();
    as_fields(&batch, Arc::new(Schema::new(fields)))
}

fn as_fields(batch: &RecordBatch, schema: SchemaRef) -> Result<RecordBatch, AuditError> {
    let columns = schema.fields().iter().zip(batch.columns());
    let columns = columns.map(|(field, column)| arrow_cast::cast(column, field.data_type()));
    Ok(RecordBatch::try_new(schema.clone(), columns.collect::<Result<_, _>>()?)?)
}

/// Moves the positions of rows behind those of the preceding crawlers and moments.
fn for_view(batch: RecordBatch, view: usize) -> Result<RecordBatch, AuditError> {
    if view == 0 {
        return Ok(batch);
    }
    let (schema, mut columns, _) = batch.into_parts();
    let place = schema.index_of(PLACE)?;
    if let Some(column) = columns.get_mut(place) {
        let places = column.as_primitive::<UInt64Type>();
        *column = Arc::new(places.unary::<_, UInt64Type>(|place| place | (view as u64) << ROW_BITS));
    }
    Ok(RecordBatch::try_new(schema, columns)?)
}

/// The rows of all parts, merged into the order of their pages, batch by batch.
pub(crate) struct MergedRows {
    /// The columns of the rows; `None` if there are no rows.
    schema: Option<SchemaRef>,
    runs: Vec<Run>,
    /// The next position of each run.
    next: BinaryHeap<Reverse<(u64, usize)>>,
}

/// The rows of one part.
struct Run {
    batches: PartBatches,
    batch: RecordBatch,
    places: UInt64Array,
    at: usize,
}

impl MergedRows {
    fn new(rows: &PartReader, placed: Option<SchemaRef>) -> Result<MergedRows, AuditError> {
        let without_place = |schema: SchemaRef| {
            let fields = schema.fields().iter().filter(|field| field.name() != PLACE).cloned();
            Arc::new(Schema::new(fields.collect::<Vec<_>>()))
        };
        let (mut runs, mut next) = (Vec::new(), BinaryHeap::new());
        for part in 0..PARTS {
            let Some(mut batches) = rows.read(part)? else { continue };
            let Some(batch) = batches.next().transpose()? else { continue };
            let (batch, places) = taken_apart(batch)?;
            next.extend(places.values().first().map(|place| Reverse((*place, runs.len()))));
            runs.push(Run { batches, batch, places, at: 0 });
        }
        Ok(MergedRows { schema: placed.map(without_place), runs, next })
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>, AuditError> {
        // The batches that rows are taken from. The index of the batch of each run is in `held_at`.
        let mut held: Vec<RecordBatch> = self.runs.iter().map(|run| run.batch.clone()).collect();
        let mut held_at: Vec<usize> = (0..held.len()).collect();
        let mut rows = Vec::with_capacity(ROWS);
        while rows.len() < ROWS {
            let Some(Reverse((_, number))) = self.next.pop() else { break };
            let (Some(run), Some(at)) = (self.runs.get_mut(number), held_at.get_mut(number)) else { break };
            rows.push((*at, run.at));
            run.at += 1;
            if run.at == run.places.len() {
                let Some(batch) = run.batches.next().transpose()? else { continue };
                (run.batch, run.places) = taken_apart(batch)?;
                run.at = 0;
                *at = held.len();
                held.push(run.batch.clone());
            }
            self.next.extend(run.places.values().get(run.at).map(|place| Reverse((*place, number))));
        }
        let Some(schema) = self.schema.clone().filter(|_| !rows.is_empty()) else { return Ok(None) };
        let held: Vec<&RecordBatch> = held.iter().collect();
        let merged = arrow_select::interleave::interleave_record_batch(&held, &rows)?;
        Ok(Some(as_fields(&merged, schema)?))
    }
}

/// Splits a batch into its rows and their positions.
fn taken_apart(mut batch: RecordBatch) -> Result<(RecordBatch, UInt64Array), AuditError> {
    let place = batch.schema_ref().index_of(PLACE)?;
    let places = batch.remove_column(place);
    Ok((batch, places.as_primitive::<UInt64Type>().clone()))
}

impl Iterator for MergedRows {
    type Item = Result<RecordBatch, AuditError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch().transpose()
    }
}

impl fmt::Debug for MergedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MergedRows").field("runs", &self.runs.len()).finish_non_exhaustive()
    }
}
