//! The auditor, which decides batches of URLs.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema, SchemaRef};
use comity::robots::{Agent, RobotsTxt, Rules};

use crate::cache::Cache;
use crate::error::BatchError;
use crate::input::BatchColumns;
use crate::options::{AuditorOptions, Input};
use crate::output::Output;
use crate::refusal;
use crate::subject::Reader;
use crate::table::RobotsTable;
use crate::usage;
use crate::walk::Walk;
use crate::write;

/// A decider of batches of URLs. It caches parsed robots.txt files for later batches.
///
/// Rows with equal body, crawler, status and `Content-Type` share parsed rules. An auditor works on one thread at a time; use
/// one auditor for each thread.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::cast::AsArray;
/// use arrow_array::{ArrayRef, RecordBatch, StringArray};
/// use comity::robots::Agent;
/// use comity_arrow::{Auditor, AuditorOptions};
///
/// let urls: ArrayRef = Arc::new(StringArray::from(vec!["https://example.com/a", "https://example.com/b", "b"]));
/// let robots: ArrayRef = Arc::new(StringArray::from(vec!["User-agent: *\nDisallow: /b\n"; 3]));
/// let batch = RecordBatch::try_from_iter([("url", urls), ("robots", robots)])?;
///
/// let mut auditor = Auditor::new(AuditorOptions::new().agent(Agent::token("examplebot")?));
/// let verdicts = auditor.decide(&batch)?;
/// let text = |name: &str| verdicts[name].as_string::<i32>().iter().collect::<Vec<_>>();
/// assert_eq!(text("verdict"), [Some("allowed_implicit"), Some("disallowed_explicit"), None]);
/// assert_eq!(text("rule"), [None, Some("/b"), None]);
/// assert!(text("error")[2].is_some_and(|error| error.contains("neither an absolute URL nor a path")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Auditor {
    options: AuditorOptions,
    table: Option<Arc<RobotsTable>>,
    cache: Cache,
    /// The rules used if no robots.txt was read.
    no_rules: Rules,
}

impl Auditor {
    /// Creates an auditor that reads robots.txt bodies from the batches.
    pub fn new(options: AuditorOptions) -> Self {
        let no_rules = RobotsTxt::parse_as(b"", options.dialect).rules_for(&Agent::unchecked_token("*"));
        Auditor { options, table: None, cache: Cache::default(), no_rules }
    }

    /// Creates an auditor that looks up bodies in a table, by the column `robots_key` or, without one, by the URL's origin.
    ///
    /// If batches have a column [`seen_at`](crate::Input::SeenAt), its time selects the answers. Ignore that column with
    /// [`Columns::without`](crate::Columns::without) if its rows have no times, so that the latest answers decide.
    pub fn with_table(options: AuditorOptions, table: Arc<RobotsTable>) -> Self {
        Auditor { table: Some(table), ..Auditor::new(options) }
    }

    /// Returns the options.
    pub fn options(&self) -> &AuditorOptions {
        &self.options
    }

    /// Returns the schema of the output for batches of this schema.
    ///
    /// # Errors
    ///
    /// Returns [`BatchError::NameTaken`] if a kept input column has the name of an output.
    pub fn schema(&self, input: &Schema) -> Result<SchemaRef, BatchError> {
        let mut fields: Vec<Arc<Field>> = match self.options.keeps_input {
            true => input.fields().iter().cloned().collect(),
            false => Vec::new(),
        };
        for output in &self.options.outputs {
            let field = self.options.field(*output);
            if fields.iter().any(|known| known.name() == field.name()) {
                return Err(BatchError::NameTaken(field.name().clone()));
            }
            fields.push(Arc::new(field));
        }
        Ok(Arc::new(Schema::new_with_metadata(fields, input.metadata().clone())))
    }

    /// Decides every row of a batch. If a row cannot be decided, its `error` contains the reason, and the other rows are
    /// decided.
    ///
    /// # Errors
    ///
    /// Returns [`BatchError`] if the options name several crawlers, if a column is missing, unreadable or has the name of an
    /// output, or if the text of one column would take more than 2 GiB. In the last case, use
    /// [`decide_in_parts`](Auditor::decide_in_parts).
    pub fn decide(&mut self, batch: &RecordBatch) -> Result<RecordBatch, BatchError> {
        match self.options.agents.len() {
            0 | 1 => self.decide_each(batch)?.pop().ok_or(BatchError::NoAgent),
            several => Err(BatchError::SeveralAgents(several)),
        }
    }

