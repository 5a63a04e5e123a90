//! Reads the decompressed lines of a log.

use std::io::{BufReader, Read};

use crate::error::ArchiveError;
use crate::format::ArchiveFormat;
use crate::input::ArchiveInput;
use crate::lines::{Lines, Next};
use crate::logs::{MAX_LINE_BYTES, array};

/// Size of the read buffer, in bytes.
const BUFFER: usize = 256 * 1024;

/// A reader of the lines of a log.
///
/// ```
/// use comity_formats::logs::{LogLines, NextLine};
/// use comity_formats::ArchiveInput;
///
/// let mut lines = LogLines::new(ArchiveInput::stream("access.log", &b"one\ntwo"[..]))?;
/// assert!(matches!(lines.next()?, NextLine::Line(b"one")));
/// assert!(matches!(lines.next()?, NextLine::Line(b"two")));
/// assert!(matches!(lines.next()?, NextLine::End));
/// # Ok::<(), comity_formats::ArchiveError>(())
/// ```
pub struct LogLines {
    name: String,
    lines: Lines<BufReader<Box<dyn Read + Send>>>,
}

/// The result of reading a line.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "no other result is possible")]
pub enum NextLine<'l> {
    /// A line, without its line end.
    Line(&'l [u8]),
    /// A line that is longer than [`MAX_LINE_BYTES`]. It was skipped.
    TooLong,
    /// There are no more lines. If the input may grow, more lines may follow later.
    End,
}

impl LogLines {
    /// Creates a reader for an input, compressed or not. Each object of a JSON array becomes a line.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError::Io`] if the input cannot be read.
    pub fn new(input: ArchiveInput) -> Result<LogLines, ArchiveError> {
        // Only the compression is detected here, because the format of a log is detected for each line. The format `Urls`
        // has no effect.
        let (input, compression, _) = input.detect(Some(ArchiveFormat::Urls))?;
        let name = input.name().to_owned();
        let bytes = array::as_lines(input.into_plain(compression)?);
        let bytes = bytes.map_err(|error| ArchiveError::io(&name, error))?;
        let bytes = BufReader::with_capacity(BUFFER, bytes);
        Ok(LogLines { name, lines: Lines::new(bytes, MAX_LINE_BYTES) })
    }

    /// Creates a reader for uncompressed bytes that may grow. [`LogLines::next`] returns [`NextLine::End`] at the current
    /// end, and returns an incomplete line only after its rest was read.
    ///
    /// ```
    /// use comity_formats::logs::{LogLines, NextLine};
    ///
    /// let mut lines = LogLines::growing("access.log", &b"one\ntw"[..]);
    /// assert!(matches!(lines.next()?, NextLine::Line(b"one")));
    /// assert!(matches!(lines.next()?, NextLine::End));
    /// lines.end();
    /// assert!(matches!(lines.next()?, NextLine::Line(b"tw")));
    /// # Ok::<(), comity_formats::ArchiveError>(())
    /// ```
    pub fn growing(name: impl Into<String>, bytes: impl Read + Send + 'static) -> LogLines {
        let bytes: Box<dyn Read + Send> = Box::new(bytes);
        let bytes = BufReader::with_capacity(BUFFER, bytes);
        LogLines { name: name.into(), lines: Lines::new(bytes, MAX_LINE_BYTES).growing(true) }
    }

    /// Marks the end of the input. An incomplete line becomes the last line.
    pub fn end(&mut self) {
        self.lines.end();
    }

    /// Returns the next line.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError::Io`] if the bytes cannot be read, or their compression is damaged.
    #[expect(clippy::should_implement_trait, reason = "a line is borrowed until the next")]
    pub fn next(&mut self) -> Result<NextLine<'_>, ArchiveError> {
        let name = &self.name;
        match self.lines.next().map_err(|error| ArchiveError::io(name, error))? {
            Next::Line(_, line) => Ok(NextLine::Line(line)),
            Next::TooLong(_) => Ok(NextLine::TooLong),
            Next::End => Ok(NextLine::End),
        }
    }
}

impl std::fmt::Debug for LogLines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogLines").field("name", &self.name).finish_non_exhaustive()
    }
}
