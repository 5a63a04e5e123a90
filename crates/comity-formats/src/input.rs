//! Named byte sources: files, which are seekable, and streams, which are not.

use std::fmt;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::ArchiveError;
use crate::format::ArchiveFormat::{Cdx, Csv, Tsv, Urls, Warc};
use crate::format::{ArchiveFormat, Compression, ZSTD_DICTIONARY};
use crate::text::{Utf16, utf16};

/// The first bytes of an ARC file.
const ARC: &[u8] = b"filedesc://";

/// Number of bytes that are read to detect the format.
const HEAD: usize = 64 * 1024;

trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

/// The bytes of an archive or a table, with a name for messages.
pub struct ArchiveInput {
    name: String,
    bytes: Bytes,
    /// Counter of the bytes read.
    read: Arc<AtomicU64>,
}

enum Bytes {
    File(FileReader),
    Stream(Box<dyn Read + Send>),
}

impl ArchiveInput {
    /// Creates an input from seekable bytes, such as a file. `name` appears in messages. Its extension decides if the content
    /// could be in several formats.
    pub fn file(name: impl Into<String>, bytes: impl Read + Seek + Send + 'static) -> ArchiveInput {
        let read = Arc::new(AtomicU64::new(0));
        let file = Arc::new(Mutex::new(Box::new(bytes) as Box<dyn ReadSeek>));
        ArchiveInput {
            name: name.into(),
            bytes: Bytes::File(FileReader { file, begin: 0, length: None, at: 0, read: read.clone() }),
            read,
        }
    }

