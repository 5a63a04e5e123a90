//! Verification of request signatures. Fetches unknown keys.

use std::time::Duration;

use comity_client::Client;
use comity_client::identity::{DirectoryFetcher, FetchingVerifier};
use comity_identity::{Outcome, Request};

use crate::access_control::Caller;

/// Maximum time for a fetch of a signer's keys, in addition to the wait for the pace of the site. After a timeout, the
/// keys are not fetched again for five minutes.
const KEY_TIMEOUT: Duration = Duration::from_secs(2);

/// The verifier of the signatures that callers submit.
#[derive(Debug)]
pub(crate) struct Signatures {
    verifier: FetchingVerifier,
}

impl Signatures {
    /// Creates a verifier that fetches keys with a client.
    pub(crate) fn new(client: &Client) -> Signatures {
        let fetcher = DirectoryFetcher::new(client.clone()).timeout(KEY_TIMEOUT).max_wait(KEY_TIMEOUT);
        Signatures { verifier: FetchingVerifier::new(fetcher) }
    }

    /// Verifies a request that a caller submits, and returns the outcome.
    pub(crate) async fn outcome(&self, caller: Caller, request: &Request<'_>) -> Outcome {
        let report = self.verifier.verify(request, &caller.to_string()).await;
        report.outcome().clone()
    }
}
