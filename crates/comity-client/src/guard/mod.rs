//! The SSRF guard: which addresses may be dialled.

use std::fmt;
use std::net::IpAddr;

/// What the guard refused to dial, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    host: String,
    address: Option<IpAddr>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not dialled ({:?})", self.host, self.address)
    }
}

impl std::error::Error for Refusal {}
