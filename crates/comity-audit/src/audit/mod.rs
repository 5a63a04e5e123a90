//! The pass over pages: decides each row for every crawler and moment, and counts the results.

mod auditors;
mod view;

use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::filter::FilterBuilder;
use comity_arrow::{Columns, RobotsTable};
use comity_formats::PageColumns;
use serde::{Deserialize, Serialize};

use self::auditors::Auditors;
use self::view::View;
use crate::answers::AnswerTables;
use crate::columns::asked_columns;
use crate::error::AuditError;
use crate::map::Map;
use crate::options::{AuditJobOptions, Moment, Only, RowForm};
use crate::signals::reading_fields;
use crate::summary::AuditSummary;
use crate::totals::{Class, PageRows, Totals};

/// A pass over pages that decides and counts them.
///
/// ```
/// use std::io::Cursor;
///
/// use comity::robots::Agent;
/// use comity_formats::{ArchiveInput, CaptureOptions, Captures, PageOptions, Pages};
/// use comity_audit::{AuditJob, AuditJobOptions, RobotsAnswers};
///
/// let mut answers = RobotsAnswers::new();
/// let table = "key,fetched_at,status,body\nhttps://example.com,2024-03-01,200,\"User-agent: *\nDisallow: /private\n\"\n";
/// for batch in Captures::open(ArchiveInput::file("robots.csv", Cursor::new(table)), &CaptureOptions::new())? {
///     answers.add(&batch?)?;
/// }
/// let tables = answers.into_tables()?;
///
/// let options = AuditJobOptions::new().agents([Agent::token("ExampleBot")?]);
/// let mut job = AuditJob::new(options, &tables)?;
/// let pages = "url,seen_at\nhttps://example.com/private/a,2024-03-02\nhttps://example.com/b,2024-03-02\n";
/// let mut pages = Pages::open(ArchiveInput::file("pages.csv", Cursor::new(pages)), &PageOptions::new())?;
/// let columns = pages.columns().clone();
/// while let Some(batch) = pages.next() {
///     let decided = job.decide(&batch?, &columns)?;
///     assert_eq!(decided[0].num_rows(), 2);
/// }
/// let summary = job.summary();
/// assert_eq!((summary.rows, summary.views[0].shares.disallowed), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AuditJob {
    options: AuditJobOptions,
    auditors: Auditors,
    views: Vec<View>,
    totals: Totals,
    rows: u64,
    rows_written: u64,
    /// Number of rows with different results at the two moments, by crawler.
    differing: Vec<u64>,
}

/// The totals of a part of a job.
#[derive(Debug, Serialize, Deserialize)]
pub struct JobTotals {
    rows: u64,
    rows_written: u64,
    totals: Totals,
    differing: Vec<u64>,
}

impl AuditJob {
    /// Creates a pass that decides pages by these answers. If they do not fit into memory ([`AnswerTables::single`] returns
    /// `None`), the pass has no answers: use [`run`](fn@crate::run), which decides the pages part by part.
    ///
    /// # Errors
    ///
    /// Returns [`AuditError`] if an empty table cannot be created.
    pub fn new(options: AuditJobOptions, tables: &AnswerTables) -> Result<AuditJob, AuditError> {
        let table = match tables.single() {
            Some(table) => table,
            None => Arc::new(RobotsTable::new([], Columns::new())?),
        };
        let auditors = Auditors::new(&options, &table);
        let views = View::all(&options, &auditors);
        let differing = vec![0; options.agents.len().max(1)];
        let totals = Totals::new(views.len());
        Ok(AuditJob { options, auditors, views, totals, rows: 0, rows_written: 0, differing })
    }

    /// Returns the moments for which rows are decided.
    pub(crate) fn moments(&self) -> &[Moment] {
        &self.options.moments
    }

    /// Sets the answers for the following pages. The totals are kept.
    pub(crate) fn set_table(&mut self, table: &Arc<RobotsTable>) {
        self.auditors.set_table(table);
    }

