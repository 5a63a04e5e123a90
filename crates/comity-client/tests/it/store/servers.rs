//! Tests of the store on servers with TLS and users, with Sentinels, with replicas, and in a cluster.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use comity_client::store::conformance::StoreUnderTest;
use comity_client::store::redis::RedisOptions;
use comity_client::store::{Entries, Entry, RedisStore, Slot, SlotRequest, SlotStatus, StoreFault, Turns};
use comity_client::store_conformance;
use comity_client::{Clock, Origin, SystemClock};
use testkit::redis::{RedisCluster, RedisServer, SentinelGroup};
use testkit::servers::Ca;

use super::redis::{begin_epoch_at, patient};
use super::{origin, request};

const HOUR: Duration = Duration::from_secs(3600);

/// Time for which a new master delays slots, since the former master may still grant some.
const FORMER_MASTER: Duration = Duration::from_secs(5);

/// Returns two stores on the same servers with a prefix that no other check uses.
fn place_on(url: &str, options: &RedisOptions, begin: impl FnOnce(&str)) -> StoreUnderTest {
    static PLACES: AtomicUsize = AtomicUsize::new(0);
    let prefix = format!("check-{}:", PLACES.fetch_add(1, Ordering::Relaxed));
    begin(&prefix);
    let open = || Arc::new(options.clone().prefix(&prefix).open(url).unwrap());
    StoreUnderTest::new(open()).other(open()).slack(Duration::from_secs(60))
}

fn raw(url: &str) -> redis::Connection {
    redis::Client::open(url).unwrap().get_connection().unwrap()
}

mod with_tls {
    use super::*;

    store_conformance!(one tls_store_passes_all_checks, {
        let server = RedisServer::start_with_tls(&Ca::new(), false);
        move || {
            let begin = |prefix: &str| begin_epoch_at(1, &mut raw(&server.unix_url()), prefix, 1);
            place_on(&server.url(), &patient().ca(server.file("ca.pem")), begin)
        }
    });

    #[tokio::test]
    async fn server_with_an_unknown_certificate_is_refused() {
        let server = RedisServer::start_with_tls(&Ca::new(), false);
        let trusted = server.file("ca.pem");
        patient().ca(&trusted).open(&server.url()).unwrap().ping().await.unwrap();
        let other = RedisServer::start_with_tls(&Ca::new(), false);
        for options in [patient(), patient().ca(other.file("ca.pem"))] {
            let url = server.url().replace("://", "://user:s3cret@");
            let error = options.open(&url).unwrap().ping().await.unwrap_err();
            assert_eq!(error.fault(), StoreFault::Down);
            let shown = format!("{error} {error:?}");
            assert!(shown.contains("certificate") && !shown.contains("s3cret"), "{shown}");
        }
    }

    #[tokio::test]
    async fn server_that_requires_a_client_certificate_gets_it() {
        let server = RedisServer::start_with_tls(&Ca::new(), true);
        let options = patient().ca(server.file("ca.pem"));
        assert!(options.clone().open(&server.url()).unwrap().ping().await.is_err());
        let options = options.client_certificate(server.file("cert.pem"), server.file("key.pem"));
        options.open(&server.url()).unwrap().ping().await.unwrap();
    }

    #[test]
    fn unusable_certificate_file_is_an_error_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let (missing, empty) = (folder.path().join("missing.pem"), folder.path().join("empty.pem"));
        std::fs::write(&empty, "no certificate").unwrap();
        for (url, file) in [
            ("rediss://h.example", &missing),
            ("rediss+sentinel://h.example/main", &empty),
            ("rediss+cluster://h.example", &empty),
            ("redis://h.example", &empty),
        ] {
            let error = patient().ca(file).open(url).unwrap_err();
            assert!(error.to_string().contains(file.to_str().unwrap()), "{error}");
        }
    }
}

#[tokio::test]
async fn user_with_few_permissions_can_use_its_keys_only() {
    let server = RedisServer::start();
    let rules = "on >s3cret ~crawl:* +@read +@write +@scripting +@connection +info +time";
    let mut create = vec!["ACL", "SETUSER", "worker"];
    create.extend(rules.split(' '));
    assert_eq!(server.command(&create).trim(), "OK");
    let url = server.url().replace("://", "://worker:s3cret@");
    let store = patient().prefix("crawl:").open(&url).unwrap();
    let (here, now) = (origin("example.com"), SystemClock.moment());
    store.put(&here, &Entry::seal(b"x"), None, SystemClock.now()).await.unwrap();
    let slot = store.reserve(&here, &request(HOUR, 3 * HOUR), now).await.unwrap();
    assert!(matches!(slot, Slot::Taken(_)), "{slot:?}");
    assert_eq!(store.list(None, 9).await.unwrap(), std::slice::from_ref(&here));
    assert_eq!(store.purge(None).await.unwrap(), 1);

    let error = patient().open(&url).unwrap().get(&here).await.unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("rejected a command") && !shown.contains("s3cret"), "{shown}");
    let error = patient().open(&url.replace("s3cret", "wr0ng")).unwrap().ping().await.unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("user, password") && !shown.contains("wr0ng"), "{shown}");
}

