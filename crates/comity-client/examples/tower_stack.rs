//! Requests of reqwest through the `tower` layer of this crate, which runs guard, robots.txt and pace before each
//! request.
//!
//! ```sh
//! cargo run --example tower_stack --features tower,reqwest -- http://example.com/
//! ```

#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use std::sync::Arc;

use comity_client::{Client, PolicyLayer};
use tower_layer::Layer;
use tower_service::Service;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::builder("ExampleBot").contact("https://example.com/bot").build()?;
    for url in std::env::args().skip(1) {
        match get(&client, &url).await {
            Ok(answer) => println!("{answer}"),
            Err(error) => println!("--- {url} {error}"),
        }
    }
    Ok(())
}

/// Fetches a URL through the layer. Returns the status code and the length of the body.
pub async fn get(client: &Client, url: &str) -> Result<String, Box<dyn Error>> {
    // This client resolves names through the guard, follows no redirects, and uses no proxy. The layer adds the
    // User-Agent.
    let stack = reqwest::Client::builder()
        .dns_resolver(Arc::new(client.guard().resolver()))
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()?;
    let mut service = PolicyLayer::new(client.clone()).layer(Reqwest(stack));
    let response = service.call(http::Request::get(url).body(reqwest::Body::default())?).await?;
    let status = response.status();
    let body = reqwest::Response::from(response.map(reqwest::Body::wrap)).bytes().await?;
    Ok(format!("{} {} bytes", status.as_u16(), body.len()))
}

/// A reqwest client as a `tower` service for the types of the crate `http`.
#[derive(Clone)]
struct Reqwest(reqwest::Client);

impl Service<http::Request<reqwest::Body>> for Reqwest {
    type Response = http::Response<reqwest::Body>;
    type Error = reqwest::Error;
    type Future = comity_client::BoxFuture<'static, Result<Self::Response, reqwest::Error>>;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), reqwest::Error>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<reqwest::Body>) -> Self::Future {
        let client = self.0.clone();
        Box::pin(async move { Ok(client.execute(request.try_into()?).await?.into()) })
    }
}
