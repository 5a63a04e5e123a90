//! How a client comes to be.

use std::fmt;
use std::sync::Arc;

use comity::policy::{Mode, Preset};
use comity::robots::{Agent, ProductToken};
use http::HeaderValue;

use super::{Client, Inner};
use crate::breaker::{Breaker, BreakerConfig};
use crate::clock::{Clock, SystemClock};
use crate::guard::Guard;
use crate::observe::{Observer, Observers};
use crate::pace::{Pace, PaceConfig, PacePer};
use crate::retry::{Retry, RetryConfig};
use crate::robots_cache::{Parts, RobotsCache, RobotsOptions};
use crate::store::{MemoryStore, Store};
use crate::transport::Transport;
#[cfg(feature = "http")]
use crate::transport::{HttpOptions, HttpTransport};

use super::options::FetchOptions;

/// Of how many origins the llms.txt is remembered.
const REMEMBERED_LLMS: usize = 1024;

/// Builds a [`Client`]. See [`Client::builder`].
#[derive(Debug)]
#[must_use]
pub struct ClientBuilder {
    agent: Agent,
    user_agent: Option<String>,
    contact: Option<String>,
    preset: Preset,
    mode: Option<Mode>,
    guard: Guard,
    store: Option<Arc<dyn Store>>,
    transport: Option<Arc<dyn Transport>>,
    #[cfg(feature = "http")]
    http: HttpOptions,
    clock: Arc<dyn Clock>,
    robots: RobotsOptions,
    fetch: FetchOptions,
    pace: PaceConfig,
    retry: RetryConfig,
    breaker: BreakerConfig,
    observer: Option<Arc<dyn Observer>>,
}

impl ClientBuilder {
    pub(super) fn new(agent: Agent) -> Self {
        ClientBuilder {
            agent,
            user_agent: None,
            contact: None,
            preset: Preset::default(),
            mode: None,
            guard: Guard::new(),
            store: None,
            transport: None,
            #[cfg(feature = "http")]
            http: HttpOptions::default(),
            clock: Arc::new(SystemClock),
            robots: RobotsOptions::default(),
            fetch: FetchOptions::default(),
            pace: PaceConfig::default(),
            retry: RetryConfig::default(),
            breaker: BreakerConfig::default(),
            observer: None,
        }
    }

