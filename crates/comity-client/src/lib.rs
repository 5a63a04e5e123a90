//! The polite HTTP client: it asks robots.txt, keeps its distance, and dials only what it may.

#![forbid(unsafe_code)]

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
pub mod guard;
#[cfg(feature = "tower")]
mod layer;
pub mod observe;
mod origin;
pub mod pace;
pub mod retrieval;
pub mod retry;
pub mod robots_cache;
mod seconds;
#[cfg(feature = "settings")]
pub mod settings;
pub mod store;
pub mod transport;

pub use client::{Admission, BuildError, Cause, Client, ClientBuilder, FetchError, FetchOptions};
pub use clock::{Clock, Moment, SystemClock, TokioClock};
pub use discovery::{Discovery, Found, WELL_KNOWN};
#[cfg(feature = "tower")]
pub use layer::{Addresses, LayerError, PolicyLayer, PolicyService};
pub use origin::Origin;

/// A future behind a pointer, as traits with `async` methods that are used as objects return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
