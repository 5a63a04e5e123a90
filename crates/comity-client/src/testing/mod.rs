//! Fakes for tests of programs that use a [`Client`](crate::Client): a transport and a resolver without sockets.
//!
//! With [`TokioClock`](crate::TokioClock) and tokio's paused time, a test of a whole crawl does not wait in real time.
//! The client uses its real guard, robots.txt cache, pace and retries.
//!
//! ```
//! use std::time::{Duration, SystemTime};
//!
//! use comity_client::guard::Guard;
//! use comity_client::testing::{FakeReply, FakeResolver, FakeTransport};
//! use comity_client::{Client, TokioClock};
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let web = FakeTransport::new();
//! // A robots.txt that fails first, a redirect, and a slow page.
//! web.on("https://a.example/robots.txt", FakeReply::status(503).then(FakeReply::text("User-agent: *\nAllow: /\n")));
//! web.on("https://a.example/old", FakeReply::redirect(301, "/new"));
//! web.on("https://a.example/new", FakeReply::html("<p>Moved.</p>").after(Duration::from_secs(3)));
//! web.on("https://b.example/robots.txt", FakeReply::text("User-agent: *\nDisallow: /private\n"));
//!
//! let client = Client::builder("ExampleBot")
//!     .guard(Guard::new().with_resolver(FakeResolver::new()))
//!     .transport(web.clone())
//!     .clock(TokioClock::starting_at(SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)))
//!     .build()?;
//!
//! // While robots.txt answers with 503, no page may be fetched.
//! assert!(client.fetch("https://a.example/old").await.is_err());
//! // A day later, robots.txt is requested again.
//! tokio::time::sleep(Duration::from_secs(86_400)).await;
//! let page = client.fetch("https://a.example/old").await?;
//! assert_eq!((page.text().as_str(), page.record().hops.len()), ("<p>Moved.</p>", 2));
//! assert!(client.fetch("https://b.example/private").await.is_err());
//!
//! assert_eq!(web.count("https://a.example/robots.txt"), 2);
//! assert_eq!(web.count("https://b.example/private"), 0);
//! // The second request to an origin begins a second after the first.
//! let [old, new] = [web.times("https://a.example/old"), web.times("https://a.example/new")];
//! assert!(new[0] - old[0] >= Duration::from_secs(1));
//! # Ok(())
//! # }
//! ```
//!
//! The checks for stores are in [`store::conformance`](crate::store::conformance).

mod reply;
mod resolver;
mod transport;

pub use reply::{FakeReplies, FakeReply};
pub use resolver::FakeResolver;
pub use transport::{FakeRequest, FakeTransport};
