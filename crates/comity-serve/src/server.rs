//! The server: accepts connections, limits their number and idle time, and shuts down gracefully.

use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use axum::body::Body;
use bytes::BytesMut;
use futures_util::FutureExt;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;

use crate::access_control::Peer;
use crate::admission::Arrival;
use crate::connections::{ConnectionState, Connections};
use crate::deadline_timer::{DeadlineTimer, LONGEST, deadline};
use crate::preface::{PrefixedStream, speaks_http2};
use crate::service::Service;
use crate::stall::{Streams, WriteTimeout};

/// Maximum size of the head of a request, in bytes.
const HEAD_BYTES: usize = 64 << 10;
/// Maximum number of header fields of a request.
const FIELDS: usize = 100;

/// Maximum number of concurrent requests on one HTTP/2 connection.
const STREAMS: u32 = 256;

/// Flow-control window of an HTTP/2 request: the maximum number of bytes that are buffered before the service reads
/// them.
const WINDOW: u32 = 64 << 10;

/// Pause after a failed `accept`, for example because there are no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Maximum time after the deadline for tasks to end, and then for the log to be written.
const CLEANUP: Duration = Duration::from_secs(1);

/// The source of connections.
#[derive(Debug)]
#[non_exhaustive]
pub enum Listener {
    /// A TCP port.
    Tcp(TcpListener),
    /// A Unix socket. If no tokens are set, every process that can open the socket can use the service.
    #[cfg(unix)]
    Unix(tokio::net::UnixListener),
}

/// The stream of a TCP or Unix connection.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Listener {
    async fn accept(&self) -> io::Result<(Box<dyn Stream>, Peer)> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                // Answers are written in large pieces, so a delay to collect more bytes has no benefit. The call fails if
                // the peer is gone. The connection then ends at its first read.
                let _ = stream.set_nodelay(true);
                let local = stream.local_addr().ok().map(|local| local.ip());
                Ok((Box::new(stream), Peer::Address { remote: address.ip(), local }))
            }
            #[cfg(unix)]
            Listener::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                Ok((Box::new(stream), Peer::Socket))
            }
        }
    }
}

impl Service {
    /// Serves until `stop` completes, then shuts down gracefully.
    ///
    /// After `stop`, only connections in the queue of the operating system are accepted. Requests in flight and batches
    /// are answered, then the fetches of the client end. After [`ServiceOptions::grace`](crate::ServiceOptions::grace),
    /// open connections are cut off. The future is ready at most two seconds after the grace period. Returns the number
    /// of connections that were cut off.
    pub async fn serve(self, listener: Listener, stop: impl Future<Output = ()>) -> usize {
        let all = u32::try_from(self.shared.options.connections).unwrap_or(u32::MAX);
        let room = Arc::new(Semaphore::new(all as usize));
        let (stopping, stopped) = watch::channel(None);
        let connections = Arc::new(Connections::new());
        let server = Server { stopped, cut_off: Arc::default(), connections, service: self };
        let mut stop = pin!(stop);
        let mut late = None;
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut stop => break,
                accepted = listener.accept() => accepted,
            };
            let place = tokio::select! {
                biased;
                () = &mut stop => {
                    late = Some(accepted);
                    break;
                }
                place = server.place(&room) => place,
            };
            server.take(accepted, place).await;
        }
        let deadline = deadline(server.service.shared.options.grace);
        // The operating system has already confirmed the connections in its queue. The loop is bounded, because further
        // connections can arrive all the time.
        for _ in 0..all {
            let Ok(place) = Arc::clone(&room).try_acquire_owned() else { break };
            if Instant::now() >= deadline {
                break;
            }
            let accepted = match late.take() {
                Some(accepted) => accepted,
                None => match at_once(listener.accept()).await {
                    Some(accepted) => accepted,
                    None => break,
                },
            };
            server.take(accepted, Some(place)).await;
        }
        drop(late);
        drop(listener);
        stopping.send_replace(Some(deadline));
        server.end(&room, all, deadline).await
    }
}

/// State that all connections share.
#[derive(Clone)]
struct Server {
    service: Service,
    /// The deadline for all connections; `None` until the shutdown begins.
    stopped: watch::Receiver<Option<Instant>>,
    connections: Arc<Connections>,
    /// Number of connections that did not end before the deadline.
    cut_off: Arc<AtomicUsize>,
}

