//! The receiver of the answers that sources hold.

use arrow_array::RecordBatch;
use comity_formats::TdmrepCapture;

use crate::error::AuditError;

/// A function that takes a batch of answers, with the copies of `tdmrep.json` that stood beside them.
pub(crate) type AnswerSink<'a> = dyn FnMut(&RecordBatch, Vec<TdmrepCapture>) -> Result<(), AuditError> + 'a;
