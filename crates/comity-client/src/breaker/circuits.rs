//! The circuits of failing origins, and their state transitions.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::time::{Duration, SystemTime};

use super::CircuitState;
use crate::Origin;

/// The circuits of all failing origins.
#[derive(Debug)]
pub(super) struct Circuits {
    threshold: NonZeroU32,
    recovery: Duration,
    /// Maximum number of circuits.
    most: usize,
    /// The number of probes so far.
    probes: u64,
    map: HashMap<Origin, OriginCircuit>,
}

/// The number of a probe. With it, the result of a probe whose circuit was evicted is not applied to a later probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Probe(u64);

#[derive(Debug)]
struct OriginCircuit {
    /// Time of the last failure.
    failed: SystemTime,
    circuit: Circuit,
}

#[derive(Debug)]
enum Circuit {
    /// Closed, after this many failures in a row.
    Failing(u32),
    /// Open since the last failure. It becomes half open after the recovery time.
    Open,
    /// Half open, while the probe is in flight.
    Probing(Probe),
}

impl OriginCircuit {
    /// Returns the remaining time of an open circuit. After the clock was set back, it is at most the recovery time.
    fn remaining(&self, recovery: Duration, now: SystemTime) -> Duration {
        recovery.saturating_sub(now.duration_since(self.failed).unwrap_or_default())
    }
}

impl Circuits {
    pub(super) fn new(threshold: NonZeroU32, recovery: Duration, most: usize) -> Self {
        Circuits { threshold, recovery, most, probes: 0, map: HashMap::new() }
    }

    /// Admits or rejects a call. Returns the number of an admitted probe, or `None` for another admitted call. The
    /// error is the remaining time of the open circuit, or `None` while a probe is in flight.
    pub(super) fn admit(
        &mut self,
        origin: &Origin,
        now: SystemTime,
    ) -> Result<Option<Probe>, Option<Duration>> {
        let Some(entry) = self.map.get_mut(origin) else { return Ok(None) };
        match entry.circuit {
            Circuit::Failing(_) => Ok(None),
            Circuit::Probing(_) => Err(None),
            Circuit::Open => match entry.remaining(self.recovery, now) {
                Duration::ZERO => {
                    self.probes += 1;
                    let probe = Probe(self.probes);
                    entry.circuit = Circuit::Probing(probe);
                    Ok(Some(probe))
                }
                remaining => {
                    // If the clock was set back, the recovery time counts from now.
                    entry.failed = entry.failed.min(now);
                    Err(Some(remaining))
                }
            },
        }
    }

    pub(super) fn state(&self, origin: &Origin, now: SystemTime) -> CircuitState {
        let Some(entry) = self.map.get(origin) else { return CircuitState::Closed };
        match entry.circuit {
            Circuit::Failing(_) => CircuitState::Closed,
            Circuit::Probing(_) => CircuitState::HalfOpen,
            Circuit::Open if entry.remaining(self.recovery, now).is_zero() => CircuitState::HalfOpen,
            Circuit::Open => CircuitState::Open,
        }
    }

    /// Records a successful call. Only the probe closes a half-open circuit, since all other calls began before the
    /// circuit opened.
    pub(super) fn succeed(&mut self, origin: &Origin, probe: Option<Probe>) {
        let closes = self.map.get(origin).is_some_and(|entry| match entry.circuit {
            Circuit::Failing(_) => true,
            Circuit::Open => false,
            Circuit::Probing(current) => probe == Some(current),
        });
        if closes {
            self.map.remove(origin);
        }
    }

    /// Records a failed call. Returns true if the call opened the circuit. The failure of a call that began before the
    /// circuit opened does not extend the recovery time.
    pub(super) fn fail(&mut self, origin: &Origin, probe: Option<Probe>, now: SystemTime) -> bool {
        let failures = match self.map.get(origin).map(|entry| &entry.circuit) {
            None => 1,
            Some(Circuit::Failing(before)) => before.saturating_add(1),
            Some(Circuit::Probing(current)) if probe == Some(*current) => self.threshold.get(),
            Some(Circuit::Probing(_) | Circuit::Open) => return false,
        };
        let opens = failures >= self.threshold.get();
        let circuit = if opens { Circuit::Open } else { Circuit::Failing(failures) };
        if self.map.len() >= self.most && !self.map.contains_key(origin) {
            self.evict_oldest();
        }
        self.map.insert(origin.clone(), OriginCircuit { failed: now, circuit });
        opens
    }

