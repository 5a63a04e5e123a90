//! Counts and prints the results of a run.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use testkit::generate::Case;

use crate::cases::Source;
use crate::compare::{Answer, Comparison};
use crate::model::Model;

/// The results of a run so far.
pub(crate) struct Report {
    model: Model,
    version: String,
    source: Source,
    started: Instant,
    cases: usize,
    allowed: usize,
    denied: usize,
    by_rule: usize,
    /// By kind of exception: the number of cases in which the program raised it, and how many of them Comity decided.
    raised: BTreeMap<String, (usize, usize)>,
    timed_out: usize,
    disagreements: usize,
    /// The printed disagreements, with the number of their occurrences.
    printed: HashMap<(Vec<u8>, String, String), usize>,
}

impl Report {
    pub(crate) fn new(model: Model, version: String, source: &Source) -> Self {
        Report {
            model,
            version,
            source: source.clone(),
            started: Instant::now(),
            cases: 0,
            allowed: 0,
            denied: 0,
            by_rule: 0,
            raised: BTreeMap::new(),
            timed_out: 0,
            disagreements: 0,
            printed: HashMap::new(),
        }
    }

    pub(crate) fn count(&mut self, comparison: &Comparison) {
        self.cases += 1;
        let ours_decided = matches!(comparison.ours, Answer::Decided { .. });
        match &comparison.theirs {
            Answer::Decided { allowed: true, .. } => self.allowed += 1,
            Answer::Decided { allowed: false, .. } => self.denied += 1,
            Answer::TimedOut => self.timed_out += 1,
            Answer::Refused(message) => {
                let kind = message.split(": ").next().unwrap_or_default();
                let (times, decided) = self.raised.entry(kind.to_owned()).or_default();
                *times += 1;
                *decided += usize::from(ours_decided);
            }
            Answer::Panicked => {}
        }
        self.by_rule += usize::from(matches!(comparison.ours, Answer::Decided { line: Some(1..), .. }));
    }

    /// Prints a disagreement, unless an equal disagreement was already printed.
    pub(crate) fn disagreement(&mut self, number: usize, found: Comparison) {
        self.disagreements += 1;
        let Case { robots, agent, url } = found.case.clone();
        let times = self.printed.entry((robots, agent, url)).or_default();
        *times += 1;
        if *times == 1 {
            let (name, seed) = (self.model.dialect(), self.source.seed);
            println!("disagreement: --model {name} --seed {seed} --case {number}");
            print_comparison(self.model, &found);
            println!();
        }
    }

    /// Returns the number of printed disagreements.
    pub(crate) fn printed(&self) -> usize {
        self.printed.len()
    }

    pub(crate) fn all_agreed(&self) -> bool {
        self.disagreements == 0
    }

    pub(crate) fn print_summary(&self) {
        let share = |part: usize| 100.0 * part as f64 / self.cases.max(1) as f64;
        let (name, version, seed) = (self.model.dialect(), &self.version, self.source.seed);
        let real = if self.source.real.is_some() { " about real files" } else { "" };
        let speed = self.cases as f64 / self.started.elapsed().as_secs_f64();
        for (kind, (times, decided)) in &self.raised {
            println!("raised: {kind} in {times} cases; Comity decided {decided} of them");
        }
        println!(
            "{name} ({version}): {} cases{real}, seed {seed}; allowed {:.1} %, denied {:.1} %, a rule decided {:.1} %; \
             raised {}, timed out {}; disagreements {} ({} distinct); {speed:.0} cases/s",
            self.cases,
            share(self.allowed),
            share(self.denied),
            share(self.by_rule),
            self.raised.values().map(|(times, _)| times).sum::<usize>(),
            self.timed_out,
            self.disagreements,
            self.printed.len(),
        );
    }
}

/// Prints a case and both answers, with unusual bytes escaped.
pub(crate) fn print_comparison(model: Model, comparison: &Comparison) {
    let Case { robots, agent, url } = &comparison.case;
    for line in robots.split_inclusive(|byte| *byte == b'\n') {
        println!("    | {}", line.escape_ascii());
    }
    println!("  agent  {agent:?}");
    println!("  url    {url:?}");
    println!("  Comity {}", comparison.ours);
    println!("  theirs {} ({})", comparison.theirs, model.dialect());
}
