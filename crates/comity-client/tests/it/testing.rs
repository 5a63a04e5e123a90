//! Tests of the fakes: a client must behave with them as with real sites.

use std::time::{Duration, SystemTime};

use comity::policy::{Failure, Verdict};
use comity_client::guard::Guard;
use comity_client::retry::RetryOptions;
use comity_client::robots_cache::RobotsFile;
use comity_client::testing::{FakeReply, FakeResolver, FakeTransport};
use comity_client::{Cause, Client, FetchOptions, TokioClock};

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn client(web: &FakeTransport, names: &FakeResolver) -> Client {
    Client::builder("ExampleBot")
        .guard(Guard::new().with_resolver(names.clone()))
        .transport(web.clone())
        .clock(TokioClock::starting_at(SystemTime::UNIX_EPOCH + seconds(1_800_000_000)))
        .retry(RetryOptions::default().retries(0))
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn fake_transport_runs_a_crawl_without_sockets() {
    let web = FakeTransport::new();
    web.on(
        "https://a.example/robots.txt",
        FakeReply::text("User-agent: *\nCrawl-delay: 100\nDisallow: /private\n"),
    )
    .on("https://a.example/1", FakeReply::redirect(302, "https://b.example/2"))
    .on("https://b.example/2", FakeReply::html("<p>two</p>").after(seconds(5)))
    .on("https://down.example/robots.txt", FakeReply::status(503))
    .on("https://reset.example/robots.txt", FakeReply::failure(Failure::Connection));
    let client = client(&web, &FakeResolver::new());
    let urls = [
        "https://a.example/1",
        "https://a.example/3",
        "https://a.example/private",
        "https://down.example/",
        "https://reset.example/",
    ];
    let mut crawl = client.fetch_many(urls, client.crawl_options().clone());
    let mut ends = vec![String::new(); urls.len()];
    while let Some(fetched) = crawl.next().await {
        ends[fetched.index as usize] = match fetched.result {
            Ok(page) => format!("{} {}", page.status().as_u16(), page.text()),
            Err(error) => match error.cause() {
                Cause::Robots(_) => "disallowed".to_owned(),
                Cause::Unreachable(_) => "unreachable".to_owned(),
                other => other.to_string(),
            },
        };
    }
    assert_eq!(ends, ["200 <p>two</p>", "404 ", "disallowed", "unreachable", "unreachable"]);
    let [first, second] = ["https://a.example/1", "https://a.example/3"].map(|url| web.times(url)[0]);
    assert!(second - first >= seconds(100), "{first:?} {second:?}");
    assert_eq!(web.count("https://a.example/private"), 0);
    let asked = web.requests();
    assert!(asked[0].url.path() == "/robots.txt" && asked[0].headers.contains_key("user-agent"));
}

#[tokio::test(start_paused = true)]
async fn last_reply_of_a_sequence_repeats() {
    let web = FakeTransport::new();
    web.on(
        "https://a.example/x",
        FakeReply::text("1").then(FakeReply::status(500).then(FakeReply::text("3"))),
    );
    let client = client(&web, &FakeResolver::new());
    let mut seen = Vec::new();
    for _ in 0..4 {
        let page = client.fetch("https://a.example/x").await.unwrap();
        seen.push((page.status().as_u16(), page.text()));
    }
    let end = |status, text: &str| (status, text.to_owned());
    assert_eq!(seen, [end(200, "1"), end(500, ""), end(200, "3"), end(200, "3")]);
    web.on("https://a.example/x", FakeReply::text("new")).otherwise(FakeReply::status(410));
    assert_eq!(client.fetch("https://a.example/x").await.unwrap().text(), "new");
    assert_eq!(client.fetch("https://a.example/y").await.unwrap().status().as_u16(), 410);
}

#[tokio::test(start_paused = true)]
async fn slow_or_broken_fake_reply_fails_like_a_real_one() {
    let web = FakeTransport::new();
    web.on("https://a.example/hang", FakeReply::hang())
        .on("https://a.example/late", FakeReply::text("late").after(seconds(3600)))
        .on("https://a.example/drip", FakeReply::text("0123456789").in_pieces(1, seconds(10)))
        .on("https://a.example/cut", FakeReply::text("half").breaking_off());
    let client = client(&web, &FakeResolver::new());
    for (url, timeout, failure) in [
        ("https://a.example/hang", seconds(20), Failure::Timeout),
        ("https://a.example/late", seconds(20), Failure::Timeout),
        ("https://a.example/drip", seconds(60), Failure::Timeout),
        ("https://a.example/cut", Duration::ZERO, Failure::Connection),
    ] {
        let begun = tokio::time::Instant::now();
        let error = client.fetch(url).await.unwrap_err();
        let Cause::Transport(error) = error.cause() else { panic!("{error}") };
        assert_eq!(error.failure(), failure, "{url}");
        assert!(
            begun.elapsed() >= timeout && begun.elapsed() < timeout + seconds(5),
            "{url}: {:?}",
            begun.elapsed()
        );
    }
    let patient = FetchOptions::default().body_timeout(seconds(200));
    assert_eq!(client.fetch_with("https://a.example/drip", &patient).await.unwrap().text(), "0123456789");
}

#[tokio::test(start_paused = true)]
async fn fake_names_are_checked_by_the_real_guard() {
    let names = FakeResolver::new();
    names.on("intranet.example", ["93.184.216.34", "10.0.0.1"]).not_found("gone.example");
    let web = FakeTransport::new();
    let client = client(&web, &names);
    assert!(client.fetch("https://www.example/").await.is_ok());
    let refused = client.fetch("https://intranet.example/").await.unwrap_err();
    assert!(matches!(refused.cause(), Cause::Guard(_)), "{refused}");
    let gone = client.fetch("https://gone.example/").await.unwrap_err();
    assert!(matches!(gone.cause(), Cause::Transport(error) if error.failure() == Failure::Dns), "{gone}");
    assert!(web.requests().iter().all(|request| request.url.host_str() == Some("www.example")));
}

#[tokio::test(start_paused = true)]
async fn robots_timeout_defaults_to_the_timeout_for_pages() {
    // Each case: timeout of pages, timeout of robots.txt, delay of the answer, and whether the answer is in time.
    for (fetch, robots, answered_after, is_read) in [
        (None, None, 19, true),
        (Some(14), None, 11, true),
        (Some(14), None, 15, false),
        (Some(14), Some(10), 11, false),
        (Some(5), None, 6, false),
        // The timeout for pages also limits the wait for robots.txt.
        (Some(5), Some(600), 6, false),
    ] {
        let web = FakeTransport::new();
        let answer = FakeReply::text("User-agent: *\nDisallow: /private\n").after(seconds(answered_after));
        web.on("https://slow.example/robots.txt", answer);
        let mut settings = serde_json::json!({"agent": {"token": "ExampleBot"}, "robots": {"preset": "ladon", "mode": "respect"}});
        if let Some(fetch) = fetch {
            settings["fetch"]["timeout_seconds"] = fetch.into();
        }
        if let Some(robots) = robots {
            settings["robots"]["timeout_seconds"] = robots.into();
        }
        let client = Client::with_settings(serde_json::from_value(settings).unwrap())
            .guard(Guard::new().with_resolver(FakeResolver::new()))
            .transport(web)
            .clock(TokioClock::starting_at(SystemTime::UNIX_EPOCH + seconds(1_800_000_000)))
            .build()
            .unwrap();
        let decision = client.decide("https://slow.example/private").await.unwrap();
        let verdict = if is_read { Verdict::DisallowedExplicit } else { Verdict::UnknownUnreachable };
        assert_eq!(decision.verdict, verdict, "{fetch:?} {robots:?} {answered_after}");
    }
}

#[tokio::test(start_paused = true)]
async fn unreachable_robots_file_has_the_last_copy() {
    let rules = "User-agent: *\nDisallow: /private\n";
    let web = FakeTransport::new();
    web.on("https://a.example/robots.txt", FakeReply::text(rules).then(FakeReply::status(503)));
    let client = client(&web, &FakeResolver::new());
    let first = client.robots_txt("https://a.example/page").await.unwrap();
    assert!(matches!(&first, RobotsFile::Present { body, .. } if body == rules), "{first:?}");
    tokio::time::sleep(seconds(25 * 3600)).await;
    let later = client.robots_txt("https://a.example/page").await.unwrap();
    assert_eq!((later.state(), later.status()), ("unreachable", Some(503)));
    assert_eq!(later.body().unwrap(), rules);
}
