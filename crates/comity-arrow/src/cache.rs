//! The cache between batches: bodies, crawlers, subjects, and facts.
//!
//! Everything has a number, which is valid until the whole cache is cleared. The cache is cleared between batches, when it is too
//! large. Clearing it costs about as much as one batch; an eviction policy would cost something for every row.

use std::hash::BuildHasher;

use comity::policy::Reply;
use comity::robots::Agent;
use hashbrown::HashTable;

use crate::answer::{Answered, BodyForm};
use crate::facts::{FactKey, FactTable, Facts};
use crate::glance::{Glanced, OF_BATCH};
use crate::map::Map;
use crate::subject::Subject;
use crate::texts::{NONE, Texts, number};

#[derive(Debug, Default)]
pub(crate) struct Cache {
    pub bodies: Bodies,
    /// The values of `Content-Type`; 0 means none.
    pub content_types: Names,
    pub agents: Agents,
    pub subjects: Vec<Subject>,
    pub places: Map<Key, u32>,
    /// The subjects of each place: one for each crawler in the decision.
    heard: Vec<u32>,
    /// The last row of each place while rows are grouped by place; [`NONE`] at other times.
    last_rows: Vec<u32>,
    pub facts: FactTable,
    pub fact_places: Map<FactKey, u32>,
    pub texts: Texts,
    pub glanced: Glanced,
    /// Number of the text of the word for each answer.
    pub answer_words: Map<Answered, u32>,
    /// Total size of subjects and facts, in bytes.
    bytes: usize,
}

/// Key of a place: answer source and crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub source: Source,
    /// The number of the crawler; [`NONE`] if each row is decided for several.
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
    /// Any robots.txt without rules and with this reply.
    StandIn {
        reply: Option<Reply>,
        content_type: u32,
    },
    /// No answer, for the reason in the word.
    Without(Answered),
}

impl Cache {
    pub(crate) fn bytes(&self) -> usize {
        let kept = self.bytes + self.bodies.bytes + self.content_types.bytes + self.agents.bytes;
        kept + self.texts.bytes() + self.glanced.bytes()
    }

    pub(crate) fn clear(&mut self) {
        *self = Cache::default();
    }

    /// Returns facts by their number.
    #[inline]
    pub(crate) fn facts(&self, number: u32) -> Option<Facts<'_>> {
        match number & OF_BATCH {
            0 => self.facts.get(number),
            _ => self.glanced.facts.get(number & !OF_BATCH),
        }
    }

    /// Returns a text by its number, in the form of [`Texts::get`].
    #[inline]
    pub(crate) fn text(&self, number: u32) -> Option<(&[u8], usize)> {
        match number & OF_BATCH {
            0 => self.texts.get(number),
            _ => self.glanced.texts.get(number & !OF_BATCH),
        }
    }

    /// Returns the text number of the word for an answer.
    pub(crate) fn answer_word(&mut self, answered: Answered) -> u32 {
        *self.answer_words.entry(answered).or_insert_with(|| self.texts.push(&answered.word()))
    }

    /// Stores the subjects of a place, one for each crawler. Equal subjects are stored once, if they may be shared. Returns the
    /// number of the place.
    pub(crate) fn push_place(&mut self, key: Key, subjects: Vec<Subject>, shares: bool) -> u32 {
        let place = number(self.places.len());
        let first = self.subjects.len();
        self.bytes += (subjects.len() + 1) * size_of::<u32>() + 2 * size_of::<(Key, u32)>();
        for subject in subjects {
            let of_place = self.subjects.get(first..).filter(|_| shares).unwrap_or_default();
            let twin = of_place.iter().position(|known| known.is_alike(&subject));
            let subject = twin.map_or_else(|| self.push_subject(subject), |twin| number(first + twin));
            self.heard.push(subject);
        }
        self.places.insert(key, place);
        place
    }

    /// Returns the buffer for the last row of each place.
    pub(crate) fn last_rows(&mut self) -> &mut [u32] {
        self.last_rows.resize(self.places.len(), NONE);
        &mut self.last_rows
    }

    fn push_subject(&mut self, subject: Subject) -> u32 {
        self.bytes += subject.heap_bytes();
        self.subjects.push(subject);
        number(self.subjects.len() - 1)
    }

    /// Returns the number of the subject for a crawler at a place, or [`NONE`]. `crawlers` is the number of crawlers.
    #[inline]
    pub(crate) fn subject_at(&self, place: u32, crawler: usize, crawlers: usize) -> u32 {
        let at = (place as usize).checked_mul(crawlers).and_then(|first| first.checked_add(crawler));
        at.and_then(|at| self.heard.get(at)).copied().unwrap_or(NONE)
    }

    pub(crate) fn push_facts(&mut self, key: FactKey, cells: &[u32]) -> u32 {
        let number = self.facts.push(cells);
        self.bytes += size_of_val(cells) + 2 * size_of::<(FactKey, u32)>();
        self.fact_places.insert(key, number);
        number
    }
}

/// Numbers of short byte strings.
#[derive(Debug, Default)]
pub(crate) struct Names {
    places: Map<Box<[u8]>, u32>,
    names: Vec<Box<[u8]>>,
    bytes: usize,
}

