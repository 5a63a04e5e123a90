//! What every command that touches the network shares: settings, store, client.
//!
//! ```text
//! flags > variables > ./comity.toml > the user's config.toml > defaults ─▶ Settings ─▶ Live ─▶ Client
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `settings.rs` | the settings, typed |
//! | `table.rs` | their names, flags and variables |
//! | `layers.rs`, `file.rs` | where values come from, and errors with their place |
//! | `values.rs` | how networks, times and header fields are written |
//! | `store.rs` | opening stores |

mod file;
mod layers;
mod settings;
pub(crate) mod store;
mod table;
pub(crate) mod values;

use std::sync::Arc;
use std::time::Duration;

use comity_client::guard::{DnsResolver, Guard};
use comity_client::robots_cache::RobotsOptions;
use comity_client::store::Store;
use comity_client::transport::HttpOptions;
use comity_client::{Cause, Client, FetchOptions};
use tokio::runtime::Runtime;

use self::file::NAME as CONFIG_NAME;
use self::layers::Files;
pub(crate) use self::layers::{Effective, Override, Source, Sourced};
pub(crate) use self::settings::Settings;
use crate::args::{FilesArgs, LiveArgs};
use crate::exit::Failure;
use crate::output::Output;

/// How long a name server is waited for before asking again.
const DNS_TIMEOUT: Duration = Duration::from_secs(2);

/// The environment of a command that touches the network.
#[derive(Debug)]
pub(crate) struct Live {
    runtime: Runtime,
    settings: Settings,
    store: Arc<dyn Store>,
}

/// The settings in force: `overrides` over the environment, files and defaults.
pub(crate) fn effective(files: &FilesArgs, overrides: Vec<Override>) -> Result<Effective, Failure> {
    let variable = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    let files = match (&files.config, files.no_config) {
        (Some(path), _) => Files::Only(path.clone()),
        (None, true) => Files::None,
        (None, false) => match variable("COMITY_CONFIG").filter(|path| !path.is_empty()) {
            Some(path) => Files::Only(path.into()),
            None => Files::Usual,
        },
    };
    layers::effective(overrides, &files, variable)
}

impl Live {
    /// Reads the settings, starts a runtime and opens the store. `more` are the command's own flags.
    pub(crate) fn new(args: &LiveArgs, more: Vec<Override>, output: &mut Output) -> Result<Live, Failure> {
        let mut overrides = args.overrides();
        overrides.extend(more);
        let settings = effective(&args.files, overrides)?.settings;
        let runtime = runtime()?;
        let store = store::open(&settings.store, output)?;
        Ok(Live { runtime, settings, store })
    }

    /// The settings in force.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Runs a future to its end.
    pub(crate) fn wait<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// Ends without waiting for name servers that are still being asked.
    pub(crate) fn finish(self) {
        self.runtime.shutdown_background();
    }

    /// A client for the crawler of the settings.
    pub(crate) fn client(&self) -> Result<Client, Failure> {
        let settings = &self.settings;
        // The resolver's sockets belong to the runtime.
        let _entered = self.runtime.enter();
        let agent = &settings.agent;
        let mut builder = Client::builder(&agent.token)
            .preset(settings.robots.preset)
            .guard(guard(settings)?)
            .shared_store(self.store.clone())
            .http(http(settings)?)
            .robots(robots(settings))
            .fetch(fetch(settings)?)
            .pace(settings.pace.clone())
            .retry(settings.retry.clone())
            .breaker(settings.breaker.clone());
        if let Some(mode) = settings.robots.mode {
            builder = builder.mode(mode);
        }
        if let Some(contact) = &agent.contact {
            builder = builder.contact(contact);
        }
        if let Some(user_agent) = &agent.user_agent {
            builder = builder.user_agent(user_agent);
        }
        builder.build().map_err(|error| Failure::new(error.to_string()))
    }

    /// Who fetches much should be reachable. A warning if nobody can be reached.
    pub(crate) fn warn_if_anonymous(&self, output: &mut Output) {
        let agent = &self.settings.agent;
        if agent.contact.is_none() && agent.user_agent.is_none() {
            output.warning(&format!(
                "sites that have trouble with these requests cannot reach you: name a page or mail address with \
                 --contact, COMITY_CONTACT, or `contact` under [agent] in {CONFIG_NAME}"
            ));
        }
    }
}

/// Two threads: one fetches while the other hashes or parses.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("cannot start: {}", crate::exit::reason(&error))))
}

fn guard(settings: &Settings) -> Result<Guard, Failure> {
    let mut guard = Guard::new();
    for network in &settings.guard.allow_address {
        guard = guard.allowing(network.0);
    }
    for host in &settings.guard.allow_host {
        guard = guard.allowing_host(host);
    }
    for port in &settings.guard.allow_port {
        guard = guard.allowing_port(*port);
    }
    if settings.guard.allow_credentials {
        guard = guard.allowing_credentials();
    }
    let servers = &settings.network.nameserver;
    if servers.is_empty() {
        return Ok(guard);
    }
    let resolver = DnsResolver::new(servers.iter().map(|server| server.0), DNS_TIMEOUT)
        .map_err(|error| Failure::new(format!("the name servers cannot be used: {error}")))?;
    Ok(guard.with_resolver(resolver))
}

fn http(settings: &Settings) -> Result<HttpOptions, Failure> {
    let network = &settings.network;
    let mut options = HttpOptions::default();
    options.connect_timeout = network.connect_timeout;
    options.read_timeout = network.read_timeout;
    options.verify_tls = !network.insecure;
    options.proxy = network.proxy.clone();
    options.idle_per_host = network.idle_per_host;
    options.cookies = settings.fetch.cookies;
    for path in &network.ca {
        options = options.trust_pem(path).map_err(|error| Failure::new(error.to_string()))?;
    }
    Ok(options)
}

fn robots(settings: &Settings) -> RobotsOptions {
    let robots = &settings.robots;
    let mut options = RobotsOptions::default();
    options.timeout = robots.timeout;
    options.max_redirects = robots.max_redirects;
    options.max_bytes = robots.max_bytes;
    options.memory_bytes = robots.memory_bytes;
    options
}

fn fetch(settings: &Settings) -> Result<FetchOptions, Failure> {
    let fetch = &settings.fetch;
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
        options =
            options.header(&field.name, &field.value).map_err(|error| Failure::new(error.to_string()))?;
    }
    Ok(options)
}

/// Why a fetch or a decision did not come about: the flag that may help.
pub(crate) fn hint_of(cause: &Cause) -> Option<String> {
    use comity_client::guard::RefusalReason;
    match cause {
        Cause::Guard(refusal) => match (refusal.reason(), refusal.address()) {
            (_, Some(address)) => {
                Some(format!("on this machine or an intranet, --allow-address {address} lets it be dialled"))
            }
            (RefusalReason::Port, _) => {
                Some("`allow_port` under [guard] in comity.toml, or COMITY_GUARD_ALLOW_PORT, lets it be dialled".to_owned())
            }
            (RefusalReason::Credentials, _) => Some(
                "`allow_credentials` under [guard] in comity.toml, or COMITY_GUARD_ALLOW_CREDENTIALS=1, lets it pass"
                    .to_owned(),
            ),
            (RefusalReason::Metadata, None) => {
                Some(format!("--allow-host {} lets it be dialled", refusal.host()))
            }
            _ => None,
        },
        Cause::Wait(_) => Some("--max-wait says how long to wait".to_owned()),
        Cause::Store(_) => Some("--store names another place; `--store memory` does without one for this run".to_owned()),
        _ => None,
    }
}
