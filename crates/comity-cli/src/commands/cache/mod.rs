//! `comity cache`: shows, verifies and removes entries of the store.

mod args;

use std::io::Write;
use std::sync::Arc;
use std::time::SystemTime;

use comity::policy::Preset;
use comity_client::Origin;
use comity_client::robots_cache::StoredRobotsTxt;
use comity_client::settings::Settings;
use comity_client::store::{EmbeddedStore, Entries, Store, StoreError, StoreLocation};
use tokio::runtime::Runtime;

pub(crate) use self::args::CacheArgs;
use self::args::{CacheCommand, CacheListArgs, CachePurgeArgs, CacheShowArgs, CacheVerifyArgs, StoreArgs};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;
use crate::text;
use crate::text::stored::{Entry, EntryColumns, EntryPage, Purged, Verified};
use crate::{settings, sites};

/// Runs a subcommand on the store.
pub(crate) fn run(args: &CacheArgs, output: &mut Output) -> Result<Exit, Failure> {
    match &args.command {
        CacheCommand::List(args) => list(args, output),
        CacheCommand::Show(args) => show(args, output),
        CacheCommand::Purge(args) => purge(args, output),
        CacheCommand::Verify(args) => verify(args, output),
    }
}

/// An open store.
struct OpenStore {
    runtime: Runtime,
    store: Arc<dyn Store>,
    /// The store as a file; `None` if the store is on a server.
    file: Option<Arc<EmbeddedStore>>,
    preset: Preset,
    /// The location of the store, for messages.
    place: String,
}

/// The result of opening a store.
enum StoreState {
    Store(OpenStore),
    /// The file of the store does not exist yet. The value is its path.
    Nothing(String),
}

impl OpenStore {
    /// Opens the store that the settings name. A file that does not exist is not created.
    fn find(which: &StoreArgs, output: &mut Output) -> Result<StoreState, Failure> {
        for message in settings::warnings(&which.files) {
            output.warning(&message);
        }
        let settings: Settings = settings::effective(&which.files, which.settings.overrides())?.settings;
        let Some(location) = settings::store::location(&settings.store) else {
            return Err(Failure::new("there is no home folder for a store").hint("name a store with --store"));
        };
        let runtime = sites::runtime()?;
        let preset = settings.robots.preset;
        match location {
            StoreLocation::Memory => Err(Failure::new("a store in memory ends with its process")
                .hint("name a file or a server with --store")),
            StoreLocation::File(path) => {
                let place = render::text(path.as_os_str().as_encoded_bytes()).into_owned();
                if !path.exists() {
                    return Ok(StoreState::Nothing(place));
                }
                let file = settings.store.open_file(&path).map_err(|error| store_failure(&error))?;
                let file = Arc::new(file);
                Ok(StoreState::Store(OpenStore {
                    runtime,
                    store: file.clone(),
                    file: Some(file),
                    preset,
                    place,
                }))
            }
            StoreLocation::Server(url) => {
                let server = settings.store.open_server(&url).map_err(|error| store_failure(&error))?;
                runtime.block_on(server.ping()).map_err(|error| store_failure(&error))?;
                let place = server.place().to_owned();
                Ok(StoreState::Store(OpenStore {
                    runtime,
                    store: Arc::new(server),
                    file: None,
                    preset,
                    place,
                }))
            }
        }
    }

    /// Calls `take` for every entry in the order of origins. Entries are read in pages.
    fn each(&self, mut take: impl FnMut(Entry) -> Result<(), Failure>) -> Result<(), Failure> {
        const PAGE: usize = 256;
        let mut after: Option<Origin> = None;
        loop {
            let page = self
                .runtime
                .block_on(self.store.list(after.as_ref(), PAGE))
                .map_err(|error| store_failure(&error))?;
            for origin in &page {
                if let Some(entry) = self.entry(origin)? {
                    take(entry)?;
                }
            }
            match page.into_iter().last() {
                Some(last) => after = Some(last),
                None => return Ok(()),
            }
        }
    }

    /// Returns the entry of an origin. A damaged entry is removed, and `None` is returned.
    fn entry(&self, origin: &Origin) -> Result<Option<Entry>, Failure> {
        let sealed = self.runtime.block_on(self.store.get(origin)).map_err(|error| store_failure(&error))?;
        Ok(sealed.map(|sealed| {
            Entry::new(origin, StoredRobotsTxt::of_entry(&sealed, self.preset), SystemTime::now())
        }))
    }
}

fn store_failure(error: &StoreError) -> Failure {
    Failure::new(error.to_string())
        .hint("name another store with --store, or delete a damaged file: its answers are requested again")
}

