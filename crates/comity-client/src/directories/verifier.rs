//! A verifier that fetches the keys that it lacks.

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

/// Says whom requests are from, and fetches the keys that it needs for that.
///
/// Keys are kept, and looked up by their place and name together. A place is asked at most every five minutes. A fetch that
/// fails takes no key away: for a week, old keys serve in its place. Clones share the keys.
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
    /// One fetch of a directory at a time.
    gates: Gates<String>,
}

impl FetchingVerifier {
    /// Makes a verifier by the draft's recommendations, which knows no keys yet.
    pub fn new(fetcher: DirectoryFetcher) -> Self {
        let shared = Shared { fetcher, directories: RwLock::default(), gates: Gates::default() };
        FetchingVerifier { verifier: Verifier::new(), shared: Arc::new(shared) }
    }

    /// Sets what is accepted.
    #[must_use]
    pub fn with_verifier(self, verifier: Verifier) -> Self {
        FetchingVerifier { verifier, ..self }
    }

    /// Judges a request that has just come. Fetches a directory if one is needed and due, on behalf of `caller`: whoever
    /// sent the request, such as its address ([`DirectoryFetcher::per_caller`]).
    pub async fn verify(&self, request: &Request<'_>, caller: &str) -> Report {
        self.verify_at(request, self.shared.fetcher.now(), caller).await
    }

    /// Judges a request as of another time, such as one out of a log, by the keys of today.
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

    /// Judges a request of the crate `http`, as [`verify`](FetchingVerifier::verify) does. The scheme is that of the client's
    /// side, where a proxy ends TLS.
    ///
    /// # Errors
    ///
    /// [`MalformedRequest`] if the authority or the target has a form that no request may have.
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

    /// Judges a request by the keys that are known, and asks nobody.
    pub fn verify_known(&self, request: &Request<'_>, at: SystemTime) -> Report {
        self.verifier.verify(request, &self.shared.known(), at)
    }
}

impl Shared {
    /// Fetches the directory that a signature needs, if it is due. Returns true if that may have changed what is known.
    async fn renew(&self, reason: &Unverified, caller: &str) -> bool {
        let Some(discovery) = self.due(reason) else { return false };
        let _passage = self.gates.enter(&discovery.url().to_string()).await;
        if self.due(reason).is_none() {
            // Another request has had it fetched meanwhile.
            return true;
        }
        let is_known = self.known().get(discovery).is_some();
        let asked = self.fetcher.now();
        // Those that are known are renewed for everybody.
        let fetched = match is_known {
            true => self.fetcher.fetch_again(discovery).await,
            false => self.fetcher.fetch(discovery, caller).await,
        };
        self.take(discovery, asked, is_known, fetched)
    }

    fn due<'u>(&self, reason: &'u Unverified) -> Option<&'u Discovery> {
        self.known().due_for(reason, self.fetcher.now())
    }

    fn take(
        &self,
        discovery: &Discovery,
        asked: SystemTime,
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
                // A limit of our own says nothing about a place that is not known yet: the next caller may ask it.
                if is_known || !is_ours(&error) {
                    known.failed(discovery, asked);
                    return true;
                }
                false
            }
        }
    }

    /// A panic leaves no half-made change here, so a poisoned lock is used as it is.
    fn known(&self) -> RwLockReadGuard<'_, Directories> {
        self.directories.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns true if the place was not asked, for a reason of our own.
fn is_ours(error: &DirectoryFetchError) -> bool {
    match error {
        DirectoryFetchError::Refused(cause) => {
            cause.is_local() || matches!(**cause, Cause::Wait(_) | Cause::Store(_) | Cause::Drained)
        }
        DirectoryFetchError::TooManyForCaller | DirectoryFetchError::TooManyAtOnce => true,
    }
}
