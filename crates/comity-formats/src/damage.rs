//! What could not be read: counted, the first of it named, never fatal, never silent.

/// A record or line that could not be read and was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The place: the number of a line or row from 1, or for WARC the offset of the record in the file.
    pub place: u64,
    /// The problem.
    pub problem: String,
}

/// All that could not be read of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damaged {
    count: u64,
    first: Vec<Damage>,
}

/// So many are named.
const NAMED: usize = 20;

impl Damaged {
    /// Returns how many records or lines were passed over.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the first of them, at most 20.
    pub fn first(&self) -> &[Damage] {
        &self.first
    }

    pub(crate) fn note(&mut self, place: u64, problem: impl Into<String>) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(Damage { place, problem: problem.into() });
        }
    }
}
