//! Reads the records of a WARC file in order, and skips damaged records.
//!
//! After damage, the reader searches for the start of the next record: a gzip member, a Zstandard or LZ4 frame, or a line
//! that begins with `WARC/1.`. Only seekable files are searched. The rest of a stream is not read.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fastwarc::stream_io::gzip::GzipReader;
use fastwarc::stream_io::lz4::Lz4Reader;
use fastwarc::stream_io::traits::{IntoWarcReader, WarcRead};
use fastwarc::stream_io::zstd::ZstdReader;
use fastwarc::warc::header::WarcHeader;
use fastwarc::warc::record::{AutoDecode, WarcRecord, WarcRecordType};

use crate::bodies;
use crate::damage::Damaged;
use crate::format::{Compression, ZSTD_DICTIONARY};
use crate::input::{ArchiveInput, FileReader};
use crate::times;

/// Maximum size of an HTTP header, or of a line in a WARC header, in bytes. The parser limits WARC headers to 32 KiB.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// Maximum number of bytes that are read to find out whether the last Zstandard frame is complete.
const MAX_FRAMES: u64 = 64 << 20;

/// Size of the read buffer, in bytes.
const BUFFER: usize = 256 * 1024;

/// A reader of WARC records.
pub(crate) struct Records {
    /// The current record; `None` at the end.
    record: Option<WarcRecord>,
    compression: Compression,
    /// The input, if it is seekable.
    file: Option<FileReader>,
    /// The offset of the current record.
    at: u64,
    /// Counter of the bytes read from the input.
    read: Arc<AtomicU64>,
    /// True if no record was read since the reader was positioned.
    is_new: bool,
    /// Number of unread bytes in the block of the record.
    left: u64,
}

/// The headers of a record.
#[derive(Debug)]
pub(crate) struct Head {
    pub kind: WarcRecordType,
    /// The offset of the record in the file, before decompression.
    pub at: u64,
    pub target: Option<String>,
    /// Time of the record, in microseconds since 1970.
    pub seen_at: Option<i64>,
    pub status: Option<u16>,
    pub digest: Option<String>,
}

impl Records {
    pub(crate) fn new(input: ArchiveInput, compression: Compression) -> Records {
        let read = input.bytes_read();
        let (reader, file) = match input.into_file_or_stream() {
            Ok(file) => (decoder(compression, file.clone()), Some(file)),
            Err(forward) => (decoder(compression, forward), None),
        };
        let record = Some(of_reader(reader));
        Records { record, compression, file, at: 0, read, is_new: true, left: 0 }
    }

    /// Advances to the next record and parses its headers. Returns `None` at the end.
    pub(crate) fn next(&mut self, damaged: &mut Damaged) -> Option<Head> {
        loop {
            if let Err(problem) = self.skip_rest() {
                damaged.note(self.at, problem);
                self.search();
                continue;
            }
            let record = self.record.as_mut()?;
            let is_new = std::mem::take(&mut self.is_new);
            match record.next_inplace() {
                None => {
                    self.record = None;
                    if let Some(problem) =
                        self.end_problem(is_new).filter(|_| damaged.last_place() != Some(self.at))
                    {
                        damaged.note(self.at, problem);
                    }
                    return None;
                }
                Some(Err(error)) => {
                    let at = record.stream_pos();
                    self.resume_after(&error, at, is_new, damaged);
                    continue;
                }
                Some(Ok(())) => {}
            }
            self.at = record.stream_pos().max(self.at);
            if !has_length(record) {
                damaged.note(self.at, "a record without `Content-Length`");
                self.search();
                continue;
            }
            self.left = record.content_length();
            if record.is_http()
                && let Err(error) = record.parse_http_with_opts(AutoDecode::None, MAX_HEADER_BYTES, true)
            {
                damaged.note(self.at, format!("the HTTP header cannot be parsed: {error}"));
                self.left = 0;
                continue;
            }
            self.left = record.content_length();
            let ends = |record: &mut WarcRecord| {
                Ok(record.reader_mut().map_or(Ok(&[][..]), |reader| reader.fill_buf())?.is_empty())
            };
            match if self.left > 0 { ends(record) } else { Ok(false) } {
                Ok(false) => {}
                Ok(true) => {
                    damaged.note(self.at, cut_off(std::mem::take(&mut self.left)));
                    continue;
                }
                Err(error) => {
                    let error: io::Error = error;
                    damaged.note(self.at, error.to_string());
                    self.search();
                    continue;
                }
            }
            return Some(head(record, self.at));
        }
    }

    /// Returns a field of the HTTP header.
    pub(crate) fn http_field(&self, name: &str) -> Option<String> {
        Some(self.record.as_ref()?.http_headers()?.get(name)?.into_owned())
    }

    /// Returns the length of the body as stored, in bytes.
    pub(crate) fn body_length(&self) -> u64 {
        self.left
    }

