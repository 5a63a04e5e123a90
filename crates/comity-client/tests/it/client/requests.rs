//! Requests with any method, and bodies that are read in chunks.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use comity_client::guard::Guard;
use comity_client::pace::PaceOptions;
use comity_client::testing::{FakeReply, FakeResolver, FakeTransport};
use comity_client::{Cause, Client, FetchOptions, PageStream, TokioClock};
use futures_util::TryStreamExt as _;
use http::{HeaderValue, Method};
use testkit::servers::Reply;
use tokio::time::Instant;

use super::log::Log;
use super::{builder, site};

const SECOND: Duration = Duration::from_secs(1);
const TEXT: HeaderValue = HeaderValue::from_static("text/plain");
const PAGE: &str = "https://site.example/page";

/// Returns a client on a virtual clock, without an interval between requests.
fn client(web: &FakeTransport) -> Client {
    Client::builder("ExampleBot")
        .guard(Guard::new().with_resolver(FakeResolver::new()))
        .pace(PaceOptions::default().min_interval(Duration::ZERO))
        .transport(web.clone())
        .clock(TokioClock::starting_at(SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)))
        .build()
        .unwrap()
}

async fn stream(client: &Client, options: FetchOptions) -> PageStream {
    client.request(Method::GET, PAGE).options(options).stream().await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn redirect_changes_method_and_body_as_the_standards_define() {
    for (method, status, expected) in [
        (Method::POST, 301, Method::GET),
        (Method::POST, 302, Method::GET),
        (Method::POST, 303, Method::GET),
        (Method::POST, 307, Method::POST),
        (Method::POST, 308, Method::POST),
        (Method::PUT, 301, Method::PUT),
        (Method::PUT, 303, Method::GET),
        (Method::DELETE, 302, Method::DELETE),
        (Method::HEAD, 301, Method::HEAD),
        (Method::HEAD, 303, Method::HEAD),
    ] {
        for target in ["https://site.example/next", "https://other.example/next"] {
            let web = FakeTransport::new();
            web.on(PAGE, FakeReply::redirect(status, target)).on(target, FakeReply::text("done"));
            let body = if method == Method::HEAD { "" } else { "body" };
            let page = client(&web).request(method.clone(), PAGE).body(TEXT, body).send().await.unwrap();
            let methods: Vec<_> = page.record().hops.iter().map(|hop| hop.method.as_str()).collect();
            assert_eq!(methods, [method.as_str(), expected.as_str()], "{method} {status}");
            let requests = web.requests();
            let next = requests.iter().find(|seen| seen.url.path() == "/next").unwrap();
            assert_eq!(next.method, expected, "{method} {status}");
            let is_kept = method == expected;
            assert_eq!(next.body, if is_kept { body } else { "" }, "{method} {status}");
            assert_eq!(next.headers.contains_key("content-type"), is_kept, "{method} {status}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn post_that_redirects_to_itself_is_answered_by_a_get() {
    let web = FakeTransport::new();
    web.on(PAGE, FakeReply::redirect(303, PAGE).then(FakeReply::text("done")));
    let page = client(&web).request(Method::POST, PAGE).send().await.unwrap();
    assert_eq!(page.text(), "done");
    web.on(PAGE, FakeReply::redirect(307, PAGE));
    let error = client(&web).request(Method::POST, PAGE).send().await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Redirects(_)), "{error}");
}

#[tokio::test(start_paused = true)]
async fn request_that_is_not_idempotent_is_sent_once() {
    for (method, sent) in [(Method::GET, 3), (Method::PUT, 3), (Method::POST, 1), (Method::PATCH, 1)] {
        let web = FakeTransport::new();
        web.on(PAGE, FakeReply::status(503));
        let request = client(&web).request(method.clone(), PAGE);
        request.clone().send().await.unwrap();
        assert_eq!(web.count(PAGE), sent, "{method}");
        request.repeatable().send().await.unwrap();
        assert_eq!(web.count(PAGE), sent + 3, "{method}");
    }
}

#[tokio::test(start_paused = true)]
async fn request_with_any_method_passes_the_steps() {
    let web = FakeTransport::new();
    web.on("https://site.example/robots.txt", FakeReply::text("User-agent: *\nDisallow: /page\n"));
    let client = client(&web);
    let error = client.request(Method::POST, PAGE).send().await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Robots(_)), "{error}");
    let error = client.request(Method::POST, PAGE).stream().await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Robots(_)), "{error}");
    let error = client.request(Method::PUT, "https://10.0.0.1/").send().await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Guard(_)), "{error}");
    for method in [Method::CONNECT, Method::TRACE] {
        let error = client.request(method, "https://site.example/").send().await.unwrap_err();
        assert!(matches!(error.cause(), Cause::Url(_)) && error.is_refusal(), "{error}");
    }
    assert_eq!((web.count(PAGE), web.count("https://site.example/")), (0, 0));
}

