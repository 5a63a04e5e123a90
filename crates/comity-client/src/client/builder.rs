//! Builds clients.

use std::sync::Arc;
#[cfg(feature = "dns")]
use std::time::Duration;

use comity::policy::{Mode, Preset};
use comity::robots::{Agent, ProductToken};
use http::HeaderValue;

#[cfg(feature = "llms")]
use super::alternatives::LlmsCache;
use super::identity::OwnIdentity;
use super::{Client, Inner};
use crate::breaker::{Breaker, BreakerOptions};
use crate::clock::{Clock, SystemClock};
use crate::draining::Draining;
#[cfg(feature = "dns")]
use crate::guard::DnsResolver;
use crate::guard::{Guard, GuardOptions};
use crate::observe::{Observer, Observers};
use crate::options::{AgentOptions, ClientBuildError, CrawlOptions, FetchOptions};
use crate::pace::{Pace, PaceOptions, PacePer};
use crate::retry::{Retry, RetryOptions};
use crate::robots_cache::{Parts, RobotsCache, RobotsOptions};
use crate::settings::Settings;
use crate::store::Store;
#[cfg(feature = "http")]
use crate::transport::HttpTransport;
use crate::transport::{NetworkOptions, Transport};

/// Timeout of a DNS query before it is sent again.
#[cfg(feature = "dns")]
const DNS_TIMEOUT: Duration = Duration::from_secs(2);

