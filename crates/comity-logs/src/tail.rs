//! Reads new lines of growing files, through rotation and truncation.
//!
//! After a rotation, a path may lead to another file, and a file may have another path. So open files are tracked by their
//! identity, and each file is read only once, under any path. A replaced file remains open, since servers may write to it for
//! hours until they open the new file.
//!
//! If a path cannot be read, the error is reported once, and reading is retried in every round.
//!
//! A file that became shorter, or begins with other bytes, was truncated (`copytruncate`). It is read again from its
//! beginning.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use comity_formats::logs::{LogLines, LogReader};
use same_file::Handle;

use crate::error::{LogsError, shown_path};
use crate::event::LogsEvent;
use crate::input::{self, open};
use crate::job::Job;
use crate::request::LogFormat;

/// Number of bytes at the beginning of a file that are compared to detect a truncation.
const HEAD: usize = 256;

/// Time without new lines after which a deleted file is closed, so that the system can free its disk space.
const QUIET_TIME: Duration = Duration::from_secs(3_600);

/// Maximum number of replaced files that remain open.
const MAX_REPLACED: usize = 8;

/// Number of rounds after which a missing file is reported. During a rotation, a path may be missing for a moment.
const ABSENT_ROUNDS: u32 = 40;

/// The growing files.
pub(crate) struct Tails<'a> {
    format: &'a LogFormat,
    paths: Vec<FollowedPath>,
    /// The files, in the order in which they were found.
    tails: Vec<Tail>,
}

/// A followed path.
struct FollowedPath {
    path: PathBuf,
    /// True if an error for the path was reported.
    is_reported: bool,
    /// Number of consecutive rounds without a file.
    absent: u32,
}

/// A growing file.
struct Tail {
    handle: Handle,
    name: String,
    lines: LogLines,
    reader: LogReader,
    /// The first bytes of the file at the last read.
    head: Vec<u8>,
    /// The last known path of the file.
    path: PathBuf,
    /// True if the path now leads to another file.
    is_replaced: bool,
    /// Time of the last new line.
    last_read: Instant,
    /// True if an error for the file was reported.
    is_reported: bool,
    /// True if reading the file has ended.
    is_done: bool,
}

impl<'a> Tails<'a> {
    pub(crate) fn new(format: &'a LogFormat) -> Self {
        Tails { format, paths: Vec::new(), tails: Vec::new() }
    }

    /// Adds an open file and its path.
    pub(crate) fn add(&mut self, path: PathBuf, handle: Handle) -> Result<(), LogsError> {
        if self.tails.iter().all(|tail| tail.handle != handle) {
            self.tails.push(Tail::new(&path, handle, self.format)?);
        }
        self.paths.push(FollowedPath { path, is_reported: false, absent: 0 });
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Counts new lines of all files. Returns true if there were new lines.
    pub(crate) fn read(&mut self, job: &mut Job<'_>) -> Result<bool, LogsError> {
        self.find(job);
        let mut has_lines = false;
        for tail in &mut self.tails {
            match tail.read(job, self.format) {
                Ok(is_new) => {
                    has_lines |= is_new;
                    tail.is_reported = false;
                    if is_new {
                        tail.last_read = Instant::now();
                    }
                }
                Err(error) if !tail.is_reported => {
                    tail.is_reported = true;
                    job.report(LogsEvent::Unreadable(&LogsError::read(&tail.path, error)));
                }
                Err(_) => {}
            }
        }
        let replaced = self.tails.iter().filter(|tail| tail.is_replaced).count();
        let mut too_many = replaced.saturating_sub(MAX_REPLACED);
        self.tails.retain_mut(|tail| {
            let is_one_too_many = tail.is_replaced && too_many > 0;
            too_many -= usize::from(is_one_too_many);
            let is_kept = !is_one_too_many && !tail.is_over();
            if !is_kept {
                has_lines |= tail.finish(job);
            }
            is_kept
        });
        Ok(has_lines)
    }

    /// Opens the paths, and adds files that are not tracked yet.
    fn find(&mut self, job: &mut Job<'_>) {
        for followed in &mut self.paths {
            let path = &followed.path;
            let handle = match open(path) {
                Ok(handle) => handle,
                Err(error) => {
                    followed.absent = followed.absent.saturating_add(1);
                    let may_appear =
                        error.kind() == io::ErrorKind::NotFound && followed.absent < ABSENT_ROUNDS;
                    if !may_appear && !followed.is_reported {
                        followed.is_reported = true;
                        job.report(LogsEvent::Unreadable(&LogsError::read(path, error)));
                    }
                    continue;
                }
            };
            for tail in self.tails.iter_mut().filter(|tail| tail.path == *path) {
                tail.is_replaced = tail.handle != handle;
            }
            match self.tails.iter_mut().find(|tail| tail.handle == handle) {
                Some(tail) => {
                    tail.path.clone_from(path);
                    tail.is_replaced = false;
                }
                None => match Tail::new(path, handle, self.format) {
                    Ok(tail) => self.tails.push(tail),
                    // For example, the process has too many open files.
                    Err(error) => {
                        if !followed.is_reported {
                            followed.is_reported = true;
                            job.report(LogsEvent::Unreadable(&error));
                        }
                        continue;
                    }
                },
            }
            if followed.is_reported {
                job.report(LogsEvent::Readable(&shown_path(path)));
            }
            (followed.is_reported, followed.absent) = (false, 0);
        }
    }
}

impl Tail {
    fn new(path: &Path, handle: Handle, format: &LogFormat) -> Result<Tail, LogsError> {
        let name = shown_path(path);
        let lines = lines_of(&name, handle.as_file()).map_err(|error| LogsError::read(path, error))?;
        let reader = input::reader(format)?;
        Ok(Tail {
            handle,
            name,
            lines,
            reader,
            head: Vec::new(),
            path: path.to_owned(),
            is_replaced: false,
            last_read: Instant::now(),
            is_reported: false,
            is_done: false,
        })
    }

