//! The auditor: goes through a batch row by row, and notes for each the number of the facts that hold.

use std::sync::Arc;
use std::time::SystemTime;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema, SchemaRef};
use comity::robots::{Agent, Basis, Decision, RobotsTxt, Rules};

use crate::answer::{Answer, AnswerColumns};
use crate::cache::{Cache, FactKey, Facts, Key, Map, NONE};
use crate::error::AuditError;
use crate::input::{Found, NOON, Octets, Times, system_time};
use crate::options::{Input, Options};
use crate::origin::origin;
use crate::output::{self, NO_WORD};
use crate::subject::{Reader, Source, Standing};
use crate::table::RobotsTable;
use crate::usage;
use crate::write;

/// Decides batches of URLs, and keeps what it has read from one batch to the next.
///
/// Each distinct body is read once for each crawler, status and `Content-Type`. An auditor answers one thread at a time;
/// several threads have one each.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::cast::AsArray;
/// use arrow_array::{ArrayRef, RecordBatch, StringArray};
/// use comity::robots::Agent;
/// use comity_audit::{Auditor, Options};
///
/// let urls: ArrayRef = Arc::new(StringArray::from(vec!["https://example.com/a", "https://example.com/b", "b"]));
/// let robots: ArrayRef = Arc::new(StringArray::from(vec!["User-agent: *\nDisallow: /b\n"; 3]));
/// let batch = RecordBatch::try_from_iter([("url", urls), ("robots", robots)])?;
///
/// let mut auditor = Auditor::new(Options::new().agent(Agent::token("examplebot")));
/// let verdicts = auditor.decide(&batch)?;
/// let text = |name: &str| verdicts[name].as_string::<i32>().iter().collect::<Vec<_>>();
/// assert_eq!(text("verdict"), [Some("allowed_implicit"), Some("disallowed_explicit"), None]);
/// assert_eq!(text("rule"), [None, Some("/b"), None]);
/// assert!(text("error")[2].is_some_and(|error| error.contains("neither an absolute URL nor a path")));
/// # Ok::<(), comity_audit::AuditError>(())
/// ```
#[derive(Debug)]
pub struct Auditor {
    options: Options,
    table: Option<Arc<RobotsTable>>,
    cache: Cache,
    /// What stands for rules where none were read.
    no_rules: Rules,
}

/// What was found out about the rows of a batch.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// The number of each row's facts; [`NONE`] if it has an error.
    pub facts: Vec<u32>,
    /// The number of each row's subject, if anybody asks about usage.
    pub subjects: Vec<u32>,
    /// Rows with errors, in order.
    pub errors: Vec<(usize, String)>,
}

impl Auditor {
    /// An auditor that finds robots.txt bodies in the batches.
    pub fn new(options: Options) -> Self {
        let no_rules = RobotsTxt::parse_as(b"", options.dialect).rules_for(&Agent::token("*"));
        Auditor { options, table: None, cache: Cache::default(), no_rules }
    }

    /// An auditor that finds them in a table, by the column `robots_key` or, without one, by the URL's origin.
    pub fn with_table(options: Options, table: Arc<RobotsTable>) -> Self {
        Auditor { table: Some(table), ..Auditor::new(options) }
    }

    /// What is asked.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// What comes out for batches of this schema.
    ///
    /// # Errors
    ///
    /// [`AuditError::NameTaken`] if the batch has a column of the same name.
    pub fn schema(&self, input: &Schema) -> Result<SchemaRef, AuditError> {
        let mut fields: Vec<Arc<Field>> = match self.options.keeps_input {
            true => input.fields().iter().cloned().collect(),
            false => Vec::new(),
        };
        for output in &self.options.outputs {
            let field = output.field(&self.options);
            if fields.iter().any(|known| known.name() == field.name()) {
                return Err(AuditError::NameTaken(field.name().clone()));
            }
            fields.push(Arc::new(field));
        }
        Ok(Arc::new(Schema::new_with_metadata(fields, input.metadata().clone())))
    }

