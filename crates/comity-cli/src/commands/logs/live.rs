//! Look-ups of host names (`--dns`) and of signing keys (`--signatures`).

use std::time::Duration;

use comity_client::ReverseDns;
use comity_client::identity::{DirectoryFetcher, FetchingVerifier};
use comity_logs::{FetchedKeys, LogsRequest, ResolvedNames};
use tokio::runtime::Runtime;

use super::LogsArgs;
use crate::exit::{Failure, reason};
use crate::output::Output;
use crate::settings;
use crate::sites::{Network, runtime};

/// Timeout of a query to a name server.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Adds the look-ups that the arguments select to a request. The returned value must live until the job ends.
pub(super) fn add(
    args: &LogsArgs,
    request: &mut LogsRequest,
    output: &mut Output,
) -> Result<(Option<Runtime>, Option<Network>), Failure> {
    let mut dns = None;
    if args.dns {
        let runtime = runtime()?;
        request.names = Some(Box::new(names(args, &runtime)?));
        dns = Some(runtime);
    }
    let mut keys = None;
    if args.signatures {
        let network = Network::new(&args.network, Vec::new(), output)?;
        let verifier = FetchingVerifier::new(DirectoryFetcher::new(network.client()?));
        request.signatures = Some(Box::new(FetchedKeys::new(verifier, network.handle())));
        keys = Some(network);
    }
    Ok((dns, keys))
}

fn names(args: &LogsArgs, runtime: &Runtime) -> Result<ResolvedNames, Failure> {
    let settings = settings::effective(&args.network.files, args.network.overrides())?.settings;
    let servers: Vec<_> = settings.network.nameserver.iter().map(|server| server.0).collect();
    // The resolver creates its sockets in this runtime.
    let _entered = runtime.enter();
    let dns = match servers.is_empty() {
        true => ReverseDns::of_system(TIMEOUT),
        false => ReverseDns::new(servers, TIMEOUT),
    };
    let dns = dns.map_err(|error| {
        Failure::new(format!("cannot query name servers: {}", reason(&error)))
            .hint("name a server with --nameserver")
    })?;
    Ok(ResolvedNames::new(dns, runtime.handle().clone()))
}
