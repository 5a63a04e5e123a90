//! Crawlers by the names of their addresses (`--dns`): asked in the background, while lines are read on.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use comity::agents::{KnownAgent, ProofKind};
use comity_client::ReverseDns;
use tokio::runtime::Runtime;

use super::args::LogsArgs;
use crate::exit::{Failure, reason};
use crate::settings;
use crate::sites;

/// A name server has so long for an answer.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The largest number of addresses that are remembered here. The client remembers more.
const REMEMBERED: usize = 50_000;

/// Confirmed names; none if they could not be had.
type Found = Option<Arc<[String]>>;

/// The names of addresses.
pub(super) struct Names {
    dns: Arc<ReverseDns>,
    runtime: Runtime,
    tell: Sender<(IpAddr, Found)>,
    told: Receiver<(IpAddr, Found)>,
    /// `None` while it is asked.
    known: HashMap<IpAddr, Option<Found>>,
}

impl Names {
    pub(super) fn new(args: &LogsArgs) -> Result<Names, Failure> {
        let settings = settings::effective(&args.network.files, args.network.overrides())?.settings;
        let servers: Vec<_> = settings.network.nameserver.iter().map(|server| server.0).collect();
        let runtime = sites::runtime()?;
        // The resolver's sockets belong to the runtime.
        let entered = runtime.enter();
        let dns = match servers.is_empty() {
            true => ReverseDns::of_system(TIMEOUT),
            false => ReverseDns::new(servers, TIMEOUT),
        };
        drop(entered);
        let dns = dns.map_err(|error| {
            Failure::new(format!("name servers cannot be asked: {}", reason(&error)))
                .hint("--nameserver names one")
        })?;
        let (tell, told) = mpsc::channel();
        Ok(Names { dns: Arc::new(dns), runtime, tell, told, known: HashMap::new() })
    }

    /// Returns whether there is a crawler's proof by names at all.
    pub(super) fn prove(agent: &KnownAgent) -> bool {
        agent.proofs().iter().any(|proof| proof.kind() == ProofKind::ReverseDns)
    }

    /// Returns whether an address has a name of a crawler. `None`: that is being asked.
    pub(super) fn is_of(&mut self, agent: &KnownAgent, address: IpAddr) -> Option<bool> {
        while let Ok((address, found)) = self.told.try_recv() {
            self.known.insert(address, Some(found));
        }
        if let Some(known) = self.known.get(&address) {
            let covers = |name: &String| agent.proofs().iter().any(|proof| proof.covers_host(name));
            return known.as_ref().map(|found| found.iter().any(|names| names.iter().any(covers)));
        }
        self.known.insert(address, None);
        let (dns, tell) = (self.dns.clone(), self.tell.clone());
        self.runtime.spawn(async move {
            let found = dns.names(address).await.ok();
            // Nobody asks any more when the command has ended.
            let _ = tell.send((address, found));
        });
        None
    }

    /// Waits until one more answer is there.
    pub(super) fn wait(&mut self) {
        // Each question has an answer, and this holds a sender.
        if let Ok((address, found)) = self.told.recv() {
            self.known.insert(address, Some(found));
        }
    }

    /// Forgets answers if there are many. The client still knows most of them.
    pub(super) fn tidy(&mut self) {
        if self.known.len() > REMEMBERED {
            self.known.retain(|_, known| known.is_none());
        }
    }
}
