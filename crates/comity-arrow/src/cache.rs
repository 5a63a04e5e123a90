//! The cache between batches: bodies, crawlers, subjects, and facts.
//!
//! Cached items are identified by numbers, which are valid until the whole cache is cleared. The cache is cleared between two
//! batches if it is too large. Filling it again costs about as much as one batch. An eviction policy would slow down every row.
//!
//! A **subject set** contains the subjects for one source of answers, one subject for each crawler.

use std::hash::BuildHasher;

use comity::policy::Reply;
use comity::robots::Agent;
use hashbrown::HashTable;

use crate::answer::{AnswerState, BodyForm};
use crate::facts::{FactKey, FactTable, Facts};
use crate::map::Map;
use crate::quick::{BATCH_ONLY, QuickScans};
use crate::subject::Subject;
use crate::texts::{NONE, Texts, number};

#[derive(Debug, Default)]
pub(crate) struct Cache {
    pub bodies: Bodies,
    /// The values of `Content-Type`. Keys contain their numbers plus 1, since 0 means a missing value.
    pub content_types: Names,
    pub agents: Agents,
    pub subjects: Vec<Subject>,
    /// Numbers of subject sets by key.
    pub sets: Map<Key, u32>,
    /// The concatenated subject sets, as numbers of subjects.
    set_subjects: Vec<u32>,
    /// The last row of each subject set while rows are grouped by set; [`NONE`] at other times.
    last_rows: Vec<u32>,
    pub facts: FactTable,
    pub fact_numbers: Map<FactKey, u32>,
    pub texts: Texts,
    pub scans: QuickScans,
    /// Text number of the word for each state.
    pub answer_words: Map<AnswerState, u32>,
    /// Total size of subject sets, subjects and facts, in bytes.
    bytes: usize,
}

/// Key of a subject set: source of the answer, and crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub source: Source,
    /// The number of the crawler; [`NONE`] if each row is decided for several crawlers.
    pub agent: u32,
}

/// The source of the answer for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    Answer {
        body: u32,
        form: BodyForm,
        reply: Option<Reply>,
        content_type: u32,
    },
    /// A single answer in the table.
    TableAnswer(u32),
    /// The history of a table entry up to a version.
    Table {
        entry: u32,
        version: u32,
    },
    /// A file without rules that represents all files with this reply (see `quick.rs`).
    StandIn {
        reply: Option<Reply>,
        content_type: u32,
    },
    /// No answer. The state is the reason.
    Without(AnswerState),
}

impl Cache {
    pub(crate) fn bytes(&self) -> usize {
        let kept = self.bytes + self.bodies.bytes + self.content_types.bytes + self.agents.bytes;
        kept + self.texts.bytes() + self.scans.bytes()
    }

    pub(crate) fn clear(&mut self) {
        *self = Cache::default();
    }

