//! The arguments of `comity test`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::args::{FormatArgs, NetworkArgs, ReadingArgs, Reports};

/// Test the answers that a robots.txt has to give, for CI
#[derive(Debug, Args)]
#[command(long_about = "\
Test the answers that a robots.txt has to give, for CI

A file of tests is TOML: which robots.txt it is about, and a table per test with crawlers, URLs
and the expected answer: `allowed`, `disallowed` or a verdict, and if need be the line that has
to decide.

    robots = [\"robots.txt\", \"https://example.com\"]

    [[test]]
    agents = [\"GPTBot\", \"CCBot\"]
    allowed = [\"/blog/\"]
    disallowed = [\"/\", \"/private\"]

    [[test]]
    agent = \"Googlebot\"
    url = \"/search\"
    expect = \"disallowed_explicit 4\"
    why = \"results of searches are not pages\"

A file of tests may also be JSON Lines, as suites of parsers are: in each row `robots_txt` (or
`robots_b64`), `user_agent`, `url`, `expected_allowed`, and if need be `expected_line`. Rows that
ask for something else than a verdict are left out, and how many is said.")]
#[command(
    before_help = "\
Examples:
  comity test                                        by ./robots.test.toml
  comity test --robots https://example.com           what is served has to answer so, too
  comity test --format junit tests/*.toml > report.xml
  comity test --format github
  comity test --dialect google suite.jsonl            each row brings its own robots.txt",
    after_long_help = "\
A robots.txt that a file of tests names lies beside that file. --robots takes the place of what it names."
)]
pub(crate) struct TestArgs {
    /// Files of tests [default: robots.test.toml]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// The robots.txt to test: a file, `-` for standard input, or a site's URL or host; may be repeated
    #[arg(long, short, value_name = "FILE|URL", value_hint = ValueHint::FilePath)]
    pub(crate) robots: Vec<OsString>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Reports>,

    /// Print nothing: the exit status says it all
    #[arg(long, short, conflicts_with_all = ["format", "json"])]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
