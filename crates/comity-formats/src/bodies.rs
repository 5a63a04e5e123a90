//! Bodies of answers with their codings removed, as far as archives store them coded.

use std::io::{Cursor, Read};

use fastwarc::stream_io::brotli::BrotliReader;
use fastwarc::stream_io::chunked::ChunkedReader;
use fastwarc::stream_io::traits::IntoWarcReader;

use crate::format::Compression;

/// Decodes the named codings if the body still has them: archivers often store the decoded body and keep the header.
pub(crate) fn plain(sent: Vec<u8>, transfer: Option<&str>, content: Option<&str>, most: usize) -> Vec<u8> {
    let names = |field: Option<&str>, coding: &str| {
        field.is_some_and(|field| field.split(',').any(|name| name.trim().eq_ignore_ascii_case(coding)))
    };
    let mut body = sent;
    if names(transfer, "chunked") {
        let chunks = ChunkedReader::new(Cursor::new(body.clone()).into_warc_reader());
        body = whole(chunks, most).unwrap_or(body);
    }
    let decoded = match Compression::detect(&body) {
        Compression::Gzip if names(content, "gzip") || names(content, "x-gzip") => {
            whole(flate2::read::MultiGzDecoder::new(&*body), most)
        }
        Compression::Zstd if names(content, "zstd") => {
            zstd::stream::read::Decoder::new(&*body).ok().and_then(|decoder| whole(decoder, most))
        }
        _ if names(content, "br") => {
            whole(BrotliReader::new(Cursor::new(body.clone()).into_warc_reader()), most)
        }
        _ if names(content, "deflate") => whole(flate2::read::ZlibDecoder::new(&*body), most),
        _ => None,
    };
    let mut body = decoded.unwrap_or(body);
    body.truncate(most);
    body
}

/// Reads everything, up to `most` bytes. Returns `None` if the data is broken from the first byte on.
fn whole(reader: impl Read, most: usize) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    match reader.take(most as u64).read_to_end(&mut body) {
        Err(_) if body.is_empty() => None,
        _ => Some(body),
    }
}