impl Names {
    pub(crate) fn intern(&mut self, name: &[u8]) -> u32 {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        let place = number(self.names.len());
        self.bytes += 2 * name.len() + 64;
        self.names.push(name.into());
        self.places.insert(name.into(), place);
        place
    }

    pub(crate) fn get(&self, place: u32) -> &[u8] {
        self.names.get(place as usize).map_or(b"", |name| &**name)
    }
}

/// Crawlers by number.
#[derive(Debug, Default)]
pub(crate) struct Agents {
    places: Map<Box<[u8]>, u32>,
    agents: Vec<Agent>,
    bytes: usize,
}

impl Agents {
    /// Returns the number of a crawler by its product token, or the reason why the text is not a product token.
    pub(crate) fn intern(&mut self, token: &[u8]) -> Result<u32, String> {
        if let Some(&place) = self.places.get(token) {
            return Ok(place);
        }
        let agent = Agent::token(String::from_utf8_lossy(token)).map_err(|error| {
            format!("{}: a whole User-Agent header is given as the one agent of all rows", error.problem())
        })?;
        let place = self.push(agent);
        self.places.insert(token.into(), place);
        Ok(place)
    }

    /// Returns the numbers of the crawlers for which every row is decided.
    pub(crate) fn named(&mut self, agents: &[Agent]) -> Vec<u32> {
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

    pub(crate) fn get(&self, place: u32) -> Option<&Agent> {
        self.agents.get(place as usize)
    }
}

/// Bodies by number.
///
/// A body is looked up by its length and a few samples, and then compared in full, so that the body of a row is read once, not
/// twice. If many different bodies have equal samples (from one template, or made on purpose), they are distinguished by a hash
/// of the whole body.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    hasher: foldhash::quality::RandomState,
    /// Samples of bodies that were scanned but not stored.
    glanced: HashTable<u64>,
    slots: HashTable<Slot>,
    bodies: Vec<Box<[u8]>>,
    bytes: usize,
}

#[derive(Debug)]
struct Slot {
    samples: u64,
    few: Vec<u32>,
    many: Map<u64, Vec<u32>>,
}

/// Maximum number of bodies with equal samples that are compared one by one.
const FEW: usize = 8;

impl Bodies {
    pub(crate) fn get(&self, place: u32) -> &[u8] {
        self.bodies.get(place as usize).map_or(b"", |body| &**body)
    }

    /// Returns true if no body with these samples was seen before, and remembers the samples.
    pub(crate) fn is_new(&mut self, body: &[u8]) -> bool {
        let samples = samples(&self.hasher, body);
        if self.slots.find(samples, |slot| slot.samples == samples).is_some() {
            return false;
        }
        let entry = self.glanced.entry(samples, |known| *known == samples, |known| *known);
        let hashbrown::hash_table::Entry::Vacant(room) = entry else { return false };
        room.insert(samples);
        self.bytes += 2 * size_of::<u64>();
        true
    }

    pub(crate) fn intern(&mut self, body: &[u8]) -> u32 {
        let Bodies { hasher, slots, bodies, bytes, .. } = self;
        let samples = samples(hasher, body);
        let slot = slots
            .entry(samples, |slot| slot.samples == samples, |slot| slot.samples)
            .or_insert_with(|| Slot { samples, few: Vec::new(), many: Map::default() })
            .into_mut();
        let is_it = |place: &u32| bodies.get(*place as usize).is_some_and(|known| **known == *body);
        if let Some(&place) = slot.few.iter().find(|place| is_it(place)) {
            return place;
        }
        let of_same_samples = if slot.few.len() < FEW {
            &mut slot.few
        } else {
            slot.many.entry(hasher.hash_one(body)).or_default()
        };
        if let Some(&place) = of_same_samples.iter().find(|place| is_it(place)) {
            return place;
        }
        let place = number(bodies.len());
        of_same_samples.push(place);
        *bytes += body.len() + size_of::<Slot>() + 64;
        bodies.push(body.into());
        place
    }
}

/// Returns a hash of the length, both ends, and some bytes in between.
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
    fn bodies_of_equal_samples_are_told_apart() {
        let mut bodies = Bodies::default();
        let template = vec![b'a'; 10_000];
        let with = |at: usize| {
            let mut body = template.clone();
            body[at] = b'b';
            body
        };
        // Positions that are not sampled.
        let places: Vec<usize> = (0..50).map(|n| 100 + n * 13).collect();
        assert!(
            places.iter().all(|&at| samples(&bodies.hasher, &with(at)) == samples(&bodies.hasher, &template))
        );
        let numbers: Vec<u32> = places.iter().map(|&at| bodies.intern(&with(at))).collect();
        assert_eq!(numbers, (0..50).collect::<Vec<u32>>());
        let again: Vec<u32> = places.iter().map(|&at| bodies.intern(&with(at))).collect();
        assert_eq!(again, numbers);
        assert!(places.iter().zip(&numbers).all(|(&at, &number)| bodies.get(number) == with(at)));
    }
}
