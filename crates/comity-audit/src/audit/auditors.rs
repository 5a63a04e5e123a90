//! The auditors of a job: one for each moment, which decides for all crawlers.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema};
use comity_arrow::{Auditor, AuditorOptions, Columns, Input, Output, RobotsTable, Words};

use crate::error::AuditError;
use crate::options::{AuditJobOptions, Moment};

/// The columns that are always computed, since they are counted.
const COUNTED: [&str; 7] = ["verdict", "allowed", "rule", "line", "answer", "answer_age", "error"];

/// An auditor for each moment, which decides for all crawlers.
pub(super) struct Auditors(Vec<Auditor>);

impl Auditors {
    pub(super) fn new(options: &AuditJobOptions, table: &Arc<RobotsTable>) -> Auditors {
        let auditor = |moment: &Moment| {
            let counted = Output::all().filter(|output| COUNTED.contains(&output.name()));
            let columns = match moment {
                Moment::Seen => Columns::new(),
                Moment::Now => Columns::new().without(Input::SeenAt),
            };
            let asked = AuditorOptions::new()
                .agents(options.agents.iter().cloned())
                .preset(options.preset)
                .dialect(options.dialect)
                .columns(columns)
                .outputs(options.outputs.iter().copied().chain(counted))
                .keep_input(false)
                .words(Words::Dictionary)
                .cache_bytes(options.cache_bytes)
                .versions(options.versions);
            let asked = match options.check_url {
                Some(check) => asked.check_url(check),
                None => asked,
            };
            let asked = match options.now {
                Some(now) => asked.now(now),
                None => asked,
            };
            let asked = match options.max_age {
                Some(max_age) => asked.max_age(max_age),
                None => asked,
            };
            Auditor::with_table(asked, table.clone())
        };
        Auditors(options.moments.iter().map(auditor).collect())
    }

    /// Sets the answers for the following decisions.
    pub(super) fn set_table(&mut self, table: &Arc<RobotsTable>) {
        for auditor in &mut self.0 {
            *auditor = Auditor::with_table(auditor.options().clone(), table.clone());
        }
    }

    /// Returns the fields of the columns for some outputs.
    pub(super) fn fields(&self, outputs: &[Output]) -> Vec<Field> {
        let schema = self.0.first().and_then(|auditor| auditor.schema(&Schema::empty()).ok());
        let field = |output: &Output| schema.as_ref()?.field_with_name(output.name()).ok().cloned();
        outputs.iter().filter_map(field).collect()
    }

    /// Decides a batch. Returns a batch for each crawler and moment. Those of one crawler are adjacent.
    pub(super) fn decide(&mut self, asked: &RecordBatch) -> Result<Vec<RecordBatch>, AuditError> {
        let mut moments = Vec::with_capacity(self.0.len());
        for auditor in &mut self.0 {
            moments.push(auditor.decide_each(asked)?.into_iter());
        }
        let mut decided = Vec::new();
        while let Some(of_agent) = moments.iter_mut().map(Iterator::next).collect::<Option<Vec<_>>>() {
            if of_agent.is_empty() {
                break;
            }
            decided.extend(of_agent);
        }
        Ok(decided)
    }
}
