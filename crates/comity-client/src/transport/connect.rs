//! Opens connections: acquires a descriptor permit, resolves and dials the host or the proxy, and starts TLS and HTTP.
//!
//! A connector resolves names through [`Guard::resolve`] and dials only the addresses that this call returns. A name is
//! not resolved a second time between check and dial. So a name that changes its addresses (DNS rebinding) cannot
//! bypass the guard.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use comity::policy::Failure;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

use super::pool::{Connection, Sender, SentBody};
use super::proxy::Proxy;
use super::tls::Tls;
use super::traffic::{ObservedStream, Stream, Traffic};
use super::{TransportError, failure};
use crate::descriptors::{self, Descriptor};
use crate::guard::Guard;

/// Delay before the next address is tried in parallel (RFC 8305 §5).
const STAGGER: Duration = Duration::from_millis(250);

/// Maximum number of addresses tried for a name.
const MAX_ADDRESSES: usize = 16;

/// HTTP/2 flow-control window of an answer, in bytes.
const STREAM_WINDOW: u32 = 1 << 20;

/// HTTP/2 flow-control window of a connection, in bytes.
const CONNECTION_WINDOW: u32 = 2 << 20;

/// The opener of connections to origins.
#[derive(Debug)]
pub(super) struct Connector {
    pub guard: Guard,
    pub tls: Tls,
    pub proxy: Option<Proxy>,
    pub timeout: Duration,
}

impl Connector {
    /// Connects to the origin of a URL. `origin` is its key in the pool. Waits at most `max_wait` for a descriptor.
    pub(super) async fn connect(
        &self,
        url: &Url,
        origin: &str,
        max_wait: Duration,
    ) -> Result<Connection, TransportError> {
        let Ok(descriptor) = tokio::time::timeout(max_wait, descriptors::acquire()).await else {
            let message = format!("no file descriptor became free within {} s", max_wait.as_secs_f64());
            return Err(TransportError::new(Failure::Local, message));
        };
        let late = || TransportError::late("no connection within", self.timeout);
        let reached = match &self.proxy {
            None => tokio::time::timeout(self.timeout, self.connect_origin(url, descriptor)).await,
            Some(proxy) => {
                let reached = tokio::time::timeout(self.timeout, self.connect_proxy(proxy, descriptor)).await;
                let reached = reached.map_err(|_| as_local_failure(&late())).and_then(|reached| reached)?;
                tokio::time::timeout(self.timeout, self.connect_through(proxy, reached, url)).await
            }
        };
        let reached = reached.map_err(|_| late()).and_then(|reached| reached)?;
        start_http(reached, origin).await
    }

    /// Connects to the origin of a URL, with TLS for `https`.
    async fn connect_origin(&self, url: &Url, descriptor: Descriptor) -> Result<OpenStream, TransportError> {
        let reached = self.dial(url, descriptor).await?;
        if url.scheme() == "https" { tls_over(reached, url, &self.tls.origins).await } else { Ok(reached) }
    }

    /// Connects to the proxy. An error counts as a local failure, unless the guard refused the proxy.
    async fn connect_proxy(
        &self,
        proxy: &Proxy,
        descriptor: Descriptor,
    ) -> Result<OpenStream, TransportError> {
        let reached = async {
            let reached = self.dial(&proxy.url, descriptor).await?;
            match proxy.url.scheme() {
                "https" => tls_over(reached, &proxy.url, &self.tls.proxies).await,
                _ => Ok(reached),
            }
        };
        reached.await.map_err(|error| as_local_failure(&error))
    }

    /// Connects through the proxy to the origin.
    async fn connect_through(
        &self,
        proxy: &Proxy,
        mut reached: OpenStream,
        url: &Url,
    ) -> Result<OpenStream, TransportError> {
        if proxy.forwards(url) {
            return Ok(reached);
        }
        proxy.tunnel(&mut reached.stream, url).await?;
        tls_over(reached, url, &self.tls.origins).await
    }

    /// Opens a socket to one of the checked addresses of a host.
    async fn dial(&self, url: &Url, descriptor: Descriptor) -> Result<OpenStream, TransportError> {
        let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(0));
        let addresses = self.guard.resolve(host, port).await?;
        let mut addresses = alternating(addresses).into_iter().take(MAX_ADDRESSES);
        let Some(first) = addresses.next() else {
            return Err(TransportError::new(Failure::Dns, format!("`{host}` has no address")));
        };
        let mut failed: Option<TransportError> = None;
        let mut attempts = FuturesUnordered::new();
        attempts.push(open(first, descriptor));
        loop {
            let ended = match tokio::time::timeout(STAGGER, attempts.next()).await {
                Ok(Some(ended)) => Some(ended),
                Ok(None) => return Err(failed.unwrap_or_else(|| unreachable(host))),
                Err(_) => None,
            };
            let descriptor = match ended {
                Some(Ok(reached)) => return Ok(reached),
                Some(Err((error, descriptor))) => {
                    // A failure of the site takes precedence over a local failure, since it shows that the network
                    // works.
                    if failed.as_ref().is_none_or(|failed| failed.failure() == Failure::Local) {
                        failed = Some(error);
                    }
                    Some(descriptor)
                }
                // No address has answered in time. Try the next one in parallel if a descriptor is free.
                None => descriptors::try_acquire(),
            };
            if let Some(descriptor) = descriptor
                && let Some(next) = addresses.next()
            {
                attempts.push(open(next, descriptor));
            }
        }
    }
}

