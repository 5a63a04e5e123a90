//! The cryptography provider for TLS.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;

/// Message for a build without a cryptography provider.
pub(crate) const NO_PROVIDER: &str = "no provider of cryptography for TLS: enable the feature `ring` or `aws-lc`, or install a `CryptoProvider`";

/// Returns the cryptography provider that is installed for the process, or otherwise the provider of a feature. Returns
/// `None` if there is neither.
pub(crate) fn provider() -> Option<Arc<CryptoProvider>> {
    if let Some(installed) = CryptoProvider::get_default() {
        return Some(installed.clone());
    }
    #[cfg(feature = "ring")]
    return Some(Arc::new(rustls::crypto::ring::default_provider()));
    #[cfg(all(feature = "aws-lc", not(feature = "ring")))]
    return Some(Arc::new(rustls::crypto::aws_lc_rs::default_provider()));
    #[cfg(not(any(feature = "ring", feature = "aws-lc")))]
    None
}