    /// Returns facts by their number.
    #[inline]
    pub(crate) fn facts(&self, number: u32) -> Option<Facts<'_>> {
        match number & BATCH_ONLY {
            0 => self.facts.get(number),
            _ => self.scans.facts.get(number & !BATCH_ONLY),
        }
    }

    /// Returns a text by its number, as [`Texts::get`] does.
    #[inline]
    pub(crate) fn text(&self, number: u32) -> Option<(&[u8], usize)> {
        match number & BATCH_ONLY {
            0 => self.texts.get(number),
            _ => self.scans.texts.get(number & !BATCH_ONLY),
        }
    }

    /// Returns the text number of the word for a state.
    pub(crate) fn answer_word(&mut self, state: AnswerState) -> u32 {
        *self.answer_words.entry(state).or_insert_with(|| self.texts.push(&state.word()))
    }

    /// Stores a subject set. If `shares` is true, equal subjects of the set are stored once. Returns the number of the set.
    pub(crate) fn push_set(&mut self, key: Key, subjects: Vec<Subject>, shares: bool) -> u32 {
        let set = number(self.sets.len());
        let first = self.subjects.len();
        self.bytes += (subjects.len() + 1) * size_of::<u32>() + 2 * size_of::<(Key, u32)>();
        for subject in subjects {
            let of_set = self.subjects.get(first..).filter(|_| shares).unwrap_or_default();
            let twin = of_set.iter().position(|known| known.is_alike(&subject));
            let subject = twin.map_or_else(|| self.push_subject(subject), |twin| number(first + twin));
            self.set_subjects.push(subject);
        }
        self.sets.insert(key, set);
        set
    }

    /// Returns the buffer for the last row of each subject set.
    pub(crate) fn last_rows(&mut self) -> &mut [u32] {
        self.last_rows.resize(self.sets.len(), NONE);
        &mut self.last_rows
    }

    fn push_subject(&mut self, subject: Subject) -> u32 {
        self.bytes += subject.heap_bytes();
        self.subjects.push(subject);
        number(self.subjects.len() - 1)
    }

    /// Returns the number of the subject of a crawler in a set, or [`NONE`]. `crawlers` is the number of crawlers.
    #[inline]
    pub(crate) fn subject_at(&self, set: u32, crawler: usize, crawlers: usize) -> u32 {
        let at = (set as usize).checked_mul(crawlers).and_then(|first| first.checked_add(crawler));
        at.and_then(|at| self.set_subjects.get(at)).copied().unwrap_or(NONE)
    }

    pub(crate) fn push_facts(&mut self, key: FactKey, cells: &[u32]) -> u32 {
        let number = self.facts.push(cells);
        self.bytes += size_of_val(cells) + 2 * size_of::<(FactKey, u32)>();
        self.fact_numbers.insert(key, number);
        number
    }
}

/// Short byte strings by number.
#[derive(Debug, Default)]
pub(crate) struct Names {
    numbers: Map<Box<[u8]>, u32>,
    names: Vec<Box<[u8]>>,
    bytes: usize,
}

impl Names {
    pub(crate) fn intern(&mut self, name: &[u8]) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = number(self.names.len());
        self.bytes += 2 * name.len() + 64;
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    pub(crate) fn get(&self, number: u32) -> &[u8] {
        self.names.get(number as usize).map_or(b"", |name| &**name)
    }
}

/// Crawlers by number.
#[derive(Debug, Default)]
pub(crate) struct Agents {
    numbers: Map<Box<[u8]>, u32>,
    agents: Vec<Agent>,
    bytes: usize,
}

impl Agents {
    /// Returns the number of a crawler by its product token, or the reason why the text is not a product token.
    pub(crate) fn intern(&mut self, token: &[u8]) -> Result<u32, String> {
        if let Some(&number) = self.numbers.get(token) {
            return Ok(number);
        }
        let agent = Agent::token(String::from_utf8_lossy(token)).map_err(|error| {
            format!("{}; a whole User-Agent header can be set only for all rows", error.problem())
        })?;
        let number = self.push(agent);
        self.numbers.insert(token.into(), number);
        Ok(number)
    }

    /// Returns the numbers of the crawlers for which every row is decided.
    pub(crate) fn intern_all(&mut self, agents: &[Agent]) -> Vec<u32> {
        if self.agents.is_empty() {
            for agent in agents {
                self.push(agent.clone());
            }
        }
        (0..).take(agents.len()).collect()
    }

    fn push(&mut self, agent: Agent) -> u32 {
        self.bytes += 2 * agent.as_str().len() + size_of::<Agent>() + 32;
        self.agents.push(agent);
        number(self.agents.len() - 1)
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Agent> {
        self.agents.get(number as usize)
    }
}

/// Bodies by number.
///
/// A body is looked up by a hash of samples, and then compared in full. A hash of the whole body would read each body twice, so
/// it is computed only if many different bodies have equal samples (by a common template, or on purpose).
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    hasher: foldhash::quality::RandomState,
    /// Hashes of the samples of bodies that were scanned but not stored.
    scanned: HashTable<u64>,
    slots: HashTable<Slot>,
    bodies: Vec<Box<[u8]>>,
    bytes: usize,
}

/// Bodies with equal samples.
#[derive(Debug)]
struct Slot {
    /// Hash of the samples.
    samples: u64,
    /// The first bodies, which are compared one by one.
    compared: Vec<u32>,
    /// The other bodies, by a hash of the whole body.
    hashed: Map<u64, Vec<u32>>,
}

