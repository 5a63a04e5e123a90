//! The loop over the rows.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};
use comity::policy::Reply;

use crate::answers::{self, AnswerColumns, Answers};
use crate::cache::{Body, Cache, Case};
use crate::error::AuditError;
use crate::octets::Octets;
use crate::options::Options;
use crate::output::Output;

/// Decides batch after batch, and keeps what it has parsed.
#[derive(Debug)]
pub struct Auditor {
    options: Options,
    answers: Option<Answers>,
    cache: Cache,
}

/// What the row before was about: most data is sorted by origin. It is of one batch only.
#[derive(Debug, Default)]
struct Memo<'a> {
    body: Option<(&'a [u8], u32)>,
    /// The numbers of the bodies in a dictionary.
    by_code: Vec<Option<u32>>,
    key: Option<(&'a [u8], Option<u32>)>,
    agent: Option<(&'a [u8], u32)>,
    /// The number of the agent of the options.
    one_agent: Option<u32>,
    case: Option<(Case, usize)>,
}

/// The columns of a batch.
struct Columns<'a> {
    urls: Octets<'a>,
    agents: Option<Octets<'a>>,
    source: Source<'a>,
}

/// Where the answers are.
enum Source<'a> {
    Columns(AnswerColumns<'a>),
    Keys(Octets<'a>),
}

impl Auditor {
    /// One that has parsed nothing yet.
    pub fn new(options: Options) -> Self {
        Auditor { options, answers: None, cache: Cache::default() }
    }

    /// How it decides.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Takes the answers from a table of their own, in place of columns of the batches: its rows have a key
    /// (`robots_key`) and the columns of an answer. It replaces the table that was given before, and stays in memory.
    ///
    /// # Errors
    ///
    /// [`AuditError`] if a column is missing or has a type that is not read, or a key stands twice. The table that was
    /// given before stays then.
    pub fn set_answers<'b>(
        &mut self,
        batches: impl IntoIterator<Item = &'b RecordBatch>,
    ) -> Result<(), AuditError> {
        let mut answers = Answers::default();
        for batch in batches {
            answers.extend(batch, &self.options.names)?;
        }
        self.answers = Some(answers);
        self.cache.clear();
        Ok(())
    }

    /// The columns that [`decide`](Auditor::decide) gives for a batch with these.
    ///
    /// # Errors
    ///
    /// [`AuditError::Taken`] if two columns would have one name.
    pub fn schema(&self, given: &Schema) -> Result<SchemaRef, AuditError> {
        let new = Output::fields(&self.options);
        let mut fields: Vec<Arc<Field>> = Vec::new();
        let mut metadata = Default::default();
        if self.options.append {
            fields.extend(given.fields().iter().cloned());
            metadata = given.metadata().clone();
        }
        let mut names: HashSet<String> = fields.iter().map(|field| field.name().clone()).collect();
        for field in new {
            if !names.insert(field.name().clone()) {
                return Err(AuditError::Taken { column: field.name().clone() });
            }
            fields.push(Arc::new(field));
        }
        Ok(Arc::new(Schema::new_with_metadata(fields, metadata)))
    }

    /// Decides every row of a batch.
    ///
    /// # Errors
    ///
    /// [`AuditError`] if a column is missing or has a type that is not read, or if more text would be written than a
    /// column holds, which takes more than a million rows. What is wrong with a row stands in its column `error`.
    pub fn decide(&mut self, batch: &RecordBatch) -> Result<RecordBatch, AuditError> {
        let schema = self.schema(batch.schema_ref())?;
        let columns = self.columns(batch)?;
        let mut output = Output::new(&self.options, batch.num_rows());
        let mut memo = Memo::default();
        for row in 0..batch.num_rows() {
            if row % 4096 == 0 && output.is_full_within(4096) {
                return Err(AuditError::TooLarge);
            }
            if self.cache.is_over(self.options.cache_bytes) {
                self.cache.clear();
                memo = Memo::default();
            }
            if let Err(why) = self.decide_row(&columns, row, &mut memo, &mut output) {
                output.write_error(&why);
            }
        }
        let mut arrays = if self.options.append { batch.columns().to_vec() } else { Vec::new() };
        arrays.extend(output.finish());
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(schema, arrays, &rows)?)
    }

    fn columns<'a>(&self, batch: &'a RecordBatch) -> Result<Columns<'a>, AuditError> {
        let names = &self.options.names;
        let holds = "the URLs to decide";
        let Some(urls) = answers::octets(batch, names.url.as_deref(), "url", holds)? else {
            return Err(AuditError::Missing { column: "url".to_owned(), holds });
        };
        let agents = match (&self.options.agent, names.agent.as_deref()) {
            (Some(_), None) => None,
            (_, own) => answers::octets(batch, own, "agent", "product tokens of crawlers")?,
        };
        if agents.is_none() && self.options.agent.is_none() {
            return Err(AuditError::NoAgent);
        }
        let source = if self.answers.is_some() {
            let holds = "the keys of the answers";
            let Some(keys) = answers::octets(batch, names.key.as_deref(), "robots_key", holds)? else {
                return Err(AuditError::Missing { column: "robots_key".to_owned(), holds });
            };
            Source::Keys(keys)
        } else {
            Source::Columns(AnswerColumns::of(batch, names)?)
        };
        Ok(Columns { urls, agents, source })
    }

    /// Decides a row, or says why it cannot be.
    fn decide_row<'a>(
        &mut self,
        columns: &Columns<'a>,
        row: usize,
        memo: &mut Memo<'a>,
        output: &mut Output,
    ) -> Result<(), String> {
        let url = columns.urls.get(row).ok_or("there is no URL")?;
        let agent = self.agent(columns, row, memo)?;
        let (body, reply) = match &columns.source {
            Source::Columns(answer) => {
                let body = answer.body(row);
                let reply = answer.reply(row, body.is_some())?;
                (body.map_or(Body::None, |octets| self.body(answer, octets, row, memo)), reply)
            }
            Source::Keys(keys) => self.keyed(keys.get(row), memo)?,
        };
        let case = Case { body, reply, agent };
        let number = match memo.case {
            Some((last, number)) if last == case => number,
            _ => {
                let keyed = match body {
                    Body::Keyed(number) => self.answers.as_ref().and_then(|answers| answers.get(number)),
                    _ => None,
                };
                let keyed = keyed.and_then(|answer| answer.body.as_deref());
                let number = self.cache.ruling(case, keyed, &self.options);
                memo.case = Some((case, number));
                number
            }
        };
        let ruling = self.cache.get(number).ok_or("the cache has lost its place")?;
        output.write(ruling, url).map_err(|error| error.to_string())
    }

    fn agent<'a>(
        &mut self,
        columns: &Columns<'a>,
        row: usize,
        memo: &mut Memo<'a>,
    ) -> Result<u32, &'static str> {
        if let Some(agents) = &columns.agents
            && let Some(name) = agents.get(row)
        {
            return Ok(match memo.agent {
                Some((last, number)) if same(last, name) => number,
                _ => {
                    let number = self.cache.agent(name);
                    memo.agent = Some((name, number));
                    number
                }
            });
        }
        if let Some(number) = memo.one_agent {
            return Ok(number);
        }
        let agent = self.options.agent.as_ref().ok_or("there is no agent")?;
        let number = self.cache.one_agent(agent);
        memo.one_agent = Some(number);
        Ok(number)
    }

    fn body<'a>(
        &mut self,
        answer: &AnswerColumns<'a>,
        octets: &'a [u8],
        row: usize,
        memo: &mut Memo<'a>,
    ) -> Body {
        if let Some((last, number)) = memo.body
            && same(last, octets)
        {
            return Body::Cached(number);
        }
        let code = answer.bodies.as_ref().and_then(|bodies| bodies.code(row));
        let known = code.and_then(|code| memo.by_code.get(code).copied().flatten());
        let number = known.unwrap_or_else(|| self.cache.body(octets));
        if let Some(code) = code {
            if memo.by_code.len() <= code {
                memo.by_code.resize(code + 1, None);
            }
            if let Some(place) = memo.by_code.get_mut(code) {
                *place = Some(number);
            }
        }
        memo.body = Some((octets, number));
        Body::Cached(number)
    }

    /// The answer that a key leads to; a key that leads nowhere is one whose robots.txt was never asked for.
    fn keyed<'a>(&self, key: Option<&'a [u8]>, memo: &mut Memo<'a>) -> Result<(Body, Option<Reply>), String> {
        let (Some(key), Some(answers)) = (key, &self.answers) else { return Ok((Body::None, None)) };
        let number = match memo.key {
            Some((last, number)) if same(last, key) => number,
            _ => {
                let number = answers.find(key);
                memo.key = Some((key, number));
                number
            }
        };
        match number.and_then(|number| Some((number, answers.get(number)?))) {
            Some((number, answer)) => {
                let body = if answer.body.is_some() { Body::Keyed(number) } else { Body::None };
                Ok((body, answer.reply.clone()?))
            }
            None => Ok((Body::None, None)),
        }
    }
}

/// Whether two texts are the same, and first whether they are the same octets in memory.
fn same(one: &[u8], other: &[u8]) -> bool {
    std::ptr::eq(one, other) || one == other
}
