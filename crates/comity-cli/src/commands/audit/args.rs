//! The arguments of `comity audit`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Subcommand, ValueHint};
use comity::policy::Preset;
use comity_arrow::Output;
use comity_audit::{
    AsOf, AuditRequest, Condition, IndexRequest, Only, ParseConditionError, RowForm, SiteRequest,
};
use comity_formats::{ArchiveFormat, PageOptions};

use super::whom::WhomArgs;
use crate::args::values::{not_empty, preset_parser};
use crate::args::{FormatArgs, Plain, ReadingArgs, RobotsRequestArgs};
use crate::exit::Failure;
use crate::files::paths_in;
use crate::input::Source;

/// Judge whole crawls and tables of URLs by what robots.txt said when each page was seen
///
/// `index` gathers robots.txt answers with their history from archives; `run` decides the pages of archives and tables by
/// them, for any number of crawlers in one pass; `site` holds robots.txt, sitemaps and pages of one live site against each
/// other; `report` shows what came out; `verify` checks a table against its manifest.
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

/// The job.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    Index(Box<AuditIndexArgs>),
    Run(Box<AuditRunArgs>),
    Site(Box<AuditSiteArgs>),
    Report(AuditReportArgs),
    Verify(AuditVerifyArgs),
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
/// A row that does not say when its page was seen is unknown. Without any times, the latest answers decide, as of now.
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

    /// Treatment of each kind of answer; see `comity presets` [default: rfc9309]
    #[arg(long, short, value_name = "PRESET", ignore_case = true)]
    #[arg(value_parser = preset_parser(), hide_possible_values = true)]
    pub(crate) preset: Option<Preset>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// Decide for when each page was seen, for now (the latest answer), or for both [default: seen; with --live: now]
    #[arg(long, value_name = "WHEN", value_parser = as_of_parser())]
    as_of: Option<AsOf>,

    /// Count the ages of answers from this time as of now, such as 2024-03-01T12:00:00Z [default: when the job begins]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) now: Option<String>,

    /// Take the answer nearest in time, before or after, where archives have few of them
    #[arg(long)]
    pub(crate) nearest: bool,

    /// Decide by no answer older than this, such as 30d: pages without a newer one are unknown [default: any age]
    #[arg(long, value_name = "AGE", value_parser = age)]
    pub(crate) max_age: Option<String>,

    /// Add what robots.txt says about use: Content-Usage, Content-Signal, RSL
    #[arg(long)]
    pub(crate) usage: bool,

    /// Add the columns by which the indexes of public crawls are joined: surt_host_name, url_surtkey, crawl
    #[arg(long)]
    pub(crate) join_keys: bool,

    /// The crawl that all pages are from, such as CC-MAIN-2024-30 [default: what paths and archives name]
    #[arg(long, value_name = "NAME", requires = "join_keys", value_parser = not_empty)]
    pub(crate) crawl: Option<String>,

    /// Columns to write for each crawler, or `all` [default: verdict, allowed, rule, line, group, answer, answer_age, error]
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', value_parser = output_column)]
    pub(crate) columns: Vec<String>,

    /// Begin the names of new columns so
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) prefix: String,

    /// One row for each page (wide), or one for each page and crawler (long) [default: wide]
    #[arg(long, value_name = "FORM", default_value = "wide", hide_default_value = true)]
    #[arg(value_parser = PossibleValuesParser::new(["wide", "long"]))]
    pub(crate) rows: String,

    /// Write only the rows of these pages: allowed for every crawler, disallowed for one, or unknown for one and disallowed for none
    #[arg(long, value_name = "WHICH", value_parser = only_parser())]
    pub(crate) only: Option<Only>,

    /// The column that holds the URL; `metadata.url` is a part of a column with nested values
    #[arg(long, value_name = "COLUMN")]
    pub(crate) url_column: Option<String>,

    /// The column that holds the time at which a page was seen
    #[arg(long, value_name = "COLUMN")]
    pub(crate) time_column: Option<String>,

    /// The form of the times, as for strptime: %d/%m/%Y; may be repeated [default: what is usual in tables and archives]
    #[arg(long, value_name = "FORM", value_parser = time_format)]
    pub(crate) time_format: Vec<String>,

    /// The character between the fields of a table of text, such as `;` or `tab` [default: a comma, or a tab in TSV]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub(crate) delimiter: Option<char>,

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

    /// End with status 1 if this holds: disallowed>0, unknown>=5%, undecided>0, stale>50% for a crawler, or damaged>0; may be repeated
    #[arg(long, value_name = "CONDITION", value_delimiter = ',', value_parser = condition_of_rows)]
    pub(crate) fail_if: Vec<Condition>,

    #[command(flatten)]
    pub(crate) printed: Printed,

    #[command(flatten)]
    pub(crate) asking: RobotsRequestArgs,
}