/// Maximum number of bodies with equal samples that are compared one by one.
const MAX_COMPARED: usize = 8;

impl Bodies {
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        self.bodies.get(number as usize).map_or(b"", |body| &**body)
    }

    /// Returns true if no body with equal samples was seen before. Stores the hash of the samples.
    pub(crate) fn is_new(&mut self, body: &[u8]) -> bool {
        let samples = samples(&self.hasher, body);
        if self.slots.find(samples, |slot| slot.samples == samples).is_some() {
            return false;
        }
        let entry = self.scanned.entry(samples, |known| *known == samples, |known| *known);
        let hashbrown::hash_table::Entry::Vacant(vacant) = entry else { return false };
        vacant.insert(samples);
        self.bytes += 2 * size_of::<u64>();
        true
    }

    pub(crate) fn intern(&mut self, body: &[u8]) -> u32 {
        let Bodies { hasher, slots, bodies, bytes, .. } = self;
        let samples = samples(hasher, body);
        let slot = slots
            .entry(samples, |slot| slot.samples == samples, |slot| slot.samples)
            .or_insert_with(|| Slot { samples, compared: Vec::new(), hashed: Map::default() })
            .into_mut();
        let is_it = |number: &u32| bodies.get(*number as usize).is_some_and(|known| **known == *body);
        if let Some(&number) = slot.compared.iter().find(|number| is_it(number)) {
            return number;
        }
        let of_same_samples = if slot.compared.len() < MAX_COMPARED {
            &mut slot.compared
        } else {
            slot.hashed.entry(hasher.hash_one(body)).or_default()
        };
        if let Some(&number) = of_same_samples.iter().find(|number| is_it(number)) {
            return number;
        }
        let number = number(bodies.len());
        of_same_samples.push(number);
        *bytes += body.len() + size_of::<Slot>() + 64;
        bodies.push(body.into());
        number
    }
}

/// Returns the hash of the samples: the length, both ends, and some pieces in between.
fn samples(hasher: &foldhash::quality::RandomState, body: &[u8]) -> u64 {
    const END: usize = 64;
    const PIECE: usize = 16;
    const PIECES: usize = 8;
    if body.len() <= 2 * END + PIECES * PIECE {
        return hasher.hash_one(body);
    }
    let mut taken = [0; 2 * END + PIECES * PIECE + 8];
    let (ends, rest) = taken.split_at_mut(2 * END);
    ends[..END].copy_from_slice(&body[..END]);
    ends[END..].copy_from_slice(&body[body.len() - END..]);
    let (pieces, length) = rest.split_at_mut(PIECES * PIECE);
    let step = (body.len() - 2 * END) / PIECES;
    for (number, piece) in pieces.chunks_exact_mut(PIECE).enumerate() {
        let start = END + number * step;
        piece.copy_from_slice(&body[start..start + PIECE]);
    }
    length.copy_from_slice(&(body.len() as u64).to_le_bytes());
    hasher.hash_one(&taken[..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_bodies_with_equal_samples_have_different_numbers() {
        let mut bodies = Bodies::default();
        let template = vec![b'a'; 10_000];
        let with = |at: usize| {
            let mut body = template.clone();
            body[at] = b'b';
            body
        };
        // Positions that are not sampled.
        let positions: Vec<usize> = (0..50).map(|n| 100 + n * 13).collect();
        assert!(
            positions
                .iter()
                .all(|&at| samples(&bodies.hasher, &with(at)) == samples(&bodies.hasher, &template))
        );
        let numbers: Vec<u32> = positions.iter().map(|&at| bodies.intern(&with(at))).collect();
        assert_eq!(numbers, (0..50).collect::<Vec<u32>>());
        let again: Vec<u32> = positions.iter().map(|&at| bodies.intern(&with(at))).collect();
        assert_eq!(again, numbers);
        assert!(positions.iter().zip(&numbers).all(|(&at, &number)| bodies.get(number) == with(at)));
    }
}
