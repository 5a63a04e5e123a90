//! Records the traffic on a connection: whether bytes arrived, and when requests were sent.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::departure::Departure;

use crate::lock::lock;

/// A stream: a socket, TLS over a socket, or TLS over TLS.
pub(super) trait ReadWrite: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ReadWrite for T {}

pub(super) type Stream = Box<dyn ReadWrite>;

/// The traffic on a connection since its last request.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    has_received: AtomicBool,
    /// Departures of the requests that are not yet written. With HTTP/2, there may be several.
    leaving: Mutex<Vec<Departure>>,
}

impl Traffic {
    /// Registers a request. Its departure is recorded when the next bytes are written.
    pub(super) fn begin(&self, departure: &Departure) {
        self.has_received.store(false, Ordering::Release);
        lock(&self.leaving).push(departure.clone());
    }

    /// Returns true if bytes have arrived since the last request began. A request is never sent again after its answer
    /// has begun.
    pub(super) fn has_received(&self) -> bool {
        self.has_received.load(Ordering::Acquire)
    }

    fn record_bytes(&self) {
        self.has_received.store(true, Ordering::Release);
    }

    fn write(&self) {
        for departure in lock(&self.leaving).drain(..) {
            departure.note();
        }
    }
}

/// A stream that records its traffic.
pub(super) struct ObservedStream {
    pub(super) stream: Stream,
    pub(super) traffic: Arc<Traffic>,
}

impl AsyncRead for ObservedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.traffic.record_bytes();
        }
        polled
    }
}

impl AsyncWrite for ObservedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.traffic.write();
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.traffic.write();
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
