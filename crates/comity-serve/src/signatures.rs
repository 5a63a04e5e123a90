//! Whose requests are, by their signatures. Keys that are not known are asked for.

use std::time::Duration;

use comity_client::Client;
use comity_client::identity::{DirectoryFetcher, FetchingVerifier};
use comity_identity::{Outcome, Request};

use crate::door::Caller;

/// How long the keys of a signer may take, beside the pace of their site. Whoever is slower is asked again in five minutes.
const PATIENCE: Duration = Duration::from_secs(2);

/// Verifies the signatures that callers ask about.
#[derive(Debug)]
pub(crate) struct Signatures {
    verifier: FetchingVerifier,
}

impl Signatures {
    /// A verifier that asks as a client does.
    pub(crate) fn new(client: &Client) -> Signatures {
        let fetcher = DirectoryFetcher::new(client.clone()).timeout(PATIENCE).max_wait(PATIENCE);
        Signatures { verifier: FetchingVerifier::new(fetcher) }
    }

    /// Returns what is concluded of a request that a caller asks about.
    pub(crate) async fn outcome(&self, caller: Caller, request: &Request<'_>) -> Outcome {
        let report = self.verifier.verify(request, &caller.to_string()).await;
        report.outcome().clone()
    }
}