#[tokio::test]
async fn body_and_header_of_a_request_are_sent() {
    let site = site("");
    site.on("/form", Reply::ok("answer"));
    site.on("/video", Reply::gzip("a long video"));
    let client = builder().build().unwrap();
    for _ in 0..2 {
        let request = client.request(Method::POST, site.url("/form")).body(TEXT, "twelve bytes");
        assert_eq!(request.send().await.unwrap().text(), "answer");
    }
    let posts = site.requests_for("/form");
    assert_eq!(posts.len(), 2);
    for seen in posts {
        assert_eq!((&*seen.method, seen.header("content-length")), ("POST", Some("12")));
        assert_eq!(seen.header("content-type"), Some("text/plain"));
    }
    let head = client.request(Method::HEAD, site.url("/video")).send().await.unwrap();
    assert!(head.body().is_empty() && !head.is_truncated());
    assert_eq!(head.headers().get("content-encoding").unwrap(), "gzip");
    assert!(head.headers().contains_key("content-length"));
    // All requests used one connection, so the origin read each body to its end.
    assert_eq!(site.connections(), 1);
}

#[tokio::test(start_paused = true)]
async fn chunk_is_delivered_when_it_arrives() {
    let web = FakeTransport::new();
    web.on(PAGE, FakeReply::text("abcdef").in_pieces(2, SECOND).header("x-robots-tag", "noindex"));
    let client = client(&web);
    let mut page = stream(&client, FetchOptions::default()).await;
    assert_eq!((page.status().as_u16(), page.url().unwrap().as_str()), (200, PAGE));
    assert!(page.record().warnings.iter().any(|warning| warning.name == "do_not_index"));
    assert!(page.record().content.is_none());
    let began = Instant::now();
    for (second, expected) in [(1, "ab"), (2, "cd"), (3, "ef")] {
        assert_eq!(page.chunk().await.unwrap().unwrap(), expected);
        assert_eq!(began.elapsed().as_secs(), second);
    }
    assert_eq!(page.chunk().await.unwrap(), None);
    let whole = client.fetch(PAGE).await.unwrap();
    let (streamed, fetched) = (page.record(), whole.record());
    assert_eq!(streamed.content, fetched.content);
    assert_eq!(streamed.took.as_secs(), 3);
    assert_eq!(client.counters().snapshot().get("pages"), Some(&2));
}

#[tokio::test(start_paused = true)]
async fn stream_ends_at_the_limit_of_bytes() {
    let web = FakeTransport::new();
    web.on(PAGE, FakeReply::text("0123456789").in_pieces(4, SECOND));
    let client = client(&web);
    for (limit, expected, is_truncated) in
        [(6, "012345", true), (8, "01234567", true), (10, "0123456789", false)]
    {
        let mut page = stream(&client, FetchOptions::default().max_bytes(limit)).await;
        let mut body = Vec::new();
        while let Some(chunk) = page.chunk().await.unwrap() {
            body.extend_from_slice(&chunk);
        }
        assert_eq!((&*body, page.is_truncated()), (expected.as_bytes(), is_truncated), "{limit}");
        let content = page.record().content.as_ref().unwrap();
        assert_eq!((content.bytes, content.truncated), (limit as u64, is_truncated));
    }
    let chunks: Vec<Bytes> =
        stream(&client, FetchOptions::default()).await.into_stream().try_collect().await.unwrap();
    assert_eq!(chunks, ["0123", "4567", "89"]);
}

