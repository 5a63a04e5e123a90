//! Decodes content codings and transfer codings (RFC 9110 §8.4.1, RFC 9112 §7).
//!
//! A [`Decoding`] is a chain of decoders, one per coding. The reader requests bytes, and the decoders produce only as
//! many bytes as requested. So the whole decoded body is never in memory, and after a reader has stopped, no further
//! bytes are decoded. The decoders keep only their windows in memory: 32 KiB for gzip and deflate, at most 16 MiB for
//! Brotli (RFC 7932 §9.1) and 8 MiB for zstd (RFC 9659 §3). A body may have only one coding with such a large window.

mod brotli;
mod gzip;
mod inflate;
mod zstd;

use std::fmt;

use bytes::{Buf, Bytes};
use http::{HeaderMap, header};

use self::brotli::Brotli;
use self::gzip::Gzip;
use self::inflate::Deflate;
use self::zstd::Zstd;
pub use super::encoding_words::ignored_words;
use super::encoding_words::{is_not_a_coding, words};

/// The supported codings, in the form of an `Accept-Encoding` field.
pub const ACCEPTED: &str = "gzip, deflate, br, zstd";

/// Maximum number of codings of one body.
pub const MAX_CODINGS: usize = 4;

/// Maximum number of bytes that pass from one decoder to the next at once.
const STEP: usize = 8 * 1024;

/// Maximum number of bytes after the end of a coding that is nested in another coding.
const MAX_TRAILING_BYTES: usize = 64 * 1024;

comity::words! {
    /// A content coding.
    #[non_exhaustive]
    pub enum Coding as "content coding" {
        /// `gzip` and `x-gzip` (RFC 1952).
        Gzip = "gzip",
        /// `deflate`: zlib (RFC 1950) or, as some servers send it, raw deflate (RFC 1951).
        Deflate = "deflate",
        /// `br` (RFC 7932).
        Brotli = "br",
        /// `zstd` (RFC 8878), with a window of at most 8 MiB (RFC 9659).
        Zstd = "zstd",
    }
}

impl Coding {
    /// Returns the coding of this name, in any case.
    fn named(name: &str) -> Option<Coding> {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        match () {
            () if is("gzip") || is("x-gzip") => Some(Coding::Gzip),
            () if is("deflate") => Some(Coding::Deflate),
            () if is("br") => Some(Coding::Brotli),
            () if is("zstd") => Some(Coding::Zstd),
            () => None,
        }
    }

    /// Returns true if the bytes begin with the format's signature. Deflate and Brotli have no signature.
    fn is_marked_in(self, bytes: &[u8]) -> bool {
        match self {
            Coding::Gzip => bytes.starts_with(&[0x1f, 0x8b]),
            Coding::Zstd => bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]),
            Coding::Deflate | Coding::Brotli => false,
        }
    }

    /// Returns true if the decoder may need several megabytes of memory.
    fn has_large_window(self) -> bool {
        matches!(self, Coding::Brotli | Coding::Zstd)
    }

    fn decoder(self) -> Box<dyn Decoder> {
        match self {
            Coding::Gzip => Box::<Gzip>::default(),
            Coding::Deflate => Box::<Deflate>::default(),
            Coding::Brotli => Box::<Brotli>::default(),
            Coding::Zstd => Box::<Zstd>::default(),
        }
    }
}

/// The reason why a body cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodingError {
    /// The coding is not supported. Contains its name.
    #[error("the content coding `{}` is not supported", .0.escape_debug())]
    Unsupported(String),
    /// More codings than [`MAX_CODINGS`].
    #[error("the body has more than {MAX_CODINGS} content codings")]
    TooMany,
    /// More than one coding with a window of several megabytes: Brotli or zstd.
    #[error("the body has more than one content coding of `br` and `zstd`")]
    TooLarge,
    /// The first bytes of the body are not in the coding that the header names.
    #[error("the header contains `Content-Encoding: {name}`, but the body is not in {name}; it may be plain", name = .0.as_str())]
    NotCoded(Coding),
    /// The body is damaged, or ends too early.
    #[error("{0}")]
    Broken(&'static str),
}

