//! The polite HTTP client. It respects robots.txt, limits its pace, and dials only checked addresses.
//!
//! Every request goes through the same steps: the guard against addresses that are not public, the circuit breaker,
//! robots.txt under a preset, and the pace of its origin. The record of the page has the result of each step.
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
//! | task | API |
//! |---|---|
//! | fetch pages | [`Client::fetch`], [`Client::fetch_many`] and [`Client::fetch_stream`] |
//! | check URLs without fetching | [`Client::decide`], [`Client::crawl_delay`], [`Client::robots`] |
//! | admit requests of another HTTP stack | [`Client::admit`], and [`PolicyLayer`] for tower |
//! | admit requests of other programs | [`Client::reserve`], [`Client::report`] |
//! | use the client without async | [`blocking::Client`] |
//! | list the URLs in a site's sitemaps | [`Client::discover`] |
//! | share robots.txt answers and the pace with other processes | the stores in [`store`] |
//! | identify a crawler by the name of its address | `ReverseDns`, with the feature `dns` |
//! | read all options from a document | [`settings`], [`Client::with_settings`] |
//! | count and trace | [`observe`] |
//! | sign requests, and verify those of others | [`ClientBuilder::identity`], [`identity`] |
//! | shut down gracefully | [`Client::drain`] |
//! | test a program without sockets | `testing`, with the feature of that name |
//!
//! # Features
//!
//! | feature | brings |
//! |---|---|
//! | `http` (default) | the transport: hyper and rustls |
//! | `ring` (default) | ring for the cryptography of TLS |
//! | `aws-lc` | AWS-LC for the cryptography of TLS, if `ring` is off |
//! | `embedded` (default) | the store in a file, SQLite |
//! | `redis` | the store in Redis or Valkey |
//! | `blocking` | the client without async |
//! | `dns` | a resolver that queries given name servers; reverse DNS |
//! | `tower` | the steps, signing and verifying as layers; the guard as a resolver of hyper's connector |
//! | `reqwest` | the guard as a resolver of reqwest |
//! | `testing` | a fake transport and a fake resolver: `testing`; the checks that every store must pass: `store::conformance` |
//!
//! The client prefers a provider of cryptography that the program installed for the whole process
//! (`rustls::crypto::CryptoProvider::install_default`) to those of `ring` and `aws-lc`. If other crates of the program
//! bring AWS-LC, as reqwest does, `default-features = false` with the features `http` and `aws-lc` avoids a second
//! provider.

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
mod directories;
mod discovery;
mod draining;
mod gate;
pub mod guard;
mod job;
#[cfg(feature = "tower")]
mod layer;
pub mod observe;
mod options;
mod origin;
pub mod pace;
mod remedy;
pub mod retrieval;
pub mod retry;
#[cfg(feature = "dns")]
mod reverse_dns;
mod rfc3339;
pub mod robots_cache;
mod seconds;
mod setters;
mod setting;
pub mod settings;
#[cfg(feature = "tower")]
mod sign_layer;
mod signing;
pub mod store;
#[cfg(feature = "testing")]
pub mod testing;
pub mod transport;
#[cfg(feature = "tower")]
mod verify_layer;

/// Signed requests: signing and verification ([`comity_identity`]).
///
/// [`ClientBuilder::identity`] makes a client sign. A [`FetchingVerifier`](identity::FetchingVerifier) verifies the
/// requests that a server receives; it fetches missing keys.
pub mod identity {
    pub use crate::directories::{DirectoryFetchError, DirectoryFetcher, FetchedDirectory, FetchingVerifier};
    #[cfg(feature = "tower")]
    pub use crate::sign_layer::{SignLayer, SignService};
    pub use crate::signing::{IdentityFileError, IdentityOptions, Sign, read_file};
    #[cfg(feature = "tower")]
    pub use crate::verify_layer::{VerifyLayer, VerifyService};
}

pub use client::{Admission, Cause, Client, ClientBuilder, FetchError, Reservation};
pub use clock::{Clock, Moment, SystemClock, TokioClock};
pub use discovery::{Discovery, DiscoveryStep, WELL_KNOWN};
#[cfg(feature = "tower")]
pub use layer::{Addresses, LayerError, PolicyLayer, PolicyService};
pub use options::{AgentOptions, ClientBuildError, FetchOptions, HeaderField};
pub use origin::{Origin, OriginError};
pub use remedy::Remedy;
#[cfg(feature = "dns")]
pub use reverse_dns::ReverseDns;
pub use {bytes, comity, comity_identity, http, url};

/// A boxed future: the return type of asynchronous methods in traits that are used as `dyn` objects.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
