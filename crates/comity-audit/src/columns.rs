//! Input columns for the auditors, and names of output columns.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use comity::robots::Agent;
use comity_formats::{PageColumns, column_at};

use crate::error::AuditError;

/// Returns the prefix of a crawler's column names in a job with this number of crawlers.
pub(crate) fn agent_prefix(prefix: &str, agent: &Agent, agents: usize) -> String {
    match agents {
        0 | 1 => prefix.to_owned(),
        _ => format!("{prefix}{}_", plain(&agent.to_string())),
    }
}

/// Returns a crawler's name in a form for column names.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    match name {
        "*" => "any".to_owned(),
        name => name.chars().map(plain).collect(),
    }
}

/// Returns the columns of pages that the auditors read, under their default names.
pub(crate) fn asked_columns(pages: &RecordBatch, columns: &PageColumns) -> Result<RecordBatch, AuditError> {
    let mut asked: Vec<(&str, ArrayRef)> = Vec::with_capacity(4);
    let mut push = |name, column: &Option<String>| {
        let column = column.as_ref().and_then(|column| column_at(pages, column));
        asked.extend(column.map(|column| (name, column)));
    };
    push("url", &Some(columns.url.clone()));
    push("agent", &columns.agent);
    push("page_status", &columns.status);
    // Without a column of times, all times are null. Decisions as of now do not read them.
    let utc = || DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let times = match columns.seen_at.as_ref().and_then(|column| column_at(pages, column)) {
        // The zone is kept, because Arrow stores times of every zone in UTC.
        Some(column) => match column.data_type() {
            DataType::Timestamp(_, zone) => {
                arrow_cast::cast(&column, &DataType::Timestamp(TimeUnit::Microsecond, zone.clone()))?
            }
            _ => column,
        },
        None => arrow_array::new_null_array(&utc(), pages.num_rows()),
    };
    asked.push(("seen_at", times));
    Ok(RecordBatch::try_from_iter(asked)?)
}
