//! End-to-end tests of the client, with origins whose misbehavior is scripted.

mod ahead;
mod alternatives;
mod availability;
mod crawl;
mod deadline;
mod directories;
mod discovery;
mod ends;
mod fetch;
mod held;
mod identity;
mod local;
mod log;
mod other_stacks;
mod redirects;
mod refusals;
mod requests;
mod robots_cache;
mod robots_doubt;
mod robots_lane;
mod runtimes;
mod seeds;
mod shared;
mod stacks;
mod virtual_time;
mod watched;

use std::time::{Duration, Instant};

use comity_client::guard::Guard;
use comity_client::pace::PaceOptions;
use comity_client::retry::RetryOptions;
use comity_client::robots_cache::RobotsOptions;
use comity_client::{Client, ClientBuilder, FetchOptions};
use testkit::PATIENCE;
use testkit::servers::{Origin, Reply, Seen};

/// Returns a builder of a client that may dial loopback, has no minimum interval, and does not retry.
pub(crate) fn builder() -> ClientBuilder {
    let mut pace = PaceOptions::default();
    pace.min_interval = Duration::ZERO;
    pace.slack = Duration::from_millis(5);
    let mut retry = RetryOptions::default();
    retry.retries = 0;
    let mut robots = RobotsOptions::default();
    robots.timeout = Some(PATIENCE);
    Client::builder("ExampleBot")
        .contact("https://example.com/bot")
        .guard(loopback())
        .pace(pace)
        .retry(retry)
        .robots(robots)
        .fetch(options())
}

pub(crate) fn loopback() -> Guard {
    Guard::new().allow_address("127.0.0.0/8".parse().unwrap())
}

pub(crate) fn options() -> FetchOptions {
    let mut fetch = FetchOptions::default();
    fetch.timeout = PATIENCE;
    fetch.body_timeout = PATIENCE;
    fetch
}

/// Asserts that each request arrived at its turn or later. The first turn was at `since` or later.
///
/// A request can arrive later than it was sent, but never earlier. So the assertion also holds on a busy machine.
#[track_caller]
pub(crate) fn assert_paced(since: Instant, requests: &[Seen], interval: Duration) {
    let mut came: Vec<Duration> = requests.iter().map(|seen| seen.at - since).collect();
    came.sort();
    for (number, came) in (0..).zip(came) {
        assert!(came >= interval * number, "request {number} came after {came:?}");
    }
}

/// Returns all requests except those for robots.txt.
pub(crate) fn pages(site: &Origin) -> Vec<Seen> {
    site.requests().into_iter().filter(|seen| seen.path != "/robots.txt").collect()
}

/// Waits until a client has counted this number of events.
pub(crate) async fn until_counted(client: &Client, event: &str, times: u64) {
    while client.counters().snapshot().get(event).is_none_or(|count| *count < times) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

pub(crate) fn client() -> Client {
    builder().build().unwrap()
}

/// Returns a site with this robots.txt. All its pages have the same content.
pub(crate) fn site(robots: &str) -> Origin {
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok(robots));
    site.otherwise(Reply::html("<title>A page</title><p>Hello</p>"));
    site
}
