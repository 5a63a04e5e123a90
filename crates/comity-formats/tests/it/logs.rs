//! Tests of lines in every format, hostile logs, and lines that arrive in pieces.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{Cursor, Read, Write};

use comity_formats::ArchiveInput;
use comity_formats::logs::{
    ForwardedField, LogLine, LogLines, LogReader, LogRequest, MAX_LINE_BYTES, NextLine,
};

const LINE: &str =
    r#"203.0.113.7 - - [21/Nov/2026:06:20:00 +0000] "GET /a?b HTTP/1.1" 200 512 "-" "GPTBot/1.2""#;

/// Counts of the results of parsing a log.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    requests: usize,
    nothing: usize,
    damaged: usize,
    too_long: usize,
}

fn all(mut lines: LogLines) -> Found {
    let (mut reader, mut read) = (LogReader::new(), Found::default());
    loop {
        match lines.next().expect("readable bytes") {
            NextLine::End => return read,
            NextLine::TooLong => read.too_long += 1,
            NextLine::Line(line) => {
                assert!(line.len() <= MAX_LINE_BYTES);
                match reader.read(line) {
                    LogLine::Request(_) => read.requests += 1,
                    LogLine::Nothing => read.nothing += 1,
                    _ => read.damaged += 1,
                }
            }
        }
    }
}

fn read(bytes: Vec<u8>) -> Found {
    let stream = LogLines::new(ArchiveInput::stream("x", Cursor::new(bytes.clone()))).expect("a log");
    let file = LogLines::new(ArchiveInput::file("x", Cursor::new(bytes))).expect("a log");
    let (stream, file) = (all(stream), all(file));
    assert_eq!(stream, file);
    file
}

#[test]
fn very_long_line_is_skipped_and_the_next_is_read() {
    for filler in [b'x', b'{', b'[', b'"', b'\\', 0, 0xff] {
        let mut bytes = format!("{LINE}\n").into_bytes();
        bytes.resize(bytes.len() + 10_000_000, filler);
        bytes.extend_from_slice(format!("\n{LINE}\n").as_bytes());
        assert_eq!(read(bytes), Found { requests: 2, too_long: 1, ..Found::default() }, "{filler:#x}");
    }
}

#[test]
fn line_of_the_maximum_length_is_read_and_a_longer_line_is_skipped() {
    let longest = |more: usize| {
        let rest = MAX_LINE_BYTES - LINE.len() + more;
        LINE.replace("/a?b", &format!("/a?b{}", "x".repeat(rest))).into_bytes()
    };
    assert_eq!(read(longest(0)), Found { requests: 1, ..Found::default() });
    assert_eq!(read([&longest(0)[..], b"\r\n"].concat()), Found { requests: 1, ..Found::default() });
    assert_eq!(read([&longest(1)[..], b"\r\n"].concat()), Found { too_long: 1, ..Found::default() });
    assert_eq!(read(longest(1)), Found { too_long: 1, ..Found::default() });
}

#[test]
fn deeply_nested_objects_are_damage() {
    for open in ["{\"a\":", "[", "{\"request\":{\"headers\":"] {
        let line = format!("{{\"ts\":{}\n", open.repeat(100_000));
        let read = read(format!("{line}{LINE}\n").into_bytes());
        assert_eq!((read.requests, read.damaged + read.too_long), (1, 1), "{open}");
        // As many levels as fit into a line.
        let deep = open.repeat((MAX_LINE_BYTES - 10) / open.len());
        assert_eq!(self::read(format!("{{\"ts\":{deep}\n{LINE}\n").into_bytes()).damaged, 1, "{open}");
    }
}

#[test]
fn decompression_bomb_is_read_to_its_end() {
    // One line of 64 MiB, followed by a request.
    let mut plain = vec![b'a'; 64 << 20];
    plain.extend_from_slice(format!("\n{LINE}\n").as_bytes());
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&plain).expect("memory");
    let gzip = gzip.finish().expect("memory");
    let zstd = zstd::encode_all(&plain[..], 1).expect("memory");
    drop(plain);
    for bomb in [gzip, zstd] {
        assert!(bomb.len() < 1 << 20, "it is small: {}", bomb.len());
        let lines = LogLines::new(ArchiveInput::stream("bomb", Cursor::new(bomb))).expect("a log");
        assert_eq!(all(lines), Found { requests: 1, too_long: 1, ..Found::default() });
    }
}

