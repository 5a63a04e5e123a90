//! Tests of content codings: all codings of a robots.txt are decoded, under all their names, and only as far as the
//! body is read.

use std::io::Write;

use bytes::Bytes;
use comity::policy::{AnswerKind, Mode, Preset, Verdict};
use comity_client::Cause;
use comity_client::transport::coding::{Coding, CodingError, Decoding, MAX_CODINGS, Pulled};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use proptest::prelude::*;
use serde::Deserialize;
use testkit::conformance;
use testkit::servers::{Origin, Reply};

use crate::client::{builder, client, options};

const CLOSED: &[u8] = b"User-agent: *\nDisallow: /\n";

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn zlib(plain: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn deflate(plain: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn zstd(plain: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(plain, ruzstd::encoding::CompressionLevel::Fastest)
}

/// Encodes in Brotli without compression (RFC 7932 §9.2): uncompressed blocks, and an empty last block.
fn brotli(plain: &[u8]) -> Vec<u8> {
    let mut wire = Vec::new();
    for (number, block) in plain.chunks(1 << 16).enumerate() {
        let length = u32::try_from(block.len() - 1).unwrap();
        // The header of a block: is last (0), nibbles of the length (4), length minus one, is uncompressed (1). The
        // window size, 2^16, precedes the first header.
        let bits = if number == 0 { length << 4 | 1 << 20 } else { length << 3 | 1 << 19 };
        wire.extend_from_slice(&bits.to_le_bytes()[..3]);
        wire.extend_from_slice(block);
    }
    wire.push(if plain.is_empty() { 0b110 } else { 0b11 });
    wire
}

fn encode(coding: Coding, plain: &[u8]) -> Vec<u8> {
    match coding {
        Coding::Gzip => gzip(plain),
        Coding::Deflate => zlib(plain),
        Coding::Brotli => brotli(plain),
        Coding::Zstd => zstd(plain),
        _ => unreachable!("another coding"),
    }
}

/// Decodes input that is fed in pieces. Returns at most `most` bytes.
fn decoded(codings: &[Coding], pieces: &[&[u8]], most: usize) -> Result<Vec<u8>, CodingError> {
    let mut decoding = Decoding::new(codings);
    let mut pieces = pieces.iter();
    let (mut plain, mut buffer) = (Vec::new(), [0; 4096]);
    while plain.len() < most {
        match decoding.pull(&mut buffer)? {
            Pulled::Bytes(bytes) => plain.extend_from_slice(&buffer[..bytes]),
            Pulled::Starved => match pieces.next() {
                Some(piece) => decoding.feed(Bytes::copy_from_slice(piece)),
                None => decoding.end(),
            },
            Pulled::End => break,
        }
    }
    Ok(plain)
}

#[tokio::test]
async fn rules_are_decoded_under_every_name_of_a_coding() {
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("gzip", gzip(CLOSED)),
        ("GZIP", gzip(CLOSED)),
        ("x-gzip", gzip(CLOSED)),
        (" gzip , identity", gzip(CLOSED)),
        ("identity", CLOSED.to_vec()),
        ("gzip, gzip", gzip(&gzip(CLOSED))),
        ("deflate", zlib(CLOSED)),
        ("Deflate", deflate(CLOSED)),
        ("br", brotli(CLOSED)),
        ("zstd", zstd(CLOSED)),
        ("ZSTD, deflate, gzip", gzip(&zlib(&zstd(CLOSED)))),
        ("gzip", [gzip(&CLOSED[..10]), gzip(&CLOSED[10..])].concat()),
        ("gzip", [gzip(CLOSED), b"\0\0\0 trailing bytes".to_vec()].concat()),
    ];
    for (name, body) in cases {
        let site = Origin::start();
        site.on("/robots.txt", Reply::ok(body).header("Content-Encoding", name));
        let decision = client().decide(site.url("/page")).await.unwrap();
        assert_eq!(decision.verdict, Verdict::DisallowedExplicit, "{name}");
        let sent = site.requests()[0].header("accept-encoding").map(str::to_owned);
        assert_eq!(sent.as_deref(), Some("gzip, deflate, br, zstd"));
    }
}

#[tokio::test]
async fn codings_on_two_lines_and_transfer_codings_are_decoded() {
    let lines = |body: Vec<u8>, fields: &str| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n{fields}\r\n");
        Reply::raw([head.into_bytes(), body].concat())
    };
    let chunked = |body: &[u8]| {
        let size = format!("{:x}\r\n", body.len()).into_bytes();
        [size, body.to_vec(), b"\r\n0\r\n\r\n".to_vec()].concat()
    };
    let twice = gzip(&brotli(CLOSED));
    let cases = [
        lines(twice.clone(), "Content-Encoding: br\r\nContent-Encoding: gzip\r\nConnection: close\r\n"),
        lines(gzip(CLOSED), "Transfer-Encoding: gzip\r\n"),
        lines(chunked(&gzip(CLOSED)), "Transfer-Encoding: gzip, chunked\r\n"),
        lines(chunked(&twice), "Content-Encoding: br\r\nTransfer-Encoding: gzip, chunked\r\n"),
    ];
    for (number, reply) in cases.into_iter().enumerate() {
        let site = Origin::start();
        site.on("/robots.txt", reply);
        let decision = client().decide(site.url("/page")).await.unwrap();
        assert_eq!(decision.verdict, Verdict::DisallowedExplicit, "{number}");
    }
}

