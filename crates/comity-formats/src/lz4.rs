//! Decodes a sequence of LZ4 frames. The decoder of `lz4_flex` decodes one frame, and does not report a cut within the frame.
//! So the structure of the frames is checked before the bytes are passed to it.

use std::io::{self, Read};

use lz4_flex::frame::FrameDecoder;

/// A decoder of LZ4 frames to the end of the bytes. A cut within a frame is an error.
pub(crate) struct Lz4Decoder<R: Read>(FrameDecoder<WholeFrames<R>>);

impl<R: Read> Lz4Decoder<R> {
    pub(crate) fn new(bytes: R) -> Lz4Decoder<R> {
        Lz4Decoder(FrameDecoder::new(WholeFrames::new(bytes)))
    }
}

impl<R: Read> Read for Lz4Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.0.read(buffer)?;
            if count > 0 || buffer.is_empty() || self.0.get_ref().is_over {
                return Ok(count);
            }
        }
    }
}

/// A reader that passes the bytes of LZ4 frames unchanged. If the bytes end within a frame, it returns an error.
struct WholeFrames<R> {
    bytes: R,
    /// True if the end of the bytes was reached.
    is_over: bool,
    /// The current part of the frame.
    at: Part,
    /// The bytes of the current part so far, if it is a number or a descriptor.
    part: Vec<u8>,
    /// Whether each block has a checksum, and whether the frame has a checksum.
    checksums: (bool, bool),
}

/// A part of an LZ4 frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The magic number, and the size of a skippable frame.
    Magic,
    /// The descriptor, whose first byte determines its length.
    Descriptor,
    /// The size of a block.
    BlockSize,
    /// Bytes that are not checked: the number of remaining bytes, and the following part.
    Skip(u64, After),
}

/// The following part after skipped bytes: another block, or another frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    Block,
    Frame,
}

/// Magic numbers of skippable frames.
const SKIPPABLE: std::ops::RangeInclusive<u32> = 0x184d_2a50..=0x184d_2a5f;

impl<R: Read> WholeFrames<R> {
    fn new(bytes: R) -> WholeFrames<R> {
        WholeFrames { bytes, is_over: false, at: Part::Magic, part: Vec::new(), checksums: (false, false) }
    }

    /// Advances through the frames by these bytes.
    fn check(&mut self, mut bytes: &[u8]) {
        while let Some((first, rest)) = bytes.split_first() {
            if let Part::Skip(left, after) = self.at {
                let count = left.min(bytes.len() as u64);
                bytes = bytes.get(count as usize..).unwrap_or_default();
                self.at = Part::Skip(left - count, after).settled();
                continue;
            }
            self.part.push(*first);
            bytes = rest;
            self.at = self.next_part();
        }
    }

    /// Returns the current part, given the bytes so far.
    fn next_part(&mut self) -> Part {
        let number = self.part.first_chunk().map(|number| u32::from_le_bytes(*number));
        let flags = self.part.first().copied().unwrap_or_default();
        let next = match (self.at, number) {
            (Part::Magic, Some(magic)) if SKIPPABLE.contains(&magic) => match self.part.get(4..8) {
                Some(size) => Part::Skip(little(size), After::Frame).settled(),
                None => return Part::Magic,
            },
            (Part::Magic, Some(_)) => Part::Descriptor,
            (Part::Descriptor, _) => {
                // Two bytes of flags and sizes, the optional content size, the optional dictionary number, and a checksum.
                let length = 3 + if flags & 8 > 0 { 8 } else { 0 } + if flags & 1 > 0 { 4 } else { 0 };
                if self.part.len() < length {
                    return Part::Descriptor;
                }
                self.checksums = (flags & 16 > 0, flags & 4 > 0);
                Part::BlockSize
            }
            (Part::BlockSize, Some(0)) => {
                Part::Skip(if self.checksums.1 { 4 } else { 0 }, After::Frame).settled()
            }
            (Part::BlockSize, Some(size)) => {
                let checksum = if self.checksums.0 { 4 } else { 0 };
                Part::Skip(u64::from(size & 0x7fff_ffff) + checksum, After::Block).settled()
            }
            (part, _) => return part,
        };
        self.part.clear();
        next
    }
}

impl Part {
    /// Returns the following part if there are no more bytes to skip.
    fn settled(self) -> Part {
        match self {
            Part::Skip(0, After::Block) => Part::BlockSize,
            Part::Skip(0, After::Frame) => Part::Magic,
            part => part,
        }
    }
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

impl<R: Read> Read for WholeFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        self.is_over |= count == 0 && !buffer.is_empty();
        if self.is_over && (self.at != Part::Magic || !self.part.is_empty()) {
            return Err(io::Error::other("cut off within an LZ4 frame"));
        }
        self.check(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}
