//! The arguments of `comity lint`.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use comity::finding::{Channel, Kind, Reader, Severity};

use crate::args::values::Unlisted;
use crate::args::{FormatArgs, NetworkArgs, Reports};
use crate::files::RobotsFilesArgs;

/// Find mistakes in robots.txt files and RSL documents
///
/// What a file is shows in it: XML whose root is `rsl` is an RSL document, everything else a robots.txt.
///
/// Each finding has a code, shows the place in the file, says why it matters and what to do about it.
///
/// A finding is left out by --allow, by `CODE = "allow"` under [lint] in ./comity.toml, or by a comment in the file, with a
/// reason: `# comity: allow CODE: reason` on the line above or at the end of the line, `# comity: allow-file CODE: reason`
/// anywhere. The last two count for local files only.
///
/// Errors and warnings are shown, three of a kind for each file; further ones and notes are counted. `--notes` shows the
/// notes, `--all` everything. JSON and SARIF always hold everything.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity lint robots.txt
  comity lint https://example.com                 the robots.txt that the site serves
  comity lint --notes --deny warnings sites/*/robots.txt
  comity lint --format github robots.txt
  comity lint --diff robots.txt                   what --fix would mend
  comity lint --fix .                             every robots.txt below this folder
  comity lint --statistics sites/                 what is found how often
  comity lint license.xml                         a license: an RSL document
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

    /// Leave out the finding CODE; may be repeated
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = lint_parser(), hide_possible_values = true)]
    pub(crate) allow: Vec<&'static Kind>,

    /// Show notes, too; findings that --deny names are always shown
    #[arg(long)]
    pub(crate) notes: bool,

    /// Show every finding: notes, and more than three of a kind
    #[arg(long)]
    pub(crate) all: bool,

    /// Mend the files in place, where the way out is mechanical and changes nothing of what any crawler is told
    #[arg(long, conflicts_with_all = ["diff", "explain", "list"])]
    pub(crate) fix: bool,

    /// Show what --fix would change, as a unified diff, and change nothing
    #[arg(long, conflicts_with_all = ["explain", "list", "format", "json"])]
    pub(crate) diff: bool,

    /// With --fix or --diff: also mend what changes the meaning, in some dialect at least, as the findings say
    #[arg(long)]
    pub(crate) unsafe_fixes: bool,

    /// Count findings by code, and show none
    #[arg(long, conflicts_with_all = ["fix", "diff", "quiet", "explain", "list"])]
    pub(crate) statistics: bool,

    /// Print no findings: the exit status says it all
    #[arg(long, short, conflicts_with_all = ["format", "json"])]
    pub(crate) quiet: bool,

    /// Explain one finding of any command with a bad and a good example, and stop
    #[arg(long, value_name = "CODE", value_parser = Kind::of)]
    #[arg(conflicts_with_all = ["file", "files_from", "list", "deny", "allow", "notes", "all"])]
    pub(crate) explain: Option<&'static Kind>,

    /// List every finding that exists, and stop
    #[arg(long, conflicts_with_all = ["file", "files_from", "deny", "allow", "notes", "all"])]
    pub(crate) list: bool,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// The value of `--deny`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deny {
    /// Findings that matter at least this much.
    Level(Severity),
    /// Findings of one kind.
    Kind(&'static Kind),
}

/// Lints by code; clap suggests them.
fn lint_parser() -> impl TypedValueParser<Value = &'static Kind> {
    Unlisted(PossibleValuesParser::new(lint_values()).try_map(|code| Kind::of(&code)))
}

fn lint_values() -> impl Iterator<Item = PossibleValue> {
    let of_rsl = Reader::Usage.kinds().iter().filter(|kind| kind.channel() == Channel::RslDocument);
    let kinds = Reader::RobotsTxt.kinds().iter().chain(of_rsl);
    kinds.map(|kind| PossibleValue::new(kind.code()).help(kind.summary()))
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