#[tokio::test]
async fn unknown_coding_has_its_own_kind_of_answer() {
    for name in
        ["compress", "dcb", "gzip, exi", "aes128gcm", "base64", "snappy", "gzip, gzip, gzip, gzip, gzip"]
    {
        let site = Origin::start();
        site.on("/robots.txt", Reply::ok(CLOSED).header("Content-Encoding", name));
        for preset in Preset::ALL {
            let client = builder().preset(preset).mode(Mode::Respect).build().unwrap();
            let decision = client.decide(site.url("/page")).await.unwrap();
            let kind = AnswerKind::UnsupportedCoding;
            assert_eq!(decision.evidence.unwrap().kind(), kind, "{preset}, {name}");
            assert_eq!(Some(decision.verdict), preset.entry(kind).verdict(), "{preset}, {name}");
            assert_eq!(decision.failed_open, preset == Preset::Ladon, "{preset}, {name}");
        }
        // A fetch of a page fails with the reason. For robots.txt, the status code is sufficient.
        site.on("/robots.txt", Reply::status(404).header("Content-Encoding", name));
        site.on("/page", Reply::ok("?").header("Content-Encoding", name));
        let error = client().fetch(site.url("/page")).await.unwrap_err();
        let Cause::Transport(failed) = error.cause() else { panic!("{name}: {error}") };
        assert_eq!(failed.failure().as_str(), "unsupported_coding", "{name}");
    }
}

#[tokio::test]
async fn content_encoding_that_names_no_coding_leaves_the_body_plain_with_a_warning() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        no_coding: Vec<String>,
        plain: Vec<String>,
        gzip_and_no_coding: Vec<String>,
    }
    let file: File = conformance::file("answers/content-encoding.toml").unwrap();
    let fields = |name: &str, body: &[u8]| Reply::ok(body).header("Content-Encoding", name);
    for name in &file.no_coding {
        let site = Origin::start();
        site.on("/robots.txt", fields(name, b"User-agent: *\nDisallow: /private\n"))
            .on("/page", fields(name, b"text"));
        let page = client().fetch(site.url("/page")).await.unwrap();
        let warning = page.record().warnings.iter().find(|warning| warning.name == "no_coding").unwrap();
        assert_eq!((page.text().as_str(), warning.kind), ("text", "content"), "{name}");
        assert!(
            warning.message.contains(&format!(
                "`Content-Encoding: {}",
                name.trim().trim_start_matches("identity, ").escape_debug()
            )),
            "{}",
            warning.message
        );
        let decision = client().decide(site.url("/private")).await.unwrap();
        assert_eq!(decision.verdict, Verdict::DisallowedExplicit, "{name}");
    }
    let site = Origin::start();
    for name in &file.gzip_and_no_coding {
        site.on("/page", fields(name, &gzip(b"text")));
        let page = client().fetch(site.url("/page")).await.unwrap();
        assert_eq!((page.text().as_str(), page.record().warnings.len()), ("text", 1), "{name}");
    }
    let plain = file.plain.iter().map(|name| (name.as_str(), b"text".to_vec()));
    for (name, body) in plain.chain([("gzip", gzip(b"text"))]) {
        site.on("/page", fields(name, &body));
        assert!(client().fetch(site.url("/page")).await.unwrap().record().warnings.is_empty(), "{name}");
    }
}

