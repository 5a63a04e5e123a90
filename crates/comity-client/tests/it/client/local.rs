//! Tests of local failures. They must not allow a URL under any preset, and must not count as failures of the site.

use std::num::NonZeroU32;

use comity::policy::{Failure, Mode, Preset, Verdict};
use comity_client::breaker::BreakerOptions;
use comity_client::transport::{Request, Response, Transport, TransportError};
use comity_client::{BoxFuture, Cause};
use http::{HeaderMap, StatusCode};

use super::builder;

/// A transport on a machine without free descriptors. It fails for all requests, or only for pages.
#[derive(Debug)]
struct Exhausted {
    robots_too: bool,
}

impl Transport for Exhausted {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let is_answered = !self.robots_too && request.url.path() == "/robots.txt";
        Box::pin(async move {
            if is_answered {
                let body = bytes::Bytes::from_static(b"User-agent: *\n");
                return Ok(Response::new(StatusCode::OK, HeaderMap::new(), body));
            }
            Err(TransportError::new(Failure::Local, "too many open files"))
        })
    }
}

#[tokio::test]
async fn local_failure_allows_no_url_under_any_preset() {
    for preset in Preset::ALL {
        let client = builder()
            .preset(preset)
            .mode(Mode::Respect)
            .transport(Exhausted { robots_too: true })
            .build()
            .unwrap();
        let error = client.fetch("http://127.0.0.1/page").await.unwrap_err();
        let Some(decision) = error.cause().decision() else { panic!("{preset}: {error}") };
        assert_eq!(decision.verdict, Verdict::UnknownUnreachable, "{preset}");
        assert!(decision.blocked && !decision.failed_open, "{preset}");
        assert!(error.cause().is_local() && !error.is_refusal(), "{preset}: {error}");
    }
}

#[tokio::test]
async fn local_failure_does_not_open_the_circuit() {
    let mut breaker = BreakerOptions::default();
    breaker.failure_threshold = NonZeroU32::new(1);
    let client = builder().breaker(breaker).transport(Exhausted { robots_too: false }).build().unwrap();
    for _ in 0..3 {
        let error = client.fetch("http://127.0.0.1/page").await.unwrap_err();
        let Cause::Transport(transport) = error.cause() else { panic!("{error}") };
        assert_eq!(transport.failure(), Failure::Local);
        assert!(error.cause().is_local() && !error.is_refusal(), "{error}");
    }
}

/// A transport that panics.
#[derive(Debug)]
struct Panicking;

impl Transport for Panicking {
    fn send(&self, _: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(async { panic!("a defect") })
    }
}

#[tokio::test]
async fn panic_in_a_robots_txt_request_is_reported_as_a_panic() {
    let client = builder().transport(Panicking).build().unwrap();
    for _ in 0..2 {
        let error = client.fetch("http://127.0.0.1:8080/page").await.unwrap_err().to_string();
        assert!(error.contains("panicked") && !error.contains("shutting down"), "{error}");
        let error = client.decide("http://127.0.0.1:8080/page").await.unwrap_err().to_string();
        assert!(error.contains("panicked") && error.contains("a defect"), "{error}");
    }
}

#[tokio::test]
async fn local_failure_is_reported_as_failed_here() {
    let url = "http://127.0.0.1:8080/page";
    let exhausted = builder().transport(Exhausted { robots_too: true }).build().unwrap();
    let ignoring = builder().mode(Mode::Ignore).build().unwrap();
    let panicking = builder().transport(Panicking).build().unwrap();
    for (client, expected) in
        [(exhausted, "failed on the client's side"), (ignoring, "`ignore`"), (panicking, "panicked")]
    {
        let file = client.robots_txt(url).await.unwrap();
        assert_eq!((file.state(), file.status(), file.body()), ("failed_here", None, None), "{file:?}");
        assert!(file.reason().contains(expected), "{file:?}");
    }
}
