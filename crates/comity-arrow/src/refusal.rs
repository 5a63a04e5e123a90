//! Detects whether the answer for a page was a refusal: 401, 402, 403, 429, or a browser challenge.
//!
//! A refusal does not change the verdict, and the server may answer other crawlers differently. So the refusal is in a separate
//! column.

use arrow_array::RecordBatch;
use comity::http::Headers;
use comity::usage::{Refusal, RefusalKind};

use crate::error::BatchError;
use crate::input::BatchColumns;
use crate::options::{AuditorOptions, Input};
use crate::output::{NO_WORD, number_of};

/// The words of the column.
pub(crate) const WORDS: &[&str] = &[
    RefusalKind::Unauthorized.as_str(),
    RefusalKind::PaymentRequired.as_str(),
    RefusalKind::Forbidden.as_str(),
    RefusalKind::TooManyRequests.as_str(),
    RefusalKind::Challenge.as_str(),
];

/// Returns the word number of each row, or [`NO_WORD`] if the page was not refused or its status is unknown.
pub(crate) fn of_batch(batch: &RecordBatch, options: &AuditorOptions) -> Result<Vec<u8>, BatchError> {
    let found = BatchColumns::in_batch(batch, &options.columns);
    let (statuses, headers) = (found.written_codes(Input::PageStatus)?, found.bytes(Input::PageHeaders)?);
    let Some(statuses) = statuses else { return Ok(vec![NO_WORD; batch.num_rows()]) };
    let word = |row: usize| {
        let status = statuses.get(row)?;
        // A header that is too large to be parsed is ignored.
        let header = headers.as_ref().and_then(|headers| headers.get(row)).unwrap_or_default();
        let header = Headers::parse(header).unwrap_or_default();
        Some(number_of(WORDS, Refusal::of(status, &header)?.kind().as_str()))
    };
    Ok((0..batch.num_rows()).map(|row| word(row).unwrap_or(NO_WORD)).collect())
}
