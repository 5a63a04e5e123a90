//! Tests of the cache of robots.txt. A file is requested once for all tasks, revalidated, and kept through outages.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity::policy::{Mode, Preset, Verdict};
use comity::robots::Agent;
use comity_client::Origin as Key;
use comity_client::robots_cache::RobotsOptions;
use comity_client::store::{MemoryStore, Store};
use testkit::servers::{Origin, Reply};

use super::ahead::Ahead;
use super::{builder, client, site};

fn key(site: &Origin) -> Key {
    Key::of(&site.url("/").parse().unwrap()).unwrap()
}

const CLOSED: &str = "User-agent: *\nDisallow: /\n";

#[tokio::test(flavor = "multi_thread")]
async fn thousand_tasks_with_a_cold_cache_make_one_request() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::delay(Duration::from_millis(200), Reply::ok(CLOSED)));
    let client = client();
    let tasks: Vec<_> = (0..1000)
        .map(|number| {
            let (client, url) = (client.clone(), site.url(&format!("/{number}")));
            tokio::spawn(async move { client.decide(url).await.unwrap().verdict })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), Verdict::DisallowedExplicit);
    }
    assert_eq!((site.count("/robots.txt"), site.max_concurrent("/robots.txt")), (1, 1));
}

#[tokio::test]
async fn cancelled_first_task_does_not_cancel_the_request() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::delay(Duration::from_millis(300), Reply::ok(CLOSED)));
    let client = client();
    let first = tokio::time::timeout(Duration::from_millis(50), client.decide(site.url("/a"))).await;
    assert!(first.is_err(), "cancelled before the answer");
    assert_eq!(client.decide(site.url("/b")).await.unwrap().verdict, Verdict::DisallowedExplicit);
    assert_eq!(site.count("/robots.txt"), 1);
}

#[tokio::test]
async fn stale_copy_is_revalidated() {
    let site = Origin::start();
    let body = Reply::not_modified_if("\"v1\"", CLOSED);
    site.on("/robots.txt", body);
    let clock = Ahead::default();
    let client = builder().clock(clock.clone()).build().unwrap();
    client.decide(site.url("/")).await.unwrap();
    clock.pass(23);
    client.decide(site.url("/")).await.unwrap();
    assert_eq!(site.count("/robots.txt"), 1, "robots.txt is fresh for a day");
    clock.pass(2);
    let decision = client.decide(site.url("/")).await.unwrap();
    let seen = site.requests_for("/robots.txt");
    assert_eq!((seen.len(), seen[1].header("if-none-match")), (2, Some("\"v1\"")));
    assert_eq!(decision.verdict, Verdict::DisallowedExplicit);
    assert_eq!(decision.stale, Some(false));
    clock.pass(23);
    client.decide(site.url("/")).await.unwrap();
    assert_eq!(site.count("/robots.txt"), 2, "a 304 makes robots.txt fresh again");
    // A new answer replaces the copy.
    site.on("/robots.txt", Reply::ok("User-agent: *\nAllow: /\n").header("ETag", "\"v2\""));
    clock.pass(2);
    assert_eq!(client.decide(site.url("/")).await.unwrap().verdict, Verdict::AllowedExplicit);
}

#[tokio::test]
async fn redirect_target_is_reused_while_its_policy_would_be_fresh() {
    let (site, target) = (Origin::start(), Origin::start_on("127.0.0.2"));
    site.on("/robots.txt", Reply::redirect(301, &target.url("/shared.txt")));
    target.on("/shared.txt", Reply::ok(CLOSED));
    let mut robots = RobotsOptions::default();
    robots.max_age = Some(Duration::from_secs(60));
    let clock = Ahead::default();
    let client = builder().robots(robots).clock(clock.clone()).build().unwrap();
    for requests in 1..=3 {
        for _ in 0..3 {
            let decision = client.decide(site.url("/")).await.unwrap();
            assert_eq!(decision.stale, Some(false), "request {requests}");
        }
        assert_eq!((site.count("/robots.txt"), target.count("/shared.txt")), (requests, requests));
        clock.pass_seconds(90);
    }
}

#[tokio::test]
async fn copy_in_memory_is_revalidated_after_the_store_lost_it() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::not_modified_if("\"v1\"", CLOSED));
    let clock = Ahead::default();
    let client = builder().clock(clock.clone()).store(MemoryStore::new().max_bytes(0)).build().unwrap();
    client.decide(site.url("/")).await.unwrap();
    clock.pass(25);
    assert_eq!(client.decide(site.url("/")).await.unwrap().verdict, Verdict::DisallowedExplicit);
    assert_eq!(site.requests_for("/robots.txt")[1].header("if-none-match"), Some("\"v1\""));
    // The last valid robots.txt is kept through an outage.
    site.on("/robots.txt", Reply::status(503));
    clock.pass(25);
    assert_eq!(client.decide(site.url("/")).await.unwrap().verdict, Verdict::DisallowedExplicit);
}

