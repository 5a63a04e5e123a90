//! A table of robots.txt files by key, with all their versions.
//!
//! A row is one answer. All rows with one key are the history of this key. The state at a time results from the answers up to
//! then, as in a client that has received all of them: during an outage, the last good copy applies.

use std::hash::BuildHasher;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::DataType;
use comity::policy::{AnswerKind, Availability, Preset, Reply, Treatment};
use hashbrown::HashTable;

use crate::answer::{AnswerColumns, BodyForm, RowAnswer};
use crate::cache::Names;
use crate::error::BatchError;
use crate::input::{BASE_TIME, BatchColumns, BytesColumn};
use crate::map::Map;
use crate::options::{Columns, Input, Versions};
use crate::origin::{bare_host, origin};
use crate::texts::{NONE, number};

/// Robots.txt files by key. An [`Auditor`](crate::Auditor) joins every batch with them.
///
/// The columns are `key` and any of `body`, `status`, `failure`, `fetched_at`, `content_type`, under these names or those in
/// [`Columns`]. A key is an origin, a URL of the origin, a host, or any other text that occurs in the column `robots_key`.
/// A bare host (`example.com`) means its https origin and its http origin.
#[derive(Debug)]
pub struct RobotsTable {
    /// The column of bodies in each batch; for a dictionary column, the array of its values.
    bodies: Vec<Option<ArrayRef>>,
    content_types: Names,
    /// The distinct answers, without their times.
    answers: Vec<TableAnswer>,
    versions: Vec<Version>,
    /// Entries by key, for keys that are not spelled as an origin, and for origins with several spellings.
    keys: Map<Vec<u8>, u32>,
    /// Entries by origin, for keys that are URLs or hosts. All spellings of one origin share a history.
    origins: Origins,
    /// The versions of each entry, sorted by time.
    entries: Histories,
    /// Number of keys.
    length: usize,
    /// Number of keys that are bare hosts.
    bare_hosts: usize,
}

/// An answer without its time.
#[derive(Clone, Copy, Debug)]
struct TableAnswer {
    batch: u32,
    /// The index of the body in the bodies of the batch, or [`NONE`].
    body: u32,
    form: BodyForm,
    content_type: u32,
    reply: Reply,
}

/// The answer in one row, and its time.
#[derive(Clone, Copy, Debug)]
struct Version {
    answer: u32,
    at: VersionTime,
}

/// The time of an answer. Answers are sorted by it, and the latest answer is the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum VersionTime {
    /// The table has a column of times, but the row has no value. The answer applies only if no answer has a time: in
    /// batches without decision times, and with [`Versions::Nearest`].
    Unknown,
    /// The table has no column of times. Its answers apply at any time.
    Always,
    /// Nanoseconds since 1970.
    At(i128),
}

impl VersionTime {
    fn time(self) -> Option<i128> {
        match self {
            VersionTime::At(time) => Some(time),
            VersionTime::Unknown | VersionTime::Always => None,
        }
    }
}

/// The version of an entry that applies at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ApplicableVersion {
    Version(u32),
    /// All answers are later.
    NotYet,
    /// No answer is known to be earlier, and some answers have no time.
    Undated,
}

impl ApplicableVersion {
    fn of(index: usize) -> ApplicableVersion {
        ApplicableVersion::Version(number(index))
    }
}

/// Entries by origin. The names of the origins are concatenated, since an allocation for each name would be slow.
#[derive(Debug, Default)]
struct Origins {
    hasher: foldhash::fast::RandomState,
    names: Vec<u8>,
    known: HashTable<OriginEntry>,
}

impl Origins {
    fn get(&self, name: &[u8]) -> Option<&OriginEntry> {
        let hash = self.hasher.hash_one(name);
        self.known.find(hash, |known| known.hash == hash && known.name(&self.names) == name)
    }

    /// Returns the entry of an origin. A new origin is assigned the next entry number.
    fn entry(&mut self, name: &[u8], entries: &mut u32) -> &mut OriginEntry {
        let hash = self.hasher.hash_one(name);
        let is_it = |known: &OriginEntry| known.hash == hash && known.name(&self.names) == name;
        match self.known.entry(hash, is_it, |known| known.hash) {
            hashbrown::hash_table::Entry::Occupied(known) => known.into_mut(),
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                let (start, length) = (self.names.len(), number(name.len()));
                self.names.extend_from_slice(name);
                let entry = TableBuilder::new_entry(entries);
                let new = OriginEntry { hash, start, length, entry, is_exact: false, is_spelled: false };
                vacant.insert(new).into_mut()
            }
        }
    }
}

