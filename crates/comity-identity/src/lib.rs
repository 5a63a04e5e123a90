//! Signatures of requests (Web Bot Auth), by which a site distinguishes a polite client from an impostor who uses the client's
//! name.
//!
//! A client signs each request with its key, and states the address at which it publishes the public key. A site fetches
//! and caches the key, and then verifies requests without a fetch. The standards are draft-ietf-webbotauth-httpsig-protocol-00 of
//! September 2026 ("the draft" below) and RFC 9421, HTTP Message Signatures.
//!
//! The crate is pure: bytes, facts and a time go in, and a signature or an outcome comes out. It has no network, no clock and no
//! random source; [`PrivateKey::from_random`] takes random bytes, and [`Directories`] takes answers that the caller fetched.
//!
//! ```
//! use std::time::{Duration, SystemTime};
//!
//! use comity::http::Headers;
//! use comity_identity::{
//!     Directories, DirectoryAnswer, Discovery, Identity, MEDIA_TYPE, PrivateKey, Request, Validity, Verifier,
//! };
//!
//! let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
//! let headers = Headers::new();
//!
//! // The client: a key, the address of its directory, and a request.
//! let random = [7; 32]; // a program fills it: `getrandom::fill(&mut random)?`
//! let discovery = Discovery::directory("https://bot.example")?;
//! let identity = Identity::new(discovery.clone()).with_key(PrivateKey::from_random(&random), Validity::unbounded());
//! let signed = identity.sign(&Request::new("GET", &"https://example.com/heron".parse()?, &headers), now)?;
//!
//! // The directory, which the client publishes and the site fetches.
//! let directory = identity.directory(now).to_json();
//! let fields: Headers = [("Content-Type", MEDIA_TYPE)].into_iter().collect();
//! let mut directories = Directories::new();
//! let answer =
//!     DirectoryAnswer { url: discovery.url(), status: 200, headers: &fields, body: directory.as_bytes() };
//! directories.take(&discovery, &answer, now)?;
//!
//! // The site.
//! let received: Headers = signed.iter().collect();
//! let request = Request::received("GET", "https", "example.com", "/heron", &received)?;
//! let report = Verifier::new().verify(&request, &directories, now);
//! assert_eq!(
//!     report.outcome().to_string(),
//!     "verified as https://bot.example/.well-known/http-message-signatures-directory"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Meaning of a verified request
//!
//! A verified request was signed by a holder of a key, and the identifier of the request is the address at which this key is
//! published. The verification does not show who the holder is, that the request was not replayed by an eavesdropper
//! ([`Verified::nonce`]), or that its body was not changed ([`content_digest_matches`]). An unsigned request shows nothing
//! about its sender.
//!
// # Modules
//
// | module | content |
// |---|---|
// | `fields`, `time` | structured fields, and times in seconds |
// | `message`, `component`, `base` | the facts of a message, their names in RFC 9421, and the text that is signed |
// | `key`, `agent`, `directory` | keys, addresses of keys, and directories |
// | `protocol`, `signature`, `outcome` | the constants of the protocol, one signature, and the outcome of verifying it |
// | `challenge`, `identity`, `proof`, `digest` | signing requests and directories, and answering challenges of sites |
// | `directories`, `verify` | verifying |
// | `review` | checks of a served directory, for its operator |
// | `http_types` | support for requests of the crate `http` (feature `http`) |
//
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `http` | signing and verifying requests of the crate `http` |

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod agent;
mod base;
mod challenge;
mod component;
mod digest;
mod directories;
mod directory;
mod fields;
#[cfg(feature = "http")]
mod http_types;
mod identity;
mod key;
mod message;
mod outcome;
mod proof;
mod protocol;
mod review;
mod signature;
mod time;
mod verify;

pub use agent::{Discovery, DiscoveryError, DiscoveryType, Revision, WELL_KNOWN_PATH};
pub use challenge::Challenge;
pub use digest::content_digest_matches;
pub use directories::{Directories, DirectoryAnswer, DiscoveryFailure};
pub use directory::{
    Directory, DirectoryError, KeyFault, MAX_DIRECTORY_BYTES, MAX_KEYS, MEDIA_TYPE, PublishedKey,
};
#[cfg(feature = "http")]
pub use http_types::headers_of;
pub use identity::{Identity, IdentityError, ReadIdentityError, SignError, SignatureFields};
pub use key::{KeyError, PrivateKey, PublicKey, Thumbprint, Validity};
pub use message::{MalformedRequest, Request};
pub use outcome::{Invalid, Outcome, Unverified, Verified};
pub use proof::DirectoryProof;
pub use review::{DirectoryFinding, Flaw, Review};
pub use verify::{Report, Verifier};

/// The program of the package's README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
