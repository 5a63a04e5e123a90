//! The arguments of `comity usage`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use comity::usage::Vocabulary;

use crate::args::values::not_empty;
use crate::args::{AgentArgs, FormatArgs, NetworkArgs, Plain, ReadingArgs, UrlArgs};

/// Show the permitted uses of content: training, search, AI input, text and data mining
///
/// Reads the statements of a site about use (Content-Usage and Content-Signal in robots.txt and header, RSL licenses,
/// TDMRep, `noai`). For each signal, shows the allowed and disallowed uses, with the line that states each. Signals are
/// not combined, because no standard defines how. `unknown`: the signal has no statement about the use. A missing
/// statement does not permit a use. `-`: the signal has no term for the use. For fetching, use `comity check`.
///
/// With URLs alone, all documents are fetched: robots.txt, the page with its header, /.well-known/tdmrep.json, and the
/// RSL licenses that these name. A missing document has no statement. With saved files, nothing is fetched except
/// --license.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity usage --agent GPTBot https://example.com/page
  comity usage --robots robots.txt --agent GPTBot https://example.com/page
  comity usage --robots robots.txt --agent Google-Extended /page      training of Gemini
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

    /// An RSL document to fetch and to use as the site's license; no other document is fetched; may be repeated
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, value_parser = not_empty)]
    pub(crate) license: Vec<String>,

    /// For RSL: kind of user that the crawler works for, such as commercial or education; may be repeated
    #[arg(long, value_name = "KIND", value_parser = not_empty)]
    pub(crate) user: Vec<String>,

    /// For RSL: country code of the user, or EU; the code of a member state implies EU; may be repeated
    #[arg(long, value_name = "CODE", value_parser = not_empty)]
    pub(crate) place: Vec<String>,

    /// For Content-Usage: revision of the vocabulary for statements: vocab_08 (the default) or vocab_07
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
