//! Fetches key directories.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use comity_identity::{
    Directory, DirectoryAnswer, Discovery, DiscoveryFailure, MAX_DIRECTORY_BYTES, Review, headers_of,
};
use http::{HeaderMap, HeaderValue, StatusCode};
use tokio::sync::Semaphore;

use super::callers::Callers;
use crate::client::{Cause, Client, DirectoryReply, DirectoryRequest};

/// Maximum number of concurrent fetches of directories.
const MAX_CONCURRENT_FETCHES: usize = 64;

/// Fetcher of key directories. Each request passes the guard, the circuit breaker and the pace of a client.
///
/// Requests use `https` on web ports, without a signature. They follow no redirects and read at most 64 KiB. Clones
/// share all state.
///
/// ```no_run
/// use comity_client::Client;
/// use comity_client::comity_identity::Discovery;
/// use comity_client::identity::DirectoryFetcher;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let fetcher = DirectoryFetcher::new(Client::builder("ExampleBot").build()?);
/// let fetched = fetcher.fetch(&Discovery::directory("https://bot.example")?, "").await?;
/// for key in fetched.read()?.keys() {
///     println!("{}", key.thumbprint());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct DirectoryFetcher {
    client: Client,
    how: DirectoryRequest,
    per_caller: NonZeroU32,
    callers: Arc<Callers>,
    places: Arc<Semaphore>,
}

impl DirectoryFetcher {
    /// Creates a fetcher that sends requests through this client.
    pub fn new(client: Client) -> Self {
        let how = DirectoryRequest {
            accept: HeaderValue::from_static(ACCEPT),
            timeout: Duration::from_secs(10),
            max_wait: Duration::from_secs(5),
            // One byte more than the limit detects a directory that is too large.
            max_bytes: MAX_DIRECTORY_BYTES + 1,
        };
        DirectoryFetcher {
            client,
            how,
            per_caller: NonZeroU32::MIN.saturating_add(19),
            callers: Arc::default(),
            places: Arc::new(Semaphore::new(MAX_CONCURRENT_FETCHES)),
        }
    }

    /// Sets the timeout of a fetch, from connecting to the last byte. The default is ten seconds.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.how.timeout = timeout;
        self
    }

    /// Sets the maximum time that a fetch waits for its turn at the site. The default is five seconds.
    #[must_use]
    pub fn max_wait(mut self, max_wait: Duration) -> Self {
        self.how.max_wait = max_wait;
        self
    }

    /// Sets the maximum number of directories fetched for a caller within five minutes. The default is 20.
    #[must_use]
    pub fn per_caller(self, per_caller: NonZeroU32) -> Self {
        DirectoryFetcher { per_caller, ..self }
    }

    /// Fetches a directory on behalf of a caller and returns the server's answer, whatever its status. `caller`
    /// identifies the party that causes the fetch, for example by its address or the name of its token.
    ///
    /// # Errors
    ///
    /// [`DirectoryFetchError`] if a step refused the request, if the server did not answer, or if a limit is reached.
    pub async fn fetch(
        &self,
        discovery: &Discovery,
        caller: &str,
    ) -> Result<FetchedDirectory, DirectoryFetchError> {
        if !self.callers.count(caller, self.per_caller, self.now()) {
            return Err(DirectoryFetchError::TooManyForCaller);
        }
        self.fetch_again(discovery).await
    }

    /// Fetches a cached directory again. The fetch does not count towards the limit of any caller.
    pub(super) async fn fetch_again(
        &self,
        discovery: &Discovery,
    ) -> Result<FetchedDirectory, DirectoryFetchError> {
        let _place = self.places.try_acquire().map_err(|_| DirectoryFetchError::TooManyAtOnce)?;
        let reply = self.client.request_directory(discovery.url(), &self.how).await;
        let reply = reply.map_err(|cause| DirectoryFetchError::Refused(Box::new(cause)))?;
        Ok(FetchedDirectory { discovery: discovery.clone(), reply })
    }

    /// Returns the current time of the client's clock.
    pub(super) fn now(&self) -> SystemTime {
        self.client.inner.clock.now()
    }
}

/// Value of the `Accept` field: the media type of directories, and the media types of other JWK Sets.
const ACCEPT: &str = "application/http-message-signatures-directory+json, application/jwk-set+json;q=0.9, \
                      application/json;q=0.8, */*;q=0.5";

/// The answer of a server to a request for a directory, with any status.
#[derive(Clone, Debug)]
pub struct FetchedDirectory {
    discovery: Discovery,
    reply: DirectoryReply,
}

impl FetchedDirectory {
    /// Returns the requested location.
    pub fn discovery(&self) -> &Discovery {
        &self.discovery
    }

    /// Returns the time of the request.
    pub fn at(&self) -> SystemTime {
        self.reply.at
    }

    /// Returns the status code.
    pub fn status(&self) -> StatusCode {
        self.reply.status
    }

    /// Returns the header fields.
    pub fn headers(&self) -> &HeaderMap {
        &self.reply.headers
    }

    /// Returns the body, or its first [`MAX_DIRECTORY_BYTES`] + 1 bytes if it is longer.
    pub fn body(&self) -> &Bytes {
        &self.reply.body
    }

    /// Parses the keys in the answer.
    ///
    /// # Errors
    ///
    /// [`DiscoveryFailure`] if a verifier must not accept the answer.
    pub fn read(&self) -> Result<Directory, DiscoveryFailure> {
        self.with_answer(|answer| answer.read(&self.discovery))
    }

    /// Returns the problems that a verifier finds in the directory.
    pub fn review(&self) -> Review {
        self.with_answer(|answer| Review::of(&self.discovery, answer, self.reply.at))
    }

    /// Calls `take` with the answer, converted to the type of [`comity_identity`].
    pub(super) fn with_answer<T>(&self, take: impl FnOnce(&DirectoryAnswer<'_>) -> T) -> T {
        let DirectoryReply { status, headers, body, .. } = &self.reply;
        let (status, headers) = (status.as_u16(), headers_of(headers));
        // Redirects are not followed, so the answer belongs to the requested URL.
        let url = self.discovery.url();
        take(&DirectoryAnswer { url, status, headers: &headers, body })
    }
}

/// The reason why a directory was not fetched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DirectoryFetchError {
    /// A step refused the request, or the server did not answer.
    #[error(transparent)]
    Refused(Box<Cause>),
    /// The caller has reached its limit of directories within five minutes.
    #[error("the caller has reached its limit of directory fetches within five minutes")]
    TooManyForCaller,
    /// The limit of concurrent fetches is reached.
    #[error("{MAX_CONCURRENT_FETCHES} directory fetches are already in flight")]
    TooManyAtOnce,
}

#[cfg(test)]
mod tests {
    use comity_identity::MEDIA_TYPE;

    use super::*;

    #[test]
    fn accept_header_begins_with_the_media_type_of_directories() {
        assert!(ACCEPT.starts_with(MEDIA_TYPE));
    }
}
