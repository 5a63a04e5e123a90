//! Opening stores: in memory, in a file, on a server.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use comity_client::store::{EmbeddedStore, MemoryStore, RedisStore, Store, StoreError, redis};
use etcetera::BaseStrategy;

use super::settings::{StoreSettings, WhenDown};
use crate::exit::Failure;
use crate::output::Output;

/// What a location names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// This process's memory.
    Memory,
    /// A file.
    File(PathBuf),
    /// A server, by its URL.
    Server(String),
}

impl Location {
    /// What `text` names.
    pub(crate) fn new(text: &str) -> Result<Location, Failure> {
        match text.split_once("://") {
            _ if text == "memory" => Ok(Location::Memory),
            None => Ok(Location::File(PathBuf::from(text))),
            Some(("redis" | "rediss" | "valkey" | "valkeys" | "unix" | "redis+unix" | "valkey+unix", _)) => {
                Ok(Location::Server(text.to_owned()))
            }
            Some((scheme, _)) => Err(Failure::new(format!("there are no stores at `{scheme}` URLs"))
                .hint("a store is a file, `memory`, or `redis://host:port/db`")),
        }
    }

    /// The one that is set, or the file in the user's cache folder; `None` if the user has no folders.
    pub(crate) fn of(settings: &StoreSettings) -> Result<Option<Location>, Failure> {
        match &settings.location {
            Some(text) => Location::new(text).map(Some),
            None => Ok(default_path().map(Location::File)),
        }
    }
}

/// `comity/robots.db` in the user's cache folder.
pub(crate) fn default_path() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.cache_dir().join("comity").join("robots.db"))
}

/// Opens the store that the settings name. Where nothing is named and the usual file cannot be had, memory will do, with
/// a warning.
pub(super) fn open(settings: &StoreSettings, output: &mut Output) -> Result<Arc<dyn Store>, Failure> {
    let location = Location::of(settings)?;
    let opened = match &location {
        None => Err(StoreError::new("there is no home folder to keep robots.txt answers in")),
        Some(Location::Memory) => return Ok(memory(settings)),
        Some(Location::File(path)) => embedded(path, settings).map(|store| Arc::new(store) as Arc<dyn Store>),
        Some(Location::Server(url)) => server(url, settings).map(|store| Arc::new(store) as Arc<dyn Store>),
    };
    match opened {
        Ok(store) => Ok(store),
        Err(error) if settings.location.is_none() => {
            output.warning(&format!(
                "{error}; they are remembered for this run only (--store names another place)"
            ));
            Ok(memory(settings))
        }
        Err(error) => Err(failure(&error)),
    }
}

fn memory(settings: &StoreSettings) -> Arc<dyn Store> {
    let store = MemoryStore::new();
    Arc::new(match settings.max_bytes {
        Some(bytes) => store.max_bytes(usize::try_from(bytes).unwrap_or(usize::MAX)),
        None => store,
    })
}

/// The store in a file.
pub(crate) fn embedded(path: &Path, settings: &StoreSettings) -> Result<EmbeddedStore, StoreError> {
    let options = EmbeddedStore::options();
    match settings.max_bytes {
        Some(bytes) => options.max_bytes(bytes).open(path),
        None => options.open(path),
    }
}

/// The store on a server. It connects when it is first used.
pub(crate) fn server(url: &str, settings: &StoreSettings) -> Result<RedisStore, StoreError> {
    let mut options = RedisStore::options().when_down(match settings.when_down {
        WhenDown::Stop => redis::WhenDown::Stop,
        WhenDown::LocalOnly => redis::WhenDown::LocalOnly,
    });
    if let Some(prefix) = &settings.prefix {
        options = options.prefix(prefix);
    }
    options.open(url)
}

/// A store's error as the end of a command.
pub(crate) fn failure(error: &StoreError) -> Failure {
    Failure::new(error.to_string())
        .hint("--store names another place; `--store memory` does without one for this run")
}
