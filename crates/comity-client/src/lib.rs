//! The polite HTTP client: it asks robots.txt, keeps its distance, and dials only what it may.
//!
//! A request goes through the same steps, whoever sends it: the guard against addresses that are not public, the circuit
//! breaker, robots.txt under a preset, and the pace of its origin. What came of each stands in the record of the page.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use comity_client::pace::PaceOptions;
//! use comity_client::store::EmbeddedStore;
//! use comity_client::{Client, FetchOptions};
//!
//! # async fn crawl() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::builder("ExampleBot")
//!     .contact("https://example.com/bot")
//!     .store(EmbeddedStore::open("robots.db")?)
//!     .pace(PaceOptions::default().min_interval(Duration::from_secs(2)))
//!     .fetch(FetchOptions::default().max_bytes(1 << 20))
//!     .build()?;
//! let page = client.fetch("https://example.com/").await?;
//! println!("{} {} bytes", page.status(), page.body().len());
//! for warning in &page.record().warnings {
//!     println!("{}: {}", warning.name, warning.message);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | to | there is |
//! |---|---|
//! | fetch pages | [`Client::fetch`], [`Client::fetch_many`] and [`Client::fetch_stream`] |
//! | only ask what is allowed | [`Client::decide`], [`Client::crawl_delay`], [`Client::robots`] |
//! | send with another HTTP stack | [`Client::admit`], and [`PolicyLayer`] for tower |
//! | do without async | [`blocking::Client`] |
//! | find what a site lists | [`Client::discover`] |
//! | share answers and the pace with other processes | the stores in [`store`] |
//! | read all options from a document | [`settings`], [`Client::with_settings`] |
//! | count and trace | [`observe`] |
//! | end in good order | [`Client::drain`] |
//!
//! # Features
//!
//! | feature | brings |
//! |---|---|
//! | `http` (default) | the transport: hyper and rustls |
//! | `ring` (default) | ring for the cryptography of TLS |
//! | `aws-lc` | AWS-LC for it, where `ring` is off |
//! | `embedded` (default) | the store in a file, SQLite |
//! | `redis` | the store in Redis or Valkey |
//! | `blocking` | the client without async |
//! | `dns` | a resolver that asks given name servers |
//! | `tower` | the steps as a layer; the guard as a resolver of hyper's connector |
//! | `reqwest` | the guard as a resolver of reqwest |
//! | `testing` | the checks that every store has to pass: `store::conformance` |
//!
//! A provider of cryptography that the program installed for the whole process
//! (`rustls::crypto::CryptoProvider::install_default`) goes before `ring` and `aws-lc`. A program whose other crates bring
//! AWS-LC, as reqwest does, can do without a second one: `default-features = false`, and the features `http` and `aws-lc`.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

use std::future::Future;
use std::pin::Pin;

#[cfg(feature = "blocking")]
pub mod blocking;
pub mod breaker;
mod client;
mod clock;
pub mod crawl;
mod descriptors;
mod discovery;
mod draining;
pub mod guard;
mod job;
#[cfg(feature = "tower")]
mod layer;
pub mod observe;
mod options;
mod origin;
pub mod pace;
pub mod retrieval;
pub mod retry;
mod rfc3339;
pub mod robots_cache;
mod seconds;
mod setters;
mod setting;
pub mod settings;
pub mod store;
pub mod transport;

pub use client::{Admission, Cause, Client, ClientBuilder, FetchError};
pub use clock::{Clock, Moment, SystemClock, TokioClock};
pub use discovery::{Discovery, Found, WELL_KNOWN};
#[cfg(feature = "tower")]
pub use layer::{Addresses, LayerError, PolicyLayer, PolicyService};
pub use options::{AgentOptions, BuildError, FetchOptions, Field};
pub use origin::{Origin, OriginError};
pub use {bytes, comity, http, url};

/// A future behind a pointer, as traits with `async` methods that are used as objects return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
