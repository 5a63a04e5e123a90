//! The identity that signs the requests of a client.
//!
//! Without the feature `identity`, `without_identity.rs` replaces this file.

use std::sync::Arc;

use comity_identity::Identity;

use crate::clock::Clock;
use crate::options::ClientBuildError;
use crate::settings::Settings;
use crate::signing::{Signer, read_file};

/// The identity that signs requests, if the program has set one. It overrides the identity file in the settings.
#[derive(Debug, Default)]
pub(super) struct OwnIdentity(pub(super) Option<Identity>);

impl OwnIdentity {
    /// Creates the signer for the identity, or for the identity in the file that the settings name.
    pub(super) fn signer(
        self,
        settings: &Settings,
        clock: &Arc<dyn Clock>,
    ) -> Result<Option<Arc<Signer>>, ClientBuildError> {
        let options = &settings.identity;
        let identity = match (self.0, &options.file) {
            (None, Some(path)) => {
                Some(read_file(path).map_err(|error| ClientBuildError::new(error.to_string()))?)
            }
            (identity, _) => identity,
        };
        Ok(identity.map(|identity| Arc::new(Signer::new(identity, options.sign, Arc::clone(clock)))))
    }
}
