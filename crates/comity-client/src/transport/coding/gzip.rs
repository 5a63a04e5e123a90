//! Decodes `gzip`.

use flate2::Decompress;

use super::inflate::inflate;
use super::{ByteCounts, CodingError, Decoder};

/// State of a gzip decoder: the next part of the current member. A gzip file is a sequence of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GzipStep {
    /// The ten bytes at the beginning of every member.
    Head,
    /// The length of the extra field.
    ExtraLength,
    /// The extra field, with the number of remaining bytes.
    Extra(u16),
    /// The file name. The file name and the comment end with a zero byte.
    Name,
    Comment,
    /// The checksum of the header.
    Checksum,
    Body,
    /// The checksum and length of the body.
    Trailer,
    Done,
}

/// A decoder for gzip (RFC 1952). It reads a sequence of members. Bytes after the last member are ignored unless they
/// begin another member, as in browsers.
#[derive(Debug)]
pub(super) struct Gzip {
    step: GzipStep,
    /// True if a member was read to its end.
    has_member: bool,
    /// Bytes of the current part that have arrived so far.
    field: Vec<u8>,
    flags: u8,
    stream: Decompress,
    checksum: crc32fast::Hasher,
}

impl Default for Gzip {
    fn default() -> Self {
        Gzip {
            step: GzipStep::Head,
            has_member: false,
            field: Vec::with_capacity(10),
            flags: 0,
            stream: Decompress::new(false),
            checksum: crc32fast::Hasher::new(),
        }
    }
}

const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
const FHCRC: u8 = 2;
const FEXTRA: u8 = 4;
const FNAME: u8 = 8;
const FCOMMENT: u8 = 16;

impl Decoder for Gzip {
    fn is_done(&self) -> bool {
        self.step == GzipStep::Done
    }

    fn may_end(&self) -> bool {
        self.is_done() || self.step == GzipStep::Head && self.field.is_empty()
    }

    fn decode(&mut self, input: &[u8], out: &mut [u8]) -> Result<ByteCounts, CodingError> {
        let mut at = 0;
        loop {
            if self.step == GzipStep::Body {
                let ((read, written), has_ended) = inflate(&mut self.stream, &input[at..], out)?;
                self.checksum.update(&out[..written]);
                at += read;
                if has_ended {
                    self.step = GzipStep::Trailer;
                }
                if written > 0 || !has_ended {
                    return Ok((at, written));
                }
                continue;
            }
            let Some(&byte) = input.get(at) else { return Ok((at, 0)) };
            at += 1;
            self.read_header_byte(byte)?;
            if self.step == GzipStep::Done {
                return Ok((at, 0));
            }
        }
    }
}

impl Gzip {
    /// Reads a byte outside of the compressed data.
    fn read_header_byte(&mut self, byte: u8) -> Result<(), CodingError> {
        match self.step {
            GzipStep::Head => {
                if GZIP_MAGIC.get(self.field.len()).is_some_and(|&magic| magic != byte) {
                    if !self.has_member {
                        return Err(CodingError::Broken("the body is not valid gzip"));
                    }
                    self.step = GzipStep::Done;
                    return Ok(());
                }
                self.field.push(byte);
                if let [_, _, _, flags, _, _, _, _, _, _] = self.field[..] {
                    self.flags = flags;
                    self.advance(GzipStep::ExtraLength);
                }
            }
            GzipStep::ExtraLength => {
                self.field.push(byte);
                if let [low, high] = self.field[..] {
                    match u16::from_le_bytes([low, high]) {
                        0 => self.advance(GzipStep::Name),
                        length => self.step = GzipStep::Extra(length),
                    }
                }
            }
            GzipStep::Extra(1) => self.advance(GzipStep::Name),
            GzipStep::Extra(left) => self.step = GzipStep::Extra(left - 1),
            GzipStep::Name if byte == 0 => self.advance(GzipStep::Comment),
            GzipStep::Comment if byte == 0 => self.advance(GzipStep::Checksum),
            GzipStep::Name | GzipStep::Comment => {}
            GzipStep::Checksum => {
                self.field.push(byte);
                if self.field.len() == 2 {
                    self.advance(GzipStep::Body);
                }
            }
            GzipStep::Trailer => {
                self.field.push(byte);
                if let &[a, b, c, d, e, f, g, h] = &self.field[..] {
                    self.check(u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))?;
                }
            }
            GzipStep::Body | GzipStep::Done => {}
        }
        Ok(())
    }

    /// Continues with `step`, or with the first later part of the header that is present according to the flags.
    fn advance(&mut self, step: GzipStep) {
        self.field.clear();
        let steps = [
            (GzipStep::ExtraLength, FEXTRA),
            (GzipStep::Name, FNAME),
            (GzipStep::Comment, FCOMMENT),
            (GzipStep::Checksum, FHCRC),
        ];
        let asked =
            steps.iter().skip_while(|(name, _)| *name != step).find(|(_, flag)| self.flags & flag != 0);
        self.step = asked.map_or(GzipStep::Body, |(step, _)| *step);
    }

    /// Checks a member against its trailer, and prepares for the next member.
    fn check(&mut self, checksum: u32, length: u32) -> Result<(), CodingError> {
        let found = std::mem::take(&mut self.checksum).finalize();
        // The trailer contains the length modulo 2^32.
        if found != checksum || self.stream.total_out() as u32 != length {
            return Err(CodingError::Broken("the body does not match its gzip checksum"));
        }
        self.field.clear();
        self.stream.reset(false);
        self.step = GzipStep::Head;
        self.has_member = true;
        Ok(())
    }
}
