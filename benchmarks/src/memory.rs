//! The workload `memory`: memory of parsed files and of rules.

use std::collections::BTreeSet;

use comity::robots::{Agent, RobotsTxt, Rules};

use crate::case::{Case, total_bytes};
use crate::contender::Contender;
use crate::corpus::Corpus;
use crate::engines::Engine;
use crate::generate::UNLISTED;
use crate::heap;
use crate::options::Options;
use crate::survive::survive;
use crate::table::{Cell, Row, Table};
use crate::workloads::match_cases;

/// Measures the memory of parsed files, and of Comity's rules per host.
pub(crate) fn memory(corpus: &Corpus, engines: &[Contender], options: &Options) -> Vec<Table> {
    heap::start_counting();
    let buckets = corpus.buckets();
    let cases: Vec<Case> = buckets.iter().flat_map(|(_, cases)| cases.clone()).collect();
    vec![parsed_files(&buckets, engines), kept_per_host(&cases, &match_cases(corpus, options))]
}

fn parsed_files(buckets: &[(&'static str, Vec<Case>)], engines: &[Contender]) -> Table {
    let row = |engine: &dyn Engine| {
        let held: Vec<usize> = buckets
            .iter()
            .map(|(_, cases)| cases.iter().map(|case| held_by_parsed(engine, case)).sum())
            .collect();
        let bytes: Vec<usize> = buckets.iter().map(|(_, cases)| total_bytes(cases)).collect();
        let per_byte = |range: std::ops::Range<usize>| {
            Cell::of(
                held[range.clone()].iter().sum::<usize>() as f64 / bytes[range].iter().sum::<usize>() as f64,
            )
        };
        let mut cells = vec![per_byte(0..buckets.len()), per_byte(0..buckets.len() - 1)];
        cells.extend((0..buckets.len()).map(|bucket| per_byte(bucket..bucket + 1)));
        Row { engine: engine.name(), agreement: None, cells }
    };
    let rows = engines.iter().filter_map(|engine| match engine {
        Contender::Linked(engine) => Some(row(&**engine)),
        Contender::Google(_) => None,
    });
    let columns = ["all", "small"].into_iter().chain(buckets.iter().map(|(title, _)| *title));
    Table {
        workload: "memory",
        title: "memory of a parsed file, in bytes per byte of the file".to_owned(),
        columns: columns.map(str::to_owned).collect(),
        rows: rows.collect(),
        notes: vec![
            "Includes the value, its heap, and the body (or its text) if the parsed form borrows the body. \
             robotxt and texting_robots store the rules of only one agent; robotstxt stores only the text."
                .to_owned(),
        ],
        is_time: false,
    }
}

fn held_by_parsed(engine: &dyn Engine, case: &Case) -> usize {
    let before = heap::held();
    let mut held = 0;
    let look = || {
        engine.parse(case, &mut |parsed| held = (heap::held() - before).unsigned_abs() + size_of_val(parsed));
    };
    // If the engine panics, only the borrowed body counts.
    let _ = survive(look);
    held + if engine.borrows_body() { case.body.len() } else { 0 }
}

/// Sums over rules, each for one host and one crawler.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    hosts: usize,
    bytes: usize,
    patterns: usize,
    over_bound: usize,
    /// The maximum number of bytes by which rules exceed the bound.
    furthest_over: f64,
    empty_hosts: usize,
    largest_empty: usize,
}

impl Kept {
    fn add(&mut self, rules: &Rules, bytes: usize) {
        let patterns: usize = rules.iter().map(|rule| rule.pattern().len()).sum();
        self.hosts += 1;
        self.bytes += bytes;
        self.patterns += patterns;
        let over = bytes as f64 - (1.2 * patterns as f64 + 64.0);
        self.over_bound += usize::from(over > 0.0);
        self.furthest_over = self.furthest_over.max(over);
        if rules.is_empty() {
            self.empty_hosts += 1;
            self.largest_empty = self.largest_empty.max(bytes);
        }
    }

    fn row(&self, engine: &'static str) -> Row {
        let hosts = self.hosts.max(1) as f64;
        let cells = vec![
            Cell::of(self.hosts as f64),
            Cell::of(self.bytes as f64 / hosts),
            Cell::of(self.patterns as f64 / hosts),
            Cell::of(self.bytes as f64 / self.patterns.max(1) as f64),
            Cell::of(self.over_bound as f64),
            Cell::of(self.furthest_over),
            Cell::of(self.empty_hosts as f64),
            Cell::of(self.largest_empty as f64),
        ];
        Row { engine, agreement: None, cells }
    }
}

fn kept_per_host(corpus: &[Case], asked: &[Case]) -> Table {
    let (mut unlisted, mut named, mut warm) = (Kept::default(), Kept::default(), Kept::default());
    for case in corpus {
        keep(case, UNLISTED, &case.urls, &mut unlisted);
        for name in names_in(&case.body) {
            keep(case, &name, &case.urls, &mut named);
        }
    }
    asked.iter().for_each(|case| keep(case, &case.agent, &case.urls, &mut warm));
    Table {
        workload: "memory",
        title: "memory of Comity's `Rules` for one crawler, in bytes".to_owned(),
        columns: [
            "hosts",
            "rules per host",
            "patterns per host",
            "rules / patterns",
            "hosts over 1.2 × patterns + 64",
            "largest excess",
            "hosts without rules",
            "largest memory of such a host",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: vec![
            unlisted.row("comity, after 1 question, a crawler that no file names"),
            named.row("comity, after 1 question, each crawler that a file names"),
            warm.row("comity, after 1,000 questions, files of `match`"),
        ],
        notes: vec![format!(
            "The memory of a host includes the {} bytes of the value `Rules` itself.",
            size_of::<Rules>()
        )],
        is_time: false,
    }
}

/// Returns the names of crawlers in a file, without duplicates.
fn names_in(body: &[u8]) -> BTreeSet<String> {
    let robots = RobotsTxt::parse(body);
    let agents = robots.groups().flat_map(|group| group.agents().collect::<Vec<_>>());
    let names = agents.map(|agent| agent.value_text().to_ascii_lowercase());
    names.filter(|name| Agent::is_rfc9309_token(name)).collect()
}

fn keep(case: &Case, agent: &str, urls: &[String], kept: &mut Kept) {
    let robots = RobotsTxt::parse(&case.body);
    let agent = Agent::unchecked_token(agent);
    let before = heap::held();
    let rules = robots.rules_for(&agent);
    for url in urls {
        std::hint::black_box(rules.is_allowed(url).unwrap_or(true));
    }
    let bytes = (heap::held() - before).unsigned_abs() + size_of::<Rules>();
    kept.add(&rules, bytes);
}
