//! Serves Comity's routes below `/comity`, next to the routes of the program.
//!
//! ```sh
//! cargo run -p comity-examples --bin service -- 127.0.0.1:7273
//! curl -s http://127.0.0.1:7273/comity/v1/check -H 'Content-Type: application/json' \
//!     -d '{"robots": "User-agent: *\nDisallow: /private", "agents": ["GPTBot"], "urls": ["/private/x"]}'
//! ```

use std::error::Error;
use std::net::SocketAddr;

use axum::Router;
use axum::routing::get;
use comity_client::Client;
use comity_serve::{Service, ServiceOptions};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let client = Client::builder("ExampleBot").contact("https://example.com/bot").on_web_ports().build()?;
    let options = ServiceOptions::default().names(vec!["localhost".to_owned()]);
    let app = Router::new()
        .route("/", get(|| async { "This program decides URLs below /comity.\n" }))
        .nest_service("/comity", Service::new(client.clone(), options).into_router());

    let listener = TcpListener::bind(&address).await?;
    println!("http://{}", listener.local_addr()?);
    // The addresses of callers are needed for their limits.
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>())
        .with_graceful_shutdown(async { drop(tokio::signal::ctrl_c().await) })
        .await?;
    client.drain().await;
    Ok(())
}
