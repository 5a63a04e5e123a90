//! The cryptography provider for TLS.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;

/// Message for a build without a cryptography provider.
pub(crate) const NO_PROVIDER: &str =
    "no provider of cryptography for TLS: enable the feature `ring`, or install a `CryptoProvider`";

/// Returns the cryptography provider that is installed for the process, or otherwise that of the feature `ring`. Returns
/// `None` if there is neither.
pub(crate) fn provider() -> Option<Arc<CryptoProvider>> {
    if let Some(installed) = CryptoProvider::get_default() {
        return Some(installed.clone());
    }
    #[cfg(feature = "ring")]
    return Some(Arc::new(rustls::crypto::ring::default_provider()));
    #[cfg(not(feature = "ring"))]
    None
}
