//! The settings, typed: the sections of `comity.toml`, with the defaults of the client.
//!
//! The structs are the one definition: what a file may hold, what `comity config` shows and what variables there are all
//! follow from them (and from `table.rs`, which a test holds against them).

use std::path::PathBuf;
use std::time::Duration;

use comity::llms::Strategy;
use comity::page::Profile;
use comity::policy::{Mode, Preset};
use comity_client::FetchOptions;
use comity_client::breaker::BreakerConfig;
use comity_client::pace::PaceConfig;
use comity_client::retry::RetryConfig;
use comity_client::robots_cache::RobotsOptions;
use comity_client::transport::HttpOptions;
use serde::{Deserialize, Serialize};
use url::Url;

use super::values::{Field, Nameserver, Network, optional_seconds, optional_text, seconds, text, texts};

/// Everything that can be set.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) agent: AgentSettings,
    pub(crate) guard: GuardSettings,
    pub(crate) robots: RobotsSettings,
    pub(crate) fetch: FetchSettings,
    pub(crate) network: NetworkSettings,
    pub(crate) pace: PaceConfig,
    pub(crate) retry: RetryConfig,
    pub(crate) breaker: BreakerConfig,
    pub(crate) store: StoreSettings,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AgentSettings {
    pub(crate) token: String,
    pub(crate) user_agent: Option<String>,
    pub(crate) contact: Option<String>,
}

impl Default for AgentSettings {
    fn default() -> Self {
        AgentSettings { token: "Comity".to_owned(), user_agent: None, contact: None }
    }
}

/// What may be dialled beside what is globally reachable.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GuardSettings {
    #[serde(with = "texts")]
    pub(crate) allow_address: Vec<Network>,
    pub(crate) allow_host: Vec<String>,
    pub(crate) allow_port: Vec<u16>,
    pub(crate) allow_credentials: bool,
}

/// How robots.txt is asked for and what it means.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RobotsSettings {
    #[serde(with = "text")]
    pub(crate) preset: Preset,
    #[serde(with = "optional_text")]
    pub(crate) mode: Option<Mode>,
    #[serde(rename = "timeout_seconds", with = "seconds")]
    pub(crate) timeout: Duration,
    pub(crate) max_redirects: usize,
    pub(crate) max_bytes: usize,
    pub(crate) memory_bytes: u64,
}

impl Default for RobotsSettings {
    fn default() -> Self {
        let RobotsOptions { timeout, max_redirects, max_bytes, memory_bytes, .. } = RobotsOptions::default();
        RobotsSettings {
            preset: Preset::default(),
            mode: None,
            timeout,
            max_redirects,
            max_bytes,
            memory_bytes,
        }
    }
}

/// How pages are fetched.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct FetchSettings {
    #[serde(rename = "timeout_seconds", with = "seconds")]
    pub(crate) timeout: Duration,
    #[serde(rename = "body_timeout_seconds", with = "seconds")]
    pub(crate) body_timeout: Duration,
    #[serde(rename = "max_wait_seconds", with = "optional_seconds")]
    pub(crate) max_wait: Option<Duration>,
    pub(crate) max_redirects: usize,
    pub(crate) max_bytes: usize,
    pub(crate) content_type: Vec<String>,
    #[serde(with = "texts")]
    pub(crate) header: Vec<Field>,
    pub(crate) cookies: bool,
    pub(crate) reads_use: bool,
    #[serde(with = "text")]
    pub(crate) profile: Profile,
    #[serde(with = "text")]
    pub(crate) llms: Strategy,
    pub(crate) jobs: usize,
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
pub(crate) struct NetworkSettings {
    #[serde(with = "optional_text")]
    pub(crate) proxy: Option<Url>,
    pub(crate) ca: Vec<PathBuf>,
    pub(crate) insecure: bool,
    #[serde(with = "texts")]
    pub(crate) nameserver: Vec<Nameserver>,
    #[serde(rename = "connect_timeout_seconds", with = "seconds")]
    pub(crate) connect_timeout: Duration,
    #[serde(rename = "read_timeout_seconds", with = "seconds")]
    pub(crate) read_timeout: Duration,
    pub(crate) idle_per_host: usize,
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
        }
    }
}

/// Where robots.txt answers, leases and the pace live.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StoreSettings {
    pub(crate) location: Option<String>,
    pub(crate) max_bytes: Option<u64>,
    pub(crate) when_down: WhenDown,
    pub(crate) prefix: Option<String>,
}

/// What to do while a store's server does not answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WhenDown {
    /// Every fetch fails.
    #[default]
    Stop,
    /// This process goes on by itself.
    LocalOnly,
}
