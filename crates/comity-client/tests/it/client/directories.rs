//! Tests of key directories: which requests untrusted senders can cause. Also tests of the tower layers that sign and
//! verify.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::num::NonZeroU32;
use std::task::{Context, Poll};
use std::time::Duration;

use comity_client::comity_identity::{
    DirectoryError, Discovery, DiscoveryFailure, Identity, Outcome, Validity,
};
use comity_client::guard::Guard;
use comity_client::http::uri::Scheme;
use comity_client::identity::{
    DirectoryFetchError, DirectoryFetcher, FetchingVerifier, SignLayer, VerifyLayer,
};
use comity_client::{Cause, LayerError};
use http::{Request, Response};
use testkit::servers::{Origin, Reply};
use tower_layer::Layer;
use tower_service::Service;

use super::identity::{DIRECTORY, World, identity, key, publish};
use super::loopback;

fn keys_at(site: &Origin, path: &str) -> Discovery {
    Discovery::jwks_uri(&site.url(path)).unwrap()
}

#[tokio::test]
async fn keys_are_fetched_only_from_public_addresses_on_web_ports() {
    let world = World::new();
    let site = world.site();
    publish(&site, &identity(&site), std::time::SystemTime::now());
    let discovery = Discovery::directory(&site.url("")).unwrap();
    for (guard, why) in [(Guard::new(), "loopback"), (loopback(), "port")] {
        let fetcher = DirectoryFetcher::new(world.builder().guard(guard).build().unwrap());
        let error = fetcher.fetch(&discovery, "").await.unwrap_err();
        let is_guard =
            matches!(&error, DirectoryFetchError::Refused(cause) if matches!(**cause, Cause::Guard(_)));
        assert!(is_guard && error.to_string().contains(why), "{error}");
    }
    assert_eq!(site.requests().len(), 0);
    let fetched = world.fetcher([&site]).fetch(&discovery, "").await.unwrap();
    assert_eq!((fetched.status().as_u16(), fetched.read().unwrap().keys().len()), (200, 1));
    assert_eq!(site.requests().len(), 1, "robots.txt is not requested");
}

#[tokio::test]
async fn directory_must_be_small_with_200_and_without_redirect() {
    let world = World::new();
    let site = world.site();
    let good = identity(&site).directory(std::time::SystemTime::now()).to_json();
    let padded = |bytes: usize| format!("{good}{}", " ".repeat(bytes - good.len()));
    site.on("/good", Reply::ok(good.clone()));
    site.on("/full", Reply::ok(padded(64 * 1024)));
    site.on("/large", Reply::ok(padded(64 * 1024 + 1)));
    site.on("/endless", Reply::endless());
    site.on("/bomb", Reply::gzip_bomb(1 << 30));
    site.on("/moved", Reply::redirect(301, &site.url("/good")));
    site.on("/later", Reply::ok(good.clone()).with_status(203));
    let too_large = Some(DiscoveryFailure::Directory(DirectoryError::TooLarge));
    let fetcher = world.fetcher([&site]);
    for (path, failure) in [
        ("/good", None),
        ("/full", None),
        ("/large", too_large),
        ("/endless", too_large),
        ("/bomb", too_large),
        ("/moved", Some(DiscoveryFailure::Status(301))),
        ("/later", Some(DiscoveryFailure::Status(203))),
    ] {
        let fetched = fetcher.fetch(&keys_at(&site, path), "").await.unwrap();
        assert_eq!(fetched.read().err(), failure, "{path}");
        assert!(fetched.body().len() <= 64 * 1024 + 1);
    }
    assert_eq!(site.count("/good"), 1, "the redirect is not followed");
}

#[tokio::test]
async fn slow_directory_times_out() {
    let world = World::new();
    let site = world.site();
    site.on("/drip", Reply::slow_drip("x".repeat(1000), 1, Duration::from_millis(50)));
    site.on("/hang", Reply::hang());
    let fetcher = world.fetcher([&site]).timeout(Duration::from_millis(700));
    for path in ["/drip", "/hang"] {
        let error = fetcher.fetch(&keys_at(&site, path), "").await.unwrap_err();
        let DirectoryFetchError::Refused(cause) = &error else { panic!("{path}: {error}") };
        let Cause::Transport(failed) = &**cause else { panic!("{path}: {error}") };
        assert_eq!(failed.failure().as_str(), "timeout", "{path}: {error}");
    }
}

#[tokio::test]
async fn caller_over_its_limit_of_directories_is_refused() {
    let world = World::new();
    let site = world.site();
    let fetcher = world.fetcher([&site]).per_caller(NonZeroU32::new(2).unwrap());
    for path in ["/a", "/b"] {
        fetcher.fetch(&keys_at(&site, path), "one").await.unwrap();
    }
    let error = fetcher.fetch(&keys_at(&site, "/c"), "one").await.unwrap_err();
    assert!(matches!(error, DirectoryFetchError::TooManyForCaller), "{error}");
    fetcher.fetch(&keys_at(&site, "/c"), "two").await.unwrap();
    world.clock.pass_seconds(300);
    fetcher.fetch(&keys_at(&site, "/d"), "one").await.unwrap();
    assert_eq!(site.requests().len(), 4);
}

