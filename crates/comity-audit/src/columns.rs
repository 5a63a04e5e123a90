//! Columns that are asked about, and the names of those that are made.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use comity::robots::Agent;
use comity_formats::PageColumns;

use crate::error::AuditError;

/// Returns how the names of a crawler's columns begin, where so many crawlers are asked for.
pub(crate) fn agent_prefix(prefix: &str, agent: &Agent, agents: usize) -> String {
    match agents {
        0 | 1 => prefix.to_owned(),
        _ => format!("{prefix}{}_", plain(&agent.to_string())),
    }
}

/// A crawler's name as names of columns have it.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    match name {
        "*" => "any".to_owned(),
        name => name.chars().map(plain).collect(),
    }
}

/// Returns the columns of pages that are asked about, under the names that the kernel knows.
pub(crate) fn asked_columns(pages: &RecordBatch, columns: &PageColumns) -> Result<RecordBatch, AuditError> {
    let mut asked: Vec<(&str, ArrayRef)> = Vec::with_capacity(4);
    let mut push = |name, column: &Option<String>| {
        let column = column.as_ref().and_then(|column| pages.column_by_name(column));
        asked.extend(column.map(|column| (name, column.clone())));
    };
    push("url", &Some(columns.url.clone()));
    push("agent", &columns.agent);
    push("page_status", &columns.status);
    if let Some(column) = columns.seen_at.as_ref().and_then(|column| pages.column_by_name(column)) {
        // The zone stays as it is: times are counted in UTC whatever it is.
        let column = match column.data_type() {
            DataType::Timestamp(_, zone) => {
                arrow_cast::cast(column, &DataType::Timestamp(TimeUnit::Microsecond, zone.clone()))?
            }
            _ => column.clone(),
        };
        asked.push(("seen_at", column));
    }
    Ok(RecordBatch::try_from_iter(asked)?)
}
