//! Tests of the whole client on a virtual clock. A crawl of hours takes only a moment of real time.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use comity_client::guard::{Guard, Resolver};
use comity_client::pace::PaceOptions;
use comity_client::store::{MemoryStore, Store};
use comity_client::transport::{Request, Response, Transport, TransportError};
use comity_client::{BoxFuture, Client, TokioClock};
use http::{HeaderMap, StatusCode};

/// A resolver that returns an address for every name.
#[derive(Debug)]
pub(super) struct Anywhere;

impl Resolver for Anywhere {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        Box::pin(async { Ok(vec![IpAddr::V4(Ipv4Addr::new(93, 184, 216, 34))]) })
    }
}

/// A web of sites with different delays. It records the times of requests for pages, and answers slowly.
#[derive(Clone, Debug, Default)]
struct Web {
    begins: Arc<Mutex<HashMap<String, Vec<tokio::time::Instant>>>>,
    robots: Arc<Mutex<HashMap<String, usize>>>,
}

const DELAYS: [(&str, u64); 3] = [("slow.example", 20), ("quick.example", 2), ("none.example", 0)];

impl Transport for Web {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(async move {
            let host = request.url.host_str().unwrap_or_default().to_owned();
            let (status, body) = if request.url.path() == "/robots.txt" {
                *self.robots.lock().unwrap().entry(host.clone()).or_default() += 1;
                let delay = DELAYS.iter().find(|(name, _)| *name == host).map_or(0, |(_, delay)| *delay);
                (200, format!("User-agent: *\nCrawl-delay: {delay}\n"))
            } else {
                self.begins.lock().unwrap().entry(host).or_default().push(tokio::time::Instant::now());
                tokio::time::sleep(Duration::from_millis(fastrand::u64(0..3_000))).await;
                // Some answers are 503.
                (if fastrand::u8(..) < 8 { 503 } else { 200 }, "page".to_owned())
            };
            let mut headers = HeaderMap::new();
            if status == 503 {
                headers.insert("retry-after", "7".parse().unwrap());
            }
            Ok(Response::new(StatusCode::from_u16(status).unwrap(), headers, Bytes::from(body)))
        })
    }
}

/// Returns a client on the virtual clock.
fn client<T: Transport + Clone>(web: &T, pace: PaceOptions) -> Client {
    client_over(Arc::new(MemoryStore::new()), web, pace)
}

