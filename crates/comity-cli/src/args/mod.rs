//! The command line, as data: parsing, help, completions and man pages all come from here.
//!
//! The arguments of a command stand beside the command (`commands/*/args.rs`); here is what several of them share.

mod format;
mod help;
#[cfg(not(feature = "live"))]
mod offline;
mod question;
#[cfg(feature = "live")]
mod settings;
mod urls;
pub(crate) mod values;

use std::ffi::OsString;

use clap::{Args, Parser, ValueEnum};

#[cfg(feature = "audit")]
pub(crate) use self::format::Metrics;
pub(crate) use self::format::{Format, FormatArgs, Page, Plain, Reports, Tabular};
pub(crate) use self::help::{command, is_about_network};
#[cfg(all(feature = "audit", not(feature = "live")))]
pub(crate) use self::offline::AskingArgs;
#[cfg(not(feature = "live"))]
pub(crate) use self::offline::{FilesArgs, NetworkArgs};
pub(crate) use self::question::{AgentArgs, QuestionArgs, ReadingArgs};
#[cfg(all(feature = "audit", feature = "live"))]
pub(crate) use self::settings::AskingArgs;
#[cfg(feature = "live")]
pub(crate) use self::settings::{FilesArgs, IdentityFlags, NetworkArgs, PageFlags, SettingArgs, StoreFlags};
pub(crate) use self::urls::UrlArgs;

/// How one document is printed, and how it is had if a URL names it.
#[derive(Debug, Args)]
pub(crate) struct DocumentArgs {
    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// What a program may fetch, how fast, and what it may do with what it gets, and why
///
/// Reads what a site publishes about automated access (robots.txt, headers, pages, sitemaps, llms.txt) and names the
/// line behind every answer.
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
  comity check --agent GPTBot https://example.com/page     may GPTBot fetch it?
  comity explain --agent GPTBot https://example.com/page   and why
  comity lint robots.txt                                   what is wrong with the file
  comity lint --fix robots.txt                             and mended
  comity new --block-purpose training                      a file to begin with
  comity test robots.test.toml                             the answers that it has to give
  comity diff https://example.com new.txt                  what a change of the file changes
  comity matrix https://example.com                        which known crawlers it lets in",
    after_help = "`comity help COMMAND` says more about a command; `comity help network` lists what every command that asks sites \
                  takes."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: crate::commands::Command,

    /// When to use colour [default: auto, which obeys NO_COLOR]
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t, hide_default_value = true)]
    #[arg(hide_possible_values = true, help = "Use colour: auto, always or never [default: auto]")]
    pub(crate) color: Colour,
}

const STYLES: clap::builder::Styles = clap::builder::Styles::styled()
    .header(anstyle::Style::new().bold())
    .usage(anstyle::Style::new().bold())
    .literal(anstyle::AnsiColor::Cyan.on_default().bold())
    .placeholder(anstyle::AnsiColor::Cyan.on_default());

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Colour {
    /// The same, or always where nobody says anything but the environment (`FORCE_COLOR`). `NO_COLOR` is stronger.
    pub(crate) fn or_forced(self) -> Colour {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        if self == Colour::Auto && is_set("FORCE_COLOR") && !is_set("NO_COLOR") {
            Colour::Always
        } else {
            self
        }
    }

    /// For clap's own messages.
    pub(crate) fn for_clap(self) -> clap::ColorChoice {
        match self {
            Colour::Auto => clap::ColorChoice::Auto,
            Colour::Always => clap::ColorChoice::Always,
            Colour::Never => clap::ColorChoice::Never,
        }
    }

    /// For our own streams.
    pub(crate) fn for_stream(self) -> anstream::ColorChoice {
        match self {
            Colour::Auto => anstream::ColorChoice::Auto,
            Colour::Always => anstream::ColorChoice::Always,
            Colour::Never => anstream::ColorChoice::Never,
        }
    }
}

/// Finds the value of `--color` before parsing, since help and usage errors are printed before parsing is over.
pub(crate) fn colour_before_parsing(args: impl Iterator<Item = OsString>) -> Colour {
    let mut colour = Colour::Auto;
    let mut is_value = false;
    for arg in args.take_while(|arg| arg != "--") {
        let arg = arg.to_string_lossy();
        let value = if is_value { Some(&*arg) } else { arg.strip_prefix("--color=") };
        is_value = arg == "--color";
        if let Some(Ok(value)) = value.map(|value| Colour::from_str(value, true)) {
            colour = value;
        }
    }
    colour
}
