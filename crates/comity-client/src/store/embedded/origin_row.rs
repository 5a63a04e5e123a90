//! The row of an origin: its lease, its paces, and the number of its entry.

use std::time::Duration;

use crate::store::slots::{self, KEPT_AT_LEAST, Slots};
use crate::store::{LONGEST_LEASE, Lane};

/// The row of an origin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OriginRow {
    /// Number of the origin's entry; `None` if there is no entry.
    pub(super) entry: Option<i64>,
    /// Number of the latest lease; 0 if no lease was granted.
    pub(super) lease: i64,
    /// End of the latest lease; `None` if it was released.
    pub(super) ends: Option<i64>,
    pub(super) paces: Paces,
}

impl OriginRow {
    /// Reads a row of a query for the columns entry, lease, ends and paces.
    pub(super) fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<OriginRow> {
        let paces = Paces::read(row.get_ref(3)?.as_blob()?);
        Ok(OriginRow { entry: row.get(0)?, lease: row.get(1)?, ends: row.get(2)?, paces })
    }

    /// Returns true if the row contains no data and can be deleted.
    pub(super) fn is_empty(&self) -> bool {
        self.entry.is_none() && self.ends.is_none() && self.paces == Paces::default()
    }

    /// Grants the lease and returns its number, or returns the remaining time of the current lease.
    pub(super) fn acquire(&mut self, ttl: Duration, now: i64) -> Result<i64, Duration> {
        // The current lease cannot last longer than the lease that is requested now.
        let most = slots::later(now, ttl.min(LONGEST_LEASE));
        self.ends = self.ends.map(|ends| ends.min(most));
        if let Some(ends) = self.ends.filter(|ends| *ends > now) {
            return Err(slots::until(ends, now));
        }
        // If no lease is stored, numbers start at random. So the new number differs from the number of a lease that was
        // lost. The largest number has no successor. Only another program can have written it.
        self.lease = match self.lease {
            0 | i64::MAX => fastrand::i64(1..=i64::MAX / 2),
            last => last + 1,
        };
        self.ends = Some(most);
        Ok(self.lease)
    }

    /// Returns the row without a lease that ended long ago and without expired paces.
    pub(super) fn swept(mut self, now: i64) -> OriginRow {
        let long_ago = now.saturating_sub(slots::length(KEPT_AT_LEAST));
        // No lease can end later than this. A later end was written before a restart of the machine, which resets the
        // clock.
        let most = slots::later(now, LONGEST_LEASE);
        self.ends = self.ends.map(|ends| ends.min(most)).filter(|ends| *ends >= long_ago);
        for pace in &mut self.paces.0 {
            *pace = pace.take().and_then(|mut slots| {
                slots.count_from(now);
                (!slots.is_over(now)).then_some(slots)
            });
        }
        self
    }
}

/// All lanes, each with its number in the file.
const LANES: [(u8, Lane); 3] = [(0, Lane::Pages), (1, Lane::RobotsTxt), (2, Lane::Redirected)];

/// The paces of one origin, in the order of [`LANES`].
///
/// In the file, a pace is the number of its lane, followed by the six fields of [`Slots`] in little-endian order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Paces([Option<Slots>; LANES.len()]);

/// Size of a pace in the file, in bytes.
const PACE_BYTES: usize = 1 + 6 * 8;

impl Paces {
    pub(super) fn of(&mut self, lane: Lane) -> &mut Option<Slots> {
        let [pages, robots_txt, redirected] = &mut self.0;
        match lane {
            Lane::Pages => pages,
            Lane::RobotsTxt => robots_txt,
            Lane::Redirected => redirected,
        }
    }

    /// Parses the bytes that [`to_bytes`](Paces::to_bytes) returns. Invalid paces are skipped.
    pub(super) fn read(bytes: &[u8]) -> Paces {
        let mut paces = Paces::default();
        for pace in bytes.chunks_exact(PACE_BYTES) {
            let Some((number, fields)) = pace.split_first() else { continue };
            let Some((_, lane)) = LANES.iter().find(|(known, _)| known == number) else { continue };
            let Some(fields) = fields.as_chunks::<8>().0.first_chunk::<6>() else { continue };
            let [last, number, before, held, longest, written] = fields.map(i64::from_le_bytes);
            let number = number.cast_unsigned();
            *paces.of(*lane) = Some(Slots { last, number, before, held, longest, written });
        }
        paces
    }

    /// Returns the paces in the format of the file.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(LANES.len() * PACE_BYTES);
        for ((number, _), slots) in LANES.iter().zip(&self.0) {
            let Some(Slots { last, number: taken, before, held, longest, written }) = slots else { continue };
            bytes.push(*number);
            for field in [*last, taken.cast_signed(), *before, *held, *longest, *written] {
                bytes.extend_from_slice(&field.to_le_bytes());
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paces_are_unchanged_after_a_round_trip() {
        let mut paces = Paces::default();
        *paces.of(Lane::RobotsTxt) = Some(Slots {
            last: -1,
            number: u64::MAX,
            before: i64::MIN,
            held: 3,
            longest: i64::MAX,
            written: 5,
        });
        *paces.of(Lane::Pages) = Some(Slots::since(7));
        assert_eq!(Paces::read(&paces.to_bytes()), paces);
        for (number, lane) in LANES {
            let mut one = Paces::default();
            *one.of(lane) = Some(Slots::since(i64::from(number)));
            assert_eq!(Paces::read(&one.to_bytes()), one, "{lane:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_parsed_as_paces_without_panic(bytes: Vec<u8>) {
            let paces = Paces::read(&bytes);
            proptest::prop_assert_eq!(Paces::read(&paces.to_bytes()), paces);
        }
    }
}