#[tokio::test]
async fn coding_declared_over_a_plain_body_is_named_in_the_error() {
    let site = Origin::start();
    for name in ["gzip", "x-gzip", "deflate", "zstd"] {
        site.on("/page", Reply::ok("<p>Plain text.").header("Content-Encoding", name));
        let error = client().fetch(site.url("/page")).await.unwrap_err().to_string();
        let declared =
            format!("`Content-Encoding: {}`, but the body is not in", name.trim_start_matches("x-"));
        assert!(error.contains(&declared), "{error}");
    }
}

#[tokio::test]
async fn decoded_page_has_no_fields_of_its_coding() {
    let site = Origin::start();
    let text = "plain ".repeat(10_000);
    site.on("/page", Reply::ok(zstd(text.as_bytes())).header("Content-Encoding", "zstd"));
    let page = client().fetch(site.url("/page")).await.unwrap();
    assert_eq!(page.text(), text);
    let fields = page.headers();
    assert!(!fields.contains_key("content-encoding") && !fields.contains_key("content-length"), "{fields:?}");
}

#[tokio::test]
async fn truncated_or_mislabelled_body_is_a_protocol_failure() {
    let whole = gzip(CLOSED);
    for (name, body) in [
        ("gzip", whole[..whole.len() - 3].to_vec()),
        ("gzip", CLOSED.to_vec()),
        ("br", brotli(CLOSED)[..20].to_vec()),
        ("zstd", zstd(CLOSED)[..10].to_vec()),
        ("zstd", CLOSED.to_vec()),
        ("deflate", b"\xff".to_vec()),
    ] {
        let site = Origin::start();
        site.on("/page", Reply::ok(body).header("Content-Encoding", name));
        let error = client().fetch(site.url("/page")).await.unwrap_err();
        let Cause::Transport(failed) = error.cause() else { panic!("{name}: {error}") };
        assert_eq!(failed.failure().as_str(), "protocol", "{name}");
    }
}

/// Returns a gigabyte of zeros, encoded in zstd as runs of 128 KiB. Each run takes four bytes.
fn zstd_bomb() -> Vec<u8> {
    // The header of a frame with a window of 1 MiB and without a checksum.
    let mut wire = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 0x50];
    for block in 0..8192_u32 {
        let is_last = u32::from(block == 8191);
        wire.extend_from_slice(&((128 << 10) << 3 | 1 << 1 | is_last).to_le_bytes()[..3]);
        wire.push(0);
    }
    wire
}

#[tokio::test]
async fn decompression_bomb_stops_at_the_limit() {
    let zeros = vec![0; 64 << 20];
    let gigabyte_in_brotli = include_bytes!("../../data/gigabyte-of-zeros.br").to_vec();
    let deflated = zlib(&zeros);
    let nested = gzip(&gzip(&zeros));
    let cases: [(&str, Reply); 6] = [
        ("gzip", Reply::gzip_bomb(1 << 30)),
        ("deflate", Reply::ok(deflated)),
        ("br", Reply::ok(gigabyte_in_brotli)),
        ("zstd", Reply::ok(zstd_bomb())),
        ("gzip, gzip", Reply::ok(nested)),
        ("zstd, gzip", Reply::ok(gzip(&zstd_bomb()))),
    ];
    let mut few = options();
    few.max_bytes = 1 << 20;
    for (name, reply) in cases {
        let site = Origin::start();
        site.on("/page", reply.header("Content-Encoding", name));
        let page = client().fetch_with(site.url("/page"), &few).await.unwrap();
        assert_eq!(page.body().len(), 1 << 20, "{name}");
        assert!(page.record().content.as_ref().unwrap().truncated, "{name}");
    }
}

#[test]
fn decoder_produces_only_the_requested_bytes() {
    let bomb = zstd_bomb();
    let mut decoding = Decoding::new(&[Coding::Zstd]);
    decoding.feed(bomb.into());
    let mut few = [0; 10];
    assert_eq!(decoding.pull(&mut few), Ok(Pulled::Bytes(10)));
}

