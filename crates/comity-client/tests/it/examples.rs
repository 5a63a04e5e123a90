//! Tests of the programs in `examples/`, with a site on this machine.

use comity_client::guard::GuardOptions;
use comity_client::settings::Settings;
use testkit::servers::{Origin, Reply};

#[allow(dead_code, unreachable_pub, reason = "a test calls only one function of this program")]
#[path = "../../examples/crawler.rs"]
mod crawler;
#[allow(dead_code, unreachable_pub, reason = "the tests use only one type of this program")]
#[path = "../../examples/custom_store.rs"]
mod custom_store;
#[cfg(all(feature = "reqwest", feature = "tower"))]
#[allow(dead_code, unreachable_pub, reason = "a test calls only one function of this program")]
#[path = "../../examples/tower_stack.rs"]
mod tower_stack;

fn site() -> Origin {
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /private\n"));
    site.on(
        "/",
        Reply::html(
            "<a href=\"/a#part\">a</a><a href=\"/private/b\">b</a><a href=\"https://else.example/\">c</a>",
        ),
    );
    site.on("/a", Reply::html("<a href=\"/\">home</a>"));
    site
}

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.agent.token = "ExampleBot".to_owned();
    settings.guard = GuardOptions::default().allow_address(vec!["127.0.0.0/8".parse().unwrap()]);
    settings.pace.min_interval = std::time::Duration::ZERO;
    settings
}

#[tokio::test]
async fn crawler_example_follows_links_and_respects_robots_txt() {
    let site = site();
    let mut lines = crawler::crawl(settings(), vec![site.url("/")]).await.unwrap();
    lines.sort();
    let [refused, home, a] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(*home, format!("200 {}", site.url("/")));
    assert_eq!(*a, format!("200 {}", site.url("/a")));
    assert!(refused.contains("/private/b") && refused.contains("Disallow: /private"), "{refused}");
    assert_eq!((site.count("/robots.txt"), site.count("/private/b")), (1, 0));
}

#[cfg(all(feature = "reqwest", feature = "tower"))]
#[tokio::test]
async fn tower_example_sends_only_allowed_requests() {
    let site = site();
    let client = comity_client::Client::with_settings(settings()).build().unwrap();
    assert_eq!(tower_stack::get(&client, &site.url("/a")).await.unwrap(), "200 20 bytes");
    let refused = tower_stack::get(&client, &site.url("/private/b")).await.unwrap_err();
    assert!(refused.to_string().contains("Disallow: /private"), "{refused}");
    assert_eq!(site.count("/private/b"), 0);
}

/// Runs the conformance checks on the store in `examples/custom_store.rs`.
mod custom_store_conformance {
    use std::sync::Arc;

    use comity_client::store::LocalStore;
    use comity_client::store::conformance::StoreUnderTest;

    use super::custom_store::Folder;

    fn store() -> StoreUnderTest {
        let folder = tempfile::tempdir().unwrap();
        let store = LocalStore::new(Folder::open(folder.path()).unwrap());
        StoreUnderTest::new(Arc::new(store)).keeping(folder)
    }

    comity_client::store_conformance!(store());
}