/// The entry of an origin, and the spellings of its keys.
#[derive(Clone, Copy, Debug)]
struct OriginEntry {
    hash: u64,
    /// The start of the name in the concatenated names.
    start: usize,
    length: u32,
    entry: u32,
    /// True if a key is spelled as the origin itself.
    is_exact: bool,
    /// True if a key has another spelling.
    is_spelled: bool,
}

impl OriginEntry {
    fn name<'n>(&self, names: &'n [u8]) -> &'n [u8] {
        names.get(self.start..self.start + self.length as usize).unwrap_or_default()
    }
}

/// The concatenated versions of all entries.
#[derive(Debug, Default)]
struct Histories {
    /// The end of the versions of each entry.
    ends: Vec<u32>,
    versions: Vec<u32>,
}

impl Histories {
    /// Groups versions by entry. Versions of one entry remain in order.
    fn new(count: u32, of_entries: &[(u32, u32)]) -> Histories {
        let mut next = vec![0_u32; count as usize + 1];
        for (entry, _) in of_entries {
            if let Some(after) = next.get_mut(*entry as usize + 1) {
                *after += 1;
            }
        }
        let mut sum = 0;
        for start in &mut next {
            sum += *start;
            *start = sum;
        }
        let mut versions = vec![NONE; of_entries.len()];
        for (entry, version) in of_entries {
            if let Some(at) = next.get_mut(*entry as usize)
                && let Some(place) = versions.get_mut(*at as usize)
            {
                (*place, *at) = (*version, *at + 1);
            }
        }
        next.pop();
        Histories { ends: next, versions }
    }

    fn range(&self, entry: u32) -> std::ops::Range<usize> {
        let end = |entry: usize| self.ends.get(entry).map_or(0, |end| *end as usize);
        let start = (entry as usize).checked_sub(1).map_or(0, end);
        start..end(entry as usize).max(start)
    }

    fn get(&self, entry: u32) -> &[u32] {
        self.versions.get(self.range(entry)).unwrap_or_default()
    }
}

impl RobotsTable {
    /// Creates a table. The bodies are not copied. Rows without a key are skipped.
    ///
    /// # Errors
    ///
    /// Returns [`BatchError`] if a batch has no column of keys or of answers, or if a column or a value cannot be read.
    pub fn new(
        batches: impl IntoIterator<Item = RecordBatch>,
        columns: Columns,
    ) -> Result<RobotsTable, BatchError> {
        let mut building = TableBuilder::default();
        for batch in batches {
            building.add(&batch, &columns)?;
        }
        Ok(building.finish())
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the number of keys that are bare hosts (`example.com`).
    pub fn bare_hosts(&self) -> usize {
        self.bare_hosts
    }

    /// Returns true if a key is an origin, a URL or a host, so that URLs can match it.
    pub(crate) fn has_origins(&self) -> bool {
        !self.origins.known.is_empty()
    }

    pub(crate) fn by_key(&self, key: &[u8]) -> Option<u32> {
        self.keys.get(key).copied().or_else(|| {
            let known = self.origins.get(key)?;
            (known.is_exact && !known.is_spelled).then_some(known.entry)
        })
    }

    pub(crate) fn by_origin(&self, origin: &str) -> Option<u32> {
        self.origins.get(origin.as_bytes()).map(|known| known.entry)
    }

    /// Returns true if an entry has an answer.
    pub(crate) fn has_versions(&self, entry: u32) -> bool {
        !self.entries.get(entry).is_empty()
    }

    /// Returns the version of an entry that applies at a time. Without a time, returns the latest version.
    pub(crate) fn version_at(&self, entry: u32, time: Option<i128>, versions: Versions) -> ApplicableVersion {
        let history = self.entries.get(entry);
        let when = |index: usize| Some(self.versions.get(*history.get(index)? as usize)?.at);
        let at = |index: usize| when(index)?.time();
        let Some(time) = time else {
            return history.len().checked_sub(1).map_or(ApplicableVersion::NotYet, ApplicableVersion::of);
        };
        let is_known = |version: &u32| {
            let version = self.versions.get(*version as usize);
            version.is_none_or(|version| version.at <= VersionTime::At(time))
        };
        let later = history.partition_point(is_known);
        let latest = later.checked_sub(1);
        match (versions, latest) {
            (Versions::AsOf, None) => ApplicableVersion::NotYet,
            (Versions::AsOf, Some(latest)) if when(latest) == Some(VersionTime::Unknown) => {
                ApplicableVersion::Undated
            }
            (Versions::AsOf, Some(latest)) => ApplicableVersion::of(latest),
            (Versions::Nearest, Some(latest)) if later == history.len() => ApplicableVersion::of(latest),
            (Versions::Nearest, latest) => match latest.and_then(|latest| Some((latest, time - at(latest)?)))
            {
                Some((latest, before)) if at(later).is_none_or(|at| before <= at - time) => {
                    ApplicableVersion::of(latest)
                }
                _ => ApplicableVersion::of(later),
            },
        }
    }

    /// Returns the time of a version.
    pub(crate) fn time_of(&self, entry: u32, version: u32) -> Option<i128> {
        self.version(entry, version)?.at.time()
    }

    fn version(&self, entry: u32, version: u32) -> Option<Version> {
        let number = *self.entries.get(entry).get(version as usize)?;
        self.versions.get(number as usize).copied()
    }

    /// Returns the number of the answer that is a version of an entry.
    pub(crate) fn answer_of(&self, entry: u32, version: u32) -> u32 {
        self.version(entry, version).map_or(NONE, |version| version.answer)
    }

    /// Returns the number of distinct answers, ignoring their times.
    pub(crate) fn answers(&self) -> usize {
        self.answers.len()
    }

    /// Returns the answer with this number, without its time.
    pub(crate) fn answer(&self, number: u32) -> RowAnswer<'_> {
        self.answer_by(&mut None, number)
    }

