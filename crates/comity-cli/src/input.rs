//! Files and streams.
//!
//! All input is bytes, because robots.txt files and URL lists are untrusted. Whole files are read up to a limit, so
//! that a wrong path cannot exhaust memory. URL lists are read line by line, so their length is not limited.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

use crate::exit::{Failure, reason};

/// Maximum size of a file that is read whole, in bytes. Valid files of every type are smaller.
const FILE_LIMIT: u64 = 64 * 1024 * 1024;

/// Maximum length of a line, in bytes.
const LINE_LIMIT: usize = 1024 * 1024;

/// The source of bytes: a file, or standard input when the path is `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Source {
    /// Returns the source that a path argument names.
    pub(crate) fn new(path: &Path) -> Self {
        if path == Path::new("-") { Source::Stdin } else { Source::File(path.to_owned()) }
    }

    /// Returns the name for messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Source::Stdin => "stdin".to_owned(),
            Source::File(path) => crate::render::text(path.as_os_str().as_encoded_bytes()).into_owned(),
        }
    }

    /// Returns all bytes; more than the limit are an error.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let result = match self {
            Source::Stdin => io::stdin().lock().take(FILE_LIMIT + 1).read_to_end(&mut bytes),
            Source::File(path) => {
                File::open(path).and_then(|file| file.take(FILE_LIMIT + 1).read_to_end(&mut bytes))
            }
        };
        result.map_err(|error| self.unreadable(&error))?;
        if bytes.len() as u64 > FILE_LIMIT {
            let limit = FILE_LIMIT / 1024 / 1024;
            return Err(Failure::new(format!("`{}` is larger than {limit} MiB", self.name()))
                .hint("valid files are smaller; check the path"));
        }
        Ok(bytes)
    }

    /// Returns the bytes as a stream, for readers with their own limit.
    pub(crate) fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        Ok(match self {
            Source::Stdin => Box::new(io::stdin()),
            Source::File(path) => Box::new(File::open(path).map_err(|error| self.unreadable(&error))?),
        })
    }

    /// Returns an error if the source cannot be opened. Only plain files are opened, because a pipe may be opened once.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let Source::File(path) = self else { return Ok(()) };
        match path.metadata() {
            Ok(metadata) if !metadata.is_file() => Ok(()),
            Ok(_) => File::open(path).map(drop).map_err(|error| self.unreadable(&error)),
            Err(error) => Err(self.unreadable(&error)),
        }
    }

    /// Returns the bytes line by line.
    pub(crate) fn lines(&self) -> Result<Lines, Failure> {
        let reader = self.open()?;
        Ok(Lines {
            reader: BufReader::with_capacity(64 * 1024, reader),
            source: self.name(),
            limit: LINE_LIMIT,
            number: 0,
            begin: 0,
            read: 0,
            has_end: true,
        })
    }

    pub(crate) fn unreadable(&self, error: &io::Error) -> Failure {
        let failure = Failure::new(format!("cannot read `{}`: {}", self.name(), reason(error)));
        match (self, error.kind()) {
            (Source::File(path), io::ErrorKind::NotFound) if path.as_os_str() == OsStr::new("robots.txt") => {
                failure.hint(
                    "the command reads it from the current folder; name another file, `-` for standard input, or a URL with \
                     https:// to request it from its site",
                )
            }
            _ => failure,
        }
    }
}

/// Maximum size of a settings file, in bytes.
const MAX_SETTINGS_BYTES: u64 = 1 << 20;

/// Reads a settings file. A repository may contain a link in its place, so only plain files are read.
pub(crate) fn read_settings(path: &Path) -> io::Result<String> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a plain file"));
    }
    let mut text = String::new();
    File::open(path)?.take(MAX_SETTINGS_BYTES + 1).read_to_string(&mut text)?;
    match text.len() as u64 > MAX_SETTINGS_BYTES {
        true => Err(io::Error::new(io::ErrorKind::InvalidData, "larger than 1 MiB")),
        false => Ok(text),
    }
}

/// Returns true if standard input is a terminal.
pub(crate) fn stdin_is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// The lines of a stream, as bytes, one at a time.
pub(crate) struct Lines {
    reader: BufReader<Box<dyn Read + Send>>,
    source: String,
    /// Maximum length of a line, in bytes.
    limit: usize,
    number: u64,
    /// Offset at which the last line that was read begins.
    begin: u64,
    /// Offset at which that line ends.
    read: u64,
    /// True if a line break ends that line.
    has_end: bool,
}

/// The result of [`Lines::next`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line, which is now in the buffer of the caller.
    Text,
    /// A line that is too long and was skipped.
    TooLong,
    /// The end of the stream.
    End,
}

impl Lines {
    /// Reads lines of up to this many bytes.
    #[cfg(feature = "live")]
    pub(crate) fn up_to(self, limit: usize) -> Lines {
        Lines { limit, ..self }
    }

    /// Reads the next line into `line`, without its terminator (LF or CRLF) and, on the first line, without a byte
    /// order mark.
    pub(crate) fn next(&mut self, line: &mut Vec<u8>) -> Result<Line, Failure> {
        line.clear();
        let mut found = false;
        let mut too_long = false;
        self.begin = self.read;
        loop {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    return Err(Failure::new(format!("cannot read `{}`: {}", self.source, reason(&error))));
                }
            };
            if chunk.is_empty() {
                break;
            }
            found = true;
            self.has_end = false;
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            too_long |= line.len() + part.len() > self.limit;
            if !too_long {
                line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.read += used as u64;
            self.reader.consume(used);
            if end.is_some() {
                self.has_end = true;
                break;
            }
        }
        Ok(self.finish(line, found, too_long))
    }

    fn finish(&mut self, line: &mut Vec<u8>, found: bool, too_long: bool) -> Line {
        if !found {
            return Line::End;
        }
        self.number += 1;
        if too_long {
            return Line::TooLong;
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if self.number == 1 && line.starts_with(b"\xEF\xBB\xBF") {
            line.drain(..3);
        }
        Line::Text
    }

    /// Returns the place of the last line: `stdin:7`.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.source, self.number)
    }

    /// Returns the number of the last line, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the offset of the last line.
    #[cfg_attr(not(feature = "live"), expect(dead_code, reason = "only fetch reads lines again"))]
    pub(crate) fn offset(&self) -> u64 {
        self.begin
    }

    /// Returns the offset of the last line if no line break ends it.
    #[cfg_attr(not(feature = "live"), expect(dead_code, reason = "only fetch resumes a file"))]
    pub(crate) fn unended(&self) -> Option<u64> {
        (!self.has_end).then_some(self.begin)
    }

    /// Returns the name of the stream.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// Returns true if the next read may wait for the writer of the stream.
    pub(crate) fn is_drained(&self) -> bool {
        self.reader.buffer().is_empty()
    }
}
