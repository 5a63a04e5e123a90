//! Compares each dialect of Comity with its reference program.
//!
//! The reference program runs in a separate process (`models/`). It returns a verdict for each case; some programs also
//! return the deciding line. The tool prints the differences, minimised on request, and exits with 1 if there is one.

#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool prints")]

mod cases;
mod compare;
mod matchers;
mod minimize;
mod model;
mod report;

use std::error::Error;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::cases::Source;
use crate::compare::Comparison;
use crate::model::{Model, Oracle, Programs, Runner};
use crate::report::Report;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Compares Comity's dialects with their reference programs.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compares the answers to many cases; exits with 1 if an answer differs.
    Run(Run),
    /// Repeats one case of a run and prints it in full.
    Replay(Replay),
    /// Writes cases to standard output, in the form that runners read.
    Cases(Written),
    /// Compares Comity's matchers with the plain matcher, in every dialect; exits with 1 if an answer differs.
    Matchers(Matchers),
}

#[derive(Debug, Args)]
struct Matchers {
    #[command(flatten)]
    source: Source,
    /// Number of cases in each dialect.
    #[arg(long, default_value_t = 20_000)]
    cases: usize,
}

#[derive(Debug, Args)]
struct Written {
    #[command(flatten)]
    source: Source,
    /// Number of cases.
    #[arg(long, default_value_t = 20_000)]
    cases: usize,
}

#[derive(Debug, Args)]
struct Run {
    #[command(flatten)]
    common: Common,
    /// Number of cases.
    #[arg(long, default_value_t = 20_000)]
    cases: usize,
    /// Stops after this number of printed disagreements.
    #[arg(long, default_value_t = 10)]
    stop_after: usize,
    /// Minimises each disagreement before printing it, and prints equal disagreements once.
    #[arg(long, conflicts_with = "wheel")]
    minimize: bool,
}

#[derive(Debug, Args)]
struct Replay {
    #[command(flatten)]
    common: Common,
    /// Number of the case, counted from 0, in the output of `run`.
    #[arg(long)]
    case: usize,
    /// Minimises the case before printing it, if the answers differ.
    #[arg(long)]
    minimize: bool,
}

/// The arguments that determine a sequence of cases, the reference program and the interpreters.
#[derive(Debug, Args)]
struct Common {
    /// The reference program.
    #[arg(long, value_parser = model::parser())]
    model: Model,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    programs: Programs,
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Run(options) => run(&options),
        Command::Replay(options) => replay(&options),
        Command::Cases(options) => write_cases(&options),
        Command::Matchers(options) => matchers::run(options.source.cases(), options.cases),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("differential: {error}");
            ExitCode::from(2)
        }
    }
}

/// Compares the answers, up to `stop_after` disagreements. Returns true if all of them agreed.
fn run(options: &Run) -> Result<bool> {
    let Common { model, source, programs } = &options.common;
    let cases = source.cases()?;
    let mut report = Report::new(*model, model.version(programs)?, source);
    let mut oracle = options.minimize.then(|| Oracle::start(*model, programs)).transpose()?;
    let mut runner = Runner::start(*model, programs, cases.clone().take(options.cases))?;
    let mut wheel = match &programs.wheel {
        Some(python) => Some(Runner::of_wheel(python, model.dialect(), cases.clone().take(options.cases))?),
        None => None,
    };
    for (number, case) in cases.take(options.cases).enumerate() {
        let stopped = |error| format!("case {number}: {error}");
        let theirs = runner.next_answer().map_err(stopped)?;
        let comparison = match &mut wheel {
            Some(wheel) => Comparison::of(*model, case, wheel.next_answer().map_err(stopped)?, theirs),
            None => Comparison::new(*model, case, theirs),
        };
        report.count(&comparison);
        if !comparison.agrees() {
            report.disagreement(number, minimize::minimized(oracle.as_mut(), *model, comparison)?);
        }
        if report.printed() >= options.stop_after {
            break;
        }
    }
    runner.stop();
    if let Some(wheel) = wheel {
        wheel.stop();
    }
    report.print_summary();
    Ok(report.all_agreed())
}

fn write_cases(options: &Written) -> Result<bool> {
    let mut output = BufWriter::new(std::io::stdout().lock());
    for case in options.source.cases()?.take(options.cases) {
        model::write_frame(&mut output, &case)?;
    }
    output.flush()?;
    Ok(true)
}

fn replay(options: &Replay) -> Result<bool> {
    let Common { model, source, programs } = &options.common;
    let case = source.cases()?.nth(options.case).ok_or("no such case")?;
    let mut oracle = Oracle::start(*model, programs)?;
    let theirs = oracle.ask(&case)?;
    let comparison = Comparison::new(*model, case, theirs);
    let agrees = comparison.agrees();
    let shrink = options.minimize && !agrees;
    let shown = minimize::minimized(shrink.then_some(&mut oracle), *model, comparison)?;
    report::print_comparison(*model, &shown);
    Ok(agrees)
}
