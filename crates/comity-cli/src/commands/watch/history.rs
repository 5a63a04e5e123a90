//! The folder of versions: `manifest.jsonl` with a line for each version, and the texts in a folder for each site.
//!
//! The list only grows, and a text is written before the line that names it. A line that a killed run left incomplete is removed.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};

use comity_answers::files::{self, lock};
use jiff::Timestamp;

use crate::exit::{Failure, reason};
use crate::text::watch::row::Version;

/// Maximum length of a line of the list, in bytes.
const MAX_LINE: usize = 64 << 10;

/// The open folder of versions.
pub(super) struct History {
    folder: PathBuf,
    list: File,
    /// The latest versions of each site, the newest last.
    sites: HashMap<String, Vec<Version>>,
    /// While it exists, no other process writes to the folder.
    _lock: File,
}

impl History {
    /// Opens a folder, or creates it.
    pub(super) fn open(folder: &Path) -> Result<History, Failure> {
        let cannot = |path: &Path, error: &io::Error| {
            Failure::new(format!("cannot use `{}`: {}", path.display(), reason(error)))
        };
        fs::create_dir_all(folder).map_err(|error| cannot(folder, &error))?;
        let path = folder.join("lock");
        let held = lock(&path, OpenOptions::new().create(true).append(true));
        let Some(held) = held.map_err(|error| cannot(&path, &error))? else {
            return Err(Failure::new(format!("`{}` is in use by another process", folder.display())));
        };
        let path = folder.join("manifest.jsonl");
        let list = OpenOptions::new().create(true).read(true).append(true).open(&path);
        let mut list = list.map_err(|error| cannot(&path, &error))?;
        let mut sites = HashMap::new();
        let whole =
            read(&mut list, |version| keep(&mut sites, version)).map_err(|error| cannot(&path, &error))?;
        list.set_len(whole).map_err(|error| cannot(&path, &error))?;
        Ok(History { folder: folder.to_owned(), list, sites, _lock: held })
    }

    /// Returns the latest versions of a site, the newest last.
    pub(super) fn of(&self, origin: &str) -> &[Version] {
        self.sites.get(origin).map_or(&[], Vec::as_slice)
    }

    /// Returns the text of a version; `None` if it has none.
    pub(super) fn text(&self, version: &Version) -> io::Result<Option<Vec<u8>>> {
        text(&self.folder, version)
    }

    /// Writes the text of a version, and returns its path within the folder.
    pub(super) fn write_text(&self, version: &Version, text: &[u8]) -> Result<String, Failure> {
        let site: String = version.origin.replace("://", "_").replace(|c| !is_plain(c), "_");
        let time: String = version.time.chars().filter(|c| !matches!(c, '-' | ':')).collect();
        // Two versions of the same second have different names.
        let digest = version.digest.iter().flat_map(|digest| digest.split("=:").skip(1).flat_map(str::chars));
        let digest: String = digest.filter(char::is_ascii_alphanumeric).take(8).collect();
        let name = format!("{time}-{digest}.txt");
        let folder = self.folder.join(&site);
        let path = folder.join(&name);
        let written = fs::create_dir_all(&folder).and_then(|()| files::whole(&path, text));
        written.map_err(|error| {
            Failure::new(format!("cannot write `{}`: {}", path.display(), reason(&error)))
        })?;
        Ok(format!("{site}/{name}"))
    }

    /// Appends a version to the list.
    pub(super) fn add(&mut self, version: Version) -> Result<(), Failure> {
        let mut line = serde_json::to_vec(&version)?;
        line.push(b'\n');
        let written = self.list.write_all(&line).and_then(|()| self.list.sync_data());
        let path = self.folder.join("manifest.jsonl");
        written.map_err(|error| {
            Failure::new(format!("cannot write `{}`: {}", path.display(), reason(&error)))
        })?;
        keep(&mut self.sites, version);
        Ok(())
    }
}

/// The versions of a site that were valid at a time.
#[derive(Default)]
pub(super) struct AtTime {
    /// The last version that states the rules.
    pub(super) readable: Option<Version>,
    /// The first failure after that version.
    pub(super) failing: Option<Version>,
}

/// Returns the versions of a site that were valid at a time. Other processes may use the folder.
pub(super) fn at(folder: &Path, origin: &str, time: Timestamp) -> Result<AtTime, Failure> {
    let path = folder.join("manifest.jsonl");
    let mut found = AtTime::default();
    let take = |version: Version| {
        let is_before = version.time.parse::<Timestamp>().is_ok_and(|answered| answered <= time);
        if version.origin != origin || !is_before {
            return;
        }
        if version.is_readable {
            found = AtTime { readable: Some(version), failing: None };
        } else if found.failing.is_none() {
            found.failing = Some(version);
        }
    };
    let read = File::open(&path).and_then(|mut list| read(&mut list, take));
    read.map_err(|error| Failure::new(format!("cannot read `{}`: {}", path.display(), reason(&error))))?;
    Ok(found)
}

/// Returns the text of a version in a folder; `None` if it has none.
pub(super) fn text(folder: &Path, version: &Version) -> io::Result<Option<Vec<u8>>> {
    let Some(file) = &version.body_file else { return Ok(None) };
    if !Path::new(file).components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path leads out of the folder"));
    }
    fs::read(folder.join(file)).map(Some)
}

/// Returns true for characters that names of files may have on every system.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_')
}

/// Adds a version to those of its site, and drops versions that no decision needs.
fn keep(sites: &mut HashMap<String, Vec<Version>>, version: Version) {
    /// Maximum number of versions of a site in memory.
    const KEPT: usize = 8;
    let kept = sites.entry(version.origin.clone()).or_default();
    kept.push(version);
    if kept.len() > KEPT {
        // The last version with an answer is needed to the end of an outage.
        let readable = kept.iter().rposition(|version| version.is_readable);
        kept.remove(usize::from(readable == Some(0)));
    }
}

/// Reads the list. Returns the length of its complete lines, in bytes.
fn read(list: &mut File, mut take: impl FnMut(Version)) -> io::Result<u64> {
    list.seek(SeekFrom::Start(0))?;
    let mut lines = BufReader::new(list);
    let (mut line, mut whole, mut number) = (Vec::new(), 0, 0);
    loop {
        line.clear();
        let length = io::Read::take(&mut lines, MAX_LINE as u64).read_until(b'\n', &mut line)?;
        number += 1;
        match line.pop() {
            None => return Ok(whole),
            Some(b'\n') => {}
            Some(_) if length < MAX_LINE => return Ok(whole),
            Some(_) => return Err(invalid(number, &"the line is too long")),
        }
        take(serde_json::from_slice(&line).map_err(|error| invalid(number, &error))?);
        whole += length as u64;
    }
}

fn invalid(line: usize, problem: &dyn std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("line {line} is not a version: {problem}"))
}
