//! A polite HTTP client. It respects robots.txt, limits the rate of its requests, and connects only to checked
//! addresses.
//!
//! Every fetch of a page passes the same four steps. The guard refuses addresses that are not public. The circuit
//! breaker rejects requests to an origin that keeps failing. robots.txt is evaluated under a preset, a named set of
//! policies. The pace keeps the interval to the previous request to the origin. The record of the page contains the
//! decision of robots.txt and all waits and attempts.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use comity_client::{Client, EmbeddedStore, FetchOptions, PaceOptions};
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
//! | send other methods, read bodies in chunks | [`Client::request`], [`PageStream`] |
//! | read the title and the links of a page | [`Page::facts`] |
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
//! | feature | adds |
//! |---|---|
//! | `http` (default) | the transport: hyper and rustls |
//! | `ring` (default) | ring for the cryptography of TLS |
//! | `embedded` (default) | the store in a file, SQLite |
//! | `identity` (default) | signed requests: signing, and verification of the requests of others |
//! | `page` (default) | page directives, usage preferences and refusals, in the record of a page |
//! | `llms` (default) | better forms of a page that llms.txt lists |
//! | `sitemaps` (default) | walks over the sitemaps of a site |
//! | `redis` | the store in Redis or Valkey |
//! | `blocking` | the client without async |
//! | `dns` | a resolver that queries given name servers; reverse DNS |
//! | `tower` | `tower` layers that run the steps, sign requests and verify requests; the guard as a resolver of hyper's connector |
//! | `reqwest` | the guard as a resolver of reqwest |
//! | `testing` | the module `testing` with a fake transport and a fake resolver; the module `store::conformance` with the checks that every store must pass |
//! | `schema` | JSON Schemas of records |
//!
//! Without default features, the client depends on fewer than 90 crates. It runs guard, circuit breaker, robots.txt,
//! pace and fetch with a [`Transport`](transport::Transport) of the program, and reads the title, the links and the
//! text of pages.
//!
//! The program may install a cryptography provider for the whole process
//! (`rustls::crypto::CryptoProvider::install_default`). The client prefers it to `ring`. If other crates of the program
//! depend on AWS-LC, as reqwest does, disable the default feature `ring` and install the provider of AWS-LC. Then the
//! program contains only one provider.
//
// # Modules
//
// | path in `src/` | content |
// |---|---|
// | `client/steps.rs` | the order of the steps, shared by fetches, admissions and reservations |
// | `client/pipeline.rs`, `client/answer.rs` | one fetch: redirects and retries; the body and its limits |
// | `client/{request,sent_request,page_stream}.rs` | requests with any method; bodies in chunks |
// | `client/held_turn.rs` | time limit of turns that the program holds |
// | `client/{identity,signed}.rs` | the identity of a client |
// | `{client,signing,robots_cache}/without_*.rs` | replace a file if its feature is off |
// | `client/builder.rs`, `settings/` | builds clients from settings; all settings as one document |
// | `client/error.rs`, `remedy.rs` | refusals and failures; the setting that would allow a refused request |
// | `client/admission.rs`, `client/reservation.rs` | requests of other HTTP stacks, and of other programs |
// | `client/alternatives.rs` | better forms of a page that llms.txt lists |
// | `client/directory.rs` | requests for key directories |
// | `setting/` | the macro `section!`, which declares names, type, default and documentation of a setting |
// | `options.rs`, `{guard,robots_cache,transport,pace,store,signing}/options.rs`, `retry.rs`, `breaker/` | the sections of settings |
// | `guard/` | decides which URLs may be requested and which addresses may be dialled |
// | `breaker/`, `retry.rs` | origins that keep failing; repeated attempts |
// | `robots_cache/mod.rs`, `gate.rs` | single flight within a process and leases across processes |
// | `robots_cache/{cached,history,fetch,targets,others}.rs` | memory, stored answers and their replay, requests, redirects, policies for other crawlers |
// | `robots_cache/{lease_guard,usage_cache}.rs` | leases of cancelled fetches; parsed usage preferences |
// | `store/` | the state that processes and machines share |
// | `pace/` | decides when the next request to an origin may begin |
// | `crawl/`, `job/` | the queue of a crawl; permits for active fetches |
// | `transport/http_transport.rs` | sends one hop; `connect.rs`, `tls.rs`, `proxy.rs` open connections, `pool.rs` keeps idle ones |
// | `transport/{traffic,departure}.rs` | the traffic on a connection, and the time at which a request is sent |
// | `transport/body.rs`, `transport/coding/` | reads and decodes bodies, with a file for each coding |
// | `transport/failure.rs` | classifies errors |
// | `descriptors.rs` | limits open sockets |
// | `retrieval/` | pages, their records (`record.rs`, `content.rs`), terms of use (`terms.rs`), and Markdown (`markdown.rs`) |
// | `signing/`, `directories/` | signs requests; fetches the keys of other clients and verifies their requests |
// | `discovery.rs` | reads the sitemaps of a site |
// | `draining.rs` | shutdown: finishes the requests in flight and rejects new ones |
// | `layer.rs`, `sign_layer.rs`, `verify_layer.rs`, `guard/guarded_resolver.rs`, `blocking.rs` | support for other HTTP stacks, and for programs without async |
// | `observe.rs` | events and counters |
// | `reverse_dns.rs` | finds the confirmed names of addresses |
// | `testing/` | fakes for tests of programs that use the client |
//!
//! `docs/design/threat-model.md` lists possible attacks of hostile sites, name servers, proxies and programs on the
//! same machine, and the effects of wrong clocks.

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
#[cfg(any(feature = "http", feature = "redis"))]
mod crypto;
mod descriptors;
#[cfg(feature = "identity")]
mod directories;
#[cfg(feature = "sitemaps")]
mod discovery;
mod draining;
mod gate;
pub mod guard;
mod job;
#[cfg(feature = "tower")]
mod layer;
mod lock;
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
mod runtime;
mod seconds;
mod setting;
pub mod settings;
#[cfg(all(feature = "identity", feature = "tower"))]
mod sign_layer;
mod signing;
pub mod store;
#[cfg(feature = "testing")]
pub mod testing;
pub mod transport;
#[cfg(all(feature = "identity", feature = "tower"))]
mod verify_layer;