/// Returns the codings in a header, in the order in which they were applied: first the content codings, then the
/// transfer codings.
///
/// `identity` and `chunked` are omitted, and so are words in `Content-Encoding` that are not codings, such as charsets
/// ([`ignored_words`]). Names are case-insensitive, and a field may have several lines.
///
/// ```
/// use comity_client::transport::coding::{Coding, codings};
/// use http::HeaderMap;
///
/// let mut headers = HeaderMap::new();
/// headers.insert("content-encoding", "GZIP, identity, br".parse()?);
/// assert_eq!(codings(&headers), Ok(vec![Coding::Gzip, Coding::Brotli]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`CodingError::Unsupported`] for an unknown name, [`CodingError::TooMany`] for a list longer than [`MAX_CODINGS`],
/// [`CodingError::TooLarge`] for a second coding of `br` and `zstd`.
pub fn codings(headers: &HeaderMap) -> Result<Vec<Coding>, CodingError> {
    let content = words(headers, header::CONTENT_ENCODING).filter(|name| !is_not_a_coding(name));
    let transfer =
        words(headers, header::TRANSFER_ENCODING).filter(|name| !name.eq_ignore_ascii_case("chunked"));
    let mut found = Vec::new();
    for name in content.chain(transfer) {
        if name.is_empty() || name.eq_ignore_ascii_case("identity") {
            continue;
        }
        if found.len() == MAX_CODINGS {
            return Err(CodingError::TooMany);
        }
        let shown = || name.chars().take(40).collect();
        let coding = Coding::named(&name).ok_or_else(|| CodingError::Unsupported(shown()))?;
        if coding.has_large_window() && found.iter().any(|coding: &Coding| coding.has_large_window()) {
            return Err(CodingError::TooLarge);
        }
        found.push(coding);
    }
    Ok(found)
}

/// A decoder of a body with several codings.
///
/// ```
/// use comity_client::transport::coding::{Coding, Decoding, Pulled};
///
/// // `hello` in gzip, in one stored block.
/// let mut wire = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1, 5, 0, 0xfa, 0xff];
/// wire.extend(b"hello");
/// wire.extend([0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0]);
/// let mut decoding = Decoding::new(&[Coding::Gzip]);
/// decoding.feed(wire.into());
/// let mut plain = [0; 16];
/// assert_eq!(decoding.pull(&mut plain), Ok(Pulled::Bytes(5)));
/// assert_eq!(&plain[..5], b"hello");
/// assert_eq!(decoding.pull(&mut plain), Ok(Pulled::Starved));
/// decoding.end();
/// assert_eq!(decoding.pull(&mut plain), Ok(Pulled::End));
/// ```
#[derive(Debug)]
pub struct Decoding {
    wire: Wire,
    /// The decoders. The coding that was applied last is decoded first.
    layers: Vec<Layer>,
}

/// The result of a pull.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "a pull has no other result")]
pub enum Pulled {
    /// This many bytes were written, at least one.
    Bytes(usize),
    /// No bytes were written. The caller must [feed](Decoding::feed) more input, or report its [end](Decoding::end).
    Starved,
    /// The body has ended.
    End,
}

/// Input that has not been read yet.
#[derive(Debug, Default)]
struct Wire {
    bytes: Bytes,
    has_ended: bool,
}

/// A decoder and its pending input.
#[derive(Debug)]
struct Layer {
    coding: Coding,
    decoder: Box<dyn Decoder>,
    has_output: bool,
    pending: Vec<u8>,
    at: usize,
    has_ended: bool,
    /// The number of bytes after the end of the coding.
    passed_over: usize,
}

impl Decoding {
    /// Creates a decoder for codings that were applied in this order.
    pub fn new(codings: &[Coding]) -> Self {
        let layer = |&coding: &Coding| Layer {
            coding,
            decoder: coding.decoder(),
            has_output: false,
            pending: Vec::new(),
            at: 0,
            has_ended: false,
            passed_over: 0,
        };
        Decoding { wire: Wire::default(), layers: codings.iter().rev().map(layer).collect() }
    }