    /// Decides every row of a batch. What is wrong with a row stands in its `error` and disturbs no other.
    ///
    /// # Errors
    ///
    /// [`AuditError`] if the columns are not what they should be, or the text of one column would take more than 2 GiB:
    /// [`decide_in_parts`](Auditor::decide_in_parts) then helps.
    pub fn decide(&mut self, batch: &RecordBatch) -> Result<RecordBatch, AuditError> {
        let schema = self.schema(batch.schema_ref())?;
        if self.cache.bytes() > self.options.cache_bytes {
            self.cache.clear();
        }
        let rows = self.rows(batch)?;
        let said = match self.options.wants_usage() {
            true => {
                let urls = Found::in_batch(batch, &self.options.columns).octets_needed(Input::Url)?;
                let reader = self.reader();
                usage::say(&mut self.cache, self.table.as_deref(), reader, &rows, &urls)
            }
            false => Vec::new(),
        };
        let mut columns = match self.options.keeps_input {
            true => batch.columns().to_vec(),
            false => Vec::new(),
        };
        for output in &self.options.outputs {
            columns.push(write::column(*output, &self.options, &self.cache, &rows, &said)?);
        }
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
    }

    /// As [`decide`](Auditor::decide); where the text of a column would take more than 2 GiB, the batch comes out in
    /// parts.
    ///
    /// # Errors
    ///
    /// [`AuditError`] if the columns are not what they should be.
    pub fn decide_in_parts(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, AuditError> {
        match self.decide(batch) {
            Err(AuditError::TooMuchText(_)) if batch.num_rows() > 1 => {
                let half = batch.num_rows() / 2;
                let mut parts = self.decide_in_parts(&batch.slice(0, half))?;
                parts.extend(self.decide_in_parts(&batch.slice(half, batch.num_rows() - half))?);
                Ok(parts)
            }
            decided => Ok(vec![decided?]),
        }
    }

    fn reader(&self) -> Reader {
        Reader { preset: self.options.preset, dialect: self.options.dialect }
    }

    fn rows(&mut self, batch: &RecordBatch) -> Result<Rows, AuditError> {
        let found = Found::in_batch(batch, &self.options.columns);
        let urls = found.octets_needed(Input::Url)?;
        let agents = match &self.options.agent {
            Some(_) => None,
            None => Some(found.octets(Input::Agent)?.ok_or(AuditError::NoAgent)?),
        };
        let seen = found.times(Input::SeenAt)?;
        let origins = match &self.table {
            Some(table) => Origins::Table { table, keys: found.octets(Input::Key)?, last: None },
            None => {
                let columns = AnswerColumns::new(&found)?;
                if columns.is_empty() {
                    return Err(AuditError::NoRobots);
                }
                let remembers = columns.body.as_ref().is_some_and(Octets::shares_places);
                Origins::Columns { columns, last: (b"", NONE), places: remembers.then(Map::default) }
            }
        };
        let reader = self.reader();
        let named = self.options.agent.as_ref().map(|agent| named(&mut self.cache, agent));
        let walk = Walk {
            reader,
            cache: &mut self.cache,
            no_rules: &self.no_rules,
            noon: system_time(NOON),
            agents: Askers { column: agents, named, last: (b"", NONE) },
            origins,
            seen,
            last: None,
        };
        Ok(walk.run(&urls, batch.num_rows(), self.options.wants_usage()))
    }
}

/// The number of the one crawler that asks about every row.
fn named(cache: &mut Cache, agent: &Agent) -> u32 {
    match cache.agents.get(0) {
        Some(_) => 0,
        None => cache.agents.push(agent.clone()),
    }
}

/// Who asks.
struct Askers<'a> {
    column: Option<Octets<'a>>,
    named: Option<u32>,
    last: (&'a [u8], u32),
}

impl<'a> Askers<'a> {
    #[inline]
    fn get(&mut self, row: usize, cache: &mut Cache) -> Result<u32, String> {
        if let Some(named) = self.named {
            return Ok(named);
        }
        let token = self.column.as_ref().and_then(|column| column.get(row));
        let token = token.ok_or("no agent: the row names no crawler")?;
        if self.last.1 == NONE || self.last.0 != token {
            self.last = (token, cache.agents.intern(token));
        }
        Ok(self.last.1)
    }
}

/// Where answers are found.
enum Origins<'a> {
    Columns {
        columns: AnswerColumns<'a>,
        /// The last body and its number. Equal ones usually follow each other.
        last: (&'a [u8], u32),
        /// The numbers of bodies by where they stand, for columns in which equal ones share a place.
        places: Option<Map<(usize, usize), u32>>,
    },
    Table {
        table: &'a RobotsTable,
        keys: Option<Octets<'a>>,
        last: Option<(&'a [u8], Option<u32>)>,
    },
}

/// A walk through the rows of a batch.
struct Walk<'a, 'c> {
    reader: Reader,
    cache: &'c mut Cache,
    no_rules: &'c Rules,
    noon: SystemTime,
    agents: Askers<'a>,
    origins: Origins<'a>,
    seen: Option<Times>,
    /// The last subject.
    last: Option<(Key, u32)>,
}

/// Which subject speaks about a row, and when.
#[derive(Clone, Copy)]
struct Place {
    subject: u32,
    now: SystemTime,
    /// The age of the answer is known, so that what holds depends on `now`.
    is_timed: bool,
}

impl Walk<'_, '_> {
    fn run(mut self, urls: &Octets<'_>, rows: usize, keeps_subjects: bool) -> Rows {
        let mut found = Rows { facts: Vec::with_capacity(rows), ..Rows::default() };
        for row in 0..rows {
            let place = match urls.get(row) {
                None => Err("no URL: the row has none".to_owned()),
                Some(url) => {
                    self.place(row, url).and_then(|place| Ok((place.subject, self.decide(place, url)?)))
                }
            };
            let (subject, facts) = place.unwrap_or_else(|error| {
                found.errors.push((row, error));
                (NONE, NONE)
            });
            found.facts.push(facts);
            if keeps_subjects {
                found.subjects.push(subject);
            }
        }
        found
    }

    #[inline]
    fn place(&mut self, row: usize, url: &[u8]) -> Result<Place, String> {
        let agent = self.agents.get(row, self.cache)?;
        let seen = self.seen.as_ref().and_then(|seen| seen.get(row));
        match &self.origins {
            Origins::Columns { .. } => self.place_in_columns(row, agent, seen),
            Origins::Table { .. } => self.place_in_table(row, url, agent, seen),
        }
    }

    #[inline]
    fn place_in_columns(&mut self, row: usize, agent: u32, seen: Option<i128>) -> Result<Place, String> {
        let Origins::Columns { columns, last, places } = &mut self.origins else { return Err(String::new()) };
        let answer = columns.answer(row)?;
        // Beyond what is read it only counts that there is more.
        let limit = self.reader.body_limit().saturating_add(1);
        let text = &answer.body[..answer.body.len().min(limit)];
        if last.1 == NONE || !is_same(last.0, text) {
            *last = (text, number_of(text, self.cache, places.as_mut()));
        }
        let body = last.1;
        let content_type = match answer.content_type {
            b"" => 0,
            value => 1 + self.cache.content_types.intern(value),
        };
        let key = Key::Answer { body, reply: answer.reply, content_type, agent };
        let age = seen.zip(columns.time(row)).map(|(seen, came)| seen - came);
        let now = age.map_or(self.noon, |age| system_time(NOON + age));
        let source = Source::Kept(body, content_type);
        let answer = Answer { body: text, at: NOON, ..answer };
        let noon = self.noon;
        let subject = self.subject(key, agent, noon, |_| vec![(answer, source)]);
        Ok(Place { subject, now, is_timed: age.is_some() })
    }

    #[inline]
    fn place_in_table(
        &mut self,
        row: usize,
        url: &[u8],
        agent: u32,
        seen: Option<i128>,
    ) -> Result<Place, String> {
        let Origins::Table { table, keys, last } = &mut self.origins else { return Err(String::new()) };
        let table: &RobotsTable = table;
        let entry = match keys {
            None => table.by_origin(&origin(url).ok_or_else(|| no_origin(url))?),
            Some(keys) => match (keys.get(row), &last) {
                (None, _) => None,
                (Some(key), Some((known, entry))) if key == *known => *entry,
                (Some(key), _) => {
                    let entry = table.by_key(key);
                    *last = Some((key, entry));
                    entry
                }
            },
        };
        let version = entry.and_then(|entry| Some((entry, table.version_at(entry, seen)?)));
        let Some((entry, version)) = version else {
            let key = Key::Answer { body: NONE, reply: None, content_type: 0, agent };
            let noon = self.noon;
            let subject = self.subject(key, agent, noon, |_| Vec::new());
            return Ok(Place { subject, now: noon, is_timed: false });
        };
        let came = table.time_of(entry, version);
        let usual = system_time(came.unwrap_or(NOON));
        let now = seen.filter(|_| came.is_some()).map_or(usual, system_time);
        let key = Key::Table { entry, version, agent };
        let subject = self.subject(key, agent, usual, |reader| {
            let history = table.history(entry, version, reader.preset);
            let answer = |version| (table.answer(entry, version), Source::Table(entry, version));
            history.into_iter().map(answer).collect()
        });
        Ok(Place { subject, now, is_timed: seen.is_some() && came.is_some() })
    }

    /// The subject of a key; `answers` says what it is made of if it is new.
    #[inline]
    fn subject<'b>(
        &mut self,
        key: Key,
        agent: u32,
        now: SystemTime,
        answers: impl FnOnce(Reader) -> Vec<(Answer<'b>, Source)>,
    ) -> u32 {
        if let Some((last, subject)) = self.last
            && last == key
        {
            return subject;
        }
        let known = self.cache.places.get(&key).copied();
        let subject = known.unwrap_or_else(|| {
            let nobody = Agent::token("*");
            let asker = self.cache.agents.get(agent).unwrap_or(&nobody);
            let subject = self.reader.subject(&answers(self.reader), (agent, asker), now);
            self.cache.push_subject(key, subject)
        });
        self.last = Some((key, subject));
        subject
    }

    /// The number of what holds for a URL.
    #[inline]
    fn decide(&mut self, place: Place, url: &[u8]) -> Result<u32, String> {
        let Some(subject) = self.cache.subjects.get(place.subject as usize) else { return Ok(NONE) };
        let standing = match place.is_timed {
            true => subject.standing_at(place.now),
            false => subject.standing,
        };
        let rules = subject.rules(&standing, self.no_rules, place.now);
        let decision = rules.decide(url).map_err(|error| error.to_string())?;
        let key = fact_key(&place, &standing, &decision);
        if let Some(&facts) = self.cache.fact_places.get(&key) {
            return Ok(facts);
        }
        let facts = Said { key, standing, decision, rules };
        let (mut facts, rule, group) = facts.facts();
        let mut keep = |text: Option<&str>| text.map_or(NONE, |text| self.cache.texts.push(text));
        (facts.rule, facts.group) = (keep(rule.as_deref()), keep(group.as_deref()));
        Ok(self.cache.push_facts(key, facts))
    }
}

/// Whether two bodies are the same; of a column in which they share a place that is seen at once.
#[inline]
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && (std::ptr::eq(one, other) || one == other)
}

/// The number of a body.
fn number_of(body: &[u8], cache: &mut Cache, places: Option<&mut Map<(usize, usize), u32>>) -> u32 {
    let Some(places) = places else { return cache.bodies.intern(body) };
    let place = (body.as_ptr().addr(), body.len());
    *places.entry(place).or_insert_with(|| cache.bodies.intern(body))
}

fn no_origin(url: &[u8]) -> String {
    const SHOWN: usize = 120;
    let shown = String::from_utf8_lossy(&url[..url.len().min(SHOWN)]);
    let more = if url.len() > SHOWN { "..." } else { "" };
    format!(
        "`{shown}{more}` has no origin to find its robots.txt by: give absolute http or https URLs, or keys in a column"
    )
}

/// What was said about a URL, on the way to becoming facts.
struct Said<'s> {
    key: FactKey,
    standing: Standing,
    decision: Decision<'s>,
    rules: &'s Rules,
}

