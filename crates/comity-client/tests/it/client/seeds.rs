//! End-to-end tests of the decision tables of WebCanon and Ladon, the two programs on which this project is based.

use std::time::Duration;

use comity::policy::{Mode, Preset};
use comity_client::Cause;
use testkit::servers::{Origin, Reply};

use super::{builder, site};

const WORKED: &str =
    "User-agent: *\nDisallow: /private\nDisallow: /docs\nAllow: /docs/public\nDisallow: /*.pdf$\n";

#[tokio::test]
async fn webcanon_recommends_as_in_its_policy_model() {
    let cases: [(&str, Reply, &str, &str, bool); 9] = [
        ("/docs/public/a", Reply::ok(WORKED), "allowed_explicit", "recommended", true),
        ("/public", Reply::ok(WORKED), "allowed_implicit", "recommended", true),
        ("/private/a", Reply::ok(WORKED), "disallowed_explicit", "not_recommended", false),
        ("/docs/secret", Reply::ok(WORKED), "disallowed_explicit", "not_recommended", false),
        ("/file.pdf", Reply::ok(WORKED), "disallowed_explicit", "not_recommended", false),
        ("/file.pdf?x=1", Reply::ok(WORKED), "allowed_implicit", "recommended", true),
        ("/page", Reply::status(404), "allowed_implicit", "recommended", true),
        ("/page", Reply::status(500), "unknown_unreachable", "unknown_do_not_fetch_by_default", false),
        ("/page", Reply::reset(), "unknown_unreachable", "unknown_do_not_fetch_by_default", false),
    ];
    for (path, robots, verdict, recommendation, fetched) in cases {
        let site = Origin::start();
        site.on("/robots.txt", robots);
        site.otherwise(Reply::ok("page"));
        let client = builder().preset(Preset::Webcanon).build().unwrap();
        let record = match client.fetch(site.url(path)).await {
            Ok(page) => {
                assert!(fetched, "{path}");
                page.record().clone()
            }
            Err(error) => {
                assert!(!fetched && error.cause().decision().is_some(), "{path}: {error}");
                error.record().clone()
            }
        };
        let decision = record.hops[0].decision.as_ref().unwrap();
        assert_eq!(
            (decision.verdict.as_str(), decision.recommendation.as_str()),
            (verdict, recommendation),
            "{path}"
        );
        assert_eq!(decision.preset, Some(Preset::Webcanon));
    }
}

#[tokio::test]
async fn webcanon_in_ignore_mode_records_skipped_by_user_policy() {
    let site = site("User-agent: *\nDisallow: /\n");
    let client = builder().preset(Preset::Webcanon).mode(Mode::Ignore).build().unwrap();
    let page = client.fetch(site.url("/page")).await.unwrap();
    let decision = page.record().hops[0].decision.as_ref().unwrap();
    assert_eq!(
        (decision.verdict.as_str(), decision.recommendation.as_str()),
        ("skipped_by_user_policy", "recommended")
    );
    assert_eq!(site.count("/robots.txt"), 0);
}

#[tokio::test]
async fn ladon_decides_as_in_its_adr() {
    // Pairs of an answer to the request for robots.txt, and whether a page is fetched.
    let cases: [(Reply, bool); 6] = [
        (Reply::ok("User-agent: *\nDisallow: /page\n"), false),
        (Reply::ok("User-agent: *\nDisallow: /other\n"), true),
        (Reply::status(404), true),
        (Reply::status(503), true),
        (Reply::reset(), true),
        (Reply::garbage(), true),
    ];
    for (number, (robots, fetched)) in cases.into_iter().enumerate() {
        let site = Origin::start();
        site.on("/robots.txt", robots);
        site.otherwise(Reply::ok("page"));
        let client = builder().preset(Preset::Ladon).mode(Mode::Respect).build().unwrap();
        for _ in 0..2 {
            assert_eq!(client.fetch(site.url("/page")).await.is_ok(), fetched, "case {number}");
        }
        assert_eq!(site.count("/robots.txt"), 1, "case {number}: one fetch per origin and session");
    }
}

#[tokio::test]
async fn ladon_matches_the_query() {
    let site = site("User-agent: *\nDisallow: /search?q=\n");
    let client = builder().preset(Preset::Ladon).mode(Mode::Respect).build().unwrap();
    assert!(client.fetch(site.url("/search?q=x")).await.is_err());
    assert!(client.fetch(site.url("/search")).await.is_ok());
}

#[tokio::test]
async fn ladon_blocks_before_it_takes_a_slot() {
    let site = site("User-agent: *\nDisallow: /private\nCrawl-delay: 30\n");
    let client = builder().preset(Preset::Ladon).mode(Mode::Respect).build().unwrap();
    for _ in 0..3 {
        client.fetch(site.url("/private")).await.unwrap_err();
    }
    let page = client.fetch(site.url("/page")).await.unwrap();
    assert!(page.record().waited.as_millis() < 100, "{:?}", page.record().waited);
}

#[tokio::test]
async fn client_returns_the_crawl_delay_of_a_site() {
    let asking = site("User-agent: *\nCrawl-delay: 7\n");
    let silent = site("User-agent: *\nDisallow: /private\n");
    let client = builder().preset(Preset::Ladon).mode(Mode::Respect).build().unwrap();
    assert_eq!(client.crawl_delay(asking.url("/page")).await.unwrap(), Some(Duration::from_secs(7)));
    assert_eq!(client.crawl_delay(silent.url("/page")).await.unwrap(), None);
}

#[tokio::test]
async fn timeout_of_the_client_bounds_robots_txt() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::hang());
    let mut fetch = comity_client::FetchOptions::default();
    fetch.timeout = Duration::from_millis(300);
    let mut robots = comity_client::robots_cache::RobotsOptions::default();
    robots.timeout = Some(Duration::from_secs(600));
    let client = builder().fetch(fetch).robots(robots).build().unwrap();
    let decision = client.decide(site.url("/page")).await.unwrap();
    assert_eq!(decision.evidence.unwrap().kind(), comity::policy::AnswerKind::Timeout);
}

#[tokio::test]
async fn ladon_has_one_pace_for_all_origins_of_a_host() {
    let (slow, other) = (site("User-agent: *\nCrawl-delay: 30\n"), site("User-agent: *\n"));
    let mut fetch = comity_client::FetchOptions::default();
    fetch.max_wait = Some(Duration::from_secs(2));
    // Both sites are on 127.0.0.1, with different ports.
    for (preset, is_kept_back) in [(Preset::Ladon, true), (Preset::Rfc9309, false)] {
        let client = builder().fetch(fetch.clone()).preset(preset).mode(Mode::Respect).build().unwrap();
        client.fetch(slow.url("/a")).await.unwrap();
        let second = client.fetch(other.url("/b")).await;
        assert_eq!(
            matches!(second.as_ref().map_err(|error| error.cause()), Err(Cause::Wait(_))),
            is_kept_back
        );
    }
}