/// The replica becomes the master before the last slots reach it.
#[tokio::test]
async fn replica_that_lags_delays_every_origin_by_an_interval() {
    let master = RedisServer::start();
    let replica = master.start_replica();
    let mut connection = raw(&master.url());
    begin_epoch_at(1, &mut connection, "comity:", 1);
    // Waits without a time limit until the replica has the epoch.
    let replicas: u32 = redis::cmd("WAIT").arg(1).arg(0).query(&mut connection).unwrap();
    assert_eq!(replicas, 1);
    let stores = [&master, &master, &replica, &replica].map(|server| patient().open(&server.url()).unwrap());
    let [before, late, after, other] = &stores;
    let now = SystemClock.moment();
    let (here, elsewhere) = (origin("example.com"), origin("example.org"));
    let take = async |store: &RedisStore, origin: &Origin, request: &SlotRequest| match store
        .reserve(origin, request, SystemClock.moment())
        .await
        .unwrap()
    {
        Slot::Taken(wait) => wait,
        other => panic!("{other:?}"),
    };
    let promoted = Instant::now();
    assert_eq!(replica.command(&["REPLICAOF", "NO", "ONE"]).trim(), "OK");
    assert_eq!(take(before, &here, &request(HOUR, 9 * HOUR)).await, Duration::ZERO);
    let waiting = request(HOUR, 9 * HOUR);
    take(late, &here, &waiting).await;

    for (store, origin) in [(after, &here), (other, &elsewhere)] {
        let wait = take(store, origin, &request(HOUR, 9 * HOUR)).await;
        let (expected, rounding) = (HOUR + FORMER_MASTER, Duration::from_micros(1));
        assert!(wait <= expected && wait + promoted.elapsed() + rounding >= expected, "{wait:?}");
    }
    // Origins with long intervals count from that time even after it has passed.
    let ttl: i64 = replica.command(&["PTTL", "comity:1:{0}:handed_on"]).trim().parse().unwrap();
    assert!(ttl > 3_600_000, "{ttl}");
    // The former master becomes a replica, so the store detects that it needs the new one.
    let port = replica.port().to_string();
    assert_eq!(master.command(&["REPLICAOF", "127.0.0.1", &port]).trim(), "OK");
    let error = late.reserve(&here, &request(HOUR, 9 * HOUR), now).await.unwrap_err();
    assert_eq!(error.fault(), StoreFault::Down, "{error:?}");
}

/// A request waits for a slot of the former master, and confirms it with the new master.
#[tokio::test]
async fn slot_of_the_former_master_is_forgotten() {
    let mut servers = SentinelGroup::start();
    begin_epoch_at(1, &mut raw(&servers.master().url()), "comity:", 1);
    let store = patient().open(&servers.url()).unwrap();
    let (here, now) = (origin("example.com"), SystemClock.moment());
    store.reserve(&here, &request(HOUR, 9 * HOUR), now).await.unwrap();
    let waiting = request(HOUR, 9 * HOUR);
    store.reserve(&here, &waiting, now).await.unwrap();
    servers.kill_master();
    // Until the Sentinels agree on a new master, the store is down.
    let status = loop {
        match store.confirm(&here, &waiting, now, now).await {
            Err(error) if error.fault() == StoreFault::Down => tokio::task::yield_now().await,
            confirmed => break confirmed.unwrap(),
        }
    };
    assert_eq!(status, SlotStatus::Forgotten);
}

mod with_sentinels {
    use super::*;

    store_conformance!(one sentinel_store_passes_all_checks, {
        let servers = SentinelGroup::start();
        move || {
            let begin = |prefix: &str| begin_epoch_at(1, &mut raw(&servers.master().url()), prefix, 1);
            place_on(&servers.url(), &patient(), begin)
        }
    });

    #[tokio::test]
    async fn unknown_master_is_an_error_that_names_the_store() {
        let servers = SentinelGroup::start();
        let store = patient().open(&servers.url().replace("/main", "/other")).unwrap();
        let error = store.ping().await.unwrap_err();
        assert!(error.to_string().contains(store.place()), "{error}");
    }
}

mod with_a_cluster {
    use super::*;

    store_conformance!(one cluster_store_passes_all_checks, {
        let servers = RedisCluster::start();
        move || {
            let begin = |prefix: &str| {
                let cluster = redis::cluster::ClusterClient::new(servers.server_urls()).unwrap();
                begin_epoch_at(1, &mut cluster.get_connection().unwrap(), prefix, 256);
            };
            place_on(&servers.url(), &patient(), begin)
        }
    });

    #[tokio::test]
    async fn new_cluster_begins_all_epochs_at_once() {
        let servers = RedisCluster::start();
        let store = patient().open(&servers.url()).unwrap();
        let take = async |name: &str| {
            let sent = Instant::now();
            match store.reserve(&origin(name), &request(HOUR, 9 * HOUR), SystemClock.moment()).await.unwrap()
            {
                Slot::Taken(wait) => (sent, wait),
                other => panic!("{other:?}"),
            }
        };
        take("first.example").await;
        // A slot on a fresh origin begins one interval after the epoch.
        let (begun, rounding) = (Instant::now(), Duration::from_micros(1));
        for number in 0..20 {
            let (sent, wait) = take(&format!("{number}.example")).await;
            assert!(wait + (sent - begun) <= HOUR + rounding, "an epoch began later: {wait:?}");
        }
        assert!(store.list(None, 9).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn url_of_a_single_server_in_a_cluster_is_an_error_with_the_right_scheme() {
        let servers = RedisCluster::start();
        let mut shown = String::new();
        for url in servers.server_urls() {
            let store = patient().open(&url).unwrap();
            if let Err(error) = store.get(&origin("example.com")).await {
                shown = error.to_string();
            }
        }
        assert!(shown.contains("redis+cluster://"), "{shown}");
    }
}
