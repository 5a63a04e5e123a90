//! Looks up address names and signing keys through the client.

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

/// Maximum number of addresses whose names are cached here, in addition to the cache of the client.
const MAX_CACHED: usize = 50_000;

/// A resolver of confirmed address names. Look-ups are tasks on a runtime.
#[derive(Debug)]
pub struct ResolvedNames {
    dns: Arc<ReverseDns>,
    runtime: Handle,
    sender: Sender<(IpAddr, Arc<[String]>)>,
    answers: Receiver<(IpAddr, Arc<[String]>)>,
    /// The names of each address. The value is `None` while a look-up is in progress.
    known: HashMap<IpAddr, Option<Arc<[String]>>>,
}

impl ResolvedNames {
    /// Creates a resolver. `runtime` must be a runtime with its own threads.
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
            // Sending fails if the job has ended.
            let _ = sender.send((address, names));
        });
        None
    }

    fn wait(&mut self) {
        // This does not block forever, since each look-up sends an answer.
        if let Ok((address, names)) = self.answers.recv() {
            self.known.insert(address, Some(names));
        }
    }
}

/// A verifier with the keys that signers currently publish. A key directory is fetched at most every five
/// minutes.
#[derive(Debug)]
pub struct FetchedKeys {
    verifier: FetchingVerifier,
    runtime: Handle,
}

impl FetchedKeys {
    /// Creates a verifier. `runtime` must be a runtime with its own threads.
    pub fn new(verifier: FetchingVerifier, runtime: Handle) -> FetchedKeys {
        FetchedKeys { verifier, runtime }
    }
}

impl SignatureVerifier for FetchedKeys {
    fn verify(&mut self, request: &Request<'_>, at: SystemTime) -> Outcome {
        self.runtime.block_on(self.verifier.verify_at(request, at, "logs")).outcome().clone()
    }
}
