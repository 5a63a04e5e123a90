//! The receiver of answers from sources.

use arrow_array::RecordBatch;
use comity_formats::TdmrepCapture;

use crate::error::AuditError;

/// A function that takes a batch of answers, and the copies of `tdmrep.json` that were read with them.
pub(crate) type AnswerSink<'a> = dyn FnMut(&RecordBatch, Vec<TdmrepCapture>) -> Result<(), AuditError> + 'a;
