//! The client. Every fetch of a page passes the guard, the circuit breaker, robots.txt and the pace.

mod admission;
#[cfg_attr(not(feature = "llms"), path = "without_llms.rs")]
mod alternatives;
mod answer;
mod builder;
#[cfg(feature = "identity")]
mod directory;
mod error;
mod held_turn;
#[cfg_attr(not(feature = "identity"), path = "without_identity.rs")]
mod identity;
mod page_stream;
mod pipeline;
mod request;
mod reservation;
mod sent_request;
#[cfg(feature = "identity")]
mod signed;
mod steps;
#[cfg_attr(not(feature = "page"), path = "without_page.rs")]
mod terms;

use std::sync::Arc;
use std::time::Duration;

use comity::agents::{self, KnownAgent};
use comity::decision::DecisionRecord;
use comity::policy::{Mode, Preset};
use comity::robots::{Agent, Rules};
use comity::shown::hide_credentials;
use http::HeaderValue;
use url::Url;

pub use admission::Admission;
#[cfg(feature = "llms")]
use alternatives::LlmsCache;
pub use builder::ClientBuilder;
#[cfg(feature = "identity")]
pub(crate) use directory::{DirectoryReply, DirectoryRequest};
pub use error::{Cause, FetchError, RobotsUnreachable};
pub use page_stream::PageStream;
pub use request::PageRequest;
pub use reservation::Reservation;
use sent_request::SentRequest;

use crate::Origin;
use crate::breaker::Breaker;
use crate::clock::Clock;
use crate::draining::Draining;
use crate::guard::Guard;
use crate::job::Job;
use crate::observe::{Counters, Event, Observers};
use crate::options::{CrawlOptions, FetchOptions};
use crate::pace::{Interval, Pace, PaceOptions};
use crate::retrieval::{FetchRecord, Page, Selection};
use crate::retry::Retry;
use crate::robots_cache::{RobotsCache, RobotsFile};
use crate::settings::Settings;
use crate::signing::Signer;
use crate::store::{Store, StoreError};
use crate::transport::Transport;

/// An HTTP client that respects robots.txt, limits its pace, and dials only checked addresses.
///
/// A fetch cannot bypass the guard, robots.txt or the pace. Only the [mode](comity::policy::Mode) can disable the
/// effect of robots.txt, and every record contains the mode. Clones share all state.
///
/// ```no_run
/// use comity_client::{Cause, Client};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::builder("ExampleBot").contact("https://example.com/bot").build()?;
/// match client.fetch("https://example.org/page").await {
///     Ok(page) => println!("{} bytes, {:?}", page.body().len(), page.record().warnings),
///     Err(error) => match error.cause() {
///         Cause::Robots(decision) => println!("not allowed: {decision}"),
///         Cause::Unreachable(down) => println!("{down}; next attempt at {:?}", down.retry_at()),
///         other => println!("{other}"),
///     },
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub agent: Agent,
    pub user_agent: HeaderValue,
    /// The signer of requests, if they are signed.
    pub signer: Option<Arc<Signer>>,
    pub preset: Preset,
    pub mode: Mode,
    pub guard: Guard,
    /// True if a proxy resolves names.
    pub is_proxied: bool,
    /// True if the transport ignores cookies, but would store them with the setting `network.cookies`.
    pub ignores_cookies: bool,
    pub robots: RobotsCache,
    pub pace: Arc<Pace>,
    pub pace_options: PaceOptions,
    pub retry: Retry,
    pub breaker: Breaker,
    pub store: Arc<dyn Store>,
    pub transport: Arc<dyn Transport>,
    pub clock: Arc<dyn Clock>,
    pub fetch: FetchOptions,
    pub crawl: CrawlOptions,
    pub observers: Observers,
    pub draining: Draining,
    /// The cached llms.txt files.
    #[cfg(feature = "llms")]
    pub llms: LlmsCache,
}

