//! The index: one table of all robots.txt answers in archives, including earlier answers of each origin.

use comity_formats::CaptureIndexWriter;
use serde::{Deserialize, Serialize};

use comity_answers::files::{Pending, shown};

use crate::answers::{AnswersSummary, RobotsAnswers};
use crate::captures;
use crate::context::JobContext;
use crate::error::AuditError;
use crate::input_file::input_files;
use crate::manifest::ManifestInput;
use crate::request::IndexRequest;

/// Summary of an index that was written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct IndexSummary {
    /// The file that was written.
    pub output: String,
    /// The size of the file, in bytes.
    pub bytes: u64,
    /// The number of rows.
    pub rows: u64,
    /// Counts of the answers.
    pub answers: AnswersSummary,
    /// The files that were read.
    pub sources: Vec<ManifestInput>,
}

/// Collects all robots.txt answers into one table, including earlier answers of each origin. The output is written
/// atomically.
///
/// # Errors
///
/// Returns [`AuditError`] if a source cannot be read, if no source has an answer, if the output is also a source or cannot be
/// written, or if the job was cancelled.
pub fn index(request: &IndexRequest, context: &mut JobContext<'_>) -> Result<IndexSummary, AuditError> {
    let sources = input_files(&request.sources, context)?;
    if let Some(source) = sources.iter().find(|source| source.is(&request.output)) {
        return Err(AuditError::OutputIsInput(source.name.clone()));
    }
    let output = shown(&request.output);
    let pending = Pending::create(&request.output)?;
    let mut writer = CaptureIndexWriter::new(&output, pending.file()?)?;
    let mut answers = RobotsAnswers::new();
    let sources = captures::read(&sources, context, &mut |batch, _| {
        answers.add(batch)?;
        Ok(writer.write(batch)?)
    })?;
    let rows = writer.finish()?;
    if rows == 0 {
        return Err(AuditError::NoAnswers);
    }
    let bytes = pending.finish()?;
    let answers = answers.into_tables()?.summary()?.clone();
    Ok(IndexSummary { output, bytes, rows, answers, sources })
}
