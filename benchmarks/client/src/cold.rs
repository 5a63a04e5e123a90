//! Cold origins: fetches robots.txt of thousands of origins over loopback, with Comity's client and with reqwest.
//!
//! Each origin has its own address in 127.0.0.0/8. A separate process serves all origins. The costs of keeping a
//! connection open and of closing it after its only request differ, and each is as large as the cost of reading a file.
//! So both clients are measured with kept and with closed connections. Each measurement starts a new server, so that it
//! does not include the cost of closing earlier connections.

use std::error::Error;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use comity_client::guard::Guard;
use comity_client::store::{EmbeddedStore, MemoryStore, Store};
use comity_client::transport::NetworkOptions;
use comity_client::{Client, Origin};
use cpu_time::ProcessTime;
use futures_util::stream::{self, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::corpus;
use crate::server::Server;

const ROUNDS: usize = 15;
const AT_ONCE: usize = 32;

/// Serves file N of the corpus as the robots.txt of origin N.
pub(crate) fn serve() -> Result<(), Box<dyn Error>> {
    let bodies = Arc::new(corpus::load()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("0.0.0.0:0").await?;
        println!("{}", listener.local_addr()?.port());
        loop {
            let (connection, _) = listener.accept().await?;
            let bodies = Arc::clone(&bodies);
            tokio::spawn(async move {
                // An error means that the client has disconnected.
                let _ = answer(connection, &bodies).await;
            });
        }
    })
}

async fn answer(mut connection: TcpStream, bodies: &[Bytes]) -> std::io::Result<()> {
    let number = match connection.local_addr()?.ip() {
        std::net::IpAddr::V4(address) => u32::from(address).wrapping_sub(u32::from(FIRST)) as usize,
        std::net::IpAddr::V6(_) => 0,
    };
    let body = bodies.get(number % bodies.len().max(1)).cloned().unwrap_or_default();
    let mut request = vec![0; 4096];
    while connection.read(&mut request).await? > 0 {
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n", body.len());
        connection.write_all(&[head.as_bytes(), &body].concat()).await?;
    }
    Ok(())
}

const FIRST: Ipv4Addr = Ipv4Addr::new(127, 1, 0, 1);

/// Returns the URLs of the robots.txt files.
fn urls(port: u16, origins: usize) -> Vec<String> {
    let first = u32::from(FIRST);
    (0..origins)
        .map(|number| {
            let address = Ipv4Addr::from(first + u32::try_from(number).unwrap_or(0));
            format!("http://{address}:{}/robots.txt", port)
        })
        .collect()
}

/// Whether connections stay open after their request.
#[derive(Clone, Copy)]
enum Connections {
    Kept,
    Closed,
}

/// The client that fetches, with its store.
#[derive(Clone, Copy)]
enum Fetcher {
    Reqwest,
    Memory,
    Embedded,
}

const ROWS: [(&str, Fetcher, Connections); 6] = [
    ("reqwest; connections kept", Fetcher::Reqwest, Connections::Kept),
    ("Comity, store in memory; connections kept", Fetcher::Memory, Connections::Kept),
    ("Comity, embedded store; connections kept", Fetcher::Embedded, Connections::Kept),
    ("reqwest; connections closed", Fetcher::Reqwest, Connections::Closed),
    ("Comity, store in memory; connections closed", Fetcher::Memory, Connections::Closed),
    ("Comity, embedded store; connections closed", Fetcher::Embedded, Connections::Closed),
];

