//! Output columns for one crawler at one moment.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::Field;
use comity::robots::Agent;
use comity_arrow::Output;

use super::auditors::Auditors;
use crate::columns::agent_prefix;
use crate::options::{AuditJobOptions, Moment};
use crate::signals::reading_fields;

/// One crawler at one moment.
pub(super) struct View {
    /// `None` if each row names its crawler.
    agent: Option<String>,
    moment: Moment,
    /// Prefix of the names of its columns.
    prefix: String,
    /// Prefix of the input columns with page statements for this crawler. `None` if the job does not read page statements.
    of_page: Option<String>,
    is_one_of_many: bool,
    outputs: Vec<Output>,
    /// The fields of the output columns.
    made: Vec<Field>,
}

impl View {
    /// Creates a view for each crawler and moment. Those of one crawler are adjacent.
    pub(super) fn all(options: &AuditJobOptions, auditors: &Auditors) -> Vec<View> {
        let agents: Vec<Option<&Agent>> = match options.agents.is_empty() {
            true => vec![None],
            false => options.agents.iter().map(Some).collect(),
        };
        let mut views = Vec::with_capacity(agents.len() * options.moments.len());
        for agent in &agents {
            for moment in &options.moments {
                views.push(View::new(*agent, *moment, agents.len(), options, auditors));
            }
        }
        views
    }

    fn new(
        agent: Option<&Agent>,
        moment: Moment,
        agents: usize,
        options: &AuditJobOptions,
        auditors: &Auditors,
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
        View {
            agent: name,
            moment,
            of_page: options.page_signals.then(|| of_agent.clone()),
            is_one_of_many: agents > 1,
            prefix: of_agent + &of_moment,
            outputs: options.outputs.clone(),
            made: auditors.fields(&options.outputs),
        }
    }

    pub(super) fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// Returns the names of the input columns with page statements for this crawler; empty if the job has no other crawlers.
    pub(super) fn own_readings(&self) -> Vec<String> {
        let prefix = self.of_page.as_ref().filter(|_| self.is_one_of_many);
        let fields = prefix.into_iter().flat_map(|prefix| reading_fields(prefix));
        fields.map(|field| field.name().clone()).collect()
    }

    pub(super) fn moment(&self) -> Moment {
        self.moment
    }

    /// Returns the fields of the output columns.
    pub(super) fn fields(&self) -> Vec<Field> {
        self.fields_as(&self.prefix)
    }

    /// Returns the fields with another prefix.
    pub(super) fn fields_as(&self, prefix: &str) -> Vec<Field> {
        self.made.iter().map(|field| field.clone().with_name(format!("{prefix}{}", field.name()))).collect()
    }

    /// Returns the columns with signals of robots.txt and of pages, and the names under which they are counted.
    pub(super) fn signals<'a>(
        &'a self,
        pages: &'a RecordBatch,
        decided: &'a RecordBatch,
    ) -> impl Iterator<Item = (String, &'a ArrayRef)> {
        let of_robots = self.outputs.iter().zip(decided.columns());
        let of_robots = of_robots.filter(|(output, _)| matches!(output, Output::Usage(_)));
        let of_robots = of_robots.map(|(output, column)| (output.name().to_owned(), column));
        let of_page = self.of_page.iter().flat_map(move |prefix| {
            let fields = reading_fields("").map(|field| field.name().clone());
            fields.filter_map(move |name| {
                Some((name.clone(), pages.column_by_name(&format!("{prefix}{name}"))?))
            })
        });
        of_robots.chain(of_page)
    }

    /// Returns the output columns.
    pub(super) fn columns(&self, decided: &RecordBatch) -> Vec<ArrayRef> {
        decided.columns().iter().take(self.outputs.len()).cloned().collect()
    }
}
