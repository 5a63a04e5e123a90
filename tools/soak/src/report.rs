//! A round, which tests one store, and its report.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::faults::{Fault, Fleet, LONGEST_TURN};
use crate::judge::{Case, Violation, coverage};
use crate::server::{Hit, Server};
use crate::{Plan, StoreKind};

/// Maximum number of listed violations of a kind.
const SHOWN: usize = 10;

/// Minimum age of a process before its memory is compared.
const WARM_UP: Duration = Duration::from_secs(10);

/// The result of a round.
#[derive(Debug, Serialize)]
pub(crate) struct Round {
    store: StoreKind,
    seed: u64,
    seconds: f64,
    origins: u32,
    pages: usize,
    robots_requests: usize,
    /// The number of origins of each kind that received a request.
    coverage: BTreeMap<String, usize>,
    faults: Vec<String>,
    /// Maximum delay of a timer on this machine, in seconds. Long delays show that the machine was overloaded.
    most_late_seconds: f64,
    /// The maximum memory of a process, in kilobytes.
    most_memory: u64,
    counts: BTreeMap<&'static str, usize>,
    violations: Vec<Violation>,
}

/// Runs one round.
pub(crate) fn run(plan: &Plan, store: StoreKind, span: Duration) -> Round {
    let begun = Instant::now();
    match try_run(plan, store, span, begun) {
        Ok(round) => round,
        Err(error) => {
            let violation = violation("tool", begun, begun, error.to_string());
            Round::new(plan, store, begun, &[], &[], &[], vec![violation], 0)
        }
    }
}

fn try_run(plan: &Plan, store: StoreKind, span: Duration, begun: Instant) -> std::io::Result<Round> {
    let server = Server::start(plan.seed, plan.origins)?;
    let mut fleet = Fleet::start(plan, store, server.port)?;
    let mut random = fastrand::Rng::with_seed(plan.seed ^ 0x7e57);
    // The first fault comes after all crawlers have started.
    let mut next_fault = begun + span.min(Duration::from_secs(40)) / 4;
    while begun.elapsed() < span {
        std::thread::sleep(Duration::from_millis(500));
        fleet.check_processes()?;
        if !plan.calm && Instant::now() >= next_fault {
            fleet.fault()?;
            next_fault = Instant::now() + Duration::from_secs(random.u64(2..8));
        }
    }
    fleet.stop();
    let (hits, lateness) = (server.hits(), server.lateness());
    let turns = if plan.admit { LONGEST_TURN } else { Duration::ZERO };
    let case = Case {
        seed: plan.seed,
        store,
        begun,
        hits: &hits,
        lateness: &lateness,
        faults: &fleet.faults,
        turns,
    };
    let mut violations = case.violations();
    violations.extend(fleet.died.iter().map(|(at, what)| violation("worker_died", begun, *at, what.clone())));
    violations.extend(
        fleet
            .memory
            .iter()
            .filter_map(|memory| growth(memory))
            .map(|what| violation("memory", begun, Instant::now(), what)),
    );
    let least = usize::try_from(span.as_secs()).unwrap_or(usize::MAX);
    let pages = hits.iter().filter(|hit| hit.path != "/robots.txt").count();
    if pages < least {
        let what = format!("only {pages} pages in {} s", span.as_secs());
        violations.push(violation("idle", begun, Instant::now(), what));
    }
    let most_memory =
        fleet.memory.iter().flatten().map(|(_, kilobytes)| *kilobytes).max().unwrap_or_default();
    Ok(Round::new(plan, store, begun, &hits, &lateness, &fleet.faults, violations, most_memory))
}

/// Creates a violation without an origin.
fn violation(kind: &'static str, begun: Instant, at: Instant, what: String) -> Violation {
    Violation { kind, origin: None, origin_kind: None, at: (at - begun).as_secs_f64(), what, after: None }
}

/// Returns a description of the growth of a process's memory after the warm-up, if the growth is too large.
fn growth(memory: &[(Duration, u64)]) -> Option<String> {
    let warm: Vec<u64> =
        memory.iter().filter(|(age, _)| *age >= WARM_UP).map(|(_, kilobytes)| *kilobytes).collect();
    let quarter = warm.len() / 4;
    if quarter < 8 {
        return None;
    }
    let early = warm[..quarter].iter().max()?;
    let late = warm[warm.len() - quarter..].iter().min()?;
    // Rules of new origins are stored, so some growth is expected.
    (*late > early * 3 / 2 + 16_384).then(|| format!("{early} kB grew to {late} kB"))
}

impl Round {
    #[allow(clippy::too_many_arguments, reason = "the parts of the report, in one call")]
    fn new(
        plan: &Plan,
        store: StoreKind,
        begun: Instant,
        hits: &[Hit],
        lateness: &[(Instant, Duration)],
        faults: &[Fault],
        found: Vec<Violation>,
        most_memory: u64,
    ) -> Round {
        let robots_requests = hits.iter().filter(|hit| hit.path == "/robots.txt").count();
        let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
        let mut violations = Vec::new();
        for violation in found {
            let count = counts.entry(violation.kind).or_default();
            *count += 1;
            if *count <= SHOWN {
                violations.push(violation);
            }
        }
        let text = |fault: &Fault| format!("{:.1} s: {}", (fault.at - begun).as_secs_f64(), fault.what);
        Round {
            store,
            seed: plan.seed,
            seconds: begun.elapsed().as_secs_f64(),
            origins: plan.origins,
            pages: hits.len() - robots_requests,
            robots_requests,
            coverage: coverage(plan.seed, hits),
            faults: faults.iter().map(text).collect(),
            most_late_seconds: lateness.iter().map(|(_, late)| late.as_secs_f64()).fold(0.0, f64::max),
            most_memory,
            counts,
            violations,
        }
    }

    /// Returns true if there was no violation.
    pub(crate) fn is_good(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the result as text.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "{}: {:.0} s, {} requests for pages and {} for robots.txt at {} of {} origins, {} faults, at most {} kB per \
             process, timers at most {:.0} ms late",
            self.store.as_str(),
            self.seconds,
            self.pages,
            self.robots_requests,
            self.coverage.values().sum::<usize>(),
            self.origins,
            self.faults.len(),
            self.most_memory,
            self.most_late_seconds * 1_000.0,
        );
        for fault in &self.faults {
            let _ = writeln!(out, "  fault at {fault}");
        }
        for (kind, count) in &self.counts {
            let _ = writeln!(out, "  VIOLATION {kind}: {count}");
            for violation in self.violations.iter().filter(|violation| violation.kind == *kind) {
                let origin = violation.origin.map(|number| format!(" origin {number}")).unwrap_or_default();
                let origin_kind = violation.origin_kind.as_deref().unwrap_or_default();
                let after = violation.after.as_deref().unwrap_or("before any fault");
                let _ = writeln!(
                    out,
                    "    at {:.1} s{origin} {origin_kind}: {} ({after})",
                    violation.at, violation.what
                );
            }
        }
        out
    }
}
