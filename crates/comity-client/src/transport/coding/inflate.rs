//! Decodes `deflate`, and inflates the members of gzip.

use flate2::{Decompress, FlushDecompress, Status};

use super::{ByteCounts, CodingError, Decoder};

/// Inflates input into `out`. Returns the numbers of bytes read and written, and true if the end of the stream was
/// reached.
pub(super) fn inflate(
    stream: &mut Decompress,
    input: &[u8],
    out: &mut [u8],
) -> Result<(ByteCounts, bool), CodingError> {
    let (read, written) = (stream.total_in(), stream.total_out());
    let status = stream
        .decompress(input, out, FlushDecompress::None)
        .map_err(|_| CodingError::Broken("the body is not valid deflate"))?;
    // Each count is at most the length of a slice, so it fits in a `usize`.
    let moved = ((stream.total_in() - read) as usize, (stream.total_out() - written) as usize);
    Ok((moved, status == Status::StreamEnd))
}

/// A decoder for zlib and raw deflate. The first two bytes determine the format.
#[derive(Debug, Default)]
pub(super) struct Deflate {
    /// The first bytes of the body, until two bytes have arrived.
    head: Vec<u8>,
    decompress: Option<Decompress>,
    is_done: bool,
}

impl Decoder for Deflate {
    fn is_done(&self) -> bool {
        self.is_done
    }

    fn may_end(&self) -> bool {
        self.decompress.is_none() && self.head.is_empty()
    }

    fn decode(&mut self, input: &[u8], out: &mut [u8]) -> Result<ByteCounts, CodingError> {
        if self.is_done {
            return Ok((input.len(), 0));
        }
        let mut at = 0;
        while self.decompress.is_none() {
            let Some(&byte) = input.get(at) else { return Ok((at, 0)) };
            at += 1;
            self.head.push(byte);
            if let [first, second] = self.head[..] {
                // The header of zlib (RFC 1950 §2.2).
                let is_zlib = first & 0x0f == 8 && u16::from_be_bytes([first, second]) % 31 == 0;
                self.decompress = Some(Decompress::new(is_zlib));
            }
        }
        let Some(stream) = &mut self.decompress else { return Ok((at, 0)) };
        while !self.head.is_empty() && !self.is_done {
            let ((read, written), has_ended) = inflate(stream, &self.head, out)?;
            self.head.drain(..read);
            self.is_done = has_ended;
            if written > 0 {
                return Ok((at, written));
            }
            if read == 0 {
                break;
            }
        }
        if self.is_done {
            return Ok((at, 0));
        }
        let ((read, written), has_ended) = inflate(stream, &input[at..], out)?;
        self.is_done = has_ended;
        Ok((at + read, written))
    }
}
