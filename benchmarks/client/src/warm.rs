//! Decisions from a warm cache: the text of a URL in, a decision out, one thread.

use std::error::Error;
use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr};
use std::time::SystemTime;

use bytes::Bytes;
use comity_client::guard::{Guard, Resolver};
use comity_client::store::MemoryStore;
use comity_client::transport::{Request, Response, Transport, TransportError};
use comity_client::{BoxFuture, Client, Origin};
use cpu_time::ProcessTime;
use http::{HeaderMap, StatusCode};

/// Serves file N as the robots.txt of `hN.example`.
#[derive(Clone, Debug)]
pub(crate) struct Files(pub(crate) Vec<Bytes>);

impl Transport for Files {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let number =
            request.url.host_str().and_then(|host| host.get(1..)?.split('.').next()?.parse::<usize>().ok());
        let body = number.and_then(|number| self.0.get(number)).cloned();
        Box::pin(async move {
            let status = if body.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
            Ok(Response::new(status, HeaderMap::new(), body.unwrap_or_default()))
        })
    }
}

/// Every name is somewhere.
#[derive(Debug)]
struct Anywhere;

impl Resolver for Anywhere {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        Box::pin(async { Ok(vec![IpAddr::V4(Ipv4Addr::new(93, 184, 216, 34))]) })
    }
}

/// A client for which file N is the robots.txt of `hN.example`, and which keeps rules only.
pub(crate) fn client(files: Files) -> Result<Client, Box<dyn Error>> {
    let mut robots = comity_client::robots_cache::RobotsOptions::default();
    robots.memory_bytes = 1 << 30;
    Ok(Client::builder("ExampleBot")
        .guard(Guard::new().with_resolver(Anywhere))
        .transport(files)
        .store(MemoryStore::new().max_bytes(0))
        .robots(robots)
        .build()?)
}

/// Asks for every origin's robots.txt.
pub(crate) async fn warm(client: &Client, origins: usize) -> Result<(), Box<dyn Error>> {
    for number in 0..origins {
        let origin = Origin::of(&format!("https://h{number}.example/").parse()?).ok_or("no origin")?;
        client.robots().policy(&origin).await?;
    }
    Ok(())
}

pub(crate) fn run(bodies: &[Bytes]) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let client = client(Files(bodies.to_vec()))?;
    runtime.block_on(warm(&client, bodies.len()))?;
    // A crawler's questions: many pages of a site, one after the other, and sites in turn.
    let paths = ["/", "/about", "/search?q=robots&page=2", "/products/item-1234.html", "/a/b/c/d/e?x=1&y=2"];
    let urls: Vec<String> = (0..bodies.len())
        .flat_map(|number| paths.iter().map(move |path| format!("https://h{number}.example{path}")))
        .collect();
    let (mut best, mut blocked) = (f64::INFINITY, 0);
    for _ in 0..9 {
        let begun = ProcessTime::now();
        blocked = 0;
        for url in &urls {
            let now = SystemTime::now();
            let policy = client.robots().known(url, now).ok_or("not warm")?;
            let decision = policy.decide(url, now)?;
            blocked += usize::from(black_box(&decision).blocks());
        }
        best = best.min(begun.elapsed().as_nanos() as f64 / urls.len() as f64);
    }
    println!("## Decisions from a warm cache\n");
    println!(
        "{} URLs of {} origins, text in, decision out, one thread, best of 9 rounds",
        urls.len(),
        bodies.len()
    );
    println!("{best:.0} ns each, {:.2} million a second ({blocked} disallowed)\n", 1e3 / best);
    Ok(())
}