impl AuditIndexArgs {
    /// Returns the request for building an index.
    pub(super) fn request(&self) -> Result<IndexRequest, Failure> {
        let sources = paths(&self.sources, self.files_from.as_deref())?;
        Ok(IndexRequest { sources, output: self.output.clone() })
    }
}

impl AuditRunArgs {
    /// Returns the request for an audit.
    pub(super) fn request(&self) -> Result<AuditRequest, Failure> {
        Ok(AuditRequest {
            inputs: paths(&self.inputs, self.files_from.as_deref())?,
            robots: paths(&self.robots, None)?,
            live: self.live,
            live_limit: Some(self.live_limit),
            whom: self.whom.request(),
            preset: self.preset,
            dialect: self.reading.dialect,
            as_of: self.as_of,
            now: self.now.clone(),
            nearest: self.nearest,
            max_age: self.max_age.clone(),
            usage: self.usage,
            join_keys: self.join_keys,
            crawl: self.crawl.clone(),
            columns: self.columns.clone(),
            prefix: self.prefix.clone(),
            rows: if self.rows == "long" { RowForm::Long } else { RowForm::Wide },
            only: self.only,
            url_column: self.url_column.clone(),
            time_column: self.time_column.clone(),
            time_formats: self.time_format.clone(),
            delimiter: self.delimiter,
            agent_column: self.agent_column.clone(),
            input_format: self.input_format.map(|format| format.to_string()),
            output: self.output.clone(),
            report: self.report.clone(),
            memory: self.memory,
            resume: self.resume,
            fail_if: self.fail_if.clone(),
        })
    }
}

impl AuditSiteArgs {
    /// Returns the request for an audit of a live site.
    pub(super) fn request(&self) -> SiteRequest {
        let mut request = SiteRequest::new(self.url.to_string_lossy());
        request.whom = self.whom.request();
        request.limit = self.limit;
        request.max_sitemaps = self.max_sitemaps;
        request.max_urls = self.max_urls;
        request.output = self.output.clone();
        request.report = self.report.clone();
        request.fail_if = self.fail_if.clone();
        request
    }
}

/// Returns the paths in the arguments and in the list file.
fn paths(named: &[OsString], list: Option<&Path>) -> Result<Vec<PathBuf>, Failure> {
    let listed = list.map(|list| paths_in(&Source::new(list))).transpose()?;
    Ok(named.iter().cloned().chain(listed.into_iter().flatten()).map(PathBuf::from).collect())
}

/// How the result is printed.
#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct Printed {
    /// Print the whole summary: reasons, months, sites, rules and findings too
    #[arg(long)]
    pub(crate) summary: bool,

    /// Print nothing but errors
    #[arg(long, short, conflicts_with_all = ["json", "format", "summary"])]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,
}

/// Hold robots.txt, sitemaps and pages of one live site against each other
///
/// Asks for robots.txt and tdmrep.json, reads the sitemaps that robots.txt names (or those at the usual places), and fetches
/// pages that they list: under Comity's own name, at the site's pace, and never what robots.txt disallows for Comity. No more
/// pages are fetched than --limit says, spread evenly over the lists.
///
/// Found are: pages that a sitemap lists and robots.txt disallows, with the line and the crawlers; pages in sitemaps that say
/// noindex, that lead elsewhere or do not come; pages whose noindex crawlers never see, as they may not fetch them; sitemaps
/// that do not come, are disallowed or broken; preferences about use that contradict each other, in robots.txt, headers, pages
/// and tdmrep.json. `comity lint --explain CODE` says more of a finding.
///
/// Without --agent, --user-agent or --purpose it is about crawlers that robots.txt does not name.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity audit site https://example.com
  comity audit site https://example.com --agent Googlebot --agent GPTBot --report site.html
  comity audit site https://example.com --purpose search --limit 1000 --output pages.csv
  comity audit site https://example.com --limit 0 --fail-if 'errors>0'",
    after_long_help = "\
The status is 1 if there is an error or a warning, or else, with --fail-if, if a condition holds.

