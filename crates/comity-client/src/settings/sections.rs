//! The sections: one struct each, with the defaults of the client.

use std::fmt;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use comity::llms::Strategy;
use comity::page::Profile;
use comity::policy::{Mode, OnUnreachable, Preset};
use serde::{Deserialize, Serialize};
use url::Url;

use super::values::{Field, Nameserver, Network, optional_text, text, texts};
use crate::FetchOptions;
use crate::breaker::BreakerConfig;
use crate::pace::PaceConfig;
use crate::retry::RetryConfig;
use crate::robots_cache::RobotsOptions;
use crate::seconds;
use crate::store::redis::WhenDown;
use crate::transport::HttpOptions;

/// Everything that can be set.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// `[agent]`: who asks.
    pub agent: AgentSettings,
    /// `[guard]`: what may be dialled.
    pub guard: GuardSettings,
    /// `[robots]`: how robots.txt is asked for and what it means.
    pub robots: RobotsSettings,
    /// `[fetch]`: how pages are fetched.
    pub fetch: FetchSettings,
    /// `[network]`: how connections are made.
    pub network: NetworkSettings,
    /// `[pace]`: how fast.
    pub pace: PaceConfig,
    /// `[retry]`: what is tried again.
    pub retry: RetryConfig,
    /// `[breaker]`: when an origin is left alone.
    pub breaker: BreakerConfig,
    /// `[store]`: where answers and the pace live.
    pub store: StoreSettings,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct AgentSettings {
    /// Product token: whom a robots.txt is read for.
    pub token: String,
    /// Whole `User-Agent` header; it names the token.
    pub user_agent: Option<String>,
    /// URL or mail address where sites reach whoever asks, sent in the `User-Agent`.
    pub contact: Option<String>,
}

impl Default for AgentSettings {
    fn default() -> Self {
        AgentSettings { token: "Comity".to_owned(), user_agent: None, contact: None }
    }
}

/// What may be dialled beside what is globally reachable.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct GuardSettings {
    /// Networks that may be dialled though they are not public.
    #[serde(with = "texts")]
    pub allow_address: Vec<Network>,
    /// Hosts that may have whatever addresses they have.
    pub allow_host: Vec<String>,
    /// Ports that may be dialled though browsers block them.
    pub allow_port: Vec<u16>,
    /// Whether URLs may hold a user name or password.
    pub allow_credentials: bool,
}

/// How robots.txt is asked for and what it means.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RobotsSettings {
    /// What each answer to the request for robots.txt leads to.
    #[serde(with = "text")]
    pub preset: Preset,
    /// What a decision does; `None`: what the preset says.
    #[serde(with = "optional_text")]
    pub mode: Option<Mode>,
    /// What is done while robots.txt is unreachable; `None`: what the preset says.
    #[serde(with = "optional_text")]
    pub on_unreachable: Option<OnUnreachable>,
    /// `max_age_seconds`: how long an answer counts at most without asking again; `None`: what the preset says.
    #[serde(rename = "max_age_seconds", with = "seconds::option")]
    pub max_age: Option<Duration>,
    /// `timeout_seconds`: how long asking for robots.txt may take, redirects included.
    #[serde(rename = "timeout_seconds", with = "seconds")]
    pub timeout: Duration,
    /// Redirects followed for robots.txt.
    pub max_redirects: usize,
    /// Bytes of a robots.txt that are read.
    pub max_bytes: usize,
    /// Bytes of rules kept in memory.
    pub memory_bytes: u64,
    /// Requests a minute, at most, to one origin because robots.txt of others redirects there.
    pub redirected_per_minute: NonZeroU32,
}

impl Default for RobotsSettings {
    fn default() -> Self {
        let options = RobotsOptions::default();
        RobotsSettings {
            preset: Preset::default(),
            mode: None,
            on_unreachable: None,
            max_age: None,
            timeout: options.timeout,
            max_redirects: options.max_redirects,
            max_bytes: options.max_bytes,
            memory_bytes: options.memory_bytes,
            redirected_per_minute: options.redirected_per_minute,
        }
    }
}

