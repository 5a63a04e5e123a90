//! A connection to an origin: reads requests and writes bytes, until the client or the origin closes the connection.
//!
//! A connection also reads while it waits, so it detects immediately when the client disconnects. A request is ongoing
//! until its answer is sent or its client disconnects. One thread serves all connections of an origin, and ends a
//! request before it reads the next one. So a client that sends its next request immediately after an answer never has
//! two concurrent requests.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;

use super::log::{Seen, path_of};

/// Maximum length of the head of a request, in bytes.
const HEAD_LIMIT: usize = 256 * 1024;

/// A stream that a connection can use: TCP, or TLS over TCP.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// Returns the TCP stream.
    fn tcp(&self) -> &TcpStream;
}

impl Stream for TcpStream {
    fn tcp(&self) -> &TcpStream {
        self
    }
}

impl Stream for TlsStream<TcpStream> {
    fn tcp(&self) -> &TcpStream {
        self.get_ref().0
    }
}

/// A connection: a stream, and the bytes that were read from it but not used yet.
pub(super) struct Connection<S> {
    pub(super) stream: S,
    unused: Vec<u8>,
    number: usize,
    remote: SocketAddr,
    local: SocketAddr,
}

/// The head of a request.
pub(super) struct Head {
    pub(super) seen: Seen,
    /// Length of the body, in bytes.
    pub(super) body: usize,
    pub(super) keep_alive: bool,
}

impl<S: Stream> Connection<S> {
    pub(super) fn new(stream: S, number: usize) -> io::Result<Self> {
        let (remote, local) = (stream.tcp().peer_addr()?, stream.tcp().local_addr()?);
        Ok(Connection { stream, unused: Vec::new(), number, remote, local })
    }

    /// Writes bytes and flushes the stream.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await?;
        self.stream.flush().await
    }

    /// Waits for a time. Returns an error as soon as the client disconnects.
    pub(super) async fn pause(&mut self, time: Duration) -> io::Result<()> {
        if time.is_zero() {
            return Ok(());
        }
        match timeout(time, self.until_gone()).await {
            Ok(Err(gone)) => Err(gone),
            Ok(Ok(())) | Err(_) => Ok(()),
        }
    }

    /// Waits until the client disconnects, and returns an error.
    pub(super) async fn until_gone(&mut self) -> io::Result<()> {
        loop {
            if self.read().await? == 0 {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
        }
    }

    async fn read(&mut self) -> io::Result<usize> {
        self.stream.read_buf(&mut self.unused).await
    }

    /// Reads the head of the next request. Returns `None` if the client has closed the connection.
    pub(super) async fn head(&mut self) -> io::Result<Option<Head>> {
        let end = loop {
            if let Some(end) = self.unused.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            if self.unused.len() > HEAD_LIMIT {
                return Err(io::ErrorKind::InvalidData.into());
            }
            if self.read().await? == 0 {
                return Ok(None);
            }
        };
        let head: Vec<u8> = self.unused.drain(..end + 4).collect();
        Ok(Some(self.parse(&String::from_utf8_lossy(&head))))
    }

    fn parse(&self, head: &str) -> Head {
        let mut lines = head.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let mut word = || words.next().unwrap_or_default().to_owned();
        let (method, target, version) = (word(), word(), word());
        let headers: Vec<_> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        let path = path_of(&target).to_owned();
        let (at, remote, local, connection) = (Instant::now(), self.remote, self.local, self.number);
        let seen = Seen { method, target, path, headers, nth: 0, at, remote, local, connection };
        Head {
            body: seen.header("Content-Length").and_then(|length| length.parse().ok()).unwrap_or(0),
            keep_alive: version == "HTTP/1.1"
                && !seen.header("Connection").is_some_and(|value| value.eq_ignore_ascii_case("close")),
            seen,
        }
    }

    pub(super) async fn skip_body(&mut self, body: usize) -> io::Result<()> {
        while self.unused.len() < body {
            if self.read().await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        self.unused.drain(..body);
        Ok(())
    }
}
