//! Signed requests (`--signatures`): whose they are, by keys that are fetched once.

use std::time::{Duration, SystemTime};

use comity::http::Headers;
use comity_client::identity::{DirectoryFetcher, FetchingVerifier};
use comity_formats::logs::LogRequest;
use comity_identity::{Outcome, Request};

use super::args::LogsArgs;
use crate::exit::Failure;
use crate::output::Output;
use crate::sites::Network;

/// Verifies signatures by the keys that their signers publish today, as of the time of each request.
pub(super) struct Signers {
    live: Network,
    verifier: FetchingVerifier,
}

impl Signers {
    pub(super) fn new(args: &LogsArgs, output: &mut Output) -> Result<Signers, Failure> {
        let live = Network::new(&args.network, Vec::new(), output)?;
        let verifier = FetchingVerifier::new(DirectoryFetcher::new(live.client()?));
        Ok(Signers { live, verifier })
    }

    /// Returns what is concluded of a signed request; `None` if the log has too little of it.
    pub(super) fn verify(&self, request: &LogRequest<'_>) -> Option<Outcome> {
        let signature = request.signature.as_deref()?;
        let fields = signature.fields.iter();
        let headers: Headers<'_> = fields.map(|(name, value)| (name.as_str(), value.as_slice())).collect();
        let method = signature.method.as_deref()?;
        // Nobody signs what goes without TLS.
        let scheme = if signature.is_tls == Some(false) { "http" } else { "https" };
        let host = signature.authority.as_deref()?;
        let target = std::str::from_utf8(&request.target).ok()?;
        let signed = Request::received(method, scheme, host, target, &headers).ok()?;
        let micros = u64::try_from(request.time_micros).ok()?;
        let at = SystemTime::UNIX_EPOCH.checked_add(Duration::from_micros(micros))?;
        let report = self.live.wait(self.verifier.verify_at(&signed, at, "logs"));
        Some(report.outcome().clone())
    }
}
