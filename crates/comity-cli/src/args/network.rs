//! The flags of every command that touches the network. What is not given here comes from the environment, a file or
//! the defaults: see `live`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use comity::policy::{Mode, OnUnreachable, Preset};
use comity::robots::ProductToken;
use comity_client::settings::{Field, Nameserver, Network};
use toml::Value;
use url::Url;

use super::values::{mode_parser, not_empty, or_header, preset_parser};
use crate::settings::Override;
use crate::settings::values::duration;

/// Network, politeness and configuration.
#[derive(Debug, Args)]
#[command(next_help_heading = "Network and politeness")]
pub(crate) struct NetworkArgs {
    /// What answers to the request for robots.txt lead to; see `comity presets` [default: rfc9309]
    #[arg(long, value_name = "PRESET", ignore_case = true)]
    #[arg(value_parser = preset_parser(), hide_possible_values = true)]
    pub(crate) preset: Option<Preset>,

    /// What a decision does: respect, report_only or ignore [default: the preset's]
    #[arg(long, value_name = "MODE", ignore_case = true)]
    #[arg(value_parser = mode_parser(), hide_possible_values = true)]
    pub(crate) mode: Option<Mode>,

    /// What is done while robots.txt is unreachable: deny, warn or allow [default: as the preset says]
    #[arg(long, value_name = "CHOICE", ignore_case = true)]
    pub(crate) on_unreachable: Option<OnUnreachable>,

    /// How long a robots.txt counts at most without asking again [default: as the preset says]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) robots_max_age: Option<Duration>,

    /// How sites reach you: a URL or mail address, sent in the User-Agent
    #[arg(long, value_name = "URL|MAIL", value_parser = not_empty)]
    pub(crate) contact: Option<String>,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    /// The least time between two requests to an origin: 0.5, 500ms, 2s [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) min_interval: Option<Duration>,

    /// Give a URL up if politeness asks to wait longer than this [default: wait]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) max_wait: Option<Duration>,

    /// How long an answer may take to begin [default: 20s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// How often a failed request is sent again [default: 2]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) retries: Option<u32>,

    /// Send this field with page requests: 'Name: value'; may be repeated
    #[arg(long, value_name = "FIELD")]
    pub(crate) header: Vec<Field>,

    /// Let a network be dialled that is not public, such as 127.0.0.0/8; may be repeated
    #[arg(long, value_name = "NETWORK")]
    pub(crate) allow_address: Vec<Network>,

    /// Let a host be dialled whatever its addresses; may be repeated
    #[arg(long, value_name = "HOST", value_hint = ValueHint::Hostname, value_parser = not_empty)]
    pub(crate) allow_host: Vec<String>,

    /// Trust the certificates of a PEM file as well; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ca: Vec<PathBuf>,

    /// Do not check certificates
    #[arg(long)]
    pub(crate) insecure: bool,

    /// Send everything through a proxy
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) proxy: Option<Url>,

    /// Ask this DNS server instead of the system's resolver; may be repeated
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) nameserver: Vec<Nameserver>,

    #[command(flatten)]
    pub(crate) files: FilesArgs,
}

/// Where the store is.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// Where robots.txt answers and the pace are kept: a file, `memory`, or redis://host:port/db [default: a file in
    /// the user's cache folder, shared by all runs]
    #[arg(long, value_name = "STORE", value_hint = ValueHint::AnyPath, value_parser = not_empty)]
    pub(crate) store: Option<String>,
}

impl PlaceArgs {
    /// Returns what was given, by setting.
    pub(crate) fn overrides(&self) -> Vec<Override> {
        let mut given = Overrides::default();
        given.text("store.location", self.store.as_ref());
        given.0
    }
}

/// Which files of settings are read.
#[derive(Debug, Args)]
pub(crate) struct FilesArgs {
    /// Read settings from this file only [default: ./comity.toml, then the user's own; see `comity config`]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,

    /// Read no settings from files
    #[arg(long)]
    pub(crate) no_config: bool,
}

impl NetworkArgs {
    /// Returns what was given, by setting.
    pub(crate) fn overrides(&self) -> Vec<Override> {
        let mut given = Overrides::default();
        given.text("robots.preset", self.preset);
        given.text("robots.mode", self.mode);
        given.text("robots.on_unreachable", self.on_unreachable);
        given.seconds("robots.max_age_seconds", self.robots_max_age);
        given.text("agent.contact", self.contact.as_ref());
        given.0.extend(self.place.overrides());
        given.seconds("pace.min_interval_seconds", self.min_interval);
        given.seconds("fetch.max_wait_seconds", self.max_wait);
        given.seconds("fetch.timeout_seconds", self.timeout);
        given.number("retry.retries", self.retries);
        given.list("fetch.header", &self.header);
        given.list("guard.allow_address", &self.allow_address);
        given.list("guard.allow_host", &self.allow_host);
        given.list("network.ca", &self.ca.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>());
        given.switch("network.insecure", self.insecure);
        given.text("network.proxy", self.proxy.as_ref());
        given.list("network.nameserver", &self.nameserver);
        given.0
    }
}

/// Who asks, for commands that fetch on behalf of one crawler.
#[derive(Debug, Args)]
pub(crate) struct IdentityArgs {
    /// The product token that robots.txt is read for [default: Comity]
    #[arg(long, short, value_name = "TOKEN", value_parser = token_or_header)]
    pub(crate) agent: Option<String>,

    /// The whole User-Agent header; it has to name the token [default: made of token and contact]
    #[arg(long, value_name = "HEADER", value_parser = not_empty)]
    pub(crate) user_agent: Option<String>,
}

impl IdentityArgs {
    /// Returns what was given, by setting.
    pub(crate) fn overrides(&self) -> Vec<Override> {
        let mut given = Overrides::default();
        given.text("agent.token", self.agent.as_ref());
        given.text("agent.user_agent", self.user_agent.as_ref());
        given.0
    }
}

/// Collects what was given.
#[derive(Default)]
pub(crate) struct Overrides(pub(crate) Vec<Override>);

impl Overrides {
    pub(crate) fn text(&mut self, key: &'static str, value: Option<impl ToString>) {
        self.0.extend(value.map(|value| (key, Value::String(value.to_string()))));
    }

    pub(crate) fn seconds(&mut self, key: &'static str, value: Option<Duration>) {
        self.0.extend(value.map(|value| (key, Value::Float(value.as_secs_f64()))));
    }

    pub(crate) fn number(&mut self, key: &'static str, value: Option<u32>) {
        self.0.extend(value.map(|value| (key, Value::Integer(value.into()))));
    }

    pub(crate) fn switch(&mut self, key: &'static str, is_on: bool) {
        self.0.extend(is_on.then_some((key, Value::Boolean(true))));
    }

    pub(crate) fn list<T: ToString>(&mut self, key: &'static str, values: &[T]) {
        if !values.is_empty() {
            let values = values.iter().map(|value| Value::String(value.to_string())).collect();
            self.0.push((key, Value::Array(values)));
        }
    }
}

/// A crawler's own name, beside a flag for its whole header.
fn token_or_header(name: &str) -> Result<String, String> {
    name.parse::<ProductToken>().map(String::from).map_err(|error| or_header(&error))
}
