//! Reads the records of a WARC file in order, and skips damaged ones.
//!
//! After damage, the reader searches for the start of the next record: a gzip member, a Zstandard or LZ4 frame, or a line
//! `WARC/1.`. Only seekable files are searched. In a stream, the rest is lost.

use std::io::{self, BufRead, BufReader, Read};

use fastwarc::stream_io::gzip::GzipReader;
use fastwarc::stream_io::lz4::Lz4Reader;
use fastwarc::stream_io::traits::{IntoWarcReader, WarcRead};
use fastwarc::stream_io::zstd::ZstdReader;
use fastwarc::warc::header::WarcHeader;
use fastwarc::warc::record::{AutoDecode, WarcRecord, WarcRecordType};

use crate::bodies;
use crate::damage::Damaged;
use crate::format::Compression;
use crate::input::{ArchiveInput, Place};
use crate::times;

/// Maximum size of a WARC or HTTP header, in bytes.
const HEADER: usize = 64 * 1024;

/// Maximum size of the last frames that are checked for their end, in bytes.
const MAX_FRAMES: u64 = 64 << 20;

/// Size of the read buffer, in bytes.
const BUFFER: usize = 256 * 1024;

/// A reader of WARC records.
pub(crate) struct Records {
    /// `None` at the end.
    record: Option<WarcRecord>,
    compression: Compression,
    /// The file, if it is seekable.
    file: Option<Place>,
    /// The offset of the current record.
    at: u64,
    /// True if the first record is not read yet.
    is_new: bool,
    /// Remaining bytes in the block of the record.
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
        let (reader, file) = match input.into_either() {
            Ok(place) => (decoder(compression, place.clone()), Some(place)),
            Err(forward) => (decoder(compression, forward), None),
        };
        let record = Some(of_reader(reader));
        Records { record, compression, file, at: 0, is_new: true, left: 0 }
    }

    /// Advances to the next record and reads its headers; `None` at the end.
    pub(crate) fn next(&mut self, damaged: &mut Damaged) -> Option<Head> {
        loop {
            if let Err(problem) = self.pass_over() {
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
                        self.end_problem().filter(|_| damaged.last_place() != Some(self.at))
                    {
                        damaged.note(self.at, problem);
                    }
                    return None;
                }
                Some(Err(error)) => {
                    let at = record.stream_pos();
                    self.go_on_after(&error, at, is_new, damaged);
                    continue;
                }
                Some(Ok(())) => {}
            }
            self.at = record.stream_pos().max(self.at);
            if !has_length(record) {
                damaged.note(self.at, "a record without its length");
                self.search();
                continue;
            }
            self.left = record.content_length();
            if record.is_http()
                && let Err(error) = record.parse_http_with_opts(AutoDecode::None, HEADER, true)
            {
                damaged.note(self.at, format!("the header of the answer: {error}"));
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

    /// Returns a header field of the answer.
    pub(crate) fn http_field(&self, name: &str) -> Option<String> {
        Some(self.record.as_ref()?.http_headers()?.get(name)?.into_owned())
    }

    /// Returns the length of the block after the headers.
    pub(crate) fn body_length(&self) -> u64 {
        self.left
    }

    /// Reads the body with its codings, up to `most` bytes.
    pub(crate) fn body(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        if let Some(reader) = self.record.as_mut().and_then(WarcRecord::reader_mut) {
            reader.take(most as u64).read_to_end(&mut body)?;
        }
        let wanted = self.left.min(most as u64);
        self.left = self.left.saturating_sub(body.len() as u64);
        if (body.len() as u64) < wanted {
            let missing = std::mem::take(&mut self.left);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, cut_off(missing)));
        }
        Ok(body)
    }

    /// Reads the body without its codings, up to `most` bytes.
    pub(crate) fn plain_body(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let [transfer, content] = ["Transfer-Encoding", "Content-Encoding"].map(|name| self.http_field(name));
        // A chunked or compressed body may be slightly longer than the decoded one.
        let sent = self.body(most.saturating_mul(2).saturating_add(64 * 1024))?;
        bodies::plain(sent, transfer.as_deref(), content.as_deref(), most)
    }

    /// Returns the header fields of the answer with these names, in their order.
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
    fn pass_over(&mut self) -> Result<(), String> {
        let left = std::mem::take(&mut self.left);
        let Some(record) = self.record.as_mut().filter(|_| left > 0) else { return Ok(()) };
        let passed = record
            .consume_n(usize::try_from(left).unwrap_or(usize::MAX))
            .map_err(|error| error.to_string())?;
        match (passed as u64) < left {
            true => Err(cut_off(left - passed as u64)),
            false => Ok(()),
        }
    }

    /// Returns what is missing at the end of the file. The readers take a cut within a header or within the last compressed part
    /// for the end, so the last record is read again.
    fn end_problem(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        let problem = match self.compression {
            Compression::None => return unended_record(BufReader::new(file.from(self.at))),
            Compression::Zstd if begins_with_dictionary(file) => {
                return unended_frame(BufReader::new(file.from(self.at)));
            }
            compression => compression
                .undo(BufReader::new(file.from(self.at)))
                .and_then(|mut plain| io::copy(&mut plain, &mut io::sink())),
        };
        problem.err().map(|error| format!("the end of the file: {error}"))
    }

    /// Continues after a record whose header cannot be read.
    ///
    /// If a record states a wrong length, its end is in the middle of another record. If each record is compressed separately,
    /// the next one is still found: the search begins at the last position that was read.
    fn go_on_after(&mut self, error: &io::Error, at: u64, is_new: bool, damaged: &mut Damaged) {
        let is_looked_at_again = !is_new && self.compression != Compression::None && self.file.is_some();
        if !is_looked_at_again {
            // A reader that was just repositioned has not reported its position yet.
            self.at = if is_new { self.at } else { at.max(self.at) };
            damaged.note(self.at, error.to_string());
        }
        self.search();
        if is_looked_at_again && self.record.is_none() {
            damaged.note(at, error.to_string());
        }
    }

    /// Advances to the next possible start of a record, after the last bytes read.
    fn search(&mut self) {
        self.left = 0;
        self.record = None;
        let Some(file) = &self.file else { return };
        let found = next_start(file.from(self.at + 1), self.compression);
        if let Ok(Some(offset)) = found {
            self.at += 1 + offset;
            self.is_new = true;
            self.record = Some(of_reader(decoder(self.compression, file.from(self.at))));
        }
    }
}

