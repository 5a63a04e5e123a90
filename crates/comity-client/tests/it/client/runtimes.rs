//! Calls outside of a tokio runtime, and the blocking client inside of one.

use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use comity_client::crawl::CrawlOptions;
use comity_client::robots_cache::RobotsFile;
use comity_client::{Cause, Client, blocking};
use futures_util::Stream;

use super::{builder, client, site};

/// Polls a future once, outside of a runtime.
fn poll_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the future waits for a runtime"),
    }
}

#[test]
fn call_outside_of_a_runtime_is_a_local_failure() {
    let client: Client = client();
    let url = "http://127.0.0.1:9/page";
    let error = poll_once(client.fetch(url)).unwrap_err();
    assert!(error.cause().is_local() && error.to_string().contains("blocking::Client"), "{error}");
    for cause in [
        poll_once(client.decide(url)).unwrap_err(),
        poll_once(client.admit(url, None)).unwrap_err(),
        poll_once(client.reserve(url, std::time::Duration::ZERO)).unwrap_err(),
        poll_once(client.crawl_delay(url)).unwrap_err(),
    ] {
        assert!(matches!(cause, Cause::Transport(_) | Cause::Store(_)), "{cause}");
        assert!(cause.to_string().contains("tokio runtime"), "{cause}");
    }
    let file = poll_once(client.robots_txt(url)).unwrap();
    assert!(matches!(file, RobotsFile::FailedHere { .. }), "{file:?}");
    let origin = comity_client::Origin::of(&url.parse().unwrap()).unwrap();
    assert!(poll_once(client.discover(&origin)).is_err());

    let mut crawl = client.fetch_many([url, "http://127.0.0.1:9/other"], CrawlOptions::default());
    let mut next = || match Pin::new(&mut crawl).poll_next(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(fetched) => fetched,
        Poll::Pending => panic!("the crawl waits for a runtime"),
    };
    for _ in 0..2 {
        assert!(next().unwrap().result.unwrap_err().cause().is_local());
    }
    assert!(next().is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blocking_client_works_and_ends_inside_a_runtime() {
    let site = site("User-agent: *\nDisallow: /private\n");
    let client = blocking::Client::new(builder()).unwrap();
    assert_eq!(client.fetch(site.url("/page")).unwrap().status(), 200);
    assert!(client.decide(site.url("/private")).unwrap().blocked);
    let fetched = client.fetch_many([site.url("/a"), site.url("/b")], CrawlOptions::default());
    assert_eq!(fetched.filter(|fetched| fetched.result.is_ok()).count(), 2);
    drop(client);
}