/// A builder of a [`Client`]. See [`Client::builder`] and [`Client::with_settings`].
#[derive(Debug)]
#[must_use]
pub struct ClientBuilder {
    pub(super) settings: Settings,
    /// The crawler. `None` if it has only the token in the settings.
    agent: Option<Agent>,
    /// Preset and mode that were set with separate methods. They override the preset and the mode in the options of
    /// robots.txt.
    preset: Option<Preset>,
    mode: Option<Mode>,
    pub(super) identity: OwnIdentity,
    guard: Option<Guard>,
    on_web_ports: bool,
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
            identity: OwnIdentity::default(),
            guard: None,
            on_web_ports: false,
            store: None,
            transport: None,
            clock: Arc::new(SystemClock),
            observer: None,
        }
    }

    /// Sets the whole `User-Agent` header. It must contain the product token (RFC 9309 §2.2.1), so that the operator of
    /// a site can find the token for robots.txt in the logs.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.settings.agent.user_agent = Some(user_agent.into());
        self
    }

    /// Sets the contact of the crawler's operator: a URL or a mail address. It is part of the `User-Agent` header,
    /// `ExampleBot (+https://example.com/bot) Comity/0.1.0`, unless a whole header is set.
    pub fn contact(mut self, contact: impl Into<String>) -> Self {
        self.settings.agent.contact = Some(contact.into());
        self
    }

    /// Sets the preset. The mode of the preset applies unless a mode is set. The preset overrides the preset in
    /// [`robots`](ClientBuilder::robots), in any order of the calls.
    pub fn preset(self, preset: Preset) -> Self {
        ClientBuilder { preset: Some(preset), ..self }
    }

    /// Sets the mode. It overrides the mode of the preset and the mode in [`robots`](ClientBuilder::robots).
    pub fn mode(self, mode: Mode) -> Self {
        ClientBuilder { mode: Some(mode), ..self }
    }

    /// Sets the guard, which decides which URLs and addresses are allowed. The default is a strict guard with the
    /// exceptions in the settings.
    pub fn guard(self, guard: Guard) -> Self {
        ClientBuilder { guard: Some(guard), ..self }
    }

    /// Refuses all ports except 80, 443 and the ports that the guard allows ([`Guard::on_web_ports`]). Programs that
    /// accept URLs from untrusted users need this restriction. It applies to redirects, too.
    pub fn on_web_ports(self) -> Self {
        ClientBuilder { on_web_ports: true, ..self }
    }

    /// Sets the store of robots.txt answers, leases and the pace. The default is the store in the settings or, if they
    /// name no store, a store in memory.
    pub fn store(self, store: impl Store) -> Self {
        self.shared_store(Arc::new(store))
    }

    /// Sets a store that is shared with other clients.
    pub fn shared_store(self, store: Arc<dyn Store>) -> Self {
        ClientBuilder { store: Some(store), ..self }
    }

    /// Sets the transport, which sends requests. A custom transport must dial only the addresses that the guard
    /// checked.
    pub fn transport(self, transport: impl Transport) -> Self {
        ClientBuilder { transport: Some(Arc::new(transport)), ..self }
    }

    /// Sets the options for connections. They apply to the transport of this crate, not to a custom transport.
    pub fn network(mut self, network: NetworkOptions) -> Self {
        self.settings.network = network;
        self
    }

    /// Sets the clock. The default is the clock of the system.
    pub fn clock(self, clock: impl Clock) -> Self {
        ClientBuilder { clock: Arc::new(clock), ..self }
    }

    /// Sets the options for robots.txt.
    pub fn robots(mut self, robots: RobotsOptions) -> Self {
        self.settings.robots = robots;
        self
    }

    /// Sets the options for fetching pages.
    pub fn fetch(mut self, fetch: FetchOptions) -> Self {
        self.settings.fetch = fetch;
        self
    }

    /// Sets the limits of concurrent fetches.
    pub fn crawl(mut self, crawl: CrawlOptions) -> Self {
        self.settings.crawl = crawl;
        self
    }

    /// Sets the options of the pace.
    pub fn pace(mut self, pace: PaceOptions) -> Self {
        self.settings.pace = pace;
        self
    }

    /// Sets the options for retries.
    pub fn retry(mut self, retry: RetryOptions) -> Self {
        self.settings.retry = retry;
        self
    }

    /// Sets the options of the circuit breaker.
    pub fn breaker(mut self, breaker: BreakerOptions) -> Self {
        self.settings.breaker = breaker;
        self
    }

    /// Sets an observer of the client's events.
    pub fn observer(self, observer: impl Observer) -> Self {
        ClientBuilder { observer: Some(Arc::new(observer)), ..self }
    }

    /// Builds the client. If the settings name DNS servers, call this method inside the runtime in which the client
    /// will be used, since the sockets of the resolver belong to that runtime.
    ///
    /// # Errors
    ///
    /// [`ClientBuildError`] if the product token is not valid ([`ProductToken`]; `*` is not valid here), if the
    /// `User-Agent` header does not contain the token or cannot be sent, if the store in the settings cannot be opened,
    /// if certificates, an identity, a proxy or name servers cannot be used, or if no transport is set or built in.
    pub fn build(self) -> Result<Client, ClientBuildError> {
        let agent = self.agent.unwrap_or_else(|| Agent::unchecked_token(&self.settings.agent.token));
        check_name(&agent)?;
        let user_agent = header_value(&agent, &self.settings.agent)?;
        let signer = self.identity.signer(&self.settings, &self.clock)?;
        let Settings { network, fetch, crawl, store, pace: pace_options, robots: robots_options, .. } =
            self.settings;
        let guard = match self.guard {
            Some(guard) => guard,
            None => guard_of(&self.settings.guard, &network)?,
        };
        let guard = if self.on_web_ports { guard.on_web_ports() } else { guard };
        let (transport, is_proxied, ignores_cookies) = match self.transport {
            Some(transport) => (transport, false, false),
            None => (transport_of(&guard, &network)?, network.proxy.is_some(), !network.cookies),
        };
        let store = match self.store {
            Some(store) => store,
            None => store.open().map_err(|error| ClientBuildError::new(error.to_string()))?,
        };
        let observers = Observers { counters: Arc::default(), other: self.observer };
        let draining = Draining::default();
        let preset = self.preset.unwrap_or(robots_options.preset);
        let mode = self.mode.or(robots_options.mode).unwrap_or_else(|| preset.mode());
        let per = pace_options.per.or_else(|| Some(PacePer::of_preset(preset)));
        let pace_options = PaceOptions { per, ..pace_options };
        let pace = Arc::new(Pace::new(store.clone(), self.clock.clone(), &pace_options));
        // A fetch of a page waits for robots.txt first. So the timeout for pages is also the maximum timeout for
        // robots.txt.
        let robots_timeout = robots_options.timeout.map_or(fetch.timeout, |most| most.min(fetch.timeout));
        let robots = RobotsCache::new(Parts {
            agent: agent.clone(),
            user_agent: user_agent.clone(),
            signer: signer.clone(),
            preset,
            mode,
            options: robots_options,
            timeout: robots_timeout,
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
            signer,
            preset,
            mode,
            guard,
            is_proxied,
            ignores_cookies,
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
            #[cfg(feature = "llms")]
            llms: LlmsCache::new(),
        };
        let client = Client { inner: Arc::new(inner) };
        if let Some(known) = client.near_miss() {
            let (token, known) = (client.agent().as_str(), known.token());
            tracing::warn!(token, known, "the product token resembles that of a known crawler");
        }
        Ok(client)
    }
}