#[tokio::test]
async fn caller_over_its_limit_does_not_block_others() {
    let world = World::new();
    let site = world.site();
    let fetcher = world.fetcher([&site]).per_caller(NonZeroU32::MIN);
    let verifier = FetchingVerifier::new(fetcher);
    publish(&site, &identity(&site), std::time::SystemTime::now());
    let signed = |identity: &Identity| {
        let (mut parts, ()) = Request::get("https://example.com/").body(()).unwrap().into_parts();
        identity.sign_parts(&mut parts, None, std::time::SystemTime::now()).unwrap();
        parts
    };
    let at = |path: &str| Identity::new(keys_at(&site, path)).with_key(key(3), Validity::unbounded());
    let outcome = async |identity: &Identity, caller: &str| {
        let report = verifier.verify_parts(&signed(identity), "https", caller).await.unwrap();
        report.outcome().reason().unwrap_or(report.outcome().as_str())
    };
    assert_eq!(outcome(&at("/nothing"), "hasty").await, "no_directory");
    assert_eq!(outcome(&identity(&site), "hasty").await, "no_directory");
    assert_eq!(site.count(DIRECTORY), 0);
    assert_eq!(outcome(&identity(&site), "other").await, "verified");
    // Cached keys are shared by all callers.
    assert_eq!(outcome(&identity(&site), "hasty").await, "verified");
    assert_eq!(site.requests().len(), 2);
}

#[tokio::test]
async fn concurrent_requests_of_one_signer_fetch_its_keys_once() {
    let world = World::new();
    let site = world.site();
    publish(&site, &identity(&site), std::time::SystemTime::now());
    let verifier = world.verifier([&site]);
    let (mut parts, ()) = Request::get("https://example.com/").body(()).unwrap().into_parts();
    identity(&site).sign_parts(&mut parts, None, std::time::SystemTime::now()).unwrap();
    let judged = (0..50).map(|number| {
        let (verifier, parts) = (verifier.clone(), parts.clone());
        tokio::spawn(async move {
            let report = verifier.verify_parts(&parts, "https", &number.to_string()).await.unwrap();
            report.outcome().verified().is_some()
        })
    });
    for judged in judged.collect::<Vec<_>>() {
        assert!(judged.await.unwrap());
    }
    assert_eq!(site.requests().len(), 1);
}

/// A service that returns the received request. It serves as a server behind the verifying layer, and as an HTTP client
/// behind the signing layer.
#[derive(Clone)]
struct Echo;

impl Service<Request<()>> for Echo {
    type Response = Response<(Request<()>, Option<Outcome>)>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<()>) -> Self::Future {
        let outcome = request.extensions().get::<Outcome>().cloned();
        ready(Ok(Response::new((request, outcome))))
    }
}

#[tokio::test]
async fn request_signed_by_one_layer_is_verified_by_the_other() {
    let world = World::new();
    let publisher = world.site();
    let signer = identity(&publisher);
    publish(&publisher, &signer, std::time::SystemTime::now());
    let mut sender = SignLayer::new(signer.clone()).layer(Echo);
    let layer = VerifyLayer::new(world.verifier([&publisher]), Scheme::HTTPS);
    let mut server = layer.caller(|_| "127.0.0.1".to_owned()).layer(Echo);
    let mut outcome = async |request: Request<()>| {
        let (_, outcome) = server.call(request).await.unwrap().into_body();
        outcome.expect("every request has an outcome").to_string()
    };
    let mut signed = async |url: &str| {
        let request = Request::get(url).body(()).unwrap();
        sender.call(request).await.unwrap().into_body().0
    };
    let verified = format!("verified as {}", publisher.url(DIRECTORY));

    let request = signed("https://example.com/heron?a={b}").await;
    assert_eq!(outcome(request).await, verified);
    let request = signed("http://example.com/heron").await;
    assert!(request.headers().is_empty());
    assert_eq!(outcome(request).await, "not signed");
    let mut request = signed("https://example.com/heron").await;
    *request.uri_mut() = "https://example.com/other".parse().unwrap();
    assert!(outcome(request).await.starts_with("invalid because "));
    // This request has no host, neither in its target nor in the field `Host`.
    let mut request = signed("https://example.com/heron").await;
    *request.uri_mut() = "/heron".parse().unwrap();
    assert!(outcome(request).await.contains("no valid host or target"));

    let ended = Validity::unbounded().until(std::time::SystemTime::UNIX_EPOCH);
    let ended = Identity::new(signer.discovery().clone()).with_key(key(1), ended);
    let request = Request::get("https://example.com/").body(()).unwrap();
    let error = SignLayer::new(ended).layer(Echo).call(request).await.unwrap_err();
    assert!(matches!(&error, LayerError::Refused(cause) if cause.is_local()), "{error}");
}
