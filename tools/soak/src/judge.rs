//! Finds violations: requests at the origins that the generated rules and intervals do not allow.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::StoreKind;
use crate::faults::Fault;
use crate::origins::{Kind, MIN_INTERVAL, Origin};
use crate::server::Hit;

/// Duration by which a gap may be too short, in addition to the lateness of this machine.
const TOLERANCE: Duration = Duration::from_millis(50);

/// Time before and after a request in which a late wake-up of this machine may have delayed the request.
const AROUND: Duration = Duration::from_secs(1);

/// A violation.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Violation {
    /// `disallowed_path`, `short_gap`, `robots_requests`, `victim_gap`, `memory`, `idle`, `worker_died`, `tool`.
    pub(crate) kind: &'static str,
    pub(crate) origin: Option<u32>,
    pub(crate) origin_kind: Option<String>,
    /// Seconds since the round began.
    pub(crate) at: f64,
    pub(crate) what: String,
    /// The last fault before the violation.
    pub(crate) after: Option<String>,
}

/// The observations of a round.
#[derive(Debug)]
pub(crate) struct Case<'c> {
    pub(crate) seed: u64,
    pub(crate) store: StoreKind,
    pub(crate) begun: Instant,
    pub(crate) hits: &'c [Hit],
    pub(crate) lateness: &'c [(Instant, Duration)],
    pub(crate) faults: &'c [Fault],
    /// Maximum time between the reservation of a slot and its request. A crawler uses its slot even if the service has
    /// ended in the meantime. Without a shared store, a new service does not know this slot.
    pub(crate) turns: Duration,
}

impl Case<'_> {
    /// Returns all violations.
    pub(crate) fn violations(&self) -> Vec<Violation> {
        let mut by_origin: BTreeMap<u32, Vec<&Hit>> = BTreeMap::new();
        for hit in self.hits {
            by_origin.entry(hit.origin).or_default().push(hit);
        }
        let mut found = Vec::new();
        for (number, mut hits) in by_origin {
            hits.sort_by_key(|hit| hit.at);
            let origin = Origin::new(self.seed, number);
            let (robots, pages): (Vec<&Hit>, Vec<&Hit>) =
                hits.iter().partition(|hit| hit.path == "/robots.txt");
            found.extend(self.paths(&origin, &pages));
            found.extend(self.gaps(&origin, &pages, origin.interval, "short_gap"));
            if number == 0 {
                // Many origins redirect to this robots.txt. The requests for it must keep the pace of this origin.
                found.extend(self.gaps(&origin, &robots, MIN_INTERVAL, "victim_gap"));
            } else {
                found.extend(self.requests(&origin, &robots));
            }
        }
        found
    }

    fn violation(&self, kind: &'static str, origin: &Origin, at: Instant, what: String) -> Violation {
        let after = self.faults.iter().rfind(|fault| fault.at <= at);
        Violation {
            kind,
            origin: Some(origin.number),
            origin_kind: Some(format!("{:?}", origin.kind)),
            at: (at - self.begun).as_secs_f64(),
            what,
            after: after.map(|fault| format!("{:.1} s after: {}", (at - fault.at).as_secs_f64(), fault.what)),
        }
    }

    /// Returns the requests for disallowed paths.
    fn paths(&self, origin: &Origin, pages: &[&Hit]) -> Vec<Violation> {
        let closed = pages.iter().filter(|hit| origin.allows(&hit.path) == Some(false));
        closed.map(|hit| self.violation("disallowed_path", origin, hit.at, hit.path.clone())).collect()
    }

    /// Returns the requests that came too soon after the previous request.
    fn gaps(&self, origin: &Origin, hits: &[&Hit], interval: Duration, kind: &'static str) -> Vec<Violation> {
        let mut found = Vec::new();
        for pair in hits.windows(2) {
            let [before, after] = pair else { continue };
            let gap = after.at - before.at;
            let least = interval.saturating_sub(TOLERANCE + self.late(before.at) + self.late(after.at));
            if gap < least && !self.is_lost_between(before.at, after.at) {
                let what = format!("{:.3} s instead of {:.3}", gap.as_secs_f64(), interval.as_secs_f64());
                found.push(self.violation(kind, origin, after.at, what));
            }
        }
        found
    }

    /// Returns the maximum lateness of this machine around a time.
    fn late(&self, at: Instant) -> Duration {
        let first = self.lateness.partition_point(|(when, _)| *when + AROUND < at);
        let near = self.lateness[first..].iter().take_while(|(when, _)| *when < at + AROUND);
        near.map(|(_, late)| *late).max().unwrap_or_default()
    }

    /// Returns true if the pace may be lost because the only process that stored it was killed between two requests. A
    /// shared store must not lose the pace.
    fn is_lost_between(&self, before: Instant, after: Instant) -> bool {
        self.store == StoreKind::Memory
            && self
                .faults
                .iter()
                .any(|fault| fault.is_loss && fault.at + self.turns + AROUND >= before && fault.at <= after)
    }

    /// Returns a violation if there were more requests for robots.txt than expired TTLs, retries and faults explain.
    fn requests(&self, origin: &Origin, robots: &[&Hit]) -> Vec<Violation> {
        let (Some(first), Some(last)) = (robots.first(), robots.last()) else { return Vec::new() };
        // Each fault may cause two more requests: a request of the affected process, and a request of another process,
        // which rejects the result of the first.
        let excuses = 2 * self.faults.iter().filter(|fault| fault.at <= last.at).count();
        // Permitted repetitions: one in 600 s after an answer, one in 2 s after a failure.
        let span = (last.at - first.at).as_secs_f64();
        let again = if origin.answers() { span / 600.0 } else { span / 2.0 };
        // Other processes accept a network failure only after a second process has confirmed it.
        let witnesses = usize::from(origin.fails_to_answer() && self.store != StoreKind::Memory);
        let most = 1 + witnesses + excuses + again as usize;
        if robots.len() <= most {
            return Vec::new();
        }
        let what = format!("{} requests in {span:.1} s, {most} explained", robots.len());
        vec![self.violation("robots_requests", origin, last.at, what)]
    }
}