impl Server {
    /// Waits for the connections until the deadline, then for the client and the log. Returns the number of connections
    /// that were cut off.
    async fn end(&self, room: &Semaphore, all: u32, deadline: Instant) -> usize {
        let shared = &self.service.shared;
        let end = deadline + CLEANUP;
        // Connections end at the deadline by themselves, unless their task is blocked.
        let _ = tokio::time::timeout_at(end, room.acquire_many(all)).await;
        let blocked = (all as usize).saturating_sub(room.available_permits());
        // Background fetches that do not end in time are cancelled.
        let _ = tokio::time::timeout_at(end, shared.setup().client.drain()).await;
        if let Some(log) = &shared.log {
            let _ = tokio::time::timeout(CLEANUP, log.flush()).await;
        }
        self.cut_off.load(Ordering::Relaxed) + blocked
    }

    /// Waits for a permit for one more connection. While no permit is free, closes idle connections.
    async fn place(&self, room: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
        loop {
            if let Ok(place) = Arc::clone(room).try_acquire_owned() {
                return Some(place);
            }
            self.connections.make_room();
            // If no connection was idle, one may become idle soon, so try again after a pause.
            let place = tokio::time::timeout(ACCEPT_PAUSE, Arc::clone(room).acquire_owned()).await;
            if let Ok(place) = place {
                // The semaphore is never closed.
                return place.ok();
            }
        }
    }