#[tokio::test]
async fn last_good_copy_applies_for_thirty_days_in_any_process() {
    let site = site("User-agent: *\nDisallow: /private\n");
    let clock = Ahead::default();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let fresh = || builder().clock(clock.clone()).shared_store(store.clone()).build().unwrap();
    fresh().decide(site.url("/")).await.unwrap();
    site.on("/robots.txt", Reply::reset());
    for (hours, verdict) in [
        (25, Verdict::DisallowedExplicit),
        (24 * 20, Verdict::DisallowedExplicit),
        (24 * 12, Verdict::UnknownUnreachable),
    ] {
        clock.pass(hours);
        // Each client is new, so it reads the answers from the store.
        assert_eq!(fresh().decide(site.url("/private")).await.unwrap().verdict, verdict, "{hours} later");
    }
}

#[tokio::test]
async fn failures_are_cached_and_retry_after_applies() {
    let site = Origin::start();
    let clock = Ahead::default();
    let client = builder().clock(clock.clone()).build().unwrap();
    site.on("/robots.txt", Reply::retry_after(503, 2 * 3600));
    for _ in 0..3 {
        let decision = client.decide(site.url("/")).await.unwrap();
        assert!(decision.blocked);
    }
    clock.pass(1);
    client.decide(site.url("/")).await.unwrap();
    assert_eq!(site.count("/robots.txt"), 1, "Retry-After was two hours");
    clock.pass(2);
    client.decide(site.url("/")).await.unwrap();
    assert_eq!(site.count("/robots.txt"), 2);
}

#[tokio::test]
async fn cache_headers_apply_between_ten_minutes_and_a_day() {
    for (field, value, fresh, stale) in [
        ("Cache-Control", "max-age=7200", 1, 3),
        ("Cache-Control", "max-age=999999", 23, 25),
        ("Cache-Control", "no-store", 0, 1),
    ] {
        let site = Origin::start();
        site.on("/robots.txt", Reply::ok(CLOSED).header(field, value));
        let clock = Ahead::default();
        let client = builder().clock(clock.clone()).build().unwrap();
        client.decide(site.url("/")).await.unwrap();
        clock.pass(fresh);
        client.decide(site.url("/")).await.unwrap();
        assert_eq!(site.count("/robots.txt"), 1, "{value}");
        clock.pass(stale - fresh);
        client.decide(site.url("/")).await.unwrap();
        assert_eq!(site.count("/robots.txt"), 2, "{value}");
    }
}

#[tokio::test]
async fn origins_differ_by_port_and_host() {
    let (open, closed) = (site("User-agent: *\nAllow: /\n"), site(CLOSED));
    let client = client();
    assert!(!client.decide(open.url("/")).await.unwrap().blocked);
    assert!(client.decide(closed.url("/")).await.unwrap().blocked);
    let other = Origin::start_on("127.0.0.3");
    other.otherwise(Reply::status(404));
    assert!(!client.decide(other.url("/")).await.unwrap().blocked);
}

#[tokio::test]
async fn fast_path_uses_memory_only() {
    let site = site("User-agent: *\nDisallow: /private\n");
    let client = client();
    let url = site.url("/private");
    assert!(client.robots().known(&url, SystemTime::now()).is_none());
    client.decide(&url).await.unwrap();
    let policy = client.robots().known(&url, SystemTime::now()).unwrap();
    assert!(policy.decide(&url, SystemTime::now()).unwrap().blocks());
    assert!(client.robots().known(&url, SystemTime::now() + Duration::from_secs(90_000)).is_none(), "stale");
    let (origins, bytes) = client.robots().held();
    assert_eq!(origins, 1);
    assert!((200..1000).contains(&bytes), "{bytes}");
}

#[tokio::test]
async fn memory_is_bounded_by_bytes() {
    let robots = {
        let mut robots = RobotsOptions::default();
        robots.memory_bytes = 20_000;
        robots
    };
    let client = builder().robots(robots).build().unwrap();
    let site = Origin::start_on("0.0.0.0");
    site.otherwise(Reply::ok(format!("User-agent: *\nDisallow: /{}\n", "x".repeat(500))));
    let port = site.address().port();
    for host in 1..=60 {
        client.decide(format!("http://127.0.1.{host}:{port}/")).await.unwrap();
    }
    let (origins, bytes) = client.robots().held();
    assert!(bytes <= 20_000 && origins < 40, "{origins} origins in {bytes} bytes");
    assert_eq!(site.count("/robots.txt"), 60);
}