impl Client {
    /// Returns a builder of a client for the crawler with this product token. The token is checked when the client is
    /// built. To set a whole header, use [`ClientBuilder::user_agent`].
    pub fn builder(token: impl Into<String>) -> ClientBuilder {
        let mut settings = Settings::default();
        settings.agent.token = token.into();
        Client::with_settings(settings)
    }

    /// Returns a builder of a client for a crawler with several names ([`Agent::or_token`]).
    pub fn builder_for(agent: Agent) -> ClientBuilder {
        ClientBuilder::new(Settings::default(), Some(agent))
    }

    /// Returns a builder of a client with the given settings.
    ///
    /// Missing settings have their defaults. The store in the settings is opened when the client is built.
    pub fn with_settings(settings: Settings) -> ClientBuilder {
        ClientBuilder::new(settings, None)
    }

    /// Fetches a URL.
    ///
    /// An answer with any status code is a [`Page`], even a 404. If the options of the client follow llms.txt
    /// ([`FetchOptions::llms`]), the client may return a better form of the page instead. The record contains the
    /// selected form and the reason.
    ///
    /// # Errors
    ///
    /// [`FetchError`] if a step refused the request or there was no answer, with the record of the steps so far;
    /// [`Cause::NoAlternative`] if only a better form was wanted ([`Strategy::Force`](comity::llms::Strategy::Force))
    /// and the site has no such form that may be fetched.
    pub async fn fetch(&self, url: impl AsRef<str>) -> Result<Page, FetchError> {
        self.fetch_with(url, &self.inner.fetch).await
    }

    /// Fetches a URL with the given options.
    ///
    /// # Errors
    ///
    /// As for [`fetch`](Client::fetch).
    pub async fn fetch_with(&self, url: impl AsRef<str>, options: &FetchOptions) -> Result<Page, FetchError> {
        self.select_and_fetch(url.as_ref(), options, &Job::default()).await
    }

    /// Fetches a selected form of a page with the given options, as part of a job.
    pub(crate) async fn fetch_as(
        &self,
        url: &str,
        options: &FetchOptions,
        selection: Selection,
        job: &Job,
    ) -> Result<Page, FetchError> {
        pipeline::fetch(self, url, SentRequest::get(), options, selection, job).await
    }

