//! The command's store: the configured one, or a file in the user's cache folder.

use std::path::PathBuf;
use std::sync::Arc;

use comity_client::Remedy;
use comity_client::store::{Store, StoreError, StoreLocation, StoreOptions};
use etcetera::BaseStrategy;

use crate::exit::Failure;
use crate::output::Output;

/// Returns the configured location, or the file in the user's cache folder; `None` if the user has no home
/// folder.
pub(crate) fn location(options: &StoreOptions) -> Option<StoreLocation> {
    options.location.clone().or_else(|| default_path().map(StoreLocation::File))
}

/// Returns the default path: `comity/robots.db` in the user's cache folder.
pub(crate) fn default_path() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.cache_dir().join("comity").join("robots.db"))
}

/// Opens the configured store, or the default file. If the default file cannot be opened, prints a warning and uses
/// memory.
pub(crate) fn open(options: &StoreOptions, output: &mut Output) -> Result<Arc<dyn Store>, Failure> {
    let opened = match location(options) {
        Some(location) => options.clone().location(Some(location)).open(),
        None => Err(StoreError::new("there is no home folder for a store of robots.txt answers")),
    };
    match opened {
        Ok(store) => Ok(store),
        Err(error) if options.location.is_none() => {
            output.warning(&format!(
                "{error}; robots.txt answers are kept for this run only{}",
                store_remedy().map(|remedy| format!(" ({remedy})")).unwrap_or_default()
            ));
            Ok(Arc::new(options.memory()))
        }
        Err(error) => Err(failure(&error)),
    }
}

/// Converts an error of the store to a failure of the command.
pub(crate) fn failure(error: &StoreError) -> Failure {
    let failure = Failure::new(error.to_string());
    match store_remedy() {
        Some(remedy) => failure.hint(format!("{remedy}; `memory` needs no file")),
        None => failure,
    }
}

/// Returns the setting that names another store.
fn store_remedy() -> Option<Remedy> {
    Remedy::new("store.location", None, "names another place")
}