    /// Returns true if no more lines are expected.
    fn is_over(&self) -> bool {
        self.is_done
            || self.is_replaced && self.last_read.elapsed() >= QUIET_TIME && is_deleted(self.handle.as_file())
    }

    /// Counts new lines. Returns true if there were new lines.
    fn read(&mut self, job: &mut Job<'_>, format: &LogFormat) -> io::Result<bool> {
        let length = self.handle.as_file().metadata()?.len();
        let position = self.handle.as_file().stream_position()?;
        let is_same = length >= position && self.begins_as_before(position)?;
        if is_same && length == position {
            return Ok(false);
        }
        if !is_same && self.is_replaced {
            // Servers do not truncate replaced files, so another program has overwritten the file.
            self.handle.as_file().seek(SeekFrom::End(0))?;
            self.is_done = true;
            return Ok(false);
        }
        if !is_same {
            job.report(LogsEvent::Truncated(&self.name));
            // The new bytes do not continue the incomplete line, which is counted as it is.
            self.handle.as_file().seek(SeekFrom::End(0))?;
            self.finish(job);
            self.handle.as_file().seek(SeekFrom::Start(0))?;
            self.head.clear();
            self.lines = lines_of(&self.name, self.handle.as_file())?;
            self.reader = input::reader(format).map_err(io::Error::other)?;
        }
        let has_lines = job.count_lines(&mut self.lines, &mut self.reader).map_err(io::Error::other)?;
        if self.head.len() < HEAD {
            let position = self.handle.as_file().stream_position()?;
            self.begins_as_before(position)?;
        }
        Ok(has_lines)
    }

    /// Returns true if the first [`HEAD`] bytes of the file, up to the position, are unchanged. If so, stores them.
    fn begins_as_before(&mut self, position: u64) -> io::Result<bool> {
        let limit = usize::try_from(position).unwrap_or(HEAD).min(HEAD);
        let mut file = self.handle.as_file();
        let mut head = Vec::with_capacity(HEAD);
        file.seek(SeekFrom::Start(0))?;
        let read = file.take(limit as u64).read_to_end(&mut head);
        file.seek(SeekFrom::Start(position))?;
        read?;
        let is_same = head.starts_with(&self.head);
        if is_same {
            self.head = head;
        }
        Ok(is_same)
    }

    /// Counts an incomplete last line. Returns true if there was one.
    fn finish(&mut self, job: &mut Job<'_>) -> bool {
        self.lines.end();
        // If the line cannot be read any more, it is not counted.
        job.count_lines(&mut self.lines, &mut self.reader).unwrap_or(false)
    }
}

/// Returns a reader of the lines after the current position of a file.
fn lines_of(name: &str, file: &File) -> io::Result<LogLines> {
    Ok(LogLines::growing(name, file.try_clone()?))
}

/// Returns whether a file has been deleted.
#[cfg(unix)]
fn is_deleted(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| std::os::unix::fs::MetadataExt::nlink(&metadata) == 0)
}

/// Returns false, since open files cannot be deleted on this system.
#[cfg(not(unix))]
fn is_deleted(_: &File) -> bool {
    false
}
