//! An HTTP/1.1 origin on loopback. It answers with the replies of scripts, and logs all requests.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime;
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;

use super::connection::Connection;
use super::log::{Load, Log, Seen, State};
use super::reply::Reply;
use super::script::Script;
use super::service::{Routes, Shared};
use super::tls::{Ca, Identity};

/// An origin. It answers with 404 for paths without a script. Dropping the origin stops it and closes its connections.
///
/// ```
/// use testkit::servers::{Origin, Reply};
///
/// let origin = Origin::start();
/// origin
///     .on("/robots.txt", Reply::status(503).times(2).then(Reply::ok("User-agent: *\n").header("ETag", "\"1\"")))
///     .on_request("/agent", |request| Reply::ok(request.header("User-Agent").unwrap_or("none")));
/// assert!(origin.url("/robots.txt").starts_with("http://127.0.0.1:"));
/// assert_eq!(origin.count("/robots.txt"), 0);
/// ```
#[derive(Debug)]
pub struct Origin {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
    /// Dropped to stop the thread.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Constructors. They panic if the address is not free.
impl Origin {
    /// Starts an origin on 127.0.0.1, on a free port.
    pub fn start() -> Self {
        Origin::start_on("127.0.0.1")
    }

    /// Starts an origin on this address, on a free port. The address is in 127.0.0.0/8, or `::1`, or `0.0.0.0` for all
    /// IPv4 addresses of the machine.
    pub fn start_on(ip: &str) -> Self {
        Origin::start_at(SocketAddr::new(ip.parse().expect("an IP address"), 0))
    }

    /// Starts an origin on this address and port, for example those of an origin that was dropped.
    pub fn start_at(address: SocketAddr) -> Self {
        Origin::launch(address, None)
    }

    /// Starts an origin with TLS on 127.0.0.1, on a free port, with a certificate for 127.0.0.1 and `localhost`.
    pub fn start_tls(ca: &Ca) -> Self {
        let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        Origin::start_tls_at(address, &ca.identity(["127.0.0.1", "localhost"]))
    }

    /// Starts an origin with TLS on this address, with any certificate.
    pub fn start_tls_at(address: SocketAddr, identity: &Identity) -> Self {
        Origin::launch(address, Some(identity.acceptor()))
    }

    fn launch(address: SocketAddr, tls: Option<TlsAcceptor>) -> Self {
        let scheme = if tls.is_some() { "https" } else { "http" };
        let otherwise = Script::from(Reply::status(404));
        let routes = Mutex::new(Routes { scripts: BTreeMap::new(), otherwise });
        let shared = Arc::new(Shared { routes, log: Arc::new(Log::default()) });
        let (stop, stopped) = oneshot::channel();
        let (ready, readiness) = mpsc::channel();
        let served = Arc::clone(&shared);
        let thread = thread::spawn(move || run(address, tls, served, &ready, stopped));
        let address = readiness.recv().expect("the origin's thread").expect("an address to listen on");
        Origin { address, scheme, shared, stop: Some(stop), thread: Some(thread) }
    }
}

/// Addresses, and settings of the replies.
impl Origin {
    /// Returns the address on which the origin listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of a path, with the address as the host.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// Returns the URL of a path, with another host and the port of the origin.
    pub fn url_as(&self, host: &str, path: &str) -> String {
        format!("{}://{host}:{}{path}", self.scheme, self.address.port())
    }

    /// Sets the replies to further requests for `path`. If `path` contains a `?`, they apply to this query only.
    pub fn on(&self, path: &str, script: impl Into<Script>) -> &Self {
        self.routes(|routes| routes.scripts.insert(path.to_owned(), script.into()));
        self
    }

