//! Damage: records that could not be read. They are counted, and the first ones are described. Damage is never fatal and never
//! silent.

/// A record or line that could not be read and was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The location: the number of a line or row from 1, or for WARC the offset of the record in the file.
    pub place: u64,
    /// The problem.
    pub problem: String,
}

/// All damage of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damaged {
    count: u64,
    first: Vec<Damage>,
    last: Option<u64>,
}

/// Maximum number of described records or lines.
const NAMED: usize = 20;

impl Damaged {
    /// Returns the number of records or lines that were skipped.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the first of them, 20 at most.
    pub fn first(&self) -> &[Damage] {
        &self.first
    }

    /// Returns the place of the damage that was noted last.
    pub(crate) fn last_place(&self) -> Option<u64> {
        self.last
    }

    pub(crate) fn note(&mut self, place: u64, problem: impl Into<String>) {
        self.count += 1;
        self.last = Some(place);
        if self.first.len() < NAMED {
            self.first.push(Damage { place, problem: problem.into() });
        }
    }
}
