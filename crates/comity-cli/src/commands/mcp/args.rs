//! `comity mcp`.

use clap::Args;
use comity::policy::Mode;

use crate::args::values::mode_parser;
use crate::args::{IdentityFlags, NetworkArgs, SettingArgs};

/// Give an assistant tools that fetch politely and say what sites allow (MCP)
///
/// Speaks the Model Context Protocol over standard input and output, for one assistant, which starts it. The tools: fetch,
/// check_url, explain, site_policy, lint_robots, find_markdown. A model goes by the settings that you start it with: no argument
/// changes the mode, the name or the pace, and pace and robots.txt are shared with everything that uses the same store.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity mcp --agent ExampleBot --contact https://example.com/bot
  comity mcp --user-mode report_only     a page that a person asks for is fetched whatever robots.txt says, which is told
  uvx --from comity comity mcp           out of the Python package
  comity serve --mcp                     for several assistants, over HTTP at /mcp",
    after_long_help = "docs/guide/mcp.md has the configurations of assistants."
)]
pub(crate) struct McpArgs {
    /// What robots.txt does about a page that a person asks for, by the prompt `fetch` [default: the mode]
    #[arg(long, value_name = "MODE", value_parser = mode_parser(), hide_possible_values = true)]
    pub(crate) user_mode: Option<Mode>,

    #[command(flatten)]
    pub(crate) identity: SettingArgs<IdentityFlags>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
