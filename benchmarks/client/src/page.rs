//! Sequential pages over loopback: the cost of a page with Comity's client, with reqwest and with hyper.
//!
//! One thread sends one request at a time over one connection to a server in another process. Comity's client is
//! measured with a store in memory and with the embedded store. The site has no crawl delay, and the client has no
//! minimum interval, so the client does not wait between requests.

use std::error::Error;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use comity_client::guard::Guard;
use comity_client::pace::PaceOptions;
use comity_client::store::{EmbeddedStore, MemoryStore, Store};
use comity_client::{Client, FetchOptions};
use cpu_time::ProcessTime;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::server::Server;

/// Number of rounds. They are short, so that some of them run while other programs are idle.
const ROUNDS: usize = 30;
const PAGES: usize = 1_000;
const NAMES: [&str; 6] = [
    "hyper, one connection",
    "reqwest",
    "Comity's transport alone",
    "Comity, store in memory, usage not read",
    "Comity, store in memory",
    "Comity, embedded store",
];

/// Serves a small page, and a robots.txt that allows it.
pub(crate) fn serve() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?.port());
        loop {
            let (connection, _) = listener.accept().await?;
            connection.set_nodelay(true)?;
            // An error means that the client has disconnected.
            tokio::spawn(async move { answer(connection).await.ok() });
        }
    })
}

async fn answer(mut connection: TcpStream) -> std::io::Result<()> {
    let with = |kind: &str, body: &str| {
        format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    };
    let robots = with("text/plain", "User-agent: *\nDisallow: /private\n");
    let page = with("text/html; charset=utf-8", &format!("<title>A page</title>{}", "<p>Text".repeat(140)));
    let mut request = [0; 4096];
    loop {
        let read = connection.read(&mut request).await?;
        if read == 0 {
            return Ok(());
        }
        let is_robots = request.starts_with(b"GET /robots.txt ");
        connection.write_all(if is_robots { robots.as_bytes() } else { page.as_bytes() }).await?;
    }
}

/// Measures the rows of the table with these numbers, or all rows. Use a single row with a profiler.
pub(crate) fn run(rows: &[usize]) -> Result<(), Box<dyn Error>> {
    // reqwest is compiled without a cryptography provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let server = Server::start("serve-page")?;
    let url = format!("http://127.0.0.1:{}/page", server.port);
    let folder = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let rows: Vec<usize> = (0..NAMES.len()).filter(|row| rows.is_empty() || rows.contains(row)).collect();
    let mut best = [(f64::INFINITY, f64::INFINITY); NAMES.len()];
    for round in 0..ROUNDS {
        for &row in &rows {
            let time = runtime.block_on(async {
                match row {
                    0 => bare(server.port).await,
                    1 => plain(&url).await,
                    2 => transport(&url).await,
                    3 => polite(&url, Arc::new(MemoryStore::new()), false).await,
                    4 => polite(&url, Arc::new(MemoryStore::new()), true).await,
                    _ => {
                        let store = EmbeddedStore::open(folder.path().join(format!("{round}.db")))?;
                        polite(&url, Arc::new(store), true).await
                    }
                }
            })?;
            best[row].0 = best[row].0.min(time.0.as_secs_f64() * 1e6 / PAGES as f64);
            best[row].1 = best[row].1.min(time.1.as_secs_f64() * 1e6 / PAGES as f64);
        }
    }
    println!("## One page after the other over loopback\n");
    println!(
        "{PAGES} pages of 1 kB, one thread, one at a time, best of {ROUNDS} rounds, the server in a separate process\n"
    );
    println!("| | microseconds a page | rate relative to reqwest | CPU of the client, microseconds a page |");
    println!("|---|---:|---:|---:|");
    for row in rows {
        let (each, cpu) = best[row];
        println!("| {} | {each:.1} | {:.0} % | {cpu:.1} |", NAMES[row], best[1].0 / each * 100.0);
    }
    println!();
    Ok(())
}

/// Fetches one page to warm up. Returns the wall time and the CPU time of the pages after it.
async fn timed<F: Future<Output = Result<usize, Box<dyn Error>>>>(
    mut fetch: impl FnMut() -> F,
) -> Result<(Duration, Duration), Box<dyn Error>> {
    let expected = fetch().await?;
    let (begun, cpu) = (Instant::now(), ProcessTime::now());
    for _ in 0..PAGES {
        if fetch().await? != expected {
            return Err("the server sent another page".into());
        }
    }
    Ok((begun.elapsed(), cpu.elapsed()))
}

/// Fetches with hyper over one connection.
async fn bare(port: u16) -> Result<(Duration, Duration), Box<dyn Error>> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.set_nodelay(true)?;
    let io = hyper_util::rt::TokioIo::new(stream);
    let (sender, connection) = hyper::client::conn::http1::handshake(io).await?;
    tokio::spawn(connection);
    let sender = tokio::sync::Mutex::new(sender);
    timed(|| async {
        let request = http::Request::get("/page")
            .header("host", "127.0.0.1")
            .body(http_body_util::Empty::<bytes::Bytes>::new())?;
        let mut sender = sender.lock().await;
        sender.ready().await?;
        let answer = sender.send_request(request).await?;
        Ok(http_body_util::BodyExt::collect(answer.into_body()).await?.to_bytes().len())
    })
    .await
}

async fn plain(url: &str) -> Result<(Duration, Duration), Box<dyn Error>> {
    let client = reqwest::Client::builder().no_proxy().tcp_nodelay(true).build()?;
    timed(|| async { Ok(client.get(url).send().await?.bytes().await?.len()) }).await
}

/// Fetches with the transport of Comity's client alone, without robots.txt and pace.
async fn transport(url: &str) -> Result<(Duration, Duration), Box<dyn Error>> {
    use comity_client::transport::{HttpTransport, NetworkOptions, Request, Transport};
    let guard = Guard::new().allow_address("127.0.0.0/8".parse()?);
    let transport = HttpTransport::new(guard, &NetworkOptions::default())?;
    let url: reqwest::Url = url.parse()?;
    timed(|| async {
        let request = Request::get(url.clone(), http::HeaderMap::new(), Duration::from_secs(20));
        let mut answer = transport.send(request).await?;
        let mut bytes = 0;
        while let Some(chunk) = answer.body.chunk().await {
            bytes += chunk?.len();
        }
        Ok(bytes)
    })
    .await
}

async fn polite(
    url: &str,
    store: Arc<dyn Store>,
    reads_use: bool,
) -> Result<(Duration, Duration), Box<dyn Error>> {
    let mut pace = PaceOptions::default();
    pace.min_interval = Duration::ZERO;
    let mut options = FetchOptions::default();
    options.reads_use = reads_use;
    let client = Client::builder("ExampleBot")
        .guard(Guard::new().allow_address("127.0.0.0/8".parse()?))
        .shared_store(store)
        .pace(pace)
        .fetch(options)
        .build()?;
    timed(|| async { Ok(client.fetch(url).await?.body().len()) }).await
}
