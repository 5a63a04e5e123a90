//! Key directories: files on web sites with the public keys of HTTP message signatures. They are fetched through the
//! guard, cached, and used to verify requests.
//!
//! The sender of a request names the directory, so untrusted parties choose the fetched URLs. Therefore only `https` on
//! web ports at public addresses is allowed, with the guard's exceptions. Fetches are paced, limited in size, and
//! follow no redirects. The number of new directories per caller is limited.

mod callers;
mod fetcher;
mod verifier;

pub use fetcher::{DirectoryFetchError, DirectoryFetcher, FetchedDirectory};
pub use verifier::FetchingVerifier;