/// Maximum number of header fields in an answer. Some sites exceed 100, which is hyper's default for HTTP/1.
pub(super) const MAX_FIELDS: usize = 256;

/// Maximum size of the header of an answer, in bytes: hyper's default for HTTP/1. Hyper's default for HTTP/2 is 16 KiB
/// with 32 bytes added per field, which is too small for [`MAX_FIELDS`].
const MAX_HEADER_BYTES: u32 = 408 * 1024;

/// Starts HTTP on a stream: HTTP/2 if TLS negotiated it, otherwise HTTP/1.1.
async fn start_http(reached: OpenStream, origin: &str) -> Result<Connection, TransportError> {
    let OpenStream { stream, remote, is_http2, descriptor } = reached;
    let traffic = Arc::<Traffic>::default();
    let io = TokioIo::new(ObservedStream { stream, traffic: traffic.clone() });
    let failed = |error: hyper::Error| failure::of(&error);
    let sender = if is_http2 {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder.initial_stream_window_size(STREAM_WINDOW).initial_connection_window_size(CONNECTION_WINDOW);
        builder.max_header_list_size(MAX_HEADER_BYTES);
        let (sender, connection) = builder.handshake::<_, SentBody>(io).await.map_err(failed)?;
        tokio::spawn(drive(connection, descriptor));
        Sender::Http2(sender)
    } else {
        let mut builder = http1::Builder::new();
        builder.max_headers(MAX_FIELDS).max_buf_size(MAX_HEADER_BYTES as usize);
        let (sender, connection) = builder.handshake::<_, SentBody>(io).await.map_err(failed)?;
        tokio::spawn(drive(connection, descriptor));
        Sender::Http1(sender)
    };
    Ok(Connection { sender, origin: origin.into(), remote: Some(remote), traffic, is_reused: false })
}

/// Runs a connection to its end, and then frees its descriptor. The task that waits for an answer gets the error of the
/// connection, so this function only logs it.
async fn drive(connection: impl Future<Output = hyper::Result<()>>, descriptor: Descriptor) {
    if let Err(error) = connection.await {
        tracing::trace!(%error, "a connection ended");
    }
    drop(descriptor);
}

/// Converts an error of the proxy into a local failure, unless it is a refusal by the guard.
fn as_local_failure(error: &TransportError) -> TransportError {
    match error.refusal() {
        Some(refusal) => TransportError::refused(refusal.clone()),
        None => TransportError::new(Failure::Local, format!("the proxy cannot be used: {error}")),
    }
}

fn unreachable(host: &str) -> TransportError {
    TransportError::new(Failure::Connection, format!("no address of `{host}` answers"))
}

/// Orders the addresses so that IPv4 and IPv6 alternate, beginning with the family of the first address (RFC 8305 §4).
fn alternating(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let Some(first) = addresses.first().map(SocketAddr::is_ipv4) else { return addresses };
    let (one, other): (Vec<_>, Vec<_>) = addresses.into_iter().partition(|it| it.is_ipv4() == first);
    let mut one = one.into_iter();
    let mut other = other.into_iter();
    let mut mixed = Vec::new();
    loop {
        let next = [one.next(), other.next()];
        if next.iter().all(Option::is_none) {
            return mixed;
        }
        mixed.extend(next.into_iter().flatten());
    }
}

/// Dials one address. On failure, returns the descriptor together with the error.
async fn open(
    address: SocketAddr,
    descriptor: Descriptor,
) -> Result<OpenStream, (TransportError, Descriptor)> {
    let opened = TcpStream::connect(address).await.and_then(|stream| {
        stream.set_nodelay(true)?;
        Ok(stream)
    });
    match opened {
        Ok(stream) => {
            Ok(OpenStream { stream: Box::new(stream), remote: address, is_http2: false, descriptor })
        }
        Err(error) => {
            if failure::is_out_of_descriptors(&error) {
                descriptors::close_one();
            }
            Err((failure::of_dial(&error, address), descriptor))
        }
    }
}

/// Starts TLS on a stream, for the host of a URL.
async fn tls_over(
    reached: OpenStream,
    url: &Url,
    config: &Arc<rustls::ClientConfig>,
) -> Result<OpenStream, TransportError> {
    let name = match url.host() {
        Some(Host::Ipv4(address)) => ServerName::from(IpAddr::from(address)),
        Some(Host::Ipv6(address)) => ServerName::from(IpAddr::from(address)),
        // A final dot marks a name as complete. Names in certificates never end with a dot.
        Some(Host::Domain(name)) => ServerName::try_from(name.trim_end_matches('.').to_owned())
            .map_err(|error| TransportError::new(Failure::Tls, format!("`{name}`: {error}")))?,
        None => return Err(TransportError::new(Failure::Tls, "the URL has no host for TLS")),
    };
    let tls = TlsConnector::from(config.clone()).connect(name, reached.stream).await;
    let tls = tls.map_err(|error| failure::of(&error))?;
    let is_http2 = tls.get_ref().1.alpn_protocol() == Some(b"h2");
    Ok(OpenStream { stream: Box::new(tls), is_http2, ..reached })
}

/// An open stream to an origin or proxy, with the permit for its socket.
struct OpenStream {
    stream: Stream,
    remote: SocketAddr,
    is_http2: bool,
    descriptor: Descriptor,
}
