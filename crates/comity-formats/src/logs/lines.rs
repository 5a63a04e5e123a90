//! The decompressed lines of a log.

use std::io::{BufReader, Read};

use crate::error::ArchiveError;
use crate::format::ArchiveFormat;
use crate::input::ArchiveInput;
use crate::lines::{Lines, Next};
use crate::logs::{MAX_LINE_BYTES, array};

/// Size of the read buffer, in bytes.
const BUFFER: usize = 256 * 1024;

/// Iterates over the lines of an input.
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

/// A line of a log.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "there is nothing else that can come next")]
pub enum NextLine<'l> {
    /// A line, without its line end.
    Line(&'l [u8]),
    /// A line that is longer than [`MAX_LINE_BYTES`]. It was skipped.
    TooLong,
    /// There are no more lines. If the bytes may grow, there are none for now.
    End,
}

impl LogLines {
    /// Creates a reader for an input, compressed or not. Each object of a JSON array becomes a line.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError::Io`] if the input cannot be read.
    pub fn new(input: ArchiveInput) -> Result<LogLines, ArchiveError> {
        // Only the compression is detected. The format is detected line by line.
        let (input, compression, _) = input.look(Some(ArchiveFormat::Urls))?;
        let name = input.name().to_owned();
        let bytes = array::as_lines(input.into_plain(compression)?);
        let bytes = bytes.map_err(|error| ArchiveError::io(&name, error))?;
        let bytes = BufReader::with_capacity(BUFFER, bytes);
        Ok(LogLines { name, lines: Lines::new(bytes, MAX_LINE_BYTES) })
    }

    /// Creates a reader for uncompressed bytes that may grow. At the current end, an incomplete line waits for the rest, and
    /// [`LogLines::next`] returns [`NextLine::End`] until there are more bytes.
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

    /// Marks the end of the input: an incomplete line becomes the last one.
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
