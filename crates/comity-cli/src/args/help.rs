//! The help of every command, in one shape: what it does, examples, arguments and options, what its exit status means.
//!
//! A command writes its examples as `before_help` and what else there is to say as `after_long_help`; the rest is added
//! here, so that it is the same everywhere.

use clap::{Command, CommandFactory};

use super::Cli;
use crate::exit;

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
    let command = command.help_template(TEMPLATE).after_long_help(long.join("\n\n"));
    let command = if short.is_empty() { command } else { command.after_help(short.join("\n\n")) };
    let command = command.mut_args(|arg| {
        let is_hidden = is_about_network(&arg);
        arg.hide_short_help(is_hidden).hide_long_help(is_hidden)
    });
    command.mut_subcommands(decorated)
}

/// Returns true for an option that `comity help network` lists.
pub(crate) fn is_about_network(arg: &clap::Arg) -> bool {
    arg.get_help_heading() == Some(NETWORK)
}
