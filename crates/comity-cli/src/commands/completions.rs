//! `comity completions`: a script for a shell, from the definitions in `args.rs`.

use std::io::Write;

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs, output: &mut Output) -> Result<Exit, Failure> {
    // The generators do not expect writing to fail, so they write to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "comity", &mut script);
    output.write_all(&script)?;
    Ok(Exit::Success)
}
