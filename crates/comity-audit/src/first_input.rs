//! The columns of the first input, which all inputs have to fit. They are checked before any row is read.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_cast::CastOptions;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use comity_formats::{ArchiveFormat, PageColumns, Pages};

use crate::audit::AuditJob;
use crate::context::{JobContext, check};
use crate::error::AuditError;
use crate::input_file::InputFile;
use crate::request::AuditRequest;
use crate::signals::PageSignals;

/// The first input.
pub(crate) struct FirstInput {
    name: String,
    schema: SchemaRef,
    columns: PageColumns,
    /// True if rows have columns with usage statements of pages.
    has_signals: bool,
}

/// Columns of all inputs.
pub(crate) struct InputColumns {
    pub first: FirstInput,
    /// True if an input has a column of times.
    pub has_times: bool,
    /// The stored sizes of the row groups of each file. Only Parquet files have row groups.
    pub row_groups: Vec<Vec<u64>>,
}

/// Opens every input and compares its columns with those of the first.
pub(crate) fn input_columns(
    request: &AuditRequest,
    files: &[InputFile],
    context: &JobContext<'_>,
) -> Result<InputColumns, AuditError> {
    let options = request.page_options()?;
    let mut found: Option<InputColumns> = None;
    let mut row_groups = Vec::with_capacity(files.len());
    for file in files {
        let mut of_file = Vec::new();
        for archive in file.archives()? {
            check(context.cancel)?;
            let name = archive.name().to_owned();
            let pages = Pages::open(archive, &options)?;
            of_file = pages.row_groups().to_vec();
            let has_times = pages.columns().seen_at.is_some();
            match &mut found {
                Some(known) => {
                    known.first.check(&name, &pages.schema())?;
                    known.has_times |= has_times;
                }
                None => {
                    let has_signals = request.usage && pages.format() == ArchiveFormat::Warc;
                    let (schema, columns) = (pages.schema(), pages.columns().clone());
                    let first = FirstInput { name, schema, columns, has_signals };
                    found = Some(InputColumns { first, has_times, row_groups: Vec::new() });
                }
            }
        }
        row_groups.push(of_file);
    }
    let found = found.ok_or(AuditError::NoInput)?;
    Ok(InputColumns { row_groups, ..found })
}

impl FirstInput {
    pub(crate) fn columns(&self) -> &PageColumns {
        &self.columns
    }

    pub(crate) fn has_signals(&self) -> bool {
        self.has_signals
    }

    /// Returns the schema of the rows of a job.
    pub(crate) fn rows_schema(&self, job: &AuditJob, signals: &PageSignals) -> Result<SchemaRef, AuditError> {
        match self.has_signals {
            true => job.schema(signals.schema(&self.schema)?.as_ref(), &self.columns),
            false => job.schema(&self.schema, &self.columns),
        }
    }

    /// Returns an error if another input has a column that the first lacks, or one of a type that does not fit.
    fn check(&self, name: &str, schema: &Schema) -> Result<(), AuditError> {
        for field in schema.fields() {
            let Some((_, first)) = self.schema.column_with_name(field.name()) else {
                return Err(AuditError::OtherColumns {
                    input: name.to_owned(),
                    column: field.name().clone(),
                    first: self.name.clone(),
                });
            };
            if !arrow_cast::can_cast_types(field.data_type(), first.data_type()) {
                let problem = format!(
                    "the column `{}` has the type {}, not {}",
                    field.name(),
                    field.data_type(),
                    first.data_type()
                );
                return Err(self.other_types(name, ArrowError::SchemaError(problem)));
            }
        }
        Ok(())
    }

    fn other_types(&self, name: &str, source: ArrowError) -> AuditError {
        AuditError::OtherTypes { input: name.to_owned(), first: self.name.clone(), source }
    }

    /// Converts a batch to the columns of the first input. A missing column becomes null; a value that cannot be converted is an
    /// error.
    pub(crate) fn convert(&self, name: &str, batch: RecordBatch) -> Result<RecordBatch, AuditError> {
        if batch.schema_ref() == &self.schema {
            return Ok(batch);
        }
        self.check(name, batch.schema_ref())?;
        let strict = CastOptions { safe: false, ..CastOptions::default() };
        let columns = self.schema.fields().iter().map(|field| match batch.column_by_name(field.name()) {
            Some(column) => arrow_cast::cast_with_options(column, field.data_type(), &strict),
            None => Ok(arrow_array::new_null_array(field.data_type(), batch.num_rows())),
        });
        let columns = columns.collect::<Result<Vec<_>, _>>();
        let nullable: Vec<_> =
            self.schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true)).collect();
        columns
            .and_then(|columns| RecordBatch::try_new(Arc::new(Schema::new(nullable)), columns))
            .map_err(|source| self.other_types(name, source))
    }
}