fn cut_off(missing: u64) -> String {
    format!("cut off: {missing} bytes of its block are missing")
}

/// Parses the headers of a record.
fn head(record: &WarcRecord, at: u64) -> Head {
    let field = |name| record.headers().get(name).map(|value| value.into_owned());
    // Some tools put the URI between angle brackets.
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

/// Returns what is missing of the last record of a file without compression.
fn unended_record(mut file: impl BufRead) -> Option<String> {
    let mut length = None;
    let mut is_begun = false;
    loop {
        let mut line = Vec::new();
        let read = file.by_ref().take(HEADER as u64).read_until(b'\n', &mut line);
        if let Err(error) = read {
            return Some(error.to_string());
        }
        match line.trim_ascii() {
            b"" if line.is_empty() => return is_begun.then(|| "cut off within the header".to_owned()),
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
        Ok(_) => Some("cut off at its end".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

/// Returns what is missing of the last Zstandard frame. Frames that cannot be decompressed, because they need a dictionary, still
/// state the sizes of their blocks.
fn unended_frame(file: impl Read) -> Option<String> {
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

/// Returns whether a file begins with a skippable frame, which holds the dictionary of a compressed archive.
fn begins_with_dictionary(file: &Place) -> bool {
    let mut head = Vec::new();
    let read = file.from(0).take(4).read_to_end(&mut head);
    read.is_ok() && head == [0x5d, 0x2a, 0x4d, 0x18]
}

/// Returns whether a record states its length: without it the end is unknown.
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
fn next_start(mut place: Place, compression: Compression) -> io::Result<Option<u64>> {
    let mark: &[u8] = match compression {
        Compression::None => b"\nWARC/1.",
        Compression::Gzip => b"\x1f\x8b\x08",
        Compression::Zstd => b"\x28\xb5\x2f\xfd",
        Compression::Lz4 => b"\x04\x22\x4d\x18",
    };
    // The line end before the mark is not part of the record.
    let before = u64::from(compression == Compression::None);
    let mut buffer = vec![0; BUFFER];
    let (mut kept, mut from) = (0, 0);
    loop {
        let count = place.read(buffer.get_mut(kept..).unwrap_or_default())?;
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