    /// Creates an input from bytes that cannot be read twice, such as standard input. Parquet and WACZ require a file instead.
    pub fn stream(name: impl Into<String>, bytes: impl Read + Send + 'static) -> ArchiveInput {
        let read = Arc::new(AtomicU64::new(0));
        let bytes = CountingReader { bytes, read: read.clone() };
        ArchiveInput { name: name.into(), bytes: Bytes::Stream(Box::new(bytes)), read }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a counter of the bytes read so far, before decompression. A program can show it as progress.
    pub fn bytes_read(&self) -> Arc<AtomicU64> {
        self.read.clone()
    }

    /// Detects the compression, and also the format if it is not given, by the first bytes.
    pub(crate) fn detect(
        self,
        format: Option<ArchiveFormat>,
    ) -> Result<(ArchiveInput, Compression, ArchiveFormat), ArchiveError> {
        self.detect_table(format, None)
    }

    /// Detects compression and format as [`detect`](Self::detect) does. If a delimiter is given, text without JSON is CSV.
    pub(crate) fn detect_table(
        mut self,
        format: Option<ArchiveFormat>,
        delimiter: Option<u8>,
    ) -> Result<(ArchiveInput, Compression, ArchiveFormat), ArchiveError> {
        let failed = |error| ArchiveError::io(&self.name, error);
        let mut head = Vec::new();
        match &mut self.bytes {
            Bytes::File(file) => {
                file.clone().take(HEAD as u64).read_to_end(&mut head).map_err(failed)?;
                file.read.store(0, Ordering::Relaxed);
            }
            Bytes::Stream(stream) => {
                stream.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(failed)?;
            }
        }
        let compression = Compression::detect(&head);
        let format = match format {
            Some(format) => Some(format),
            // A compressed WARC file may begin with its dictionary, which is needed to read its text. No other format does.
            None if head.starts_with(&ZSTD_DICTIONARY) => Some(Warc),
            None => {
                let mut plain = Vec::new();
                if let Ok(mut reader) = compression.decoder(Cursor::new(head.clone())) {
                    // An error is ignored here, since a later read returns it again.
                    let _ = reader.by_ref().take(HEAD as u64).read_to_end(&mut plain);
                }
                if plain.starts_with(ARC) {
                    return Err(ArchiveError::Arc { name: self.name });
                }
                if let Some(encoding) = utf16(&plain) {
                    plain = encoding.decode_with_bom_removal(&plain).0.into_owned().into_bytes();
                }
                let found = ArchiveFormat::detect(&plain, &self.name);
                let is_text = matches!(found, None | Some(Csv | Tsv | Urls | Cdx));
                if delimiter.is_some() && is_text { Some(Csv) } else { found }
            }
        };
        let Some(format) = format else { return Err(ArchiveError::UnknownFormat { name: self.name }) };
        if let Bytes::Stream(stream) = self.bytes {
            self.bytes = Bytes::Stream(Box::new(Cursor::new(head).chain(stream)));
        }
        Ok((self, compression, format))
    }

    /// Returns the unchanged input, and whether its bytes begin with `mark`.
    pub(crate) fn begins_with(mut self, mark: &[u8]) -> io::Result<(ArchiveInput, bool)> {
        let mut head = Vec::with_capacity(mark.len());
        match &mut self.bytes {
            Bytes::File(file) => {
                file.clone().take(mark.len() as u64).read_to_end(&mut head)?;
            }
            Bytes::Stream(stream) => {
                stream.by_ref().take(mark.len() as u64).read_to_end(&mut head)?;
            }
        }
        let begins = head == mark;
        if let Bytes::Stream(stream) = self.bytes {
            self.bytes = Bytes::Stream(Box::new(Cursor::new(head).chain(stream)));
        }
        Ok((self, begins))
    }

    /// Creates an input from a byte range of another input.
    pub(crate) fn of_range(name: String, file: FileReader) -> ArchiveInput {
        let read = file.read.clone();
        ArchiveInput { name, bytes: Bytes::File(file), read }
    }

    /// Returns a reader of the decompressed bytes. Converts UTF-16 to UTF-8, and removes the byte order mark of UTF-8.
    pub(crate) fn into_plain(self, compression: Compression) -> Result<Box<dyn Read + Send>, ArchiveError> {
        let name = self.name;
        let plain = match self.bytes {
            Bytes::File(file) => compression.decoder(file),
            Bytes::Stream(stream) => compression.decoder(stream),
        };
        let mut plain = plain.map_err(|error| ArchiveError::io(&name, error))?;
        let mut head = Vec::new();
        // An error is ignored here, since decoders return it again at the next read.
        let _ = plain.by_ref().take(3).read_to_end(&mut head);
        let encoding = utf16(&head);
        if head == b"\xef\xbb\xbf" {
            head.clear();
        }
        let whole = Cursor::new(head).chain(plain);
        Ok(match encoding {
            Some(encoding) => Box::new(Utf16::new(whole, encoding)),
            None => Box::new(whole),
        })
    }

    /// Returns a reader for a format that requires random access.
    pub(crate) fn into_file(self, format: ArchiveFormat) -> Result<FileReader, ArchiveError> {
        match self.bytes {
            Bytes::File(file) => Ok(file),
            Bytes::Stream(_) => Err(ArchiveError::NeedsSeek { name: self.name, format }),
        }
    }

    /// Returns a seekable reader, or a stream as the error.
    pub(crate) fn into_file_or_stream(self) -> Result<FileReader, Forward> {
        match self.bytes {
            Bytes::File(file) => Ok(file),
            Bytes::Stream(bytes) => Err(Forward { bytes, at: 0 }),
        }
    }
}

impl fmt::Debug for ArchiveInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArchiveInput").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A reader of a file, or of a byte range of a file. Each clone has a separate position.
#[derive(Clone)]
pub(crate) struct FileReader {
    file: Arc<Mutex<Box<dyn ReadSeek>>>,
    /// Offset of the start of the range.
    begin: u64,
    /// Length of the range; `None` means up to the end of the file.
    length: Option<u64>,
    /// The position, relative to the start of the range.
    at: u64,
    /// Counter of the bytes read by all clones.
    read: Arc<AtomicU64>,
}

impl FileReader {
    /// Returns a clone at another position.
    pub(crate) fn at_position(&self, at: u64) -> FileReader {
        FileReader { at, ..self.clone() }
    }

    pub(crate) fn length(&self) -> io::Result<u64> {
        match self.length {
            Some(length) => Ok(length),
            None => self.file.lock().unwrap_or_else(PoisonError::into_inner).seek(SeekFrom::End(0)),
        }
    }

    /// Returns a reader of a byte range of the file.
    pub(crate) fn range(&self, begin: u64, length: u64) -> FileReader {
        FileReader { begin, length: Some(length), at: 0, ..self.clone() }
    }
}

impl Read for FileReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.length.map_or(u64::MAX, |length| length.saturating_sub(self.at));
        let limit = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.begin.saturating_add(self.at)))?;
        let count = file.read(buffer.get_mut(..limit).unwrap_or_default())?;
        self.at += count as u64;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl Seek for FileReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.length()?.checked_add_signed(by),
        };
        self.at = at
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a position before the first byte"))?;
        Ok(self.at)
    }
}

/// A stream of bytes. [`Seek`] returns the position, but cannot change it.
pub(crate) struct Forward {
    bytes: Box<dyn Read + Send>,
    at: u64,
}

impl Read for Forward {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Forward {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::Current(0) => Ok(self.at),
            _ => Err(io::Error::new(io::ErrorKind::Unsupported, "a stream cannot seek")),
        }
    }
}

/// A reader that counts its bytes.
struct CountingReader<R> {
    bytes: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