    /// Decides every row of a batch for each crawler in the options, and returns a batch for each crawler, in their
    /// order. Without outputs about usage, each URL is decided once for all crawlers that its robots.txt treats
    /// identically.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use arrow_array::cast::AsArray;
    /// use arrow_array::{ArrayRef, RecordBatch, StringArray};
    /// use comity::robots::Agent;
    /// use comity_arrow::{Auditor, AuditorOptions};
    ///
    /// let urls: ArrayRef = Arc::new(StringArray::from(vec!["https://example.com/b"]));
    /// let robots: ArrayRef = Arc::new(StringArray::from(vec!["User-agent: abot\nDisallow: /b\n"]));
    /// let batch = RecordBatch::try_from_iter([("url", urls), ("robots", robots)])?;
    ///
    /// let mut auditor = Auditor::new(AuditorOptions::new().agents(["abot", "bbot"].map(Agent::unchecked_token)));
    /// let verdicts = auditor.decide_each(&batch)?;
    /// let verdict = |of_agent: &RecordBatch| of_agent["verdict"].as_string::<i32>().value(0).to_owned();
    /// assert_eq!(verdicts.iter().map(verdict).collect::<Vec<_>>(), ["disallowed_explicit", "allowed_implicit"]);
    /// # Ok::<(), comity_arrow::BatchError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`decide`](Auditor::decide), except [`BatchError::SeveralAgents`].
    pub fn decide_each(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, BatchError> {
        let schema = self.schema(batch.schema_ref())?;
        if self.cache.bytes() > self.options.cache_bytes {
            self.cache.clear();
        }
        let walk = Walk::new(batch, &self.options, self.table.as_deref(), &mut self.cache, &self.no_rules)?;
        let rows = walk.run(batch.num_rows());
        let refusals = match self.options.outputs.contains(&Output::Refusal) {
            true => refusal::of_batch(batch, &self.options)?,
            false => Vec::new(),
        };
        let wants_usage = self.options.wants_usage();
        let mut decided: Vec<RecordBatch> = Vec::with_capacity(rows.facts.len());
        for (crawler, facts) in rows.facts.iter().enumerate() {
            // Crawlers with equal decisions about the batch share their columns.
            let twin = rows.facts.iter().take(crawler).position(|known| !wants_usage && known == facts);
            if let Some(twin) = twin.and_then(|twin| decided.get(twin)) {
                decided.push(twin.clone());
                continue;
            }
            let statements = match wants_usage {
                true => {
                    let urls =
                        BatchColumns::in_batch(batch, &self.options.columns).bytes_needed(Input::Url)?;
                    let reader = Reader::of(&self.options);
                    usage::read_statements(
                        &mut self.cache,
                        self.table.as_deref(),
                        reader,
                        (&rows, crawler),
                        &urls,
                    )
                }
                false => Vec::new(),
            };
            let mut columns = match self.options.keeps_input {
                true => batch.columns().to_vec(),
                false => Vec::new(),
            };
            columns.extend(write::columns(
                &self.options,
                &self.cache,
                (&rows, crawler),
                &statements,
                &refusals,
            )?);
            share_ages(&schema, &self.options, &decided, &mut columns);
            let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            decided.push(RecordBatch::try_new_with_options(schema.clone(), columns, &options)?);
        }
        Ok(decided)
    }

    /// Decides every row as [`decide`](Auditor::decide) does, but returns the batch in parts if the text of a column would take
    /// more than 2 GiB.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`decide`](Auditor::decide), except [`BatchError::TooMuchText`].
    pub fn decide_in_parts(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, BatchError> {
        match self.decide(batch) {
            Err(BatchError::TooMuchText(_)) if batch.num_rows() > 1 => {
                let half = batch.num_rows() / 2;
                let mut parts = self.decide_in_parts(&batch.slice(0, half))?;
                parts.extend(self.decide_in_parts(&batch.slice(half, batch.num_rows() - half))?);
                Ok(parts)
            }
            decided => Ok(vec![decided?]),
        }
    }
}

/// Replaces the age column by that of the first crawler if both are equal, so that the array is stored and written once.
fn share_ages(schema: &Schema, options: &AuditorOptions, decided: &[RecordBatch], columns: &mut [ArrayRef]) {
    if !options.outputs.contains(&Output::AnswerAge) {
        return;
    }
    let index = schema.index_of(&options.output_name(Output::AnswerAge)).ok();
    let first = index.zip(decided.first()).and_then(|(index, first)| first.columns().get(index));
    if let Some((index, first)) = index.zip(first)
        && let Some(column) = columns.get_mut(index).filter(|column| *column == first)
    {
        *column = first.clone();
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::StringArray;

    use super::*;
    use crate::options::Columns;
    use crate::quick::QUICK_SCANS;

    fn texts(values: &[&str]) -> ArrayRef {
        Arc::new(StringArray::from(values.to_vec()))
    }

    /// Decides a batch five times. Returns the number of cached subjects after each time.
    fn cached_subjects(mut auditor: Auditor, batch: &RecordBatch) -> Vec<usize> {
        let mut decide = |_| {
            auditor.decide(batch).expect("verdicts");
            auditor.cache.subjects.len()
        };
        (0..5).map(&mut decide).collect()
    }

    #[test]
    fn answer_after_the_last_quick_scan_is_cached() {
        let keys = ["https://a.example", "https://b.example", "https://c.example"];
        let bodies = ["a", "b", "c"].map(|rule| format!("User-agent: *\nDisallow: /{rule}\n"));
        let bodies = texts(&bodies.each_ref().map(String::as_str));
        let table = RecordBatch::try_from_iter([("key", texts(&keys)), ("body", bodies.clone())]);
        let table = Arc::new(RobotsTable::new([table.expect("a table")], Columns::new()).expect("a table"));
        let options = || AuditorOptions::new().agent(Agent::unchecked_token("examplebot"));
        let pages = RecordBatch::try_from_iter([("url", texts(&keys))]).expect("pages");
        // Quick scans of all files use one shared subject.
        let expected: Vec<usize> = (0..5).map(|time| if time < QUICK_SCANS { 1 } else { 4 }).collect();
        assert_eq!(cached_subjects(Auditor::with_table(options(), table.clone()), &pages), expected);
        let usage = options().outputs(Output::all());
        assert_eq!(cached_subjects(Auditor::with_table(usage, table), &pages), [3; 5]);
        let beside = RecordBatch::try_from_iter([("url", texts(&keys)), ("robots", bodies)]).expect("pages");
        assert_eq!(cached_subjects(Auditor::new(options()), &beside), [1, 4, 4, 4, 4]);
    }
}
