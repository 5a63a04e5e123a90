//! The arguments of `comity page`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, ValueHint};
use comity::page::Profile;
use jiff::Timestamp;
use url::Url;

use crate::args::DocumentArgs;
use crate::args::values::{charset, time, token_parser, web_url};

/// Show the directives of a page: X-Robots-Tag, Robots-Tag, meta robots
///
/// Reads a page from its site, or a saved header, a saved page, or both, and combines their directives for one crawler:
/// the restrictions on listing, following, quoting, copying and training, with the header or tag that states each.
/// Operators combine directives in different ways; a profile selects the rules of one operator. Directives do not
/// forbid fetching the page: only robots.txt can.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("what").required(true).multiple(true).args(["url", "headers", "body"])))]
#[command(group(ArgGroup::new("rules").required(true).args(["profile", "all_profiles"])))]
#[command(before_help = "\
Examples:
  comity page https://example.com/ --agent Googlebot --profile google
  comity page https://example.com/ --agent ExampleBot --all-profiles --json
  comity page --headers header.txt --body page.html --agent Googlebot --profile google
  comity page --body page.html --agent ExampleBot --all-profiles
  comity page --headers header.txt --agent Googlebot --profile google --now 2030-01-01
  curl -sI https://example.com/ | comity page --headers - --agent Bingbot --profile bing")]
pub(crate) struct PageArgs {
    /// A saved header, as `curl -I` prints it; `-` reads standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) headers: Option<PathBuf>,

    /// A saved page; `-` reads standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) body: Option<PathBuf>,

    /// The crawler's product token, such as Googlebot
    #[arg(long, short, value_name = "TOKEN", value_parser = token_parser(), hide_possible_values = true)]
    pub(crate) agent: String,

    /// Rules for combining directives: google, bing, yandex, or the draft standard
    #[arg(long, value_name = "PROFILE", ignore_case = true, value_parser = profile_parser())]
    #[arg(hide_possible_values = true)]
    pub(crate) profile: Option<Profile>,

    /// Show the results of all profiles
    #[arg(long)]
    pub(crate) all_profiles: bool,

    /// Time at which `unavailable_after` is evaluated, such as 2026-11-21 or 2026-11-21T06:20:00Z [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) now: Option<Timestamp>,

    /// The charset of the page [default: that of Content-Type or of the page, or else UTF-8]
    #[arg(long, value_name = "LABEL", value_parser = charset)]
    pub(crate) charset: Option<String>,

    /// A page to fetch with its header
    #[arg(value_name = "URL", value_hint = ValueHint::Url, value_parser = web_url)]
    #[arg(conflicts_with_all = ["headers", "body"])]
    pub(crate) url: Option<Url>,

    #[command(flatten)]
    pub(crate) document: DocumentArgs,
}

/// Returns the parser of profiles by name; clap lists and suggests them.
fn profile_parser() -> impl TypedValueParser<Value = Profile> {
    let values = Profile::ALL.map(|profile| PossibleValue::new(profile.as_str()).help(profile.title()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Profile>())
}
