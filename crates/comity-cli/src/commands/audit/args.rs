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
use comity_formats::{ArchiveFormat, PageOptions, TableFormat};

use super::whom::WhomArgs;
use crate::args::values::{not_empty, preset_parser};
use crate::args::{FormatArgs, Plain, ReadingArgs, RobotsRequestArgs};
use crate::exit::Failure;
use crate::files::paths_in;
use crate::input::Source;

/// Decide URLs of crawls and tables by the robots.txt at the time of the crawl
///
/// `index` collects the robots.txt answers of archives in one table, with their history. `run` decides the pages of
/// archives and tables by these answers, for any number of crawlers in one pass. `site` finds contradictions between
/// robots.txt, sitemaps and pages of one live site. `report` writes the report of an earlier audit. `verify` checks a
/// table against its manifest.
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

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    Index(Box<AuditIndexArgs>),
    Run(Box<AuditRunArgs>),
    Site(Box<AuditSiteArgs>),
    Report(AuditReportArgs),
    Verify(AuditVerifyArgs),
}

/// Collect the robots.txt answers of archives in one table, with their history
///
/// The type of a source is detected by its content. Sources are WARC files (plain, gz, zst, lz4), WACZ, tables (Parquet,
/// CSV, TSV, JSON Lines), stores of Comity (`robots.db`) and folders. A table has a column with the site, and a column
/// with the body, the file name of the body, or the status. In a folder, a text file is the robots.txt of the site that
/// its path names: `example.com.txt`, `example.com/robots.txt`, `example.com/20240301120000.txt`. Its time is the time
/// in the path, or else the time of its last change. If a table in the folder names a file (`body_file`), the site and
/// the time in the table apply instead.
///
/// The index is a Parquet file with the columns key (the origin), fetched_at, status, failure, content_type, location,
/// body, digest, source and offset. Each row group stores equal bodies once.
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

    /// Write the index to this file; an existing file is replaced when the index is complete
    #[arg(long, short, visible_alias = "out", value_name = "FILE", value_hint = ValueHint::FilePath,
        value_parser = index_file)]
    pub(crate) output: PathBuf,

    /// Print no summary
    #[arg(long, short, conflicts_with_all = ["json", "format"])]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,
}

/// Decide the pages of archives and tables for one or many crawlers
///
/// The format of an input is detected by its content: Parquet, CSV, TSV, JSON Lines, lists of URLs, CDX and CDXJ, WARC
/// (plain, gz, zst, lz4) and WACZ. Columns for URL, time and crawler are detected by their usual names, and the summary
/// shows them. All other columns are copied. The verdict of a row without a time is unknown. If no row has a time, the
/// latest answers decide, as of now.
///
/// A row is decided by the robots.txt that applied when its page was seen, which is the last answer up to that time.
/// During an outage of the site, an earlier copy decides while a client would still use it. Without an answer, the
/// verdict is `unknown_unreachable`. The summary counts these rows separately.
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
Every output has a manifest next to it, OUTPUT.manifest.json: versions, arguments, digests of inputs, counts."
)]
pub(crate) struct AuditRunArgs {
    /// Archives and tables of pages, folders, patterns, or `-` for standard input
    #[arg(value_name = "INPUT", required_unless_present = "files_from", value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<OsString>,

    /// Read paths of inputs from this file, one per line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,

    /// Decide by these robots.txt answers: an index, or any source that `comity audit index` reads; may be repeated
    #[arg(long, short, value_name = "SOURCE", required_unless_present = "live", value_hint = ValueHint::AnyPath)]
    pub(crate) robots: Vec<OsString>,

    /// Request robots.txt from each site without an answer in --robots; without --robots, from every site
    #[arg(long)]
    pub(crate) live: bool,

    /// Maximum number of sites to request robots.txt from [default: 1000]
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

    /// Decide as of the time when each page was seen, as of now (the latest answer), or both [default: seen; with
    /// --live: now]
    #[arg(long, value_name = "WHEN", value_parser = as_of_parser())]
    as_of: Option<AsOf>,

    /// Use this time as the current time, such as 2024-03-01T12:00:00Z [default: the time when the job begins]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) now: Option<String>,

