//! Usage statements of pages, as columns: the text of each signal, and its meaning for each crawler.
//!
//! | file | content |
//! |---|---|
//! | `text.rs` | the columns with the text of the signals, equal for every crawler |
//! | `read.rs` | the columns with the meaning for a crawler |
//! | `tdmrep.rs` | copies of `tdmrep.json` by site and time |

mod read;
mod tdmrep;
mod text;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use comity::robots::Agent;
use comity_formats::{PageColumns, PageStatements};

use self::read::Reading;
pub(crate) use self::read::reading_fields;
pub use self::tdmrep::TdmrepAnswers;
use crate::columns::{agent_prefix, asked_columns};
use crate::error::AuditError;
use crate::options::{AuditJobOptions, Moment};

/// An extension of batches of pages by columns with usage statements, before a job decides them.
///
/// Some columns have the text of the statements: `page_x_robots_tag`, `page_robots_tag`, `page_meta_robots`,
/// `page_content_usage`, `page_content_signal`, `page_tdm_reservation`, `page_meta_tdm_reservation`, `page_license_links`. The
/// others have the meaning for each crawler: `usage_page_restrictions`, `usage_page_rsl_licenses`, and stances (`allow`,
/// `disallow`, `unknown`). There are stances of Content-Usage and of Content-Signal on training, search and AI input, a
/// stance of TDMRep, and a stance of robots directives on training. Signals are never merged.
#[derive(Debug)]
pub struct PageSignals {
    agents: Vec<Agent>,
    prefix: String,
    tdmrep: TdmrepAnswers,
    /// True if pages are decided as of now only.
    is_of_now: bool,
}

impl PageSignals {
    /// Prepares the columns for the crawlers of a job. `tdmrep` has the known copies of `tdmrep.json`.
    pub fn new(options: &AuditJobOptions, tdmrep: TdmrepAnswers) -> PageSignals {
        PageSignals {
            agents: options.agents.clone(),
            prefix: options.prefix.clone(),
            tdmrep,
            is_of_now: options.moments == [Moment::Now],
        }
    }

    /// Returns the schema of pages with the new columns at its end.
    ///
    /// # Errors
    ///
    /// Returns [`AuditError::NameTaken`] if the pages already have a column of such a name.
    pub fn schema(&self, input: &Schema) -> Result<SchemaRef, AuditError> {
        let mut fields: Vec<Arc<Field>> = input.fields().iter().cloned().collect();
        for field in self.fields() {
            if input.column_with_name(field.name()).is_some() {
                return Err(AuditError::NameTaken(field.name().clone()));
            }
            fields.push(Arc::new(field));
        }
        Ok(Arc::new(Schema::new(fields)))
    }

    fn fields(&self) -> Vec<Field> {
        let texts = text::text_fields(&self.prefix);
        let prefixes = match self.agents.is_empty() {
            true => vec![self.prefix.clone()],
            false => {
                self.agents.iter().map(|agent| agent_prefix(&self.prefix, agent, self.agents.len())).collect()
            }
        };
        texts.chain(prefixes.iter().flat_map(|prefix| reading_fields(prefix))).collect()
    }

    /// Adds the columns to a batch. `statements` has an entry for each row, or is empty if the statements are unknown.
    ///
    /// # Errors
    ///
    /// Returns [`AuditError`] if a name is taken, or the columns cannot be combined.
    pub fn add(
        &self,
        pages: &RecordBatch,
        columns: &PageColumns,
        statements: &[PageStatements],
    ) -> Result<RecordBatch, AuditError> {
        let rows = pages.num_rows();
        let schema = self.schema(pages.schema_ref())?;
        let asked = asked_columns(pages, columns)?;
        let text = |name| -> Option<ArrayRef> {
            arrow_cast::cast(asked.column_by_name(name)?, &DataType::Utf8).ok()
        };
        let (urls, agents) = (text("url"), text("agent"));
        let reading = Reading {
            statements,
            urls: urls.as_ref().and_then(|urls| urls.as_string_opt()),
            times: asked
                .column_by_name("seen_at")
                .and_then(|times| times.as_primitive_opt::<TimestampMicrosecondType>()),
            tdmrep: &self.tdmrep,
            is_of_now: self.is_of_now,
            rows,
        };
        let mut all = pages.columns().to_vec();
        all.extend(text::text_columns(statements, rows));
        if self.agents.is_empty() {
            let tokens: Option<&StringArray> = agents.as_ref().and_then(|agents| agents.as_string_opt());
            let named = |row| {
                let token = tokens.filter(|tokens| tokens.is_valid(row))?.value(row);
                Some(Agent::unchecked_token(token))
            };
            let of_rows: Vec<Option<Agent>> = (0..rows).map(named).collect();
            all.extend(reading.columns(|row| of_rows.get(row)?.as_ref()));
        }
        for agent in &self.agents {
            all.extend(reading.columns(|_| Some(agent)));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(schema, all, &options)?)
    }
}
