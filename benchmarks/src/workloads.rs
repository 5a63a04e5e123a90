//! The workloads: their inputs, timed operations and divisors.

use std::io::Result;

use crate::case::{Case, total_bytes};
use crate::contender::{Clock, Contender};
use crate::corpus::Corpus;
use crate::generate;
use crate::measure::{Column, Plan, Sum, measure};
use crate::options::Options;
use crate::table::{Cell, Row, Table, figure};

/// Numbers of rules in the files of the growth workloads.
pub(crate) const SCALES: [usize; 5] = [10, 100, 1_000, 10_000, 20_000];

const SEED: u64 = 7;

/// Measures one question per file.
pub(crate) fn oneshot(corpus: &Corpus, engines: &mut [Contender], options: &Options) -> Result<Table> {
    let plan = Plan::Ask { questions: 1, clock: Clock::Once };
    let title = "one file, one question, ns per file (best / median)";
    by_bucket("oneshot", title, plan, &corpus.buckets(), engines, options)
}

/// Measures only parsing, in nanoseconds per file and in MB/s.
pub(crate) fn parse(corpus: &Corpus, engines: &mut [Contender], options: &Options) -> Result<Vec<Table>> {
    let buckets = corpus.buckets();
    let title = "parsing to the stored form of the engine, ns per file (best / median)";
    let times = by_bucket("parse", title, Plan::Parse, &buckets, engines, options)?;
    let throughput = throughput(&times, &buckets);
    Ok(vec![times, throughput])
}

