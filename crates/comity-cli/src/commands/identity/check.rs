//! `comity identity check`: fetches a directory and checks it as a verifier would.

use comity::finding::Severity;
use comity_client::identity::{DirectoryFetchError, DirectoryFetcher};
use comity_identity::Discovery;

use super::args::CheckDirectoryArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::sites::Network;
use crate::sites::failure::hint_of;
use crate::text;
use crate::text::directory::{Directory, Found};

/// Fetches the directory, and prints the findings.
pub(super) fn run(args: &CheckDirectoryArgs, output: &mut Output) -> Result<Exit, Failure> {
    let discovery = super::discovery(&args.url)?;
    let live = Network::new(&args.network, Vec::new(), output)?;
    let fetcher = DirectoryFetcher::new(live.client()?);
    let fetched = {
        let _waiting = output.waiting("requesting the directory");
        live.wait(fetcher.fetch(&discovery, ""))
    };
    live.finish();
    let fetched = fetched.map_err(|error| fetch_failure(&discovery, &error))?;
    let directory = Directory::of(&discovery, &fetched);
    text::print(std::slice::from_ref(&directory), args.format.get(), &mut (), output)?;
    let objects = |finding: &Found| finding.severity != Severity::Note;
    Ok(if directory.findings.iter().any(objects) { Exit::Objection } else { Exit::Success })
}

fn fetch_failure(discovery: &Discovery, error: &DirectoryFetchError) -> Failure {
    let failure = Failure::new(format!("cannot fetch `{}`: {error}", discovery.url()));
    let hint = match error {
        DirectoryFetchError::Refused(cause) => hint_of(cause),
        _ => None,
    };
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