    /// Reads up to `limit` bytes of the body as stored.
    pub(crate) fn body(&mut self, limit: usize) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        if let Some(reader) = self.record.as_mut().and_then(WarcRecord::reader_mut) {
            reader.take(limit as u64).read_to_end(&mut body)?;
        }
        let wanted = self.left.min(limit as u64);
        self.left = self.left.saturating_sub(body.len() as u64);
        if (body.len() as u64) < wanted {
            let missing = std::mem::take(&mut self.left);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, cut_off(missing)));
        }
        Ok(body)
    }

    /// Reads up to `limit` bytes of the body, without its codings.
    pub(crate) fn plain_body(&mut self, limit: usize) -> io::Result<Vec<u8>> {
        let [transfer, content] = ["Transfer-Encoding", "Content-Encoding"].map(|name| self.http_field(name));
        // A body with codings may be longer than the decoded body.
        let stored = self.body(limit.saturating_mul(2).saturating_add(64 * 1024))?;
        bodies::plain(stored, transfer.as_deref(), content.as_deref(), limit)
    }

    /// Returns the fields of the HTTP header with these names, in the order of the header.
    pub(crate) fn http_fields(&self, names: &[&str]) -> Vec<(String, Vec<u8>)> {
        let fields = self.record.as_ref().and_then(WarcRecord::http_headers);
        let fields = fields.into_iter().flat_map(|fields| fields.items_bytes());
        fields
            .filter_map(|(name, value)| {
                let name = String::from_utf8_lossy(&name).trim().to_owned();
                let is_known = names.iter().any(|known| name.eq_ignore_ascii_case(known));
                is_known.then(|| (name, value.trim_ascii().to_vec()))
            })
            .collect()
    }

    /// Skips the rest of the record.
    fn skip_rest(&mut self) -> Result<(), String> {
        let left = std::mem::take(&mut self.left);
        let Some(record) = self.record.as_mut().filter(|_| left > 0) else { return Ok(()) };
        let skipped = record
            .consume_n(usize::try_from(left).unwrap_or(usize::MAX))
            .map_err(|error| error.to_string())?;
        match (skipped as u64) < left {
            true => Err(cut_off(left - skipped as u64)),
            false => Ok(()),
        }
    }

    /// Returns a message if the file is cut off. The parsers do not report a cut within a header or within the last compressed
    /// part, so the last record is read again. A stream cannot be read again; it is damaged if it has bytes, but no record.
    fn end_problem(&self, is_new: bool) -> Option<String> {
        let Some(file) = &self.file else {
            let is_unread = is_new && self.read.load(Ordering::Relaxed) > 0;
            return is_unread.then(|| "no record can be read".to_owned());
        };
        let problem = match self.compression {
            Compression::None => return record_problem(BufReader::new(file.at_position(self.at))),
            Compression::Zstd if begins_with_dictionary(file) => {
                return frame_problem(BufReader::new(file.at_position(self.at)));
            }
            compression => compression
                .decoder(BufReader::new(file.at_position(self.at)))
                .and_then(|mut plain| io::copy(&mut plain, &mut io::sink())),
        };
        problem.err().map(|error| format!("the end of the file cannot be read: {error}"))
    }

    /// Continues after a record whose header cannot be parsed.
    ///
    /// The previous record may have a wrong length, so that the parser is in the middle of another record. If records are
    /// compressed separately, the search begins after the start of the previous record, and so finds this other record.
    fn resume_after(&mut self, error: &io::Error, at: u64, is_new: bool, damaged: &mut Damaged) {
        let is_searched_again = !is_new && self.compression != Compression::None && self.file.is_some();
        if !is_searched_again {
            // A parser that was just repositioned does not know its position in the file.
            self.at = if is_new { self.at } else { at.max(self.at) };
            damaged.note(self.at, error.to_string());
        }
        self.search();
        if is_searched_again && self.record.is_none() {
            damaged.note(at, error.to_string());
        }
    }

    /// Advances to the next possible start of a record after the current position.
    fn search(&mut self) {
        self.left = 0;
        self.record = None;
        let Some(file) = &self.file else { return };
        let found = next_start(file.at_position(self.at + 1), self.compression);
        if let Ok(Some(offset)) = found {
            self.at += 1 + offset;
            self.is_new = true;
            self.record = Some(of_reader(decoder(self.compression, file.at_position(self.at))));
        }
    }
}

fn cut_off(missing: u64) -> String {
    format!("cut off: {missing} bytes of the record are missing")
}

/// Parses the headers of a record.
fn head(record: &WarcRecord, at: u64) -> Head {
    let field = |name| record.headers().get(name).map(|value| value.into_owned());
    // Some programs write the URI between angle brackets.
    let target = field(WarcHeader::WarcTargetUri)
        .map(|uri| uri.trim().trim_start_matches('<').trim_end_matches('>').to_owned());
    Head {
        kind: record.record_type(),
        at,
        target,
        seen_at: field(WarcHeader::WarcDate).and_then(|date| times::micros(&date)),
        status: record.http_headers().and_then(|headers| headers.status_code()),
        digest: field(WarcHeader::WarcPayloadDigest),
    }
}

