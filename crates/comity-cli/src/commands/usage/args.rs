//! The arguments of `comity usage`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use comity::usage::Vocabulary;

use crate::args::values::not_empty;
use crate::args::{AgentArgs, FormatArgs, NetworkArgs, Plain, ReadingArgs, UrlArgs};

/// Show what content may be used for: training, search, AI input, text and data mining
///
/// Reads what a site says about use (Content-Usage and Content-Signal in robots.txt and header, RSL licenses, TDMRep) and
/// shows, signal by signal, what each allows and disallows, and the line that says so. Signals are never added up: no rule
/// says how. `unknown` means that a signal says nothing about a use, which does not permit it; `-` means that a signal has
/// no word for a use. None of this is about fetching: ask `comity check` for that.
///
/// With URLs alone, all of it is fetched: robots.txt, the page with its header, /.well-known/tdmrep.json and the RSL licenses
/// that these name. What is not there says nothing. With saved files, those are read and nothing is fetched.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity usage --agent GPTBot https://example.com/page
  comity usage --robots robots.txt --agent GPTBot https://example.com/page
  comity usage --robots robots.txt --agent Google-Extended /page      may Gemini be trained on it?
  comity usage --robots robots.txt --headers header.txt --body page.html --agent GPTBot /page
  comity usage --tdmrep tdmrep.json --agent ExampleBot --json /a /b
  comity usage --rsl license.xml --user education --place DE --agent ExampleBot /page
  comity usage --license https://example.com/license.xml --agent ExampleBot https://example.com/page")]
pub(crate) struct UsageArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,

    /// The robots.txt; `-` reads standard input
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) robots: Option<PathBuf>,

    /// The saved header of the page, as `curl -I` prints it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) headers: Option<PathBuf>,

    /// The saved page
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) body: Option<PathBuf>,

    /// The site's /.well-known/tdmrep.json
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) tdmrep: Option<PathBuf>,

    /// An RSL document that the site names as its license; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) rsl: Vec<PathBuf>,

    /// An RSL document to fetch and to read as the site's license; with it, nothing else is fetched; may be repeated
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, value_parser = not_empty)]
    pub(crate) license: Vec<String>,

    /// For RSL: what kind of user the crawler works for, such as commercial or education; may be repeated
    #[arg(long, value_name = "KIND", value_parser = not_empty)]
    pub(crate) user: Vec<String>,

    /// For RSL: where that user is, as a country code (member states are in EU) or EU; may be repeated
    #[arg(long, value_name = "CODE", value_parser = not_empty)]
    pub(crate) place: Vec<String>,

    /// For Content-Usage: the revision of the vocabulary by which statements are read: vocab_08 (the default) or vocab_07
    #[arg(long, value_name = "NAME")]
    pub(crate) vocabulary: Option<Vocabulary>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) urls: UrlArgs,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

impl UsageArgs {
    /// Returns whether the arguments name a document to read.
    pub(crate) fn names_files(&self) -> bool {
        let one = [&self.robots, &self.headers, &self.body, &self.tdmrep];
        one.into_iter().any(Option::is_some) || !self.rsl.is_empty() || !self.license.is_empty()
    }
}
