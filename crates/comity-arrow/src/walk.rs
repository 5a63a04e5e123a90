//! The walk through the rows of a batch. It first finds the subject set of each row (see `cache.rs`), and then decides the
//! rows.
//!
//! All rows of one subject set are decided together, regardless of their order in the batch, so that its rules are looked up
//! once.

use std::time::{Duration, SystemTime};

use arrow_array::RecordBatch;
use comity::policy::Reply;
use comity::robots::{Agent, Rules};

use crate::answer::{AnswerColumns, AnswerState, RowAnswer};
use crate::cache::{Cache, Key, Source};
use crate::error::BatchError;
use crate::facts::{self, FactKey, Facts, RuleCells, shown};
use crate::input::{BASE_TIME, BatchColumns, BytesColumn, Times, system_time};
use crate::map::Map;
use crate::options::{AuditorOptions, Input, UrlCheck, Versions};
use crate::origin::{self, origin};
use crate::output::{DecisionColumn, NO_WORD, Output};
use crate::quick::Shape;
use crate::subject::{BodyLocation, Reader};
use crate::table::{ApplicableVersion, RobotsTable};
use crate::texts::NONE;

/// The results for the rows of a batch.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// The number of the facts, by crawler and row; [`NONE`] if the row has an error.
    pub facts: Vec<Vec<u32>>,
    /// The number of the subject set of each row; [`NONE`] if no set was looked up, or a quick scan decided the row.
    pub sets: Vec<u32>,
    /// For each row, the time at which the age of the answer is computed, in seconds since 1970; NaN if it is unknown. Empty if
    /// ages are not needed.
    pub age_time: Vec<f64>,
    /// Rows with errors, in order.
    pub errors: Vec<(usize, String)>,
}

impl Rows {
    #[inline]
    fn set(&mut self, crawler: usize, row: usize, facts: u32) {
        if let Some(slot) = self.facts.get_mut(crawler).and_then(|facts| facts.get_mut(row)) {
            *slot = facts;
        }
    }

    /// Copies the facts of a row from one crawler to another.
    #[inline]
    fn copy(&mut self, from: usize, to: usize, row: usize) {
        let facts = self.facts.get(from).and_then(|facts| facts.get(row)).copied();
        self.set(to, row, facts.unwrap_or(NONE));
    }
}

/// The crawlers of the rows: a column, or the crawlers in the options.
struct RowAgents<'a> {
    column: Option<BytesColumn<'a>>,
    /// The crawlers in the options, which apply to every row.
    named: Vec<u32>,
    /// The previous token and its number.
    last: (&'a [u8], u32),
}

impl<'a> RowAgents<'a> {
    /// Returns the number of a row's crawler, or [`NONE`] if the row is decided for several crawlers.
    #[inline]
    fn get(&mut self, row: usize, cache: &mut Cache) -> Result<u32, String> {
        match self.named[..] {
            [] => {}
            [named] => return Ok(named),
            _ => return Ok(NONE),
        }
        let token = self.column.as_ref().and_then(|column| column.get(row));
        let token = token.ok_or("the row names no crawler")?;
        if self.last.1 == NONE || self.last.0 != token {
            self.last = (token, cache.agents.intern(token)?);
        }
        Ok(self.last.1)
    }

    /// Returns the number of crawlers for which each row is decided.
    fn count(&self) -> usize {
        self.named.len().max(1)
    }
}

