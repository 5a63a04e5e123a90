//! Any bytes are read to their end as an access log, despite damage. The result does not depend on the pieces of the
//! input, and no field is longer than its line. The first line is also used as a custom format, and as a key of JSON
//! objects.
#![no_main]

use std::io::{Cursor, Read};

use comity_formats::ArchiveInput;
use comity_formats::logs::{LogLine, LogLines, LogReader, MAX_LINE_BYTES, NextLine};
use libfuzzer_sys::fuzz_target;

/// Numbers of lines: with a request, without a request, damaged, and too long.
type Counts = [usize; 4];

/// A reader that returns small pieces, with a temporary end of input before each piece.
struct Pieces {
    rest: Cursor<Vec<u8>>,
    most: usize,
    is_paused: bool,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.is_paused = !self.is_paused;
        if self.is_paused {
            return Ok(0);
        }
        let most = self.most.min(buffer.len());
        self.rest.read(&mut buffer[..most])
    }
}

/// Reads lines until the end of the input, which may be temporary. Returns false after an error.
fn drain(lines: &mut LogLines, reader: &mut LogReader, counts: &mut Counts) -> bool {
    loop {
        let line = match lines.next() {
            Err(_) => return false,
            Ok(NextLine::End) => return true,
            Ok(NextLine::TooLong) => {
                counts[3] += 1;
                continue;
            }
            Ok(NextLine::Line(line)) => line,
        };
        assert!(line.len() <= MAX_LINE_BYTES);
        match reader.read(line) {
            LogLine::Request(request) => {
                counts[0] += 1;
                for text in [request.host.as_ref(), request.user_agent.as_ref()].into_iter().flatten() {
                    assert!(text.len() <= line.len(), "longer than its line");
                }
                let hops: usize = request.forwarded.iter().map(|forwarded| forwarded.hops.len()).sum();
                assert!(hops <= line.len() + request.forwarded.len());
                // The reader may insert a question mark between a path and a query.
                assert!(!request.target.is_empty() && request.target.len() <= line.len() + 1);
            }
            LogLine::Nothing => counts[1] += 1,
            _ => counts[2] += 1,
        }
    }
}

fn read(mut lines: LogLines, mut reader: LogReader) -> Option<Counts> {
    let mut counts = Counts::default();
    drain(&mut lines, &mut reader, &mut counts).then_some(counts)
}

fuzz_target!(|input: (u8, &[u8])| {
    let (piece, bytes) = input;
    let file = || LogLines::new(ArchiveInput::file("log", Cursor::new(bytes.to_vec())));
    let stream = || LogLines::new(ArchiveInput::stream("log", Cursor::new(bytes.to_vec())));
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let own = std::str::from_utf8(&bytes[..end]).ok();
    if let (Some(reader), Ok(lines)) = (own.and_then(|own| LogReader::with_template(own).ok()), file()) {
        read(lines, reader);
    }
    let keys = own.and_then(|own| Some(vec![("url".to_owned(), own.split_once(' ')?.0.to_owned())]));
    if let (Some(keys), Ok(lines)) = (keys, file()) {
        read(lines, LogReader::new().with_keys(&keys).expect("the field exists"));
    }
    let (Ok(of_file), Ok(of_stream)) = (file(), stream()) else { return };
    let whole = read(of_file, LogReader::new());
    assert_eq!(whole, read(of_stream, LogReader::new()), "a file and a stream differ");
    let is_compressed =
        matches!(bytes, [0x1f, 0x8b, ..] | [0x28, 0xb5, ..] | [0x04, 0x22, ..] | [0x5d, 0x2a, ..]);
    // A growing log is neither decompressed nor decoded, and a JSON array in it is not split.
    let array = bytes.trim_ascii_start().strip_prefix(b"[");
    let is_array = array.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"{"));
    let has_mark = matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0xef, 0xbb, 0xbf, ..]);
    if let Some(whole) = whole.filter(|_| !is_compressed && !has_mark && !is_array) {
        let most = usize::from(piece).max(1);
        let pieces = Pieces { rest: Cursor::new(bytes.to_vec()), most, is_paused: false };
        let mut lines = LogLines::growing("log", pieces);
        let (mut reader, mut counts) = (LogReader::new(), Counts::default());
        for _ in 0..=bytes.len() / most + 1 {
            assert!(drain(&mut lines, &mut reader, &mut counts));
        }
        lines.end();
        assert!(drain(&mut lines, &mut reader, &mut counts));
        assert_eq!(whole, counts, "the result depends on the pieces");
    }
});