    /// Passes the next bytes of input. The previous bytes must have been consumed, which [`pull`](Decoding::pull)
    /// reports by [`Pulled::Starved`].
    pub fn feed(&mut self, bytes: Bytes) {
        debug_assert!(self.wire.bytes.is_empty(), "fed before the previous bytes were consumed");
        self.wire.bytes = bytes;
    }

    /// Reports the end of the input.
    pub fn end(&mut self) {
        self.wire.has_ended = true;
    }

    /// Writes the next decoded bytes to `out`, which must not be empty.
    ///
    /// # Errors
    ///
    /// [`CodingError::NotCoded`] if the input is not in its coding, [`CodingError::Broken`] if it is damaged or ends
    /// too early.
    pub fn pull(&mut self, out: &mut [u8]) -> Result<Pulled, CodingError> {
        pull(&mut self.layers, &mut self.wire, out)
    }
}

fn pull(layers: &mut [Layer], wire: &mut Wire, out: &mut [u8]) -> Result<Pulled, CodingError> {
    let Some((layer, before)) = layers.split_last_mut() else { return Ok(wire.pull(out)) };
    loop {
        let (read, written) = layer.decode(out)?;
        layer.at += read;
        if written > 0 {
            layer.has_output = true;
            return Ok(Pulled::Bytes(written));
        }
        if layer.decoder.is_done() {
            return layer.skip_trailing(before, wire);
        }
        if read > 0 && layer.at < layer.pending.len() {
            continue;
        }
        if layer.has_ended {
            if layer.decoder.may_end() {
                return Ok(Pulled::End);
            }
            return Err(CodingError::Broken("the body ends before the end of its content coding"));
        }
        layer.at = 0;
        layer.pending.resize(STEP, 0);
        match pull(before, wire, &mut layer.pending)? {
            Pulled::Bytes(bytes) => layer.pending.truncate(bytes),
            Pulled::Starved => {
                layer.pending.clear();
                return Ok(Pulled::Starved);
            }
            Pulled::End => {
                layer.pending.clear();
                layer.has_ended = true;
            }
        }
    }
}

impl Layer {
    fn decode(&mut self, out: &mut [u8]) -> Result<ByteCounts, CodingError> {
        let decoded = self.decoder.decode(self.pending.get(self.at..).unwrap_or_default(), out);
        let is_marked = self.has_output || self.coding.is_marked_in(&self.pending);
        decoded.map_err(|error| if is_marked { error } else { CodingError::NotCoded(self.coding) })
    }

    /// Decodes and skips the bytes of the outer coding after the end of this coding. Errors in them are reported,
    /// however the body is split into chunks. Bytes after the end of the outermost coding are ignored, as in
    /// browsers.
    fn skip_trailing(&mut self, before: &mut [Layer], wire: &mut Wire) -> Result<Pulled, CodingError> {
        if before.is_empty() {
            return Ok(Pulled::End);
        }
        loop {
            self.pending.resize(STEP, 0);
            match pull(before, wire, &mut self.pending)? {
                Pulled::Bytes(bytes) => self.passed_over += bytes,
                other => return Ok(other),
            }
            if self.passed_over > MAX_TRAILING_BYTES {
                return Err(CodingError::Broken("too many bytes follow the end of the content coding"));
            }
        }
    }
}

impl Wire {
    fn pull(&mut self, out: &mut [u8]) -> Pulled {
        let bytes = out.len().min(self.bytes.len());
        if bytes > 0 {
            self.bytes.copy_to_slice(&mut out[..bytes]);
            Pulled::Bytes(bytes)
        } else if self.has_ended {
            Pulled::End
        } else {
            Pulled::Starved
        }
    }
}

/// The number of bytes read and the number written.
type ByteCounts = (usize, usize);

/// The decoder of one coding.
trait Decoder: fmt::Debug + Send + Sync {
    /// Decodes input into `out`. A call that writes no bytes has read all its input, unless the coding has ended.
    fn decode(&mut self, input: &[u8], out: &mut [u8]) -> Result<ByteCounts, CodingError>;

    /// Returns true if further input cannot produce more output.
    fn is_done(&self) -> bool;

    /// Returns true if the input is complete at this point. An empty input is complete, as in the answer to `HEAD`.
    fn may_end(&self) -> bool;
}
