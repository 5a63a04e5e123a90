//! The arguments of `comity mcp`.

use clap::Args;
use comity::policy::Mode;

use crate::args::values::mode_parser;
use crate::args::{IdentityFlags, NetworkArgs, SettingArgs};

/// Serve tools to an assistant: polite fetches, and reports on the rules of sites (MCP)
///
/// Uses the Model Context Protocol over standard input and output, for the assistant that starts the command. The tools
/// are fetch, check_url, explain, site_policy, lint_robots and find_markdown. The model cannot change the settings: no
/// argument of a tool sets the mode, the name or the pace. All programs with the same store share robots.txt answers
/// and the pace.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity mcp --agent ExampleBot --contact https://example.com/bot
  comity mcp --user-mode report_only       only warns if a person requests a disallowed page
  uvx --from \"comity[command]\" comity mcp  from the Python package
  comity serve --mcp                       for several assistants, over HTTP at /mcp",
    after_long_help = "docs/guide/mcp.md has configurations for assistants."
)]
pub(crate) struct McpArgs {
    /// Mode for pages that a person requests by the prompt `fetch` [default: the mode of the settings]
    #[arg(long, value_name = "MODE", value_parser = mode_parser(), hide_possible_values = true)]
    pub(crate) user_mode: Option<Mode>,

    #[command(flatten)]
    pub(crate) identity: SettingArgs<IdentityFlags>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
