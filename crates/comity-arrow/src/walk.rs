//! The walk through a batch. First it finds the place of each row, which stores a subject for each crawler. Then it decides the
//! rows place by place.
//!
//! Rows of one place are decided together, whatever their order in the batch, so that its rules are looked up once.

use std::time::{Duration, SystemTime};

use arrow_array::RecordBatch;
use comity::policy::Reply;
use comity::robots::{Agent, Rules};

use crate::answer::{AnswerColumns, Answered, RowAnswer};
use crate::cache::{Cache, Key, Source};
use crate::error::BatchError;
use crate::facts::{self, FactKey, Facts, Places, shown};
use crate::glance::Shape;
use crate::input::{BatchColumns, BytesColumn, NOON, Times, system_time};
use crate::map::Map;
use crate::options::{AuditorOptions, Input, UrlCheck, Versions};
use crate::origin::{self, origin};
use crate::output::{DecisionColumn, NO_WORD, Output};
use crate::subject::{BodyPlace, Reader};
use crate::table::{ApplicableVersion, RobotsTable};
use crate::texts::NONE;

/// The results for the rows of a batch.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// For each crawler, the number of each row's facts; [`NONE`] if the row has an error.
    pub facts: Vec<Vec<u32>>,
    /// The number of the place whose subjects decide each row; [`NONE`] if the row has an error, or a glance decided it.
    pub places: Vec<u32>,
    /// The time from which the age of each row's answer counts, in seconds since 1970; NaN if it is unknown. Empty if no ages are
    /// needed.
    pub asked_at: Vec<f64>,
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

/// The crawlers of the rows.
struct Askers<'a> {
    column: Option<BytesColumn<'a>>,
    /// The crawlers for which every row is decided.
    named: Vec<u32>,
    last: (&'a [u8], u32),
}