    /// Records that the probe ended without a result. The next call becomes the probe.
    pub(super) fn give_back(&mut self, origin: &Origin, probe: Probe) {
        let Some(entry) = self.map.get_mut(origin) else { return };
        if matches!(entry.circuit, Circuit::Probing(current) if current == probe) {
            entry.circuit = Circuit::Open;
        }
    }

    /// Evicts the half of the circuits with the oldest failures. A full half is evicted, so that evictions are rare.
    fn evict_oldest(&mut self) {
        let mut times: Vec<SystemTime> = self.map.values().map(|entry| entry.failed).collect();
        let mut surplus = times.len().div_ceil(2);
        let (_, &mut limit, _) = times.select_nth_unstable(surplus.saturating_sub(1));
        self.map.retain(|_, entry| {
            let goes = surplus > 0 && entry.failed <= limit;
            surplus -= usize::from(goes);
            !goes
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: SystemTime = SystemTime::UNIX_EPOCH;
    const SECOND: Duration = Duration::from_secs(1);

    fn origin(number: u32) -> Origin {
        Origin::of(&format!("https://{number}.example/").parse().unwrap()).unwrap()
    }

    fn circuits(threshold: u32, most: usize) -> Circuits {
        Circuits::new(NonZeroU32::new(threshold).unwrap(), SECOND * 60, most)
    }

    #[test]
    fn successful_origin_has_no_entry() {
        let mut circuits = circuits(3, 100);
        for number in 0..1_000 {
            assert_eq!(circuits.admit(&origin(number), START), Ok(None));
            circuits.fail(&origin(number), None, START);
            circuits.succeed(&origin(number), None);
        }
        assert_eq!((circuits.map.len(), circuits.map.capacity() < 100), (0, true));
    }

    #[test]
    fn full_table_evicts_the_oldest_failures() {
        let mut circuits = circuits(1, 100);
        for number in 0..1_000 {
            assert!(circuits.fail(&origin(number), None, START + SECOND * number));
            assert!(circuits.map.len() <= 100);
            let kept = (number.saturating_sub(49)..=number).map(origin);
            let now = START + SECOND * number;
            for origin in kept {
                assert!(circuits.map.contains_key(&origin), "{origin} at {now:?}");
            }
        }
        // The limit also applies if all origins failed at the same time.
        let mut circuits = self::circuits(1, 100);
        for number in 0..1_000 {
            circuits.fail(&origin(number), None, START);
            assert!((50..=100).contains(&circuits.map.len()) || number < 50);
        }
    }

    #[test]
    fn result_of_evicted_probe_is_ignored() {
        let mut circuits = circuits(1, 2);
        let now = START + SECOND * 60;
        circuits.fail(&origin(0), None, START);
        let old = circuits.admit(&origin(0), now).unwrap();
        circuits.fail(&origin(1), None, now);
        circuits.fail(&origin(2), None, now);
        assert_eq!(circuits.state(&origin(0), now), CircuitState::Closed, "evicted");
        circuits.fail(&origin(0), None, now);
        let new = circuits.admit(&origin(0), now + SECOND * 60).unwrap();
        assert!(old.is_some() && new.is_some() && old != new);
        circuits.succeed(&origin(0), old);
        circuits.give_back(&origin(0), old.unwrap());
        assert!(!circuits.fail(&origin(0), old, now + SECOND * 60));
        assert_eq!(circuits.admit(&origin(0), now + SECOND * 60), Err(None), "the probe is in flight");
        circuits.succeed(&origin(0), new);
        assert_eq!(circuits.state(&origin(0), now), CircuitState::Closed);
    }

    #[test]
    fn clock_set_back_keeps_circuit_open_for_one_recovery_at_most() {
        let mut circuits = circuits(1, 100);
        circuits.fail(&origin(0), None, START + SECOND * 86_400);
        assert_eq!(circuits.admit(&origin(0), START), Err(Some(SECOND * 60)));
        assert_eq!(circuits.admit(&origin(0), START + SECOND * 20), Err(Some(SECOND * 40)));
        assert!(matches!(circuits.admit(&origin(0), START + SECOND * 60), Ok(Some(_))));
    }
}
