//! `comity completions`: prints a completion script for a shell, generated from the definition of the command line.

mod args;
use std::io::Write;

pub(crate) use self::args::CompletionsArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Prints the script.
pub(crate) fn run(
    args: &CompletionsArgs,
    whole: &clap::Command,
    output: &mut Output,
) -> Result<Exit, Failure> {
    // The generators panic if writing fails, so they write to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut whole.clone(), "comity", &mut script);
    output.write_all(&script)?;
    Ok(Exit::Success)
}
