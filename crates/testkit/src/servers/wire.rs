//! Sends each reply in its [`Manner`]: for example as a whole, in chunks, or cut off.

use std::io::{self, Read as _};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::connection::{Connection, Stream};
use super::log::OngoingRequest;
use super::reply::{Manner, Reply};

/// The state of the connection after a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectionEnd {
    /// The connection can serve further requests.
    KeepAlive,
    /// The connection closes in an orderly way.
    Close,
    /// The connection closes with a TCP reset.
    Reset,
}

const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";
/// Pause before a reset, in which the client can read: a reset discards unread data.
const BEFORE_RESET: Duration = Duration::from_millis(50);

/// Sends a reply in its manner.
pub(super) async fn send<S: Stream>(
    connection: &mut Connection<S>,
    reply: &Reply,
    ongoing: &OngoingRequest,
) -> io::Result<ConnectionEnd> {
    connection.pause(reply.delay).await?;
    let mut out = ReplyWriter { connection, ongoing };
    match reply.manner {
        Manner::Hang => return out.connection.until_gone().await.map(|()| ConnectionEnd::Close),
        Manner::Close => return Ok(ConnectionEnd::Close),
        Manner::Reset => return Ok(ConnectionEnd::Reset),
        Manner::Raw => return out.put(&reply.body).await.map(|()| ConnectionEnd::Close),
        _ => {}
    }
    let head = reply.head(&framing(reply));
    match reply.manner {
        Manner::DripHeader { interval } => out.drip(&head, 1, interval).await?,
        _ => out.put(&head).await?,
    }
    if ongoing.seen.method != "HEAD" && has_body(reply.status) {
        out.body(reply).await?;
    }
    if matches!(reply.manner, Manner::ResetMidway) {
        out.connection.pause(BEFORE_RESET).await?;
    }
    Ok(match reply.manner {
        Manner::Whole | Manner::Chunked(_) | Manner::Drip { .. } => ConnectionEnd::KeepAlive,
        Manner::DripHeader { .. } | Manner::Bomb(_) => ConnectionEnd::KeepAlive,
        Manner::ResetMidway => ConnectionEnd::Reset,
        _ => ConnectionEnd::Close,
    })
}

/// Returns true if a reply with this status has a body (RFC 9110 §6.4.1).
fn has_body(status: u16) -> bool {
    !matches!(status, 100..=199 | 204 | 304)
}

/// Returns the header fields about the length of the body, which are wrong in some manners.
fn framing(reply: &Reply) -> String {
    let length = |more: usize| format!("Content-Length: {}\r\n", reply.body.len() + more);
    match reply.manner {
        _ if !has_body(reply.status) => String::new(),
        Manner::Chunked(_) | Manner::Endless | Manner::Bomb(_) | Manner::CutChunk | Manner::BadChunk => {
            CHUNKED.to_owned()
        }
        Manner::UntilClose => "Connection: close\r\n".to_owned(),
        Manner::Short(missing) => length(missing),
        Manner::ResetMidway => length(1),
        _ => length(0),
    }
}

/// A connection, and the request for which written bytes are counted.
struct ReplyWriter<'a, S> {
    connection: &'a mut Connection<S>,
    ongoing: &'a OngoingRequest,
}

impl<S: Stream> ReplyWriter<'_, S> {
    async fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        for piece in bytes.chunks(16 * 1024) {
            self.connection.write(piece).await?;
            self.ongoing.sent(piece.len());
        }
        Ok(())
    }

    async fn chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        let size = format!("{:x}\r\n", bytes.len());
        self.put(&[size.as_bytes(), bytes, b"\r\n"].concat()).await
    }

    async fn drip(&mut self, bytes: &[u8], at_once: usize, interval: Duration) -> io::Result<()> {
        for (nth, piece) in bytes.chunks(at_once).enumerate() {
            if nth > 0 {
                self.connection.pause(interval).await?;
            }
            self.put(piece).await?;
        }
        Ok(())
    }

    async fn body(&mut self, reply: &Reply) -> io::Result<()> {
        let body = &reply.body;
        let (first, second) = body.split_at(body.len() / 2);
        match reply.manner {
            Manner::Drip { bytes, interval } => self.drip(body, bytes, interval).await,
            Manner::Chunked(bytes) => {
                for piece in body.chunks(bytes) {
                    self.chunk(piece).await?;
                }
                self.chunk(b"").await
            }
            Manner::Endless => loop {
                self.chunk(body).await?;
            },
            Manner::Bomb(bytes) => self.bomb(bytes).await,
            Manner::CutChunk => {
                self.chunk(first).await?;
                let size = format!("{:x}\r\n", second.len());
                let all_but_one = second.split_last().map_or(&[][..], |(_, rest)| rest);
                self.put(&[size.as_bytes(), all_but_one].concat()).await
            }
            Manner::BadChunk => {
                self.chunk(first).await?;
                self.put(&[b"not a length\r\n", second].concat()).await
            }
            _ => self.put(body).await,
        }
    }

    /// Compresses bytes and sends them as they are ready, so that little memory is needed. Stops when the client
    /// disconnects.
    async fn bomb(&mut self, bytes: u64) -> io::Result<()> {
        const PIECE: u64 = 64 * 1024;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let mut left = bytes;
        while left > 0 {
            left -= io::copy(&mut io::repeat(b'#').take(left.min(PIECE)), &mut encoder)?;
            if encoder.get_ref().len() >= 1024 {
                let packed = std::mem::take(encoder.get_mut());
                self.chunk(&packed).await?;
            }
        }
        let rest = encoder.finish()?;
        self.chunk(&rest).await?;
        self.chunk(b"").await
    }
}