#[test]
fn truncated_compression_is_an_error_with_the_name_of_the_log() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(format!("{LINE}\n").repeat(50).as_bytes()).expect("memory");
    let mut gzip = gzip.finish().expect("memory");
    gzip.truncate(gzip.len() - 9);
    let mut lines = LogLines::new(ArchiveInput::stream("cut.gz", Cursor::new(gzip))).expect("a log");
    let error = loop {
        match lines.next() {
            Ok(NextLine::End) => panic!("the end is missing"),
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert!(error.to_string().starts_with("cut.gz: "), "{error}");
}

#[test]
fn unusual_bytes_times_and_numbers_are_parsed_or_damage() {
    let of = |time: &str, target: &[u8]| {
        let (front, back) = LINE.split_once("/a?b").expect("a target");
        [front.replace("21/Nov/2026:06:20:00 +0000", time).as_bytes(), target, back.as_bytes()].concat()
    };
    let now = "21/Nov/2026:06:20:00 +0000";
    let mut reader = LogReader::new();
    for target in [&b"/\xff\xfe\x80"[..], b"/\0\0", b"/\xed\xa0\x80", b"/\x1b[2J"] {
        let line = of(now, target);
        let LogLine::Request(request) = reader.read(&line) else { panic!("{target:?}") };
        assert_eq!(&*request.target, target);
    }
    for (time, is_read) in [
        ("31/Dec/9999:23:59:60 +0000", true),
        ("01/Jan/0000:00:00:00 +0000", true),
        ("01/Jan/2026:00:00:00 -9999", false),
        ("21/Nov/99999:06:20:00 +0000", false),
        ("21/Nov/-026:06:20:00 +0000", false),
    ] {
        let line = of(time, b"/");
        assert_eq!(matches!(reader.read(&line), LogLine::Request(_)), is_read, "{time}");
    }
    for number in ["9223372036854775807", "99999999999999999999", "-1", "1e300", "253402300799.9"] {
        let line = format!(
            r#"{{"ts":{number},"request":{{"remote_ip":"::1","uri":"/","headers":{{"User-Agent":["a"]}}}}}}"#
        );
        // Any result is right, except a panic on overflow.
        let _ = reader.read(line.as_bytes());
    }
}

/// A reader of bytes in pieces. An empty piece is a temporary end.
struct Pieces(VecDeque<Vec<u8>>);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Some(piece) = self.0.pop_front() else { return Ok(0) };
        buffer[..piece.len()].copy_from_slice(&piece);
        Ok(piece.len())
    }
}

#[test]
fn growing_log_in_random_pieces_gives_the_lines_of_the_whole_log() {
    let long = "x".repeat(MAX_LINE_BYTES + 1);
    let text = format!("\u{feff}{LINE}\r\n\n{long}\n# comment\nhalf\n{LINE}\nthe last");
    let mut random = fastrand::Rng::with_seed(19);
    let whole = read(text.clone().into_bytes());
    assert_eq!(whole, Found { requests: 2, nothing: 2, damaged: 2, too_long: 1 });
    for most in [1, 7, 100, 5_000] {
        let (mut pieces, mut rest) = (VecDeque::new(), text.as_bytes());
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(random.usize(0..=most).min(rest.len()));
            pieces.push_back(piece.to_vec());
            rest = after;
        }
        let turns = pieces.len() + 1;
        let mut lines = LogLines::growing("x", Pieces(pieces));
        let (mut reader, mut read) = (LogReader::new(), Found::default());
        for turn in 0..=turns {
            if turn == turns {
                lines.end();
            }
            loop {
                match lines.next().expect("bytes") {
                    NextLine::End => break,
                    NextLine::TooLong => read.too_long += 1,
                    NextLine::Line(line) => match reader.read(line) {
                        LogLine::Request(_) => read.requests += 1,
                        LogLine::Nothing => read.nothing += 1,
                        _ => read.damaged += 1,
                    },
                }
            }
        }
        assert_eq!(read, whole, "pieces of up to {most} bytes");
    }
}

/// The cases of `conformance/logs/`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    #[serde(default, rename = "source")]
    _source: Option<String>,
    log_format: Option<String>,
    #[serde(default)]
    map: BTreeMap<String, String>,
    lines: Vec<String>,
    request: Option<Expected>,
    result: Option<String>,
}

/// The expected request of a case.
#[derive(Debug, Default, PartialEq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Expected {
    target: String,
    host: Option<String>,
    address: Option<String>,
    forwarded: Vec<String>,
    agent: Option<String>,
    time: String,
    zoneless: bool,
    status: Option<u16>,
    bytes: Option<u64>,
}

impl Expected {
    fn of(request: &LogRequest<'_>) -> Expected {
        let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        let forwarded = request.forwarded.iter().map(|forwarded| {
            let (name, _) =
                ForwardedField::ALL.into_iter().find(|(_, field)| *field == forwarded.field).unwrap();
            forwarded.hops.iter().fold(name.to_owned(), |all, hop| {
                format!("{all} {}", hop.map_or("?".to_owned(), |hop| hop.to_string()))
            }) + if forwarded.is_named { "" } else { " (unnamed)" }
        });
        Expected {
            target: text(&request.target),
            host: request.host.as_deref().map(text),
            address: request.peer.map(|peer| peer.to_string()),
            forwarded: forwarded.collect(),
            agent: request.user_agent.as_deref().map(text),
            time: jiff::Timestamp::from_microsecond(request.time_micros).unwrap().to_string(),
            zoneless: request.is_zoneless,
            status: request.status,
            bytes: request.bytes,
        }
    }
}

#[test]
fn conformance_cases_give_the_expected_requests() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/logs");
    let mut ids = BTreeSet::new();
    let mut wrong = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let cases: Cases = toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for case in cases.case {
            assert!(ids.insert(case.id.clone()), "{} occurs twice", case.id);
            let reader = case.log_format.as_deref().map_or(Ok(LogReader::new()), LogReader::with_template);
            let map: Vec<(String, String)> = case.map.into_iter().collect();
            let mut reader = reader.unwrap().with_keys(&map).unwrap();
            let mut found = (None, None);
            for line in &case.lines {
                found = match reader.read(line.as_bytes()) {
                    LogLine::Request(request) => (Some(Expected::of(&request)), None),
                    LogLine::Nothing => (None, Some("nothing".to_owned())),
                    _ => (None, Some("unread".to_owned())),
                };
            }
            if found != (case.request, case.result) {
                wrong.push(format!("{}: {found:#?}", case.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ids.len() > 150, "{}", ids.len());
}
