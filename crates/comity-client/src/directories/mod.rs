//! Directories of keys, live: fetched behind the guard, kept, and used to verify requests.
//!
//! Whoever sends a request names the directory, so strangers choose what is fetched. Therefore it is `https` alone, on the
//! web's ports, at public addresses, paced and small, through no redirect, and each caller can make this program ask for so
//! many new directories only.

mod callers;
mod fetcher;
mod verifier;

pub use fetcher::{DirectoryFetchError, DirectoryFetcher, FetchedDirectory};
pub use verifier::FetchingVerifier;
