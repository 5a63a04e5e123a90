//! Bounds of a whole fetch: its deadline, and the limit of its body.

use std::time::{Duration, SystemTime};

use comity_client::guard::Guard;
use comity_client::testing::{FakeReply, FakeResolver, FakeTransport};
use comity_client::{Cause, Client, FetchOptions, TokioClock};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

fn client(web: &FakeTransport) -> Client {
    Client::builder("ExampleBot")
        .guard(Guard::new().with_resolver(FakeResolver::new()))
        .transport(web.clone())
        .clock(TokioClock::starting_at(SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)))
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn deadline_bounds_waits_attempts_and_bodies() {
    let web = FakeTransport::new();
    web.on("https://slow.example/page", FakeReply::hang())
        .on("https://paced.example/robots.txt", FakeReply::text("User-agent: *\nCrawl-delay: 60\n"))
        .on("https://long.example/page", FakeReply::text("a long body").in_pieces(1, 10 * SECOND))
        .on("https://silent.example/robots.txt", FakeReply::hang());
    let client = client(&web);
    let options = FetchOptions::default().deadline(Some(5 * SECOND)).timeout(3 * SECOND);
    client.fetch("https://paced.example/first").await.unwrap();
    for url in [
        "https://slow.example/page",
        "https://paced.example/second",
        "https://long.example/page",
        "https://silent.example/page",
    ] {
        let began = Instant::now();
        let error = client.fetch_with(url, &options).await.unwrap_err();
        assert_eq!(began.elapsed().as_secs(), 5, "{url}: {error}");
        assert!(
            matches!(error.cause(), Cause::Deadline(deadline) if *deadline == 5 * SECOND),
            "{url}: {error}"
        );
        assert!(error.is_timeout() && !error.is_refusal(), "{url}");
        assert_eq!(error.record().outcome.as_str(), "deadline_exceeded");
        assert_eq!(error.record().took.as_secs(), 5);
    }
    assert_eq!(client.counters().snapshot().get("refused_by_deadline"), Some(&4));
}

#[tokio::test(start_paused = true)]
async fn deadline_bounds_all_forms_of_a_page_together() {
    let web = FakeTransport::new();
    web.otherwise(FakeReply::status(404).after(2 * SECOND));
    let client = client(&web);
    let options = FetchOptions::default()
        .deadline(Some(5 * SECOND))
        .llms(comity_client::comity::llms::Strategy::Prefer);
    let began = Instant::now();
    client.fetch_with("https://site.example/page.html", &options).await.unwrap_err();
    assert_eq!(began.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn long_body_is_truncated() {
    let web = FakeTransport::new();
    web.on("https://site.example/long", FakeReply::text("0123456789"));
    let client = client(&web);
    let page = client.fetch("https://site.example/long").await.unwrap();
    assert!(!page.is_truncated());
    let page =
        client.fetch_with("https://site.example/long", &FetchOptions::default().max_bytes(4)).await.unwrap();
    assert!(page.is_truncated() && page.body().as_ref() == b"0123");
}

#[tokio::test(start_paused = true)]
async fn longest_interval_does_not_exceed_the_default_wait() {
    let web = FakeTransport::new();
    web.on("https://site.example/robots.txt", FakeReply::text("User-agent: *\nCrawl-delay: 86400\n"));
    web.otherwise(FakeReply::text("page"));
    let client = client(&web);
    let urls = (0..5).map(|page| format!("https://site.example/{page}"));
    let results: Vec<_> =
        futures_util::StreamExt::collect(client.fetch_many(urls, client.crawl_options().clone())).await;
    for fetched in &results {
        assert!(fetched.result.is_ok(), "{:?}", fetched.record().error);
    }
    assert_eq!(results.len(), 5);
}
