//! The cached keys of a verifier, by the address from which they were fetched.
//!
//! The caller adds facts, such as an answer or a failure with its time; this module fetches nothing. It implements
//! three rules of the draft: a key is looked up by address and name together (§5.4), an answer is valid only with
//! status 200 and from the exact URL that was requested (§5.5), and a failure removes no keys (§6.10).

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use comity::http::Headers;
use comity::policy::stated_lifetime;
use url::Url;

use crate::agent::{Discovery, DiscoveryType};
use crate::directory::{Directory, DirectoryError, MEDIA_TYPE, PublishedKey};
use crate::key::Thumbprint;
use crate::outcome::Unverified;
use crate::time;

/// Minimum freshness of an answer.
pub(crate) const FLOOR: Duration = Duration::from_secs(5 * 60);

/// Maximum freshness of an answer.
const CEILING: Duration = Duration::from_secs(24 * 60 * 60);

/// Freshness of an answer without caching headers.
const DEFAULT: Duration = Duration::from_secs(60 * 60);

/// Minimum time between two fetches of one directory (appendix C.5: failures are kept for five minutes at most).
const RETRY: Duration = Duration::from_secs(5 * 60);

/// Maximum time that old keys are used while their directory is unavailable.
const MAX_STALE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Default maximum number of directories.
const CAPACITY: usize = 10_000;

/// The answer to a request for a directory.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "facts that callers collect")]
pub struct DirectoryAnswer<'a> {
    /// The URL that answered.
    pub url: &'a Url,
    /// The status code.
    pub status: u16,
    /// The header fields.
    pub headers: &'a Headers<'a>,
    /// The body, after content decoding. Its first [`MAX_DIRECTORY_BYTES`](crate::MAX_DIRECTORY_BYTES) plus one byte are enough.
    pub body: &'a [u8],
}

impl DirectoryAnswer<'_> {
    /// Parses the answer to a request for the keys at an address.
    ///
    /// # Errors
    ///
    /// Returns [`DiscoveryFailure`] if the answer is not valid.
    pub fn read(&self, discovery: &Discovery) -> Result<Directory, DiscoveryFailure> {
        if self.status != 200 {
            return Err(DiscoveryFailure::Status(self.status));
        }
        if self.url != discovery.url() {
            return Err(DiscoveryFailure::Redirected);
        }
        if discovery.kind() == DiscoveryType::Directory && self.headers.media_type() != MEDIA_TYPE {
            return Err(DiscoveryFailure::MediaType);
        }
        Directory::read(self.body, discovery.kind()).map_err(DiscoveryFailure::Directory)
    }
}

/// The cached directories of a verifier.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use comity::http::Headers;
/// use comity_identity::{Directories, DirectoryAnswer, Discovery};
///
/// let discovery = Discovery::jwks_uri("https://bot.example/keys.json")?;
/// let mut directories = Directories::new();
/// let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
/// assert!(directories.is_due(&discovery, None, now));
///
/// let headers = Headers::new();
/// let body = br#"{"keys":[]}"#;
/// let answer = DirectoryAnswer { url: discovery.url(), status: 200, headers: &headers, body };
/// directories.take(&discovery, &answer, now)?;
/// assert!(!directories.is_due(&discovery, None, now));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Directories {
    known: BTreeMap<String, CachedDirectory>,
    capacity: usize,
}

/// The state of one address.
#[derive(Clone, Debug)]
struct CachedDirectory {
    keys: Option<FetchedKeys>,
    /// Time of the last request, whether it succeeded or failed.
    last_request: SystemTime,
}

impl CachedDirectory {
    fn was_just_requested(&self, now: SystemTime) -> bool {
        now < time::later(self.last_request, RETRY) && !is_in_the_future(self.last_request, now)
    }
}

/// Returns true if a time is more than [`RETRY`] in the future, because the clock was set back. Without this check, an
/// address with this time would not be requested again until the clock reaches the time.
fn is_in_the_future(time: SystemTime, now: SystemTime) -> bool {
    time > time::later(now, RETRY)
}

#[derive(Clone, Debug)]
struct FetchedKeys {
    directory: Directory,
    fetched: SystemTime,
    fresh_until: SystemTime,
}

/// The result of looking up a key at an address.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lookup<'d> {
    Found(&'d PublishedKey),
    NotListed,
    /// The keys are no longer fresh, and were not requested again recently or are older than [`MAX_STALE`].
    Stale,
    Unknown,
}

impl Default for Directories {
    fn default() -> Self {
        Directories::new()
    }
}

impl Directories {
    /// Creates an empty collection of 10,000 directories at most.
    pub fn new() -> Self {
        Directories::with_capacity(CAPACITY)
    }

    /// Creates an empty collection with a limit. At the limit, it evicts a directory that never answered, or else the one with
    /// the oldest request.
    pub fn with_capacity(directories: usize) -> Self {
        Directories { known: BTreeMap::new(), capacity: directories.max(1) }
    }

