//! Sites on loopback, which the service contacts. Some answer quickly, others never answer. Each address is a separate
//! origin.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Two listeners on all loopback addresses: for sites that answer, and for sites that never answer.
pub(crate) struct Sites {
    pub(crate) quick: u16,
    pub(crate) silent: u16,
    hung: Arc<AtomicUsize>,
}

/// Returns the origin with this number.
pub(crate) fn origin(number: usize, port: u16) -> String {
    format!("http://127.1.{}.{}:{port}", number / 250, number % 250 + 1)
}

impl Sites {
    pub(crate) async fn start(robots: &'static str) -> Sites {
        let (quick, silent) = (listener().await, listener().await);
        let ports = [&quick, &silent].map(|listener| listener.local_addr().expect("an address").port());
        let hung = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&hung);
        tokio::spawn(async move {
            while let Ok((stream, _)) = quick.accept().await {
                tokio::spawn(answer(stream, robots));
            }
        });
        tokio::spawn(async move {
            let mut kept = Vec::new();
            while let Ok((stream, _)) = silent.accept().await {
                kept.push(stream);
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        Sites { quick: ports[0], silent: ports[1], hung }
    }

    pub(crate) fn ports(&self) -> [u16; 2] {
        [self.quick, self.silent]
    }

    /// Returns the number of connections to origins that never answer.
    pub(crate) fn hung(&self) -> usize {
        self.hung.load(Ordering::Relaxed)
    }
}

async fn listener() -> TcpListener {
    TcpListener::bind("0.0.0.0:0").await.expect("a port")
}

async fn answer(mut stream: TcpStream, robots: &str) {
    let mut request = [0; 4096];
    while let Ok(1..) = stream.read(&mut request).await {
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {}\r\n\r\n{robots}",
            robots.len()
        );
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}