/// Returns a message if an uncompressed record is cut off.
fn record_problem(mut file: impl BufRead) -> Option<String> {
    let mut length = None;
    let mut is_begun = false;
    loop {
        let mut line = Vec::new();
        let read = file.by_ref().take(MAX_HEADER_BYTES as u64).read_until(b'\n', &mut line);
        if let Err(error) = read {
            return Some(error.to_string());
        }
        match line.trim_ascii() {
            b"" if line.is_empty() => {
                return is_begun.then(|| "the last record is cut off within its header".to_owned());
            }
            b"" if !is_begun => continue,
            b"" if line.ends_with(b"\n") => break,
            text => {
                is_begun = true;
                let text = String::from_utf8_lossy(text);
                if let Some((_, value)) =
                    text.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
                {
                    length = value.trim().parse::<u64>().ok();
                }
            }
        }
    }
    let passed = io::copy(&mut file.by_ref().take(length?), &mut io::sink());
    let mut end = Vec::new();
    match passed.and_then(|_| file.take(4).read_to_end(&mut end)) {
        Ok(_) if end.starts_with(b"\r\n\r\n") || end.starts_with(b"\n\n") => None,
        Ok(_) => Some("the last record is cut off at its end".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

/// Returns a message if the last Zstandard frame is cut off. The dictionary of the frames is not needed, because frames state the
/// sizes of their blocks.
fn frame_problem(file: impl Read) -> Option<String> {
    let mut frames = Vec::new();
    if let Err(error) = file.take(MAX_FRAMES).read_to_end(&mut frames) {
        return Some(error.to_string());
    }
    let mut rest = &frames[..];
    while !rest.is_empty() {
        match zstd::zstd_safe::find_frame_compressed_size(rest) {
            Ok(size) => rest = rest.get(size..).unwrap_or_default(),
            Err(_) if frames.len() as u64 == MAX_FRAMES => return None,
            Err(_) => return Some("cut off within a compressed frame".to_owned()),
        }
    }
    None
}

/// Returns whether a file begins with a skippable frame, which contains the dictionary of a compressed archive.
fn begins_with_dictionary(file: &FileReader) -> bool {
    let mut head = Vec::new();
    let read = file.at_position(0).take(4).read_to_end(&mut head);
    read.is_ok() && head == ZSTD_DICTIONARY
}

/// Returns whether a record has a valid `Content-Length`. Without it, the end of the record is unknown.
fn has_length(record: &WarcRecord) -> bool {
    let length = record.headers().get(WarcHeader::ContentLength);
    length.is_some_and(|length| length.trim().parse::<u64>().is_ok())
}

fn of_reader(reader: Box<dyn WarcRead>) -> WarcRecord {
    let mut record = WarcRecord::new();
    record.attach_reader(reader);
    record
}

fn decoder(compression: Compression, bytes: impl Read + io::Seek + Send + 'static) -> Box<dyn WarcRead> {
    let bytes = BufReader::with_capacity(BUFFER, bytes);
    match compression {
        Compression::None => bytes.into_warc_reader(),
        Compression::Gzip => GzipReader::new(bytes).into_warc_reader(),
        Compression::Zstd => ZstdReader::new(bytes).into_warc_reader(),
        Compression::Lz4 => Lz4Reader::new(bytes).into_warc_reader(),
    }
}

/// Returns the distance from a position to the next possible start of a record.
fn next_start(mut file: FileReader, compression: Compression) -> io::Result<Option<u64>> {
    let mark: &[u8] = match compression {
        Compression::None => b"\nWARC/1.",
        Compression::Gzip => b"\x1f\x8b\x08",
        Compression::Zstd => b"\x28\xb5\x2f\xfd",
        Compression::Lz4 => b"\x04\x22\x4d\x18",
    };
    // The mark of uncompressed records begins with the line end of the previous record.
    let before = u64::from(compression == Compression::None);
    let mut buffer = vec![0; BUFFER];
    let (mut kept, mut from) = (0, 0);
    loop {
        let count = file.read(buffer.get_mut(kept..).unwrap_or_default())?;
        if count == 0 {
            return Ok(None);
        }
        let filled = kept + count;
        let text = buffer.get(..filled).unwrap_or_default();
        if let Some(index) = memchr::memmem::find(text, mark) {
            return Ok(Some(from + index as u64 + before));
        }
        // A mark may span two buffers.
        let keep = filled.min(mark.len() - 1);
        buffer.copy_within(filled - keep..filled, 0);
        from += (filled - keep) as u64;
        kept = keep;
    }
}
