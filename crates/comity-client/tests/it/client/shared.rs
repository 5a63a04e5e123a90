//! Tests of several clients with one store: they share robots.txt and the pace. Also tests of outages of the store.

use std::time::{Duration, Instant};

use comity_client::store::EmbeddedStore;
use comity_client::store::WhenDown;
use comity_client::{Cause, Client};
use testkit::redis::RedisServer;
use testkit::servers::{Origin, Reply};

use super::{assert_paced, builder, pages};
use crate::store::redis::patient;

/// Fetches different pages with every client, all at once.
async fn crawl(clients: &[Client], site: &Origin, pages: usize) {
    let fetches = clients.iter().enumerate().flat_map(|(client_number, client)| {
        (0..pages).map(move |page| client.fetch(site.url(&format!("/{client_number}/{page}"))))
    });
    for page in futures_util::future::join_all(fetches).await {
        assert_eq!(page.unwrap().status(), 200);
    }
}

/// The `Crawl-delay` of a [`slow_site`].
const DELAY: Duration = Duration::from_millis(250);

/// Returns a site with a slow robots.txt that requires a quarter of a second between requests.
fn slow_site() -> Origin {
    let site = Origin::start();
    let robots = Reply::ok("User-agent: *\nCrawl-delay: 0.25\nDisallow: /private\n");
    site.on("/robots.txt", Reply::delay(Duration::from_millis(150), robots));
    site.otherwise(Reply::ok("page"));
    site
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_share_robots_txt_and_pace_through_redis() {
    let server = RedisServer::start();
    let site = slow_site();
    let machines: Vec<Client> =
        (0..4).map(|_| builder().store(patient().open(&server.url()).unwrap()).build().unwrap()).collect();
    let begun = Instant::now();
    crawl(&machines, &site, 3).await;
    assert_eq!((site.count("/robots.txt"), pages(&site).len()), (1, 12));
    assert_paced(begun, &pages(&site), DELAY);
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_share_robots_txt_and_pace_through_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robots.db");
    let site = slow_site();
    let clients: Vec<Client> =
        (0..4).map(|_| builder().store(EmbeddedStore::open(&path).unwrap()).build().unwrap()).collect();
    let begun = Instant::now();
    crawl(&clients, &site, 3).await;
    assert_eq!((site.count("/robots.txt"), pages(&site).len()), (1, 12));
    assert_paced(begun, &pages(&site), DELAY);
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_outage_changes_no_verdict_and_keeps_the_pace() {
    let mut server = RedisServer::start();
    let site = slow_site();
    let store = patient().when_down(WhenDown::LocalOnly).open(&server.url()).unwrap();
    let client = builder().store(store).build().unwrap();
    let begun = Instant::now();
    let crawl = async {
        for page in 0..24 {
            client.fetch(site.url(&format!("/{page}"))).await.unwrap();
            assert!(client.decide(site.url("/private")).await.unwrap().blocked);
        }
    };
    let trouble = async {
        for _ in 0..2 {
            tokio::time::sleep(Duration::from_millis(1100)).await;
            server.kill();
            tokio::time::sleep(Duration::from_millis(1100)).await;
            server.start_again();
        }
    };
    tokio::join!(crawl, trouble);
    assert_eq!(pages(&site).len(), 24);
    assert_paced(begun, &pages(&site), DELAY);
}

#[tokio::test(flavor = "multi_thread")]
async fn client_with_stop_fails_while_the_store_is_down() {
    let mut server = RedisServer::start();
    let site = slow_site();
    let store = patient().when_down(WhenDown::Stop).open(&server.url()).unwrap();
    let client = builder().store(store).build().unwrap();
    client.fetch(site.url("/1")).await.unwrap();
    server.kill();
    let error = client.fetch(site.url("/2")).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Store(_)), "{error}");
    assert_eq!(site.count("/2"), 0);
    server.start_again();
    client.fetch(site.url("/3")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_with_one_store_share_the_pace_of_a_host() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robots.db");
    // Both origins have the same host, with different ports.
    let (one, other) = (slow_site(), slow_site());
    let mut pace = comity_client::pace::PaceOptions::default();
    pace.min_interval = Duration::ZERO;
    pace.per = Some(comity_client::pace::PacePer::Host);
    let client = || {
        let store = EmbeddedStore::open(&path).unwrap();
        builder().pace(pace.clone()).store(store).build().unwrap()
    };
    let (first, second) = (client(), client());
    let begun = Instant::now();
    for page in 0..4 {
        let url = format!("/{page}");
        let (a, b) = tokio::join!(first.fetch(one.url(&url)), second.fetch(other.url(&url)));
        a.unwrap();
        b.unwrap();
    }
    let all = [pages(&one), pages(&other)].concat();
    assert_eq!(all.len(), 8);
    assert_paced(begun, &all, DELAY);
}
