//! Content codings and transfer codings, undone (RFC 9110 §8.4.1, RFC 9112 §7).
//!
//! A [`Decoding`] is a chain of decoders, one per coding of the list. Whoever wants bytes pulls them: no decoder makes
//! more than was asked for, so what a body unpacks to never stands in memory, and a reader that stops at its cap has
//! worked no further than that. What is kept is what the codings need to look back: 32 KiB for gzip and deflate, and at
//! most 16 MiB for Brotli (RFC 7932 §9.1) and 8 MiB for zstd (RFC 9659 §3).

use std::fmt;
use std::io::Read;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use bytes::{Buf, Bytes};
use flate2::{Decompress, FlushDecompress, Status};
use http::{HeaderMap, header};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The codings that are undone, as `Accept-Encoding` announces them.
pub const ACCEPTED: &str = "gzip, deflate, br, zstd";

/// How many codings may lie one over the other.
pub const MAX_CODINGS: usize = 4;

/// How many bytes pass from one decoder to the next at once.
const STEP: usize = 8 * 1024;

/// How many bytes may follow the end of a coding that lies over another.
const MOST_PASSED_OVER: usize = 64 * 1024;

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coding {
    /// `gzip` and `x-gzip` (RFC 1952).
    Gzip,
    /// `deflate`: zlib (RFC 1950), or what some servers send under that name, bare deflate (RFC 1951).
    Deflate,
    /// `br` (RFC 7932).
    Brotli,
    /// `zstd` (RFC 8878), with a window of at most 8 MiB (RFC 9659).
    Zstd,
}

impl Coding {
    /// The coding of this name, in any case.
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

    fn decoder(self) -> Decoder {
        match self {
            Coding::Gzip => Decoder::Gzip(Box::default()),
            Coding::Deflate => Decoder::Deflate(Deflate::default()),
            Coding::Brotli => Decoder::Brotli(Box::default()),
            Coding::Zstd => Decoder::Zstd(Box::default()),
        }
    }
}

/// A body cannot be had in plain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CodingError {
    /// A coding that is not known, by its name.
    Unsupported(String),
    /// More codings than [`MAX_CODINGS`].
    TooMany,
    /// What came is not in the coding that the header names, or breaks off.
    Broken(&'static str),
}

impl fmt::Display for CodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodingError::Unsupported(name) => {
                write!(f, "the content coding `{}` is not supported", name.escape_debug())
            }
            CodingError::TooMany => {
                write!(f, "more than {MAX_CODINGS} content codings lie one over the other")
            }
            CodingError::Broken(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for CodingError {}

/// The codings that a header names, in the order in which they were applied: the content's, then the transfer's.
///
/// `identity` and `chunked` are none of them, names are matched in any case, and a field may stand on several lines.
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
/// [`CodingError::Unsupported`] for a name that is not known, [`CodingError::TooMany`] for a longer list than
/// [`MAX_CODINGS`].
pub fn codings(headers: &HeaderMap) -> Result<Vec<Coding>, CodingError> {
    let mut found = Vec::new();
    for (field, passed) in [(header::CONTENT_ENCODING, "identity"), (header::TRANSFER_ENCODING, "chunked")] {
        for value in headers.get_all(field) {
            for name in String::from_utf8_lossy(value.as_bytes()).split(',').map(str::trim) {
                if name.is_empty()
                    || name.eq_ignore_ascii_case(passed)
                    || name.eq_ignore_ascii_case("identity")
                {
                    continue;
                }
                if found.len() == MAX_CODINGS {
                    return Err(CodingError::TooMany);
                }
                let shown = || name.chars().take(40).collect();
                found.push(Coding::named(name).ok_or_else(|| CodingError::Unsupported(shown()))?);
            }
        }
    }
    Ok(found)
}

/// Undoes codings, one over the other.
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
    /// The coding that was applied last is undone first.
    layers: Vec<Layer>,
}

/// What came of asking for bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "there is nothing else that could come of it")]
pub enum Pulled {
    /// So many, at least one.
    Bytes(usize),
    /// None: more has to be [fed](Decoding::feed) first, or the [end](Decoding::end) be told.
    Starved,
    /// None, and there will be none.
    End,
}

