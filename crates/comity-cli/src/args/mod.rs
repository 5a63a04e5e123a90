//! The command line, as data: parsing, help, completions and man pages all come from here.

mod cache;
mod config;
mod fetch;
mod live;
mod llms;
mod matrix;
mod page;
mod presets;
mod question;
mod sitemap;
mod status;
mod usage;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ContextKind;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use comity::robots::lint::{Lint, Severity};
use comity::robots::{Agent, Dialect, ProductToken, TokenError};
use url::Url;

pub(crate) use self::cache::{
    CacheArgs, CacheCommand, CacheListArgs, CachePurgeArgs, CacheShowArgs, CacheVerifyArgs, WhichArgs,
};
pub(crate) use self::config::ConfigArgs;
pub(crate) use self::fetch::FetchArgs;
pub(crate) use self::live::{FilesArgs, LiveArgs};
pub(crate) use self::llms::LlmsArgs;
pub(crate) use self::matrix::MatrixArgs;
pub(crate) use self::page::PageArgs;
pub(crate) use self::presets::PresetsArgs;
pub(crate) use self::question::{AgentArgs, CheckArgs, ExplainArgs, QuestionArgs, ReadingArgs};
pub(crate) use self::sitemap::{SitemapArgs, SitemapCommand, SitemapFormat, SitemapScope, SitemapWriteArgs};
pub(crate) use self::status::{Site, StatusArgs};
pub(crate) use self::usage::UsageArgs;

/// What a program may fetch, how fast, and what it may do with what it gets, and why
///
/// Reads what a site publishes about automated access (robots.txt, headers, pages, sitemaps, llms.txt) and names the
/// line behind every answer.
#[derive(Debug, Parser)]
#[command(
    name = "comity",
    version,
    propagate_version = true,
    disable_help_subcommand = true,
    max_term_width = 100,
    styles = STYLES,
    after_help = "See `comity COMMAND --help` for the options and examples of a command.",
    after_long_help = "\
Examples:
  comity check --agent GPTBot https://example.com/page     may GPTBot fetch it?
  comity explain --agent GPTBot https://example.com/page   and why
  comity lint robots.txt                                   what is wrong with the file
  comity diff old.txt new.txt --urls urls.txt              what a change of the file changes
  comity matrix https://example.com                        which known crawlers it lets in

Exit status:
  0  nothing to object to: every URL allowed, no finding, no change
  1  something to object to: a URL disallowed, a finding, a change
  2  something could not be done: bad arguments, an unreadable file, text that is no URL"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

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

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(CheckArgs),
    Explain(ExplainArgs),
    Lint(LintArgs),
    Inspect(InspectArgs),
    Diff(DiffArgs),
    Matrix(MatrixArgs),
    Status(StatusArgs),
    Page(PageArgs),
    Usage(UsageArgs),
    Sitemap(SitemapArgs),
    Llms(LlmsArgs),
    Fetch(Box<FetchArgs>),
    Cache(CacheArgs),
    Dialects(DialectsArgs),
    Presets(PresetsArgs),
    Config(Box<ConfigArgs>),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

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
    pub(crate) allow: Vec<Lint>,

    /// Show notes, too; findings that --deny names are always shown
    #[arg(long)]
    pub(crate) notes: bool,

    /// Show every finding: notes, and more than three of a kind
    #[arg(long, short)]
    pub(crate) all: bool,

    /// Explain one finding with a bad and a good example, and stop
    #[arg(long, value_name = "CODE", value_parser = lint_parser(), hide_possible_values = true)]
    #[arg(conflicts_with_all = ["files", "list", "deny", "allow", "notes", "all", "format", "json"])]
    pub(crate) explain: Option<Lint>,

    /// List every finding that exists, and stop
    #[arg(long, conflicts_with_all = ["files", "deny", "allow", "notes", "all", "format"])]
    pub(crate) list: bool,

    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// What `--deny` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deny {
    /// Findings that matter at least this much.
    Level(Severity),
    /// Findings of one kind.
    Lint(Lint),
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

/// Show what a robots.txt holds: groups, rules, delays, sitemaps, extensions
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  comity inspect
  comity inspect https://example.com               the robots.txt that the site serves
  comity inspect --all saved/robots.txt
  comity inspect --json robots.txt | jq '.groups[].agents'
  comity inspect --dialect google robots.txt       as Google's parser reads it

