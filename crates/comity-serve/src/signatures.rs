//! Verification of request signatures. Keys that are not known are fetched.

use std::time::Duration;

use comity_client::Client;
use comity_client::identity::{DirectoryFetcher, FetchingVerifier};
use comity_identity::{Outcome, Request};

use crate::access_control::Caller;

/// Maximum time to fetch the keys of a signer, in addition to the pace of its site. After a timeout, the next fetch is in five
/// minutes.
const KEY_TIMEOUT: Duration = Duration::from_secs(2);

/// Verifies the signatures that callers submit.
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

    /// Returns the outcome for a request that a caller submits.
    pub(crate) async fn outcome(&self, caller: Caller, request: &Request<'_>) -> Outcome {
        let report = self.verifier.verify(request, &caller.to_string()).await;
        report.outcome().clone()
    }
}
