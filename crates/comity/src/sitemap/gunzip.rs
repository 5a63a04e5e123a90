//! Decompresses gzip files of one or more members, with descriptive errors.

use std::fmt;
use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use super::kinds;
use crate::finding::Kind;

/// A reader that decompresses gzip. Data after a member that is neither another member nor zeros causes the error
/// [`Damage::Trailing`].
pub(super) struct Gunzip<B> {
    /// `None` only while the next member is being set up.
    member: Option<GzDecoder<B>>,
    /// Number of consecutive members without content.
    empty_members: usize,
    is_done: bool,
}

/// Maximum number of consecutive members without content. A file with more such members is an attack on the reader's
/// time.
const MAX_EMPTY_MEMBERS: usize = 1_000;

/// Maximum number of zeros after a member, in bytes.
const MAX_PADDING: usize = 1 << 20;

/// The damage of gzip data.
#[derive(Debug)]
pub(super) enum Damage {
    /// The data ends too early.
    CutOff,
    /// The compressed data is invalid, or its checksum differs.
    Corrupt(String),
    /// Other data follows the compressed data.
    Trailing,
}

impl Damage {
    pub(super) fn kind(&self) -> &'static Kind {
        match self {
            Damage::Trailing => &kinds::GZIP_TRAILING,
            _ => &kinds::GZIP_DAMAGED,
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::CutOff => f.write_str("the compressed data is incomplete"),
            Damage::Corrupt(reason) => write!(f, "the compressed data is damaged: {reason}"),
            Damage::Trailing => f.write_str("data that is not gzip follows the compressed data"),
        }
    }
}

impl std::error::Error for Damage {}

impl<B> Gunzip<B> {
    /// Returns the compressed source.
    pub(super) fn source(&self) -> Option<&B> {
        self.member.as_ref().map(GzDecoder::get_ref)
    }
}

impl<B: BufRead> Gunzip<B> {
    pub(super) fn new(source: B) -> Self {
        Gunzip { member: Some(GzDecoder::new(source)), empty_members: 0, is_done: false }
    }

    /// Advances to the next member. Returns true if there is one.
    fn next_member(&mut self) -> io::Result<bool> {
        let Some(member) = self.member.take() else { return Ok(false) };
        let mut source = member.into_inner();
        let next = first_after_zeros(&mut source);
        self.member = Some(GzDecoder::new(source));
        self.empty_members += 1;
        match next? {
            Some(0x1f) if self.empty_members > MAX_EMPTY_MEMBERS => {
                Err(io::Error::other(Damage::Corrupt("too many members without content".to_owned())))
            }
            Some(0x1f) => Ok(true),
            None => Ok(false),
            Some(_) => Err(io::Error::other(Damage::Trailing)),
        }
    }
}

/// Consumes the zeros with which tapes and some servers pad a member, and returns the next byte without consuming it.
/// Returns 0 after too many zeros, and `None` at the end.
fn first_after_zeros(source: &mut impl BufRead) -> io::Result<Option<u8>> {
    let mut padding = 0;
    loop {
        let bytes = source.fill_buf()?;
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        let next = bytes.get(zeros).copied();
        padding += zeros;
        source.consume(zeros);
        if next.is_some() || zeros == 0 {
            return Ok(next);
        }
        if padding > MAX_PADDING {
            return Ok(Some(0));
        }
    }
}

impl<B: BufRead> Read for Gunzip<B> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !self.is_done && !out.is_empty() {
            let Some(member) = &mut self.member else { break };
            match member.read(out) {
                Ok(0) => match self.next_member() {
                    Ok(true) => {}
                    Ok(false) => self.is_done = true,
                    Err(error) => {
                        self.is_done = true;
                        return Err(error);
                    }
                },
                Ok(length) => {
                    self.empty_members = 0;
                    return Ok(length);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                Err(error) => {
                    self.is_done = true;
                    return Err(explain(error));
                }
            }
        }
        Ok(0)
    }
}

/// Converts errors of the decoder to [`Damage`]. Errors of the source remain unchanged.
fn explain(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::other(Damage::CutOff),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            io::Error::other(Damage::Corrupt(error.to_string()))
        }
        _ => error,
    }
}