fn by_bucket(
    workload: &'static str,
    title: &str,
    plan: Plan,
    buckets: &[(&'static str, Vec<Case>)],
    engines: &mut [Contender],
    options: &Options,
) -> Result<Table> {
    let columns: Vec<Column<'_>> = buckets
        .iter()
        .map(|(title, cases)| Column { title: (*title).to_owned(), cases, plan, units: cases.len() })
        .collect();
    let sums = [Sum { title: "all", of: 0..columns.len() }, Sum { title: "small", of: 0..columns.len() - 1 }];
    let mut table = measure(workload, title, &columns, &sums, engines, options)?;
    let sizes = columns.iter().map(|column| {
        format!(
            "{} {}: {} files, {} bytes",
            workload,
            column.title,
            column.cases.len(),
            total_bytes(column.cases)
        )
    });
    table
        .notes
        .push(format!("`small` is every file up to 100 KB. {}.", sizes.collect::<Vec<_>>().join("; ")));
    Ok(table)
}

/// Converts nanoseconds per file to megabytes per second.
fn throughput(times: &Table, buckets: &[(&'static str, Vec<Case>)]) -> Table {
    let mean_bytes = |range: std::ops::Range<usize>| {
        let files: usize = buckets[range.clone()].iter().map(|(_, cases)| cases.len()).sum();
        let bytes: usize = buckets[range].iter().map(|(_, cases)| total_bytes(cases)).sum();
        bytes as f64 / files as f64
    };
    let count = buckets.len();
    let mut means = vec![mean_bytes(0..count), mean_bytes(0..count - 1)];
    means.extend((0..count).map(|bucket| mean_bytes(bucket..bucket + 1)));
    let speed = |cell: &Cell, mean: f64| {
        let best = cell.best().map(|nanos| mean / nanos * 1_000.0);
        Cell { samples: best.into_iter().collect(), note: cell.note }
    };
    let rows = times.rows.iter().map(|row| Row {
        engine: row.engine,
        agreement: None,
        cells: row.cells.iter().zip(&means).map(|(cell, &mean)| speed(cell, mean)).collect(),
    });
    Table {
        title: "parsing to the stored form of the engine, MB/s (best)".to_owned(),
        rows: rows.collect(),
        notes: Vec::new(),
        is_time: false,
        ..times.clone()
    }
}

/// Returns the files for the workloads `match` and `questions`, with their questions.
pub(crate) fn match_cases(corpus: &Corpus, options: &Options) -> Vec<Case> {
    if options.quick { corpus.stratified(50, 1_000) } else { corpus.stratified(200, 1_000) }
}

/// Measures questions about parsed files, including the compilation of rules.
pub(crate) fn matching(corpus: &Corpus, engines: &mut [Contender], options: &Options) -> Result<Table> {
    let cases = match_cases(corpus, options);
    let questions = cases.first().map_or(0, |case| case.urls.len());
    let column = Column {
        title: format!("{} files × {questions} URLs", cases.len()),
        cases: &cases,
        plan: Plan::Ask { questions, clock: Clock::AfterParse },
        units: cases.len() * questions,
    };
    measure(
        "match",
        "URL text to verdict after parsing, ns per URL (best / median)",
        &[column],
        &[],
        engines,
        options,
    )
}

/// Measures a file with a growing number of questions, including parsing and compiling.
pub(crate) fn questions(corpus: &Corpus, engines: &mut [Contender], options: &Options) -> Result<Table> {
    let cases = match_cases(corpus, options);
    let columns = [1, 10, 100, 1_000].map(|questions| Column {
        title: format!("{questions}"),
        cases: &cases,
        plan: Plan::Ask { questions, clock: Clock::Whole },
        units: cases.len(),
    });
    let title = "parsing, compiling and this number of questions, ns per file (best / median)";
    measure("questions", title, &columns, &[], engines, options)
}

/// Measures questions for a growing number of rules.
pub(crate) fn scale(with_wildcards: bool, engines: &mut [Contender], options: &Options) -> Result<Table> {
    let workload = if with_wildcards { "scale-wild" } else { "scale-literal" };
    let cases = SCALES.map(|rules| [generate::scale_case(rules, with_wildcards, SEED)]);
    let columns: Vec<Column<'_>> = SCALES
        .iter()
        .zip(&cases)
        .map(|(rules, cases)| Column {
            title: figure(*rules as f64).replace(".00", "").replace(".0", ""),
            cases,
            plan: Plan::Ask { questions: cases[0].urls.len(), clock: Clock::Asking },
            units: cases[0].urls.len(),
        })
        .collect();
    let kind = if with_wildcards { "a fifth like `/*sectN/itemM*.html`" } else { "all literal" };
    let title = format!("ns per URL against the number of rules, {kind}, warmed up (best / median)");
    let mut table = measure(workload, &title, &columns, &[], engines, options)?;
    table.notes.push(growth(&table));
    Ok(table)
}

fn growth(table: &Table) -> String {
    let factors = table.rows.iter().filter_map(|row| {
        let factor = row.cells.last()?.best()? / row.cells.first()?.best()?;
        Some(format!("{} {}", row.engine, figure(factor)))
    });
    format!("Growth from 10 to 20,000 rules: {}.", factors.collect::<Vec<_>>().join(", "))
}

/// Measures the compilation of rules for one crawler, for engines that compile in a separate step.
pub(crate) fn compile(options: &Options) -> Result<Table> {
    const RULES: usize = 20_000;
    let cases = [generate::scale_case(RULES, false, SEED)];
    let mut cases_100 = cases.clone();
    cases_100[0].urls.extend(cases[0].urls.clone());
    let column = |title: &str, cases, questions, clock| Column {
        title: title.to_owned(),
        cases,
        plan: Plan::Ask { questions, clock },
        units: RULES,
    };
    let columns = [
        column("prepare", &cases, 0, Clock::AfterParse),
        column("the slowest of the first 100 questions", &cases_100, 100, Clock::Dearest),
        column("prepare and 100 questions", &cases_100, 100, Clock::AfterParse),
    ];
    let mut engines = Contender::choose(options.peers.as_deref(), None)?;
    engines.retain(Contender::compiles);
    let title = "preparing 20,000 literal rules for one crawler, ns per rule (best / median)";
    measure("compile", title, &columns, &[], &mut engines, options)
}
