//! Tests of the end of a client: its runtime shuts down, or it is drained.

use std::sync::Arc;
use std::time::Duration;

use comity_client::crawl::CrawlOptions;
use comity_client::pace::PaceOptions;
use comity_client::retry::RetryOptions;
use comity_client::robots_cache::RobotsOptions;
use comity_client::{Cause, Client};
use testkit::servers::{Origin, Reply};

use super::{builder, options, site, until_counted};

const HOUR: Duration = Duration::from_secs(3600);

/// Waits until a site has received a request for a path.
async fn asked(site: &Origin, path: &str) {
    while site.requests_for(path).is_empty() && site.ongoing(path) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A runtime that shuts down cancels its tasks. Their leases must be released, so that other processes do not wait for
/// them.
#[cfg(feature = "embedded")]
#[test]
fn runtime_shutdown_releases_leases() {
    use comity_client::store::EmbeddedStore;

    let folder = tempfile::tempdir().unwrap();
    // A lease lasts slightly longer than the timeout of its request. With this timeout, a wait for the lease would take
    // an hour.
    let mut robots = RobotsOptions::default();
    robots.timeout = Some(HOUR);
    let mut fetch = options();
    fetch.timeout = HOUR;
    let client = || {
        let store = EmbeddedStore::open(folder.path().join("store.db")).unwrap();
        builder().robots(robots.clone()).fetch(fetch.clone()).shared_store(Arc::new(store)).build().unwrap()
    };
    let runtime =
        || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let site = site("");
    site.on("/robots.txt", Reply::hang());
    let first = runtime();
    let (cut_off, url) = (client(), site.url("/page"));
    first.spawn(async move { cut_off.fetch(url).await });
    first.block_on(asked(&site, "/robots.txt"));
    drop(first);

    site.on("/robots.txt", Reply::ok("User-agent: *\n"));
    let page = runtime().block_on(async { client().fetch(site.url("/page")).await });
    assert!(page.is_ok(), "{page:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn drained_client_finishes_requests_in_flight_and_begins_none() {
    let site = site("User-agent: *\n");
    site.on("/slow", Reply::delay(Duration::from_millis(400), Reply::html("slow")));
    let mut pace = PaceOptions::default();
    pace.min_interval = HOUR;
    pace.concurrency = 2.try_into().unwrap();
    let client = builder().pace(pace).fetch(options().max_wait(None)).build().unwrap();
    // robots.txt is requested first, and pages follow an hour later.
    client.decide(site.url("/")).await.unwrap();
    let other = self::site("User-agent: *\n");
    other.on("/slow", Reply::delay(Duration::from_millis(400), Reply::html("slow")));
    let quick = builder().build().unwrap();
    let under_way = {
        let (client, url) = (quick.clone(), other.url("/slow"));
        tokio::spawn(async move { client.fetch(url).await })
    };
    asked(&other, "/slow").await;
    quick.drain().await;
    let page = under_way.await.unwrap().unwrap();
    assert_eq!(page.body().as_ref(), b"slow", "a sent request is finished");

    let waiting = {
        let (client, url) = (client.clone(), site.url("/page"));
        tokio::spawn(async move { client.fetch(url).await })
    };
    until_counted(&client, "verdicts_allowed_implicit", 2).await;
    client.drain().await;
    let error = waiting.await.unwrap().unwrap_err();
    assert!(matches!(error.cause(), Cause::Drained), "{error}");
    assert!(!error.is_refusal(), "another client can fetch the URL");
    assert_eq!(error.record().retry_after, None, "this client cannot fetch the URL at any time");
    let record = serde_json::to_value(error.record()).unwrap();
    assert_eq!(
        (record["outcome"].as_str(), record["hops"].as_array().map(Vec::len)),
        (Some("drained"), Some(1))
    );
    assert_eq!(site.count("/page"), 0);

    let late = client.fetch(site.url("/other")).await.unwrap_err();
    assert!(matches!(late.cause(), Cause::Drained), "{late}");
    assert!(matches!(client.admit(site.url("/other"), None).await, Err(Cause::Drained)));
    assert_eq!(client.counters().snapshot().get("refused_by_drain"), Some(&3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn drained_crawl_has_a_record_for_every_url() {
    let site = site("User-agent: *\n");
    let mut pace = PaceOptions::default();
    pace.min_interval = HOUR;
    let mut retry = RetryOptions::default();
    retry.retries = 0;
    let client: Client = builder().pace(pace).retry(retry).fetch(options().max_wait(None)).build().unwrap();
    let urls: Vec<String> = (0..20).map(|page| site.url(&format!("/{page}"))).collect();
    let mut crawl = client.fetch_many(urls, CrawlOptions::default());
    let mut outcomes = Vec::new();
    let draining = async {
        asked(&site, "/robots.txt").await;
        client.drain().await;
    };
    let taking = async {
        while let Some(result) = crawl.next().await {
            outcomes.push(result.record().outcome.as_str());
        }
    };
    tokio::join!(draining, taking);
    assert_eq!(outcomes.len(), 20);
    assert!(outcomes.iter().all(|outcome| ["fetched", "drained"].contains(outcome)), "{outcomes:?}");
    assert!(outcomes.iter().filter(|outcome| **outcome == "drained").count() >= 18, "{outcomes:?}");
}

#[tokio::test(start_paused = true)]
async fn queued_urls_of_a_busy_origin_end_when_the_client_is_drained() {
    use comity_client::testing::{FakeReply, FakeResolver, FakeTransport};

    let web = FakeTransport::new();
    web.otherwise(FakeReply::text("page").after(Duration::from_secs(19)));
    let client = Client::builder("ExampleBot")
        .guard(comity_client::guard::Guard::new().with_resolver(FakeResolver::new()))
        .transport(web.clone())
        .clock(comity_client::TokioClock::starting_at(std::time::SystemTime::UNIX_EPOCH + 500_000 * HOUR))
        .build()
        .unwrap();
    let urls: Vec<String> = (0..20).map(|page| format!("https://busy.example/{page}")).collect();
    let mut crawl = client.fetch_many(urls, CrawlOptions::default());
    let draining = {
        let (client, web) = (client.clone(), web.clone());
        tokio::spawn(async move {
            while web.count("https://busy.example/0") == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            client.drain().await;
        })
    };
    let mut ends = Vec::new();
    while let Some(fetched) = crawl.next().await {
        ends.push((fetched.index, fetched.record().outcome.as_str()));
    }
    draining.await.unwrap();
    // The page in flight is finished last; the queued URLs do not wait for it.
    assert_eq!(ends.pop(), Some((0, "fetched")));
    assert_eq!(ends, (1..20).map(|index| (index, "drained")).collect::<Vec<_>>());
    assert_eq!(client.counters().snapshot().get("refused_by_drain"), Some(&19));
}