    /// Returns the output schema for pages with this schema.
    ///
    /// # Errors
    ///
    /// Returns [`AuditError`] if an output column would have the name of another column, or if neither the options nor a column
    /// name a crawler.
    pub fn schema(&self, input: &Schema, columns: &PageColumns) -> Result<SchemaRef, AuditError> {
        if self.options.agents.is_empty() && columns.agent.is_none() {
            return Err(AuditError::NoAgent);
        }
        let passed = self.passed(input);
        let mut fields: Vec<Arc<Field>> =
            passed.iter().filter_map(|column| input.fields().get(*column).cloned()).collect();
        let made = match self.options.form {
            RowForm::Wide => self.views.iter().flat_map(View::fields).collect::<Vec<_>>(),
            RowForm::Long => {
                let word = |name: &str| Field::new(self.named(name), DataType::Utf8, true);
                let of_row = self.views.first().map(|view| view.fields_as(&self.options.prefix));
                // In the long form, one set of columns has the page statements for the row's crawler.
                let readings =
                    (passed.len() < input.fields().len()).then(|| reading_fields(&self.options.prefix));
                let words = [word("agent"), word("moment")].into_iter();
                words.chain(of_row.into_iter().flatten()).chain(readings.into_iter().flatten()).collect()
            }
        };
        for field in made {
            match fields.iter().position(|known| known.name() == field.name()) {
                Some(place) if place < passed.len() => {
                    return Err(AuditError::NameTaken(field.name().clone()));
                }
                Some(_) => return Err(AuditError::SamePrefix(field.name().clone())),
                None => fields.push(Arc::new(field)),
            }
        }
        Ok(Arc::new(Schema::new(fields)))
    }

    /// Returns the input columns that are copied to the rows. In the long form, the page statements for each crawler are left
    /// out: a row has only the statements for its crawler, in other columns.
    fn passed(&self, input: &Schema) -> Vec<usize> {
        let of_views: Vec<String> = match self.options.form {
            RowForm::Wide => Vec::new(),
            RowForm::Long => self.views.iter().flat_map(View::own_readings).collect(),
        };
        let fields = input.fields().iter().enumerate();
        fields.filter(|(_, field)| !of_views.contains(field.name())).map(|(column, _)| column).collect()
    }

    fn named(&self, name: &str) -> String {
        format!("{}{name}", self.options.prefix)
    }

    /// Decides and counts a batch of pages. Returns the rows to write: one batch, or in the long form one for each crawler and
    /// moment.
    ///
    /// # Errors
    ///
    /// Returns [`AuditError`] if a column cannot be read, or columns cannot be combined.
    pub fn decide(
        &mut self,
        pages: &RecordBatch,
        columns: &PageColumns,
    ) -> Result<Vec<RecordBatch>, AuditError> {
        let schema = self.schema(pages.schema_ref(), columns)?;
        let asked = asked_columns(pages, columns)?;
        self.rows += pages.num_rows() as u64;
        let decided = self.auditors.decide(&asked)?;
        let classes = self.totals.add(&PageRows::of(&asked), &decided);
        let mut made: Vec<Vec<ArrayRef>> = Vec::with_capacity(self.views.len());
        for (number, (view, decided)) in self.views.iter().zip(&decided).enumerate() {
            for (name, column) in view.signals(pages, decided) {
                self.totals.add_usage(number, &name, column.as_ref());
            }
            made.push(view.columns(decided));
        }
        self.count_differing(&classes);
        let rows = pages.num_rows();
        let wanted = self.wanted(&classes, rows);
        let batch = |columns: Vec<ArrayRef>| {
            let options = RecordBatchOptions::new().with_row_count(Some(rows));
            RecordBatch::try_new_with_options(schema.clone(), columns, &options)
        };
        let decided = match self.options.form {
            RowForm::Wide => {
                let columns = pages.columns().iter().cloned().chain(made.into_iter().flatten());
                vec![batch(columns.collect())?]
            }
            RowForm::Long => {
                let mut decided = Vec::with_capacity(self.views.len());
                let passed = self.passed(pages.schema_ref());
                for (view, made) in self.views.iter().zip(made) {
                    let agents: ArrayRef = match view.agent() {
                        Some(agent) => {
                            Arc::new(StringArray::from_iter_values(std::iter::repeat_n(agent, rows)))
                        }
                        None => arrow_cast::cast(
                            asked.column_by_name("agent").ok_or(AuditError::NoAgent)?,
                            &DataType::Utf8,
                        )?,
                    };
                    let moments =
                        StringArray::from_iter_values(std::iter::repeat_n(view.moment().as_str(), rows));
                    let kept = passed.iter().filter_map(|column| pages.columns().get(*column).cloned());
                    let readings = view.own_readings();
                    let readings = readings.iter().filter_map(|name| pages.column_by_name(name).cloned());
                    let columns = kept.chain([agents, Arc::new(moments) as ArrayRef]).chain(made);
                    let columns = columns.chain(readings);
                    decided.push(batch(columns.collect())?);
                }
                decided
            }
        };
        let mut written = Vec::with_capacity(decided.len());
        for batch in decided {
            let batch = match &wanted {
                Some(wanted) => kept_rows(&batch, wanted)?,
                None => batch,
            };
            self.rows_written += batch.num_rows() as u64;
            written.push(batch);
        }
        Ok(written)
    }