/// Whether what holds whatever the URL holds for this one, too.
fn fixed(standing: &Standing, decision: &Decision<'_>) -> Option<(u8, u8)> {
    // `/robots.txt` itself may be asked for even when nothing else may (RFC 9309 §2.2.2).
    let (verdict, recommendation) = standing.fixed.filter(|_| decision.basis() != Basis::RobotsTxt)?;
    Some((
        output::number_of(output::VERDICT_WORDS, verdict.as_str()),
        output::number_of(output::RECOMMENDATION_WORDS, recommendation.as_str()),
    ))
}

#[inline]
fn fact_key(place: &Place, standing: &Standing, decision: &Decision<'_>) -> FactKey {
    let is_fixed = standing.fixed.is_some() && decision.basis() != Basis::RobotsTxt;
    let pattern = decision.rule().filter(|_| !is_fixed).map(|rule| rule.pattern());
    FactKey {
        subject: place.subject,
        pattern: pattern.map_or((0, 0), |pattern| (pattern.as_ptr().addr(), pattern.len())),
        allows: decision.is_allowed(),
        basis: if is_fixed { NO_WORD } else { decision.basis() as u8 },
        treatment: standing.treatment,
        stale: if place.is_timed { standing.stale.into() } else { UNKNOWN },
    }
}

