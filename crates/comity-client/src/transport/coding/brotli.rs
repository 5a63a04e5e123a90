//! Decodes `br`.

use std::fmt;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

use super::{ByteCounts, CodingError, Decoder};

/// A decoder for Brotli (RFC 7932).
pub(super) struct Brotli {
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    has_begun: bool,
    is_done: bool,
}

impl Default for Brotli {
    fn default() -> Self {
        let alloc = StandardAlloc::default;
        // The strict mode accepts only the window sizes that the RFC defines.
        let state = BrotliState::new_strict(alloc(), alloc(), alloc());
        Brotli { state, has_begun: false, is_done: false }
    }
}

impl fmt::Debug for Brotli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Brotli").field("is_done", &self.is_done).finish_non_exhaustive()
    }
}

impl Decoder for Brotli {
    fn is_done(&self) -> bool {
        self.is_done
    }

    fn may_end(&self) -> bool {
        !self.has_begun
    }

    fn decode(&mut self, input: &[u8], out: &mut [u8]) -> Result<ByteCounts, CodingError> {
        if self.is_done {
            return Ok((input.len(), 0));
        }
        self.has_begun |= !input.is_empty();
        let (mut left, mut read) = (input.len(), 0);
        let (mut room, mut written, mut total) = (out.len(), 0, 0);
        match BrotliDecompressStream(
            &mut left,
            &mut read,
            input,
            &mut room,
            &mut written,
            out,
            &mut total,
            &mut self.state,
        ) {
            BrotliResult::ResultSuccess => self.is_done = true,
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {}
            BrotliResult::ResultFailure => {
                return Err(CodingError::Broken("the body is not valid Brotli"));
            }
        }
        Ok((read, written))
    }
}