/// What came and was not looked at yet.
#[derive(Debug, Default)]
struct Wire {
    bytes: Bytes,
    has_ended: bool,
}

/// A decoder and what waits to go into it.
#[derive(Debug)]
struct Layer {
    decoder: Decoder,
    pending: Vec<u8>,
    at: usize,
    has_ended: bool,
    /// How many bytes followed the end.
    passed_over: usize,
}

impl Decoding {
    /// Undoes these codings, which were applied in this order.
    pub fn new(codings: &[Coding]) -> Self {
        let layer = |coding: &Coding| Layer {
            decoder: coding.decoder(),
            pending: Vec::new(),
            at: 0,
            has_ended: false,
            passed_over: 0,
        };
        Decoding { wire: Wire::default(), layers: codings.iter().rev().map(layer).collect() }
    }

    /// Takes the next bytes as they came. What was fed before has to be used up: [`pull`](Decoding::pull) says when.
    pub fn feed(&mut self, bytes: Bytes) {
        debug_assert!(self.wire.bytes.is_empty(), "fed before it was starved");
        self.wire.bytes = bytes;
    }

    /// There is nothing more to feed.
    pub fn end(&mut self) {
        self.wire.has_ended = true;
    }

    /// The next bytes in plain, as many as fit into `out` at most, which must not be empty.
    ///
    /// # Errors
    ///
    /// [`CodingError::Broken`] if what was fed is not in its coding, or breaks off.
    pub fn pull(&mut self, out: &mut [u8]) -> Result<Pulled, CodingError> {
        pull(&mut self.layers, &mut self.wire, out)
    }
}