/// Signed requests: signing and verification ([`comity_identity`]).
///
/// A client signs its requests if [`ClientBuilder::identity`] is set. A
/// [`FetchingVerifier`](identity::FetchingVerifier) verifies the requests that a server receives, and fetches missing
/// keys.
#[cfg(feature = "identity")]
pub mod identity {
    pub use crate::directories::{DirectoryFetchError, DirectoryFetcher, FetchedDirectory, FetchingVerifier};
    #[cfg(feature = "tower")]
    pub use crate::sign_layer::{SignLayer, SignService};
    pub use crate::signing::{IdentityFileError, IdentityOptions, Sign, read_file};
    #[cfg(feature = "tower")]
    pub use crate::verify_layer::{VerifyLayer, VerifyService};
}

pub use client::{
    Admission, Cause, Client, ClientBuilder, FetchError, PageRequest, PageStream, Reservation,
    RobotsUnreachable,
};
pub use clock::{Clock, Moment, SystemClock, TokioClock};
#[cfg(feature = "identity")]
pub use comity_identity;
#[doc(no_inline)]
pub use crawl::{Crawl, CrawlOptions, Fetched};
#[cfg(feature = "sitemaps")]
pub use discovery::{Discovery, DiscoveryStep, WELL_KNOWN};
#[doc(no_inline)]
pub use guard::Guard;
#[cfg(feature = "tower")]
pub use layer::{Addresses, LayerError, PolicyBody, PolicyLayer, PolicyService};
pub use options::{AgentOptions, ClientBuildError, EarlierAnswers, FetchOptions, HeaderField};
pub use origin::{Origin, OriginError};
#[doc(no_inline)]
pub use pace::PaceOptions;
pub use remedy::Remedy;
#[doc(no_inline)]
pub use retrieval::{FetchOutcome, FetchRecord, Page};
#[doc(no_inline)]
pub use retry::RetryOptions;
#[cfg(feature = "dns")]
pub use reverse_dns::ReverseDns;
#[doc(no_inline)]
pub use robots_cache::{RobotsFile, RobotsOptions};
#[cfg(feature = "embedded")]
#[doc(no_inline)]
pub use store::EmbeddedStore;
#[doc(no_inline)]
pub use store::MemoryStore;
#[cfg(feature = "redis")]
#[doc(no_inline)]
pub use store::RedisStore;
#[doc(no_inline)]
pub use transport::NetworkOptions;
pub use {bytes, comity, http, ipnet, url};

/// A boxed future: the return type of asynchronous methods in traits that are used as `dyn` objects.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The program of the package's README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
