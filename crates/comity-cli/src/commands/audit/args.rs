//! The arguments of `comity audit`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Subcommand, ValueHint};
use comity::policy::Preset;
use comity_arrow::Output;
use comity_audit::Only;
use comity_formats::ArchiveFormat;

use super::condition::Condition;
#[cfg(feature = "live")]
use super::site::AuditSiteArgs;
use super::whom::WhomArgs;
use crate::args::values::{not_empty, preset_parser};
use crate::args::{AskingArgs, FormatArgs, Plain, ReadingArgs};

/// Judge whole crawls and tables of URLs by what robots.txt said when each page was seen
///
/// `index` gathers robots.txt answers with their history from archives; `run` decides the pages of archives and tables by
/// them, for any number of crawlers in one pass; `site` holds robots.txt, sitemaps and pages of one live site against each
/// other; `report` shows what came out.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(before_help = "\
Examples:
  comity audit index robotstxt/*.warc.gz --output robots.parquet
  comity audit run pages.parquet --robots robots.parquet --agent GPTBot --output verdicts.parquet
  comity audit run crawl.warc.gz --robots crawl.warc.gz --purpose training --report audit.html
  comity audit site https://example.com --agent Googlebot --report site.html")]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    pub(crate) command: AuditCommand,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    Index(Box<AuditIndexArgs>),
    Run(Box<AuditRunArgs>),
    #[cfg(feature = "live")]
    Site(Box<AuditSiteArgs>),
    Report(AuditReportArgs),
}

/// Gather robots.txt answers from archives into one table with their history
///
/// Sources are recognised by their content: WARC files (plain, gz, zst, lz4), tables (Parquet, CSV, TSV, JSON Lines) with
/// a column that names the site and one with a body, a file that holds the body, or a status, stores of Comity's
/// (`robots.db`), and folders. In a folder, a text file is the robots.txt of the site that its path names, at the time that
/// its path names, or else when it was last changed: `example.com.txt`, `example.com/robots.txt`,
/// `example.com/20240301120000.txt`. A table in the folder that names files (`body_file`) says instead what they are.
///
/// The index is Parquet: key (the origin), fetched_at, status, failure, content_type, location, body, digest, source,
/// offset. A body stands once for all answers that have it.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity audit index robotstxt/*.warc.gz --output robots.parquet
  comity audit index captures/ more.csv --output robots.parquet
  comity audit index crawl.warc.gz -o robots.parquet --json")]
pub(crate) struct AuditIndexArgs {
    /// Archives, tables, folders, patterns, or `-` for standard input
    #[arg(value_name = "SOURCE", required_unless_present = "files_from", value_hint = ValueHint::AnyPath)]
    pub(crate) sources: Vec<OsString>,

    /// Read paths of sources from this file, one per line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,

    /// Write the index to this file, which is replaced when the index is whole
    #[arg(long, short, visible_alias = "out", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,

    /// Print no summary
    #[arg(long, short, conflicts_with_all = ["json", "format"])]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,
}

/// Decide the pages of archives and tables for one or many crawlers
///
/// Inputs are recognised by their content: Parquet, CSV, TSV, JSON Lines, lists of URLs, CDX and CDXJ, WARC (plain, gz,
/// zst, lz4). Columns for URL, time and crawler are found by their usual names, and said. All other columns pass through.
///
/// A row is decided by what held when its page was seen: by the last answer up to then, and those before it, as a client
/// would have that lived through them. Where nothing is known the verdict is `unknown_unreachable`, and the summary counts
/// such rows apart.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("whom").multiple(true).args(["agent", "user_agent", "purpose"])))]
#[command(
    before_help = "\
Examples:
  comity audit run pages.parquet --robots robots.parquet --agent GPTBot --output verdicts.parquet
  comity audit run crawl.warc.gz --robots crawl.warc.gz --agent CCBot --report audit.html
  comity audit run urls.csv.gz --robots captures/ --purpose training --rows long -o verdicts.csv.zst
  comity audit run pages.parquet --robots robots.parquet --agent GPTBot --as-of both --summary
  comity audit run pages.jsonl -r robots.parquet -a GPTBot --only allowed -o keep.jsonl
  comity audit run CC-MAIN-2024-30/*.warc.gz -r robots.parquet -a CCBot --join-keys -o verdicts.parquet
  comity audit run urls.txt --live --agent GPTBot --output verdicts.csv
  comity audit run pages.parquet -r robots.parquet -a GPTBot --fail-if 'disallowed>0,unknown>5%'",
    after_long_help = "\
Beside every output stands a manifest, OUTPUT.manifest.json: versions, arguments, digests of inputs, counts."
)]
pub(crate) struct AuditRunArgs {
    /// Archives and tables of pages, folders, patterns, or `-` for standard input
    #[arg(value_name = "INPUT", required_unless_present = "files_from", value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<OsString>,

    /// Read paths of inputs from this file, one per line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,

    /// Decide by these robots.txt answers: an index, or any source that `comity audit index` takes; may be repeated
    #[arg(long, short, value_name = "SOURCE", required_unless_present = "live", value_hint = ValueHint::AnyPath)]
    pub(crate) robots: Vec<OsString>,

    /// Ask the sites that --robots has no answer of, or all of them without it, for their robots.txt today
    #[arg(long)]
    pub(crate) live: bool,

    /// Ask no more sites than this [default: 1000]
    #[arg(long, value_name = "NUMBER", requires = "live", default_value_t = 1000, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) live_limit: u32,

    #[command(flatten)]
    pub(crate) whom: WhomArgs,

    /// What each kind of answer leads to; see `comity presets` [default: rfc9309]
    #[arg(long, short, value_name = "PRESET", ignore_case = true)]
    #[arg(value_parser = preset_parser(), hide_possible_values = true)]
    pub(crate) preset: Option<Preset>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// Decide for when each page was seen, for now (the latest answer), or for both [default: seen; with --live: now]
    #[arg(long, value_name = "WHEN", value_parser = as_of_parser())]
    as_of: Option<AsOf>,

    /// Take the answer nearest in time, before or after, where archives have few of them
    #[arg(long)]
    pub(crate) nearest: bool,

    /// Add what robots.txt says about use: Content-Usage, Content-Signal, RSL
    #[arg(long)]
    pub(crate) usage: bool,

    /// Add the columns by which the indexes of public crawls are joined: surt_host_name, url_surtkey, crawl
    #[arg(long)]
    pub(crate) join_keys: bool,

    /// The crawl that all pages are from, such as CC-MAIN-2024-30 [default: what paths and archives name]
    #[arg(long, value_name = "NAME", requires = "join_keys", value_parser = not_empty)]
    pub(crate) crawl: Option<String>,

    /// Columns to write for each crawler, or `all` [default: verdict, allowed, rule, line, group, answer, error]
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', value_parser = output_column)]
    pub(crate) columns: Vec<Chosen>,

    /// Begin the names of new columns so
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) prefix: String,

    /// One row for each page (wide), or one for each page and crawler (long) [default: wide]
    #[arg(long, value_name = "FORM", default_value = "wide", hide_default_value = true)]
    #[arg(value_parser = PossibleValuesParser::new(["wide", "long"]))]
    pub(crate) rows: String,

    /// Write only these rows: allowed for every crawler, disallowed for one, or unknown
    #[arg(long, value_name = "WHICH", value_parser = only_parser())]
    pub(crate) only: Option<Only>,

    /// The column that holds the URL
    #[arg(long, value_name = "COLUMN")]
    pub(crate) url_column: Option<String>,

    /// The column that holds the time at which a page was seen
    #[arg(long, value_name = "COLUMN")]
    pub(crate) time_column: Option<String>,

    /// The column that holds the crawler of each row, if no crawler is named
    #[arg(long, value_name = "COLUMN", conflicts_with = "whom")]
    pub(crate) agent_column: Option<String>,

    /// The inputs are in this format, whatever they look like
    #[arg(long, value_name = "FORMAT", value_parser = |name: &str| name.parse::<ArchiveFormat>())]
    pub(crate) input_format: Option<ArchiveFormat>,

    /// Write the rows to this file: .parquet, .csv or .jsonl, the last two also with .gz or .zst
    #[arg(long, short, visible_alias = "out", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Write a report to this file: a page that loads nothing
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,

    /// Keep about this much in memory, such as 256M or 4G; what is more goes to files beside the output [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub(crate) memory: Option<usize>,

    /// Go on behind the inputs that are done: their rows are kept in OUTPUT.parts until the output is whole
    #[arg(long, requires = "output")]
    pub(crate) resume: bool,

    /// Print the whole summary: reasons, months, sites and rules too
    #[arg(long)]
    pub(crate) summary: bool,

    /// End with status 1 if this holds for a crawler: disallowed>0, unknown>=5%, …; may be repeated
    #[arg(long, value_name = "CONDITION", value_delimiter = ',', value_parser = Condition::of_rows)]
    pub(crate) fail_if: Vec<Condition>,

    /// Print nothing but errors
    #[arg(long, short, conflicts_with_all = ["json", "format", "summary"])]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) asking: AskingArgs,
}

impl AuditRunArgs {
    /// Returns the moments that rows are decided for. What a site says today says nothing about when a page was seen.
    pub(crate) fn as_of(&self) -> AsOf {
        self.as_of.unwrap_or(if self.live { AsOf::Now } else { AsOf::Seen })
    }
}

/// Write the report of an audit that was run before
///
/// The manifest that stands beside every output of `comity audit run` holds all numbers. A report is a page that loads
/// nothing.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity audit report verdicts.parquet.manifest.json --output audit.html
  comity audit report verdicts.parquet.manifest.json --summary")]
pub(crate) struct AuditReportArgs {
    /// A manifest, or `-` for standard input
    #[arg(value_name = "MANIFEST", value_hint = ValueHint::FilePath)]
    pub(crate) manifest: PathBuf,

    /// Write the report to this file
    #[arg(long, short, visible_alias = "out", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Print the whole summary: reasons, months, sites and rules too
    #[arg(long)]
    pub(crate) summary: bool,

    /// Print nothing but errors
    #[arg(long, short, conflicts_with_all = ["json", "format", "summary"])]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,
}

/// The moments that rows are decided for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AsOf {
    Seen,
    Now,
    Both,
}

fn as_of_parser() -> impl TypedValueParser<Value = AsOf> {
    let values = [
        PossibleValue::new("seen").help("what held when each page was seen"),
        PossibleValue::new("now").help("the latest answer"),
        PossibleValue::new("both").help("both, side by side, and how many rows differ"),
    ];
    PossibleValuesParser::new(values).map(|name| match name.as_str() {
        "now" => AsOf::Now,
        "both" => AsOf::Both,
        _ => AsOf::Seen,
    })
}

fn only_parser() -> impl TypedValueParser<Value = Only> {
    PossibleValuesParser::new(["allowed", "disallowed", "unknown"]).map(|name| match name.as_str() {
        "allowed" => Only::Allowed,
        "disallowed" => Only::Disallowed,
        _ => Only::Unknown,
    })
}

/// `256M`, `4G`, `1.5 GiB`: units are powers of 1024.
fn memory_size(text: &str) -> Result<usize, String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let shift = match unit.trim().to_ascii_lowercase().trim_end_matches('b').trim_end_matches('i') {
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err("a size is a number with a unit, such as 256M or 4G".to_owned()),
    };
    let number: f64 = number.parse().map_err(|_| format!("`{number}` is not a number"))?;
    let bytes = number * (1_u64 << shift) as f64;
    let least = 16_u64 << 20;
    match bytes >= least as f64 && bytes <= usize::MAX as f64 {
        true => Ok(bytes as usize),
        false => Err("a job needs at least 16M".to_owned()),
    }
}

/// A column that is asked for, or all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Chosen {
    Column(Output),
    All,
}

fn output_column(name: &str) -> Result<Chosen, String> {
    match name.trim() {
        "all" => Ok(Chosen::All),
        name => name.parse().map(Chosen::Column).map_err(|error: comity_arrow::BatchError| error.to_string()),
    }
}
