//! Signs the requests of a client, so that sites can distinguish them from requests that imitate its name.
//!
//! Every request gets its own signature right before it is sent, with its own target, time and nonce. The signed
//! components are the fixed list of `comity-identity`. A site may require a signature and choose the nonce; it cannot
//! choose the signed components.

mod options;
mod signer;

pub use options::{IdentityFileError, IdentityOptions, Sign, read_file};
pub(crate) use signer::{CannotSign, Signer, Target};