    /// Counts the rows with different results at the two moments.
    fn count_differing(&mut self, classes: &[Arc<Vec<Class>>]) {
        if self.options.moments.len() != 2 {
            return;
        }
        for (differing, moments) in self.differing.iter_mut().zip(classes.chunks(2)) {
            if let [one, other] = moments {
                *differing += one.iter().zip(other.iter()).filter(|(one, other)| one != other).count() as u64;
            }
        }
    }

    /// Returns the filter for the rows to write; `None` for all of them. In both forms of rows, the results for all
    /// crawlers and moments decide whether a page is written.
    fn wanted(&self, classes: &[Arc<Vec<Class>>], rows: usize) -> Option<BooleanArray> {
        let only = self.options.only?;
        let of_row = |row: usize| classes.iter().filter_map(move |classes| classes.get(row).copied());
        let has = |row, class| of_row(row).any(|of_view| of_view == class);
        let is_wanted = |row| match only {
            Only::Allowed => of_row(row).all(|class| class == Class::Allowed),
            Only::Disallowed => has(row, Class::Disallowed),
            Only::Unknown => has(row, Class::Unknown) && !has(row, Class::Disallowed),
        };
        Some((0..rows).map(|row| Some(is_wanted(row))).collect())
    }

    /// Returns the totals since the last call, and resets them.
    pub fn take_totals(&mut self) -> JobTotals {
        let none = vec![0; self.differing.len()];
        JobTotals {
            rows: std::mem::take(&mut self.rows),
            rows_written: std::mem::take(&mut self.rows_written),
            totals: std::mem::replace(&mut self.totals, Totals::new(self.views.len())),
            differing: std::mem::replace(&mut self.differing, none),
        }
    }

    /// Adds the totals of a part. Parts have to be added in order.
    pub fn add_totals(&mut self, totals: JobTotals) {
        self.rows += totals.rows;
        self.rows_written += totals.rows_written;
        self.totals.join(totals.totals);
        self.differing.iter_mut().zip(totals.differing).for_each(|(count, more)| *count += more);
    }

    /// Returns the totals so far.
    pub fn summary(&self) -> AuditSummary {
        AuditSummary {
            rows: self.rows,
            rows_written: self.rows_written,
            preset: self.options.preset,
            dialect: self.options.dialect,
            views: self
                .views
                .iter()
                .enumerate()
                .map(|(number, view)| {
                    self.totals.summary(number, view.agent().map(str::to_owned), view.moment())
                })
                .collect(),
            differing: match self.options.moments.len() {
                2 => self.differing.clone(),
                _ => Vec::new(),
            },
        }
    }
}

/// Filters the rows. Columns that share an array still share one afterwards, so that they are filtered and written once.
fn kept_rows(batch: &RecordBatch, wanted: &BooleanArray) -> Result<RecordBatch, ArrowError> {
    let filter = FilterBuilder::new(wanted).optimize().build();
    let mut kept: Map<*const (), ArrayRef> = Map::default();
    let mut columns = Vec::with_capacity(batch.num_columns());
    for column in batch.columns() {
        let address = Arc::as_ptr(column).cast();
        let column = match kept.get(&address) {
            Some(kept) => kept.clone(),
            None => filter.filter(column)?,
        };
        kept.insert(address, column.clone());
        columns.push(column);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(filter.count()));
    RecordBatch::try_new_with_options(batch.schema(), columns, &options)
}

impl fmt::Debug for AuditJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditJob")
            .field("options", &self.options)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}
