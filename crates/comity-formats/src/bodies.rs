//! Removes the transfer and content codings of archived bodies.

use std::io::{self, Cursor, Read};

use fastwarc::stream_io::brotli::BrotliReader;
use fastwarc::stream_io::chunked::ChunkedReader;
use fastwarc::stream_io::traits::IntoWarcReader;

use crate::format::Compression;

/// Removes chunking and one content coding that the header names, if the body still has them. Archivers often store the
/// decoded body with the original header.
///
/// Returns an error if decoding fails before the end or the limit, since a part of a robots.txt may differ in meaning from
/// the whole.
pub(crate) fn plain(
    stored: Vec<u8>,
    transfer: Option<&str>,
    content: Option<&str>,
    limit: usize,
) -> io::Result<Vec<u8>> {
    let names = |field: Option<&str>, coding: &str| {
        field.is_some_and(|field| field.split(',').any(|name| name.trim().eq_ignore_ascii_case(coding)))
    };
    let mut body = stored;
    if names(transfer, "chunked") {
        let chunks = ChunkedReader::new(Cursor::new(body.clone()).into_warc_reader());
        body = unless_plain(whole(chunks, limit), body)?;
    }
    let mut body = match Compression::detect(&body) {
        Compression::Gzip if names(content, "gzip") || names(content, "x-gzip") => {
            whole(flate2::read::MultiGzDecoder::new(&*body), limit).map_err(|(error, _)| error)?
        }
        Compression::Zstd if names(content, "zstd") => {
            whole(zstd::stream::read::Decoder::new(&*body)?, limit).map_err(|(error, _)| error)?
        }
        _ if names(content, "br") => {
            let decoded = whole(BrotliReader::new(Cursor::new(body.clone()).into_warc_reader()), limit);
            unless_plain(decoded, body)?
        }
        _ if names(content, "deflate") => {
            let decoded = whole(flate2::read::ZlibDecoder::new(&*body), limit);
            unless_plain(decoded, body)?
        }
        _ => body,
    };
    body.truncate(limit);
    Ok(body)
}

/// Returns the decoded body, or the stored body if it is plain text and decoding failed at once.
fn unless_plain(decoded: Result<Vec<u8>, (io::Error, bool)>, body: Vec<u8>) -> io::Result<Vec<u8>> {
    match decoded {
        Ok(decoded) => Ok(decoded),
        Err((_, false)) if std::str::from_utf8(&body).is_ok() && !body.contains(&0) => Ok(body),
        Err((error, _)) => Err(error),
    }
}

/// Reads up to `limit` bytes. The error contains true if some bytes were read before it.
fn whole(reader: impl Read, limit: usize) -> Result<Vec<u8>, (io::Error, bool)> {
    let mut body = Vec::new();
    match reader.take(limit as u64).read_to_end(&mut body) {
        Ok(_) => Ok(body),
        Err(error) => Err((error, !body.is_empty())),
    }
}
