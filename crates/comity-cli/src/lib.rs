//! The command `comity`: what a site publishes about automated access, read, decided and explained.
//!
//! The command only reads arguments and files and prints; every answer comes from the libraries `comity` and
//! `comity-client`. It is a library so that other programs can include the same command: [`run`] is the only
//! function, and it prints, as a command does. The binary is three lines around it.
//!
//! | module | holds |
//! |---|---|
//! | `cli` | the command line, as data for clap, the completions and the manual pages |
//! | `args` | arguments that commands share |
//! | `colour` | when output has colour |
//! | `commands` | one folder per command, with its arguments |
//! | `url_command` | the one loop of commands that answer for each URL and crawler |
//! | `decisions` | the URLs, exit codes and notices of commands that decide URLs |
//! | `settings` | the settings of commands that touch the network, and where each comes from |
//! | `sites` | sites and pages, asked for through the client |
//! | `location` | where a robots.txt is that an argument names |
//! | `robots_txt` | a robots.txt that was read, and where it is from |
//! | `files` | many of them: folders, patterns, lists |
//! | `input` | files and streams: reading with limits, lines as bytes |
//! | `output` | where things are printed: colour, pipes that close, progress |
//! | `screen` | the last filter of text before a terminal |
//! | `text` | rows in the formats that commands offer: a renderer for each row |
//! | `render` | how decisions, tables and odd bytes are shown |
//! | `findings` | how commands count and print findings |
//! | `spreadsheet`, `junit`, `annotations`, `html` | CSV, JUnit's XML, GitHub's annotations and SARIF, the head of pages |
//! | `width` | how wide a line may be |
//! | `signals` | what asks a command to end that runs until it is told to |
//! | `exit` | exit codes and errors |
//! | `schema` | JSON Schemas of the rows that commands print |

#![forbid(unsafe_code)]

mod annotations;
mod args;
mod catalogue;
mod cli;
mod colour;
mod commands;
mod decisions;
mod exit;
mod files;
mod findings;
mod input;
mod junit;
mod location;
mod output;
mod render;
mod robots_txt;
pub mod schema;
mod screen;
#[cfg(feature = "live")]
mod settings;
#[cfg(feature = "live")]
mod signals;
mod sites;
mod spreadsheet;
mod text;
mod url_command;
mod width;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::FromArgMatches;

use crate::cli::Cli;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Runs the command with these arguments, the first of which is the command's own name. Returns the exit code: 0, 1
/// or 2, as `comity --help` describes; 130 after SIGINT.
///
/// Reads standard input if the arguments say so, and prints to standard output and standard error. It does not end
/// the process: help, the version and bad arguments are returned as exit codes, too. The caller decides what SIGINT
/// does, with these exceptions. `comity fetch` ends with a summary. `comity audit` and `comity logs --follow` end their
/// job after one signal and the process after two. `comity serve` and `comity mcp` end the process if they cannot return
/// in time after a signal because nobody reads their output.
///
/// ```no_run
/// let code = comity_cli::run(["comity", "check", "--agent", "GPTBot", "https://example.com/page"]);
/// std::process::exit(code.into());
/// ```
pub fn run<A: Into<OsString>>(args: impl IntoIterator<Item = A>) -> u8 {
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    let code = parse_and_run(&args) as u8;
    // The caller may end the process without the clean-up of a Rust program.
    let _ = io::stdout().flush();
    code
}

fn parse_and_run(args: &[OsString]) -> Exit {
    let colour = colour::before_parsing(args.iter().cloned()).or_forced();
    let mut whole = cli::command().color(colour.for_clap());
    let matches = whole.try_get_matches_from_mut(args);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        // To clap, help and the version are errors that go to standard output.
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { Exit::Trouble } else { Exit::Success };
        }
    };
    let mut output = Output::new(cli.color.or_forced());
    let added = cli.catalogue.as_deref().map_or(Ok(()), |path| catalogue::add(path, &mut output));
    let result = added.and_then(|()| cli.command.run(&whole, &mut output)).and_then(|exit| {
        output.flush()?;
        Ok(exit)
    });
    match result {
        Ok(exit) => exit,
        // The reader of the output has closed it.
        Err(Failure::ClosedPipe) => Exit::Success,
        Err(Failure::Interrupted) => {
            output.error("interrupted");
            Exit::Interrupted
        }
        Err(failure) => {
            output.failure(&failure);
            Exit::Trouble
        }
    }
}
