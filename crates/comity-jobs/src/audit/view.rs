//! The verdicts for one crawler at one moment.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use comity::robots::Agent;
use comity_audit::{AuditOptions, Auditor, Columns, Input, Output, RobotsTable, Words};

use crate::columns::agent_prefix;
use crate::error::JobError;
use crate::options::{AuditJobOptions, Moment};
use crate::signals::reading_fields;
use crate::summary::ViewSummary;
use crate::totals::{Class, Totals};

/// The columns that are counted, whatever is written.
const COUNTED: [&str; 6] = ["verdict", "allowed", "rule", "line", "answer", "error"];

/// One crawler at one moment.
pub(super) struct View {
    /// `None` where each row names its crawler.
    agent: Option<String>,
    moment: Moment,
    /// How the names of its columns begin.
    prefix: String,
    /// How the names of the columns begin that hold what pages say to this crawler, if they have such columns.
    of_page: Option<String>,
    is_one_of_many: bool,
    outputs: Vec<Output>,
    auditor: Auditor,
    totals: Totals,
}

impl View {
    /// Makes a view for each crawler and moment, those of one crawler beside each other.
    pub(super) fn all(options: &AuditJobOptions, table: &Arc<RobotsTable>) -> Vec<View> {
        let agents: Vec<Option<&Agent>> = match options.agents.is_empty() {
            true => vec![None],
            false => options.agents.iter().map(Some).collect(),
        };
        let mut views = Vec::with_capacity(agents.len() * options.moments.len());
        for agent in &agents {
            for moment in &options.moments {
                views.push(View::new(*agent, *moment, agents.len(), options, table));
            }
        }
        views
    }

    fn new(
        agent: Option<&Agent>,
        moment: Moment,
        agents: usize,
        options: &AuditJobOptions,
        table: &Arc<RobotsTable>,
    ) -> View {
        let name = agent.map(Agent::to_string);
        let of_agent = match agent {
            Some(agent) => agent_prefix(&options.prefix, agent, agents),
            None => options.prefix.clone(),
        };
        let of_moment = match options.moments.len() {
            0 | 1 => String::new(),
            _ => format!("{}_", moment.as_str()),
        };
        let counted = Output::all().filter(|output| COUNTED.contains(&output.name()));
        let outputs = options.outputs.iter().copied().chain(counted);
        let columns = match moment {
            Moment::Seen => Columns::new(),
            Moment::Now => Columns::new().without(Input::SeenAt),
        };
        let asked = AuditOptions::new()
            .preset(options.preset)
            .dialect(options.dialect)
            .columns(columns)
            .outputs(outputs)
            .keep_input(false)
            .words(Words::Dictionary)
            .cache_bytes(options.cache_bytes)
            .versions(options.versions);
        let asked = match agent {
            Some(agent) => asked.agent(agent.clone()),
            None => asked,
        };
        View {
            agent: name,
            moment,
            of_page: options.page_signals.then(|| of_agent.clone()),
            is_one_of_many: agents > 1,
            prefix: of_agent + &of_moment,
            outputs: options.outputs.clone(),
            auditor: Auditor::with_table(asked, table.clone()),
            totals: Totals::default(),
        }
    }

    /// Sets the answers that decide from here on.
    pub(super) fn set_table(&mut self, table: &Arc<RobotsTable>) {
        self.auditor = Auditor::with_table(self.auditor.options().clone(), table.clone());
    }

    pub(super) fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// Returns the columns of the pages that hold what they say to this crawler, and not to others.
    pub(super) fn own_readings(&self) -> Vec<String> {
        let prefix = self.of_page.as_ref().filter(|_| self.is_one_of_many);
        let fields = prefix.into_iter().flat_map(|prefix| reading_fields(prefix));
        fields.map(|field| field.name().clone()).collect()
    }

    pub(super) fn moment(&self) -> Moment {
        self.moment
    }

    /// Returns the columns that are written.
    pub(super) fn fields(&self) -> Vec<Field> {
        self.fields_as(&self.prefix)
    }

    /// The same with names that begin in another way.
    pub(super) fn fields_as(&self, prefix: &str) -> Vec<Field> {
        let schema = self.auditor.schema(&Schema::empty());
        let types = |output: &Output| {
            let schema = schema.as_ref().ok()?;
            let field = schema.field_with_name(output.name()).ok()?;
            Some(field.clone().with_name(format!("{prefix}{}", output.name())))
        };
        self.outputs.iter().filter_map(types).collect()
    }

    /// Decides a batch and counts it. Returns how each row fares, and the columns that are written.
    pub(super) fn decide(
        &mut self,
        asked: &RecordBatch,
        pages: &RecordBatch,
    ) -> Result<(Vec<Class>, Vec<ArrayRef>), JobError> {
        let decided = self.auditor.decide(asked)?;
        let classes = self.totals.add(asked, &decided);
        for (output, column) in self.outputs.iter().zip(decided.columns()) {
            if matches!(output, Output::Usage(_)) {
                self.totals.add_usage(output.name(), column.as_ref());
            }
        }
        if let Some(prefix) = &self.of_page {
            for field in reading_fields("") {
                if let Some(column) = pages.column_by_name(&format!("{prefix}{}", field.name())) {
                    self.totals.add_usage(field.name(), column.as_ref());
                }
            }
        }
        let columns = decided.columns().iter().take(self.outputs.len()).cloned().collect();
        Ok((classes, columns))
    }

    /// Returns the totals, and begins anew.
    pub(super) fn take_totals(&mut self) -> Totals {
        std::mem::take(&mut self.totals)
    }

    /// Adds the totals of later rows.
    pub(super) fn join(&mut self, later: Totals) {
        self.totals.join(later);
    }

    pub(super) fn summary(&self) -> ViewSummary {
        self.totals.summary(self.agent.clone(), self.moment)
    }
}