/// Measures the rows of the table with these numbers, or all rows. Use a single row with a profiler.
pub(crate) fn run(bodies: &[Bytes], rows: &[usize]) -> Result<(), Box<dyn Error>> {
    // reqwest is compiled without a cryptography provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let origins = bodies.len().min(4_000);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let folder = tempfile::tempdir()?;
    let rows: Vec<usize> = (0..ROWS.len()).filter(|row| rows.is_empty() || rows.contains(row)).collect();
    let mut kept = None;
    let mut best = [(f64::INFINITY, f64::INFINITY); ROWS.len()];
    for round in 0..ROUNDS {
        for &row in &rows {
            let server = Server::start("serve")?;
            let urls = urls(server.port, origins);
            let (_, fetcher, connections) = ROWS[row];
            let begun = ProcessTime::now();
            let time = runtime.block_on(async {
                match fetcher {
                    Fetcher::Reqwest => plain(&urls, connections).await,
                    Fetcher::Memory => polite(&urls, Arc::new(MemoryStore::new()), connections).await,
                    Fetcher::Embedded => {
                        let store = EmbeddedStore::open(folder.path().join(format!("{round}-{row}.db")))?;
                        let store = Arc::new(store);
                        let time = polite(&urls, store.clone(), connections).await?;
                        kept = Some(store.size().await?);
                        Ok(time)
                    }
                }
            })?;
            let each = 1e6 / urls.len() as f64;
            best[row].0 = best[row].0.min(time.as_secs_f64() * each);
            best[row].1 = best[row].1.min(begun.elapsed().as_secs_f64() * each);
        }
    }
    println!("## Cold origins over loopback\n");
    println!(
        "{origins} origins, {AT_ONCE} at once, best of {ROUNDS} rounds, the server in a separate process\n",
    );
    println!(
        "| | origins a second | relative to reqwest | CPU of the client, microseconds an origin |\n|---|---:|---:|---:|"
    );
    for row in rows {
        let (each, cpu) = best[row];
        let (reqwest, _) = best[row / 3 * 3];
        println!("| {} | {:.0} | {:.0} % | {cpu:.1} |", ROWS[row].0, 1e6 / each, reqwest / each * 100.0);
    }
    println!();
    if let Some(kept) = kept {
        println!(
            "{} bytes an origin in entries, {} in the file and its log\n",
            kept.bytes / kept.entries.max(1),
            kept.file_bytes / kept.entries.max(1)
        );
    }
    Ok(())
}

/// Fetches the files with reqwest.
async fn plain(urls: &[String], connections: Connections) -> Result<Duration, Box<dyn Error>> {
    let idle = match connections {
        Connections::Kept => 2,
        Connections::Closed => 0,
    };
    let client =
        reqwest::Client::builder().no_proxy().pool_max_idle_per_host(idle).tcp_nodelay(true).build()?;
    let begun = Instant::now();
    let bytes: Vec<usize> = stream::iter(urls)
        .map(|url| {
            let client = client.clone();
            async move { client.get(url).send().await?.bytes().await.map(|body| body.len()) }
        })
        .buffer_unordered(AT_ONCE)
        .filter_map(|result| async { result.ok() })
        .collect()
        .await;
    assert_eq!(bytes.len(), urls.len(), "every file came");
    Ok(begun.elapsed())
}

/// Fetches, parses, compiles and stores the files with Comity.
async fn polite(
    urls: &[String],
    store: Arc<dyn Store>,
    connections: Connections,
) -> Result<Duration, Box<dyn Error>> {
    let mut network = NetworkOptions::default();
    match connections {
        Connections::Kept => network.idle_connections = urls.len(),
        Connections::Closed => network.idle_per_host = 0,
    }
    let client = Client::builder("ExampleBot")
        .network(network)
        .guard(Guard::new().allow_address("127.0.0.0/8".parse()?))
        .shared_store(store)
        .build()?;
    let begun = Instant::now();
    let known: Vec<()> = stream::iter(urls)
        .map(|url| {
            let client = client.clone();
            async move {
                let origin = Origin::of(&url.parse().ok()?)?;
                let policy = client.robots().policy(&origin).await.ok()?;
                policy.evidence().filter(|evidence| evidence.status() == Some(200)).map(|_| ())
            }
        })
        .buffer_unordered(AT_ONCE)
        .filter_map(|known| async move { known })
        .collect()
        .await;
    assert_eq!(known.len(), urls.len(), "every robots.txt came");
    Ok(begun.elapsed())
}
