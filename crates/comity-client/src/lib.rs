//! The polite HTTP client: it asks robots.txt, keeps its distance, and dials only what it may.

#![forbid(unsafe_code)]

use std::future::Future;
use std::pin::Pin;

pub mod breaker;
mod clock;
pub mod guard;
mod origin;
pub mod pace;
pub mod retry;
mod seconds;
pub mod store;
pub mod transport;

pub use clock::{Clock, SystemClock, TokioClock};
pub use origin::Origin;

/// A future behind a pointer, as traits with `async` methods that are used as objects return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
