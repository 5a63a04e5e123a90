//! One folder per command, with its arguments.

pub(crate) mod agents;
#[cfg(feature = "jobs")]
pub(crate) mod audit;
#[cfg(feature = "live")]
pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod completions;
#[cfg(feature = "live")]
pub(crate) mod config;
pub(crate) mod dialects;
pub(crate) mod diff;
pub(crate) mod explain;
#[cfg(feature = "live")]
pub(crate) mod fetch;
pub(crate) mod help;
pub(crate) mod identity;
pub(crate) mod inspect;
pub(crate) mod lint;
pub(crate) mod llms;
#[cfg(feature = "jobs")]
pub(crate) mod logs;
pub(crate) mod man;
pub(crate) mod matrix;
#[cfg(feature = "live")]
pub(crate) mod mcp;
pub(crate) mod new;
pub(crate) mod page;
pub(crate) mod presets;
#[cfg(feature = "live")]
pub(crate) mod serve;
pub(crate) mod sitemap;
pub(crate) mod status;
pub(crate) mod test;
pub(crate) mod usage;
#[cfg(feature = "live")]
pub(crate) mod watch;

use clap::Subcommand;

use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Declares the commands in the order of the help: a name, its folder, and its arguments. Commands after the semicolon
/// are about the command line itself.
macro_rules! commands {
    (
        $($(#[$when:meta])? $name:ident: $folder:ident::$args:ident,)+;
        $($about_name:ident: $about_folder:ident::$about_args:ident,)+
    ) => {
        /// A command with its arguments.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $($(#[$when])? $name(Box<$folder::$args>),)+
            $($about_name(Box<$about_folder::$about_args>),)+
        }

        impl Command {
            /// Runs the command. `whole` is the definition of the command line.
            pub(crate) fn run(&self, whole: &clap::Command, output: &mut Output) -> Result<Exit, Failure> {
                match self {
                    $($(#[$when])? Command::$name(args) => $folder::run(args, output),)+
                    $(Command::$about_name(args) => $about_folder::run(args, whole, output),)+
                }
            }
        }
    };
}

commands! {
    Check: check::CheckArgs,
    Explain: explain::ExplainArgs,
    Lint: lint::LintArgs,
    Inspect: inspect::InspectArgs,
    Diff: diff::DiffArgs,
    Matrix: matrix::MatrixArgs,
    Test: test::TestArgs,
    New: new::NewArgs,
    Status: status::StatusArgs,
    Page: page::PageArgs,
    Usage: usage::UsageArgs,
    Sitemap: sitemap::SitemapArgs,
    Llms: llms::LlmsArgs,
    #[cfg(feature = "live")]
    Fetch: fetch::FetchArgs,
    #[cfg(feature = "live")]
    Watch: watch::WatchArgs,
    #[cfg(feature = "live")]
    Serve: serve::ServeArgs,
    #[cfg(feature = "live")]
    Mcp: mcp::McpArgs,
    #[cfg(feature = "live")]
    Cache: cache::CacheArgs,
    #[cfg(feature = "jobs")]
    Audit: audit::AuditArgs,
    #[cfg(feature = "jobs")]
    Logs: logs::LogsArgs,
    Agents: agents::AgentsArgs,
    Identity: identity::IdentityArgs,
    Dialects: dialects::DialectsArgs,
    Presets: presets::PresetsArgs,
    #[cfg(feature = "live")]
    Config: config::ConfigArgs,
    ;
    Help: help::HelpArgs,
    Completions: completions::CompletionsArgs,
    Man: man::ManArgs,
}
