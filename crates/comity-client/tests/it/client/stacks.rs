//! The documented stacks of other HTTP clients compile and work.

use std::time::Duration;

use comity_client::pace::PaceOptions;
use comity_client::{Admission, Client, LayerError, PolicyLayer};
use http_body_util::BodyExt;
use reqwest::ResponseBuilderExt as _;
use reqwest_middleware::{ClientWithMiddleware, Middleware, Next};
use tower::retry::Policy;
use tower::{ServiceBuilder, ServiceExt};

use super::held::{Echo, polite, request};
use super::{loopback, site};

/// A policy that repeats a failed request up to three times.
#[derive(Clone, Debug)]
struct ThreeTimes(u32);

impl<P, E> Policy<http::Request<()>, P, E> for ThreeTimes {
    type Future = std::future::Ready<()>;

    fn retry(&mut self, _: &mut http::Request<()>, result: &mut Result<P, E>) -> Option<Self::Future> {
        self.0 = self.0.checked_sub(1)?;
        result.is_err().then(|| std::future::ready(()))
    }

    fn clone_request(&mut self, request: &http::Request<()>) -> Option<http::Request<()>> {
        Some(request.clone())
    }
}

#[tokio::test(start_paused = true)]
async fn tower_layers_outside_and_inside_of_the_policy_compile() {
    let service = ServiceBuilder::new()
        .buffer(8)
        .timeout(Duration::from_secs(600))
        .retry(ThreeTimes(3))
        .layer(PolicyLayer::new(polite()))
        .timeout(Duration::from_secs(30))
        .service(Echo);
    let response = service.clone().oneshot(request("/page")).await.unwrap();
    assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "ExampleBot Comity/0.1.0");
    let refused =
        service.oneshot(http::Request::get("http://10.0.0.1/").body(()).unwrap()).await.unwrap_err();
    let cause = refused.downcast_ref::<LayerError>();
    assert!(matches!(cause, Some(LayerError::Refused(_))), "{refused}");
}

/// A middleware of reqwest-middleware that admits each request.
#[derive(Debug)]
struct Polite(Client);

#[async_trait::async_trait]
impl Middleware for Polite {
    async fn handle(
        &self,
        request: reqwest::Request,
        extensions: &mut http::Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<reqwest::Response> {
        let failed = reqwest_middleware::Error::middleware::<comity_client::Cause>;
        let mut admission: Admission = self.0.admit(request.url(), None).await.map_err(failed)?;
        let response = next.run(request, extensions).await?;
        admission.answered(response.status(), response.headers()).await.map_err(failed)?;
        let (with_url, ()) =
            http::Response::builder().url(response.url().clone()).body(()).unwrap().into_parts();
        let mut response = http::Response::<reqwest::Body>::from(response);
        response.extensions_mut().extend(with_url.extensions);
        let held = move |frame| {
            let _: &Admission = &admission;
            frame
        };
        Ok(response.map(|body| reqwest::Body::wrap(body.map_frame(held))).into())
    }
}

fn reqwest_through(polite: &Client) -> ClientWithMiddleware {
    let stack = reqwest::Client::builder()
        .dns_resolver(std::sync::Arc::new(polite.guard().resolver()))
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .user_agent(polite.user_agent())
        .build()
        .unwrap();
    reqwest_middleware::ClientBuilder::new(stack).with(Polite(polite.clone())).build()
}

#[tokio::test]
async fn middleware_of_reqwest_admits_each_request() {
    let site = site("User-agent: *\nDisallow: /private\n");
    let polite = super::builder().guard(loopback()).build().unwrap();
    let client = reqwest_through(&polite);
    for _ in 0..2 {
        let page = client.get(site.url("/page")).send().await.unwrap().text().await.unwrap();
        assert!(page.contains("Hello"), "{page}");
    }
    assert!(client.get(site.url("/private")).send().await.is_err());
    assert_eq!(site.count("/private"), 0);
    assert!(
        site.requests_for("/page")[0].header("user-agent").is_some_and(|name| name.contains("ExampleBot"))
    );
}

#[tokio::test]
async fn middleware_of_reqwest_holds_the_permit_until_the_body_is_dropped() {
    let site = site("");
    let pace = PaceOptions::default().min_interval(Duration::ZERO);
    let polite = super::builder().guard(loopback()).pace(pace).build().unwrap();
    let url = site.url("/page");
    let response = reqwest_through(&polite).get(&url).send().await.unwrap();
    assert_eq!(response.url().as_str(), url);
    let body = reqwest::Body::from(response);
    assert!(polite.admit(&url, Some(Duration::ZERO)).await.is_err(), "the permit was released early");
    drop(body);
    assert!(polite.admit(&url, None).await.is_ok());
}
