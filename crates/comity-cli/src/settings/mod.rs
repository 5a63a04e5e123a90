//! The settings of commands that touch the network, and where each comes from.
//!
//! ```text
//! flags > variables > ./comity.toml > the user's config.toml > defaults ─▶ Settings
//! ```
//!
//! The settings themselves, their names and types, are in `comity_client::settings`; the flags are made from them in
//! `args/settings.rs`.
//!
//! | file | holds |
//! |---|---|
//! | `layers.rs`, `file.rs` | where values come from, and errors with their place |
//! | `values.rs` | values as flags and variables write them |
//! | `store.rs` | the usual place of the store |

mod file;
mod layers;
pub(crate) mod store;
pub(crate) mod values;

pub(crate) use self::file::NAME as CONFIG_NAME;
use self::layers::Files;
pub(crate) use self::layers::{Effective, Override, Source, Sourced};
use crate::args::FilesArgs;
use crate::exit::Failure;

/// The settings in force: `overrides` over the environment, files and defaults.
pub(crate) fn effective(files: &FilesArgs, overrides: Vec<Override>) -> Result<Effective, Failure> {
    let variable = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    let files = match (&files.config, files.no_config) {
        (Some(path), _) => Files::Only(path.clone()),
        (None, true) => Files::None,
        (None, false) => match variable("COMITY_CONFIG").filter(|path| !path.is_empty()) {
            Some(path) => Files::Only(path.into()),
            None => Files::Usual,
        },
    };
    layers::effective(overrides, &files, variable)
}
