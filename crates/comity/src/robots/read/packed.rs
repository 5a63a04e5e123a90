//! Records that are stored in eight bytes.
//!
//! A parsed file is its text and one [`PackedRecord`] per known directive. The packed record contains the start and the
//! length of the value, the distance from the key to the value, and the kind. Line numbers of records are not stored,
//! but counted on request; only the first lines of groups are stored. The rare record whose length or distance is too
//! large for its field is stored unpacked in a side table.

use std::mem;
use std::ops::Range;

use super::directive::RecordKind;

/// A packed record: `value_start`, and `rest` with these fields, from the lowest bit on: kind (4 bits), misspelt (1),
/// missing colon (1), distance from the key to the value (8), length of the value (18).
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedRecord {
    value_start: u32,
    rest: u32,
}

/// An unpacked record.
#[derive(Clone, Debug)]
pub(crate) struct UnpackedRecord {
    pub kind: RecordKind,
    pub misspelt: bool,
    pub missing_colon: bool,
    pub key_start: usize,
    pub value: Range<usize>,
}

/// Length that marks a record in the side table. `value_start` is then the index in that table.
const WIDE: u32 = (1 << 18) - 1;

/// Records in the order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    packed: Vec<PackedRecord>,
    wide: Vec<UnpackedRecord>,
}

/// A collector of records. The records of a small file remain on the stack until their number is known.
#[derive(Debug)]
pub(crate) struct Collector {
    first: [PackedRecord; FIRST],
    count: usize,
    text_length: usize,
    records: Records,
}

/// Maximum number of records on the stack. Most files have fewer.
const FIRST: usize = 48;

impl Collector {
    /// Creates a collector for a text of `text_length` bytes.
    #[inline]
    pub(crate) fn new(text_length: usize) -> Self {
        let first = [PackedRecord { value_start: 0, rest: 0 }; FIRST];
        Collector { first, count: 0, text_length, records: Records::default() }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, record: UnpackedRecord) {
        let length = record.value.len();
        let distance = record.value.start - record.key_start;
        let kind =
            record.kind as u32 | u32::from(record.misspelt) << 4 | u32::from(record.missing_colon) << 5;
        let packed = if length < WIDE as usize && distance < 256 {
            let rest = kind | (distance as u32) << 6 | (length as u32) << 14;
            PackedRecord { value_start: record.value.start as u32, rest }
        } else {
            self.records.wide.push(record);
            PackedRecord { value_start: self.records.wide.len() as u32 - 1, rest: kind | WIDE << 14 }
        };
        match self.first.get_mut(self.count) {
            Some(place) => *place = packed,
            None => self.spill(packed),
        }
        self.count += 1;
    }

    /// Adds a record that does not fit on the stack.
    fn spill(&mut self, packed: PackedRecord) {
        let kept = &mut self.records.packed;
        if kept.is_empty() {
            kept.reserve(self.text_length / 32 + FIRST);
            kept.extend_from_slice(&self.first);
        }
        kept.push(packed);
    }

    /// Returns all records in an allocation of the exact size. The method takes a reference because the collector is
    /// large.
    #[inline]
    pub(crate) fn finish(&mut self) -> Records {
        let mut records = mem::take(&mut self.records);
        if self.count <= FIRST {
            records.packed = self.first[..self.count].to_vec();
        }
        records.packed.shrink_to_fit();
        records.wide.shrink_to_fit();
        records
    }
}

impl Records {
    pub(crate) fn len(&self) -> usize {
        self.packed.len()
    }

    #[inline]
    pub(crate) fn kind(&self, index: usize) -> RecordKind {
        RecordKind::ALL[(self.packed[index].rest & 15) as usize % RecordKind::ALL.len()]
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> UnpackedRecord {
        let PackedRecord { value_start, rest } = self.packed[index];
        let length = rest >> 14;
        if length == WIDE {
            return self.wide[value_start as usize].clone();
        }
        let start = value_start as usize;
        UnpackedRecord {
            kind: self.kind(index),
            misspelt: rest >> 4 & 1 == 1,
            missing_colon: rest >> 5 & 1 == 1,
            key_start: start - (rest >> 6 & 255) as usize,
            value: start..start + length as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_record_unpacks_unchanged() {
        let mut collector = Collector::new(0);
        let mut expected = Vec::new();
        for kind in RecordKind::ALL {
            for (key_start, start, length) in
                [(0, 12, 3), (5, 260, 70_000), (1, 300, 1), (7, 9, 400_000), (2, 5, 0)]
            {
                for flags in 0..4 {
                    let (misspelt, missing_colon) = (flags & 1 == 1, flags & 2 == 2);
                    let value = start..start + length;
                    collector.push(UnpackedRecord {
                        kind,
                        misspelt,
                        missing_colon,
                        key_start,
                        value: value.clone(),
                    });
                    expected.push((kind, misspelt, missing_colon, key_start, value));
                }
            }
        }
        let records = collector.finish();
        assert_eq!(records.len(), expected.len());
        for (index, expected) in expected.into_iter().enumerate() {
            let UnpackedRecord { kind, misspelt, missing_colon, key_start, value } = records.get(index);
            assert_eq!((kind, misspelt, missing_colon, key_start, value), expected);
            assert_eq!(records.kind(index), expected.0);
        }
    }
}
