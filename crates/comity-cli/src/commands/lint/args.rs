//! The arguments of `comity lint`.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use comity::finding::{Channel, Kind, Reader, Severity};

use crate::args::values::UnlistedParser;
use crate::args::{FormatArgs, NetworkArgs, Reports};
use crate::files::RobotsFilesArgs;

/// Find mistakes in robots.txt files and RSL documents
///
/// XML with the root element `rsl` is read as an RSL document, and everything else as a robots.txt.
///
/// Each finding has a code, its place in the file, the reason why it matters, and advice.
///
/// To hide a finding, use --allow, `CODE = "allow"` under [lint] in ./comity.toml, or a comment in the file with a
/// reason: `# comity: allow CODE: reason` on the line above or at the end of the line, or `# comity: allow-file CODE:
/// reason` anywhere. The settings file and the comments apply to local files only.
///
/// Errors and warnings are printed, at most three of a kind per file; further findings and notes are only counted.
/// `--notes` also prints notes, and `--all` prints everything. JSON and SARIF always contain everything.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity lint robots.txt
  comity lint https://example.com                 the robots.txt of the site
  comity lint --notes --deny warnings sites/*/robots.txt
  comity lint --format github robots.txt
  comity lint --diff robots.txt                   the changes of --fix
  comity lint --fix .                             every robots.txt below this folder
  comity lint --statistics sites/                 the number of findings of each kind
  comity lint license.xml                         an RSL document
  comity lint --explain missing-colon
  git show HEAD:public/robots.txt | comity lint -")]
pub(crate) struct LintArgs {
    #[command(flatten)]
    pub(crate) files: RobotsFilesArgs,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Reports>,

    /// Fail on `warnings` (and errors), on `notes` (on everything), or on the finding CODE; may be repeated
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = deny_parser(), hide_possible_values = true)]
    pub(crate) deny: Vec<Deny>,

    /// Hide the finding CODE; may be repeated
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = lint_parser(), hide_possible_values = true)]
    pub(crate) allow: Vec<&'static Kind>,

    /// The environment that the files are for; in `staging`, files that forbid the whole site are expected
    #[arg(long, value_name = "ENVIRONMENT", default_value = "production", conflicts_with_all = ["explain", "list"])]
    pub(crate) environment: Environment,

    /// Also print notes; findings that --deny names are always printed
    #[arg(long)]
    pub(crate) notes: bool,

    /// Print every finding: notes, and more than three of a kind
    #[arg(long)]
    pub(crate) all: bool,

    /// Fix the files in place; only fixes that change no decision of the default dialect are applied
    #[arg(long, conflicts_with_all = ["diff", "explain", "list"])]
    pub(crate) fix: bool,

    /// Print the changes of --fix as a unified diff, without changing the file
    #[arg(long, conflicts_with_all = ["explain", "list", "format", "json"])]
    pub(crate) diff: bool,

    /// With --fix or --diff: also apply fixes that change decisions of the default dialect; the findings describe the
    /// changes
    #[arg(long)]
    pub(crate) unsafe_fixes: bool,

    /// Print the number of findings by code, without the findings
    #[arg(long, conflicts_with_all = ["fix", "diff", "quiet", "explain", "list"])]
    pub(crate) statistics: bool,

    /// Print no findings; the exit status is the result
    #[arg(long, short, conflicts_with_all = ["format", "json"])]
    pub(crate) quiet: bool,

    /// Explain any finding of Comity with a bad and a good example, then exit
    #[arg(long, value_name = "CODE", value_parser = Kind::of)]
    #[arg(conflicts_with_all = ["file", "files_from", "list", "deny", "allow", "notes", "all"])]
    pub(crate) explain: Option<&'static Kind>,

    /// List the kinds of findings of this command, then exit
    #[arg(long, conflicts_with_all = ["file", "files_from", "deny", "allow", "notes", "all"])]
    pub(crate) list: bool,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// The value of `--environment`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Environment {
    /// A site that search engines should find.
    Production,
    /// A site that search engines should not find: `blocks-everything` is not reported.
    Staging,
}

impl Environment {
    /// Returns true if findings of the kind are expected in this environment.
    pub(crate) fn expects(self, kind: &Kind) -> bool {
        self == Environment::Staging && kind.code() == "blocks-everything"
    }
}

/// The value of `--deny`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deny {
    /// Findings of at least this severity.
    Level(Severity),
    /// Findings of one kind.
    Kind(&'static Kind),
}

/// Returns the parser of lints by code. Clap suggests similar codes.
fn lint_parser() -> impl TypedValueParser<Value = &'static Kind> {
    UnlistedParser(PossibleValuesParser::new(lint_values()).try_map(|code| Kind::of(&code)))
}

/// Returns the kinds of findings that the command reports.
pub(super) fn kinds() -> impl Iterator<Item = &'static Kind> {
    let of_rsl = Reader::Usage.kinds().iter().copied().filter(|kind| kind.channel() == Channel::RslDocument);
    Reader::RobotsTxt.kinds().iter().copied().chain(of_rsl)
}

fn lint_values() -> impl Iterator<Item = PossibleValue> {
    kinds().map(|kind| PossibleValue::new(kind.code()).help(kind.summary()))
}

/// Returns the parser of `--deny`: levels, and lints by code.
fn deny_parser() -> impl TypedValueParser<Value = Deny> {
    let levels = [
        PossibleValue::new("errors").alias("error").help("errors only, the default"),
        PossibleValue::new("warnings").alias("warning").help("warnings and errors"),
        PossibleValue::new("notes").alias("note").help("everything"),
    ];
    let values = PossibleValuesParser::new(levels.into_iter().chain(lint_values()));
    UnlistedParser(values.try_map(|what| match what.trim_end_matches('s').parse() {
        Ok(severity) => Ok(Deny::Level(severity)),
        Err(_) => Kind::of(&what).map(Deny::Kind),
    }))
}
