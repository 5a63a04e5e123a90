//! Compares the verdicts and times of Comity and other robots.txt engines on equal inputs.
//!
//! | module | holds |
//! |---|---|
//! | `options` | the command line |
//! | `engines` | an adapter for each engine |
//! | `case`, `corpus`, `generate` | the inputs: real and generated files, and questions |
//! | `contender` | the engines of a run, and the code that times them |
//! | `measure` | comparison of verdicts, and interleaved rounds |
//! | `survive` | catches panics of engines |
//! | `workloads`, `bodies`, `adversarial`, `memory`, `heap` | the workloads |
//! | `table`, `chart` | the output: tables in Markdown and JSON, charts in SVG |
//! | `count` | fixed inputs for counts of instructions |
#![cfg_attr(not(feature = "peers"), allow(dead_code, unused_mut, reason = "some code is for peers only"))]

mod adversarial;
mod bodies;
mod case;
mod chart;
mod contender;
mod corpus;
mod count;
mod engines;
mod generate;
mod heap;
mod measure;
mod memory;
mod options;
mod survive;
mod table;
mod workloads;

use std::fs;
use std::io::{Error, Result};
use std::path::Path;
use std::process::ExitCode;

use contender::Contender;
use corpus::Corpus;
use options::{Options, USAGE};
use table::Table;

const WORKLOADS: [&str; 10] = [
    "oneshot",
    "parse",
    "bodies",
    "match",
    "scale-literal",
    "scale-wild",
    "questions",
    "adversarial",
    "memory",
    "compile",
];

fn main() -> ExitCode {
    let result = match options::read(std::env::args().skip(1)) {
        Ok(options) => run(&options),
        Err(error) => Err(Error::other(format!("{error}\n\n{USAGE}"))),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("comity-benchmarks: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    if let Some((name, passes)) = &options.count {
        return count::run(name, *passes, options.engine.as_deref()).map_err(Error::other);
    }
    if let Some(engine) = &options.adversary {
        return adversarial::run_child(engine, options);
    }
    if let Some(only) = options.only.as_deref().filter(|only| !WORKLOADS.contains(only)) {
        return Err(Error::other(format!("unknown workload `{only}`; must be one of: {}", WORKLOADS.join(", "))));
    }
    let corpus = Corpus::load(options.quick)?;
    if !corpus.is_real {
        eprintln!(
            "warning: COMITY_DATA is not set; oneshot, parse, match, questions and memory use generated files"
        );
    }
    survive::prepare();
    let mut engines = Contender::choose(options.peers.as_deref(), options.google.as_deref())?;
    introduce(&corpus, &engines, options);
    let tables = measure_all(&corpus, &mut engines, options)?;
    println!("{}", table::ratios(&tables));
    write_files(&tables, options)
}

fn introduce(corpus: &Corpus, engines: &[Contender], options: &Options) {
    println!("Inputs: {}. Rounds: {}. CPU time.\n", corpus.describe(), options.rounds);
    if options.google.is_none() {
        println!("Google's program is not included, because --google is not set.\n");
    }
    println!("| engine | version | note |\n|---|---|---|");
    for engine in engines {
        println!("| {} | {} | {} |", engine.name(), engine.version(), engine.note());
    }
    println!();
}

fn measure_all(corpus: &Corpus, engines: &mut [Contender], options: &Options) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    for workload in WORKLOADS {
        if options.only.as_deref().is_some_and(|only| only != workload) {
            continue;
        }
        let new = match workload {
            "oneshot" => vec![workloads::oneshot(corpus, engines, options)?],
            "parse" => workloads::parse(corpus, engines, options)?,
            "bodies" => bodies::bodies(engines, options)?,
            "match" => vec![workloads::matching(corpus, engines, options)?],
            "scale-literal" => vec![workloads::scale(false, engines, options)?],
            "scale-wild" => vec![workloads::scale(true, engines, options)?],
            "questions" => vec![workloads::questions(corpus, engines, options)?],
            "adversarial" => vec![adversarial::adversarial(engines, options)?],
            "compile" => vec![workloads::compile(options)?],
            _ => Vec::new(),
        };
        new.iter().for_each(|table| println!("{}", table.markdown()));
        tables.extend(new);
    }
    // This workload runs last, because it starts the counting of allocated bytes and does not stop it.
    if options.only.as_deref().is_none_or(|only| only == "memory") {
        let new = memory::memory(corpus, engines, options);
        new.iter().for_each(|table| println!("{}", table.markdown()));
        tables.extend(new);
    }
    Ok(tables)
}

fn write_files(tables: &[Table], options: &Options) -> Result<()> {
    if let Some(path) = &options.json {
        fs::write(path, serde_json::to_vec_pretty(tables)?)?;
    }
    let Some(directory) = &options.svg else { return Ok(()) };
    fs::create_dir_all(directory)?;
    for (workload, file, heading) in [
        ("scale-literal", "growth-literal.svg", "Deciding one URL: literal rules"),
        ("scale-wild", "growth-wild.svg", "Deciding one URL: a fifth of the rules with wildcards"),
    ] {
        if let Some(table) = tables.iter().find(|table| table.workload == workload) {
            fs::write(Path::new(directory).join(file), chart::growth(table, heading))?;
        }
    }
    Ok(())
}
