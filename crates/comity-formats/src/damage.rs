//! Damage: records that could not be read. They are counted and skipped. The first 20 are described.

/// A damaged record or line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The location: the number of a line, row or row group from 1. In WARC files, the offset of the record.
    pub place: u64,
    /// The reason why the record could not be read.
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
const MAX_DESCRIBED: usize = 20;

impl Damaged {
    /// Returns the number of damaged records or lines.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the first damaged records or lines, up to 20.
    pub fn first(&self) -> &[Damage] {
        &self.first
    }

    /// Returns the location of the damage that was added last.
    pub(crate) fn last_place(&self) -> Option<u64> {
        self.last
    }

    pub(crate) fn note(&mut self, place: u64, problem: impl Into<String>) {
        self.count += 1;
        self.last = Some(place);
        if self.first.len() < MAX_DESCRIBED {
            self.first.push(Damage { place, problem: problem.into() });
        }
    }
}
