//! Detection of the HTTP version of a connection: the first bytes of HTTP/2 cannot begin a request of HTTP/1.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};

/// The first bytes of an HTTP/2 connection (RFC 9113 §3.4).
const HTTP2: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Returns true if a connection uses HTTP/2. Appends all bytes that it reads to `first`, even if the future is dropped
/// before it is ready.
pub(crate) async fn speaks_http2(stream: &mut (impl AsyncRead + Unpin), first: &mut BytesMut) -> bool {
    while HTTP2.starts_with(first) && first.len() < HTTP2.len() {
        // If the connection has failed, the HTTP/1 code gets the error at its next read.
        match stream.read_buf(first).await {
            Ok(0) | Err(_) => return false,
            Ok(_) => {}
        }
    }
    first.starts_with(HTTP2)
}

/// A connection whose first bytes were already read. Reads return these bytes first.
#[derive(Debug)]
pub(crate) struct PrefixedStream<S> {
    first: BytesMut,
    stream: S,
}

impl<S> PrefixedStream<S> {
    pub(crate) fn new(first: BytesMut, stream: S) -> Self {
        PrefixedStream { first, stream }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PrefixedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.first.is_empty() {
            return Pin::new(&mut self.stream).poll_read(context, buffer);
        }
        let length = self.first.len().min(buffer.remaining());
        buffer.put_slice(&self.first.split_to(length));
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PrefixedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn detection_keeps_the_bytes_that_it_reads() {
        for (sent, is_http2) in [
            (&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nframes"[..], true),
            (b"PRI * HTTP/2.0\r\n\r\n", false),
            (b"POST /v1/check HTTP/1.1\r\n", false),
            (b"", false),
        ] {
            let mut first = BytesMut::new();
            let mut stream = sent;
            assert_eq!(speaks_http2(&mut stream, &mut first).await, is_http2);
            assert!(sent.starts_with(&first));
        }
    }
}