    /// Use the answer that is nearest in time, before or after the page; for archives with few answers
    #[arg(long)]
    pub(crate) nearest: bool,

    /// Ignore answers that are older than this, such as 30d; pages without a newer answer are unknown [default: any
    /// age]
    #[arg(long, value_name = "AGE", value_parser = age)]
    pub(crate) max_age: Option<String>,

    /// Add columns for usage preferences in robots.txt (Content-Usage, Content-Signal, RSL) and, for WARC, in pages
    #[arg(long)]
    pub(crate) usage: bool,

    /// Add the columns that join the output with indexes of public crawls: surt_host_name, url_surtkey, crawl
    #[arg(long)]
    pub(crate) join_keys: bool,

    /// Name of the crawl of all pages, such as CC-MAIN-2024-30 [default: the name in paths and archives]
    #[arg(long, value_name = "NAME", requires = "join_keys", value_parser = not_empty)]
    pub(crate) crawl: Option<String>,

    /// Columns to write for each crawler, or `all` [default: verdict, allowed, rule, line, group, answer, answer_age,
    /// error]
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', value_parser = output_column)]
    pub(crate) columns: Vec<String>,

    /// Prefix of the names of added columns
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) prefix: String,

    /// One row for each page (wide), or one for each page and crawler (long) [default: wide]
    #[arg(long, value_name = "FORM", default_value = "wide", hide_default_value = true)]
    #[arg(value_parser = PossibleValuesParser::new(["wide", "long"]))]
    pub(crate) rows: String,

    /// Write only pages that are allowed (for every crawler), disallowed (for at least one), or unknown (for at least
    /// one, and disallowed for none)
    #[arg(long, value_name = "WHICH", value_parser = only_parser())]
    pub(crate) only: Option<Only>,

    /// The column with the URL; `metadata.url` is a field of a column with nested values
    #[arg(long, value_name = "COLUMN")]
    pub(crate) url_column: Option<String>,

    /// The column with the time at which a page was seen
    #[arg(long, value_name = "COLUMN")]
    pub(crate) time_column: Option<String>,

    /// The format of times, as for strptime: %d/%m/%Y; may be repeated [default: the usual formats of tables and
    /// archives]
    #[arg(long, value_name = "FORM", value_parser = time_format)]
    pub(crate) time_format: Vec<String>,

    /// The character between the fields of a text table, such as `;` or `tab` [default: a comma, or a tab in TSV]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub(crate) delimiter: Option<char>,

    /// The column with the crawler of each row, if no option names a crawler
    #[arg(long, value_name = "COLUMN", conflicts_with = "whom")]
    pub(crate) agent_column: Option<String>,

    /// Read all inputs in this format, without detection
    #[arg(long, value_name = "FORMAT", value_parser = |name: &str| name.parse::<ArchiveFormat>())]
    pub(crate) input_format: Option<ArchiveFormat>,

    /// Write the rows to this file: .parquet, .csv or .jsonl, the last two also with .gz or .zst
    #[arg(long, short, visible_alias = "out", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Write a report to this file: a self-contained HTML page
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,

    /// Approximate limit of memory, such as 256M or 4G; further data is written to temporary files [default:
    /// no limit]
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub(crate) memory: Option<usize>,

    /// Continue an interrupted job: skip the finished inputs, whose rows are in OUTPUT.parts until the output is
    /// complete
    #[arg(long, requires = "output")]
    pub(crate) resume: bool,

    /// Exit with status 1 if this condition holds: damaged>0, or for any crawler disallowed>0, unknown>=5%, undecided>0
    /// or stale>50%; may be repeated
    #[arg(long, value_name = "CONDITION", value_delimiter = ',', value_parser = condition_of_rows)]
    pub(crate) fail_if: Vec<Condition>,

    #[command(flatten)]
    pub(crate) printed: PrintArgs,

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

/// Options that select how the result is printed.
#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct PrintArgs {
    /// Print the whole summary, with reasons, months, sites, rules and findings
    #[arg(long)]
    pub(crate) summary: bool,

    /// Print nothing but errors
    #[arg(long, short, conflicts_with_all = ["json", "format", "summary"])]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,
}