#[tokio::test]
async fn stored_body_is_available_for_sitemaps_and_usage() {
    let site = site("Sitemap: https://example.com/s.xml\n");
    let client = client();
    assert_eq!(client.robots().body(&key(&site)).await.unwrap(), None);
    client.decide(site.url("/")).await.unwrap();
    let body = client.robots().body(&key(&site)).await.unwrap().unwrap();
    assert!(body.starts_with(b"Sitemap: "));
    assert!(client.forget(&key(&site)).await.unwrap());
    client.decide(site.url("/")).await.unwrap();
    assert_eq!(site.count("/robots.txt"), 2);
}

#[tokio::test]
async fn unreadable_entry_is_requested_again() {
    let site = site(CLOSED);
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let entry = comity_client::store::Entry::seal(b"written by a later version");
    store.put(&key(&site), &entry, None, SystemTime::now()).await.unwrap();
    let client = builder().shared_store(store).build().unwrap();
    assert!(client.decide(site.url("/")).await.unwrap().blocked);
    assert_eq!(site.count("/robots.txt"), 1);
}

#[tokio::test]
async fn policy_for_another_crawler_is_dropped_with_its_answer() {
    let site = site("User-agent: OtherBot\nDisallow: /\n");
    let client = client();
    let (robots, origin, other) = (client.robots(), key(&site), Agent::unchecked_token("OtherBot"));
    let known = |agent: &Agent| robots.known_for(&origin, agent, SystemTime::now());
    assert!(known(&other).is_none());
    let policy = robots.policy_for(&origin, &other).await.unwrap();
    assert!(Arc::ptr_eq(&known(&other).unwrap(), &policy));
    assert!(known(&Agent::unchecked_token("ThirdBot")).is_none());
    assert!(known(client.agent()).is_some());
    assert!(robots.known_for(&origin, &other, SystemTime::now() + Duration::from_secs(90_000)).is_none());

    // After `forget`, the policy of the client's own crawler is computed from a newer answer.
    robots.forget(&origin);
    assert!(known(&other).is_none());
    client.store().remove(&origin).await.unwrap();
    robots.policy(&origin).await.unwrap();
    assert!(known(&other).is_none());
    let again = robots.policy_for(&origin, &other).await.unwrap();
    assert!(!Arc::ptr_eq(&again, &policy));
    assert_eq!(site.count("/robots.txt"), 2);
}

#[tokio::test]
async fn stored_answer_serves_every_crawler() {
    let site = site("User-agent: *\nDisallow: /private\n\nUser-agent: OtherBot\nDisallow: /\n");
    let client = client();
    let (url, origin) = (site.url("/page"), key(&site));
    for (agent, blocks) in [("OtherBot", true), ("ExampleBot", false), ("OtherBot", true)] {
        let policy = client.robots().policy_for(&origin, &Agent::unchecked_token(agent)).await.unwrap();
        assert_eq!(policy.decide(&url, SystemTime::now()).unwrap().blocks(), blocks, "{agent}");
    }
    // If the store has lost the file, it is requested again, since memory contains only the rules of crawlers that were
    // used before.
    client.store().remove(&origin).await.unwrap();
    let policy =
        client.robots().policy_for(&origin, &Agent::unchecked_token("OtherBot").or_token("x")).await.unwrap();
    assert!(policy.decide(&url, SystemTime::now()).unwrap().blocks());
    let asked = site.requests_for("/robots.txt");
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|asked| !asked.header("User-Agent").unwrap_or_default().contains("OtherBot")));
    assert_eq!(client.robots().charset(&origin).await.unwrap().as_deref(), Some("utf-8"));
}

#[tokio::test]
async fn robots_file_is_present_absent_or_unreachable() {
    let rules = "User-agent: *\nDisallow: /private\n";
    for (reply, state, status) in [
        (Reply::ok(rules), "present", Some(200)),
        (Reply::ok(""), "present", Some(200)),
        (Reply::status(404), "absent", Some(404)),
        (Reply::status(410), "absent", Some(410)),
        (Reply::html("<title>Home</title>"), "absent", Some(200)),
        (Reply::status(429), "unreachable", Some(429)),
        (Reply::status(500), "unreachable", Some(500)),
        (Reply::status(503), "unreachable", Some(503)),
        (Reply::reset(), "unreachable", None),
    ] {
        let site = Origin::start();
        site.on("/robots.txt", reply);
        let file = client().robots_txt(site.url("/page")).await.unwrap();
        assert_eq!((file.state(), file.status()), (state, status), "{file:?}");
        assert_eq!(file.body().is_some(), state == "present", "{file:?}");
    }
}

#[tokio::test]
async fn unreachable_robots_file_is_never_absent_under_any_preset() {
    for status in [429, 500, 503] {
        let site = Origin::start();
        site.on("/robots.txt", Reply::status(status));
        for preset in Preset::ALL {
            let client = builder().preset(preset).mode(Mode::Respect).build().unwrap();
            let file = client.robots_txt(site.url("/page")).await.unwrap();
            assert_eq!((file.state(), file.status()), ("unreachable", Some(status)), "{preset}");
        }
    }
}
