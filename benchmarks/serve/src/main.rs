//! Measures the service under load: single checks compared with a server that sends a constant answer, batches compared
//! with the engine alone, latencies while a thousand origins do not answer, and memory over many requests.
//!
//! ```text
//! cargo run --release                    # in benchmarks/serve
//! cargo run --release -- 20000 200000    # number of requests and of rows in a round
//! ```
//!
//! The service, the other server and the clients are threads of one process and share its cores. So only figures of one
//! run are comparable.

mod callers;
mod sites;

use std::borrow::Cow;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use comity::robots::{Agent, RobotsTxt};
use comity_answers::check::CheckRow;
use comity_answers::provenance::Provenance;
use comity_client::Client;
use comity_client::guard::Guard;
use comity_client::pace::PaceOptions;
use comity_serve::{Listener, Service, ServiceOptions};
use serde_json::json;
use tokio::net::TcpListener;

use crate::callers::{Request, waits};
use crate::sites::{Sites, origin};

/// Number of rounds. Tables show the best round.
const ROUNDS: usize = 5;

/// Number of concurrent connections.
const CONNECTIONS: usize = 16;

/// Number of origins that never answer.
const HANGING: usize = 1_000;

const ROBOTS: &str = "User-agent: GPTBot\nDisallow: /private/\nCrawl-delay: 2\n\nUser-agent: *\nDisallow: /search\nDisallow: /*?sort=\nAllow: /search/about\n";

#[tokio::main]
async fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|number| number.parse().ok());
    let requests: usize = numbers.next().unwrap_or(40_000);
    let rows: usize = numbers.next().unwrap_or(200_000);

    let sites = Sites::start(ROBOTS).await;
    let service = serve(&sites).await;
    singles(service, &sites, requests).await;
    batches(service, rows).await;
    hanging(service, &sites, requests / 4).await;
    churn(service, &sites, requests).await;
}

/// Starts the service, with a client that may connect to these sites, and with limits that one caller does not reach.
async fn serve(sites: &Sites) -> SocketAddr {
    let guard = Guard::new().allow_address("127.0.0.0/8".parse().expect("a network"));
    let guard = sites.ports().into_iter().fold(guard, Guard::allow_port);
    let pace = PaceOptions::default().min_interval(Duration::ZERO);
    let client = Client::builder("ExampleBot").guard(guard).pace(pace).on_web_ports().build();
    let options = ServiceOptions::default().requests(4_096).new_origins(1 << 20);
    let service = Service::new(client.expect("a client"), options);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(service.serve(Listener::Tcp(listener), std::future::pending()));
    address
}

/// Starts a server that reads each request and sends a constant answer.
async fn constant(words: Bytes) -> SocketAddr {
    let answer = move |_: Bytes| async move { ([("content-type", "application/json")], words) };
    let router = Router::new().route("/v1/check", post(answer));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// Measures single checks: of a site whose robots.txt is cached, and with robots.txt in the request.
async fn singles(service: SocketAddr, sites: &Sites, requests: usize) {
    println!("{requests} checks over {CONNECTIONS} connections, best of {ROUNDS}\n");
    println!("| check | service, 1/s | constant, 1/s | share |\n|---|---:|---:|---:|");
    let url = format!("{}/private/x", origin(0, sites.quick));
    let known = json!({ "urls": [url], "agents": ["GPTBot"] });
    let given = json!({ "urls": ["https://example.com/private/x"], "agents": ["GPTBot"], "robots": ROBOTS });
    for (name, question) in [("a known site", known), ("robots.txt in the question", given)] {
        let request = Request::json("/v1/check", &question);
        let words = request.ask(service).await;
        let constant = constant(words.into()).await;
        let mut best = [Duration::MAX; 2];
        for _ in 0..ROUNDS {
            for (best, address) in best.iter_mut().zip([service, constant]) {
                let begin = Instant::now();
                waits(address, &request, CONNECTIONS, requests).await;
                *best = begin.elapsed().min(*best);
            }
        }
        let [service, constant] = best.map(|took| requests as f64 / took.as_secs_f64());
        println!("| {name} | {service:.0} | {constant:.0} | {:.0} % |", 100.0 * service / constant);
    }
}

/// Measures a batch, compared with the engine alone, which writes equal rows.
async fn batches(service: SocketAddr, rows: usize) {
    let urls: Vec<String> = (0..rows)
        .map(|n| format!("https://example.com/{}/{n}", ["private", "news", "search"][n % 3]))
        .collect();
    let mut lines = json!({ "agents": ["GPTBot"], "robots": ROBOTS }).to_string();
    for url in &urls {
        lines.push('\n');
        lines.push_str(&json!(url).to_string());
    }
    let request = Request::lines("/v1/check", &lines);
    let (mut served, mut alone, mut bytes) = (Duration::MAX, Duration::MAX, [0; 2]);
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        bytes[0] = request.ask(service).await.len();
        served = begin.elapsed().min(served);
        let begin = Instant::now();
        bytes[1] = engine(&lines).len();
        alone = begin.elapsed().min(alone);
    }
    assert_eq!(bytes[0], bytes[1], "the rows differ");
    let [served, alone] = [served, alone].map(|took| rows as f64 / took.as_secs_f64());
    println!("\n| rows of a batch | service, 1/s | engine, same JSON, 1/s | share |\n|---:|---:|---:|---:|");
    println!("| {rows} | {served:.0} | {alone:.0} | {:.0} % |", 100.0 * served / alone);
}

