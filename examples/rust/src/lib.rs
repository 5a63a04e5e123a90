//! A small site on loopback, for runs of the examples without the Internet.

use std::error::Error;
use std::time::Duration;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use comity_client::guard::Guard;
use comity_client::{ClientBuilder, PaceOptions};
use tokio::net::TcpListener;

/// Starts the site, and lets a client fetch it: the guard refuses loopback, and the default interval between two
/// requests is a second. Returns the URL of the site and the builder of the client.
///
/// # Errors
///
/// Returns an error if no socket can be opened.
pub async fn local_site(builder: ClientBuilder) -> Result<(String, ClientBuilder), Box<dyn Error>> {
    let page = |html: &'static str| get(move || async move { Html(html) });
    let site = Router::new()
        .route("/robots.txt", get(|| async { "User-agent: *\nDisallow: /private/\n" }))
        .route("/", page("<title>Birds</title><a href=/herons>Herons</a> <a href=/private/nests>Nests</a>"))
        .route(
            "/herons",
            page("<title>Herons</title><a href=/herons/grey>Grey heron</a> <a href=/cranes>Cranes</a>"),
        )
        .route(
            "/herons/grey",
            page("<title>Grey heron</title><a href=/herons/grey/young>Young</a> <a href=/>Birds</a>"),
        )
        .route("/herons/grey/young", page("<title>Young herons</title>"));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, site).await });

    let guard = Guard::new().allow_address("127.0.0.0/8".parse()?);
    let pace = PaceOptions::default().min_interval(Duration::from_millis(50));
    Ok((url, builder.guard(guard).pace(pace)))
}
