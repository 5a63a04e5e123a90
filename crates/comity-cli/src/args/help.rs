//! The help of every command, in one shape: what it does, examples, arguments and options, what its exit status means.
//!
//! A command writes its examples as `before_help` and what else there is to say as `after_long_help`; the rest is added
//! here, so that it is the same everywhere.

use std::fmt::Write as _;

use clap::{Command, CommandFactory};

use super::Cli;
use crate::exit;
use crate::render;
use crate::width;

/// Examples stand before the options.
const TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

/// The heading over the options of the network.
pub(super) const NETWORK: &str = "Network and politeness";

/// Returns the whole command, as clap parses it and shows its help.
pub(crate) fn command() -> Command {
    decorated(Cli::command())
}

fn decorated(command: Command) -> Command {
    let has_network = command.get_arguments().any(is_about_network);
    let own = command.get_after_long_help().or(command.get_after_help()).map(|text| text.to_string());
    let network = has_network.then(|| {
        let names = ["--contact", "--timeout", "--max-wait", "--allow-address", "--proxy", "--store"];
        format!("Asks sites: {} and more; see `comity help network`.", names.join(", "))
    });
    let short: Vec<String> =
        command.get_after_help().map(|text| text.to_string()).into_iter().chain(network.clone()).collect();
    let long: Vec<String> = own.into_iter().chain(network).chain([exit::TABLE.to_owned()]).collect();
    let examples = command.get_before_help().map(|text| laid_out(&text.to_string(), width::of_help()));
    let command = command.help_template(TEMPLATE).after_long_help(long.join("\n\n"));
    let command = match examples {
        Some(examples) => command.before_help(examples),
        None => command,
    };
    let command = if short.is_empty() { command } else { command.after_help(short.join("\n\n")) };
    let command = command.mut_args(|arg| {
        let is_hidden = is_about_network(&arg);
        arg.hide_short_help(is_hidden).hide_long_help(is_hidden)
    });
    command.mut_subcommands(decorated)
}

/// Lays examples out so that none is broken where it cannot be pasted: what a command is for goes below it where both do not
/// fit on a line, and a command that is too long goes on behind a backslash.
fn laid_out(examples: &str, columns: usize) -> String {
    let mut out = String::new();
    for line in examples.lines() {
        let indent = line.len() - line.trim_start().len();
        if render::width(line) <= columns || indent == 0 {
            let _ = writeln!(out, "{line}");
            continue;
        }
        let (command, remark) = match line.trim_start().rsplit_once("   ") {
            Some((command, remark)) => (command.trim_end(), remark.trim_start()),
            None => (line.trim_start(), ""),
        };
        let command = render::wrap(&with_whole_quotes(command), columns.saturating_sub(2), indent + 2);
        let command = command.replace('\n', " \\\n").replace(GLUE, " ");
        let _ = writeln!(out, "{:indent$}{command}", "");
        if !remark.is_empty() {
            let _ = writeln!(out, "{:1$}{2}", "", indent + 4, render::wrap(remark, columns, indent + 4));
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Stands for a space that no line ends at.
const GLUE: char = '\u{a0}';

/// Keeps what stands in quotation marks together: a shell takes a backslash inside of them for itself.
fn with_whole_quotes(command: &str) -> String {
    let mut quote = None;
    let glued = command.chars().map(|c| {
        match quote {
            None if matches!(c, '\'' | '"') => quote = Some(c),
            Some(open) if open == c => quote = None,
            _ => {}
        }
        if quote.is_some() && c == ' ' { GLUE } else { c }
    });
    glued.collect()
}

/// Returns true for an option that `comity help network` lists.
pub(crate) fn is_about_network(arg: &clap::Arg) -> bool {
    arg.get_help_heading() == Some(NETWORK)
}
