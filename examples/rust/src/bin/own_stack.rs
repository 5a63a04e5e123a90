//! Fetches URLs with another HTTP client, reqwest, behind the guard, robots.txt and the pace of Comity.
//!
//! ```sh
//! cargo run -p comity-examples --bin own_stack -- https://example.com/a https://example.com/b
//! ```
//!
//! Without URLs, it fetches from a small site that it serves on loopback.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use comity_client::{Client, PolicyLayer};
use http_body_util::BodyExt;
use reqwest::redirect::Policy;
use tower::{ServiceBuilder, ServiceExt};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let builder = Client::builder("ExampleBot").contact("https://example.com/bot");
    let mut urls: Vec<String> = std::env::args().skip(1).collect();
    let builder = if urls.is_empty() {
        let (site, builder) = comity_examples::local_site(builder).await?;
        urls = ["herons", "private/nests", "cranes"].map(|path| format!("{site}{path}")).into();
        builder
    } else {
        builder
    };
    let polite = builder.build()?;

    // The guard's resolver connects to checked addresses only. A redirect is another request, which is admitted separately.
    let http = reqwest::Client::builder()
        .dns_resolver(Arc::new(polite.guard().resolver()))
        .redirect(Policy::none())
        .no_proxy()
        .build()?;
    let stack = ServiceBuilder::new()
        .timeout(Duration::from_secs(600)) // waits included
        .layer(PolicyLayer::new(polite))
        .timeout(Duration::from_secs(30)) // of one request
        .service_fn(move |request: http::Request<reqwest::Body>| {
            let http = http.clone();
            async move { http.execute(request.try_into()?).await.map(http::Response::<reqwest::Body>::from) }
        });

    for url in urls {
        let request = http::Request::get(&url).body(reqwest::Body::default())?;
        match stack.clone().oneshot(request).await {
            Ok(response) => {
                let status = response.status();
                let body = response.into_body().collect().await?.to_bytes(); // then the next request may begin
                println!("{url}: {status}, {} bytes", body.len());
            }
            Err(error) => println!("{url}: {error}"),
        }
    }
    Ok(())
}
