//! Tests of the blocking client, and of admission and the tower layer. The latter two run all steps that precede a
//! request, for programs that send the request with another HTTP client.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use comity_client::crawl::CrawlOptions;
use comity_client::{Addresses, Admission, Cause, LayerError, PolicyLayer, blocking};
use http::{HeaderMap, StatusCode};
use testkit::servers::Reply;
use tower_layer::Layer;
use tower_service::Service;

use super::{builder, client, site};

/// Another HTTP client. It answers at once, and checks that it received the addresses to dial.
#[derive(Clone, Default)]
struct Stack {
    calls: Arc<AtomicUsize>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Service<http::Request<()>> for Stack {
    type Response = http::Response<&'static str>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<()>) -> Self::Future {
        let addresses = request.extensions().get::<Addresses>().expect("addresses to dial");
        assert_eq!(addresses.0.first().map(|address| address.ip().to_string()).as_deref(), Some("127.0.0.1"));
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.asked.lock().unwrap().push(request.uri().to_string());
        ready(Ok(http::Response::new("page")))
    }
}

fn request(url: String) -> http::Request<()> {
    http::Request::get(url).body(()).unwrap()
}

#[tokio::test]
async fn layer_forwards_only_admitted_requests() {
    let site = site("User-agent: *\nDisallow: /private\nCrawl-delay: 0.2\n");
    let stack = Stack::default();
    let mut service = PolicyLayer::new(client()).layer(stack.clone());
    let begun = std::time::Instant::now();
    let response = service.call(request(site.url("/page"))).await.unwrap();
    let admission = response.extensions().get::<Arc<Admission>>().unwrap();
    assert_eq!(admission.decision().verdict.as_str(), "allowed_implicit");
    drop(response);

    let error = service.call(request(site.url("/private"))).await.unwrap_err();
    assert!(matches!(&error, LayerError::Refused(cause) if matches!(**cause, Cause::Robots(_))), "{error}");
    let error = service.call(request("http://10.0.0.1/".to_owned())).await.unwrap_err();
    assert!(matches!(&error, LayerError::Refused(cause) if matches!(**cause, Cause::Guard(_))), "{error}");
    assert_eq!(stack.calls.load(Ordering::Relaxed), 1, "a refused request never reaches the service");

    service.call(request(site.url("/page"))).await.unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(200), "{:?}", begun.elapsed());
    let slow = self::site("User-agent: *\nCrawl-delay: 3600\n");
    let mut impatient = PolicyLayer::new(client()).max_wait(Duration::from_secs(60)).layer(stack);
    impatient.call(request(slow.url("/page"))).await.unwrap();
    let error = impatient.call(request(slow.url("/page"))).await.unwrap_err();
    assert!(matches!(&error, LayerError::Refused(cause) if matches!(**cause, Cause::Wait(_))), "{error}");
}

#[tokio::test]
async fn layer_forwards_exactly_the_decided_url() {
    let site = site("User-agent: *\nDisallow: /private\n");
    let stack = Stack::default();
    let mut service = PolicyLayer::new(client()).layer(stack.clone());
    let port = site.address().port();
    for (sent, asked) in [
        ("/open/./page", Some("/open/page")),
        ("/private/../page", Some("/page")),
        ("/page?a=/../b", Some("/page?a=/../b")),
        ("", Some("/")),
        ("/a/../private", None),
        ("/a/%2e%2e/private", None),
        ("/a/.%2E/./private?x", None),
    ] {
        for host in ["127.0.0.1", "127.1", "0x7f.0.0.1"] {
            let called = service.call(request(format!("HTTP://{host}:{port}{sent}"))).await;
            let reached = stack.asked.lock().unwrap().pop();
            let expected = asked.map(|path| format!("http://127.0.0.1:{port}{path}"));
            assert_eq!(reached, expected, "{host} {sent}");
            assert_eq!(called.is_ok(), asked.is_some(), "{host} {sent}");
        }
    }
}

#[tokio::test]
async fn reported_answer_affects_the_next_request() {
    let site = site("");
    let client = client();
    let mut admission = client.admit(site.url("/page"), None).await.unwrap();
    let mut headers = HeaderMap::new();
    headers.insert("retry-after", "30".parse().unwrap());
    admission.answered(StatusCode::TOO_MANY_REQUESTS, &headers).await.unwrap();
    drop(admission);
    let error = client.admit(site.url("/page"), Some(Duration::from_secs(1))).await.unwrap_err();
    assert!(matches!(&error, Cause::Wait(wait) if wait.reason.as_str() == "retry_after"), "{error}");
}

#[test]
fn blocking_client_fetches_and_decides() {
    let site = site("User-agent: *\nDisallow: /private\nCrawl-delay: 0.05\n");
    site.on("/sitemap.xml", Reply::ok(site.url("/1")).header("Content-Type", "text/plain"));
    let client = blocking::Client::new(builder()).unwrap();
    assert_eq!(client.crawl_delay(site.url("/page")).unwrap(), Some(Duration::from_millis(50)));
    assert_eq!(client.fetch(site.url("/page")).unwrap().status(), 200);
    assert!(client.decide(site.url("/private")).unwrap().blocked);
    let origin = comity_client::Origin::of(&site.url("/").parse().unwrap()).unwrap();
    let found = client.discover(&origin).unwrap().count();
    assert!(found >= 2, "{found}");
    let urls = [site.url("/a"), site.url("/private"), site.url("/b")];
    let fetches = client.fetch_many(urls, CrawlOptions::default());
    let watch = fetches.watch();
    assert_eq!(fetches.filter(|fetched| fetched.result.is_ok()).count(), 2);
    assert_eq!(watch.progress().failed, 1);
    assert_eq!(site.count("/robots.txt"), 1);
}
