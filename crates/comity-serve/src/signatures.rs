//! Whose requests are, by their signatures. Keys that are not known are asked for.

use std::time::Duration;

use comity_client::Client;
use comity_client::identity::{DirectoryFetcher, FetchingVerifier};
use comity_identity::{Outcome, Request};

use crate::context::Context;

/// How long the keys of a signer may take, beside the pace of their site. Whoever is slower is asked again in five minutes.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns a verifier that asks as a client does.
pub(crate) fn verifier(client: &Client) -> FetchingVerifier {
    FetchingVerifier::new(DirectoryFetcher::new(client.clone()).timeout(PATIENCE).max_wait(PATIENCE))
}

/// Returns what is concluded of a request that a caller asks about.
pub(crate) async fn outcome(context: &Context, request: &Request<'_>) -> Outcome {
    let report = context.shared.verifier.verify(request, &context.caller.to_string()).await;
    report.outcome().clone()
}
