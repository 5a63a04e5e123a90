//! The command `comity`. It reads the documents in which a site regulates automated access, decides which URLs a
//! crawler may fetch, and explains each decision.
//!
//! This crate parses arguments, reads files and prints results. Other crates compute the results. The crate is a
//! library, so that other programs can include the command: they call [`run`], as the binary does.
//!
//! | module | content |
//! |---|---|
//! | `cli` | the command line, as data for clap, the completions and the manual pages |
//! | `args` | arguments of several commands |
//! | `catalogue` | crawlers that the user adds to the catalogue |
//! | `colour` | whether output has colour |
//! | `commands` | one folder per command, with its arguments |
//! | `url_command` | the loop of commands that answer for each URL and crawler |
//! | `decisions` | URLs, exit codes and notices of commands that decide URLs |
//! | `settings` | settings of commands on the network, and the source of each |
//! | `sites` | robots.txt and pages of sites, through the client |
//! | `location` | the location of a robots.txt in an argument |
//! | `robots_txt` | a robots.txt from a file or standard input |
//! | `files` | several robots.txt files: folders, patterns, lists |
//! | `input` | files and streams: reading with limits, lines as bytes |
//! | `output` | standard output and standard error: colour, closed pipes, progress |
//! | `screen` | removes unsafe bytes from output to terminals |
//! | `text` | renderers of rows, in the formats of the command |
//! | `render` | colours; untrusted bytes and decisions as text |
//! | `findings` | counts and texts of findings |
//! | `spreadsheet`, `junit`, `annotations` | CSV; JUnit's XML; annotations of GitHub and SARIF |
//! | `width` | maximum width of a line |
//! | `signals` | signals that end long-running commands |
//! | `exit` | exit codes and errors |
//! | `schema` | JSON Schemas of the rows that commands print |
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `jobs` (default) | whole crawls, tables and access logs: `audit` and `logs`; includes `live` |
//! | `live` | URLs in place of files, and the commands that need sites, their store or settings |
//! | `otel` | export of traces of `comity serve` (OpenTelemetry); includes `live` |

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
/// Reads standard input if the arguments request it, and prints to standard output and standard error. The function
/// does not end the process: for help, the version and bad arguments it returns an exit code, too. SIGINT has the
/// effect that the calling program defines, until one of these commands runs. `comity fetch` stops and returns.
/// `comity audit` and `comity logs --follow` cancel their job at the first signal and end the process at the second.
/// `comity serve` and `comity mcp` return after a signal; they end the process if a blocked write to their output
/// prevents that. After these commands, SIGINT no longer ends the process by itself.
///
/// ```no_run
/// let code = comity_cli::run(["comity", "check", "--agent", "GPTBot", "https://example.com/page"]);
/// std::process::exit(code.into());
/// ```
pub fn run<A: Into<OsString>>(args: impl IntoIterator<Item = A>) -> u8 {
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    let code = parse_and_run(&args) as u8;
    // The caller may end the process without running destructors.
    let _ = io::stdout().flush();
    code
}

fn parse_and_run(args: &[OsString]) -> Exit {
    let colour = colour::before_parsing(args.iter().cloned()).or_forced();
    let mut whole = cli::command().color(colour.for_clap());
    let matches = whole.try_get_matches_from_mut(args);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        // Clap returns help and the version as errors that are printed to standard output.
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { Exit::Error } else { Exit::Success };
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
        // The reader of the output has closed the pipe.
        Err(Failure::ClosedPipe) => Exit::Success,
        Err(Failure::Interrupted) => {
            output.error("interrupted");
            Exit::Interrupted
        }
        Err(failure) => {
            output.failure(&failure);
            Exit::Error
        }
    }
}

/// Doctests of the guide `docs/guide/rust.md`, whose examples use the crates of the command.
#[cfg(all(doctest, feature = "jobs"))]
#[doc = include_str!("../../../docs/guide/rust.md")]
struct RustGuide;
