//! Write timeouts: close a connection whose peer reads an answer too slowly.
//!
//! Without a timeout, a caller that reads nothing, or one byte at a time, could occupy the memory of a request forever.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use crate::deadline_timer::deadline;

/// Number of bytes that have to be written within the write timeout. For a [`WriteTimeout`], only time during which a write
/// waits is counted.
const STEP: usize = 64 << 10;

/// A connection whose writes fail if they wait longer than the timeout for a [`STEP`].
#[derive(Debug)]
pub(crate) struct WriteTimeout<S> {
    stream: S,
    timeout: Duration,
    /// A timer for the deadline of the waiting write.
    end: Pin<Box<Sleep>>,
    /// Time since which a write waits.
    since: Option<Instant>,
    /// Total time that writes have waited in the current step.
    waited: Duration,
    /// Number of bytes that were written in the current step.
    written: usize,
}

impl<S> WriteTimeout<S> {
    pub(crate) fn new(stream: S, timeout: Duration) -> Self {
        let end = Box::pin(tokio::time::sleep(timeout));
        WriteTimeout { stream, timeout, end, since: None, waited: Duration::ZERO, written: 0 }
    }

    /// Records the result of polling a write. Replaces a pending result by an error if writes have waited too long.
    /// `length` returns the number of bytes that a completed write has written.
    fn track<T>(
        &mut self,
        polled: Poll<io::Result<T>>,
        length: impl Fn(&T) -> usize,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if let Poll::Ready(result) = polled {
            if let Some(since) = self.since.take() {
                self.waited += since.elapsed();
            }
            self.written += result.as_ref().map_or(0, length);
            if self.written >= STEP {
                (self.waited, self.written) = (Duration::ZERO, 0);
            }
            return Poll::Ready(result);
        }
        if self.since.is_none() {
            self.since = Some(Instant::now());
            let end = deadline(self.timeout.saturating_sub(self.waited));
            self.end.as_mut().reset(end);
        }
        ready!(self.end.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the answer is not read")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.track(polled, |length| *length, context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.stream).poll_write_vectored(context, pieces);
        this.track(polled, |length| *length, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.stream).poll_flush(context);
        this.track(polled, |()| 0, context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

/// The unfinished answers of an HTTP/2 connection. Each answer has its own flow-control window, so one answer may wait
/// although writes of the connection do not.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    next: AtomicU64,
    /// For each unfinished answer, the time when its current step of [`STEP`] bytes began.
    waiting: Mutex<HashMap<u64, Instant>>,
}

impl Streams {
    /// Wraps the body of an answer, to track how fast the peer reads it.
    pub(crate) fn track<B>(self: &Arc<Self>, body: B) -> TrackedBody<B> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        TrackedBody { body, streams: Arc::clone(self), number, written: 0 }
    }

    /// Waits until one answer has not completed a step within `timeout`.
    pub(crate) async fn until_stalled(&self, timeout: Duration) {
        loop {
            tokio::time::sleep(timeout / 4).await;
            if self.lock().values().any(|since| since.elapsed() > timeout) {
                return;
            }
        }
    }

    /// Locks the map. No code panics while it holds the lock.
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Instant>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tracked body of an answer over HTTP/2.
#[derive(Debug)]
pub(crate) struct TrackedBody<B> {
    body: B,
    streams: Arc<Streams>,
    number: u64,
    /// Number of bytes in the current step.
    written: usize,
}

impl<B: Body<Data = Bytes> + Unpin> Body for TrackedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        let mut waiting = self.streams.lock();
        match &polled {
            // The HTTP/2 code polls for a frame when the flow-control window has room, so a poll shows that the peer
            // reads.
            Poll::Ready(Some(Ok(frame))) => {
                let is_first = !waiting.contains_key(&self.number);
                let written = self.written + frame.data_ref().map_or(0, Bytes::len);
                if is_first || written >= STEP {
                    waiting.insert(self.number, Instant::now());
                }
                drop(waiting);
                self.written = if written >= STEP { 0 } else { written };
            }
            // The body has ended or failed, or its next frame is not ready: the answer does not wait for the peer.
            _ => drop(waiting.remove(&self.number)),
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Drop for TrackedBody<B> {
    fn drop(&mut self) {
        self.streams.lock().remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn slow_reader_is_served_and_byte_by_byte_reader_times_out() {
        let second = Duration::from_secs(1);
        let (mut reader, writer) = tokio::io::duplex(STEP / 2);
        let mut writer = WriteTimeout::new(writer, second);
        let writing = tokio::spawn(async move { writer.write_all(&vec![1; 40 * STEP]).await });
        for _ in 0..10 {
            tokio::time::sleep(second * 9 / 20).await;
            reader.read_exact(&mut vec![0; STEP / 2]).await.unwrap();
        }
        let mut trickled = 0;
        while !writing.is_finished() {
            tokio::time::sleep(second / 10).await;
            reader.read_exact(&mut [0]).await.unwrap();
            trickled += 1;
        }
        let error = writing.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(trickled < 30, "{trickled} bytes");
    }
}