/// Find contradictions between robots.txt, sitemaps and pages of one live site
///
/// Requests robots.txt and tdmrep.json, reads the sitemaps that robots.txt names (or those at the usual URLs), and
/// fetches pages that they list. Requests carry Comity's own name and keep the pace of the site. Pages that robots.txt
/// disallows for Comity are not fetched. At most --limit pages are fetched, spread evenly over the listed pages.
///
/// The findings are: listed pages that robots.txt disallows, with the line and the crawlers; listed pages that have
/// noindex, redirect or cannot be fetched; pages with a noindex that crawlers cannot see, because robots.txt disallows
/// the page; sitemaps that are missing, disallowed or invalid; usage preferences that contradict each other, in
/// robots.txt, headers, pages and tdmrep.json. `comity lint --explain CODE` explains a finding.
///
/// Without --agent, --user-agent or --purpose, the audit is for crawlers that robots.txt does not name.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity audit site https://example.com
  comity audit site https://example.com --agent Googlebot --agent GPTBot --report site.html
  comity audit site https://example.com --purpose search --limit 1000 --output pages.csv
  comity audit site https://example.com --limit 0 --fail-if 'errors>0'",
    after_long_help = "\
The exit status is 1 if there is an error or a warning. With --fail-if, it is 1 only if a condition holds.

Every output has a manifest next to it, OUTPUT.manifest.json: arguments, sitemaps, counts, findings."
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

    /// Maximum number of pages to fetch; 0 fetches no page
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    pub(crate) limit: u32,

    /// Maximum number of sitemaps to request
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_sitemaps: u32,

    /// Maximum number of pages to read from sitemaps
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_urls: u32,

    /// Write a row for each listed page to this file: .parquet, .csv or .jsonl, the last two also with .gz or .zst
    #[arg(long, short, visible_alias = "out", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Write a report to this file: a self-contained HTML page
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,

    /// Exit with status 1 if this condition holds: warnings>0, disallowed>5%, …; may be repeated [default:
    /// errors>0,warnings>0]
    #[arg(long, value_name = "CONDITION", value_delimiter = ',', value_parser = |text: &str| text.parse::<Condition>())]
    pub(crate) fail_if: Vec<Condition>,

    #[command(flatten)]
    pub(crate) printed: PrintArgs,

    #[command(flatten)]
    pub(crate) asking: RobotsRequestArgs,
}

/// Write the report of an earlier audit
///
/// All numbers are in the manifest that `comity audit run` and `comity audit site` write next to every output. The report
/// is a self-contained HTML page.
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
    pub(crate) printed: PrintArgs,
}

/// Check a table of verdicts against its manifest
///
/// Compares the digest and the rows of the table with those in the manifest, and the counts of the manifest with each
/// other. The table is the file next to the manifest; the folder that the manifest names is ignored. With --inputs, the
/// files that the manifest names are compared, too. Use --inputs only for manifests that you trust, because it reads
/// these files.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity audit verify verdicts.parquet.manifest.json
  comity audit verify verdicts.parquet.manifest.json --inputs --json
  comity audit verify archive/manifest.json --table archive/verdicts.parquet",
    after_long_help = "\
The exit status is 1 if a value differs or is missing."
)]
pub(crate) struct AuditVerifyArgs {
    /// The manifest
    #[arg(value_name = "MANIFEST", value_hint = ValueHint::FilePath)]
    pub(crate) manifest: PathBuf,

    /// The table, if it is not the file next to the manifest
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) table: Option<PathBuf>,

    /// Also compare the inputs and the sources of answers, at the paths in the manifest
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
        PossibleValue::new("seen").help("the robots.txt that applied when each page was seen"),
        PossibleValue::new("now").help("the latest answer"),
        PossibleValue::new("both").help("both, side by side, and the number of rows that differ"),
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
    match bytes >= least as f64 {
        true if bytes > usize::MAX as f64 => {
            Err("the size is larger than the memory of any machine".to_owned())
        }
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

/// Parses the name of an index. An ending of another table format is an error.
fn index_file(name: &str) -> Result<PathBuf, String> {
    match TableFormat::of_name(name) {
        Some(_) if !name.to_ascii_lowercase().ends_with(".parquet") => {
            Err("an index is a Parquet file; give it a name that ends in .parquet".to_owned())
        }
        _ => Ok(name.into()),
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