fn pull(layers: &mut [Layer], wire: &mut Wire, out: &mut [u8]) -> Result<Pulled, CodingError> {
    let Some((layer, before)) = layers.split_last_mut() else { return Ok(wire.pull(out)) };
    loop {
        let (read, written) = layer.decoder.decode(layer.pending.get(layer.at..).unwrap_or_default(), out)?;
        layer.at += read;
        if written > 0 {
            return Ok(Pulled::Bytes(written));
        }
        if layer.decoder.is_done() {
            return layer.pass_over(before, wire);
        }
        if read > 0 && layer.at < layer.pending.len() {
            continue;
        }
        if layer.has_ended {
            return layer.decoder.finish().map(|()| Pulled::End);
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
    /// Passes over what the codings below make after the end of this one, so that what is broken there counts however
    /// the body was cut into pieces. What follows on the wire itself is left alone, as browsers do.
    fn pass_over(&mut self, before: &mut [Layer], wire: &mut Wire) -> Result<Pulled, CodingError> {
        if before.is_empty() {
            return Ok(Pulled::End);
        }
        loop {
            self.pending.resize(STEP, 0);
            match pull(before, wire, &mut self.pending)? {
                Pulled::Bytes(bytes) => self.passed_over += bytes,
                other => return Ok(other),
            }
            if self.passed_over > MOST_PASSED_OVER {
                return Err(CodingError::Broken("much follows the end of the content coding"));
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

/// How many bytes were read and how many written.
type Moved = (usize, usize);

/// One coding, undone. A decoder that writes nothing has read all that it was given.
#[derive(Debug)]
enum Decoder {
    Gzip(Box<Gzip>),
    Deflate(Deflate),
    Brotli(Box<Brotli>),
    Zstd(Box<Zstd>),
}

impl Decoder {
    fn decode(&mut self, input: &[u8], out: &mut [u8]) -> Result<Moved, CodingError> {
        match self {
            Decoder::Gzip(gzip) => gzip.decode(input, out),
            Decoder::Deflate(deflate) => deflate.decode(input, out),
            Decoder::Brotli(brotli) => brotli.decode(input, out),
            Decoder::Zstd(zstd) => zstd.decode(input, out),
        }
    }

    /// Whether nothing more can come, whatever follows.
    fn is_done(&self) -> bool {
        match self {
            Decoder::Gzip(gzip) => gzip.step == GzipStep::Done,
            Decoder::Deflate(deflate) => deflate.is_done,
            Decoder::Brotli(brotli) => brotli.is_done,
            Decoder::Zstd(zstd) => zstd.step == ZstdStep::Done,
        }
    }

    /// Whether what came may end here. Nothing at all is no body, as in the answer to `HEAD`.
    fn finish(&self) -> Result<(), CodingError> {
        let is_whole = match self {
            Decoder::Gzip(gzip) => gzip.is_between_members(),
            Decoder::Deflate(deflate) => deflate.decompress.is_none() && deflate.head.is_empty(),
            Decoder::Brotli(brotli) => !brotli.has_begun,
            Decoder::Zstd(zstd) => zstd.step == ZstdStep::Header && zstd.buffer.is_empty(),
        };
        if is_whole { Ok(()) } else { Err(CodingError::Broken("the content coding breaks off")) }
    }
}

/// Inflates; says whether the end of the stream was reached.
fn inflate(stream: &mut Decompress, input: &[u8], out: &mut [u8]) -> Result<(Moved, bool), CodingError> {
    let (read, written) = (stream.total_in(), stream.total_out());
    let status = stream
        .decompress(input, out, FlushDecompress::None)
        .map_err(|_| CodingError::Broken("the body is not in the deflate format that it claims"))?;
    // No more than what fits into a slice.
    let moved = ((stream.total_in() - read) as usize, (stream.total_out() - written) as usize);
    Ok((moved, status == Status::StreamEnd))
}

/// Where a gzip decoder stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GzipStep {
    /// In the ten bytes that every member begins with.
    Head,
    /// In the length of the extra field.
    ExtraLength,
    /// In the extra field, with so many bytes to come.
    Extra(u16),
    /// In the name, and in the comment: both end with a zero.
    Name,
    Comment,
    /// In the checksum of the header.
    Checksum,
    Body,
    /// In checksum and length of the body.
    Trailer,
    Done,
}

/// RFC 1952: members, one after the other. What follows the last one and does not begin as one is left alone, as
/// browsers do.
#[derive(Debug)]
struct Gzip {
    step: GzipStep,
    /// Whether a member was read to its end.
    has_member: bool,
    /// What the step has collected.
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

impl Gzip {
    fn is_between_members(&self) -> bool {
        self.step == GzipStep::Done || self.step == GzipStep::Head && self.field.is_empty()
    }

    fn decode(&mut self, input: &[u8], out: &mut [u8]) -> Result<Moved, CodingError> {
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
            self.step_over(byte)?;
            if self.step == GzipStep::Done {
                return Ok((at, 0));
            }
        }
    }

    /// Reads a byte of what is not the body.
    fn step_over(&mut self, byte: u8) -> Result<(), CodingError> {
        match self.step {
            GzipStep::Head => {
                if GZIP_MAGIC.get(self.field.len()).is_some_and(|&magic| magic != byte) {
                    if !self.has_member {
                        return Err(CodingError::Broken("the body is not in the gzip format that it claims"));
                    }
                    self.step = GzipStep::Done;
                    return Ok(());
                }
                self.field.push(byte);
                if let [_, _, _, flags, _, _, _, _, _, _] = self.field[..] {
                    self.flags = flags;
                    self.go_on(GzipStep::ExtraLength);
                }
            }
            GzipStep::ExtraLength => {
                self.field.push(byte);
                if let [low, high] = self.field[..] {
                    match u16::from_le_bytes([low, high]) {
                        0 => self.go_on(GzipStep::Name),
                        length => self.step = GzipStep::Extra(length),
                    }
                }
            }
            GzipStep::Extra(1) => self.go_on(GzipStep::Name),
            GzipStep::Extra(left) => self.step = GzipStep::Extra(left - 1),
            GzipStep::Name if byte == 0 => self.go_on(GzipStep::Comment),
            GzipStep::Comment if byte == 0 => self.go_on(GzipStep::Checksum),
            GzipStep::Name | GzipStep::Comment => {}
            GzipStep::Checksum => {
                self.field.push(byte);
                if self.field.len() == 2 {
                    self.go_on(GzipStep::Body);
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

    /// Goes on with this step of the header, or the first after it that the flags ask for.
    fn go_on(&mut self, step: GzipStep) {
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

    /// Compares a member with what its trailer says, and makes ready for the next one.
    fn check(&mut self, checksum: u32, length: u32) -> Result<(), CodingError> {
        let found = std::mem::take(&mut self.checksum).finalize();
        // The length counts modulo 2^32.
        if found != checksum || self.stream.total_out() as u32 != length {
            return Err(CodingError::Broken("the body is not what its gzip checksum says"));
        }
        self.field.clear();
        self.stream.reset(false);
        self.step = GzipStep::Head;
        self.has_member = true;
        Ok(())
    }
}

/// zlib or bare deflate: the first two bytes tell.
#[derive(Debug, Default)]
struct Deflate {
    /// The first bytes, until there are two.
    head: Vec<u8>,
    decompress: Option<Decompress>,
    is_done: bool,
}

impl Deflate {
    fn decode(&mut self, input: &[u8], out: &mut [u8]) -> Result<Moved, CodingError> {
        if self.is_done {
            return Ok((input.len(), 0));
        }
        let mut at = 0;
        while self.decompress.is_none() {
            let Some(&byte) = input.get(at) else { return Ok((at, 0)) };
            at += 1;
            self.head.push(byte);
            if let [first, second] = self.head[..] {
                // RFC 1950 §2.2.
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

/// RFC 7932.
struct Brotli {
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    has_begun: bool,
    is_done: bool,
}

impl Default for Brotli {
    fn default() -> Self {
        let alloc = StandardAlloc::default;
        // Strict: no windows beyond those of the RFC.
        let state = BrotliState::new_strict(alloc(), alloc(), alloc());
        Brotli { state, has_begun: false, is_done: false }
    }
}

impl fmt::Debug for Brotli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Brotli").field("is_done", &self.is_done).finish_non_exhaustive()
    }
}

impl Brotli {
    fn decode(&mut self, input: &[u8], out: &mut [u8]) -> Result<Moved, CodingError> {
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
                return Err(CodingError::Broken("the body is not in the Brotli format that it claims"));
            }
        }
        Ok((read, written))
    }
}

/// Where a zstd decoder stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ZstdStep {
    /// In the header of a frame.
    Header,
    /// In a frame that is skipped, with so many bytes to come.
    Skipped(u32),
    /// At the header of a block.
    Block,
    /// At the content of a block of so many bytes, header and, after the last one, checksum included.
    Content(usize),
    Done,
}

/// RFC 8878: frames, one after the other. A block is decoded when all of it is there; none is longer than 128 KiB, on the
/// wire or unpacked.
struct Zstd {
    step: ZstdStep,
    frame: FrameDecoder,
    has_frame: bool,
    has_checksum: bool,
    /// The header or block that is being collected.
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
const ZSTD_BROKEN: CodingError = CodingError::Broken("the body is not in the zstd format that it claims");

impl Zstd {
    fn decode(&mut self, input: &[u8], out: &mut [u8]) -> Result<Moved, CodingError> {
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
                    // No more than `left`.
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

    /// How long the header of a frame is, as far as can be told by what there is of it (§3.1.1.1, §3.1.2).
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

    /// Takes the next step, now that all is there that it needs.
    fn advance(&mut self) -> Result<(), CodingError> {
        match self.step {
            ZstdStep::Header if self.buffer.len() < self.header_length() => {
                if self.buffer.len() == 4 {
                    self.look_at_magic()?;
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
                // A run is one byte, however long it gets.
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

    /// After a frame, what does not begin as one is left alone.
    fn look_at_magic(&mut self) -> Result<(), CodingError> {
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
            // A window that is too large, and a dictionary that nobody agreed on, are errors here.
            self.frame.reset(&self.buffer[..]).map_err(|_| ZSTD_BROKEN)?;
            self.has_checksum = self.buffer.get(4).is_some_and(|descriptor| descriptor & 4 != 0);
            self.step = ZstdStep::Block;
        }
        self.has_frame = true;
        self.buffer.clear();
        Ok(())
    }
}

/// §3.1.2.
fn is_skippable(magic: u32) -> bool {
    magic & 0xFFFF_FFF0 == 0x184D_2A50
}
