//! Opens logs, and sorts them by the time of their first request.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use comity::shown;
use comity_formats::logs::{LogLine, LogLines, LogReader, NextLine};
use comity_formats::{ArchiveInput, Compression};
use same_file::Handle;

use crate::error::{LogsError, shown_path};
use crate::request::{LogFormat, LogSource};

/// Maximum number of lines read to find the time of the first request.
const MAX_FIRST_LINES: usize = 1_000;

/// Maximum number of files that remain open before they are read, since systems limit the number of open files. Other files
/// are closed, and opened again later.
const MAX_OPEN: usize = 64;

/// A log.
pub(crate) enum Input {
    /// A plain file.
    File(LogFile),
    /// A path that is not a plain file, such as a named pipe. Opening a pipe blocks until a writer opens it.
    Pipe(PathBuf),
    /// Bytes that can be read only once.
    Stream { name: String, bytes: Box<dyn Read + Send> },
}

/// A plain file with a log.
pub(crate) struct LogFile {
    path: PathBuf,
    /// The open file, positioned at its beginning. `None` if the file was closed.
    handle: Option<Handle>,
    /// Hash of the identity of the file, which differs from that of a file that replaces it.
    identity: u64,
}

/// Opens the files, and returns the logs in the order of their first requests, so that rotated logs are in order. Pipes
/// are first, since they usually contain older logs (`<(xzcat access.log.2.xz)`). Streams, and files without a request,
/// are last.
pub(crate) fn in_order(sources: Vec<LogSource>, format: &LogFormat) -> Result<Vec<Input>, LogsError> {
    let is_alone = sources.len() == 1;
    let (mut inputs, mut open_files) = (Vec::new(), 0);
    for source in sources {
        inputs.push(match source {
            LogSource::Stream { name, bytes } => (i64::MAX, Input::Stream { name, bytes }),
            LogSource::Path(path) if path.metadata().is_ok_and(|metadata| !metadata.is_file()) => {
                (i64::MIN, Input::Pipe(path))
            }
            LogSource::Path(path) => {
                let handle = open(&path).map_err(|error| LogsError::read(&path, error))?;
                let first = if is_alone { None } else { first_time(&path, handle.as_file(), format)? };
                let identity = identity_of(&handle);
                open_files += 1;
                let handle = (open_files <= MAX_OPEN).then_some(handle);
                (first.unwrap_or(i64::MAX), Input::File(LogFile { path, handle, identity }))
            }
        });
    }
    inputs.sort_by_key(|(first, _)| *first);
    Ok(inputs.into_iter().map(|(_, input)| input).collect())
}

/// Returns a reader for lines in a format.
pub(crate) fn reader(format: &LogFormat) -> Result<LogReader, LogsError> {
    let reader = match &format.template {
        None => LogReader::new(),
        Some(template) => LogReader::with_template(template)
            .map_err(|source| LogsError::Format { format: shortened(template), source })?,
    };
    Ok(reader.with_keys(&format.keys)?)
}

/// Returns a format for messages, truncated, since a configuration may have many lines.
fn shortened(template: &str) -> String {
    shown::short(template.as_bytes(), 200).into_owned()
}

impl Input {
    /// Returns the lines of a complete log.
    pub(crate) fn lines(self) -> Result<LogLines, LogsError> {
        Ok(LogLines::new(match self {
            Input::File(file) => {
                let (path, handle) = file.open()?;
                lines_input(&path, handle.as_file())?
            }
            Input::Pipe(path) => {
                let file = File::open(&path).map_err(|error| LogsError::read(&path, error))?;
                ArchiveInput::stream(shown_path(&path), file)
            }
            Input::Stream { name, bytes } => ArchiveInput::stream(name, bytes),
        })?)
    }
}

impl LogFile {
    /// Returns the path and the open file, positioned at its beginning.
    ///
    /// After a rotation, the path of a closed file may lead to another file. This is an error, since the other file may also be
    /// read under another path.
    pub(crate) fn open(self) -> Result<(PathBuf, Handle), LogsError> {
        let LogFile { path, handle, identity } = self;
        let opened = handle.map_or_else(|| open(&path), Ok).and_then(|handle| match identity_of(&handle) {
            now if now == identity => Ok(handle),
            _ => Err(io::Error::other("the file was replaced while other logs were read")),
        });
        match opened {
            Ok(handle) => Ok((path, handle)),
            Err(error) => Err(LogsError::read(&path, error)),
        }
    }
}

fn identity_of(handle: &Handle) -> u64 {
    let mut hasher = DefaultHasher::new();
    handle.hash(&mut hasher);
    hasher.finish()
}

pub(crate) fn lines_input(path: &Path, file: &File) -> Result<ArchiveInput, LogsError> {
    let file = file.try_clone().map_err(|error| LogsError::read(path, error))?;
    Ok(ArchiveInput::file(shown_path(path), file))
}

/// Returns the time of the first request in a file, and seeks back to the beginning of the file.
fn first_time(path: &Path, mut file: &File, format: &LogFormat) -> Result<Option<i64>, LogsError> {
    let (mut lines, mut reader) = (LogLines::new(lines_input(path, file)?)?, reader(format)?);
    let mut first = None;
    for _ in 0..MAX_FIRST_LINES {
        match lines.next()? {
            NextLine::End => break,
            NextLine::TooLong => {}
            NextLine::Line(line) => {
                if let LogLine::Request(request) = reader.read(line) {
                    first = Some(request.time_micros);
                    break;
                }
            }
        }
    }
    file.rewind().map_err(|error| LogsError::read(path, error))?;
    Ok(first)
}

/// Returns true if a file is not compressed, so that it may grow. Seeks back to the beginning of the file.
pub(crate) fn may_grow(mut file: &File) -> io::Result<bool> {
    let mut head = Vec::new();
    file.take(8).read_to_end(&mut head)?;
    file.rewind()?;
    Ok(Compression::detect(&head) == Compression::None)
}

/// Opens a plain file. Other kinds of files are rejected. The call does not block, even for a pipe without a writer.
pub(crate) fn open(path: &Path) -> io::Result<Handle> {
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