fn list(args: &CacheListArgs, output: &mut Output) -> Result<Exit, Failure> {
    let opened = match OpenStore::find(&args.which, output)? {
        StoreState::Store(opened) => opened,
        StoreState::Nothing(path) => {
            output.note(&format!("there is no store yet at {path}"));
            return Ok(Exit::Success);
        }
    };
    if args.format.is_json() {
        opened.each(|entry| output.json_line(&entry))?;
        return Ok(Exit::Success);
    }
    let mut entries = Vec::new();
    opened.each(|entry| {
        entries.push(entry);
        Ok(())
    })?;
    text::print(&entries, args.format.get(), &mut EntryColumns::new(&entries), output)?;
    output.flush()?;
    let count = match entries.len() {
        1 => "1 origin".to_owned(),
        number => format!("{number} origins"),
    };
    match &opened.file {
        Some(file) => {
            let size = opened.runtime.block_on(file.size()).map_err(|error| store_failure(&error))?;
            let bytes = render::bytes(size.file_bytes);
            output.note(&format!("{count} in {}, {bytes} on disk", opened.place));
        }
        None => output.note(&format!("{count} in {}", opened.place)),
    }
    Ok(Exit::Success)
}

fn show(args: &CacheShowArgs, output: &mut Output) -> Result<Exit, Failure> {
    let (entry, place) = match OpenStore::find(&args.which, output)? {
        StoreState::Store(opened) => (opened.entry(&args.origin)?, opened.place),
        StoreState::Nothing(path) => (None, path),
    };
    let Some(entry) = entry else {
        output.error(&format!("{place} has no entry for {}", args.origin));
        return Ok(Exit::Objection);
    };
    if args.body {
        return match entry.body() {
            Some(body) => {
                output.write_all(body)?;
                Ok(Exit::Success)
            }
            None => {
                output.error(&format!("{place} has no robots.txt of {}", args.origin));
                Ok(Exit::Objection)
            }
        };
    }
    text::print(&[EntryPage(entry)], args.format.get(), &mut (), output)?;
    Ok(Exit::Success)
}

fn purge(args: &CachePurgeArgs, output: &mut Output) -> Result<Exit, Failure> {
    let opened = match OpenStore::find(&args.which, output)? {
        StoreState::Store(opened) => opened,
        StoreState::Nothing(path) => {
            output.note(&format!("there is no store yet at {path}"));
            return Ok(if args.origins.is_empty() { Exit::Success } else { Exit::Objection });
        }
    };
    let report = |number: u64, output: &mut Output| {
        let purged = Purged { store: &opened.place, removed: number };
        text::print(&[purged], args.format.get(), &mut (), output)
    };
    if args.origins.is_empty() {
        // If the clock cannot express the time, no entry is that old, so nothing is removed.
        let time = |age| SystemTime::now().checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH);
        let before = args.older_than.map(time);
        let number =
            opened.runtime.block_on(opened.store.purge(before)).map_err(|error| store_failure(&error))?;
        report(number, output)?;
        return Ok(Exit::Success);
    }
    let (mut number, mut exit) = (0, Exit::Success);
    for origin in &args.origins {
        if opened.runtime.block_on(opened.store.remove(origin)).map_err(|error| store_failure(&error))? {
            number += 1;
        } else {
            output.error(&format!("{} has no entry for {origin}", opened.place));
            exit = Exit::Objection;
        }
    }
    report(number, output)?;
    Ok(exit)
}

fn verify(args: &CacheVerifyArgs, output: &mut Output) -> Result<Exit, Failure> {
    let opened = match OpenStore::find(&args.which, output)? {
        StoreState::Store(opened) => opened,
        StoreState::Nothing(path) => {
            output.note(&format!("there is no store yet at {path}"));
            return Ok(Exit::Success);
        }
    };
    let Some(file) = &opened.file else {
        return Err(Failure::new("only a store in a file can be verified: a server checks its own data"));
    };
    let found = opened.runtime.block_on(file.verify()).map_err(|error| store_failure(&error))?;
    let mut is_repaired = false;
    if args.repair && !found.torn.is_empty() {
        for text in &found.torn {
            // Reading a damaged entry removes it.
            if let Some(origin) = text.parse().ok().and_then(|url| Origin::of(&url)) {
                opened.runtime.block_on(file.get(&origin)).map_err(|error| store_failure(&error))?;
            }
        }
        let after = opened.runtime.block_on(file.verify()).map_err(|error| store_failure(&error))?;
        is_repaired = after.is_sound();
    }
    let verified = Verified {
        store: opened.place.clone(),
        entries: found.entries,
        torn: found.torn,
        problems: found.problems,
        repaired: is_repaired,
    };
    let is_sound = verified.torn.is_empty() && verified.problems.is_empty();
    text::print(&[verified], args.format.get(), &mut args.repair.clone(), output)?;
    Ok(if is_sound || is_repaired { Exit::Success } else { Exit::Objection })
}
