//! A fake web on a virtual clock. It records the time and path of each request.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use comity_client::guard::Guard;
use comity_client::pace::PaceOptions;
use comity_client::retry::RetryOptions;
use comity_client::transport::{Request, Response, Transport, TransportError};
use comity_client::{BoxFuture, Client, ClientBuilder, TokioClock};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use tokio::time::Instant;

use super::super::virtual_time::Anywhere;

pub(super) fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// The behavior of a site.
#[derive(Clone, Debug, Default)]
pub(super) struct Site {
    pub(super) robots: String,
    /// Delay of all answers, both for robots.txt and for pages.
    pub(super) takes: Duration,
    /// Target of the redirects from paths beginning with `/away`.
    pub(super) leads_to: Option<String>,
}

impl Site {
    pub(super) fn delay(seconds: f64) -> Site {
        Site {
            robots: format!("User-agent: *\nCrawl-delay: {seconds}\nDisallow: /private\n"),
            ..Site::default()
        }
    }

    /// Returns a site that redirects paths beginning with `/away` to a URL.
    pub(super) fn leading(to: &str) -> Site {
        Site { leads_to: Some(to.to_owned()), ..Site::default() }
    }

    pub(super) fn takes(self, takes: Duration) -> Site {
        Site { takes, ..self }
    }
}

/// All sites, by host. Any other host answers at once and has no rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Web(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    sites: HashMap<String, Site>,
    /// The requests for pages by host: path and time.
    begins: HashMap<String, Vec<(String, Instant)>>,
    robots: HashMap<String, usize>,
    under_way: usize,
    most: usize,
}

impl Web {
    pub(super) fn new<'s>(sites: impl IntoIterator<Item = (&'s str, Site)>) -> Self {
        let web = Web::default();
        web.state().sites = sites.into_iter().map(|(host, site)| (host.to_owned(), site)).collect();
        web
    }

    /// Returns a builder of a client for this web, without retries.
    pub(super) fn builder(&self) -> ClientBuilder {
        let mut retry = RetryOptions::default();
        retry.retries = 0;
        Client::builder("ExampleBot")
            .guard(Guard::new().with_resolver(Anywhere))
            .transport(self.clone())
            .clock(TokioClock::starting_at(SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)))
            .retry(retry)
    }

    pub(super) fn client(&self, min_interval: f64) -> Client {
        self.builder().pace(pace(min_interval)).build().unwrap()
    }

    /// Returns the pages requested from a host, in order.
    pub(super) fn pages(&self, host: &str) -> Vec<String> {
        self.begins(host).into_iter().map(|(path, _)| path).collect()
    }

    pub(super) fn begins(&self, host: &str) -> Vec<(String, Instant)> {
        self.state().begins.get(host).cloned().unwrap_or_default()
    }

    /// Returns the total number of requests for pages.
    pub(super) fn len(&self) -> usize {
        self.state().begins.values().map(Vec::len).sum()
    }

    /// Returns the number of requests for a host's robots.txt.
    pub(super) fn robots(&self, host: &str) -> usize {
        self.state().robots.get(host).copied().unwrap_or_default()
    }

    /// Returns the maximum number of concurrent requests.
    pub(super) fn most(&self) -> usize {
        self.state().most
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn begin(&self, host: &str, path: &str) -> (Site, Answering) {
        let mut state = self.state();
        if path == "/robots.txt" {
            *state.robots.entry(host.to_owned()).or_default() += 1;
        } else {
            state.begins.entry(host.to_owned()).or_default().push((path.to_owned(), Instant::now()));
        }
        state.under_way += 1;
        state.most = state.most.max(state.under_way);
        (state.sites.get(host).cloned().unwrap_or_default(), Answering(self.clone()))
    }
}

pub(super) fn pace(min_interval: f64) -> PaceOptions {
    let mut pace = PaceOptions::default();
    pace.min_interval = seconds(min_interval);
    pace
}

/// A guard that counts a request as in flight until `send` returns.
#[derive(Debug)]
struct Answering(Web);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.state().under_way -= 1;
    }
}

impl Transport for Web {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(async move {
            let host = request.url.host_str().unwrap_or_default().to_owned();
            let path = request.url.path().to_owned();
            let (site, _answering) = self.begin(&host, &path);
            if !site.takes.is_zero() {
                tokio::time::sleep(site.takes).await;
            }
            assert!(path != "/panic", "a custom transport panics");
            let mut headers = HeaderMap::new();
            if path == "/robots.txt" {
                return Ok(Response::new(StatusCode::OK, headers, Bytes::from(site.robots)));
            }
            if let Some(leads_to) = site.leads_to.filter(|_| path.starts_with("/away")) {
                headers.insert(header::LOCATION, HeaderValue::try_from(leads_to).unwrap());
                return Ok(Response::new(StatusCode::FOUND, headers, Bytes::new()));
            }
            Ok(Response::new(StatusCode::OK, headers, Bytes::from_static(b"page")))
        })
    }
}