    /// Stores the answer to a request for a directory. `now` is the time of the request.
    ///
    /// # Errors
    ///
    /// Returns [`DiscoveryFailure`] if the answer is not valid. Keys that were known before are kept.
    pub fn take(
        &mut self,
        discovery: &Discovery,
        answer: &DirectoryAnswer<'_>,
        now: SystemTime,
    ) -> Result<&Directory, DiscoveryFailure> {
        let read = answer.read(discovery);
        let known = self.last_request(discovery, now);
        let directory = read?;
        let lifetime =
            stated_lifetime(answer.headers, now).map_or(DEFAULT, |stated| stated.clamp(FLOOR, CEILING));
        let fetched_keys = FetchedKeys { directory, fetched: now, fresh_until: time::later(now, lifetime) };
        // If a later request was already answered, its keys are kept (§4.4).
        let fetched_keys = match known.keys.take() {
            Some(newer) if newer.fetched > now && !is_in_the_future(newer.fetched, now) => newer,
            _ => fetched_keys,
        };
        Ok(&known.keys.insert(fetched_keys).directory)
    }

    /// Records that a directory was not available, for example because of a timeout or a limit of the caller.
    pub fn failed(&mut self, discovery: &Discovery, now: SystemTime) {
        self.last_request(discovery, now);
    }

    fn last_request(&mut self, discovery: &Discovery, now: SystemTime) -> &mut CachedDirectory {
        let name = discovery.address();
        if !self.known.contains_key(name) && self.known.len() >= self.capacity {
            // Directories that never answered are evicted first, because any sender can name such directories.
            let worth = |known: &CachedDirectory| (known.keys.is_some(), known.last_request);
            let least = self.known.iter().min_by_key(|(_, known)| worth(known)).map(|(name, _)| name.clone());
            least.and_then(|least| self.known.remove(&least));
        }
        let known =
            self.known.entry(name.to_owned()).or_insert(CachedDirectory { keys: None, last_request: now });
        if known.last_request < now || is_in_the_future(known.last_request, now) {
            known.last_request = now;
        }
        known
    }

    /// Returns whether a directory should be fetched: it is unknown, no longer fresh, or lacks the wanted key. A directory is
    /// never due within five minutes of the last request.
    pub fn is_due(&self, discovery: &Discovery, wanted: Option<Thumbprint>, now: SystemTime) -> bool {
        let Some(known) = self.known.get(discovery.address()) else { return true };
        if known.was_just_requested(now) {
            return false;
        }
        match &known.keys {
            None => true,
            Some(fetched_keys) => {
                let is_over = now >= fetched_keys.fresh_until || is_in_the_future(fetched_keys.fetched, now);
                is_over || wanted.is_some_and(|key| fetched_keys.directory.get(key).is_none())
            }
        }
    }

    /// Returns the address whose keys should be fetched for a signature that could not be verified at `now`. Returns
    /// `None` if no keys would help, or if it is too early for another request.
    pub fn due_for<'u>(&self, reason: &'u Unverified, now: SystemTime) -> Option<&'u Discovery> {
        let discovery = reason.discovery()?;
        let is_due = match (reason, self.known.get(discovery.address())) {
            // The wanted key is missing, although the known keys may be fresh.
            (Unverified::UnknownKey(_), Some(known)) => !known.was_just_requested(now),
            _ => self.is_due(discovery, None, now),
        };
        is_due.then_some(discovery)
    }

    /// Returns the known keys of an address, including old ones.
    pub fn get(&self, discovery: &Discovery) -> Option<&Directory> {
        self.known.get(discovery.address())?.keys.as_ref().map(|fetched_keys| &fetched_keys.directory)
    }

    pub(crate) fn lookup(&self, discovery: &Discovery, key: Thumbprint, now: SystemTime) -> Lookup<'_> {
        let Some(known) = self.known.get(discovery.address()) else { return Lookup::Unknown };
        let Some(fetched_keys) = &known.keys else { return Lookup::Unknown };
        // Old keys are used if a request for newer ones has just failed. After a while the request has to be retried,
        // because a key may have been withdrawn.
        let was_tried =
            known.last_request >= fetched_keys.fresh_until && now < time::later(known.last_request, RETRY);
        let serves =
            now < fetched_keys.fresh_until || was_tried && now < time::later(fetched_keys.fetched, MAX_STALE);
        if !serves {
            return Lookup::Stale;
        }
        fetched_keys.directory.get(key).map_or(Lookup::NotListed, Lookup::Found)
    }
}

/// The reasons why an answer is not valid as a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DiscoveryFailure {
    /// The status is not 200.
    #[error("the directory answers with status {0}; only 200 is valid")]
    Status(u16),
    /// Another URL than the requested one answered.
    #[error("the directory answers from another address; redirects are not followed")]
    Redirected,
    /// The media type at the well-known path is not [`MEDIA_TYPE`].
    #[error("the directory is not served as `{MEDIA_TYPE}`")]
    MediaType,
    /// The body is not a directory.
    #[error(transparent)]
    Directory(DirectoryError),
}
