//! The arguments of `comity lint`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use comity::finding::{Kind, Reader, Severity};

use crate::args::NetworkArgs;
use crate::args::values::Unlisted;

/// Find mistakes in robots.txt files
///
/// Each finding has a code, shows the place in the file, says why it matters and what to do about it.
///
/// Errors and warnings are shown, three of a kind for each file; further ones and notes are counted. `--notes` shows the
/// notes, `--all` everything. JSON and SARIF always hold everything.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  comity lint robots.txt
  comity lint https://example.com                 the robots.txt that the site serves
  comity lint --notes --deny warnings sites/*/robots.txt
  comity lint --format github robots.txt
  comity lint --explain missing-colon
  git show HEAD:public/robots.txt | comity lint -

Exit status:
  0  no finding, or only findings below the level of --deny
  1  findings at that level; errors always are
  2  trouble: bad arguments, an unreadable file")]
pub(crate) struct LintArgs {
    /// Files to read, `-` for standard input, or URLs of sites
    #[arg(value_name = "FILE|URL", value_hint = ValueHint::FilePath, required_unless_present_any = ["explain", "list"])]
    pub(crate) files: Vec<PathBuf>,

    /// How to print the findings
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value_t)]
    pub(crate) format: LintFormat,

    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// Fail on `warnings` (and errors), on `notes` (on everything), or on the finding CODE; may be repeated
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = deny_parser(), hide_possible_values = true)]
    pub(crate) deny: Vec<Deny>,

    /// Leave out the finding CODE; may be repeated
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = lint_parser(), hide_possible_values = true)]
    pub(crate) allow: Vec<&'static Kind>,

    /// Show notes, too; findings that --deny names are always shown
    #[arg(long)]
    pub(crate) notes: bool,

    /// Show every finding: notes, and more than three of a kind
    #[arg(long, short)]
    pub(crate) all: bool,

    /// Explain one finding of any command with a bad and a good example, and stop
    #[arg(long, value_name = "CODE", value_parser = Kind::of)]
    #[arg(conflicts_with_all = ["files", "list", "deny", "allow", "notes", "all", "format", "json"])]
    pub(crate) explain: Option<&'static Kind>,

    /// List every finding that exists, and stop
    #[arg(long, conflicts_with_all = ["files", "deny", "allow", "notes", "all", "format"])]
    pub(crate) list: bool,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// What `--deny` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deny {
    /// Findings that matter at least this much.
    Level(Severity),
    /// Findings of one kind.
    Kind(&'static Kind),
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LintFormat {
    /// For people: the source line, underlined
    #[default]
    Text,
    /// One JSON object per line and finding
    Json,
    /// Annotations for GitHub Actions
    Github,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

/// Lints by code; clap suggests them.
fn lint_parser() -> impl TypedValueParser<Value = &'static Kind> {
    Unlisted(PossibleValuesParser::new(lint_values()).try_map(|code| Kind::of(&code)))
}

fn lint_values() -> impl Iterator<Item = PossibleValue> {
    Reader::RobotsTxt.kinds().iter().map(|kind| PossibleValue::new(kind.code()).help(kind.summary()))
}

/// Levels and lints.
fn deny_parser() -> impl TypedValueParser<Value = Deny> {
    let levels = [
        PossibleValue::new("errors").alias("error").help("errors only, the default"),
        PossibleValue::new("warnings").alias("warning").help("warnings and errors"),
        PossibleValue::new("notes").alias("note").help("everything"),
    ];
    let values = PossibleValuesParser::new(levels.into_iter().chain(lint_values()));
    Unlisted(values.try_map(|what| match what.trim_end_matches('s').parse() {
        Ok(severity) => Ok(Deny::Level(severity)),
        Err(_) => Kind::of(&what).map(Deny::Kind),
    }))
}
