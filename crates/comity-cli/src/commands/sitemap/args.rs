//! The arguments of `comity sitemap` and `comity sitemap write`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use comity::sitemap::ReaderOptions;

use crate::args::{FormatArgs, NetworkArgs, Tabular};

/// Read, check and write sitemaps
///
/// Reads urlsets, indexes, text, RSS and Atom, compressed with gzip or not, whatever the file is called; prints what they
/// list. Streams: a sitemap of any size takes no more memory than a small one. `comity sitemap write` makes sitemaps from
/// a list of URLs.
///
/// A URL of a sitemap is fetched and read like a file. A URL of a site, without a path, walks its sitemaps, those that
/// robots.txt names or else the usual ones, indexes included, one after the other, and only as far as --limit asks.
///
/// What is broken is left out or mended, and said on standard error in one line; `--check` shows each place.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(before_help = "\
Examples:
  comity sitemap sitemap.xml                                     the URLs, one per line
  comity sitemap sitemap.xml | comity check --agent GPTBot -     may GPTBot fetch them?
  comity sitemap --format json sitemap.xml.gz | jq .lastmod
  comity sitemap https://example.com/news.xml                    one sitemap, as the site serves it
  comity sitemap https://example.com --limit 100                 what all its sitemaps list, until 100
  comity sitemap --discover --check https://example.com          what is wrong with them
  comity sitemap --check --base https://example.com/sitemap.xml sitemap.xml
  comity sitemap write --output public --base https://example.com/ < urls.txt")]
pub(crate) struct SitemapArgs {
    #[command(subcommand)]
    pub(crate) command: Option<SitemapCommand>,

    /// The sitemap, `-` for standard input, the URL of a sitemap, or that of a site without a path
    #[arg(value_name = "FILE|URL", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,

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

/// What else there is to do with sitemaps.
#[derive(Debug, Subcommand)]
pub(crate) enum SitemapCommand {
    Write(SitemapWriteArgs),
}

/// Write sitemaps from a list of URLs
///
/// Each line is a URL, if need be followed by a tab and the date of its last change; or a JSON object as
/// `comity sitemap --format json` prints it, with images, videos, news and languages. More than 50,000 URLs or 50 MB
/// become several numbered sitemaps and an index. What is not valid is refused by name, and the rest written.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity sitemap write < urls.txt > sitemap.xml
  comity sitemap write --output public --base https://example.com/ urls.txt
  comity sitemap --json old.xml | comity sitemap write > new.xml")]
pub(crate) struct SitemapWriteArgs {
    /// The list; `-` reads standard input
    #[arg(value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// Write to this folder, which is made if need be [default: one sitemap, to standard output]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "base")]
    pub(crate) output: Option<PathBuf>,

    /// The URL under which the folder will be found, for the index
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, value_parser = base, requires = "output")]
    pub(crate) base: Option<String>,

    /// What the sitemap, or the index, is called
    #[arg(long, value_name = "NAME", default_value = "sitemap.xml", value_parser = file_name)]
    pub(crate) name: String,
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

/// The name of a file, not a path.
fn file_name(text: &str) -> Result<String, String> {
    let is_name = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    if !text.is_empty() && is_name && !text.starts_with('.') {
        Ok(text.to_owned())
    } else {
        Err("a name of letters, digits, `-`, `_` and `.` is needed".to_owned())
    }
}
