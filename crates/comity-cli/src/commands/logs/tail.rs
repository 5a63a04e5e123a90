//! Logs that are being written: what is new in them, through rotation and truncation.
//!
//! A name leads to one file today and to another tomorrow, and after a rotation one file may have another name. So an open
//! file is known by its identity: it is read on from where it was whatever it is called, and none is read twice. A file that
//! lost its name to another stays open, since servers write to it until they open the new one, which may take hours.
//!
//! A path that cannot be read is reported once, and tried again in every round.
//!
//! A file that became shorter, or begins with other bytes, was cut off (`copytruncate`): it is read from its beginning.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use comity_formats::logs::{LogLines, LogReader};
use same_file::Handle;

use super::Take;
use super::args::LogsArgs;
use crate::exit::{Failure, reason};
use crate::render;

/// As many first bytes are compared to see that a file is the one it was.
const HEAD: usize = 256;

/// Time without news after which a deleted file is closed, so that the system can free its space.
const QUIET: Duration = Duration::from_secs(3_600);

/// Maximum number of open files that other files replaced.
const MOST_REPLACED: usize = 8;

/// Number of rounds after which a path without a file is reported. Between two files there may be none for a moment.
const ABSENT: u32 = 40;

/// Files that are being written.
pub(super) struct Tails<'a> {
    args: &'a LogsArgs,
    paths: Vec<Followed>,
    /// In the order in which they were found.
    tails: Vec<Tail>,
}

/// A path that leads to files that are being written.
struct Followed {
    path: PathBuf,
    /// True if it was reported that the path cannot be read.
    is_reported: bool,
    /// Number of rounds without a file.
    absent: u32,
}

/// A file that is being written.
struct Tail {
    handle: Handle,
    name: String,
    lines: LogLines,
    reader: LogReader,
    /// The first bytes, as they were.
    head: Vec<u8>,
    /// The path that led here last.
    path: PathBuf,
    /// True if that path leads to another file now.
    is_replaced: bool,
    /// Time of the last news.
    heard: Instant,
    /// True if it was reported that the file cannot be read.
    is_reported: bool,
    /// True if nothing more is read from the file.
    is_done: bool,
}

impl<'a> Tails<'a> {
    pub(super) fn new(args: &'a LogsArgs) -> Self {
        Tails { args, paths: Vec::new(), tails: Vec::new() }
    }

    /// Adds a file, which has to be there now.
    pub(super) fn add(&mut self, path: &Path) -> Result<(), Failure> {
        let handle = open(path).map_err(|error| unreadable(path, &error))?;
        self.paths.push(Followed { path: path.to_owned(), is_reported: false, absent: 0 });
        if self.tails.iter().all(|tail| tail.handle != handle) {
            self.tails.push(Tail::new(path, handle, self.args)?);
        }
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Reads what is new, and returns whether there was anything. `tell` is told what a person should know.
    pub(super) fn round(&mut self, take: Take<'_>, tell: &mut dyn FnMut(String)) -> Result<bool, Failure> {
        self.find(tell)?;
        let mut is_any = false;
        for tail in &mut self.tails {
            match tail.read(take, tell, self.args) {
                Ok(is_new) => {
                    is_any |= is_new;
                    tail.is_reported = false;
                    if is_new {
                        tail.heard = Instant::now();
                    }
                }
                Err(error) if !tail.is_reported => {
                    tail.is_reported = true;
                    tell(format!("{}, and is tried again", unreadable(&tail.path, &error)));
                }
                Err(_) => {}
            }
        }
        let replaced = self.tails.iter().filter(|tail| tail.is_replaced).count();
        let mut too_many = replaced.saturating_sub(MOST_REPLACED);
        self.tails.retain_mut(|tail| {
            let is_one_too_many = tail.is_replaced && too_many > 0;
            too_many -= usize::from(is_one_too_many);
            let is_kept = !is_one_too_many && !tail.is_over();
            if !is_kept {
                is_any |= tail.finish(take);
            }
            is_kept
        });
        Ok(is_any)
    }

    /// Finds the files that the names lead to now.
    fn find(&mut self, tell: &mut dyn FnMut(String)) -> Result<(), Failure> {
        for followed in &mut self.paths {
            let path = &followed.path;
            let handle = match open(path) {
                Ok(handle) => handle,
                Err(error) => {
                    followed.absent = followed.absent.saturating_add(1);
                    let may_come = error.kind() == io::ErrorKind::NotFound && followed.absent < ABSENT;
                    if !may_come && !followed.is_reported {
                        followed.is_reported = true;
                        tell(format!("{}, and is tried again", unreadable(path, &error)));
                    }
                    continue;
                }
            };
            if followed.is_reported {
                tell(format!("{} can be read again", shown(path)));
            }
            (followed.is_reported, followed.absent) = (false, 0);
            for tail in self.tails.iter_mut().filter(|tail| tail.path == *path) {
                tail.is_replaced = tail.handle != handle;
            }
            match self.tails.iter_mut().find(|tail| tail.handle == handle) {
                Some(tail) => {
                    tail.path.clone_from(path);
                    tail.is_replaced = false;
                }
                None => self.tails.push(Tail::new(path, handle, self.args)?),
            }
        }
        Ok(())
    }
}

impl Tail {
    fn new(path: &Path, handle: Handle, args: &LogsArgs) -> Result<Tail, Failure> {
        let name = shown(path);
        let lines = lines_of(&name, handle.as_file()).map_err(|error| unreadable(path, &error))?;
        let reader = super::reader(args)?;
        Ok(Tail {
            handle,
            name,
            lines,
            reader,
            head: Vec::new(),
            path: path.to_owned(),
            is_replaced: false,
            heard: Instant::now(),
            is_reported: false,
            is_done: false,
        })
    }