/// Returns a client on the virtual clock, with a store that it may share with others.
fn client_over<T: Transport + Clone>(store: Arc<dyn Store>, web: &T, pace: PaceOptions) -> Client {
    Client::builder("ExampleBot")
        .shared_store(store)
        .guard(Guard::new().with_resolver(Anywhere))
        .transport(web.clone())
        .clock(TokioClock::starting_at(SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)))
        .pace(pace)
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn requests_keep_their_intervals_over_ten_thousand_seconds() {
    let web = Web::default();
    let mut pace = PaceOptions::default();
    pace.min_interval = Duration::from_secs(1);
    pace.concurrency = 4.try_into().unwrap();
    let client = client(&web, pace);
    let begun = tokio::time::Instant::now();
    let end = begun + Duration::from_secs(10_000);
    let tasks = (0..48).map(|number: usize| {
        let client = client.clone();
        tokio::spawn(async move {
            let (host, _) = DELAYS[number % DELAYS.len()];
            while tokio::time::Instant::now() < end {
                // A cancelled wait must not shorten the interval between other requests.
                let patience = Duration::from_secs(fastrand::u64(1..600));
                let url = format!("https://{host}/{number}");
                let _ = tokio::time::timeout(patience, client.fetch(url)).await;
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    let begins = web.begins.lock().unwrap();
    for (host, delay) in DELAYS {
        let times = &begins[host];
        let interval = Duration::from_secs(delay.max(1));
        let closest = times.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap();
        assert!(closest >= interval, "{host}: {closest:?}");
        let possible = 10_000 / interval.as_secs();
        let made = times.len() as u64;
        assert!(made > possible / 3, "{host}: only {made} of {possible} requests were sent");
        assert_eq!(web.robots.lock().unwrap()[host], 1, "{host}");
    }
}

/// A transport to sites for which connecting takes half a second.
#[derive(Clone, Debug, Default)]
struct DistantWeb {
    arrivals: Arc<Mutex<Vec<tokio::time::Instant>>>,
    /// If set, every n-th request fails after it was sent.
    breaks: Option<usize>,
}

const FAR: Duration = Duration::from_millis(500);

impl Transport for DistantWeb {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(async move {
            // The first request and some later requests open a connection. All others reuse a connection.
            let is_first = request.url.path() == "/robots.txt";
            let connecting = if is_first || fastrand::bool() { FAR } else { Duration::ZERO };
            tokio::time::sleep(connecting).await;
            let count = {
                let mut arrivals = self.arrivals.lock().unwrap();
                arrivals.push(tokio::time::Instant::now());
                arrivals.len()
            };
            if is_first {
                let response = Response::new(StatusCode::NOT_FOUND, HeaderMap::new(), Bytes::new());
                return Ok(response.connected_in(connecting));
            }
            if self.breaks.is_some_and(|every| count % every == 0) {
                return Err(TransportError::new(comity::policy::Failure::Connection, "reset"));
            }
            let response = Response::new(StatusCode::OK, HeaderMap::new(), Bytes::from("page"));
            Ok(response.connected_in(connecting))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn slow_connection_does_not_shorten_the_interval() {
    for breaks in [None, Some(3)] {
        let web = DistantWeb { breaks, ..DistantWeb::default() };
        let mut pace = PaceOptions::default();
        pace.min_interval = Duration::from_secs(1);
        let client = client(&web, pace);
        for page in 0..200 {
            let _ = client.fetch(format!("https://far.example/{page}")).await;
        }
        let arrivals = web.arrivals.lock().unwrap().clone();
        assert!(arrivals.len() >= 200);
        let least = arrivals.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap();
        assert!(least >= Duration::from_secs(1), "{least:?}");
    }
}

/// A transport to sites with a random latency, which take three seconds to answer.
#[derive(Clone, Debug, Default)]
struct SlowWeb {
    arrivals: Arc<Mutex<Vec<tokio::time::Instant>>>,
}

impl Transport for SlowWeb {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(async move {
            tokio::time::sleep(FAR.mul_f64(fastrand::f64() * fastrand::f64())).await;
            request.departure.note();
            self.arrivals.lock().unwrap().push(tokio::time::Instant::now());
            let is_page = request.url.path() != "/robots.txt";
            tokio::time::sleep(FAR * if is_page { 6 } else { 0 }).await;
            let status = if is_page { StatusCode::OK } else { StatusCode::NOT_FOUND };
            Ok(Response::new(status, HeaderMap::new(), Bytes::new()))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn request_that_departs_late_delays_other_clients_before_its_answer() {
    let (web, store) = (SlowWeb::default(), Arc::new(MemoryStore::new()));
    let crawlers: Vec<_> = (0..6)
        .map(|crawler| {
            let mut pace = PaceOptions::default();
            pace.min_interval = Duration::from_secs(1);
            let client = client_over(store.clone(), &web, pace);
            tokio::spawn(async move {
                for page in 0..100 {
                    client.fetch(format!("https://far.example/{crawler}/{page}")).await.unwrap();
                }
            })
        })
        .collect();
    let begun = tokio::time::Instant::now();
    for crawler in crawlers {
        crawler.await.unwrap();
    }
    let took = begun.elapsed().as_secs_f64() / 600.0;
    let mut arrivals = web.arrivals.lock().unwrap().clone();
    arrivals.sort();
    let gaps: Vec<_> = arrivals.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let short = gaps.iter().filter(|gap| **gap < Duration::from_secs(1)).count();
    assert_eq!(short, 0, "shortest interval: {:?}", gaps.iter().min());
    // Every request opens a new connection and is late, so every second slot is lost.
    assert!(took < 2.1, "{took} s a page");
}
