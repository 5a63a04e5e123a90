//! Bodies of answers with their codings removed, as far as archives store them coded.

use std::io::{self, Cursor, Read};

use fastwarc::stream_io::brotli::BrotliReader;
use fastwarc::stream_io::chunked::ChunkedReader;
use fastwarc::stream_io::traits::IntoWarcReader;

use crate::format::Compression;

/// Decodes the named codings if the body still has them: archivers often store the decoded body and keep the header.
///
/// Returns an error if a coding that the body has cannot be removed to its end: a part of a robots.txt is another robots.txt.
pub(crate) fn plain(
    sent: Vec<u8>,
    transfer: Option<&str>,
    content: Option<&str>,
    most: usize,
) -> io::Result<Vec<u8>> {
    let names = |field: Option<&str>, coding: &str| {
        field.is_some_and(|field| field.split(',').any(|name| name.trim().eq_ignore_ascii_case(coding)))
    };
    let mut body = sent;
    if names(transfer, "chunked") {
        let chunks = ChunkedReader::new(Cursor::new(body.clone()).into_warc_reader());
        body = unless_plain(whole(chunks, most), body)?;
    }
    let mut body = match Compression::detect(&body) {
        Compression::Gzip if names(content, "gzip") || names(content, "x-gzip") => {
            whole(flate2::read::MultiGzDecoder::new(&*body), most).map_err(|(error, _)| error)?
        }
        Compression::Zstd if names(content, "zstd") => {
            whole(zstd::stream::read::Decoder::new(&*body)?, most).map_err(|(error, _)| error)?
        }
        _ if names(content, "br") => {
            let decoded = whole(BrotliReader::new(Cursor::new(body.clone()).into_warc_reader()), most);
            unless_plain(decoded, body)?
        }
        _ if names(content, "deflate") => {
            let decoded = whole(flate2::read::ZlibDecoder::new(&*body), most);
            unless_plain(decoded, body)?
        }
        _ => body,
    };
    body.truncate(most);
    Ok(body)
}

/// Returns the decoded body, or the body itself if it is text that was stored decoded.
fn unless_plain(decoded: Result<Vec<u8>, (io::Error, bool)>, body: Vec<u8>) -> io::Result<Vec<u8>> {
    match decoded {
        Ok(decoded) => Ok(decoded),
        Err((_, false)) if std::str::from_utf8(&body).is_ok() && !body.contains(&0) => Ok(body),
        Err((error, _)) => Err(error),
    }
}

/// Reads everything, up to `most` bytes. An error comes with whether some bytes were read before.
fn whole(reader: impl Read, most: usize) -> Result<Vec<u8>, (io::Error, bool)> {
    let mut body = Vec::new();
    match reader.take(most as u64).read_to_end(&mut body) {
        Ok(_) => Ok(body),
        Err(error) => Err((error, !body.is_empty())),
    }
}
