//! The arguments of `comity llms`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use comity::llms::Strategy;
use url::Url;

use crate::args::DocumentArgs;
use crate::args::values::{charset, strategy, web_url};

/// Show what an llms.txt holds, how good it is, and what it suggests for a URL
///
/// An llms.txt lists what a site suggests that language models read. It is a hint: it gives no orders and permits no
/// fetch. Reads anything, names what is not an llms.txt (HTML, JSON, robots.txt), grades the rest from 0 to 4: 0 not
/// Markdown, 1 no H1, 2 an H1, 3 an H1 and a summary, 4 an H1, a summary and sections with links.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity llms llms.txt
  comity llms https://example.com                the site's /llms.txt
  comity llms https://example.com/docs/llms.txt
  comity llms https://example.com --resolve https://example.com/docs
  comity llms --check public/llms.txt            fails below grade 4
  comity llms --strict llms.txt                  fails at the first line that breaks the grammar
  comity llms --json llms.txt | jq -r '.sections[].links[].target'
  comity llms llms.txt --url https://example.com/llms.txt --resolve https://example.com/docs")]
pub(crate) struct LlmsArgs {
    /// The llms.txt, `-` for standard input, or a URL: of the file, or of anything on its site
    #[arg(value_name = "FILE|URL", default_value = "llms.txt", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// Where the file is from: what relative links are relative to
    #[arg(long, value_name = "URL", value_parser = web_url, value_hint = ValueHint::Url)]
    pub(crate) url: Option<Url>,

    /// List what could be fetched for this page instead, best first; may be repeated
    #[arg(long, value_name = "URL", value_parser = web_url, value_hint = ValueHint::Url)]
    pub(crate) resolve: Vec<Url>,

    /// With --resolve: prefer better forms of a page, force them, or use none (disabled)
    #[arg(long, value_name = "HOW", default_value = "prefer", requires = "resolve")]
    #[arg(value_parser = strategy, hide_possible_values = true)]
    pub(crate) strategy: Strategy,

    /// Fail below grade 4 and on findings that are errors
    #[arg(long)]
    pub(crate) check: bool,

    /// Fail unless every line follows the grammar of the proposal
    #[arg(long)]
    pub(crate) strict: bool,

    /// The charset of the HTTP Content-Type, for lines that are not UTF-8
    #[arg(long, value_name = "LABEL", value_parser = charset)]
    pub(crate) charset: Option<String>,

    /// Show every link and finding, however many there are
    #[arg(long, conflicts_with = "json")]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) document: DocumentArgs,
}
