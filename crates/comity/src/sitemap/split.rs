//! Writes sitemaps that do not fit into one file.

use std::fmt;
use std::io;

use super::entry::Url;
use super::options::{MAX_BYTES, MAX_ENTRIES};
use super::write::{UrlsetWriter, WriteError};

/// Writes as many sitemaps as it takes: a new one whenever the protocol's limits, 50,000 entries or 52,428,800 bytes,
/// or Google's 1,000 news articles, are reached.
///
/// `open` is given the number of a file, from 1, and returns the output to write it to. Nothing is opened before the
/// first entry.
///
/// ```
/// use comity::sitemap::{IndexWriter, Sitemap, SplitWriter, Url};
///
/// let mut writer = SplitWriter::new(|_number| Ok(Vec::new())).limits(2, u64::MAX);
/// for page in 1..=5 {
///     writer.write(&Url::new(format!("https://example.com/{page}")))?;
/// }
/// let parts = writer.finish()?;
/// assert_eq!(parts.iter().map(|part| part.entries()).collect::<Vec<_>>(), [2, 2, 1]);
///
/// let mut index = IndexWriter::new(Vec::new())?;
/// for part in &parts {
///     index.write(&Sitemap::new(format!("https://example.com/sitemap-{}.xml", part.number())))?;
/// }
/// # Ok::<(), comity::sitemap::WriteError>(())
/// ```
pub struct SplitWriter<W, F> {
    open: F,
    is_extended: bool,
    max_entries: u64,
    max_bytes: u64,
    current: Option<UrlsetWriter<W>>,
    parts: Vec<Part<W>>,
}

/// A file that was written.
#[derive(Debug)]
pub struct Part<W> {
    number: u32,
    entries: u64,
    out: W,
}

impl<W> Part<W> {
    /// Returns its number, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns how many entries it has.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Returns the output that the sitemap was written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl<W, F> SplitWriter<W, F>
where
    W: io::Write,
    F: FnMut(u32) -> io::Result<W>,
{
    /// Writes sitemaps without extensions.
    pub fn new(open: F) -> Self {
        SplitWriter {
            open,
            is_extended: false,
            max_entries: MAX_ENTRIES,
            max_bytes: MAX_BYTES,
            current: None,
            parts: Vec::new(),
        }
    }

    /// Declares the extensions, so that entries may use them.
    #[must_use]
    pub fn extended(mut self, is_extended: bool) -> Self {
        self.is_extended = is_extended;
        self
    }

    /// Splits at lower limits than the protocol's.
    #[must_use]
    pub fn limits(mut self, entries: u64, bytes: u64) -> Self {
        (self.max_entries, self.max_bytes) = (entries, bytes);
        self
    }

    /// Adds a page, to the current file or a new one.
    ///
    /// # Errors
    ///
    /// [`WriteError::Invalid`], [`WriteError::Io`]; [`WriteError::Full`] if the entry does not even fit into an empty
    /// file.
    pub fn write(&mut self, url: &Url) -> Result<(), WriteError> {
        if let Some(current) = &mut self.current {
            match current.write(url) {
                Err(WriteError::Full) => self.close()?,
                result => return result,
            }
        }
        self.open_next()?.write(url)
    }

    fn open_next(&mut self) -> Result<&mut UrlsetWriter<W>, WriteError> {
        let number = u32::try_from(self.parts.len() + 1).unwrap_or(u32::MAX);
        let out = (self.open)(number)?;
        let writer =
            if self.is_extended { UrlsetWriter::with_extensions(out)? } else { UrlsetWriter::new(out)? };
        Ok(self.current.insert(writer.limits(self.max_entries, self.max_bytes)))
    }

    fn close(&mut self) -> Result<(), WriteError> {
        if let Some(writer) = self.current.take() {
            let number = u32::try_from(self.parts.len() + 1).unwrap_or(u32::MAX);
            let entries = writer.entries();
            self.parts.push(Part { number, entries, out: writer.finish()? });
        }
        Ok(())
    }

    /// Ends the last file. If no entry was written, no file was opened.
    ///
    /// # Errors
    ///
    /// [`WriteError::Io`].
    pub fn finish(mut self) -> Result<Vec<Part<W>>, WriteError> {
        self.close()?;
        Ok(self.parts)
    }
}

impl<W, F> fmt::Debug for SplitWriter<W, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SplitWriter").field("parts", &self.parts.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sitemap::{Item, Reader};

    #[test]
    fn files_are_split_where_bytes_run_out() {
        let mut writer = SplitWriter::new(|_| Ok(Vec::new())).limits(u64::MAX, 400);
        for page in 0..20 {
            writer.write(&Url::new(format!("https://example.com/{page}"))).unwrap();
        }
        let parts = writer.finish().unwrap();
        assert_eq!(parts.iter().map(|part| part.number()).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(parts.iter().map(|part| part.entries()).sum::<u64>(), 20);
        for part in parts {
            let bytes = part.into_inner();
            assert!(bytes.len() <= 400);
            assert!(Reader::new(&bytes[..]).all(|item| matches!(item, Item::Url(_))));
        }
    }

    #[test]
    fn an_entry_that_fits_nowhere_is_an_error() {
        let mut writer = SplitWriter::new(|_| Ok(Vec::new())).limits(10, 100);
        assert!(matches!(writer.write(&Url::new("https://example.com/")), Err(WriteError::Full)));
    }

    #[test]
    fn no_entries_make_no_file() {
        let writer = SplitWriter::new(|_| Ok(Vec::new()));
        assert!(writer.finish().unwrap().is_empty());
    }
}