/// Whether an answer is stale is not known.
pub(crate) const UNKNOWN: u8 = 2;

impl Said<'_> {
    /// The facts, without the texts, which follow: rule and group.
    fn facts(&self) -> (Facts, Option<String>, Option<String>) {
        let Said { key, standing, decision, rules } = self;
        let fixed = fixed(standing, decision);
        let by_rules = || {
            (
                output::number_of(output::VERDICT_WORDS, decision.verdict().as_str()),
                output::number_of(output::RECOMMENDATION_WORDS, decision.recommendation().as_str()),
            )
        };
        let (verdict, recommendation) = fixed.unwrap_or_else(by_rules);
        let rule = decision.rule().filter(|_| fixed.is_none());
        let kind = rule.map(|rule| match rule.kind() {
            comity::robots::DirectiveKind::Allow => output::number_of(output::KIND_WORDS, "allow"),
            _ => output::number_of(output::KIND_WORDS, "disallow"),
        });
        let basis = match fixed {
            Some(_) => NO_WORD,
            None => output::number_of(output::BASIS_WORDS, output::basis_word(decision.basis())),
        };
        let delay = rules.crawl_delay().filter(|_| fixed.is_none());
        let facts = Facts {
            verdict,
            recommendation,
            kind: kind.unwrap_or(NO_WORD),
            basis,
            treatment: standing.treatment,
            stale: key.stale,
            line: rule.map_or(0, |rule| rule.line()),
            rule: NONE,
            group: NONE,
            crawl_delay: delay.map_or(-1.0, |delay| delay.as_secs_f64()),
        };
        let group = decision.group().filter(|_| fixed.is_none());
        (facts, rule.map(|rule| rule.pattern_text().into_owned()), group.map(str::to_owned))
    }
}
