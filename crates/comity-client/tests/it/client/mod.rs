//! The pipeline end to end, against origins that misbehave by name.

mod ahead;
mod alternatives;
mod availability;
mod crawl;
mod directories;
mod discovery;
mod ends;
mod fetch;
mod identity;
mod local;
mod other_stacks;
mod redirects;
mod refusals;
mod robots_cache;
mod robots_doubt;
mod robots_lane;
mod seeds;
mod shared;
mod virtual_time;
mod watched;

use std::time::Duration;

use comity_client::guard::Guard;
use comity_client::pace::PaceOptions;
use comity_client::retry::RetryOptions;
use comity_client::robots_cache::RobotsOptions;
use comity_client::{Client, ClientBuilder, FetchOptions};
use testkit::servers::{Origin, Reply};

/// A client that may dial loopback, does not pace, does not try again, and waits no longer than a test may.
pub(crate) fn builder() -> ClientBuilder {
    let mut pace = PaceOptions::default();
    pace.min_interval = Duration::ZERO;
    pace.slack = Duration::from_millis(5);
    let mut retry = RetryOptions::default();
    retry.retries = 0;
    let mut robots = RobotsOptions::default();
    robots.timeout = Some(Duration::from_secs(2));
    Client::builder("ExampleBot")
        .contact("https://example.com/bot")
        .guard(loopback())
        .pace(pace)
        .retry(retry)
        .robots(robots)
        .fetch(options())
}

pub(crate) fn loopback() -> Guard {
    Guard::new().allowing("127.0.0.0/8".parse().unwrap())
}

pub(crate) fn options() -> FetchOptions {
    let mut fetch = FetchOptions::default();
    fetch.timeout = Duration::from_secs(2);
    fetch.body_timeout = Duration::from_secs(2);
    fetch
}

pub(crate) fn client() -> Client {
    builder().build().unwrap()
}

/// A site with this robots.txt, and pages that say where they are.
pub(crate) fn site(robots: &str) -> Origin {
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok(robots));
    site.otherwise(Reply::html("<title>A page</title><p>Hello</p>"));
    site
}