/// Decides the URLs of a batch and writes their rows, without the service.
fn engine(lines: &str) -> Vec<u8> {
    let agent = Agent::unchecked_token("GPTBot");
    let from = Provenance::of_body(ROBOTS.as_bytes());
    let rules = RobotsTxt::parse(ROBOTS.as_bytes()).rules_for(&agent);
    let mut rows = Vec::new();
    for line in lines.lines().skip(1) {
        let url: String = serde_json::from_str(line).expect("a URL");
        let decision = rules.decide(&url).expect("a decision");
        let row = CheckRow::new(url.as_bytes(), &agent, decision.to_record(), Cow::Borrowed(&from));
        serde_json::to_writer(&mut rows, &row).expect("a row");
        rows.push(b'\n');
    }
    rows
}

/// Measures latencies of checks of a cached site, without other requests and while other origins do not answer.
async fn hanging(service: SocketAddr, sites: &Sites, requests: usize) {
    let url = format!("{}/private/x", origin(0, sites.quick));
    let request = Request::json("/v1/check", &json!({ "urls": [url], "agents": ["GPTBot"] }));
    let alone = percentiles(waits(service, &request, CONNECTIONS, requests).await);
    let stuck: Vec<_> = (0..HANGING)
        .map(|number| {
            let url = format!("{}/", origin(number, sites.silent));
            let request = Request::json("/v1/check", &json!({ "urls": [url], "agents": ["GPTBot"] }));
            tokio::spawn(async move { request.ask(service).await })
        })
        .collect();
    while sites.hung() < HANGING {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let while_hanging = percentiles(waits(service, &request, CONNECTIONS, requests).await);
    let still = stuck.iter().filter(|task| !task.is_finished()).count();
    stuck.into_iter().for_each(|task| task.abort());
    println!(
        "\n| checks of a known site | half within, ms | 99 % within, ms | longest, ms |\n|---|---:|---:|---:|"
    );
    let row =
        |name: String, [half, most, all]: [f64; 3]| println!("| {name} | {half:.2} | {most:.2} | {all:.2} |");
    row("alone".to_owned(), alone);
    row(format!("while {still} origins hang"), while_hanging);
}

fn percentiles(mut waits: Vec<Duration>) -> [f64; 3] {
    waits.sort();
    let at = |share: usize| {
        waits.get((waits.len() - 1) * share / 100).map_or(0.0, |wait| wait.as_secs_f64() * 1e3)
    };
    [at(50), at(99), at(100)]
}

/// Measures memory during repeated checks of many sites.
async fn churn(service: SocketAddr, sites: &Sites, requests: usize) {
    println!("\n| checks of 5,000 sites | memory, MB |\n|---:|---:|");
    let questions: Vec<Request> = (0..5_000)
        .map(|number| {
            let url = format!("{}/private/{number}", origin(number, sites.quick));
            Request::json("/v1/check", &json!({ "urls": [url], "agents": ["GPTBot", "CCBot"] }))
        })
        .collect();
    for quarter in 1..=8 {
        callers::each(service, &questions, CONNECTIONS, requests).await;
        println!("| {} | {:.0} |", quarter * requests, memory_mb());
    }
}

/// Returns the memory of this process, which includes service, sites and clients.
fn memory_mb() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let resident: f64 = pages.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or_default();
    resident * 4096.0 / 1e6
}
