//! The arguments of `comity llms`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use comity::llms::Strategy;
use url::Url;

use crate::args::DocumentArgs;
use crate::args::values::{charset, strategy, web_url};

/// Show the content of an llms.txt, its quality, and its suggestions for a URL
///
/// An llms.txt lists documents that a site suggests to language models. It is a hint: it neither forbids nor permits a
/// fetch. Any input is accepted. Input that is not an llms.txt (HTML, JSON, robots.txt) is reported as such. All other
/// input is graded from 0 to 4: 0 not Markdown, 1 no H1, 2 an H1, 3 an H1 and a summary, 4 an H1, a summary and
/// sections with links.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity llms llms.txt
  comity llms https://example.com                the site's /llms.txt
  comity llms https://example.com/docs/llms.txt
  comity llms https://example.com --resolve https://example.com/docs
  comity llms --check public/llms.txt            fails below grade 4
  comity llms --check-links https://example.com  requests every link, and fails if one is missing
  comity llms --strict llms.txt                  fails at the first line that violates the grammar
  comity llms --json llms.txt | jq -r '.sections[].links[].target'
  comity llms llms.txt --url https://example.com/llms.txt --resolve https://example.com/docs")]
pub(crate) struct LlmsArgs {
    /// The llms.txt, `-` for standard input, or a URL: of the file, or of any page of its site
    #[arg(value_name = "FILE|URL", default_value = "llms.txt", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// The URL of the file, which is the base of relative links
    #[arg(long, value_name = "URL", value_parser = web_url, value_hint = ValueHint::Url)]
    pub(crate) url: Option<Url>,

    /// List documents that can be fetched in place of this page, best first; may be repeated
    #[arg(long, value_name = "URL", value_parser = web_url, value_hint = ValueHint::Url)]
    pub(crate) resolve: Vec<Url>,

    /// With --resolve: list better forms of a page before the page (prefer), only better forms (force), or only the
    /// page (disabled)
    #[arg(long, value_name = "HOW", default_value = "prefer", requires = "resolve")]
    #[arg(value_parser = strategy, hide_possible_values = true)]
    pub(crate) strategy: Strategy,

    /// Fail below grade 4 and on errors
    #[arg(long)]
    pub(crate) check: bool,

    /// Request the documents of all links, and fail if one does not exist
    #[arg(long)]
    pub(crate) check_links: bool,

    /// Fail unless every line conforms to the grammar of the proposal
    #[arg(long)]
    pub(crate) strict: bool,

    /// The charset of the HTTP Content-Type, for lines that are not UTF-8
    #[arg(long, value_name = "LABEL", value_parser = charset)]
    pub(crate) charset: Option<String>,

    /// Show all links and findings
    #[arg(long, conflicts_with = "json")]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) document: DocumentArgs,
}