/// The source of answers.
enum AnswerSource<'a> {
    Columns(InColumns<'a>),
    Table(InTable<'a>),
}

/// Answers in columns of the batch.
struct InColumns<'a> {
    columns: AnswerColumns<'a>,
    /// The previous body and its number, since adjacent rows often have equal bodies.
    last: (&'a [u8], u32),
    /// The numbers of bodies by address and length, for columns in which equal bodies often have one address.
    numbers: Option<Map<(usize, usize), u32>>,
}

/// Answers in a [`RobotsTable`].
struct InTable<'a> {
    table: &'a RobotsTable,
    versions: Versions,
    keys: Option<BytesColumn<'a>>,
    /// The entry of the previous row, with the key, or with the prefix of the URL that is the origin.
    last: Option<(&'a [u8], Option<u32>)>,
    /// The column of the previous body, with the number of its batch.
    bodies: Option<(u32, BytesColumn<'a>)>,
}

/// The robots.txt answer that applies to a row, and the data for creating its subjects.
struct ApplicableAnswer<'a> {
    source: Source,
    answer_state: AnswerState,
    answers: Answers<'a>,
    /// The default decision time.
    default_time: SystemTime,
    /// The decision time, if the age of the answer is known.
    time: Option<SystemTime>,
    /// The time at which the age of the answer is computed, if it and the time of the answer are known.
    age_time: Option<i128>,
    /// True if a quick scan may decide the row, because the rules of the answer are not cached. A body in a column is not
    /// cached either, so it has no number yet.
    is_new: bool,
}

impl ApplicableAnswer<'_> {
    /// Creates the value for a row without an answer. The state is the reason.
    fn without(answer_state: AnswerState, base_time: SystemTime) -> Self {
        ApplicableAnswer {
            source: Source::Without(answer_state),
            answer_state,
            answers: Answers::None,
            default_time: base_time,
            time: None,
            age_time: None,
            is_new: false,
        }
    }
}

/// The times of a row.
#[derive(Clone, Copy)]
struct RowTime {
    /// The decision time.
    seen: Option<i128>,
    /// The time at which the age of the answer is computed.
    reference: Option<i128>,
    /// True if the batch has a column of decision times, but this row has no value in it.
    is_missing: bool,
}