/// Returns the number of origins of each kind that received a request.
pub(crate) fn coverage(seed: u64, hits: &[Hit]) -> BTreeMap<String, usize> {
    let mut origins: Vec<u32> = hits.iter().map(|hit| hit.origin).collect();
    origins.sort_unstable();
    origins.dedup();
    let mut kinds = BTreeMap::new();
    for number in origins {
        let kind: Kind = Origin::new(seed, number).kind;
        *kinds.entry(format!("{kind:?}")).or_default() += 1;
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(begun: Instant, seconds: f64, origin: u32, path: &str) -> Hit {
        Hit { at: begun + Duration::from_secs_f64(seconds), origin, path: path.to_owned() }
    }

    /// Returns the number of the first origin of a kind.
    fn number(kind: Kind) -> u32 {
        (1..).find(|number| Origin::new(1, *number).kind == kind).unwrap_or_default()
    }

    fn kinds(store: StoreKind, hits: &[Hit], begun: Instant, faults: &[Fault]) -> Vec<&'static str> {
        let case = Case { seed: 1, store, begun, hits, lateness: &[], faults, turns: Duration::ZERO };
        case.violations().into_iter().map(|violation| violation.kind).collect()
    }

    #[test]
    fn each_kind_of_violation_is_found() {
        let begun = Instant::now();
        let (open, shut) = (number(Kind::Rules), number(Kind::Shut));
        let at = |seconds, origin, path| hit(begun, seconds, origin, path);
        let fine = [at(0.0, open, "/robots.txt"), at(0.1, open, "/open/1"), at(0.6, open, "/open/2")];
        assert!(kinds(StoreKind::Embedded, &fine, begun, &[]).is_empty());
        for (hits, expected) in [
            (vec![at(0.0, open, "/closed/1")], "disallowed_path"),
            (vec![at(0.0, shut, "/open/1")], "disallowed_path"),
            (vec![at(0.0, open, "/open/1"), at(0.44, open, "/open/2")], "short_gap"),
            (vec![at(0.0, open, "/robots.txt"), at(9.0, open, "/robots.txt")], "robots_requests"),
            (vec![at(0.0, 0, "/robots.txt"), at(0.1, 0, "/robots.txt")], "victim_gap"),
        ] {
            assert_eq!(kinds(StoreKind::Embedded, &hits, begun, &[]), [expected]);
        }
    }

    #[test]
    fn third_request_after_a_network_failure_is_a_violation() {
        let begun = Instant::now();
        let reset = number(Kind::Reset);
        let robots = |seconds| hit(begun, seconds, reset, "/robots.txt");
        let two = [robots(0.0), robots(1.6)];
        assert!(kinds(StoreKind::Embedded, &two, begun, &[]).is_empty());
        assert_eq!(kinds(StoreKind::Memory, &two, begun, &[]), ["robots_requests"]);
        let three = [robots(0.0), robots(0.8), robots(1.6)];
        assert_eq!(kinds(StoreKind::Embedded, &three, begun, &[]), ["robots_requests"]);
    }

    #[test]
    fn loss_of_memory_excuses_a_short_gap() {
        let begun = Instant::now();
        let open = number(Kind::Rules);
        let hits = [hit(begun, 2.0, open, "/open/1"), hit(begun, 2.3, open, "/open/2")];
        let what = "killed".to_owned();
        let faults = [Fault { at: begun + Duration::from_secs_f64(2.1), what, is_loss: true }];
        assert!(kinds(StoreKind::Memory, &hits, begun, &faults).is_empty());
        assert_eq!(kinds(StoreKind::Redis, &hits, begun, &faults), ["short_gap"]);
        // A slot of the killed service is used after the loss.
        let hits = [hit(begun, 5.0, open, "/open/1"), hit(begun, 5.3, open, "/open/2")];
        for (seconds, expected) in [(0, 1), (1, 1), (2, 0)] {
            let (store, turns) = (StoreKind::Memory, Duration::from_secs(seconds));
            let case = Case { seed: 1, store, begun, hits: &hits, lateness: &[], faults: &faults, turns };
            assert_eq!(case.violations().len(), expected, "{seconds}");
        }
    }
}
