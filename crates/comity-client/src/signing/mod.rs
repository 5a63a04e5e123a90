//! Signs the requests of a client. So sites can distinguish them from requests of programs that only use the client's
//! name.
//!
//! Each request is signed right before it is sent. The signature covers the target of the request, the time and a
//! nonce. `comity-identity` defines the list of signed components. A site may require a signature and choose the nonce,
//! but it cannot choose the signed components.
//!
//! Without the feature `identity`, `without_identity.rs` replaces the signer.

#[cfg(feature = "identity")]
mod options;
#[cfg_attr(not(feature = "identity"), path = "without_identity.rs")]
mod signer;

#[cfg(feature = "identity")]
pub use options::{IdentityFileError, IdentityOptions, Sign, read_file};
pub(crate) use signer::{CannotSign, Challenge, SignatureFields, Signer};
