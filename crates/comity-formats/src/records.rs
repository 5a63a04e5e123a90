//! The records of a WARC file in order, past those that are damaged.
//!
//! What cannot be read is passed over up to the next record, wherever that begins: with a member of gzip, a frame of
//! Zstandard or LZ4, or a line `WARC/1.`. Only a file that can be read from several places is searched; of a stream the rest
//! is lost.

use std::io::{self, BufReader, Read};

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

/// A header, of WARC or HTTP, may have so many bytes.
const HEADER: usize = 64 * 1024;

/// A file is read in pieces of so many bytes.
const BUFFER: usize = 256 * 1024;

/// Reads records.
pub(crate) struct Records {
    /// `None` at the end.
    record: Option<WarcRecord>,
    compression: Compression,
    /// The file, where it can be searched.
    file: Option<Place>,
    /// The offset of the record.
    at: u64,
    /// Whether the first record is still to be read.
    is_new: bool,
    /// How many bytes of the record's block are left.
    left: u64,
}

/// What the headers of a record say.
#[derive(Debug)]
pub(crate) struct Head {
    pub kind: WarcRecordType,
    /// The offset of the record in the file, compressed as it is.
    pub at: u64,
    pub target: Option<String>,
    /// Microseconds since 1970.
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

    /// Goes to the next record and reads its headers; `None` at the end.
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
            return Some(head(record, self.at));
        }
    }

    /// Returns a field of the answer's header.
    pub(crate) fn http_field(&self, name: &str) -> Option<String> {
        Some(self.record.as_ref()?.http_headers()?.get(name)?.into_owned())
    }

    /// Returns the length of the block behind the headers.
    pub(crate) fn body_length(&self) -> u64 {
        self.left
    }

    /// Reads the body as it was sent, no more than `most` bytes of it.
    pub(crate) fn body(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        if let Some(reader) = self.record.as_mut().and_then(WarcRecord::reader_mut) {
            reader.take(most as u64).read_to_end(&mut body)?;
        }
        self.left = self.left.saturating_sub(body.len() as u64);
        Ok(body)
    }

    /// Reads the body with its codings undone, no more than `most` bytes of it.
    pub(crate) fn plain_body(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let [transfer, content] = ["Transfer-Encoding", "Content-Encoding"].map(|name| self.http_field(name));
        // What is sent chunked or compressed may be a little longer than what it stands for.
        let sent = self.body(most.saturating_mul(2).saturating_add(64 * 1024))?;
        Ok(bodies::plain(sent, transfer.as_deref(), content.as_deref(), most))
    }

    /// Returns the fields of the answer's header with these names, in their order.
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

    /// Passes over what is left of the record.
    fn pass_over(&mut self) -> Result<(), String> {
        let left = std::mem::take(&mut self.left);
        let Some(record) = self.record.as_mut().filter(|_| left > 0) else { return Ok(()) };
        let passed = record
            .consume_n(usize::try_from(left).unwrap_or(usize::MAX))
            .map_err(|error| error.to_string())?;
        match (passed as u64) < left {
            true => Err(format!("cut off: {} bytes of its block are missing", left - passed as u64)),
            false => Ok(()),
        }
    }

    /// Goes on after a record whose header cannot be read.
    ///
    /// A record that tells a wrong length ends in the middle of another. Where each record is compressed by itself, the next
    /// is found all the same: the search begins at the last that was read.
    fn go_on_after(&mut self, error: &io::Error, at: u64, is_new: bool, damaged: &mut Damaged) {
        let is_looked_at_again = !is_new && self.compression != Compression::None && self.file.is_some();
        if !is_looked_at_again {
            // A reader that was just put somewhere has not said where it is.
            self.at = if is_new { self.at } else { at.max(self.at) };
            damaged.note(self.at, error.to_string());
        }
        self.search();
        if is_looked_at_again && self.record.is_none() {
            damaged.note(at, error.to_string());
        }
    }

    /// Goes to where the next record may begin, behind the last that was read.
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

/// Reads what the headers of a record say.
fn head(record: &WarcRecord, at: u64) -> Head {
    let field = |name| record.headers().get(name).map(|value| value.into_owned());
    // Some tools put it between angle brackets.
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

/// Returns whether a record tells its length: without it the end is not known.
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

/// Returns how far from a place the next record may begin.
fn next_start(mut place: Place, compression: Compression) -> io::Result<Option<u64>> {
    let mark: &[u8] = match compression {
        Compression::None => b"\nWARC/1.",
        Compression::Gzip => b"\x1f\x8b\x08",
        Compression::Zstd => b"\x28\xb5\x2f\xfd",
        Compression::Lz4 => b"\x04\x22\x4d\x18",
    };
    // The line end is not part of the record.
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
        // A mark may lie across two pieces.
        let keep = filled.min(mark.len() - 1);
        buffer.copy_within(filled - keep..filled, 0);
        from += (filled - keep) as u64;
        kept = keep;
    }
}
