//! Replaces `identity.rs` without the feature `identity`: no request is signed.

use std::sync::Arc;

use crate::clock::Clock;
use crate::options::ClientBuildError;
use crate::settings::Settings;
use crate::signing::Signer;

/// The identity of a client that does not sign.
#[derive(Debug, Default)]
pub(super) struct OwnIdentity;

impl OwnIdentity {
    pub(super) fn signer(
        self,
        _: &Settings,
        _: &Arc<dyn Clock>,
    ) -> Result<Option<Arc<Signer>>, ClientBuildError> {
        Ok(None)
    }
}
