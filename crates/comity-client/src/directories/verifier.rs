//! A verifier that fetches missing keys.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::SystemTime;

use comity_identity::{
    Directories, Discovery, MalformedRequest, Outcome, Report, Request, Unverified, Verifier, headers_of,
};
use http::request::Parts;
use tracing::debug;

use super::fetcher::{DirectoryFetchError, DirectoryFetcher, FetchedDirectory};
use crate::client::Cause;
use crate::gate::Gates;

/// Verifier of request signatures that fetches missing keys.
///
/// Keys are cached by the location of their directory and their name. A location is requested at most every five
/// minutes. If a fetch fails, the old keys are used until they are a week old. Clones share the keys.
///
/// ```no_run
/// use comity_client::Client;
/// use comity_client::comity::http::Headers;
/// use comity_client::comity_identity::Request;
/// use comity_client::identity::{DirectoryFetcher, FetchingVerifier};
///
/// # async fn example(headers: &Headers<'_>) -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::builder("ExampleVerifier").build()?;
/// let verifier = FetchingVerifier::new(DirectoryFetcher::new(client));
/// let request = Request::received("GET", "https", "example.com", "/heron", headers)?;
/// println!("{}", verifier.verify(&request, "192.0.2.1").await.outcome());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FetchingVerifier {
    verifier: Verifier,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    fetcher: DirectoryFetcher,
    directories: RwLock<Directories>,
    /// Locks that allow only one fetch of each directory at a time.
    gates: Gates<String>,
}

impl FetchingVerifier {
    /// Creates a verifier with the recommendations of the draft in [`comity_identity`], and an empty cache of keys.
    pub fn new(fetcher: DirectoryFetcher) -> Self {
        let shared = Shared { fetcher, directories: RwLock::default(), gates: Gates::default() };
        FetchingVerifier { verifier: Verifier::new(), shared: Arc::new(shared) }
    }

    /// Sets the verifier that checks signatures with the fetched keys.
    #[must_use]
    pub fn with_verifier(self, verifier: Verifier) -> Self {
        FetchingVerifier { verifier, ..self }
    }

    /// Verifies a request that has just arrived. If a key is missing, fetches its directory, at most every five
    /// minutes. `caller` identifies the sender of the request, for example by its address, for
    /// [`DirectoryFetcher::per_caller`].
    pub async fn verify(&self, request: &Request<'_>, caller: &str) -> Report {
        self.verify_at(request, self.shared.fetcher.now(), caller).await
    }

    /// Verifies a request that arrived at another time, such as a request from a log, with the current keys.
    pub async fn verify_at(&self, request: &Request<'_>, at: SystemTime, caller: &str) -> Report {
        let mut report = self.verify_known(request, at);
        let open: Vec<Unverified> = report
            .signatures()
            .filter_map(|(_, outcome)| match outcome {
                Outcome::Unverified(reason) => Some(Unverified::clone(reason)),
                _ => None,
            })
            .collect();
        for reason in open {
            if report.outcome().verified().is_some() {
                break;
            }
            if self.shared.renew(&reason, caller).await {
                report = self.verify_known(request, at);
            }
        }
        report
    }

    /// Verifies a request of the crate `http`, as [`verify`](FetchingVerifier::verify) does. If a proxy terminates TLS,
    /// `scheme` must be the scheme that the client used.
    ///
    /// # Errors
    ///
    /// [`MalformedRequest`] if the authority or the target is malformed.
    pub async fn verify_parts(
        &self,
        parts: &Parts,
        scheme: &str,
        caller: &str,
    ) -> Result<Report, MalformedRequest> {
        let headers = headers_of(&parts.headers);
        let request = Request::of_parts(parts, scheme, &headers)?;
        Ok(self.verify(&request, caller).await)
    }

    /// Verifies a request with the cached keys, without fetching.
    pub fn verify_known(&self, request: &Request<'_>, at: SystemTime) -> Report {
        self.verifier.verify(request, &self.shared.known(), at)
    }
}

impl Shared {
    /// Fetches the directory with the missing key, unless it was requested recently. Returns true if the cached keys
    /// may have changed.
    async fn renew(&self, reason: &Unverified, caller: &str) -> bool {
        let Some(discovery) = self.due(reason) else { return false };
        let _passage = self.gates.enter(&discovery.url().to_string()).await;
        if self.due(reason).is_none() {
            // Another request has fetched the directory in the meantime.
            return true;
        }
        let is_known = self.known().get(discovery).is_some();
        let requested_at = self.fetcher.now();
        // A renewal of a cached directory serves all callers, so it does not count towards the limit of this caller.
        let fetched = match is_known {
            true => self.fetcher.fetch_again(discovery).await,
            false => self.fetcher.fetch(discovery, caller).await,
        };
        self.store_result(discovery, requested_at, is_known, fetched)
    }

    fn due<'u>(&self, reason: &'u Unverified) -> Option<&'u Discovery> {
        self.known().due_for(reason, self.fetcher.now())
    }

    fn store_result(
        &self,
        discovery: &Discovery,
        requested_at: SystemTime,
        is_known: bool,
        fetched: Result<FetchedDirectory, DirectoryFetchError>,
    ) -> bool {
        let mut known = self.directories.write().unwrap_or_else(PoisonError::into_inner);
        match fetched {
            Ok(fetched) => {
                let taken =
                    fetched.with_answer(|answer| known.take(discovery, answer, fetched.at()).map(|_| ()));
                if let Err(failure) = taken {
                    debug!(directory = discovery.identifier(), %failure, "keys are not renewed");
                }
                true
            }
            Err(error) => {
                debug!(directory = discovery.identifier(), %error, "keys are not renewed");
                // If the fetch of a new location failed for a local reason, it is not recorded as failed. The next
                // caller may fetch it.
                if is_known || !is_local_failure(&error) {
                    known.failed(discovery, requested_at);
                    return true;
                }
                false
            }
        }
    }

    /// Locks the directories, even if the lock is poisoned: a panic leaves the directories consistent.
    fn known(&self) -> RwLockReadGuard<'_, Directories> {
        self.directories.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns true if a local reason prevented the request to the location.
fn is_local_failure(error: &DirectoryFetchError) -> bool {
    match error {
        DirectoryFetchError::Refused(cause) => {
            cause.is_local() || matches!(**cause, Cause::Wait(_) | Cause::Store(_) | Cause::Drained)
        }
        DirectoryFetchError::TooManyForCaller | DirectoryFetchError::TooManyAtOnce => true,
    }
}
