//! How a client comes to be.

use std::sync::Arc;
#[cfg(feature = "dns")]
use std::time::Duration;

use comity::policy::{Mode, Preset};
use comity::robots::{Agent, ProductToken};
use http::HeaderValue;

use super::{Client, Inner};
use crate::breaker::{Breaker, BreakerOptions};
use crate::clock::{Clock, SystemClock};
use crate::draining::Draining;
#[cfg(feature = "dns")]
use crate::guard::DnsResolver;
use crate::guard::{Guard, GuardOptions};
use crate::observe::{Observer, Observers};
use crate::options::{AgentOptions, BuildError, CrawlOptions, FetchOptions};
use crate::pace::{Pace, PaceOptions, PacePer};
use crate::retry::{Retry, RetryOptions};
use crate::robots_cache::{Parts, RobotsCache, RobotsOptions};
use crate::settings::Settings;
use crate::store::Store;
#[cfg(feature = "http")]
use crate::transport::HttpTransport;
use crate::transport::{NetworkOptions, Transport};

/// How long a name server is waited for before asking again.
#[cfg(feature = "dns")]
const DNS_TIMEOUT: Duration = Duration::from_secs(2);

/// Of how many origins the llms.txt is remembered.
const REMEMBERED_LLMS: usize = 1024;

/// Builds a [`Client`]. See [`Client::builder`] and [`Client::with_settings`].
#[derive(Debug)]
#[must_use]
pub struct ClientBuilder {
    settings: Settings,
    /// The crawler, where it is more than the token of the settings.
    agent: Option<Agent>,
    /// The preset and the mode that were named apart from the options of robots.txt, which they go before.
    preset: Option<Preset>,
    mode: Option<Mode>,
    guard: Option<Guard>,
    store: Option<Arc<dyn Store>>,
    transport: Option<Arc<dyn Transport>>,
    clock: Arc<dyn Clock>,
    observer: Option<Arc<dyn Observer>>,
}

impl ClientBuilder {
    pub(super) fn new(settings: Settings, agent: Option<Agent>) -> Self {
        ClientBuilder {
            settings,
            agent,
            preset: None,
            mode: None,
            guard: None,
            store: None,
            transport: None,
            clock: Arc::new(SystemClock),
            observer: None,
        }
    }

    /// The whole `User-Agent` header. The product token has to be part of it (RFC 9309 §2.2.1), so that a site that
    /// reads its log knows what to write into its robots.txt.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.settings.agent.user_agent = Some(user_agent.into());
        self
    }

    /// How a site can reach whoever runs this: a URL or a mail address, put into the `User-Agent` header that is made
    /// if none is given: `ExampleBot (+https://example.com/bot) Comity/0.1.0`.
    pub fn contact(mut self, contact: impl Into<String>) -> Self {
        self.settings.agent.contact = Some(contact.into());
        self
    }

    /// The preset; it brings its mode. It goes before the one of [`robots`](ClientBuilder::robots), in whichever order they
    /// are given.
    pub fn preset(self, preset: Preset) -> Self {
        ClientBuilder { preset: Some(preset), ..self }
    }

    /// The mode, whatever the preset's. It goes before the one of [`robots`](ClientBuilder::robots), too.
    pub fn mode(self, mode: Mode) -> Self {
        ClientBuilder { mode: Some(mode), ..self }
    }

    /// What may be dialled. Without a guard there is a strict one, with the exceptions of the settings.
    pub fn guard(self, guard: Guard) -> Self {
        ClientBuilder { guard: Some(guard), ..self }
    }

    /// Where robots.txt answers, leases and the pace live. Without a store, the one that the settings name is opened; if they
    /// name none, all of it is in memory.
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
    pub fn network(mut self, network: NetworkOptions) -> Self {
        self.settings.network = network;
        self
    }

    /// The clock; the system's if nothing is said.
    pub fn clock(self, clock: impl Clock) -> Self {
        ClientBuilder { clock: Arc::new(clock), ..self }
    }

    /// How robots.txt is asked for.
    pub fn robots(mut self, robots: RobotsOptions) -> Self {
        self.settings.robots = robots;
        self
    }

    /// How pages are fetched.
    pub fn fetch(mut self, fetch: FetchOptions) -> Self {
        self.settings.fetch = fetch;
        self
    }

    /// How many pages are fetched at once.
    pub fn crawl(mut self, crawl: CrawlOptions) -> Self {
        self.settings.crawl = crawl;
        self
    }

    /// How fast.
    pub fn pace(mut self, pace: PaceOptions) -> Self {
        self.settings.pace = pace;
        self
    }

    /// What is tried again.
    pub fn retry(mut self, retry: RetryOptions) -> Self {
        self.settings.retry = retry;
        self
    }

    /// When an origin is left alone for a while.
    pub fn breaker(mut self, breaker: BreakerOptions) -> Self {
        self.settings.breaker = breaker;
        self
    }

    /// Who listens to what happens.
    pub fn observer(self, observer: impl Observer) -> Self {
        ClientBuilder { observer: Some(Arc::new(observer)), ..self }
    }

    /// Builds the client. Name servers in the settings need the runtime that the client will run on: their resolver's sockets
    /// belong to it.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if the product token is not valid ([`ProductToken`]; `*` is not valid here), if the `User-Agent`
    /// header does not name the token or cannot be sent, if the store that the settings name cannot be opened, if a file of
    /// certificates or a proxy cannot be used, or if there is no transport to be had.
    pub fn build(self) -> Result<Client, BuildError> {
        let agent = self.agent.unwrap_or_else(|| Agent::token(&self.settings.agent.token));
        check_name(&agent)?;
        let user_agent = header_value(&agent, &self.settings.agent)?;
        let Settings { network, fetch, crawl, store, pace: pace_options, robots: robots_options, .. } =
            self.settings;
        let guard = match self.guard {
            Some(guard) => guard,
            None => guard_of(&self.settings.guard, &network)?,
        };
        let (transport, is_proxied) = match self.transport {
            Some(transport) => (transport, false),
            None => (transport_of(&guard, &network)?, network.proxy.is_some()),
        };
        let store = match self.store {
            Some(store) => store,
            None => store.open().map_err(|error| BuildError::new(error.to_string()))?,
        };
        let observers = Observers { counters: Arc::default(), other: self.observer };
        let draining = Draining::default();
        let preset = self.preset.unwrap_or(robots_options.preset);
        let mode = self.mode.or(robots_options.mode).unwrap_or_else(|| preset.mode());
        let per = pace_options.per.or_else(|| Some(PacePer::of_preset(preset)));
        let pace_options = PaceOptions { per, ..pace_options };
        let pace = Arc::new(Pace::new(store.clone(), self.clock.clone(), &pace_options));
        // Whoever waits for a page waits for its robots.txt first.
        let timeout = robots_options.timeout.min(fetch.timeout);
        let robots = RobotsCache::new(Parts {
            agent: agent.clone(),
            user_agent: user_agent.clone(),
            preset,
            mode,
            options: RobotsOptions { timeout, ..robots_options },
            store: store.clone(),
            transport: transport.clone(),
            guard: guard.clone(),
            clock: self.clock.clone(),
            pace: pace.clone(),
            pace_options: pace_options.clone(),
            observers: observers.clone(),
            draining: draining.clone(),
        });
        let inner = Inner {
            agent,
            user_agent,
            preset,
            mode,
            guard,
            is_proxied,
            robots,
            pace,
            pace_options,
            retry: Retry::new(self.settings.retry),
            breaker: Breaker::new(&self.settings.breaker),
            store,
            transport,
            clock: self.clock,
            fetch,
            crawl,
            observers,
            draining,
            llms: quick_cache::sync::Cache::new(REMEMBERED_LLMS),
        };
        let client = Client { inner: Arc::new(inner) };
        if let Some(known) = client.near_miss() {
            let (token, known) = (client.agent().as_str(), known.token());
            tracing::warn!(token, known, "the product token is that of no known crawler, and resembles one");
        }
        Ok(client)
    }
}

