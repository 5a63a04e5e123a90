//! Builds WARC files for tests.

use std::io::Write;

/// Returns a record of the type `kind` with this URL, time and block.
pub(crate) fn record(kind: &str, url: &str, time: &str, block: &str) -> Vec<u8> {
    record_with(kind, url, time, "", block.as_bytes())
}

/// Returns a record with more header lines, and a block of any bytes.
pub(crate) fn record_with(kind: &str, url: &str, time: &str, more: &str, block: &[u8]) -> Vec<u8> {
    let content_type = match kind {
        "request" | "response" | "revisit" => "application/http",
        _ => "text/plain",
    };
    let mut record = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n\
         WARC-Target-URI: {url}\r\nWARC-Date: {time}\r\n{more}Content-Type: {content_type}\r\n\
         Content-Length: {}\r\n\r\n",
        block.len()
    )
    .into_bytes();
    record.extend_from_slice(block);
    record.extend_from_slice(b"\r\n\r\n");
    record
}

/// Returns a response with this status, header and body.
pub(crate) fn response(url: &str, time: &str, status: u16, header: &str, body: &str) -> Vec<u8> {
    record("response", url, time, &format!("HTTP/1.1 {status} Reason\r\n{header}\r\n{body}"))
}

/// Compresses every record as a separate gzip member, as archives do.
pub(crate) fn gzipped(records: &[Vec<u8>]) -> Vec<u8> {
    records.iter().flat_map(|record| gzip(record)).collect()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(bytes, 0).unwrap()
}

/// Returns a dictionary as the frame at the beginning of an archive, and the records compressed with it.
pub(crate) fn zstd_with_dictionary(records: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let samples: Vec<Vec<u8>> = (0..100)
        .map(|number| [b"sample ", number.to_string().as_bytes(), &records[0][..]].concat())
        .collect();
    let dictionary = zstd::dict::from_samples(&samples, 512).unwrap();
    let length = u32::try_from(dictionary.len()).unwrap().to_le_bytes();
    let frame = [&[0x5d, 0x2a, 0x4d, 0x18][..], &length[..], &dictionary[..]].concat();
    let compress = |record: &Vec<u8>| {
        let mut encoder = zstd::stream::Encoder::with_dictionary(Vec::new(), 3, &dictionary).unwrap();
        encoder.write_all(record).unwrap();
        encoder.finish().unwrap()
    };
    std::iter::once(frame).chain(records.iter().map(compress)).collect()
}

pub(crate) fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