/// How pages are fetched.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct FetchSettings {
    /// `timeout_seconds`: how long the header of an answer may take.
    #[serde(rename = "timeout_seconds", with = "seconds")]
    pub timeout: Duration,
    /// `body_timeout_seconds`: how long a body may take, however it drips.
    #[serde(rename = "body_timeout_seconds", with = "seconds")]
    pub body_timeout: Duration,
    /// `max_wait_seconds`: how long a fetch may wait out of politeness; `None`: as long as it takes.
    #[serde(rename = "max_wait_seconds", with = "seconds::option")]
    pub max_wait: Option<Duration>,
    /// Redirects followed for a page.
    pub max_redirects: usize,
    /// Octets of a body that are read; the rest is cut off.
    pub max_bytes: usize,
    /// Media types that are wanted, `text/*` for a family; empty: all.
    pub content_type: Vec<String>,
    /// Fields sent with every page request, not with those for robots.txt.
    #[serde(with = "texts")]
    pub header: Vec<Field>,
    /// Whether cookies are kept.
    pub cookies: bool,
    /// Whether page directives and usage preferences are looked at.
    pub reads_use: bool,
    /// By whose rules page directives add up.
    #[serde(with = "text")]
    pub profile: Profile,
    /// How far llms.txt is followed.
    #[serde(with = "text")]
    pub llms: Strategy,
    /// How many fetches are at work at once, over all origins, of a program that fetches lists. One that waits for its
    /// turn is not at work.
    pub jobs: usize,
}

impl Default for FetchSettings {
    fn default() -> Self {
        let options = FetchOptions::default();
        FetchSettings {
            timeout: options.timeout,
            body_timeout: options.body_timeout,
            max_wait: options.max_wait,
            max_redirects: options.max_redirects,
            max_bytes: options.max_bytes,
            content_type: options.content_types,
            header: Vec::new(),
            cookies: HttpOptions::default().cookies,
            reads_use: options.reads_use,
            profile: options.profile,
            // Who names a URL on a command line wants that URL.
            llms: Strategy::Disabled,
            jobs: 8,
        }
    }
}

/// How connections are made, for pages and robots.txt alike.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct NetworkSettings {
    /// Proxy for everything; the usual proxy variables are not read.
    #[serde(with = "optional_text")]
    pub proxy: Option<Url>,
    /// PEM files with certificates to trust beside the system's.
    pub ca: Vec<PathBuf>,
    /// Whether certificates go unchecked.
    pub insecure: bool,
    /// DNS servers to ask instead of the system's resolver.
    #[serde(with = "texts")]
    pub nameserver: Vec<Nameserver>,
    /// `connect_timeout_seconds`: how long connecting may take, TLS included.
    #[serde(rename = "connect_timeout_seconds", with = "seconds")]
    pub connect_timeout: Duration,
    /// `read_timeout_seconds`: longest silence in the middle of an answer.
    #[serde(rename = "read_timeout_seconds", with = "seconds")]
    pub read_timeout: Duration,
    /// Idle connections kept per host.
    pub idle_per_host: usize,
    /// Idle connections kept in all.
    pub idle_connections: usize,
    /// `idle_timeout_seconds`: how long an idle connection is kept.
    #[serde(rename = "idle_timeout_seconds", with = "seconds")]
    pub idle_timeout: Duration,
}

impl Default for NetworkSettings {
    fn default() -> Self {
        let http = HttpOptions::default();
        NetworkSettings {
            proxy: http.proxy,
            ca: Vec::new(),
            insecure: !http.verify_tls,
            nameserver: Vec::new(),
            connect_timeout: http.connect_timeout,
            read_timeout: http.read_timeout,
            idle_per_host: http.idle_per_host,
            idle_connections: http.idle_connections,
            idle_timeout: http.idle_timeout,
        }
    }
}

/// Where robots.txt answers, leases and the pace live. Printed by `Debug`, the location is without its password.
#[derive(Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct StoreSettings {
    /// A file, `memory`, `redis://…`; what there is if nothing is said is the program's to choose.
    pub location: Option<String>,
    /// Octets of a file (`None`: 512 MiB) or of memory (`None`: 64 MiB).
    pub max_bytes: Option<u64>,
    /// What to do while a server does not answer.
    pub when_down: WhenDown,
    /// What keys on a server begin with; `None`: `comity:`.
    pub prefix: Option<String>,
    /// How many processes share a server: while it is away, each comes that many times less often (`local_only`).
    pub processes: NonZeroU32,
    /// Whether a file may belong to another user.
    pub shared: bool,
}

impl Default for StoreSettings {
    fn default() -> Self {
        StoreSettings {
            location: None,
            max_bytes: None,
            when_down: WhenDown::default(),
            prefix: None,
            processes: NonZeroU32::MIN,
            shared: false,
        }
    }
}

impl fmt::Debug for StoreSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StoreSettings { location, max_bytes, when_down, prefix, processes, shared } = self;
        f.debug_struct("StoreSettings")
            .field("location", &location.as_deref().map(super::store::without_password))
            .field("max_bytes", max_bytes)
            .field("when_down", when_down)
            .field("prefix", prefix)
            .field("processes", processes)
            .field("shared", shared)
            .finish()
    }
}
