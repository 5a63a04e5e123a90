//! The measurement: compares the verdicts of the engines, and then times the engines in interleaved rounds.

use std::io::Result;

use crate::case::Case;
use crate::contender::{Clock, Contender, Timed};
use crate::engines::{self, Engine as _};
use crate::generate::Rng;
use crate::options::Options;
use crate::table::{Cell, Row, Table};

/// The operation on the cases of a column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Plan {
    Parse,
    Ask { questions: usize, clock: Clock },
}

/// A column of a table: a timed operation.
#[derive(Debug)]
pub(crate) struct Column<'c> {
    pub(crate) title: String,
    pub(crate) cases: &'c [Case],
    pub(crate) plan: Plan,
    /// The divisor of the time: the number of files, kilobytes, questions or rules.
    pub(crate) units: usize,
}

/// A column for a range of columns: the sum of their times, divided by the sum of their units.
#[derive(Debug)]
pub(crate) struct Sum {
    pub(crate) title: &'static str,
    pub(crate) of: std::ops::Range<usize>,
}

/// Time of a pass, in nanoseconds, above which an engine runs only once.
const SLOW_NANOS: f64 = 4e9;

/// Times every engine on every column. In the table, the columns `sums` come first.
pub(crate) fn measure(
    workload: &'static str,
    title: &str,
    columns: &[Column<'_>],
    sums: &[Sum],
    engines: &mut [Contender],
    options: &Options,
) -> Result<Table> {
    let expected: Vec<Vec<bool>> =
        columns.iter().map(|column| reference_verdicts(column.cases, questions_to_verify(column))).collect();
    let mut samples: Vec<Vec<Vec<f64>>> = vec![Vec::new(); engines.len()];
    let (mut agreements, mut notes) = (Vec::new(), Vec::new());
    let mut slow = vec![false; engines.len()];
    for (index, engine) in engines.iter_mut().enumerate() {
        eprintln!("{workload}: verifying {}", engine.name());
        let Verified { agreement, panics, times } = verify(engine, columns, &expected)?;
        agreements.push(agreement);
        if panics > 0 {
            let (name, (_, all)) = (engine.name(), agreement);
            notes.push(format!(
                "{name} panics: {panics} of {all} verdicts are missing, and the time excludes the rest of these files."
            ));
        }
        if times.iter().sum::<f64>() > SLOW_NANOS {
            slow[index] = true;
            samples[index].push(times);
        }
    }
    for round in 0..options.rounds {
        eprintln!("{workload}: round {} of {}", round + 1, options.rounds);
        for index in order(engines.len(), round) {
            if !slow[index] {
                let times = columns.iter().map(|column| Ok(run(&mut engines[index], column)?.nanos));
                samples[index].push(times.collect::<Result<_>>()?);
            }
        }
    }
    let names = engines.iter().map(Contender::name);
    let rows = names.zip(agreements).zip(&samples).map(|((engine, agreement), samples)| Row {
        engine,
        agreement: Some(agreement),
        cells: cells(columns, sums, samples),
    });
    let titles =
        sums.iter().map(|sum| sum.title.to_owned()).chain(columns.iter().map(|column| column.title.clone()));
    Ok(Table {
        workload,
        title: title.to_owned(),
        columns: titles.collect(),
        rows: rows.collect(),
        notes,
        is_time: true,
    })
}

/// Returns the order of engines in a round. The order is random, because a slow engine fills the caches and branch
/// predictors of the processor and slows down the engine that runs after it.
fn order(engines: usize, round: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..engines).collect();
    let mut random = Rng::new(round as u64);
    for last in (1..engines).rev() {
        order.swap(last, random.below(last + 1));
    }
    order
}

fn run(engine: &mut Contender, column: &Column<'_>) -> Result<Timed> {
    match column.plan {
        Plan::Parse => engine.parse(column.cases),
        Plan::Ask { questions, clock } => engine.ask(column.cases, questions, clock),
    }
}

/// Returns the number of compared questions per file: the number in the column, or one if the column has none.
fn questions_to_verify(column: &Column<'_>) -> usize {
    match column.plan {
        Plan::Ask { questions, .. } if questions > 0 => questions,
        _ => 1,
    }
}

/// Returns the reference verdicts, those of Comity in the dialect `google`, for the first `questions` URLs of every
/// case.
pub(crate) fn reference_verdicts(cases: &[Case], questions: usize) -> Vec<bool> {
    let reference = engines::reference();
    let mut verdicts = Vec::new();
    for case in cases {
        reference.parse(case, &mut |parsed| {
            parsed.prepare(&case.agent, &mut |ask| {
                verdicts.extend(case.urls.iter().take(questions).map(|url| ask(url)));
            });
        });
    }
    verdicts
}

/// The result of comparing the verdicts of an engine.
struct Verified {
    /// The number of correct verdicts, and the number of all verdicts.
    agreement: (usize, usize),
    /// The number of verdicts that are missing because the engine panicked.
    panics: usize,
    /// The times of the first pass, by column.
    times: Vec<f64>,
}

/// Compares the verdicts of an engine with the expected verdicts, and times its first pass.
fn verify(engine: &mut Contender, columns: &[Column<'_>], expected: &[Vec<bool>]) -> Result<Verified> {
    let mut verified = Verified { agreement: (0, 0), panics: 0, times: Vec::new() };
    for (column, expected) in columns.iter().zip(expected) {
        let mut timed = run(engine, column)?;
        verified.times.push(timed.nanos);
        if timed.verdicts.is_empty() {
            timed = engine.ask(column.cases, questions_to_verify(column), Clock::Whole)?;
        }
        if timed.verdicts.len() != expected.len() {
            return Err(std::io::Error::other(format!("{} did not answer all questions", engine.name())));
        }
        let is_same = |(given, expected): &(&Option<bool>, &bool)| **given == Some(**expected);
        verified.agreement.0 += timed.verdicts.iter().zip(expected).filter(is_same).count();
        verified.agreement.1 += expected.len();
        verified.panics += timed.verdicts.iter().filter(|given| given.is_none()).count();
    }
    Ok(verified)
}

/// Returns the figures of one engine: first those of `sums`, then those of `columns`.
fn cells(columns: &[Column<'_>], sums: &[Sum], samples: &[Vec<f64>]) -> Vec<Cell> {
    let over = |range: std::ops::Range<usize>| {
        let units: usize = columns[range.clone()].iter().map(|column| column.units).sum();
        if units == 0 {
            return Cell { samples: Vec::new(), note: "no file" };
        }
        let per_unit = |times: &Vec<f64>| times[range.clone()].iter().sum::<f64>() / units as f64;
        Cell { samples: samples.iter().map(per_unit).collect(), note: "" }
    };
    let single = (0..columns.len()).map(|column| column..column + 1);
    sums.iter().map(|sum| sum.of.clone()).chain(single).map(over).collect()
}
