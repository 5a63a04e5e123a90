//! Names of addresses and keys of signers, looked up through the client.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::SystemTime;

use comity_client::ReverseDns;
use comity_client::identity::FetchingVerifier;
use comity_identity::{Outcome, Request};
use tokio::runtime::Handle;

use crate::request::{AddressNames, SignatureVerifier};

/// Maximum number of addresses with answers here. The client caches more.
const MAX_CACHED: usize = 50_000;

/// Confirmed names of addresses, looked up by tasks of a runtime.
#[derive(Debug)]
pub struct ResolvedNames {
    dns: Arc<ReverseDns>,
    runtime: Handle,
    sender: Sender<(IpAddr, Arc<[String]>)>,
    answers: Receiver<(IpAddr, Arc<[String]>)>,
    /// `None` while a look-up is pending.
    known: HashMap<IpAddr, Option<Arc<[String]>>>,
}

impl ResolvedNames {
    /// Looks names up on a runtime with threads of its own.
    pub fn new(dns: ReverseDns, runtime: Handle) -> ResolvedNames {
        let (sender, answers) = mpsc::channel();
        ResolvedNames { dns: Arc::new(dns), runtime, sender, answers, known: HashMap::new() }
    }
}

impl AddressNames for ResolvedNames {
    fn names(&mut self, address: IpAddr) -> Option<Arc<[String]>> {
        while let Ok((address, names)) = self.answers.try_recv() {
            self.known.insert(address, Some(names));
        }
        if let Some(known) = self.known.get(&address) {
            return known.clone();
        }
        if self.known.len() > MAX_CACHED {
            self.known.retain(|_, known| known.is_none());
        }
        self.known.insert(address, None);
        let (dns, sender) = (self.dns.clone(), self.sender.clone());
        self.runtime.spawn(async move {
            let names = dns.names(address).await.unwrap_or_else(|_| Arc::new([]));
            // The receiver is gone if the job has ended.
            let _ = sender.send((address, names));
        });
        None
    }

    fn wait(&mut self) {
        // Each look-up ends, and a sender remains here.
        if let Ok((address, names)) = self.answers.recv() {
            self.known.insert(address, Some(names));
        }
    }
}

/// Keys that signers publish today, each directory fetched once.
#[derive(Debug)]
pub struct FetchedKeys {
    verifier: FetchingVerifier,
    runtime: Handle,
}

impl FetchedKeys {
    /// Fetches keys on a runtime with threads of its own.
    pub fn new(verifier: FetchingVerifier, runtime: Handle) -> FetchedKeys {
        FetchedKeys { verifier, runtime }
    }
}

impl SignatureVerifier for FetchedKeys {
    fn verify(&mut self, request: &Request<'_>, at: SystemTime) -> Outcome {
        self.runtime.block_on(self.verifier.verify_at(request, at, "logs")).outcome().clone()
    }
}
