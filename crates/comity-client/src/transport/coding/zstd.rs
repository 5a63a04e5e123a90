//! Decodes `zstd`.

use std::fmt;
use std::io::Read;

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{ByteCounts, CodingError, Decoder};

/// State of a zstd decoder: the next part of the current frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ZstdStep {
    /// The header of a frame.
    Header,
    /// A skippable frame, with the number of remaining bytes.
    Skipped(u32),
    /// The header of a block.
    Block,
    /// A block and its header, with their size in bytes. After the last block, the size includes the checksum.
    Content(usize),
    Done,
}

/// A decoder for zstd (RFC 8878). It reads a sequence of frames, and decodes a block when it is complete. A block has
/// at most 128 KiB, encoded or decoded.
pub(super) struct Zstd {
    step: ZstdStep,
    frame: FrameDecoder,
    has_frame: bool,
    has_checksum: bool,
    /// Bytes of the current header or block that have arrived so far.
    buffer: Vec<u8>,
}

impl Default for Zstd {
    fn default() -> Self {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(ZSTD_WINDOW);
        Zstd { step: ZstdStep::Header, frame, has_frame: false, has_checksum: false, buffer: Vec::new() }
    }
}

impl fmt::Debug for Zstd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Zstd").field("step", &self.step).finish_non_exhaustive()
    }
}

const ZSTD_WINDOW: u64 = 8 << 20;
const ZSTD_BLOCK: usize = 128 << 10;
const ZSTD_MAGIC: u32 = 0xFD2F_B528;
const ZSTD_BROKEN: CodingError = CodingError::Broken("the body is not valid zstd");

impl Decoder for Zstd {
    fn is_done(&self) -> bool {
        self.step == ZstdStep::Done
    }

    fn may_end(&self) -> bool {
        // Up to three bytes after a frame, such as a line end, cannot begin another frame.
        let is_rest = self.has_frame && self.buffer.len() < 4;
        self.step == ZstdStep::Header && (self.buffer.is_empty() || is_rest)
    }

    fn decode(&mut self, input: &[u8], out: &mut [u8]) -> Result<ByteCounts, CodingError> {
        let mut at = 0;
        loop {
            let written = self.frame.read(out).map_err(|_| ZSTD_BROKEN)?;
            if written > 0 {
                return Ok((at, written));
            }
            let wanted = match self.step {
                ZstdStep::Done => return Ok((input.len(), 0)),
                ZstdStep::Skipped(left) => {
                    let skipped = (left as usize).min(input.len() - at);
                    at += skipped;
                    // `skipped` is at most `left`.
                    self.step = match left - skipped as u32 {
                        0 => ZstdStep::Header,
                        left => ZstdStep::Skipped(left),
                    };
                    if at == input.len() {
                        return Ok((at, 0));
                    }
                    continue;
                }
                ZstdStep::Header => self.header_length(),
                ZstdStep::Block => 3,
                ZstdStep::Content(length) => length,
            };
            let taken = wanted.saturating_sub(self.buffer.len()).min(input.len() - at);
            self.buffer.extend_from_slice(&input[at..at + taken]);
            at += taken;
            if self.buffer.len() < wanted {
                return Ok((at, 0));
            }
            self.advance()?;
        }
    }
}

impl Zstd {
    /// Returns the length of the header of a frame, as far as the collected bytes determine it (§3.1.1.1, §3.1.2).
    fn header_length(&self) -> usize {
        let Some(magic) = self.buffer.first_chunk::<4>() else { return 4 };
        if is_skippable(u32::from_le_bytes(*magic)) {
            return 8;
        }
        let Some(&descriptor) = self.buffer.get(4) else { return 5 };
        let is_single = descriptor & 0x20 != 0;
        let content_size = match descriptor >> 6 {
            0 => usize::from(is_single),
            1 => 2,
            2 => 4,
            _ => 8,
        };
        let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
        5 + usize::from(!is_single) + dictionary + content_size
    }

    /// Processes the current part, after all its bytes have arrived.
    fn advance(&mut self) -> Result<(), CodingError> {
        match self.step {
            ZstdStep::Header if self.buffer.len() < self.header_length() => {
                if self.buffer.len() == 4 {
                    self.check_magic()?;
                }
            }
            ZstdStep::Header => self.begin_frame()?,
            ZstdStep::Block => {
                let [low, middle, high] = self.buffer[..] else { return Err(ZSTD_BROKEN) };
                let header = u32::from_le_bytes([low, middle, high, 0]);
                let (is_last, kind, size) = (header & 1 != 0, header >> 1 & 3, (header >> 3) as usize);
                if size > ZSTD_BLOCK || kind == 3 {
                    return Err(ZSTD_BROKEN);
                }
                // A run is encoded as one byte, whatever its length.
                let content = if kind == 1 { 1 } else { size };
                let checksum = if is_last && self.has_checksum { 4 } else { 0 };
                self.step = ZstdStep::Content(3 + content + checksum);
            }
            ZstdStep::Content(_) => {
                self.frame
                    .decode_blocks(&self.buffer[..], BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(|_| ZSTD_BROKEN)?;
                self.buffer.clear();
                self.step = if self.frame.is_finished() { ZstdStep::Header } else { ZstdStep::Block };
            }
            ZstdStep::Skipped(_) | ZstdStep::Done => {}
        }
        Ok(())
    }

    /// Checks whether another frame begins. Other bytes after a frame are ignored.
    fn check_magic(&mut self) -> Result<(), CodingError> {
        let magic = self.buffer.first_chunk::<4>().map(|magic| u32::from_le_bytes(*magic));
        if magic.is_some_and(|magic| magic == ZSTD_MAGIC || is_skippable(magic)) {
            Ok(())
        } else if self.has_frame {
            self.step = ZstdStep::Done;
            Ok(())
        } else {
            Err(ZSTD_BROKEN)
        }
    }

    fn begin_frame(&mut self) -> Result<(), CodingError> {
        if let [a, b, c, d, e, f, g, h] = self.buffer[..]
            && is_skippable(u32::from_le_bytes([a, b, c, d]))
        {
            self.step = match u32::from_le_bytes([e, f, g, h]) {
                0 => ZstdStep::Header,
                length => ZstdStep::Skipped(length),
            };
        } else {
            // `reset` rejects a window that is too large, and frames with a dictionary.
            self.frame.reset(&self.buffer[..]).map_err(|_| ZSTD_BROKEN)?;
            self.has_checksum = self.buffer.get(4).is_some_and(|descriptor| descriptor & 4 != 0);
            self.step = ZstdStep::Block;
        }
        self.has_frame = true;
        self.buffer.clear();
        Ok(())
    }
}

/// Returns true for the magic number of a skippable frame (§3.1.2).
fn is_skippable(magic: u32) -> bool {
    magic & 0xFFFF_FFF0 == 0x184D_2A50
}