    /// Sets a function that returns the replies to further requests for `path`.
    pub fn on_request(&self, path: &str, reply: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> &Self {
        self.on(path, Script::new(reply))
    }

    /// Sets the replies for all paths without a script, instead of 404.
    pub fn otherwise(&self, script: impl Into<Script>) -> &Self {
        self.routes(|routes| routes.otherwise = script.into());
        self
    }

    fn routes<T>(&self, change: impl FnOnce(&mut Routes) -> T) -> T {
        change(&mut self.shared.routes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Received requests.
impl Origin {
    /// Returns every request so far, in order.
    pub fn requests(&self) -> Vec<Seen> {
        self.state(|state| state.seen.clone())
    }

    /// Returns the requests for `path`. If `path` contains a `?`, returns the requests with this query only.
    pub fn requests_for(&self, path: &str) -> Vec<Seen> {
        self.state(|state| state.seen.iter().filter(|seen| seen.is_for(path)).cloned().collect())
    }

    /// Returns the number of requests for `path`. If `path` contains a `?`, counts the requests with this query only.
    pub fn count(&self, path: &str) -> usize {
        self.state(|state| state.seen.iter().filter(|seen| seen.is_for(path)).count())
    }

    /// Returns the times between consecutive requests for `path`.
    pub fn gaps(&self, path: &str) -> Vec<Duration> {
        let seen = self.requests_for(path);
        seen.iter().zip(seen.iter().skip(1)).map(|(one, next)| next.at - one.at).collect()
    }

    /// Returns the maximum number of concurrent requests for `path`, with any query.
    pub fn max_concurrent(&self, path: &str) -> usize {
        self.load(path).most
    }

    /// Returns the maximum number of concurrent requests for all paths.
    pub fn max_concurrent_of_all(&self) -> usize {
        self.state(|state| state.all.most)
    }

    /// Returns the number of ongoing requests for `path`, with any query. A request does not count after its client has
    /// disconnected.
    pub fn ongoing(&self, path: &str) -> usize {
        self.load(path).now
    }

    /// Returns the number of bytes, with heads, that were written for `path`, with any query. The client may not have
    /// read all of them: the buffers of the sockets can hold some megabytes.
    pub fn sent(&self, path: &str) -> u64 {
        self.load(path).sent
    }

    /// Returns the number of accepted connections, including those with a failed TLS handshake.
    pub fn connections(&self) -> usize {
        self.state(|state| state.connections)
    }

    /// Waits until this number of requests for `path` was received.
    pub async fn until_requested(&self, path: &str, times: usize) {
        self.until(|origin| origin.count(path) >= times).await;
    }

    /// Waits until no request for `path` is being answered, with any query.
    pub async fn until_idle(&self, path: &str) {
        self.until(|origin| origin.ongoing(path) == 0).await;
    }

    async fn until(&self, reached: impl Fn(&Self) -> bool) {
        loop {
            // Subscribes before the check, so that no change after the check is missed.
            let news = self.shared.log.news.notified();
            if reached(self) {
                return;
            }
            news.await;
        }
    }

    fn load(&self, path: &str) -> Load {
        self.state(|state| state.by_path.get(path).copied().unwrap_or_default())
    }

    fn state<T>(&self, ask: impl FnOnce(&State) -> T) -> T {
        ask(&self.shared.log.state())
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        drop(self.stop.take());
        // Joins the thread, so that the port is free afterwards. A panic of the thread was reported already.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Runs the thread of an origin.
fn run(
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    shared: Arc<Shared>,
    ready: &mpsc::Sender<io::Result<SocketAddr>>,
    stopped: oneshot::Receiver<()>,
) {
    let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async move {
        let listening = listen(address).and_then(|listener| Ok((listener.local_addr()?, listener)));
        match listening {
            Ok((address, listener)) => {
                tokio::spawn(accept(listener, tls, shared));
                // `launch` waits for the address.
                let _ = ready.send(Ok(address));
                // Returns an error when the origin drops the sender.
                let _ = stopped.await;
            }
            Err(error) => {
                let _ = ready.send(Err(error));
            }
        }
    });
}

/// Listens with a queue that is long enough for thousands of concurrent clients.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(4096)
}

async fn accept(listener: TcpListener, tls: Option<TlsAcceptor>, shared: Arc<Shared>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let number = shared.log.connected();
                tokio::spawn(serve(stream, tls.clone(), Arc::clone(&shared), number));
            }
            // The process has no file descriptors left, or the client has disconnected.
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

/// Serves a connection. The caller ignores an error: the client has disconnected, or has rejected the certificate.
async fn serve(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    shared: Arc<Shared>,
    number: usize,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    match tls {
        None => Connection::new(stream, number)?.serve(shared).await,
        Some(tls) => Connection::new(tls.accept(stream).await?, number)?.serve(shared).await,
    }
}