impl<'a> Askers<'a> {
    /// Returns the number of a row's crawler, or [`NONE`] if the row is decided for several.
    #[inline]
    fn get(&mut self, row: usize, cache: &mut Cache) -> Result<u32, String> {
        match self.named[..] {
            [] => {}
            [named] => return Ok(named),
            _ => return Ok(NONE),
        }
        let token = self.column.as_ref().and_then(|column| column.get(row));
        let token = token.ok_or("no agent: the row names no crawler")?;
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

/// Answers in the same rows as the URLs.
struct InColumns<'a> {
    columns: AnswerColumns<'a>,
    /// The last body and its number, since equal bodies usually follow each other.
    last: (&'a [u8], u32),
    /// The numbers of bodies by their address, for columns in which equal bodies share an address.
    places: Option<Map<(usize, usize), u32>>,
}

/// Answers in a table.
struct InTable<'a> {
    table: &'a RobotsTable,
    versions: Versions,
    keys: Option<BytesColumn<'a>>,
    /// The last key, or the last origin as it occurs in a URL, and its entry.
    last: Option<(&'a [u8], Option<u32>)>,
    /// The column of the last body.
    bodies: Option<(u32, BytesColumn<'a>)>,
}

/// The robots.txt answer that applies to a row, and the parts of a new subject.
struct Spoken<'a> {
    source: Source,
    answered: Answered,
    of: Answers<'a>,
    /// The default time to decide for.
    usual: SystemTime,
    /// The time to decide for, if the age of the answer is known and so affects the state.
    time: Option<SystemTime>,
    /// The time from which the age of the answer counts, if both times are known.
    asked_at: Option<i128>,
    /// True if nothing is cached for the answer yet, so that a glance may decide. The source of a body that is not cached has no
    /// number yet.
    is_new: bool,
}

impl Spoken<'_> {
    /// Creates the state without an answer, for the reason in the word.
    fn without(answered: Answered, noon: SystemTime) -> Self {
        Spoken {
            source: Source::Without(answered),
            answered,
            of: Answers::None,
            usual: noon,
            time: None,
            asked_at: None,
            is_new: false,
        }
    }
}

/// The times of a row.
#[derive(Clone, Copy)]
struct RowTime {
    /// The time to decide for.
    seen: Option<i128>,
    /// The time from which the age of an answer counts.
    reference: Option<i128>,
    /// True if the batch has times to decide for, and this row has none.
    is_missing: bool,
}

/// Answers in order of time.
enum Answers<'a> {
    None,
    One(RowAnswer<'a>, BodyPlace),
    /// The history of an entry up to a version.
    History(&'a RobotsTable, u32, u32),
}

impl<'a> Answers<'a> {
    /// Passes the answers to a function.
    fn with<T>(self, reader: Reader, use_them: impl FnOnce(&[(RowAnswer<'a>, BodyPlace)]) -> T) -> T {
        match self {
            Answers::None => use_them(&[]),
            Answers::One(answer, source) => use_them(&[(answer, source)]),
            Answers::History(table, entry, version) => {
                let answer = |version| {
                    let place = BodyPlace::Table(table.answer_of(entry, version));
                    (table.answer_at(entry, version), place)
                };
                let all: Vec<_> =
                    table.history(entry, version, reader.preset).into_iter().map(answer).collect();
                use_them(&all)
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
        (reader, noon): (Reader, SystemTime),
        cache: &mut Cache,
    ) -> Result<Spoken<'a>, String> {
        let answer = self.columns.answer(row)?;
        // Bytes beyond the limit are not used, except for the fact that they exist.
        let limit = reader.body_limit().saturating_add(1);
        let text = &answer.body[..answer.body.len().min(limit)];
        let is_last = self.last.1 != NONE && is_same(self.last.0, text);
        let is_new = !is_last && reader.glances && self.is_new(text, cache);
        if !is_last && !is_new {
            self.last = (text, number_of(text, cache, self.places.as_mut()));
        }
        let body = if is_new { NONE } else { self.last.1 };
        let content_type = match answer.content_type {
            b"" => 0,
            value => 1 + cache.content_types.intern(value),
        };
        let came = self.columns.time(row);
        let age = time.seen.zip(came).map(|(seen, came)| seen - came);
        Ok(Spoken {
            source: Source::Answer { body, form: answer.form, reply: answer.reply, content_type },
            answered: Answered::of(answer.reply),
            of: Answers::One(
                RowAnswer { body: text, at: NOON, ..answer },
                BodyPlace::Kept(body, answer.form, content_type),
            ),
            usual: noon,
            time: age.map(|age| system_time(NOON + age)),
            asked_at: time.reference.zip(came).map(|(asked_at, came)| NOON + (asked_at - came)),
            is_new,
        })
    }

    /// Returns true if a body was not seen before.
    fn is_new(&self, body: &[u8], cache: &mut Cache) -> bool {
        let is_known = self.places.as_ref().is_some_and(|places| places.contains_key(&place_of(body)));
        !is_known && cache.bodies.is_new(body)
    }

    /// Caches the body of an answer that a glance did not decide.
    fn keep(&mut self, spoken: &mut Spoken<'a>, cache: &mut Cache) {
        let Answers::One(answer, BodyPlace::Kept(place, ..)) = &mut spoken.of else { return };
        self.last = (answer.body, number_of(answer.body, cache, self.places.as_mut()));
        *place = self.last.1;
        if let Source::Answer { body, .. } = &mut spoken.source {
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
        (reader, noon): (Reader, SystemTime),
        cache: &mut Cache,
    ) -> Result<Spoken<'a>, String> {
        let entry = match &self.keys {
            Some(keys) => keys.get(row).and_then(|key| self.by_key(key)),
            None => self.by_origin(url)?,
        };
        let Some(entry) = entry.filter(|entry| self.table.has_versions(*entry)) else {
            return Ok(Spoken::without(Answered::None, noon));
        };
        if time.is_missing {
            return Ok(Spoken::without(Answered::NoTime, noon));
        }
        let version = match self.table.version_at(entry, time.seen, self.versions) {
            ApplicableVersion::Version(version) => version,
            ApplicableVersion::NotYet => return Ok(Spoken::without(Answered::NotYet, noon)),
            ApplicableVersion::Undated => return Ok(Spoken::without(Answered::Undated, noon)),
        };
        let came = self.table.time_of(entry, version);
        let answer = self.table.answer_of(entry, version);
        // For an answer from after the row's time, the state at that time is unknown, so the answer's own time is used.
        let age = time.seen.zip(came).map(|(seen, came)| (seen - came).max(0));
        if version == 0 {
            // The first answer depends on no others: the state depends on its age alone, so that all origins with equal answers
            // share a subject.
            let row = self.table.answer_by(&mut self.bodies, answer);
            return Ok(Spoken {
                source: Source::TableAnswer(answer),
                answered: Answered::of(row.reply),
                of: Answers::One(row, BodyPlace::Table(answer)),
                usual: noon,
                time: age.map(|age| system_time(NOON + age)),
                asked_at: time.reference.zip(came).map(|(asked_at, came)| NOON + (asked_at - came)),
                is_new: reader.glances && cache.glanced.is_due(answer, self.table.answers()),
            });
        }
        Ok(Spoken {
            source: Source::Table { entry, version },
            answered: Answered::of(self.table.answer(answer).reply),
            of: Answers::History(self.table, entry, version),
            usual: came.map_or(noon, system_time),
            time: age.zip(came).map(|(age, came)| system_time(came + age)),
            asked_at: time.reference.filter(|_| came.is_some()),
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

/// A walk through the rows of a batch.
pub(crate) struct Walk<'a, 'c> {
    reader: Reader,
    check_url: Option<UrlCheck>,
    cache: &'c mut Cache,
    no_rules: &'c Rules,
    noon: SystemTime,
    urls: BytesColumn<'a>,
    agents: Askers<'a>,
    origins: AnswerSource<'a>,
    seen: Option<Times>,
    /// The time from which ages count if the batch has no times, in nanoseconds since 1970.
    now: Option<i128>,
    max_age: Option<Duration>,
    /// True if the ages of answers are needed.
    has_ages: bool,
    /// The last place.
    last: Option<(Key, u32)>,
    /// The last stand-in, with the media type of its answer and the number of its subject.
    stand_in: Option<(Key, &'a [u8], u32)>,
    /// The requested columns of decisions.
    layout: Vec<DecisionColumn>,
    places: Places,
    /// Recent facts, indexed by a few bits of their keys.
    recent: [(FactKey, u32); RECENT],
}

/// Number of recent facts that are cached.
const RECENT: usize = 16;

/// The result of looking up the answer for a row.
enum Placed {
    /// The place whose subjects decide the row.
    At(RowPlace),
    /// The number of the facts of the row.
    Decided(u32),
}

/// The place whose subjects decide a row, and the time to decide for.
#[derive(Clone, Copy)]
struct RowPlace {
    place: u32,
    /// The time to decide for, if the age of the answer is known and so affects the state.
    time: Option<SystemTime>,
}

impl RowPlace {
    /// For rows that are not decided by a subject.
    const NONE: RowPlace = RowPlace { place: NONE, time: None };
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
        let named = cache.agents.named(&options.agents);
        let origins = match table {
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
                let remembers = columns.body.as_ref().is_some_and(BytesColumn::shares_places);
                let places = remembers.then(Map::default);
                AnswerSource::Columns(InColumns { columns, last: (b"", NONE), places })
            }
        };
        let layout = facts::layout(options);
        cache.glanced.begin_batch();
        Ok(Walk {
            reader: Reader::of(options),
            check_url: options.check_url,
            cache,
            no_rules,
            noon: system_time(NOON),
            urls,
            agents: Askers { column, named, last: (b"", NONE) },
            origins,
            seen: found.times(Input::SeenAt)?,
            now: options.now.map(|now| (facts::since_1970(now) * 1e9) as i128),
            max_age: options.max_age,
            has_ages: options.max_age.is_some() || options.outputs.contains(&Output::AnswerAge),
            last: None,
            stand_in: None,
            places: Places::of(&layout),
            layout,
            recent: [(FactKey::NONE, NONE); RECENT],
        })
    }

    /// Processes the rows.
    pub(crate) fn run(mut self, rows: usize) -> Rows {
        let facts = vec![vec![NONE; rows]; self.agents.count()];
        let asked_at = Vec::with_capacity(if self.has_ages { rows } else { 0 });
        let mut found = Rows { facts, places: Vec::with_capacity(rows), asked_at, errors: Vec::new() };
        let mut times = Vec::with_capacity(if self.seen.is_some() { rows } else { 0 });
        for row in 0..rows {
            let place = match self.urls.get(row) {
                None => Err("no URL: the row has none".to_owned()),
                Some(url) => match self.check_url.map_or(Ok(()), |check| check(url)) {
                    Ok(()) => self.place(row, url),
                    Err(problem) => Err(problem),
                },
            };
            let (place, asked_at) = match place {
                Ok((Placed::At(place), asked_at)) => (place, asked_at),
                Ok((Placed::Decided(facts), asked_at)) => {
                    found.set(0, row, facts);
                    (RowPlace::NONE, asked_at)
                }
                Err(error) => {
                    found.errors.push((row, shown(&error).to_owned()));
                    (RowPlace::NONE, None)
                }
            };
            if self.has_ages {
                found.asked_at.push(asked_at.map_or(f64::NAN, |time| time as f64 / 1e9));
            }
            found.places.push(place.place);
            if self.seen.is_some() {
                times.push(place.time);
            }
        }
        let chains = Chains::new(&found.places, self.cache.last_rows());
        for &first in &chains.firsts {
            let place = found.places.get(first as usize).copied().unwrap_or(NONE);
            self.decide_place(place, &chains, first, &times, &mut found);
        }
        if let Some(max_age) = self.max_age {
            self.refuse_old_answers(max_age, &mut found);
        }
        found.errors.sort_by_key(|(row, _)| *row);
        found
    }

    /// Replaces decisions that rest on an answer beyond the maximum age, or of unknown age.
    fn refuse_old_answers(&mut self, max_age: Duration, found: &mut Rows) {
        let agent = match self.agents.named[..] {
            [] => self.cache.agents.intern(b"*").unwrap_or(NONE),
            [named] => named,
            _ => NONE,
        };
        let spoken = Spoken::without(Answered::TooOld, self.noon);
        let place = self.place_of(Key { source: spoken.source, agent }, spoken);
        for crawler in 0..self.agents.count() {
            let subject = self.cache.subject_at(place, crawler, self.agents.count());
            for row in 0..found.asked_at.len() {
                let facts = found.facts.get(crawler).and_then(|facts| facts.get(row));
                let facts = facts.and_then(|facts| self.cache.facts(*facts)).filter(Facts::has_evidence);
                let (Some(facts), Some(asked_at)) = (facts, found.asked_at.get(row)) else { continue };
                let is_accepted = |age: i64| age.unsigned_abs() <= max_age.as_secs();
                if facts.age_at(*asked_at).is_some_and(is_accepted) {
                    continue;
                }
                // The URL was read before, so it can be read again.
                let url = self.urls.get(row).unwrap_or_default();
                found.set(crawler, row, self.decide(subject, None, url).unwrap_or(NONE));
            }
        }
    }

    /// Decides the rows of a place for each crawler. Crawlers that share a subject are decided once.
    fn decide_place(
        &mut self,
        place: u32,
        chains: &Chains,
        first: u32,
        times: &[Option<SystemTime>],
        found: &mut Rows,
    ) {
        let crawlers = self.agents.count();
        for crawler in 0..crawlers {
            let subject = self.cache.subject_at(place, crawler, crawlers);
            let has_it = |twin: &usize| self.cache.subject_at(place, *twin, crawlers) == subject;
            if let Some(twin) = (0..crawler).find(has_it) {
                chains.rows_from(first).for_each(|row| found.copy(twin, crawler, row));
                continue;
            }
            for row in chains.rows_from(first) {
                let time = times.get(row).copied().flatten();
                match self.decide(subject, time, self.urls.get(row).unwrap_or_default()) {
                    Ok(facts) => found.set(crawler, row, facts),
                    // A URL that cannot be parsed has an error for the first crawler already.
                    Err(_) if crawler > 0 => {}
                    Err(error) => found.errors.push((row, shown(&error).to_owned())),
                }
            }
        }
    }

    /// Returns the place of a row and the time to decide for, or the facts of the row if a glance decided it. Also returns the
    /// time from which the age of the answer counts.
    #[inline]
    fn place(&mut self, row: usize, url: &'a [u8]) -> Result<(Placed, Option<i128>), String> {
        let agent = self.agents.get(row, self.cache)?;
        let time = self.row_time(row);
        let reading = (self.reader, self.noon);
        let mut spoken = match &mut self.origins {
            AnswerSource::Columns(columns) => columns.find(row, time, reading, self.cache)?,
            AnswerSource::Table(table) => table.find(row, url, time, reading, self.cache)?,
        };
        let asked_at = spoken.asked_at;
        if spoken.is_new {
            if let Some(facts) = self.glance(&spoken, agent, url) {
                return facts.map(|facts| (Placed::Decided(facts), asked_at));
            }
            if let AnswerSource::Columns(columns) = &mut self.origins {
                columns.keep(&mut spoken, self.cache);
            }
        }
        let time = spoken.time;
        let key = Key { source: spoken.source, agent };
        let place = match self.last {
            Some((last, place)) if last == key => place,
            _ => self.place_of(key, spoken),
        };
        Ok((Placed::At(RowPlace { place, time }), asked_at))
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

    /// Returns the number of the facts about a URL, if a glance at the body can decide it.
    fn glance(&mut self, spoken: &Spoken<'a>, agent: u32, url: &[u8]) -> Option<Result<u32, String>> {
        let Answers::One(answer, _) = &spoken.of else { return None };
        let stand_in = self.stand_in(spoken.answered, answer, agent)?;
        let Cache { agents, subjects, glanced, texts, facts: kept, .. } = &mut *self.cache;
        let (asker, subject) = (agents.get(agent)?, subjects.get(stand_in as usize)?);
        let standing = match spoken.time {
            Some(now) => subject.standing_at(now),
            None => subject.standing,
        };
        if standing.is_fixed {
            return None;
        }
        let stale = if spoken.time.is_some() { standing.stale.into() } else { NO_WORD };
        let (reader, layout, places) = (self.reader, &self.layout, self.places);
        let said = answer.with_answer(|given| {
            let glance = match reader.preset.decide_quickly(given, asker, url)? {
                Ok(glance) => glance,
                Err(error) => return Some(Err(error.to_string())),
            };
            let shape = Shape::of(stand_in, stale, &standing, &glance);
            let mould = match glanced.mould(&shape) {
                Some(mould) => mould,
                None => {
                    let rules = reader.robots(answer).rules_for(asker);
                    let decision = match rules.decide(url) {
                        Ok(decision) => decision,
                        Err(error) => return Some(Err(error.to_string())),
                    };
                    let record = subject.record(decision, spoken.time);
                    let cells = facts::cells(&record, &rules, layout, subject.answer_word, texts);
                    let is_constant = record.rule.is_none() && glance.crawl_delay().is_none();
                    let constant = is_constant.then(|| kept.push(&cells));
                    glanced.push_mould(shape, cells, constant)
                }
            };
            Some(Ok(glanced.facts_of(mould, &glance, places)))
        });
        said.flatten()
    }

    /// Returns the number of the stand-in subject, which has no rules and represents all files with this reply.
    fn stand_in(&mut self, answered: Answered, answer: &RowAnswer<'a>, agent: u32) -> Option<u32> {
        let Some(Reply::Status(_)) = answer.reply else { return None };
        if let Some((Key { source: Source::StandIn { reply, .. }, agent: asker }, content_type, subject)) =
            self.stand_in
            && (reply, asker) == (answer.reply, agent)
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
        let of =
            Answers::One(RowAnswer { body: b"User-agent: *\n", at: NOON, ..*answer }, BodyPlace::Nowhere);
        let spoken =
            Spoken { source, answered, of, usual: self.noon, time: None, asked_at: None, is_new: false };
        let place = self.place_of(key, spoken);
        let subject = self.cache.subject_at(place, 0, 1);
        self.stand_in = Some((key, answer.content_type, subject));
        Some(subject)
    }

    /// Returns the number of the place with this key. Creates its subjects if it is new.
    fn place_of(&mut self, key: Key, spoken: Spoken<'_>) -> u32 {
        let known = self.cache.places.get(&key).copied();
        let place = known.unwrap_or_else(|| {
            let nobody = Agent::unchecked_token("*");
            let word = self.cache.answer_word(spoken.answered);
            let numbers = match key.agent {
                NONE => &self.agents.named[..],
                _ => std::slice::from_ref(&key.agent),
            };
            let askers: Vec<(u32, &Agent)> = numbers
                .iter()
                .map(|number| (*number, self.cache.agents.get(*number).unwrap_or(&nobody)))
                .collect();
            let subjects = spoken
                .of
                .with(self.reader, |answers| self.reader.subjects((word, answers), &askers, spoken.usual));
            self.cache.push_place(key, subjects, self.reader.shares)
        });
        self.last = Some((key, place));
        place
    }

    /// Returns the number of the facts about a URL.
    #[inline]
    fn decide(&mut self, number: u32, time: Option<SystemTime>, url: &[u8]) -> Result<u32, String> {
        let Some(subject) = self.cache.subjects.get(number as usize) else { return Ok(NONE) };
        let standing = match time {
            Some(now) => subject.standing_at(now),
            None => subject.standing,
        };
        let rules = subject.rules(&standing, self.no_rules, time);
        let decision = rules.decide(url).map_err(|error| error.to_string())?;
        let key = FactKey::new(number, time.is_some(), &standing, &decision);
        if let Some((known, facts)) = self.recent.get(key.few_bits() % RECENT)
            && *known == key
        {
            return Ok(*facts);
        }
        let number = match self.cache.fact_places.get(&key) {
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

/// Rows grouped by place: the first row of each place in order, and for each row the next one of its place.
struct Chains {
    firsts: Vec<u32>,
    next: Vec<u32>,
}

impl Chains {
    /// Groups the rows. `lasts` has [`NONE`] for every place, before and after the call.
    fn new(places: &[u32], lasts: &mut [u32]) -> Self {
        let mut chains = Chains { firsts: Vec::new(), next: vec![NONE; places.len()] };
        for (row, &place) in (0_u32..).zip(places) {
            // Rows with errors have no place.
            let Some(last) = lasts.get_mut(place as usize) else { continue };
            match chains.next.get_mut(*last as usize) {
                Some(next) => *next = row,
                None => chains.firsts.push(row),
            }
            *last = row;
        }
        for first in &chains.firsts {
            let place = places.get(*first as usize).copied().unwrap_or(NONE);
            if let Some(last) = lasts.get_mut(place as usize) {
                *last = NONE;
            }
        }
        chains
    }

    /// Returns a row and the following rows of its place.
    fn rows_from(&self, first: u32) -> impl Iterator<Item = usize> {
        let next = |row: &u32| self.next.get(*row as usize).copied().filter(|next| *next != NONE);
        std::iter::successors(Some(first), next).map(|row| row as usize)
    }
}

/// Returns whether two bodies are equal. It is fast if they share an address.
#[inline]
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && (std::ptr::eq(one, other) || one == other)
}

/// Returns the number of a body.
fn number_of(body: &[u8], cache: &mut Cache, places: Option<&mut Map<(usize, usize), u32>>) -> u32 {
    let Some(places) = places else { return cache.bodies.intern(body) };
    *places.entry(place_of(body)).or_insert_with(|| cache.bodies.intern(body))
}

/// Returns the address and the length of a body.
fn place_of(body: &[u8]) -> (usize, usize) {
    (body.as_ptr().addr(), body.len())
}

fn no_origin(url: &[u8]) -> String {
    const SHOWN: usize = 120;
    let shown = String::from_utf8_lossy(&url[..url.len().min(SHOWN)]);
    let more = if url.len() > SHOWN { "..." } else { "" };
    format!(
        "`{shown}{more}` has no origin to find its robots.txt by: give absolute http or https URLs, or keys in a column"
    )
}
