//! `comity mcp`.

use clap::Args;
use comity::policy::Mode;

use crate::args::values::mode_parser;
use crate::args::{IdentityFlags, NetworkArgs, SettingArgs};

/// Serve tools for an assistant that fetch politely and report what sites allow (MCP)
///
/// Uses the Model Context Protocol over standard input and output, for the assistant that starts it. The tools: fetch,
/// check_url, explain, site_policy, lint_robots, find_markdown. The model cannot change the settings: no argument of a
/// tool sets the mode, the name or the pace. Everything that uses the same store shares robots.txt answers and the
/// pace.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity mcp --agent ExampleBot --contact https://example.com/bot
  comity mcp --user-mode report_only     robots.txt warns about pages that a person requests
  uvx --from comity comity mcp           from the Python package
  comity serve --mcp                     for several assistants, over HTTP at /mcp",
    after_long_help = "docs/guide/mcp.md has configurations for assistants."
)]
pub(crate) struct McpArgs {
    /// Mode for pages that a person requests by the prompt `fetch` [default: the mode]
    #[arg(long, value_name = "MODE", value_parser = mode_parser(), hide_possible_values = true)]
    pub(crate) user_mode: Option<Mode>,

    #[command(flatten)]
    pub(crate) identity: SettingArgs<IdentityFlags>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