Exit status: 0, or 2 if there is no file or it cannot be read.")]
pub(crate) struct InspectArgs {
    /// The robots.txt, `-` for standard input, or a URL of the site
    #[arg(value_name = "FILE|URL", default_value = "robots.txt", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// Show every rule, however many there are
    #[arg(long, short, conflicts_with = "json")]
    pub(crate) all: bool,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// Show what a change of a robots.txt changes in meaning
///
/// For `*` and every crawler that either file names: the rules gained and lost, delays, and which URLs change verdict.
/// Order, comments, grouping and the case of keys do not matter; a crawler that gets a group of its own loses the rules
/// of `*`, and that is shown.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  comity diff live/robots.txt new/robots.txt
  comity diff old.txt new.txt --urls urls.txt
  comity diff old.txt new.txt --agent Googlebot --agent GPTBot --urls - < urls.txt
  comity diff old.txt new.txt --json | jq '.urls[]'

Exit status:
  0  nothing changed in meaning
  1  something changed
  2  trouble: bad arguments, an unreadable file, text that is no URL")]
pub(crate) struct DiffArgs {
    /// The robots.txt before; `-` reads standard input
    #[arg(value_name = "OLD", value_hint = ValueHint::FilePath)]
    pub(crate) old: PathBuf,

    /// The robots.txt after; `-` reads standard input
    #[arg(value_name = "NEW", value_hint = ValueHint::FilePath)]
    pub(crate) new: PathBuf,

    /// URLs to decide by both, one per line; `-` reads standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) urls: Option<PathBuf>,

    /// Look at this crawler only; may be repeated [default: `*` and every crawler named]
    #[arg(long, short, value_name = "TOKEN", value_parser = asker)]
    pub(crate) agent: Vec<String>,

    /// Look at the crawler with this whole User-Agent header only; may be repeated
    #[arg(long, value_name = "HEADER", value_parser = not_empty)]
    pub(crate) user_agent: Vec<String>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the dialects: the ways in which robots.txt is read and matched
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  comity dialects
  comity dialects google yandex
  comity dialects --json")]
pub(crate) struct DialectsArgs {
    /// Show these only
    #[arg(value_name = "DIALECT", ignore_case = true, value_parser = dialect_parser(), hide_possible_values = true)]
    pub(crate) dialects: Vec<Dialect>,

    /// Print a JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  comity completions bash > /etc/bash_completion.d/comity
  comity completions zsh > ~/.zfunc/_comity
  comity completions fish > ~/.config/fish/completions/comity.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page, or write one per command
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  comity man | man -l -
  comity man check | man -l -
  comity man --dir /usr/local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The page of this command
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    pub(crate) command: Option<String>,

    /// Write all pages to this folder, which is made if need be
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
}

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

/// What `--color` will turn out to be: help and usage errors are printed before parsing is over.
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

/// Dialects by name or alias; clap lists and suggests them.
fn dialect_parser() -> impl TypedValueParser<Value = Dialect> {
    let values = Dialect::ALL.map(|dialect| {
        PossibleValue::new(dialect.name())
            .aliases(dialect.aliases().iter().copied())
            .help(dialect.defined_by())
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Dialect>())
}

/// Lints by code; clap suggests them.
fn lint_parser() -> impl TypedValueParser<Value = Lint> {
    Unlisted(PossibleValuesParser::new(lint_values()).try_map(|code| code.parse::<Lint>()))
}

fn lint_values() -> impl Iterator<Item = PossibleValue> {
    Lint::ALL.iter().map(|lint| PossibleValue::new(lint.code()).help(lint.summary()))
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
        Err(_) => what.parse().map(Deny::Lint),
    }))
}

/// A parser of so many values that an error had better not list them all; a similar one is still suggested.
#[derive(Clone)]
struct Unlisted<P>(P);

impl<P: TypedValueParser> TypedValueParser for Unlisted<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        self.0.parse_ref(command, arg, value).map_err(|mut error| {
            error.remove(ContextKind::ValidValue);
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// A charset label that the Encoding Standard knows.
fn charset(label: &str) -> Result<String, String> {
    let known =
        encoding_rs::Encoding::for_label(label.as_bytes()).is_some() || label.eq_ignore_ascii_case("latin-1");
    if known {
        Ok(label.to_owned())
    } else {
        Err("no such charset; examples are utf-8, iso-8859-1, windows-1251, shift_jis".to_owned())
    }
}

/// An absolute http or https URL.
fn web_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("{error}; an example is https://example.com/page"))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        scheme => Err(format!("`{scheme}` is neither http nor https")),
    }
}

/// A text that says something.
fn not_empty(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("it is empty".to_owned()) } else { Ok(text.to_owned()) }
}

/// Whom a question is asked for, beside a flag for whole headers: a product token, or `*` for whoever no group names.
fn asker(name: &str) -> Result<String, String> {
    Agent::try_token(name).map(|_| name.to_owned()).map_err(|error| or_header(&error))
}

/// A crawler's own name, beside a flag for its whole header.
fn token_or_header(name: &str) -> Result<String, String> {
    name.parse::<ProductToken>().map(String::from).map_err(|error| or_header(&error))
}

fn or_header(error: &TokenError) -> String {
    format!("{}; a whole User-Agent header is given by --user-agent", error.problem())
}

/// A crawler's name, where there is no flag for a header.
fn token(name: &str) -> Result<String, String> {
    let way_out =
        |error: TokenError| format!("{}; name the crawler alone, such as ExampleBot", error.problem());
    name.parse::<ProductToken>().map(String::from).map_err(way_out)
}
