//! Arguments that several commands share. Arguments of a single command are in its folder
//! (`commands/*/args.rs`).

mod format;
#[cfg(not(feature = "live"))]
mod offline;
mod question;
#[cfg(feature = "live")]
mod settings;
mod urls;
pub(crate) mod values;

use clap::{Arg, Args};

#[cfg(feature = "jobs")]
pub(crate) use self::format::Metrics;
pub(crate) use self::format::{Format, FormatArgs, Page, Plain, Reports, Tabular};
#[cfg(not(feature = "live"))]
pub(crate) use self::offline::{FilesArgs, NetworkArgs};
pub(crate) use self::question::{AgentArgs, QuestionArgs, ReadingArgs};
#[cfg(feature = "jobs")]
pub(crate) use self::settings::RobotsRequestArgs;
#[cfg(feature = "live")]
pub(crate) use self::settings::{IdentityFlags, NetworkArgs, PageFlags, SettingArgs, StoreFlags};
pub(crate) use self::urls::UrlArgs;
#[cfg(feature = "live")]
pub(crate) use crate::settings::FilesArgs;

/// The heading of the options about the network.
pub(crate) const NETWORK: &str = "Network and politeness";

/// Returns true for an option that `comity help network` lists.
pub(crate) fn is_about_network(arg: &Arg) -> bool {
    arg.get_help_heading() == Some(NETWORK)
}

/// Options of commands that read one document: the output format and the network.
#[derive(Debug, Args)]
pub(crate) struct DocumentArgs {
    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
