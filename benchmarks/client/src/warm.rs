//! Decisions for cached origins, on one thread. The time of a decision includes parsing the URL.

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

/// A transport that answers with file N as the robots.txt of `hN.example`.
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

/// A resolver that returns one address for every name.
#[derive(Debug)]
struct Anywhere;

impl Resolver for Anywhere {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        Box::pin(async { Ok(vec![IpAddr::V4(Ipv4Addr::new(93, 184, 216, 34))]) })
    }
}

/// Returns a client with the transport `files`. Its cache in memory keeps the rules; its store keeps nothing.
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

/// Fills the cache of a client: requests robots.txt of every origin.
pub(crate) async fn warm(client: &Client, origins: usize) -> Result<(), Box<dyn Error>> {
    for number in 0..origins {
        let origin = Origin::of(&format!("https://h{number}.example/").parse()?).ok_or("no origin")?;
        client.robots().policy(&origin).await?;
    }
    Ok(())
}

/// Number of rounds. The client builds indexes of rules in the first rounds.
const ROUNDS: usize = 40;

pub(crate) fn run(bodies: &[Bytes]) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let client = client(Files(bodies.to_vec()))?;
    runtime.block_on(warm(&client, bodies.len()))?;
    println!("## Decisions from a warm cache\n");
    println!("{} origins, URL text in, decision out, one thread, best of {ROUNDS} rounds\n", bodies.len());
    for (what, links) in [("20 URLs of each origin in turn", 20), ("one URL of each origin in turn", 1)] {
        report(&client, what, &urls(bodies.len(), links))?;
    }
    Ok(())
}

/// Returns `of_each` URLs for every origin, sorted by origin.
fn urls(origins: usize, of_each: usize) -> Vec<String> {
    let paths = ["/", "/about", "/search?q=robots&page=2", "/products/item-1234.html", "/a/b/c/d/e?x=1&y=2"];
    let links = |number| {
        paths.iter().cycle().take(of_each).enumerate().map(move |(link, path)| match link {
            0..5 => format!("https://h{number}.example{path}"),
            _ => format!("https://h{number}.example/{link}{path}"),
        })
    };
    (0..origins).flat_map(links).collect()
}

fn report(client: &Client, what: &str, urls: &[String]) -> Result<(), Box<dyn Error>> {
    let (mut best, mut finding, mut blocked) = (f64::INFINITY, f64::INFINITY, 0);
    let each = |begun: ProcessTime| begun.elapsed().as_nanos() as f64 / urls.len() as f64;
    for _ in 0..ROUNDS {
        let begun = ProcessTime::now();
        blocked = 0;
        for url in urls {
            let now = SystemTime::now();
            let policy = client.robots().known(url, now).ok_or("not warm")?;
            let decision = policy.decide(url, now)?;
            blocked += usize::from(black_box(&decision).blocks());
        }
        best = best.min(each(begun));
        let begun = ProcessTime::now();
        for url in urls {
            black_box(client.robots().known(url, SystemTime::now()).ok_or("not warm")?);
        }
        finding = finding.min(each(begun));
    }
    println!(
        "{what}: {best:.0} ns each, of which {finding:.0} ns find the policy and read the clock: {:.2} million a second \
         ({} URLs, {blocked} disallowed)\n",
        1e3 / best,
        urls.len()
    );
    Ok(())
}
