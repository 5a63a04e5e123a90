//! Any bytes in any content codings are decoded or rejected, and the result does not depend on the pieces of the input.

#![no_main]

use bytes::Bytes;
use comity_client::transport::coding::{Coding, Decoding, MAX_CODINGS, Pulled};
use libfuzzer_sys::fuzz_target;

/// Maximum number of decoded bytes.
const MOST: usize = 1 << 20;

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (named, piece, wire) = input;
    let codings: Vec<Coding> = (0..MAX_CODINGS)
        .map_while(|number| match named >> (2 * number) & 3 {
            _ if number > usize::from(piece & 3) => None,
            0 => Some(Coding::Gzip),
            1 => Some(Coding::Deflate),
            2 => Some(Coding::Brotli),
            _ => Some(Coding::Zstd),
        })
        .collect();
    let whole = unpack(&codings, wire, wire.len().max(1));
    let pieces = unpack(&codings, wire, usize::from(piece).max(1));
    assert_eq!(whole, pieces, "the result depends on the pieces");
});

/// Returns the decoded bytes, up to a limit; `None` if the input is invalid.
fn unpack(codings: &[Coding], wire: &[u8], piece: usize) -> Option<Vec<u8>> {
    let mut decoding = Decoding::new(codings);
    let mut pieces = wire.chunks(piece);
    let (mut plain, mut buffer) = (Vec::new(), [0; 4096]);
    while plain.len() < MOST {
        match decoding.pull(&mut buffer).ok()? {
            Pulled::Bytes(bytes) => plain.extend_from_slice(&buffer[..bytes]),
            Pulled::Starved => match pieces.next() {
                Some(piece) => decoding.feed(Bytes::copy_from_slice(piece)),
                None => decoding.end(),
            },
            Pulled::End => break,
        }
    }
    plain.truncate(MOST);
    Some(plain)
}
