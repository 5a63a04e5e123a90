//! The arguments of `comity test`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::args::{FormatArgs, NetworkArgs, ReadingArgs, Reports};

/// Test the verdicts of a robots.txt, for CI
#[derive(Debug, Args)]
#[command(long_about = "\
Test the verdicts of a robots.txt, for CI

A test file is TOML. It names robots.txt files, and has a table for each test with crawlers, URLs
and the expected answer: `allowed`, `disallowed` or a verdict, optionally with the line that has
to decide. Without a URL, the whole site is expected to be `allowed`, `partly` or `disallowed`, or
one of several, such as `allowed-or-partly`.

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

    [[test]]
    agent = \"Bingbot\"
    expect = \"allowed-or-partly\"

A test file can also be JSON Lines, the format of parsers' test suites. Each row has `robots_txt` (or
`robots_b64`), `user_agent`, `url`, `expected_allowed`, and optionally `expected_line`. Rows that
do not test a verdict are skipped and counted.")]
#[command(
    before_help = "\
Examples:
  comity test                                        the tests in ./robots.test.toml
  comity test --robots https://example.com           the deployed robots.txt
  comity test --format junit tests/*.toml > report.xml
  comity test --format github
  comity test --dialect google suite.jsonl            each row has its own robots.txt",
    after_long_help = "\
In a test file, paths of robots.txt files are relative to its folder. --robots replaces these files."
)]
pub(crate) struct TestArgs {
    /// Test files [default: robots.test.toml]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// The robots.txt to test: a file, `-` for standard input, or a site's URL or host; may be repeated
    #[arg(long, short, value_name = "FILE|URL", value_hint = ValueHint::FilePath)]
    pub(crate) robots: Vec<OsString>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Reports>,

    /// Print nothing; the exit status is the result
    #[arg(long, short, conflicts_with_all = ["format", "json"])]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
