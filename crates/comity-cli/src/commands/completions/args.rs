//! The arguments of `comity completions`.

use clap::Args;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity completions bash > /etc/bash_completion.d/comity
  comity completions zsh > ~/.zfunc/_comity
  comity completions fish > ~/.config/fish/completions/comity.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}
