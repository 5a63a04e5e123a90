//! For any `Location`, the client requests only URLs that the guard allows, and its record contains no credentials.
#![no_main]

use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;
use std::time::Duration;

use comity::policy::Failure;
use comity_client::guard::{Guard, Resolver};
use comity_client::pace::PaceOptions;
use comity_client::retry::RetryOptions;
use comity_client::transport::{Request, Response, Transport, TransportError};
use comity_client::url::{Host, Url};
use comity_client::{BoxFuture, Client};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use libfuzzer_sys::fuzz_target;
use tokio::runtime::Runtime;

/// A transport that redirects every page to this `Location`, and answers 404 for robots.txt.
#[derive(Debug)]
struct RedirectTransport(HeaderValue);

impl Transport for RedirectTransport {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        assert!(is_expected(&request.url), "{}", request.url);
        assert!(request.url.username().is_empty() && request.url.password().is_none());
        Box::pin(async move {
            if request.url.path() == "/robots.txt" {
                return Ok(Response::new(StatusCode::NOT_FOUND, HeaderMap::new(), bytes::Bytes::new()));
            }
            if request.url.path().len() > 10_000 {
                return Err(TransportError::new(Failure::Connection, "long enough"));
            }
            let mut headers = HeaderMap::new();
            headers.insert(header::LOCATION, self.0.clone());
            Ok(Response::new(StatusCode::FOUND, headers, bytes::Bytes::new()))
        })
    }
}

/// A resolver for which no name exists, so that the client contacts only addresses and names of this machine.
#[derive(Debug)]
struct EmptyResolver;

impl Resolver for EmptyResolver {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        Box::pin(async { Err(std::io::ErrorKind::NotFound.into()) })
    }
}

/// Returns true for the loopback address that the guard allows, for names of this machine, which the guard resolves to
/// that address, and for addresses outside of the special ranges below.
fn is_expected(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(Host::Ipv4(Ipv4Addr::LOCALHOST)) => true,
        Some(Host::Ipv4(address)) => {
            let is_special = address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_broadcast()
                || address.is_multicast()
                || address.is_unspecified();
            !is_special
        }
        Some(Host::Ipv6(address)) => {
            !(address.is_loopback() || address.is_unspecified() || address.is_multicast())
        }
        _ => false,
    }
}

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    // The clock is virtual, so waits take no time.
    tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().expect("a runtime")
});

fuzz_target!(|value: &[u8]| {
    let Ok(value) = HeaderValue::from_bytes(value) else { return };
    let network = "127.0.0.1/32".parse().expect("a network");
    let mut retry = RetryOptions::default();
    retry.retries = 0;
    let mut pace = PaceOptions::default();
    pace.min_interval = Duration::ZERO;
    let client = Client::builder("FuzzBot")
        .guard(Guard::new().allow_address(network).with_resolver(EmptyResolver))
        .retry(retry)
        .pace(pace)
        .transport(RedirectTransport(value))
        .build()
        .expect("a client");
    let fetched = RUNTIME.block_on(client.fetch("http://127.0.0.1/a/b?c"));
    let record = match &fetched {
        Ok(page) => page.record(),
        Err(error) => error.record(),
    };
    for hop in &record.hops {
        // A URL without an authority, such as `m:..//h.@`, has no user name.
        let has_credentials =
            Url::parse(&hop.url).is_ok_and(|url| !url.username().is_empty() || url.password().is_some());
        assert!(!has_credentials, "{}", hop.url);
    }
});