Beside every output stands a manifest, OUTPUT.manifest.json: arguments, sitemaps, counts, findings."
)]
pub(crate) struct AuditSiteArgs {
    /// The site's URL
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) url: OsString,

    #[command(flatten)]
    pub(crate) whom: WhomArgs,

    /// Treatment of each kind of answer; see `comity presets` [default: rfc9309]
    #[arg(long, short, value_name = "PRESET", ignore_case = true)]
    #[arg(value_parser = preset_parser(), hide_possible_values = true)]
    pub(crate) preset: Option<Preset>,

    /// The largest number of pages to fetch; 0 fetches no page
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    pub(crate) limit: u32,

    /// Ask for no more sitemaps than this
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_sitemaps: u32,

    /// Take no more pages from sitemaps than this
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_urls: u32,

    /// Write a row for each listed page to this file: .parquet, .csv or .jsonl, the last two also with .gz or .zst
    #[arg(long, short, visible_alias = "out", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Write a report to this file: a page that loads nothing
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,

    /// End with status 1 if this holds: warnings>0, disallowed>5%, …; may be repeated [default: errors>0,warnings>0]
    #[arg(long, value_name = "CONDITION", value_delimiter = ',', value_parser = |text: &str| text.parse::<Condition>())]
    pub(crate) fail_if: Vec<Condition>,

    #[command(flatten)]
    pub(crate) printed: Printed,

    #[command(flatten)]
    pub(crate) asking: RobotsRequestArgs,
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

    #[command(flatten)]
    pub(crate) printed: Printed,
}

/// Check a table of verdicts against its manifest
///
/// Compares the digest and the rows of the table with those in the manifest, and the counts of the manifest with each other.
/// The table is the file beside the manifest, whatever path the manifest has in it. With --inputs, the files that the manifest
/// names are compared, too: only for a manifest that you trust to name files.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity audit verify verdicts.parquet.manifest.json
  comity audit verify verdicts.parquet.manifest.json --inputs --json
  comity audit verify archive/manifest.json --table archive/verdicts.parquet",
    after_long_help = "\
The status is 1 if something differs or is missing."
)]
pub(crate) struct AuditVerifyArgs {
    /// The manifest
    #[arg(value_name = "MANIFEST", value_hint = ValueHint::FilePath)]
    pub(crate) manifest: PathBuf,

    /// The table, if it is not the file beside the manifest
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) table: Option<PathBuf>,

    /// Compare the inputs and the sources of answers, too, by the paths that the manifest names
    #[arg(long)]
    pub(crate) inputs: bool,

    /// Print nothing but errors
    #[arg(long, short, conflicts_with_all = ["json", "format"])]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,
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

/// Parses a memory size: `256M`, `4G`, `1.5 GiB`. Units are powers of 1024.
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

fn time(text: &str) -> Result<String, String> {
    let read = comity::date::any(text).map(|_| text.to_owned());
    read.ok_or_else(|| "a time is written as 2024-03-01T12:00:00Z".to_owned())
}

fn age(text: &str) -> Result<String, String> {
    comity::date::duration(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

fn time_format(text: &str) -> Result<String, String> {
    PageOptions::new().time_format(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

fn delimiter(text: &str) -> Result<char, String> {
    let mut characters = text.chars();
    match (text, characters.next(), characters.next()) {
        ("tab" | "\\t", ..) => Ok('\t'),
        (_, Some(character), None) if character.is_ascii() && !"\r\n\"".contains(character) => Ok(character),
        _ => Err("a delimiter is one ASCII character, or `tab`".to_owned()),
    }
}

fn output_column(name: &str) -> Result<String, String> {
    match name.trim() {
        "all" => Ok("all".to_owned()),
        name => name.parse().map(|column: Output| column.to_string()).map_err(|error| error.to_string()),
    }
}

fn condition_of_rows(text: &str) -> Result<Condition, String> {
    let condition: Condition = text.parse().map_err(|error: ParseConditionError| error.to_string())?;
    match condition.is_about_findings() {
        true => Err("only `comity audit site` has findings".to_owned()),
        false => Ok(condition),
    }
}
