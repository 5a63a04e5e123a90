//! A build without the feature `live` fetches no keys.

use comity_formats::logs::LogRequest;
use comity_identity::Outcome;

use super::args::LogsArgs;
use crate::exit::Failure;
use crate::output::Output;

/// Stands in for the keys of signers, which this build cannot fetch.
pub(super) enum Signers {}

impl Signers {
    pub(super) fn new(_: &LogsArgs, _: &mut Output) -> Result<Signers, Failure> {
        Err(Failure::new("this build fetches no keys, and --signatures is given")
            .hint("build with the network: cargo build -p comity-cli"))
    }

    pub(super) fn verify(&self, _: &LogRequest<'_>) -> Option<Outcome> {
        match *self {}
    }
}
