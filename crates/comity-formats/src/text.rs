//! Decodes text in UTF-16, which spreadsheets and databases on Windows export. It is detected by its byte order mark.

use std::io::{self, Read};

use encoding_rs::{Decoder, DecoderResult, Encoding};

/// Returns the encoding if the text begins with a byte order mark of UTF-16.
pub(crate) fn utf16(head: &[u8]) -> Option<&'static Encoding> {
    let (encoding, _) = Encoding::for_bom(head)?;
    (encoding != encoding_rs::UTF_8).then_some(encoding)
}

/// A reader that converts UTF-16 to UTF-8. Invalid or incomplete text is an error.
pub(crate) struct Utf16<R> {
    bytes: R,
    decoder: Decoder,
    /// Bytes that are not decoded yet.
    raw: Vec<u8>,
    /// Decoded text.
    text: Vec<u8>,
    /// Number of bytes of `text` that were returned.
    read: usize,
    /// True after the last bytes were decoded.
    is_over: bool,
    /// True if the rest is invalid.
    is_broken: bool,
}

/// Number of bytes that are decoded at once.
const CHUNK: usize = 1 << 15;

impl<R: Read> Utf16<R> {
    pub(crate) fn new(bytes: R, encoding: &'static Encoding) -> Utf16<R> {
        let decoder = encoding.new_decoder_with_bom_removal();
        Utf16 { bytes, decoder, raw: Vec::new(), text: Vec::new(), read: 0, is_over: false, is_broken: false }
    }

    fn decode(&mut self) -> io::Result<()> {
        let count = self.bytes.by_ref().take(CHUNK as u64).read_to_end(&mut self.raw)?;
        let is_last = count == 0;
        (self.text, self.read) = (vec![0; 3 * self.raw.len() + 16], 0);
        let (result, used, written) =
            self.decoder.decode_to_utf8_without_replacement(&self.raw, &mut self.text, is_last);
        self.raw.drain(..used);
        self.text.truncate(written);
        self.is_broken = matches!(result, DecoderResult::Malformed(..));
        self.is_over = is_last || self.is_broken;
        Ok(())
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.text.len() && !self.is_over {
            self.decode()?;
        }
        if self.read == self.text.len() && self.is_broken {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the text is not valid UTF-16, or is cut off",
            ));
        }
        let rest = self.text.get(self.read..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.read += count;
        Ok(count)
    }
}
