//! Signs the requests of a client. So sites can distinguish them from requests of programs that only use the client's
//! name.
//!
//! Each request is signed right before it is sent. The signature covers the target of the request, the time and a
//! nonce. `comity-identity` defines the list of signed components. A site may require a signature and choose the nonce,
//! but it cannot choose the signed components.

mod options;
mod signer;

pub use options::{IdentityFileError, IdentityOptions, Sign, read_file};
pub(crate) use signer::{CannotSign, Signer, Target};
