//! The definition of the command line, from which parsing, help, completions and manual pages are generated.
//!
//! Help has one shape: the purpose of a command, examples, arguments and options, and the meaning of the exit status. A
//! command writes its examples as `before_help` and other remarks as `after_long_help`; this module adds the other
//! parts.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{CommandFactory, Parser, ValueHint};

use crate::args::is_about_network;
use crate::colour::Colour;
use crate::commands::Command;
use crate::exit;
use crate::render;
use crate::width;

/// Shows which URLs a program may fetch, how fast, and what it may do with the content
///
/// Reads the documents in which a site regulates automated access (robots.txt, headers, pages, sitemaps, llms.txt) and
/// names the line behind every answer.
#[derive(Debug, Parser)]
#[command(
    name = "comity",
    version = env!("COMITY_VERSION"),
    propagate_version = true,
    disable_help_subcommand = true,
    max_term_width = 100,
    styles = STYLES,
    before_help = "\
Examples:
  comity check --agent GPTBot https://example.com/page     whether GPTBot may fetch it
  comity explain --agent GPTBot https://example.com/page   and why
  comity lint robots.txt                                   the problems of a file
  comity lint --fix robots.txt                             and their fixes
  comity new --block-purpose training                      a first robots.txt
  comity test robots.test.toml                             tests of the verdicts
  comity diff https://example.com new.txt                  the effects of a change
  comity matrix https://example.com                        the known crawlers that it allows",
  after_help = "`comity help COMMAND` shows detailed help; `comity help network` lists the options of all commands that contact \
                sites."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// When to use colour [default: auto, which obeys NO_COLOR]
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t, hide_default_value = true)]
    #[arg(hide_possible_values = true, help = "Use colour: auto, always or never [default: auto]")]
    pub(crate) color: Colour,

    /// Add crawlers of your own to the catalogue, from a TOML file with `[[crawler]]` entries
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath, display_order = 1_000)]
    pub(crate) catalogue: Option<PathBuf>,
}

const STYLES: clap::builder::Styles = clap::builder::Styles::styled()
    .header(anstyle::Style::new().bold())
    .usage(anstyle::Style::new().bold())
    .literal(anstyle::AnsiColor::Cyan.on_default().bold())
    .placeholder(anstyle::AnsiColor::Cyan.on_default());

/// Template of help texts, with the examples before the options.
const TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

/// Returns the command line as clap defines it, with the additions to each help text.
pub(crate) fn command() -> clap::Command {
    with_help_parts(Cli::command())
}

fn with_help_parts(command: clap::Command) -> clap::Command {
    let has_network = command.get_arguments().any(is_about_network);
    let own = command.get_after_long_help().or(command.get_after_help()).map(|text| text.to_string());
    let network = has_network.then(|| {
        let names = ["--contact", "--timeout", "--max-wait", "--allow-address", "--proxy", "--store"];
        format!("Contacts sites: {} and more; see `comity help network`.", names.join(", "))
    });
    let short: Vec<String> =
        command.get_after_help().map(|text| text.to_string()).into_iter().chain(network.clone()).collect();
    let long: Vec<String> = own.into_iter().chain(network).chain([exit::TABLE.to_owned()]).collect();
    let examples = command.get_before_help().map(|text| format_examples(&text.to_string(), width::of_help()));
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
    command.mut_subcommands(with_help_parts)
}

/// Formats examples so that each command can be pasted even if it is wrapped. If a command and its purpose do not fit
/// on a line, the purpose is on the next line. A backslash ends each line of a command that continues on the next line.
fn format_examples(examples: &str, columns: usize) -> String {
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

/// Placeholder for a space at which [`render::wrap`] must not break a line.
const GLUE: char = '\u{a0}';

/// Keeps quoted text together: a line break in quotes would change the text.
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