    /// Returns true if nothing more comes.
    fn is_over(&self) -> bool {
        self.is_done || self.is_replaced && self.heard.elapsed() >= QUIET && is_deleted(self.handle.as_file())
    }

    /// Reads what is new, and returns whether there was anything.
    fn read(&mut self, take: Take<'_>, tell: &mut dyn FnMut(String), args: &LogsArgs) -> io::Result<bool> {
        let length = self.handle.as_file().metadata()?.len();
        let position = self.handle.as_file().stream_position()?;
        let is_same = length >= position && self.begins_as_before(position)?;
        if is_same && length == position {
            return Ok(false);
        }
        if !is_same && self.is_replaced {
            // Nobody writes a log where another file has taken its place: it is a copy of something now.
            self.handle.as_file().seek(SeekFrom::End(0))?;
            self.is_done = true;
            return Ok(false);
        }
        if !is_same {
            tell(format!("{} was cut off, and is read from its beginning", self.name));
            // What comes now is no part of the line that has no end.
            self.handle.as_file().seek(SeekFrom::End(0))?;
            self.finish(take);
            self.handle.as_file().seek(SeekFrom::Start(0))?;
            self.head.clear();
            self.lines = lines_of(&self.name, self.handle.as_file())?;
            self.reader = super::reader(args).map_err(|error| io::Error::other(error.to_string()))?;
        }
        let is_any = super::drain(&mut self.lines, &mut self.reader, take).map_err(io::Error::other)?;
        if self.head.len() < HEAD {
            let position = self.handle.as_file().stream_position()?;
            self.begins_as_before(position)?;
        }
        Ok(is_any)
    }

    /// Returns whether the file begins as it did, as far as it was read. Remembers how it begins.
    fn begins_as_before(&mut self, position: u64) -> io::Result<bool> {
        let most = usize::try_from(position).unwrap_or(HEAD).min(HEAD);
        let mut file = self.handle.as_file();
        let mut head = Vec::with_capacity(HEAD);
        file.seek(SeekFrom::Start(0))?;
        let read = file.take(most as u64).read_to_end(&mut head);
        file.seek(SeekFrom::Start(position))?;
        read?;
        let is_same = head.starts_with(&self.head);
        if is_same {
            self.head = head;
        }
        Ok(is_same)
    }

    /// Takes the line that has no end yet, as it is.
    fn finish(&mut self, take: Take<'_>) -> bool {
        self.lines.end();
        // A line that cannot be read any more is left out.
        super::drain(&mut self.lines, &mut self.reader, take).unwrap_or(false)
    }
}

/// The lines of a file from where it is.
fn lines_of(name: &str, file: &File) -> io::Result<LogLines> {
    Ok(LogLines::growing(name, file.try_clone()?))
}

/// Opens a plain file. Anything else, such as a pipe without a writer, could be waited for.
fn open(path: &Path) -> io::Result<Handle> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        let flag = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flag);
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a plain file"));
    }
    Handle::from_file(file)
}

#[cfg(unix)]
fn is_deleted(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| std::os::unix::fs::MetadataExt::nlink(&metadata) == 0)
}

/// This system does not delete files that are open.
#[cfg(not(unix))]
fn is_deleted(_: &File) -> bool {
    false
}

fn shown(path: &Path) -> String {
    render::text(path.as_os_str().as_encoded_bytes()).into_owned()
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot read `{}`: {}", shown(path), reason(error)))
}