    /// Serves a connection in a separate task.
    async fn take(&self, accepted: io::Result<(Box<dyn Stream>, Peer)>, place: Option<OwnedSemaphorePermit>) {
        match accepted {
            Ok((stream, peer)) => {
                tokio::spawn(self.clone().connection(stream, peer, place));
            }
            Err(error) if is_of_the_peer(&error) => {}
            // There are no file descriptors or no memory left. Closing an idle connection frees some.
            Err(_) => {
                self.connections.make_room();
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }

    async fn connection(self, stream: Box<dyn Stream>, peer: Peer, _place: Option<OwnedSemaphorePermit>) {
        let shared = Arc::clone(&self.service.shared);
        let (options, service) = (&shared.options, self.service.clone());
        let open = self.connections.open();
        let usage = Arc::clone(open.usage());
        let answering = move |deadline_timer: DeadlineTimer, request: Request<Incoming>| {
            service.answer(
                Arrival { peer, deadline_timer, connection: Arc::clone(&usage) },
                request.map(Body::new),
            )
        };
        shared.metrics.connections.fetch_add(1, Ordering::Relaxed);
        let mut stream = WriteTimeout::new(stream, options.write_timeout);
        let mut first = BytesMut::new();
        let mut stopped = self.stopped.clone();
        // Only gateways use HTTP/2, so the version is detected only if they are served.
        let is_http2 = options.gateway
            && tokio::select! {
                is_http2 = speaks_http2(&mut stream, &mut first) => is_http2,
                () = tokio::time::sleep(options.idle_timeout) => false,
                _ = stopped.wait_for(Option::is_some) => false,
                () = open.usage().until_must_close() => false,
            };
        let stream = TokioIo::new(PrefixedStream::new(first, stream));
        if is_http2 {
            // Each request is answered by a separate task.
            let streams = Arc::new(Streams::default());
            let watching = Arc::clone(&streams);
            let answer = service_fn(move |request| {
                let watching = Arc::clone(&watching);
                let answer = answering(DeadlineTimer::new(), request);
                answer.map(move |answer| answer.map(|answer| answer.map(|body| watching.track(body))))
            });
            let connection = http2::Builder::new(TokioExecutor::new())
                .timer(TokioTimer::new())
                .max_header_list_size(HEAD_BYTES as u32)
                .max_concurrent_streams(STREAMS)
                .initial_stream_window_size(WINDOW)
                .initial_connection_window_size(4 * WINDOW)
                .keep_alive_interval(options.idle_timeout.min(LONGEST))
                .keep_alive_timeout(options.write_timeout.min(LONGEST))
                .serve_connection(stream, answer);
            let over = self.until_over(open.usage(), connection, |connection| connection.graceful_shutdown());
            tokio::select! {
                () = over => {}
                () = streams.until_stalled(options.write_timeout) => {}
            }
        } else {
            let deadline_timer = DeadlineTimer::new();
            let timer = deadline_timer.clone();
            let answer = service_fn(move |request| answering(deadline_timer.clone(), request));
            let connection = http1::Builder::new()
                .timer(timer)
                .header_read_timeout(options.idle_timeout.min(LONGEST))
                .max_buf_size(HEAD_BYTES)
                .max_headers(FIELDS)
                .serve_connection(stream, answer);
            self.until_over(open.usage(), connection, |connection| connection.graceful_shutdown()).await;
        }
        shared.metrics.connections.fetch_sub(1, Ordering::Relaxed);
    }

    /// Waits until a connection ends. Shuts it down gracefully if the service stops, or if the connection has to make
    /// room.
    async fn until_over<C: Future>(
        &self,
        usage: &ConnectionState,
        connection: C,
        shut: impl Fn(Pin<&mut C>),
    ) {
        let mut connection = pin!(connection);
        let mut is_shut = false;
        loop {
            match self.next_event(usage, connection.as_mut(), is_shut).await {
                ConnectionEvent::Over => return,
                ConnectionEvent::MakeRoom => {
                    shut(connection.as_mut());
                    is_shut = true;
                    // A request that has arrived in the meantime is answered.
                    if at_once(connection.as_mut()).await.is_some() || usage.is_idle() {
                        return;
                    }
                }
                ConnectionEvent::Stop(deadline) => {
                    shut(connection.as_mut());
                    let deadline = deadline.unwrap_or_else(Instant::now);
                    if tokio::time::timeout_at(deadline, connection).await.is_err() {
                        self.cut_off.fetch_add(1, Ordering::Relaxed);
                    }
                    return;
                }
            }
        }
    }

    /// Waits until a connection ends or has to be closed.
    async fn next_event<C: Future>(
        &self,
        usage: &ConnectionState,
        connection: Pin<&mut C>,
        is_shut: bool,
    ) -> ConnectionEvent {
        let mut connection = connection;
        let (news, mut stopped) = (self.stopped.clone(), self.stopped.clone());
        let mut stopping = pin!(async move {
            // The sender lives as long as the service.
            stopped.wait_for(Option::is_some).await.ok().and_then(|deadline| *deadline)
        });
        let mut unwanted = pin!(usage.until_must_close());
        let mut is_waiting = false;
        std::future::poll_fn(|context| {
            // An error of the connection is ignored: its peer has failed, and answered requests are already logged.
            if connection.as_mut().poll(context).is_ready() {
                return Poll::Ready(ConnectionEvent::Over);
            }
            let must_close = !is_shut && usage.must_close();
            // After the first poll, both `unwanted` and `stopping` wake this task. Polling `stopping` again takes a
            // lock that all connections share, so the code polls it only if its value has changed.
            if is_waiting && !must_close && !news.has_changed().unwrap_or(true) {
                return Poll::Pending;
            }
            is_waiting = true;
            if must_close || (unwanted.as_mut().poll(context).is_ready() && !is_shut) {
                return Poll::Ready(ConnectionEvent::MakeRoom);
            }
            stopping.as_mut().poll(context).map(ConnectionEvent::Stop)
        })
        .await
    }
}

/// Reasons to stop waiting for a connection.
enum ConnectionEvent {
    /// The connection has ended.
    Over,
    /// There is no room for another connection.
    MakeRoom,
    /// The service stops. The value is the deadline, or `None` if the sender of the deadline was dropped.
    Stop(Option<Instant>),
}

/// Returns true if `accept` failed because of the peer or its network, which has no effect on other connections.
fn is_of_the_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{
        ConnectionAborted, ConnectionRefused, ConnectionReset, HostUnreachable, NetworkDown,
        NetworkUnreachable, TimedOut,
    };
    matches!(
        error.kind(),
        ConnectionAborted
            | ConnectionRefused
            | ConnectionReset
            | HostUnreachable
            | NetworkDown
            | NetworkUnreachable
            | TimedOut
    )
}

/// Polls a future once. Returns its output if it is ready.
async fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    std::future::poll_fn(|context| {
        Poll::Ready(match Pin::as_mut(&mut future).poll(context) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        })
    })
    .await
}
