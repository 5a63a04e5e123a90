//! The arguments of `comity new`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use comity::agents::Purpose;

use crate::args::values::{purpose_parser, token_parser};

/// Generate a robots.txt from the crawlers to allow and to block
///
/// Purposes select known crawlers from the catalogue, without retired ones. A comment for each name has its operator,
/// its purpose and the date of the last check. Allowed crawlers share one group, so they do not follow the rules for
/// `*`: their group repeats the rules of --disallow.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity new --block-ai
  comity new --block-purpose training,control_only
  comity new --block-purpose training --allow-purpose ai_search
  comity new --sitemap https://example.com/sitemap.xml
  comity new --disallow /search --disallow /cart --block GPTBot -o robots.txt
  comity new --block-everyone --allow-purpose search --allow Googlebot
  comity new --content-signal 'search=yes, ai-train=no'",
    after_long_help = "\
Purposes are search, ai_search, user_triggered, training, control_only, seo, archive, social, monitoring and other; \
docs/reference/agents.md lists the crawlers of each. control_only are tokens such as Google-Extended, which regulate the use \
of content that another crawler fetched."
)]
pub(crate) struct NewArgs {
    /// Block the known crawlers of AI: --block-purpose training,ai_search,user_triggered,control_only, without the purposes in
    /// --allow-purpose
    #[arg(long)]
    pub(crate) block_ai: bool,

    /// Block every active known crawler of this purpose; may be repeated
    #[arg(long, value_name = "PURPOSE", value_delimiter = ',', value_parser = purpose_parser(), hide_possible_values = true)]
    pub(crate) block_purpose: Vec<Purpose>,

    /// Allow every active known crawler of this purpose; may be repeated
    #[arg(long, value_name = "PURPOSE", value_delimiter = ',', value_parser = purpose_parser(), hide_possible_values = true)]
    pub(crate) allow_purpose: Vec<Purpose>,

    /// Block this crawler; may be repeated
    #[arg(long, value_name = "TOKEN", value_delimiter = ',', value_parser = token_parser(), hide_possible_values = true)]
    pub(crate) block: Vec<String>,

    /// Allow this crawler; may be repeated
    #[arg(long, value_name = "TOKEN", value_delimiter = ',', value_parser = token_parser(), hide_possible_values = true)]
    pub(crate) allow: Vec<String>,

    /// Block all crawlers, except the allowed ones
    #[arg(long)]
    pub(crate) block_everyone: bool,

    /// Disallow these paths for all crawlers; may be repeated
    #[arg(long, value_name = "PATH")]
    pub(crate) disallow: Vec<String>,

    /// The URL of a sitemap; may be repeated
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) sitemap: Vec<String>,

    /// Permitted uses of the content, as a Content-Signal: 'search=yes, ai-train=no'
    #[arg(long, value_name = "TERMS")]
    pub(crate) content_signal: Option<String>,

    /// Permitted uses of the content, as a Content-Usage (AIPREF): 'train-ai=n'
    #[arg(long, value_name = "TERMS")]
    pub(crate) content_usage: Option<String>,

    /// Write to this new file [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}
