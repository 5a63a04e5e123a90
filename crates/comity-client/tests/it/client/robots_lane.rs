//! Tests of the intervals between requests for robots.txt and for pages, and between requests for robots.txt if many
//! origins redirect to one URL.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use comity::policy::Verdict;
use comity_client::pace::PaceOptions;
use comity_client::robots_cache::RobotsOptions;
use comity_client::store::{MemoryStore, Store};
use comity_client::{Cause, Client, Clock, Origin as Key, SystemClock};
use futures_util::future::join_all;
use testkit::servers::{Origin, Reply};

use super::watched::Watched;
use super::{assert_paced, builder, options, site};

fn paced(interval: Duration) -> PaceOptions {
    let mut pace = PaceOptions::default();
    pace.min_interval = interval;
    pace.slack = Duration::from_millis(20);
    pace
}

#[tokio::test]
async fn first_page_keeps_the_minimum_interval_from_robots_txt() {
    let site = site("User-agent: *\nCrawl-delay: 3600\n");
    let interval = Duration::from_millis(200);
    let client = builder().pace(paced(interval)).build().unwrap();
    let mut impatient = options();
    impatient.max_wait = Some(Duration::from_secs(60));
    let begun = Instant::now();
    // The delay in robots.txt applies only between pages, since it was unknown when robots.txt was requested.
    client.fetch_with(site.url("/a"), &impatient).await.unwrap();
    assert_eq!(site.requests().len(), 2);
    assert_paced(begun, &site.requests(), interval);
    let error = client.fetch_with(site.url("/b"), &impatient).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Wait(_)), "{error}");
}

/// Starts hosts that redirect their robots.txt. Their addresses begin at `127.0.2.1`, with one port.
fn hosts(hosts: usize, target: impl Fn(usize) -> String) -> (Origin, Vec<String>) {
    let site = Origin::start_on("0.0.0.0");
    let port = site.address().port();
    let targets: Vec<String> = (0..hosts).map(target).collect();
    site.on_request("/robots.txt", move |asked| {
        let std::net::IpAddr::V4(local) = asked.local.ip() else { return Reply::status(404) };
        Reply::redirect(302, &targets[usize::from(local.octets()[3]) - 1])
    });
    let urls = (1..=hosts).map(|host| format!("http://127.0.2.{host}:{port}/page")).collect();
    (site, urls)
}

async fn verdicts(client: &Client, urls: &[String]) -> Vec<Verdict> {
    let decided = join_all(urls.iter().map(|url| client.decide(url))).await;
    decided.into_iter().map(|decision| decision.unwrap().verdict).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_to_one_robots_txt_request_it_once() {
    let victim = site("User-agent: *\nDisallow: /page\n");
    let target = victim.url("/robots.txt");
    let (_hosts, urls) = hosts(30, |_| target.clone());
    let client = builder().pace(paced(Duration::from_millis(100))).build().unwrap();
    assert!(verdicts(&client, &urls).await.iter().all(|verdict| *verdict == Verdict::DisallowedExplicit));
    assert_eq!(victim.count("/robots.txt"), 1);
    // The answer that was fetched for other origins is not used for the victim itself.
    assert_eq!(client.decide(victim.url("/page")).await.unwrap().verdict, Verdict::DisallowedExplicit);
    assert_eq!(victim.count("/robots.txt"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_to_one_host_share_a_pace() {
    let victim = Origin::start();
    victim.otherwise(Reply::ok("User-agent: *\nDisallow: /page\n"));
    let (_hosts, urls) = hosts(12, |host| victim.url(&format!("/robots/{host}.txt")));
    let mut robots = RobotsOptions::default();
    robots.redirected_per_minute = NonZeroU32::new(600).unwrap();
    // Two workers share the lane of the target through the store.
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let worker = || {
        builder()
            .robots(robots.clone())
            .shared_store(store.clone())
            .pace(paced(Duration::ZERO))
            .build()
            .unwrap()
    };
    let (first, second) = (worker(), worker());
    let (left, right) = urls.split_at(6);
    let begun = Instant::now();
    let (left, right) = tokio::join!(verdicts(&first, left), verdicts(&second, right));
    let all: Vec<Verdict> = left.into_iter().chain(right).collect();
    assert_eq!(all, vec![Verdict::DisallowedExplicit; 12], "a waiting request does not count as unreachable");
    assert_eq!(victim.requests().len(), 12);
    assert_paced(begun, &victim.requests(), Duration::from_millis(100));
}

#[tokio::test]
async fn too_long_wait_for_robots_txt_is_reported() {
    let site = site("User-agent: *\n");
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut robots = RobotsOptions::default();
    robots.timeout = Some(Duration::from_millis(50));
    let client = builder().robots(robots).shared_store(store.clone()).build().unwrap();
    // Another task holds the lease and never releases it.
    let origin = Key::of(&site.url("/").parse().unwrap()).unwrap();
    let lease = store.acquire(&origin, Duration::from_secs(3600), SystemClock.moment()).await.unwrap();
    let mut options = options();
    options.max_wait = Some(Duration::from_millis(50));
    let error = client.fetch_with(site.url("/page"), &options).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Wait(_)), "{error}");
    assert_eq!(site.count("/robots.txt"), 0);
    drop(lease);
}

/// The usage preferences in robots.txt are read from the store once, not for each page.
#[tokio::test]
async fn usage_preferences_are_parsed_once_for_many_pages() {
    let site = site("User-agent: *\nContent-Usage: train-ai=n\n");
    let store = Arc::new(Watched::default());
    let client = builder().shared_store(store.clone()).build().unwrap();
    for page in 0..20 {
        let page = client.fetch(site.url(&format!("/{page}"))).await.unwrap();
        let warnings = &page.record().warnings;
        assert!(warnings.iter().any(|warning| warning.kind == "usage_preference"), "{warnings:?}");
    }
    let gets = store.gets.load(Ordering::Relaxed);
    assert!(gets <= 2, "{gets} reads of the store");
    // A newer answer is read from the store.
    let origin = Key::of(&site.url("/").parse().unwrap()).unwrap();
    client.forget(&origin).await.unwrap();
    site.on("/robots.txt", Reply::ok("User-agent: *\n"));
    let page = client.fetch(site.url("/other")).await.unwrap();
    assert!(page.record().warnings.is_empty(), "{:?}", page.record().warnings);
}

#[tokio::test]
async fn rules_that_cannot_be_stored_still_decide() {
    let site = site("User-agent: *\nDisallow: /private\n");
    let store = Arc::new(Watched::default());
    store.is_full.store(true, Ordering::Relaxed);
    let client = || builder().shared_store(store.clone()).build().unwrap();
    let first = client();
    assert_eq!(first.decide(site.url("/private")).await.unwrap().verdict, Verdict::DisallowedExplicit);
    assert_eq!(first.decide(site.url("/page")).await.unwrap().verdict, Verdict::AllowedImplicit);
    assert_eq!((site.count("/robots.txt"), store.releases.load(Ordering::Relaxed)), (1, 1));
    // The lease was released, so no task waits for it.
    assert_eq!(client().decide(site.url("/private")).await.unwrap().verdict, Verdict::DisallowedExplicit);
    store.is_full.store(false, Ordering::Relaxed);
    assert_eq!(client().decide(site.url("/private")).await.unwrap().verdict, Verdict::DisallowedExplicit);
    assert_eq!(client().decide(site.url("/private")).await.unwrap().verdict, Verdict::DisallowedExplicit);
    assert_eq!(site.count("/robots.txt"), 3, "the fourth client finds the answer in the store");
}