    /// Returns the answer as [`answer`](Self::answer) does. `last` caches the column of the previous body.
    pub(crate) fn answer_by<'t>(
        &'t self,
        last: &mut Option<(u32, BytesColumn<'t>)>,
        number: u32,
    ) -> RowAnswer<'t> {
        let Some(known) = self.answers.get(number as usize) else { return RowAnswer::default() };
        RowAnswer {
            reply: Some(known.reply),
            body: body_in(&self.bodies, last, known),
            form: known.form,
            content_type: self.content_types.get(known.content_type),
            at: BASE_TIME,
        }
    }

    /// Returns the answer of a version of an entry, with its time.
    pub(crate) fn answer_at(&self, entry: u32, version: u32) -> RowAnswer<'_> {
        let Some(version) = self.version(entry, version) else { return RowAnswer::default() };
        RowAnswer { at: version.at.time().unwrap_or(BASE_TIME), ..self.answer(version.answer) }
    }

    /// Returns the versions whose answers determine the state after a version, in order.
    ///
    /// They are the last answer that is neither a failure nor 304; the last 304 after it, which renews a copy and ends an
    /// outage; the first failure after these, which begins the current outage; and the version itself.
    pub(crate) fn history(&self, entry: u32, version: u32, preset: Preset) -> Vec<u32> {
        if version == 0 {
            return vec![0];
        }
        // An answer without a time may be later than a version with a time.
        let is_dated = |at| self.time_of(entry, at).is_some();
        let has_order = !is_dated(version);
        let counts = |&at: &u32| has_order || is_dated(at);
        let settled = (0..=version).rev().filter(counts).find(|&at| {
            !matches!(self.effect(entry, at, preset), AnswerEffect::Failure | AnswerEffect::NotModified)
        });
        let has_copy = settled.is_some_and(|at| self.effect(entry, at, preset) == AnswerEffect::Copy);
        let after = settled.map_or(0, |at| at + 1);
        let is_new_start = |&at: &u32| match self.effect(entry, at, preset) {
            AnswerEffect::NotModified if has_copy => true,
            AnswerEffect::NotModified => {
                preset.entry(AnswerKind::NotModified).availability() != Availability::Unreachable
            }
            _ => false,
        };
        let renewed = (after..=version).rev().filter(counts).find(is_new_start);
        let failed = (renewed.map_or(after, |at| at + 1)..=version).find(counts);
        let mut history: Vec<u32> = settled.into_iter().chain(renewed).chain(failed).collect();
        history.push(version);
        history.dedup();
        history
    }

    /// Returns the effect of a version on the state of the site.
    fn effect(&self, entry: u32, version: u32, preset: Preset) -> AnswerEffect {
        let answer = self.answer_at(entry, version);
        if answer.reply == Some(Reply::Status(304)) {
            return AnswerEffect::NotModified;
        }
        let effect = answer.with_reading(preset, |reading| match reading.evidence() {
            evidence if evidence.availability() == Availability::Unreachable => AnswerEffect::Failure,
            evidence if evidence.treatment() == Treatment::ReadRules => AnswerEffect::Copy,
            _ => AnswerEffect::Settled,
        });
        effect.unwrap_or(AnswerEffect::Failure)
    }
}