/// Returns the guard that the settings describe.
fn guard_of(options: &GuardOptions, network: &NetworkOptions) -> Result<Guard, BuildError> {
    let guard = Guard::with_options(options);
    if network.nameserver.is_empty() {
        return Ok(guard);
    }
    #[cfg(feature = "dns")]
    {
        let servers = network.nameserver.iter().map(|server| server.0);
        let resolver = DnsResolver::new(servers, DNS_TIMEOUT)
            .map_err(|error| BuildError::new(format!("the name servers cannot be used: {error}")))?;
        Ok(guard.with_resolver(resolver))
    }
    #[cfg(not(feature = "dns"))]
    Err(BuildError::new("this build cannot ask name servers: switch the feature `dns` on"))
}

/// Returns the transport that this crate brings.
#[cfg(feature = "http")]
fn transport_of(guard: &Guard, network: &NetworkOptions) -> Result<Arc<dyn Transport>, BuildError> {
    let transport = HttpTransport::new(guard.clone(), network);
    Ok(Arc::new(transport.map_err(|error| BuildError::new(error.to_string()))?))
}

#[cfg(not(feature = "http"))]
fn transport_of(_: &Guard, _: &NetworkOptions) -> Result<Arc<dyn Transport>, BuildError> {
    Err(BuildError::new("no transport: give one, or switch the feature `http` on"))
}

/// Returns the `User-Agent` header: the one that is named, or one made of token and contact.
fn header_value(agent: &Agent, options: &AgentOptions) -> Result<HeaderValue, BuildError> {
    let token = agent.as_str();
    let text = match &options.user_agent {
        Some(text) => text.clone(),
        None if agent.is_header() => token.to_owned(),
        None => {
            let contact = options.contact.as_ref();
            let contact = contact.map(|contact| format!(" (+{contact})")).unwrap_or_default();
            let own = concat!("Comity/", env!("CARGO_PKG_VERSION"));
            if token.eq_ignore_ascii_case("comity") {
                format!("{own}{contact}")
            } else {
                format!("{token}{contact} {own}")
            }
        }
    };
    let names_token = text.to_ascii_lowercase().contains(&token.to_ascii_lowercase());
    if !agent.is_header() && !names_token {
        return Err(BuildError::new(format!(
            "the User-Agent `{text}` does not name the product token `{token}`; a site could not tell whom its \
             robots.txt is read for"
        )));
    }
    text.parse().map_err(|_| BuildError::new(format!("`{text}` cannot be sent as a User-Agent header")))
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