    /// The whole `User-Agent` header. The product token has to be part of it (RFC 9309 §2.2.1), so that a site that
    /// reads its log knows what to write into its robots.txt.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = Some(user_agent.into());
        self
    }

    /// How a site can reach whoever runs this: a URL or a mail address, put into the `User-Agent` header that is made
    /// if none is given: `ExampleBot (+https://example.com/bot) Comity/0.1.0`.
    pub fn contact(mut self, contact: impl Into<String>) -> Self {
        self.contact = Some(contact.into());
        self
    }

    /// The preset; [`Preset::Rfc9309`] if none is named. It brings its mode.
    pub fn preset(self, preset: Preset) -> Self {
        ClientBuilder { preset, ..self }
    }

    /// The mode, whatever the preset's.
    pub fn mode(self, mode: Mode) -> Self {
        ClientBuilder { mode: Some(mode), ..self }
    }

    /// What may be dialled; only what is globally reachable if nothing is said.
    pub fn guard(self, guard: Guard) -> Self {
        ClientBuilder { guard, ..self }
    }

    /// Where robots.txt answers, leases and the pace live; in memory if nothing is said.
    pub fn store(self, store: impl Store) -> Self {
        self.shared_store(Arc::new(store))
    }

    /// A store that others use as well.
    pub fn shared_store(self, store: Arc<dyn Store>) -> Self {
        ClientBuilder { store: Some(store), ..self }
    }

    /// What carries requests; a transport of one's own has to dial only what the guard checked.
    pub fn transport(self, transport: impl Transport) -> Self {
        ClientBuilder { transport: Some(Arc::new(transport)), ..self }
    }

    /// How the transport that this crate brings connects.
    #[cfg(feature = "http")]
    pub fn http(self, http: HttpOptions) -> Self {
        ClientBuilder { http, ..self }
    }

    /// The clock; the system's if nothing is said.
    pub fn clock(self, clock: impl Clock) -> Self {
        ClientBuilder { clock: Arc::new(clock), ..self }
    }

    /// How robots.txt is asked for.
    pub fn robots(self, robots: RobotsOptions) -> Self {
        ClientBuilder { robots, ..self }
    }

    /// How pages are fetched.
    pub fn fetch(self, fetch: FetchOptions) -> Self {
        ClientBuilder { fetch, ..self }
    }

    /// How fast.
    pub fn pace(self, pace: PaceConfig) -> Self {
        ClientBuilder { pace, ..self }
    }

    /// What is tried again.
    pub fn retry(self, retry: RetryConfig) -> Self {
        ClientBuilder { retry, ..self }
    }

    /// When an origin is left alone for a while.
    pub fn breaker(self, breaker: BreakerConfig) -> Self {
        ClientBuilder { breaker, ..self }
    }

    /// Who listens to what happens.
    pub fn observer(self, observer: impl Observer) -> Self {
        ClientBuilder { observer: Some(Arc::new(observer)), ..self }
    }

    /// The client.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if the product token is not valid ([`ProductToken`]; `*` is not valid here), if the `User-Agent` header
    /// does not name the token or cannot be sent, or if there is no transport to be had.
    pub fn build(self) -> Result<Client, BuildError> {
        check_name(&self.agent)?;
        let user_agent = self.header_value()?;
        #[cfg(feature = "http")]
        let (transport, is_proxied): (Arc<dyn Transport>, bool) = match self.transport {
            Some(transport) => (transport, false),
            None => {
                let transport = HttpTransport::new(self.guard.clone(), &self.http)
                    .map_err(|error| BuildError::new(error.to_string()))?;
                (Arc::new(transport), self.http.proxy.is_some())
            }
        };
        #[cfg(not(feature = "http"))]
        let (transport, is_proxied) = match self.transport {
            Some(transport) => (transport, false),
            None => return Err(BuildError::new("no transport: give one, or switch the feature `http` on")),
        };
        let store = self.store.unwrap_or_else(|| Arc::new(MemoryStore::new()));
        let observers = Observers { counters: Arc::default(), other: self.observer };
        let mode = self.mode.unwrap_or_else(|| self.preset.mode());
        let per = self.pace.per.or_else(|| Some(PacePer::of_preset(self.preset)));
        let pace_config = PaceConfig { per, ..self.pace };
        let pace = Arc::new(Pace::new(store.clone(), self.clock.clone(), &pace_config));
        // Whoever waits for a page waits for its robots.txt first.
        let timeout = self.robots.timeout.min(self.fetch.timeout);
        let robots = RobotsCache::new(Parts {
            agent: self.agent.clone(),
            user_agent: user_agent.clone(),
            preset: self.preset,
            mode,
            options: RobotsOptions { timeout, ..self.robots },
            store: store.clone(),
            transport: transport.clone(),
            guard: self.guard.clone(),
            clock: self.clock.clone(),
            pace: pace.clone(),
            pace_config: pace_config.clone(),
            observers: observers.clone(),
        });
        let inner = Inner {
            agent: self.agent,
            user_agent,
            preset: self.preset,
            mode,
            guard: self.guard,
            is_proxied,
            robots,
            pace,
            pace_config,
            retry: Retry::new(self.retry),
            breaker: Breaker::new(&self.breaker),
            store,
            transport,
            clock: self.clock,
            fetch: self.fetch,
            observers,
            llms: quick_cache::sync::Cache::new(REMEMBERED_LLMS),
        };
        let client = Client { inner: Arc::new(inner) };
        if let Some(known) = client.near_miss() {
            let (token, known) = (client.agent().as_str(), known.token());
            tracing::warn!(token, known, "the product token is that of no known crawler, and resembles one");
        }
        Ok(client)
    }

    fn header_value(&self) -> Result<HeaderValue, BuildError> {
        let token = self.agent.as_str();
        let text = match &self.user_agent {
            Some(text) => text.clone(),
            None if self.agent.is_header() => token.to_owned(),
            None => {
                let contact =
                    self.contact.as_ref().map(|contact| format!(" (+{contact})")).unwrap_or_default();
                let own = concat!("Comity/", env!("CARGO_PKG_VERSION"));
                if token.eq_ignore_ascii_case("comity") {
                    format!("{own}{contact}")
                } else {
                    format!("{token}{contact} {own}")
                }
            }
        };
        let names_token = text.to_ascii_lowercase().contains(&token.to_ascii_lowercase());
        if !self.agent.is_header() && !names_token {
            return Err(BuildError::new(format!(
                "the User-Agent `{text}` does not name the product token `{token}`; a site could not tell whom its \
                 robots.txt is read for"
            )));
        }
        text.parse().map_err(|_| BuildError::new(format!("`{text}` cannot be sent as a User-Agent header")))
    }
}

/// Refuses what can be no crawler's name. The client would read robots.txt for nobody.
fn check_name(agent: &Agent) -> Result<(), BuildError> {
    let name = agent.as_str();
    if !agent.is_header() {
        return name.parse::<ProductToken>().map(|_| ()).map_err(|error| {
            let problem = error.problem();
            let way = "name the crawler alone, such as `ExampleBot`; its whole header is its `user_agent`";
            BuildError::new(format!("{problem}: {way}"))
        });
    }
    if name.trim().is_empty() {
        return Err(BuildError::new("an empty User-Agent header names no crawler"));
    }
    Ok(())
}

/// Why there is no client.
#[derive(Debug)]
pub struct BuildError {
    message: String,
}

impl BuildError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        BuildError { message: message.into() }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BuildError {}