/// Creates the guard from the settings.
fn guard_of(options: &GuardOptions, network: &NetworkOptions) -> Result<Guard, ClientBuildError> {
    let guard = Guard::with_options(options);
    if network.nameserver.is_empty() {
        return Ok(guard);
    }
    #[cfg(feature = "dns")]
    {
        let servers = network.nameserver.iter().map(|server| server.0);
        let resolver = DnsResolver::new(servers, DNS_TIMEOUT)
            .map_err(|error| ClientBuildError::new(format!("the name servers cannot be used: {error}")))?;
        Ok(guard.with_resolver(resolver))
    }
    #[cfg(not(feature = "dns"))]
    Err(ClientBuildError::new("this build cannot query name servers: enable the feature `dns`"))
}

/// Creates the transport of this crate.
#[cfg(feature = "http")]
fn transport_of(guard: &Guard, network: &NetworkOptions) -> Result<Arc<dyn Transport>, ClientBuildError> {
    let transport = HttpTransport::new(guard.clone(), network);
    Ok(Arc::new(transport.map_err(|error| ClientBuildError::new(error.to_string()))?))
}

#[cfg(not(feature = "http"))]
fn transport_of(_: &Guard, _: &NetworkOptions) -> Result<Arc<dyn Transport>, ClientBuildError> {
    Err(ClientBuildError::new("no transport: set one, or enable the feature `http`"))
}

/// Returns the `User-Agent` header: the whole header in the options, or a header built from token and contact.
fn header_value(agent: &Agent, options: &AgentOptions) -> Result<HeaderValue, ClientBuildError> {
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
    if !agent.is_header() && !names_token(&text, token) {
        return Err(ClientBuildError::new(format!(
            "the User-Agent `{text}` does not contain the product token `{token}`, by which a site identifies the crawler \
             in robots.txt; add it"
        )));
    }
    text.parse().map_err(|_| ClientBuildError::new(format!("`{text}` cannot be sent as a User-Agent header")))
}

/// Returns true if a `User-Agent` header contains a whole product token, in upper or lower case: `Googlebot/2.1` does
/// not contain `Bot`.
pub(super) fn names_token(user_agent: &str, token: &str) -> bool {
    let (user_agent, token) = (user_agent.to_ascii_lowercase(), token.to_ascii_lowercase());
    let is_of_a_token = |octet: &u8| octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'_');
    user_agent.match_indices(&token).any(|(at, _)| {
        let (before, after) = (&user_agent.as_bytes()[..at], &user_agent.as_bytes()[at + token.len()..]);
        !before.last().is_some_and(is_of_a_token) && !after.first().is_some_and(is_of_a_token)
    })
}

/// Rejects text that cannot be a crawler's name, since no group of a robots.txt would match it.
fn check_name(agent: &Agent) -> Result<(), ClientBuildError> {
    let name = agent.as_str();
    if !agent.is_header() {
        return name.parse::<ProductToken>().map(|_| ()).map_err(|error| {
            let problem = error.problem();
            let way = "use the name alone, such as `ExampleBot`, and set the whole header as `user_agent`";
            ClientBuildError::new(format!("{problem}: {way}"))
        });
    }
    if name.trim().is_empty() {
        return Err(ClientBuildError::new(
            "the User-Agent header is empty; it must contain the product token",
        ));
    }
    Ok(())
}