/// Answers, sorted by time.
enum Answers<'a> {
    None,
    One(RowAnswer<'a>, BodyLocation),
    /// The history of a table entry up to a version.
    History(&'a RobotsTable, u32, u32),
}

impl<'a> Answers<'a> {
    /// Passes the answers to a function.
    fn with<T>(self, reader: Reader, call: impl FnOnce(&[(RowAnswer<'a>, BodyLocation)]) -> T) -> T {
        match self {
            Answers::None => call(&[]),
            Answers::One(answer, source) => call(&[(answer, source)]),
            Answers::History(table, entry, version) => {
                let answer = |version| {
                    let location = BodyLocation::Table(table.answer_of(entry, version));
                    (table.answer_at(entry, version), location)
                };
                let all: Vec<_> =
                    table.history(entry, version, reader.preset).into_iter().map(answer).collect();
                call(&all)
            }
        }
    }
}

impl<'a> InColumns<'a> {
    #[inline]
    fn find(
        &mut self,
        row: usize,
        time: RowTime,
        (reader, base_time): (Reader, SystemTime),
        cache: &mut Cache,
    ) -> Result<ApplicableAnswer<'a>, String> {
        let answer = self.columns.answer(row)?;
        // One byte beyond the limit shows the engine that the body is too long.
        let limit = reader.body_limit().saturating_add(1);
        let text = &answer.body[..answer.body.len().min(limit)];
        let is_last = self.last.1 != NONE && is_same(self.last.0, text);
        let is_new = !is_last && reader.can_scan && self.is_new(text, cache);
        if !is_last && !is_new {
            self.last = (text, number_of(text, cache, self.numbers.as_mut()));
        }
        let body = if is_new { NONE } else { self.last.1 };
        let content_type = match answer.content_type {
            b"" => 0,
            value => 1 + cache.content_types.intern(value),
        };
        let came = self.columns.time(row);
        let age = time.seen.zip(came).map(|(seen, came)| seen - came);
        Ok(ApplicableAnswer {
            source: Source::Answer { body, form: answer.form, reply: answer.reply, content_type },
            answer_state: AnswerState::of(answer.reply),
            answers: Answers::One(
                RowAnswer { body: text, at: BASE_TIME, ..answer },
                BodyLocation::Cached(body, answer.form, content_type),
            ),
            default_time: base_time,
            time: age.map(|age| system_time(BASE_TIME + age)),
            age_time: time.reference.zip(came).map(|(age_time, came)| BASE_TIME + (age_time - came)),
            is_new,
        })
    }

    /// Returns true if no equal body was seen before.
    fn is_new(&self, body: &[u8], cache: &mut Cache) -> bool {
        let is_known = self.numbers.as_ref().is_some_and(|numbers| numbers.contains_key(&address_of(body)));
        !is_known && cache.bodies.is_new(body)
    }

    /// Caches the body of an answer if the quick scan did not decide the row.
    fn cache_body(&mut self, applicable: &mut ApplicableAnswer<'a>, cache: &mut Cache) {
        let Answers::One(answer, BodyLocation::Cached(number, ..)) = &mut applicable.answers else { return };
        self.last = (answer.body, number_of(answer.body, cache, self.numbers.as_mut()));
        *number = self.last.1;
        if let Source::Answer { body, .. } = &mut applicable.source {
            *body = self.last.1;
        }
    }
}

impl<'a> InTable<'a> {
    #[inline]
    fn find(
        &mut self,
        row: usize,
        url: &'a [u8],
        time: RowTime,
        (reader, base_time): (Reader, SystemTime),
        cache: &mut Cache,
    ) -> Result<ApplicableAnswer<'a>, String> {
        let entry = match &self.keys {
            Some(keys) => keys.get(row).and_then(|key| self.by_key(key)),
            None => self.by_origin(url)?,
        };
        let Some(entry) = entry.filter(|entry| self.table.has_versions(*entry)) else {
            return Ok(ApplicableAnswer::without(AnswerState::None, base_time));
        };
        if time.is_missing {
            return Ok(ApplicableAnswer::without(AnswerState::NoTime, base_time));
        }
        let version = match self.table.version_at(entry, time.seen, self.versions) {
            ApplicableVersion::Version(version) => version,
            ApplicableVersion::NotYet => {
                return Ok(ApplicableAnswer::without(AnswerState::NotYet, base_time));
            }
            ApplicableVersion::Undated => {
                return Ok(ApplicableAnswer::without(AnswerState::Undated, base_time));
            }
        };
        let came = self.table.time_of(entry, version);
        let answer = self.table.answer_of(entry, version);
        // An answer that is later than the row's time is used as if it were received at that time.
        let age = time.seen.zip(came).map(|(seen, came)| (seen - came).max(0));
        if version == 0 {
            // The state after a first answer depends only on its age, so that all origins with equal first answers share a
            // subject.
            let row = self.table.answer_by(&mut self.bodies, answer);
            return Ok(ApplicableAnswer {
                source: Source::TableAnswer(answer),
                answer_state: AnswerState::of(row.reply),
                answers: Answers::One(row, BodyLocation::Table(answer)),
                default_time: base_time,
                time: age.map(|age| system_time(BASE_TIME + age)),
                age_time: time.reference.zip(came).map(|(age_time, came)| BASE_TIME + (age_time - came)),
                is_new: reader.can_scan && cache.scans.needs_scan(answer, self.table.answers()),
            });
        }
        Ok(ApplicableAnswer {
            source: Source::Table { entry, version },
            answer_state: AnswerState::of(self.table.answer(answer).reply),
            answers: Answers::History(self.table, entry, version),
            default_time: came.map_or(base_time, system_time),
            time: age.zip(came).map(|(age, came)| system_time(came + age)),
            age_time: time.reference.filter(|_| came.is_some()),
            is_new: false,
        })
    }

    fn by_key(&mut self, key: &'a [u8]) -> Option<u32> {
        if let Some((last, entry)) = self.last
            && last == key
        {
            return entry;
        }
        let entry = self.table.by_key(key);
        self.last = Some((key, entry));
        entry
    }

    fn by_origin(&mut self, url: &'a [u8]) -> Result<Option<u32>, String> {
        if let Some((last, entry)) = self.last
            && let Some(rest) = url.strip_prefix(last)
            && matches!(rest.first(), None | Some(b'/' | b'?' | b'#'))
        {
            return Ok(entry);
        }
        let origin = origin(url).ok_or_else(|| no_origin(url))?;
        let entry = self.table.by_origin(&origin);
        self.last = origin::begins(url, &origin).map(|prefix| (prefix, entry));
        Ok(entry)
    }
}

/// The walk through the rows of a batch.
pub(crate) struct Walk<'a, 'c> {
    reader: Reader,
    check_url: Option<UrlCheck>,
    cache: &'c mut Cache,
    no_rules: &'c Rules,
    base_time: SystemTime,
    urls: BytesColumn<'a>,
    agents: RowAgents<'a>,
    source: AnswerSource<'a>,
    seen: Option<Times>,
    /// The time at which ages are computed if the batch has no times, in nanoseconds since 1970.
    now: Option<i128>,
    max_age: Option<Duration>,
    /// True if the ages of answers are needed.
    has_ages: bool,
    /// The previous subject set and its key.
    last: Option<(Key, u32)>,
    /// The previous stand-in: its key, the `Content-Type` of its answer, and the number of its subject.
    stand_in: Option<(Key, &'a [u8], u32)>,
    /// The requested columns of decisions.
    layout: Vec<DecisionColumn>,
    rule_cells: RuleCells,
    /// Recent facts, indexed by bits of their keys.
    recent: [(FactKey, u32); RECENT],
}

/// Number of recent facts that are cached.
const RECENT: usize = 16;

/// The result of looking up the answer for a row.
enum RowLookup {
    /// The subjects that decide the row.
    Subjects(RowSubjects),
    /// The number of the facts of the row, which a quick scan decided.
    Decided(u32),
}

/// The number of the subject set that decides a row, and the decision time.
#[derive(Clone, Copy)]
struct RowSubjects {
    set: u32,
    /// The decision time, if the age of the answer is known.
    time: Option<SystemTime>,
}

impl RowSubjects {
    /// The value for rows that are not decided by a subject.
    const NONE: RowSubjects = RowSubjects { set: NONE, time: None };
}

impl<'a, 'c> Walk<'a, 'c> {
    /// Finds the columns of a batch.
    pub(crate) fn new(
        batch: &'a RecordBatch,
        options: &'a AuditorOptions,
        table: Option<&'a RobotsTable>,
        cache: &'c mut Cache,
        no_rules: &'c Rules,
    ) -> Result<Self, BatchError> {
        let found = BatchColumns::in_batch(batch, &options.columns);
        let urls = found.bytes_needed(Input::Url)?;
        let column = match options.agents.is_empty() {
            false => None,
            true => Some(found.bytes(Input::Agent)?.ok_or(BatchError::NoAgent)?),
        };
        let named = cache.agents.intern_all(&options.agents);
        let source = match table {
            Some(table) => {
                let keys = found.bytes(Input::Key)?;
                if keys.is_none() && !table.is_empty() && !table.has_origins() {
                    return Err(BatchError::NoOrigins);
                }
                AnswerSource::Table(InTable {
                    table,
                    versions: options.versions,
                    keys,
                    last: None,
                    bodies: None,
                })
            }
            None => {
                let columns = AnswerColumns::new(&found)?;
                if columns.is_empty() {
                    return Err(BatchError::NoRobots);
                }
                let shares_addresses = columns.body.as_ref().is_some_and(BytesColumn::shares_addresses);
                let numbers = shares_addresses.then(Map::default);
                AnswerSource::Columns(InColumns { columns, last: (b"", NONE), numbers })
            }
        };
        let layout = facts::layout(options);
        cache.scans.begin_batch();
        Ok(Walk {
            reader: Reader::of(options),
            check_url: options.check_url,
            cache,
            no_rules,
            base_time: system_time(BASE_TIME),
            urls,
            agents: RowAgents { column, named, last: (b"", NONE) },
            source,
            seen: found.times(Input::SeenAt)?,
            now: options.now.map(|now| (facts::since_1970(now) * 1e9) as i128),
            max_age: options.max_age,
            has_ages: options.max_age.is_some() || options.outputs.contains(&Output::AnswerAge),
            last: None,
            stand_in: None,
            rule_cells: RuleCells::of(&layout),
            layout,
            recent: [(FactKey::NONE, NONE); RECENT],
        })
    }

    /// Decides the rows.
    pub(crate) fn run(mut self, rows: usize) -> Rows {
        let facts = vec![vec![NONE; rows]; self.agents.count()];
        let age_time = Vec::with_capacity(if self.has_ages { rows } else { 0 });
        let mut found = Rows { facts, sets: Vec::with_capacity(rows), age_time, errors: Vec::new() };
        let mut times = Vec::with_capacity(if self.seen.is_some() { rows } else { 0 });
        for row in 0..rows {
            let lookup = match self.urls.get(row) {
                None => Err("the row has no URL".to_owned()),
                Some(url) => match self.check_url.map_or(Ok(()), |check| check(url)) {
                    Ok(()) => self.look_up(row, url),
                    Err(problem) => Err(problem),
                },
            };
            let (subjects, age_time) = match lookup {
                Ok((RowLookup::Subjects(subjects), age_time)) => (subjects, age_time),
                Ok((RowLookup::Decided(facts), age_time)) => {
                    found.set(0, row, facts);
                    (RowSubjects::NONE, age_time)
                }
                Err(error) => {
                    found.errors.push((row, shown(&error).to_owned()));
                    (RowSubjects::NONE, None)
                }
            };
            if self.has_ages {
                found.age_time.push(age_time.map_or(f64::NAN, |time| time as f64 / 1e9));
            }
            found.sets.push(subjects.set);
            if self.seen.is_some() {
                times.push(subjects.time);
            }
        }
        let chains = Chains::new(&found.sets, self.cache.last_rows());
        for &first in &chains.firsts {
            let set = found.sets.get(first as usize).copied().unwrap_or(NONE);
            self.decide_set(set, &chains, first, &times, &mut found);
        }
        if let Some(max_age) = self.max_age {
            self.reject_old_answers(max_age, &mut found);
        }
        found.errors.sort_by_key(|(row, _)| *row);
        found
    }

    /// Replaces decisions that are based on an answer beyond the maximum age, or of unknown age.
    fn reject_old_answers(&mut self, max_age: Duration, found: &mut Rows) {
        let agent = match self.agents.named[..] {
            [] => self.cache.agents.intern(b"*").unwrap_or(NONE),
            [named] => named,
            _ => NONE,
        };
        let applicable = ApplicableAnswer::without(AnswerState::TooOld, self.base_time);
        let set = self.set_of(Key { source: applicable.source, agent }, applicable);
        for crawler in 0..self.agents.count() {
            let subject = self.cache.subject_at(set, crawler, self.agents.count());
            for row in 0..found.age_time.len() {
                let facts = found.facts.get(crawler).and_then(|facts| facts.get(row));
                let facts = facts.and_then(|facts| self.cache.facts(*facts)).filter(Facts::has_evidence);
                let (Some(facts), Some(age_time)) = (facts, found.age_time.get(row)) else { continue };
                let is_accepted = |age: i64| age.unsigned_abs() <= max_age.as_secs();
                if facts.age_at(*age_time).is_some_and(is_accepted) {
                    continue;
                }
                // The URL was decided before, so it is valid.
                let url = self.urls.get(row).unwrap_or_default();
                found.set(crawler, row, self.decide(subject, None, url).unwrap_or(NONE));
            }
        }
    }

    /// Decides the rows of a subject set for each crawler. Rows are decided once for crawlers that share a subject.
    fn decide_set(
        &mut self,
        set: u32,
        chains: &Chains,
        first: u32,
        times: &[Option<SystemTime>],
        found: &mut Rows,
    ) {
        let crawlers = self.agents.count();
        for crawler in 0..crawlers {
            let subject = self.cache.subject_at(set, crawler, crawlers);
            let has_it = |twin: &usize| self.cache.subject_at(set, *twin, crawlers) == subject;
            if let Some(twin) = (0..crawler).find(has_it) {
                chains.rows_from(first).for_each(|row| found.copy(twin, crawler, row));
                continue;
            }
            for row in chains.rows_from(first) {
                let time = times.get(row).copied().flatten();
                match self.decide(subject, time, self.urls.get(row).unwrap_or_default()) {
                    Ok(facts) => found.set(crawler, row, facts),
                    // The error of an invalid URL was added for the first crawler.
                    Err(_) if crawler > 0 => {}
                    Err(error) => found.errors.push((row, shown(&error).to_owned())),
                }
            }
        }
    }

    /// Looks up the answer for a row. Also returns the time at which the age of the answer is computed.
    #[inline]
    fn look_up(&mut self, row: usize, url: &'a [u8]) -> Result<(RowLookup, Option<i128>), String> {
        let agent = self.agents.get(row, self.cache)?;
        let time = self.row_time(row);
        let reading = (self.reader, self.base_time);
        let mut applicable = match &mut self.source {
            AnswerSource::Columns(columns) => columns.find(row, time, reading, self.cache)?,
            AnswerSource::Table(table) => table.find(row, url, time, reading, self.cache)?,
        };
        let age_time = applicable.age_time;
        if applicable.is_new {
            if let Some(facts) = self.decide_quickly(&applicable, agent, url) {
                return facts.map(|facts| (RowLookup::Decided(facts), age_time));
            }
            if let AnswerSource::Columns(columns) = &mut self.source {
                columns.cache_body(&mut applicable, self.cache);
            }
        }
        let time = applicable.time;
        let key = Key { source: applicable.source, agent };
        let set = match self.last {
            Some((last, set)) if last == key => set,
            _ => self.set_of(key, applicable),
        };
        Ok((RowLookup::Subjects(RowSubjects { set, time }), age_time))
    }

    #[inline]
    fn row_time(&self, row: usize) -> RowTime {
        match &self.seen {
            Some(times) => {
                let seen = times.get(row);
                RowTime { seen, reference: seen, is_missing: seen.is_none() }
            }
            None => RowTime { seen: None, reference: self.now, is_missing: false },
        }
    }

    /// Returns the number of the facts for a URL, if a quick scan of the body can decide the URL.
    fn decide_quickly(
        &mut self,
        applicable: &ApplicableAnswer<'a>,
        agent: u32,
        url: &[u8],
    ) -> Option<Result<u32, String>> {
        let Answers::One(answer, _) = &applicable.answers else { return None };
        let stand_in = self.stand_in(applicable.answer_state, answer, agent)?;
        let Cache { agents, subjects, scans, texts, facts: cached, .. } = &mut *self.cache;
        let (crawler, subject) = (agents.get(agent)?, subjects.get(stand_in as usize)?);
        let site_state = match applicable.time {
            Some(now) => subject.site_state_at(now),
            None => subject.site_state,
        };
        if site_state.is_fixed {
            return None;
        }
        let stale = if applicable.time.is_some() { site_state.stale.into() } else { NO_WORD };
        let (reader, layout, rule_cells) = (self.reader, &self.layout, self.rule_cells);
        let decided = answer.with_answer(|given| {
            let scan = match reader.preset.decide_quickly(given, crawler, url)? {
                Ok(scan) => scan,
                Err(error) => return Some(Err(error.to_string())),
            };
            let shape = Shape::of(stand_in, stale, &site_state, &scan);
            let template = match scans.template(&shape) {
                Some(template) => template,
                None => {
                    let rules = reader.robots(answer).rules_for(crawler);
                    let decision = match rules.decide(url) {
                        Ok(decision) => decision,
                        Err(error) => return Some(Err(error.to_string())),
                    };
                    let record = subject.record(decision, applicable.time);
                    let cells = facts::cells(&record, &rules, layout, subject.answer_word, texts);
                    let is_constant = record.rule.is_none() && scan.crawl_delay().is_none();
                    let constant = is_constant.then(|| cached.push(&cells));
                    scans.push_template(shape, cells, constant)
                }
            };
            Some(Ok(scans.facts_of(template, &scan, rule_cells)))
        });
        decided.flatten()
    }

    /// Returns the number of the stand-in subject, which has no rules. It represents all files with this reply and
    /// `Content-Type` for this crawler.
    fn stand_in(&mut self, answer_state: AnswerState, answer: &RowAnswer<'a>, agent: u32) -> Option<u32> {
        let Some(Reply::Status(_)) = answer.reply else { return None };
        if let Some((Key { source: Source::StandIn { reply, .. }, agent: last_agent }, content_type, subject)) =
            self.stand_in
            && (reply, last_agent) == (answer.reply, agent)
            && content_type == answer.content_type
        {
            return Some(subject);
        }
        let content_type = match answer.content_type {
            b"" => 0,
            value => 1 + self.cache.content_types.intern(value),
        };
        let source = Source::StandIn { reply: answer.reply, content_type };
        let key = Key { source, agent };
        let answer_without_rules = RowAnswer { body: b"User-agent: *\n", at: BASE_TIME, ..*answer };
        let answers = Answers::One(answer_without_rules, BodyLocation::None);
        let applicable = ApplicableAnswer {
            source,
            answer_state,
            answers,
            default_time: self.base_time,
            time: None,
            age_time: None,
            is_new: false,
        };
        let set = self.set_of(key, applicable);
        let subject = self.cache.subject_at(set, 0, 1);
        self.stand_in = Some((key, answer.content_type, subject));
        Some(subject)
    }

    /// Returns the number of the subject set with this key. Creates the set if it is new.
    fn set_of(&mut self, key: Key, applicable: ApplicableAnswer<'_>) -> u32 {
        let known = self.cache.sets.get(&key).copied();
        let set = known.unwrap_or_else(|| {
            let any_agent = Agent::unchecked_token("*");
            let word = self.cache.answer_word(applicable.answer_state);
            let numbers = match key.agent {
                NONE => &self.agents.named[..],
                _ => std::slice::from_ref(&key.agent),
            };
            let agents: Vec<(u32, &Agent)> = numbers
                .iter()
                .map(|number| (*number, self.cache.agents.get(*number).unwrap_or(&any_agent)))
                .collect();
            let subjects = applicable.answers.with(self.reader, |answers| {
                self.reader.subjects((word, answers), &agents, applicable.default_time)
            });
            self.cache.push_set(key, subjects, self.reader.shares)
        });
        self.last = Some((key, set));
        set
    }

    /// Returns the number of the facts for a URL.
    #[inline]
    fn decide(&mut self, number: u32, time: Option<SystemTime>, url: &[u8]) -> Result<u32, String> {
        let Some(subject) = self.cache.subjects.get(number as usize) else { return Ok(NONE) };
        let site_state = match time {
            Some(now) => subject.site_state_at(now),
            None => subject.site_state,
        };
        let rules = subject.rules(&site_state, self.no_rules, time);
        let decision = rules.decide(url).map_err(|error| error.to_string())?;
        let key = FactKey::new(number, time.is_some(), &site_state, &decision);
        if let Some((known, facts)) = self.recent.get(key.few_bits() % RECENT)
            && *known == key
        {
            return Ok(*facts);
        }
        let number = match self.cache.fact_numbers.get(&key) {
            Some(&known) => known,
            None => {
                let record = subject.record(decision, time);
                let word = subject.answer_word;
                let cells = facts::cells(&record, rules, &self.layout, word, &mut self.cache.texts);
                self.cache.push_facts(key, &cells)
            }
        };
        if let Some(slot) = self.recent.get_mut(key.few_bits() % RECENT) {
            *slot = (key, number);
        }
        Ok(number)
    }
}

/// Rows grouped by subject set.
struct Chains {
    /// The first row of each set, in order.
    firsts: Vec<u32>,
    /// For each row, the next row of its set, or [`NONE`].
    next: Vec<u32>,
}

impl Chains {
    /// Groups the rows. `lasts` is [`NONE`] for every set, before and after the call.
    fn new(sets: &[u32], lasts: &mut [u32]) -> Self {
        let mut chains = Chains { firsts: Vec::new(), next: vec![NONE; sets.len()] };
        for (row, &set) in (0_u32..).zip(sets) {
            // Rows with errors, and rows that a quick scan decided, have no set.
            let Some(last) = lasts.get_mut(set as usize) else { continue };
            match chains.next.get_mut(*last as usize) {
                Some(next) => *next = row,
                None => chains.firsts.push(row),
            }
            *last = row;
        }
        for first in &chains.firsts {
            let set = sets.get(*first as usize).copied().unwrap_or(NONE);
            if let Some(last) = lasts.get_mut(set as usize) {
                *last = NONE;
            }
        }
        chains
    }

    /// Returns a row and the following rows of its set.
    fn rows_from(&self, first: u32) -> impl Iterator<Item = usize> {
        let next = |row: &u32| self.next.get(*row as usize).copied().filter(|next| *next != NONE);
        std::iter::successors(Some(first), next).map(|row| row as usize)
    }
}

/// Returns whether two bodies are equal. The comparison is fast if they have one address.
#[inline]
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && (std::ptr::eq(one, other) || one == other)
}

/// Returns the number of a body in the cache. `numbers` are known numbers by address and length.
fn number_of(body: &[u8], cache: &mut Cache, numbers: Option<&mut Map<(usize, usize), u32>>) -> u32 {
    let Some(numbers) = numbers else { return cache.bodies.intern(body) };
    *numbers.entry(address_of(body)).or_insert_with(|| cache.bodies.intern(body))
}

/// Returns the address and the length of a body.
fn address_of(body: &[u8]) -> (usize, usize) {
    (body.as_ptr().addr(), body.len())
}

fn no_origin(url: &[u8]) -> String {
    const SHOWN: usize = 120;
    let shown = String::from_utf8_lossy(&url[..url.len().min(SHOWN)]);
    let more = if url.len() > SHOWN { "..." } else { "" };
    format!(
        "`{shown}{more}` has no origin, so its robots.txt is unknown: give absolute http or https URLs, or keys in a column"
    )
}