#[tokio::test]
async fn body_without_decoded_bytes_is_rejected() {
    // A gzip header, followed by a million empty stored blocks.
    let mut wire = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    wire.extend([0, 0, 0, 0xff, 0xff].repeat(1 << 20));
    // A gzip header with a file name of 4 MiB.
    let mut named = vec![0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 255];
    named.resize(4 << 20, b'x');
    for body in [wire, named] {
        let site = Origin::start();
        site.on("/page", Reply::ok(body).header("Content-Encoding", "gzip"));
        let error = client().fetch(site.url("/page")).await.unwrap_err();
        assert!(error.to_string().ends_with("the body decodes to almost nothing"), "{error}");
    }
}

#[test]
fn zstd_window_over_the_limit_is_rejected() {
    // A window of 16 MiB. RFC 9659 allows at most 8 MiB.
    let wire = [0x28, 0xB5, 0x2F, 0xFD, 0, 0x70, 1, 0, 0];
    assert!(matches!(decoded(&[Coding::Zstd], &[&wire], 10), Err(CodingError::Broken(_))));
}

#[test]
fn gzip_header_with_every_field_is_skipped() {
    let member = gzip(CLOSED);
    let mut wire = vec![0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 255, 3, 0];
    wire.extend(b"abcrobots.txt\0a comment\0\x12\x34");
    wire.extend(&member[10..]);
    let bytes: Vec<&[u8]> = wire.chunks(1).collect();
    assert_eq!(decoded(&[Coding::Gzip], &bytes, 1000).unwrap(), CLOSED);
    // A header with an empty extra field and a wrong checksum.
    let mut wire = vec![0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 0, 0];
    wire.extend(&member[10..]);
    assert_eq!(decoded(&[Coding::Gzip], &[&wire], 1000).unwrap(), CLOSED);
    let place = wire.len() - 8;
    wire[place] ^= 1;
    assert!(decoded(&[Coding::Gzip], &[&wire], 1000).is_err());
}

#[test]
fn damage_after_the_end_of_a_coding_is_reported_for_any_chunking() {
    for coding in [Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd] {
        // A complete body and trailing zeros, encoded together in gzip with a wrong checksum.
        let mut body = encode(coding, CLOSED);
        body.extend([0; 2000]);
        let mut wire = encode(Coding::Gzip, &body);
        let checksum = wire.len() - 8;
        wire[checksum] ^= 1;
        let codings = [coding, Coding::Gzip];
        let bytes: Vec<&[u8]> = wire.chunks(1).collect();
        for pieces in [&bytes[..], &[&wire]] {
            assert!(matches!(decoded(&codings, pieces, 10_000), Err(CodingError::Broken(_))), "{coding:?}");
        }
        // Trailing data is ignored only up to a limit.
        let wire = encode(Coding::Gzip, &body);
        assert_eq!(decoded(&codings, &[&wire], 10_000).unwrap(), CLOSED, "{coding:?}");
        body.extend(vec![0; 1 << 20]);
        let wire = encode(Coding::Gzip, &body);
        assert!(decoded(&codings, &[&wire], 10_000).is_err(), "{coding:?}");
    }
}

fn any_coding() -> impl Strategy<Value = Coding> {
    prop_oneof![Just(Coding::Gzip), Just(Coding::Deflate), Just(Coding::Brotli), Just(Coding::Zstd)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn decoded_bytes_do_not_depend_on_chunking(
        plain in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..3000),
            prop::collection::vec(0_u8..3, 0..200_000),
        ],
        codings in prop::collection::vec(any_coding(), 0..=MAX_CODINGS),
        sizes in prop::collection::vec(1_usize..5000, 1..20),
    ) {
        let wire = codings.iter().fold(plain.clone(), |body, coding| encode(*coding, &body));
        let mut rest = &wire[..];
        let mut pieces = Vec::new();
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*size).min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        prop_assert_eq!(decoded(&codings, &pieces, usize::MAX).unwrap(), plain);
    }

    #[test]
    fn any_input_is_decoded_without_panic_or_endless_loop(
        wire in prop::collection::vec(any::<u8>(), 0..2000),
        codings in prop::collection::vec(any_coding(), 1..=MAX_CODINGS),
        honest in any::<bool>(),
        flip in any::<prop::sample::Index>(),
    ) {
        let wire = if honest && !wire.is_empty() {
            let mut wire = codings.iter().fold(wire, |body, coding| encode(*coding, &body));
            let place = flip.index(wire.len());
            wire[place] ^= 0x55;
            wire
        } else {
            wire
        };
        let pieces: Vec<&[u8]> = wire.chunks(7).collect();
        let _ = decoded(&codings, &pieces, 1 << 20);
    }
}
