//! Signs the requests of a client, so that sites know them from those of somebody who uses its name.
//!
//! Every request is signed for itself, right before it is sent: its own target, time and nonce. What is signed is the fixed
//! list of `comity-identity`. A site may ask for a signature, and say by which nonce; it cannot say what is signed.

mod options;
mod signer;

pub use options::{IdentityFileError, IdentityOptions, Sign, read_file};
pub(crate) use signer::{CannotSign, Signer, Target};