#[tokio::test(start_paused = true)]
async fn stream_holds_the_permit_until_its_end() {
    let web = FakeTransport::new();
    web.on(PAGE, FakeReply::text("ab").in_pieces(1, SECOND));
    let client = client(&web);
    let is_free =
        async || tokio::time::timeout(SECOND * 5, client.fetch("https://site.example/other")).await.is_ok();

    let mut read = stream(&client, FetchOptions::default()).await;
    assert!(!is_free().await);
    while read.chunk().await.unwrap().is_some() {}
    assert!(is_free().await);
    drop(read);

    let dropped = stream(&client, FetchOptions::default()).await;
    assert!(!is_free().await);
    drop(dropped);
    assert!(is_free().await);

    let mut forgotten = stream(&client, FetchOptions::default().body_timeout(SECOND * 60)).await;
    tokio::time::sleep(SECOND * 61).await;
    assert!(is_free().await);
    let error = forgotten.chunk().await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
}

#[tokio::test(start_paused = true)]
async fn dropped_stream_is_counted_and_not_reported_as_cut() {
    let log = Log::default();
    let _logging = tracing::subscriber::set_default(log.clone());
    let web = FakeTransport::new();
    web.on(PAGE, FakeReply::text("abcdef").in_pieces(2, SECOND));
    let client = client(&web);
    let mut page = stream(&client, FetchOptions::default()).await;
    assert_eq!(page.chunk().await.unwrap().unwrap(), "ab");
    drop(page);
    let counts = client.counters().snapshot();
    assert_eq!((counts.get("pages"), counts.get("page_bytes")), (Some(&1), Some(&2)));
    assert!(!log.text().contains("max_bytes"), "{}", log.text());

    let mut cut = stream(&client, FetchOptions::default().max_bytes(3)).await;
    while cut.chunk().await.unwrap().is_some() {}
    assert!(log.text().contains("max_bytes"), "{}", log.text());
}

#[tokio::test(start_paused = true)]
async fn failed_body_ends_the_stream_with_an_error() {
    let web = FakeTransport::new();
    web.on(PAGE, FakeReply::text("abc").in_pieces(2, SECOND).breaking_off());
    let client = client(&web);
    let mut page = stream(&client, FetchOptions::default()).await;
    assert_eq!(page.chunk().await.unwrap().unwrap(), "ab");
    assert_eq!(page.chunk().await.unwrap().unwrap(), "c");
    let error = page.chunk().await.unwrap_err();
    assert!(error.is_connect() && error.record().content.is_none(), "{error}");
    assert_eq!(page.record().outcome.as_str(), "transport_failed");
    assert_eq!(page.chunk().await.unwrap(), None);

    let mut late = stream(&client, FetchOptions::default().deadline(Some(SECOND / 2))).await;
    let error = late.chunk().await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Deadline(_)), "{error}");
}

#[tokio::test(start_paused = true)]
async fn drained_client_finishes_a_stream() {
    let web = FakeTransport::new();
    web.on(PAGE, FakeReply::text("ab").in_pieces(1, SECOND));
    let client = client(&web);
    let mut page = stream(&client, FetchOptions::default()).await;
    let draining = tokio::spawn({
        let client = client.clone();
        async move { client.drain().await }
    });
    tokio::time::sleep(SECOND).await;
    assert!(!draining.is_finished());
    while page.chunk().await.unwrap().is_some() {}
    draining.await.unwrap();
}
