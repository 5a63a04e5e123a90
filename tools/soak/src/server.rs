//! The server of all origins. Each origin has a separate address. Every request is recorded when it arrives.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::runtime::Runtime;

use crate::origins::{Answer, Kind, Origin};

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    pub(crate) at: Instant,
    pub(crate) origin: u32,
    pub(crate) path: String,
}

/// The server of all origins, which runs until it is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) port: u16,
    shared: Arc<Shared>,
    _runtime: Runtime,
}

#[derive(Debug)]
struct Shared {
    seed: u64,
    origins: u32,
    victim: String,
    hits: Mutex<Vec<Hit>>,
    /// The times at which this process woke up too late, with the lateness. If a request is recorded late, the gap to
    /// the next request seems to be shorter.
    lateness: Mutex<Vec<(Instant, Duration)>>,
}

/// Interval of the lateness measurement.
const TICK: Duration = Duration::from_millis(20);

impl Server {
    /// Serves the origins of a seed.
    pub(crate) fn start(seed: u64, origins: u32) -> std::io::Result<Server> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let listener = runtime.block_on(async {
            let socket = TcpSocket::new_v4()?;
            socket.bind(SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0))?;
            socket.listen(4_096)
        })?;
        let port = listener.local_addr()?.port();
        let victim = format!("http://{}:{port}", Origin::address(0));
        let (hits, lateness) = (Mutex::default(), Mutex::default());
        let shared = Arc::new(Shared { seed, origins, victim, hits, lateness });
        let serving = Arc::clone(&shared);
        runtime.spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => drop(tokio::spawn(serve(stream, Arc::clone(&serving)))),
                    // The process may be out of file descriptors.
                    Err(_) => tokio::time::sleep(TICK).await,
                }
            }
        });
        let measured = Arc::clone(&shared);
        runtime.spawn(async move {
            loop {
                let due = Instant::now() + TICK;
                tokio::time::sleep_until(due.into()).await;
                let now = Instant::now();
                let late = now - due;
                if late > Duration::from_millis(5) {
                    measured.lateness.lock().unwrap_or_else(PoisonError::into_inner).push((now, late));
                }
            }
        });
        Ok(Server { port, shared, _runtime: runtime })
    }

    /// Returns all requests so far.
    pub(crate) fn hits(&self) -> Vec<Hit> {
        self.shared.hits.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the times at which this process woke up too late, with the lateness.
    pub(crate) fn lateness(&self) -> Vec<(Instant, Duration)> {
        self.shared.lateness.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Serves one connection.
async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    let Ok(SocketAddr::V4(local)) = stream.local_addr() else { return };
    let number = Origin::number_at(*local.ip());
    if number >= shared.origins {
        return;
    }
    let origin = Origin::new(shared.seed, number);
    let mut kept = Vec::new();
    while let Some(path) = request(&mut stream, &mut kept).await {
        let hit = Hit { at: Instant::now(), origin: number, path: path.clone() };
        shared.hits.lock().unwrap_or_else(PoisonError::into_inner).push(hit);
        let is_robots = path == "/robots.txt";
        let answer = if is_robots { origin.robots(&shared.victim) } else { Answer::ok(b"page\n".to_vec()) };
        if answer.is_silent {
            tokio::time::sleep(Duration::from_secs(30)).await;
            return;
        }
        if answer.is_reset {
            let _ = stream.set_zero_linger();
            return;
        }
        let closes = origin.kind == Kind::Closer;
        let sent = send(&mut stream, &answer.wire(closes), origin.kind == Kind::Slow && is_robots).await;
        if closes || sent.is_err() {
            return;
        }
    }
}

async fn send(stream: &mut TcpStream, wire: &[u8], is_slow: bool) -> std::io::Result<()> {
    if !is_slow {
        return stream.write_all(wire).await;
    }
    for piece in wire.chunks(wire.len().div_ceil(5).max(1)) {
        tokio::time::sleep(Duration::from_millis(100)).await;
        stream.write_all(piece).await?;
    }
    Ok(())
}

/// Reads a request and returns its path, or `None` at the end of the connection.
async fn request(stream: &mut TcpStream, kept: &mut Vec<u8>) -> Option<String> {
    let mut chunk = [0; 2_048];
    loop {
        if let Some(end) = kept.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&kept[..end]).into_owned();
            kept.drain(..end + 4);
            return head.split(' ').nth(1).map(str::to_owned);
        }
        if kept.len() > 64 * 1024 {
            return None;
        }
        match stream.read(&mut chunk).await {
            Ok(read) if read > 0 => kept.extend_from_slice(&chunk[..read]),
            _ => return None,
        }
    }
}