    /// Finishes the requests in flight and rejects new requests, for this client and its clones.
    ///
    /// A crawl reads no more URLs from its source, and the fetches of its queued URLs end at once. A request that was
    /// sent is finished, including its body. A fetch that waits for its turn or begins later ends with
    /// [`Cause::Drained`] and the record of the steps so far. Leases are released. The method returns when all
    /// operations in flight have ended, which takes at most the timeouts of these operations.
    ///
    /// ```
    /// use comity_client::{Cause, Client};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::builder("ExampleBot").build()?;
    /// client.drain().await;
    /// let error = client.fetch("https://example.com/").await.unwrap_err();
    /// assert!(matches!(error.cause(), Cause::Drained));
    /// assert_eq!(error.record().outcome.as_str(), "drained");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn drain(&self) {
        self.inner.draining.drain().await;
    }

    /// Checks a URL by the guard and robots.txt, without fetching the URL. Returns the decision of robots.txt.
    ///
    /// # Errors
    ///
    /// [`Cause::Url`], [`Cause::Guard`], [`Cause::Store`] or [`Cause::Drained`]. A URL that robots.txt disallows is not
    /// an error here. A name without an address is not an error, either: its robots.txt counts as unreachable, and the
    /// preset determines the decision.
    pub async fn decide(&self, url: impl AsRef<str>) -> Result<DecisionRecord, Cause> {
        Ok(self.decide_with_interval(url).await?.0)
    }

    /// Checks a URL as [`decide`](Client::decide) does. Also returns the minimum interval between two requests to its
    /// site: the longer of the configured interval and the interval in robots.txt, which `max_interval` limits.
    ///
    /// # Errors
    ///
    /// As for [`decide`](Client::decide).
    pub async fn decide_with_interval(
        &self,
        url: impl AsRef<str>,
    ) -> Result<(DecisionRecord, Interval), Cause> {
        let url = steps::parse(url.as_ref())?;
        let origin = self.origin_of(&url).await?;
        self.inner.decide(&url, &origin, Duration::MAX, &Job::default()).await
    }

    /// Returns the wait before the next request to an origin, from the local state of this process.
    ///
    /// The store is not read, so slots of other processes are not included.
    pub fn next_slot(&self, origin: &Origin) -> Duration {
        self.inner.pace.rest(origin).duration
    }

    /// Returns the `Crawl-delay` for this crawler in the robots.txt of a URL's site, as written in the file. Returns
    /// `None` if there is no delay, or if no rules apply. The pace applies the delay automatically, within its limits.
    ///
    /// # Errors
    ///
    /// As for [`decide`](Client::decide).
    pub async fn crawl_delay(&self, url: impl AsRef<str>) -> Result<Option<Duration>, Cause> {
        let url = steps::parse(url.as_ref())?;
        let origin = self.origin_of(&url).await?;
        let policy = self.inner.robots.policy(&origin).await.map_err(|error| {
            match self.inner.draining.is_begun() {
                // A drained client does not request robots.txt, which the cache reports as an error of the store.
                true => Cause::Drained,
                false => Cause::Store(error),
            }
        })?;
        Ok(policy.rules(self.inner.clock.now()).and_then(Rules::crawl_delay))
    }

    /// Returns the robots.txt of the site of a URL. Requests it if necessary.
    ///
    /// A local fault, such as a store that cannot be used, is [`RobotsFile::FailedHere`] and not an error.
    ///
    /// ```
    /// use comity_client::guard::Guard;
    /// use comity_client::robots_cache::RobotsFile;
    /// use comity_client::testing::{FakeReply, FakeResolver, FakeTransport};
    /// use comity_client::Client;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let web = FakeTransport::new();
    /// web.on("https://down.example/robots.txt", FakeReply::status(503));
    /// let guard = Guard::new().with_resolver(FakeResolver::new());
    /// let client = Client::builder("ExampleBot").guard(guard).transport(web).build()?;
    /// let file = client.robots_txt("https://down.example/page").await?;
    /// assert!(matches!(file, RobotsFile::Unreachable { .. }));
    /// assert_eq!((file.status(), file.body()), (Some(503), None));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Cause::Url`], [`Cause::Guard`], or [`Cause::Drained`].
    pub async fn robots_txt(&self, url: impl AsRef<str>) -> Result<RobotsFile, Cause> {
        let url = steps::parse(url.as_ref())?;
        let origin = self.origin_of(&url).await?;
        if self.inner.draining.is_begun() {
            return Err(Cause::Drained);
        }
        let finding = self.inner.robots.file(&origin);
        self.inner.draining.unless_begun(std::pin::pin!(finding)).await.ok_or(Cause::Drained)
    }

    /// Returns the origin of a URL that the guard allows. A name without an address is not refused: its robots.txt
    /// counts as unreachable, and the preset determines the decision.
    async fn origin_of(&self, url: &Url) -> Result<Origin, Cause> {
        match self.inner.guard_url(url).await {
            Ok((origin, _)) => Ok(origin),
            Err(cause @ Cause::Transport(_)) => Origin::of(url).ok_or(cause),
            Err(cause) => Err(cause),
        }
    }

    /// Returns the cache of robots.txt files.
    pub fn robots(&self) -> &RobotsCache {
        &self.inner.robots
    }

    /// Returns the store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.inner.store
    }

    /// Returns the counters of events so far.
    pub fn counters(&self) -> &Counters {
        &self.inner.observers.counters
    }

    /// Returns the guard, which decides which URLs and addresses are allowed. [`Guard::resolver`] converts it into a
    /// resolver for another HTTP stack.
    pub fn guard(&self) -> &Guard {
        &self.inner.guard
    }

    /// Returns the crawler.
    pub fn agent(&self) -> &Agent {
        &self.inner.agent
    }

    /// Returns the `User-Agent` header that the client sends.
    pub fn user_agent(&self) -> &HeaderValue {
        &self.inner.user_agent
    }

    /// Returns true if a `User-Agent` header contains the crawler's token, or equals its header if it has no token.
    #[cfg(feature = "tower")]
    pub(crate) fn is_named_in(&self, user_agent: &HeaderValue) -> bool {
        let sent = user_agent.as_bytes();
        match self.inner.agent.is_header() {
            true => sent == self.inner.user_agent.as_bytes(),
            false => builder::names_token(&String::from_utf8_lossy(sent), self.inner.agent.as_str()),
        }
    }

    /// Returns the known crawler whose token the client's own token resembles ([`agents::closest`]). For example,
    /// `googelbot` may be a misspelling of `Googlebot`. [`ClientBuilder::build`] also logs a warning with `tracing`.
    pub fn near_miss(&self) -> Option<&'static KnownAgent> {
        let agent = &self.inner.agent;
        if agent.is_header() { None } else { agents::closest(agent.as_str()) }
    }

    /// Returns the preset.
    pub fn preset(&self) -> Preset {
        self.inner.preset
    }

    /// Returns the mode.
    pub fn mode(&self) -> Mode {
        self.inner.mode
    }

    /// Returns the default options for fetching pages.
    pub fn fetch_options(&self) -> &FetchOptions {
        &self.inner.fetch
    }

    /// Returns the limits of concurrent fetches in the settings. They can be passed to [`Client::fetch_many`] and
    /// [`Client::fetch_stream`].
    pub fn crawl_options(&self) -> &CrawlOptions {
        &self.inner.crawl
    }

    /// Creates the error, with its record, for text that is not an acceptable URL. Programs that are stricter about
    /// URLs than [`fetch`](Client::fetch) use it.
    pub fn refuse_url(
        &self,
        text: &str,
        problem: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> FetchError {
        let cause = Cause::Url(problem.into());
        let record = FetchRecord { error: Some(cause.to_string()), ..self.inner.empty_record(text) };
        let url = &*record.final_url;
        tracing::info!(url, outcome = cause.outcome().as_str(), "not fetched: {cause}");
        FetchError::new(cause, record)
    }

    pub(crate) fn refused(&self, url: &str, cause: Cause) -> FetchError {
        let error = Some(cause.to_string());
        let retry_after = cause.retry_after(self.inner.clock.now());
        let record =
            FetchRecord { outcome: cause.outcome(), error, retry_after, ..self.inner.empty_record(url) };
        FetchError::new(cause, record)
    }

    /// Returns the error for a URL whose fetch does not begin, and counts the refusal.
    pub(crate) fn refuse(&self, url: &str, cause: Cause) -> FetchError {
        let error = self.refused(url, cause);
        let (step, url, took) = (error.cause().step(), &*error.record().requested_url, Duration::ZERO);
        self.inner.observers.on(&Event::Refused { step, url, took });
        error
    }

    /// Removes the entry of an origin from the store and from memory. Returns true if the store had one.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be used.
    pub async fn forget(&self, origin: &Origin) -> Result<bool, StoreError> {
        self.inner.robots.forget(origin);
        self.inner.store.remove(origin).await
    }
}

impl Inner {
    /// Returns the record of a fetch that is about to begin.
    fn empty_record(&self, url: &str) -> FetchRecord {
        let now = self.clock.now();
        let url = hide_credentials(url).into_owned();
        FetchRecord {
            agent: self.agent.as_str().to_owned(),
            user_agent: String::from_utf8_lossy(self.user_agent.as_bytes()).into_owned(),
            preset: self.preset,
            mode: self.mode,
            began_at: now,
            ended_at: now,
            ..FetchRecord::of_url(url)
        }
    }
}
