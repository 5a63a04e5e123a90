//! The arguments of `comity sitemap`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use comity::sitemap::ReaderOptions;

use crate::args::{FormatArgs, NetworkArgs, Tabular};

/// Read and check sitemaps
///
/// Reads urlsets, indexes, text, RSS and Atom, with or without gzip, regardless of the file name, and prints their
/// entries. Files are streamed, so memory does not grow with their size.
///
/// The URL of a sitemap is fetched and read like a file. For the URL of a site, without a path, all its sitemaps are
/// read in sequence: those in robots.txt, or else those at the usual places, including the sitemaps of indexes. Reading
/// stops at --limit.
///
/// Invalid parts are skipped or repaired, and counted in one line on standard error. `--check` shows each place.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity sitemap sitemap.xml                                     the URLs, one per line
  comity sitemap sitemap.xml | comity check --agent GPTBot -     whether GPTBot may fetch them
  comity sitemap --format json sitemap.xml.gz | jq .lastmod
  comity sitemap https://example.com/news.xml                    one sitemap of a site
  comity sitemap https://example.com --limit 100                 the first 100 entries of a site
  comity sitemap --discover --check https://example.com          the findings of all sitemaps
  comity sitemap --check --base https://example.com/sitemap.xml sitemap.xml")]
pub(crate) struct SitemapArgs {
    /// The sitemap, `-` for standard input, the URL of a sitemap, or the URL of a site without a path
    #[arg(value_name = "FILE|URL", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// Read all sitemaps of the site, for a URL with any path: those in robots.txt, or else those at the usual places
    #[arg(long)]
    pub(crate) discover: bool,

    /// Stop after this many entries
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Tabular>,

    /// Print the findings about the sitemap instead of its entries
    #[arg(long)]
    pub(crate) check: bool,

    /// The URL of the sitemap: base of relative URLs; URLs outside its host and folder are findings
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, value_parser = base)]
    pub(crate) base: Option<String>,

    /// Treatment of URLs outside the sitemap's host and folder
    #[arg(long, value_enum, value_name = "WHAT", default_value_t, requires = "base")]
    pub(crate) scope: SitemapScope,

    /// A host whose robots.txt names this sitemap, so that it may list URLs of that host; may be repeated
    #[arg(long, value_name = "HOST", requires = "base")]
    pub(crate) proven_host: Vec<String>,

    /// Maximum number of entries of a valid sitemap
    #[arg(long, value_name = "NUMBER", default_value_t = comity::sitemap::MAX_ENTRIES)]
    pub(crate) max_entries: u64,

    /// Maximum number of bytes of a valid sitemap, uncompressed
    #[arg(long, value_name = "NUMBER", default_value_t = comity::sitemap::MAX_BYTES)]
    pub(crate) max_bytes: u64,

    /// Stop at --max-entries and --max-bytes; by default, reading continues up to ten times these limits
    #[arg(long)]
    pub(crate) stop: bool,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// Treatment of URLs that the sitemap may not list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SitemapScope {
    /// They are listed
    Any,
    /// They are listed, and are findings
    #[default]
    Report,
    /// They are skipped, and are findings
    Drop,
}

/// Parses an absolute URL.
fn base(text: &str) -> Result<String, String> {
    ReaderOptions::new().at(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}