/// Returns the body of an answer. `last` caches the column of the previous body, with the number of its batch.
fn body_in<'t>(
    bodies: &'t [Option<ArrayRef>],
    last: &mut Option<(u32, BytesColumn<'t>)>,
    answer: &TableAnswer,
) -> &'t [u8] {
    if answer.body == NONE {
        return b"";
    }
    if last.as_ref().is_none_or(|(batch, _)| *batch != answer.batch) {
        let bodies = bodies.get(answer.batch as usize).and_then(Option::as_ref);
        let column = bodies.and_then(|bodies| BytesColumn::new("body", bodies).ok());
        *last = column.map(|column| (answer.batch, column));
    }
    last.as_ref().and_then(|(_, column)| column.get(answer.body as usize)).unwrap_or_default()
}

/// A table under construction.
#[derive(Default)]
struct TableBuilder {
    bodies: Vec<Option<ArrayRef>>,
    content_types: Names,
    answers: Vec<TableAnswer>,
    hasher: foldhash::quality::RandomState,
    /// Numbers of answers by their content.
    known: HashTable<(u64, u32)>,
    versions: Vec<Version>,
    keys: Map<Vec<u8>, u32>,
    origins: Origins,
    entries: u32,
    /// Pairs of entry and version, in the order of the rows.
    of_entries: Vec<(u32, u32)>,
    /// Pairs of entry and version, for keys that are spelled as an origin.
    exact: Vec<(u32, u32)>,
    bare_hosts: usize,
}

impl TableBuilder {
    fn add(&mut self, batch: &RecordBatch, columns: &Columns) -> Result<(), BatchError> {
        let found = BatchColumns::in_table(batch, columns);
        let keys = found.bytes_needed(Input::Key)?;
        let answers = AnswerColumns::new(&found)?;
        found.require_answers()?;
        let bodies = found.array(Input::Robots)?.map(|bodies| match bodies.data_type() {
            DataType::Dictionary(_, _) => bodies.as_any_dictionary().values().clone(),
            _ => bodies.clone(),
        });
        self.bodies.push(bodies);
        self.versions.reserve(batch.num_rows());
        self.of_entries.reserve(batch.num_rows());
        // In most tables, nearly every row is a new answer of a new origin. Without the reservation, the growing maps would
        // move their entries repeatedly.
        self.known.reserve(batch.num_rows(), |known| known.0);
        self.origins.known.reserve(batch.num_rows(), |known| known.hash);
        let mut last_origin: (&[u8], u32) = (b"", NONE);
        for row in 0..batch.num_rows() {
            let Some(key) = keys.get(row) else { continue };
            let answer = answers.answer(row).map_err(|problem| BatchError::Row { row, problem })?;
            // A row without an answer is not a version.
            let version = match answer.reply {
                Some(reply) => {
                    let answer = self.answer(&answer, reply, answers.body_index(row));
                    let at = match answers.has_times() {
                        true => answers.time(row).map_or(VersionTime::Unknown, VersionTime::At),
                        false => VersionTime::Always,
                    };
                    self.versions.push(Version { answer, at });
                    number(self.versions.len() - 1)
                }
                None => NONE,
            };
            if last_origin.1 != NONE && last_origin.0 == key {
                self.add_version(last_origin.1, version);
                self.add_exact(last_origin.1, version);
                continue;
            }
            last_origin = (b"", NONE);
            match (origin(key), bare_host(key)) {
                (Some(origin), _) if origin.as_bytes() == key => {
                    let entry = self.origin(&origin, true);
                    self.add_version(entry, version);
                    self.add_exact(entry, version);
                    last_origin = (key, entry);
                }
                (Some(origin), _) => {
                    let (entry, of_key) = (self.origin(&origin, false), self.key(key));
                    self.add_version(entry, version);
                    self.add_version(of_key, version);
                }
                (None, Some(origins)) => {
                    for origin in &origins {
                        let entry = self.origin(origin, false);
                        self.add_version(entry, version);
                    }
                    self.bare_hosts += usize::from(!self.keys.contains_key(key));
                    let of_key = self.key(key);
                    self.add_version(of_key, version);
                }
                (None, None) => {
                    let of_key = self.key(key);
                    self.add_version(of_key, version);
                }
            }
        }
        Ok(())
    }

