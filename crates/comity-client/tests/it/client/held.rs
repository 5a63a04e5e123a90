//! Responses that are held: the permit of their origin is released after a time limit, and a long wait for the permit
//! is logged.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use comity_client::guard::Guard;
use comity_client::testing::{FakeReply, FakeResolver, FakeTransport};
use comity_client::{Admission, BoxFuture, Cause, Client, LayerError, PolicyLayer, TokioClock};
use http_body_util::{BodyExt, Full};
use tokio::time::Instant;
use tower::{Layer, Service};

use super::log::Log;

/// Time limit of a held permit: the sum of the timeouts of header and body.
const BOUND: Duration = Duration::from_secs(20 + 60);

/// Another HTTP stack, which answers at once with the `User-Agent` of the request.
#[derive(Clone, Debug)]
pub(super) struct Echo;

impl Service<http::Request<()>> for Echo {
    type Response = http::Response<Full<Bytes>>;
    type Error = std::io::Error;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<()>) -> Self::Future {
        let name = request.headers().get("user-agent").map(|name| Bytes::copy_from_slice(name.as_bytes()));
        Box::pin(async move { Ok(http::Response::new(Full::new(name.unwrap_or_default()))) })
    }
}

pub(super) fn request(path: &str) -> http::Request<()> {
    http::Request::get(format!("https://site.example{path}")).body(()).unwrap()
}

/// Returns a client on a virtual clock. Its sites have no rules.
pub(super) fn polite() -> Client {
    let web = FakeTransport::new();
    web.otherwise(FakeReply::status(404));
    let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    Client::builder("ExampleBot")
        .guard(Guard::new().with_resolver(FakeResolver::new()))
        .pace(comity_client::pace::PaceOptions::default().min_interval(Duration::ZERO))
        .transport(web)
        .clock(TokioClock::starting_at(start))
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn held_response_is_reported_and_released_after_the_bound() {
    let log = Log::default();
    let _logging = tracing::subscriber::set_default(log.clone());
    let mut service = PolicyLayer::new(polite()).layer(Echo);
    let began = Instant::now();
    // The first response is held while the second request waits.
    let response = service.call(request("/first?token=1")).await.unwrap();
    let _second = service.call(request("/second")).await.unwrap();
    assert!(began.elapsed() >= BOUND, "{:?}", began.elapsed());
    let warnings = log.text();
    let first = "url=\"https://site.example/first?token=1\"";
    for words in [
        first,
        "holder=\"an admission\"",
        "seconds=1.0",
        "origin=https://site.example",
        "comity_client::pace",
    ] {
        assert!(warnings.contains(words), "{words}: {warnings}");
    }
    drop(response);
}

#[tokio::test(start_paused = true)]
async fn read_or_dropped_body_releases_the_permit() {
    let mut service = PolicyLayer::new(polite()).layer(Echo);
    let began = Instant::now();
    let read = service.call(request("/read")).await.unwrap();
    let (parts, body) = read.into_parts();
    assert_eq!(body.collect().await.unwrap().to_bytes(), "ExampleBot Comity/0.1.0");
    let dropped = service.call(request("/dropped")).await.unwrap();
    let (other, body) = dropped.into_parts();
    drop(body);
    let _third = service.call(request("/third")).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    let admission = parts.extensions.get::<Arc<Admission>>().unwrap();
    assert_eq!(admission.url().path(), "/read");
    drop(other);
}

#[tokio::test(start_paused = true)]
async fn released_admission_allows_the_next_one_and_draining() {
    let client = polite();
    let began = Instant::now();
    let first = client.admit("https://site.example/1", None).await.unwrap();
    first.release();
    let second = client.admit("https://site.example/2", None).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    client.drain().await;
    assert!(began.elapsed() >= BOUND, "an admission counts as in flight until its bound");
    drop((first, second));
}

#[tokio::test(start_paused = true)]
async fn wait_for_a_permit_ends_after_the_default_of_five_minutes() {
    let options = comity_client::FetchOptions::default();
    assert_eq!(options.max_wait, Some(Duration::from_secs(300)));
    let slow = Client::builder("ExampleBot")
        .guard(Guard::new().with_resolver(FakeResolver::new()))
        .transport(FakeTransport::new())
        .clock(TokioClock::starting_at(SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)))
        .fetch(options.body_timeout(Duration::from_secs(3_600)))
        .build()
        .unwrap();
    let held = slow.admit("https://site.example/1", None).await.unwrap();
    let began = Instant::now();
    let error = slow.admit("https://site.example/2", None).await.unwrap_err();
    assert!(matches!(&error, Cause::Wait(wait) if wait.reason.as_str() == "concurrency"), "{error}");
    assert!(began.elapsed() >= Duration::from_secs(298), "{:?}", began.elapsed());
    drop(held);
}

#[tokio::test(start_paused = true)]
async fn request_has_the_name_of_the_client() {
    let named = |name: &'static str| {
        let mut request = request("/");
        request.headers_mut().insert("user-agent", http::HeaderValue::from_static(name));
        request
    };
    let body = async |layer: PolicyLayer, request| -> Result<Bytes, LayerError> {
        let response = layer.layer(Echo).call(request).await?;
        Ok(response.into_body().collect().await.unwrap().to_bytes())
    };
    let strict = PolicyLayer::new(polite());
    assert_eq!(body(strict.clone(), request("/")).await.unwrap(), "ExampleBot Comity/0.1.0");
    let own = "Mozilla/5.0 (compatible; examplebot/2.1)";
    assert_eq!(body(strict.clone(), named(own)).await.unwrap(), own);
    let error = body(strict.clone(), named("curl/8.0")).await.unwrap_err();
    assert!(matches!(&error, LayerError::UserAgent { agent, .. } if agent == "ExampleBot"), "{error}");
    assert_eq!(body(strict.allow_other_user_agents(), named("curl/8.0")).await.unwrap(), "curl/8.0");
}
