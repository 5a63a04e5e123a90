//! The arguments of `comity sitemap`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use comity::sitemap::ReaderOptions;

use crate::args::{FormatArgs, NetworkArgs, Tabular};

/// Read and check sitemaps
///
/// Reads urlsets, indexes, text, RSS and Atom, compressed with gzip or not, whatever the file is called; prints what they
/// list. Streams: a sitemap of any size takes no more memory than a small one.
///
/// A URL of a sitemap is fetched and read like a file. A URL of a site, without a path, walks its sitemaps, those that
/// robots.txt names or else the usual ones, indexes included, one after the other, and only as far as --limit asks.
///
/// What is broken is left out or mended, and said on standard error in one line; `--check` shows each place.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity sitemap sitemap.xml                                     the URLs, one per line
  comity sitemap sitemap.xml | comity check --agent GPTBot -     may GPTBot fetch them?
  comity sitemap --format json sitemap.xml.gz | jq .lastmod
  comity sitemap https://example.com/news.xml                    one sitemap, as the site serves it
  comity sitemap https://example.com --limit 100                 what all its sitemaps list, until 100
  comity sitemap --discover --check https://example.com          what is wrong with them
  comity sitemap --check --base https://example.com/sitemap.xml sitemap.xml")]
pub(crate) struct SitemapArgs {
    /// The sitemap, `-` for standard input, the URL of a sitemap, or that of a site without a path
    #[arg(value_name = "FILE|URL", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// Walk all sitemaps of the URL's site, wherever it leads: those that robots.txt names, or else the usual ones
    #[arg(long)]
    pub(crate) discover: bool,

    /// Stop after this many entries
    #[arg(long, value_name = "NUMBER")]
    pub(crate) limit: Option<u64>,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Tabular>,

    /// Print what is wrong with the sitemap instead of what it lists
    #[arg(long)]
    pub(crate) check: bool,

    /// Where the sitemap is: relative URLs are resolved, and URLs outside its host and folder are found
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, value_parser = base)]
    pub(crate) base: Option<String>,

    /// What happens to URLs outside the sitemap's host and folder
    #[arg(long, value_enum, value_name = "WHAT", default_value_t, requires = "base")]
    pub(crate) scope: SitemapScope,

    /// A host whose robots.txt names this sitemap, which may therefore list its URLs; may be repeated
    #[arg(long, value_name = "HOST", requires = "base")]
    pub(crate) proven_host: Vec<String>,

    /// Entries that are allowed
    #[arg(long, value_name = "NUMBER", default_value_t = comity::sitemap::MAX_ENTRIES)]
    pub(crate) max_entries: u64,

    /// Bytes that are allowed, uncompressed
    #[arg(long, value_name = "NUMBER", default_value_t = comity::sitemap::MAX_BYTES)]
    pub(crate) max_bytes: u64,

    /// Stop at these limits instead of going on to ten times as much
    #[arg(long)]
    pub(crate) stop: bool,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// What happens to URLs that the sitemap may not list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SitemapScope {
    /// Nothing
    Any,
    /// They are found, and printed
    #[default]
    Report,
    /// They are found, and left out
    Drop,
}

/// An absolute URL.
fn base(text: &str) -> Result<String, String> {
    ReaderOptions::new().at(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}
