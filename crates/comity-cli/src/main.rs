//! `comity`: what a site publishes about automated access, read, decided and explained.
//!
//! The command only reads arguments and files and prints; every answer comes from the libraries `comity` and
//! `comity-client`.
//!
//! | module | holds |
//! |---|---|
//! | `args` | the command line, as data for clap, the completions and the man pages |
//! | `commands` | one file per command |
//! | `live` | settings, stores and the client, for commands that touch the network |
//! | `web` | sites and pages, asked for through the client, for commands that otherwise read files |
//! | `input` | files and streams: reading with limits, lines as bytes |
//! | `output` | where things are printed: colour, pipes that close, progress |
//! | `render` | how decisions, tables and odd bytes are shown |
//! | `exit` | exit codes and errors |

#![forbid(unsafe_code)]

mod args;
mod commands;
mod exit;
mod input;
mod live;
mod output;
mod render;
mod web;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::args::{Cli, Command};
use crate::exit::{Exit, Failure};
use crate::output::Output;

fn main() -> ExitCode {
    let colour = args::colour_before_parsing(std::env::args_os());
    // Help and usage errors go through clap, and it ends the process itself: 0 for help, 2 for errors.
    let matches = Cli::command().color(colour.for_clap()).get_matches();
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    let mut output = Output::new(cli.color);
    let result = run(cli.command, &mut output).and_then(|exit| {
        output.flush()?;
        Ok(exit)
    });
    match result {
        Ok(exit) => exit.into(),
        // Whoever reads our output has seen enough.
        Err(Failure::ClosedPipe) => Exit::Success.into(),
        Err(failure) => {
            output.failure(&failure);
            Exit::Trouble.into()
        }
    }
}

fn run(command: Command, output: &mut Output) -> Result<Exit, Failure> {
    match command {
        Command::Check(args) => commands::check::run(&args, output),
        Command::Explain(args) => commands::explain::run(&args, output),
        Command::Lint(args) => commands::lint::run(&args, output),
        Command::Inspect(args) => commands::inspect::run(&args, output),
        Command::Diff(args) => commands::diff::run(&args, output),
        Command::Matrix(args) => commands::matrix::run(&args, output),
        Command::Status(args) => commands::status::run(&args, output),
        Command::Page(args) => commands::page::run(&args, output),
        Command::Usage(args) => commands::usage::run(&args, output),
        Command::Sitemap(args) => commands::sitemap::run(&args, output),
        Command::Llms(args) => commands::llms::run(&args, output),
        Command::Fetch(args) => commands::fetch::run(&args, output),
        Command::Cache(args) => commands::cache::run(&args, output),
        Command::Dialects(args) => commands::dialects::run(&args, output),
        Command::Presets(args) => commands::presets::run(&args, output),
        Command::Config(args) => commands::config::run(&args, output),
        Command::Completions(args) => commands::completions::run(&args, output),
        Command::Man(args) => commands::man::run(&args, output),
    }
}
