//! The settings, typed: the sections of `comity.toml`, and the client and store that they describe.
//!
//! The structs are the one definition for every program that has these settings. Where values come from (flags,
//! variables, files, keyword arguments) is the program's business; `serde` reads them, and what is not there is the
//! client's default.
//!
//! ```
//! use comity_client::settings::{Location, Settings};
//!
//! let settings: Settings = serde_json::from_str(r#"{
//!     "agent": {"token": "ExampleBot", "contact": "https://example.com/bot"},
//!     "pace": {"min_interval_seconds": 2.5},
//!     "store": {"location": "memory"}
//! }"#)?;
//! let location: Location = settings.store.location.as_deref().unwrap_or("memory").parse()?;
//! let store = settings.store.open(&location)?;
//! let client = settings.client_builder()?.shared_store(store).build()?;
//! assert_eq!(client.agent().as_str(), "ExampleBot");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `sections.rs` | one struct per section, with the defaults |
//! | `values.rs` | how networks, name servers and header fields are written |
//! | `old_names.rs` | what settings of other libraries are called here |
//! | `store.rs` | what a location names, opening stores |

mod old_names;
mod sections;
mod store;
mod values;

use std::time::Duration;

use comity::policy::Overrides;

pub use self::old_names::new_name;
pub use self::sections::{
    AgentSettings, FetchSettings, GuardSettings, NetworkSettings, RobotsSettings, Settings, StoreSettings,
};
pub use self::store::{Location, UnknownLocation};
pub use self::values::{Field, Nameserver, Network};
use crate::guard::{DnsResolver, Guard};
use crate::robots_cache::RobotsOptions;
use crate::transport::HttpOptions;
use crate::{BuildError, Client, ClientBuilder, FetchOptions};

/// How long a name server is waited for before asking again.
const DNS_TIMEOUT: Duration = Duration::from_secs(2);

impl Settings {
    /// A client as these settings describe it, but for its store. Call it inside of the runtime that the client will
    /// run on: the sockets of a resolver of its own belong to that.
    ///
    /// # Errors
    ///
    /// [`BuildError`] for a header field that cannot be sent, a file of certificates that cannot be read, or name
    /// servers that cannot be used.
    pub fn client_builder(&self) -> Result<ClientBuilder, BuildError> {
        let mut builder = Client::builder(&self.agent.token)
            .preset(self.robots.preset)
            .guard(self.guard()?)
            .http(self.http_options()?)
            .robots(self.robots_options())
            .fetch(self.fetch_options()?)
            .pace(self.pace.clone())
            .retry(self.retry.clone())
            .breaker(self.breaker.clone());
        if let Some(mode) = self.robots.mode {
            builder = builder.mode(mode);
        }
        if let Some(contact) = &self.agent.contact {
            builder = builder.contact(contact);
        }
        if let Some(user_agent) = &self.agent.user_agent {
            builder = builder.user_agent(user_agent);
        }
        Ok(builder)
    }

    /// What may be dialled: `[guard]`, and the name servers of `[network]`.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if the name servers cannot be used.
    pub fn guard(&self) -> Result<Guard, BuildError> {
        let mut guard = Guard::new();
        for network in &self.guard.allow_address {
            guard = guard.allowing(network.0);
        }
        for host in &self.guard.allow_host {
            guard = guard.allowing_host(host);
        }
        for port in &self.guard.allow_port {
            guard = guard.allowing_port(*port);
        }
        if self.guard.allow_credentials {
            guard = guard.allowing_credentials();
        }
        let servers = &self.network.nameserver;
        if servers.is_empty() {
            return Ok(guard);
        }
        let resolver = DnsResolver::new(servers.iter().map(|server| server.0), DNS_TIMEOUT)
            .map_err(|error| BuildError::new(format!("the name servers cannot be used: {error}")))?;
        Ok(guard.with_resolver(resolver))
    }

    /// How connections are made: `[network]`.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if a file of certificates cannot be read.
    pub fn http_options(&self) -> Result<HttpOptions, BuildError> {
        let network = &self.network;
        let mut options = HttpOptions {
            connect_timeout: network.connect_timeout,
            read_timeout: network.read_timeout,
            verify_tls: !network.insecure,
            proxy: network.proxy.clone(),
            idle_per_host: network.idle_per_host,
            idle_connections: network.idle_connections,
            idle_timeout: network.idle_timeout,
            cookies: self.fetch.cookies,
            ..HttpOptions::default()
        };
        for path in &network.ca {
            options = options.trust_pem(path).map_err(|error| BuildError::new(error.to_string()))?;
        }
        Ok(options)
    }

    /// How robots.txt is asked for: `[robots]`.
    pub fn robots_options(&self) -> RobotsOptions {
        let RobotsSettings { timeout, max_redirects, max_bytes, memory_bytes, redirected_per_minute, .. } =
            self.robots;
        let mut overrides = Overrides::default();
        if let Some(choice) = self.robots.on_unreachable {
            overrides = overrides.with_on_unreachable(choice);
        }
        if let Some(max_age) = self.robots.max_age {
            overrides = overrides.with_max_age(max_age);
        }
        RobotsOptions { timeout, max_redirects, max_bytes, memory_bytes, redirected_per_minute, overrides }
    }

    /// How pages are fetched: `[fetch]`.
    ///
    /// # Errors
    ///
    /// [`BuildError`] for a header field that cannot be sent.
    pub fn fetch_options(&self) -> Result<FetchOptions, BuildError> {
        let fetch = &self.fetch;
        let mut options = FetchOptions::default();
        options.timeout = fetch.timeout;
        options.body_timeout = fetch.body_timeout;
        options.max_wait = fetch.max_wait;
        options.max_redirects = fetch.max_redirects;
        options.max_bytes = fetch.max_bytes;
        options.content_types = fetch.content_type.clone();
        options.reads_use = fetch.reads_use;
        options.profile = fetch.profile;
        for field in &fetch.header {
            options = options.header(&field.name, &field.value)?;
        }
        Ok(options)
    }
}