    /// Returns the number of an answer. Stores the answer if it is new.
    fn answer(&mut self, answer: &RowAnswer<'_>, reply: Reply, body: Option<u32>) -> u32 {
        let content_type = self.content_types.intern(answer.content_type);
        let batch = number(self.bodies.len() - 1);
        let form = answer.form;
        let kept = TableAnswer { batch, body: body.unwrap_or(NONE), form, content_type, reply };
        let kept = if answer.body.is_empty() { TableAnswer { body: NONE, ..kept } } else { kept };
        let hash = self.hasher.hash_one((answer.body, form, content_type, reply));
        let (bodies, answers) = (&self.bodies, &self.answers);
        let is_it = |number: u32| {
            answers.get(number as usize).is_some_and(|known| {
                known.reply == reply
                    && known.form == form
                    && known.content_type == content_type
                    && body_in(bodies, &mut None, known) == answer.body
            })
        };
        let entry =
            self.known.entry(hash, |(other, number)| *other == hash && is_it(*number), |known| known.0);
        match entry {
            hashbrown::hash_table::Entry::Occupied(known) => known.get().1,
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                let new = number(answers.len());
                vacant.insert((hash, new));
                self.answers.push(kept);
                new
            }
        }
    }

    fn new_entry(entries: &mut u32) -> u32 {
        *entries += 1;
        *entries - 1
    }

    fn origin(&mut self, origin: &str, is_exact: bool) -> u32 {
        let known = self.origins.entry(origin.as_bytes(), &mut self.entries);
        known.is_exact |= is_exact;
        known.is_spelled |= !is_exact;
        known.entry
    }

    fn key(&mut self, key: &[u8]) -> u32 {
        *self.keys.entry_ref(key).or_insert_with(|| TableBuilder::new_entry(&mut self.entries))
    }

    fn add_version(&mut self, entry: u32, version: u32) {
        if version != NONE {
            self.of_entries.push((entry, version));
        }
    }

    fn add_exact(&mut self, entry: u32, version: u32) {
        if version != NONE {
            self.exact.push((entry, version));
        }
    }

    fn finish(mut self) -> RobotsTable {
        // An origin with several spellings has an entry for all of them, and an entry for each spelling.
        let spelled = self.origins.known.iter().filter(|known| known.is_exact && known.is_spelled);
        let mut of_exact: Map<u32, u32> = Map::default();
        let is_origin = |known: &&OriginEntry| known.is_exact && !known.is_spelled;
        let mut length = self.origins.known.iter().filter(is_origin).count();
        for known in spelled {
            let entry = TableBuilder::new_entry(&mut self.entries);
            self.keys.insert(known.name(&self.origins.names).to_vec(), entry);
            of_exact.insert(known.entry, entry);
        }
        length += self.keys.len();
        if !of_exact.is_empty() {
            let exact = self.exact.iter();
            let of_keys = exact.filter_map(|(entry, version)| Some((*of_exact.get(entry)?, *version)));
            self.of_entries.extend(of_keys);
        }
        let mut entries = Histories::new(self.entries, &self.of_entries);
        // If the rows are the history of a few origins, most of the reserved space is unused.
        if self.origins.known.len() < self.origins.known.capacity() / 4 {
            self.origins.known.shrink_to_fit(|known| known.hash);
        }
        let TableBuilder { bodies, content_types, answers, versions, keys, origins, bare_hosts, .. } = self;
        // The sort is stable, so that of two rows with equal times, the later row is the later answer.
        for entry in 0..number(entries.ends.len()) {
            let range = entries.range(entry);
            if let Some(history) = entries.versions.get_mut(range)
                && history.len() > 1
            {
                history.sort_by_key(|version| versions.get(*version as usize).map(|version| version.at));
            }
        }
        RobotsTable { bodies, content_types, answers, versions, keys, origins, entries, length, bare_hosts }
    }
}

/// The effect of an answer on the state of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerEffect {
    /// A body was parsed. It is the copy that applies during a later outage.
    Copy,
    /// The answer is neither a failure nor 304, but contains no body that could apply later.
    Settled,
    /// robots.txt was unreachable.
    Failure,
    /// Status 304.
    NotModified,
}
