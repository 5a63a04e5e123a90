//! The arguments of `comity new`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use comity::agents::Purpose;

use crate::args::values::{purpose_parser, token_parser};

/// Write a robots.txt from wishes: whom to let in, whom to keep out
///
/// Names come from the catalogue of known crawlers, each with the reason why it is there and the day on which its entry was
/// checked; retired names are left out. A crawler that a group names no longer follows the rules for everyone, so these are
/// repeated where it is let in.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity new --block-purpose training,control_only
  comity new --block-purpose training --allow-purpose ai_search
  comity new --sitemap https://example.com/sitemap.xml
  comity new --disallow /search --disallow /cart --block GPTBot -o robots.txt
  comity new --block-everyone --allow-purpose search --allow Googlebot
  comity new --content-signal 'search=yes, ai-train=no'",
    after_long_help = "\
Purposes are search, ai_search, user_triggered, training, control_only, seo, archive, social, monitoring and other; \
docs/reference/agents.md lists the crawlers of each. control_only are tokens such as Google-Extended, which say what may be \
done with what another crawler fetched."
)]
pub(crate) struct NewArgs {
    /// Keep out every known crawler of this purpose; may be repeated
    #[arg(long, value_name = "PURPOSE", value_delimiter = ',', value_parser = purpose_parser(), hide_possible_values = true)]
    pub(crate) block_purpose: Vec<Purpose>,

    /// Let in every known crawler of this purpose, by a group of its own; may be repeated
    #[arg(long, value_name = "PURPOSE", value_delimiter = ',', value_parser = purpose_parser(), hide_possible_values = true)]
    pub(crate) allow_purpose: Vec<Purpose>,

    /// Keep this crawler out; may be repeated
    #[arg(long, value_name = "TOKEN", value_delimiter = ',', value_parser = token_parser(), hide_possible_values = true)]
    pub(crate) block: Vec<String>,

    /// Let this crawler in, by a group of its own; may be repeated
    #[arg(long, value_name = "TOKEN", value_delimiter = ',', value_parser = token_parser(), hide_possible_values = true)]
    pub(crate) allow: Vec<String>,

    /// Keep everyone out who is not let in by name
    #[arg(long)]
    pub(crate) block_everyone: bool,

    /// Keep everyone from these paths; may be repeated
    #[arg(long, value_name = "PATH")]
    pub(crate) disallow: Vec<String>,

    /// The URL of a sitemap; may be repeated
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) sitemap: Vec<String>,

    /// What the content may be used for, as a Content-Signal: 'search=yes, ai-train=no'
    #[arg(long, value_name = "TERMS")]
    pub(crate) content_signal: Option<String>,

    /// What the content may be used for, as a Content-Usage (AIPREF): 'train-ai=n'
    #[arg(long, value_name = "TERMS")]
    pub(crate) content_usage: Option<String>,

    /// Write to this file, which must not exist [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}
