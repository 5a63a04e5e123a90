//! The workload `adversarial`: a file that is expensive to match. Each engine runs in a separate process, which is
//! killed after a time limit.

use std::env;
use std::io::{Error, Read, Result};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::contender::{Clock, Contender, Timed};
use crate::generate;
use crate::measure;
use crate::options::Options;
use crate::table::{Cell, Row, Table};

/// Engines that are not started, with the reason.
const KNOWN_TO_HANG: [(&str, &str); 1] = [(
    "robotstxt",
    "it takes about a second per rule, because it walks the path from the start for every character",
)];

/// The text in the table for an engine that was killed or not started.
const TOO_LONG: &str = "> 20 s";

/// Time limit of one process, in wall time.
const LIMIT: Duration = Duration::from_secs(20);

/// The figures of one process.
struct Answer {
    figures: [f64; 4],
    agrees: bool,
}

/// Measures the engines with 511 KB of rules that have thirty stars each, and a URL with 2 KB of `a`.
pub(crate) fn adversarial(engines: &[Contender], options: &Options) -> Result<Table> {
    let mut rows: Vec<Row> = engines.iter().map(start_row).collect();
    for round in 0..options.rounds {
        eprintln!("adversarial: round {} of {}", round + 1, options.rounds);
        for row in rows.iter_mut().filter(|row| row.cells[0].note.is_empty()) {
            match ask_in_child(row.engine, options)? {
                Some(answer) => {
                    row.agreement = Some((usize::from(answer.agrees), 1));
                    row.cells
                        .iter_mut()
                        .zip(answer.figures)
                        .for_each(|(cell, figure)| cell.samples.push(figure));
                }
                None => row.cells.iter_mut().for_each(|cell| cell.note = TOO_LONG),
            }
        }
    }
    // For engines without compilation, all questions have an equal cost, so two columns stay empty.
    for (row, _) in rows.iter_mut().zip(engines).filter(|(_, engine)| !engine.compiles()) {
        row.cells[1] = Cell::default();
        row.cells[2] = Cell::default();
    }
    Ok(Table {
        workload: "adversarial",
        title: "511 KB of `/*a*a*a…*b` (30 stars each) against 2 KB of `a`, µs (best / median)".to_owned(),
        columns: ["cold: one question", "prepare", "slowest of 100 questions", "ask, warm"]
            .map(str::to_owned)
            .to_vec(),
        rows,
        notes: KNOWN_TO_HANG.map(|(name, reason)| format!("{name} is not run: {reason}.")).to_vec(),
        is_time: true,
    })
}

fn start_row(engine: &Contender) -> Row {
    let hangs = KNOWN_TO_HANG.iter().any(|(name, _)| *name == engine.name());
    let cell = Cell { samples: Vec::new(), note: if hangs { TOO_LONG } else { "" } };
    Row { engine: engine.name(), agreement: None, cells: vec![cell; 4] }
}

/// Starts a process of this program for one engine. Returns its figures, or `None` if it exceeds the time limit.
fn ask_in_child(engine: &str, options: &Options) -> Result<Option<Answer>> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["--adversary", engine]).stdout(Stdio::piped());
    if let Some(path) = &options.google {
        command.args(["--google", path]);
    }
    let mut child = command.spawn()?;
    let started = Instant::now();
    while child.try_wait()?.is_none() {
        if started.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        sleep(Duration::from_millis(10));
    }
    let mut text = String::new();
    child.stdout.take().ok_or_else(|| Error::other("no pipe"))?.read_to_string(&mut text)?;
    let figures: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match figures[..] {
        [cold, prepare, dearest, ask, agrees] => {
            Ok(Some(Answer { figures: [cold, prepare, dearest, ask], agrees: agrees > 0.0 }))
        }
        _ => Err(Error::other(format!("{engine} exited without an answer to the adversarial file"))),
    }
}

/// Measures one engine and prints five figures on one line. Runs in the child process.
pub(crate) fn run_child(engine: &str, options: &Options) -> Result<()> {
    let mut engines = Contender::choose(None, options.google.as_deref())?;
    let engine = engines.iter_mut().find(|candidate| candidate.name() == engine);
    let engine = engine.ok_or_else(|| Error::other("no such engine"))?;
    let cases = [generate::adversarial_case()];
    let cold = engine.ask(&cases, 1, Clock::Once)?;
    let prepare = engine.ask(&cases, 0, Clock::AfterParse)?;
    let dearest = if engine.compiles() { engine.ask(&cases, 100, Clock::Dearest)? } else { Timed::default() };
    // Google's program parses the file for every question, so all questions have an equal cost.
    let asking = if engine.keeps_nothing() { cold.clone() } else { engine.ask(&cases, 1, Clock::Asking)? };
    let expected = measure::reference_verdicts(&cases, 1);
    let expected: Vec<_> = expected.into_iter().map(Some).collect();
    let agrees = cold.verdicts == expected && asking.verdicts == expected;
    for timed in [&cold, &prepare, &dearest, &asking] {
        print!("{} ", timed.nanos / 1_000.0);
    }
    println!("{}", u8::from(agrees));
    Ok(())
}
