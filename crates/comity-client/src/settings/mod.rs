//! All settings as one document: the sections of `comity.toml`.
//!
//! Each section is an option struct of the client. The program chooses the sources of values, such as flags,
//! environment variables, files and keyword arguments, and reads them with `serde`. Missing settings have their
//! defaults.
//!
//! ```
//! use comity_client::Client;
//! use comity_client::settings::Settings;
//!
//! let settings: Settings = serde_json::from_str(r#"{
//!     "agent": {"token": "ExampleBot", "contact": "https://example.com/bot"},
//!     "pace": {"min_interval_seconds": 2.5},
//!     "store": {"location": "memory"}
//! }"#)?;
//! let client = Client::with_settings(settings).build()?;
//! assert_eq!(client.agent().as_str(), "ExampleBot");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Settings::all`] returns all settings with their names, types and descriptions. Programs can generate flags,
//! variables or documentation from this list.

mod old_names;

use serde::{Deserialize, Serialize};

pub use self::old_names::new_name;
use crate::breaker::BreakerOptions;
use crate::guard::GuardOptions;
use crate::options::{AgentOptions, CrawlOptions, FetchOptions};
use crate::pace::PaceOptions;
use crate::retry::RetryOptions;
use crate::robots_cache::RobotsOptions;
pub use crate::setting::{Nameserver, Network, PortRange, Setting, ValueError, ValueForm, ValueKind};
#[cfg(feature = "identity")]
use crate::signing::IdentityOptions;
use crate::store::StoreOptions;
use crate::transport::NetworkOptions;

/// All settings.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// `[agent]`: the crawler.
    pub agent: AgentOptions,
    /// `[identity]`: the identity that signs requests, and when it signs.
    #[cfg(feature = "identity")]
    pub identity: IdentityOptions,
    /// `[guard]`: the addresses that may be dialled.
    pub guard: GuardOptions,
    /// `[robots]`: requesting robots.txt and applying its rules.
    pub robots: RobotsOptions,
    /// `[fetch]`: fetching pages.
    pub fetch: FetchOptions,
    /// `[crawl]`: limits of concurrent fetches.
    pub crawl: CrawlOptions,
    /// `[network]`: connections.
    pub network: NetworkOptions,
    /// `[pace]`: the intervals between requests.
    pub pace: PaceOptions,
    /// `[retry]`: retries.
    pub retry: RetryOptions,
    /// `[breaker]`: the circuit breaker.
    pub breaker: BreakerOptions,
    /// `[store]`: the store of robots.txt answers and the pace.
    pub store: StoreOptions,
}

/// The settings of all sections, in the order of [`Settings`].
const SECTIONS: &[&[Setting]] = &[
    AgentOptions::SETTINGS,
    #[cfg(feature = "identity")]
    IdentityOptions::SETTINGS,
    GuardOptions::SETTINGS,
    RobotsOptions::SETTINGS,
    FetchOptions::SETTINGS,
    CrawlOptions::SETTINGS,
    NetworkOptions::SETTINGS,
    PaceOptions::SETTINGS,
    RetryOptions::SETTINGS,
    BreakerOptions::SETTINGS,
    StoreOptions::SETTINGS,
];

impl Settings {
    /// Returns all settings, in the order of their sections.
    pub fn all() -> impl Iterator<Item = &'static Setting> {
        SECTIONS.iter().copied().flatten()
    }

    /// Returns the setting with this section and key, such as `pace.min_interval_seconds`.
    pub fn setting(path: &str) -> Option<&'static Setting> {
        let (section, key) = path.split_once('.')?;
        Settings::all().find(|setting| setting.section == section && setting.key == key)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Returns the keys that `serde` accepts in a section. `document` is a file with an unknown key in that section.
    fn keys_at(document: &str) -> BTreeSet<String> {
        let error = toml::from_str::<Settings>(document).unwrap_err();
        let (_, known) = error.message().split_once("expected").unwrap();
        known.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    #[test]
    fn listed_settings_match_the_accepted_keys() {
        let sections: BTreeSet<String> = Settings::all().map(|setting| setting.section.to_owned()).collect();
        assert_eq!(keys_at("[no_such_section]\n"), sections);
        for section in sections {
            let listed = Settings::all().filter(|setting| setting.section == section);
            let listed: BTreeSet<String> = listed.map(|setting| setting.key.to_owned()).collect();
            assert_eq!(keys_at(&format!("[{section}]\nno_such_setting = 1\n")), listed, "{section}");
        }
    }

    #[test]
    fn settings_have_unique_names_and_a_sentence() {
        let names = |setting: &Setting| BTreeSet::from([setting.variable(), setting.long_variable()]);
        let variables: Vec<String> = Settings::all().flat_map(names).collect();
        assert_eq!(BTreeSet::from_iter(&variables).len(), variables.len(), "{variables:?}");
        for setting in Settings::all() {
            let sentence = setting.sentence();
            assert!(
                !sentence.is_empty() && !sentence.contains(['[', '\n']),
                "{}: {sentence}",
                setting.path()
            );
            assert_eq!(Settings::setting(&setting.path()).map(Setting::path), Some(setting.path()));
        }
    }

    #[test]
    fn default_settings_are_unchanged_after_a_round_trip() {
        let written = toml::to_string(&Settings::default()).unwrap();
        assert_eq!(toml::from_str::<Settings>(&written).unwrap(), Settings::default());
    }

    #[test]
    fn debug_output_of_settings_hides_passwords_and_header_values() {
        let settings: Settings = serde_json::from_str(
            r#"{"network": {"proxy": "http://me:s3cret@proxy.example/"}, "store": {"location": "redis://:s3cret@h/1"},
                "fetch": {"header": ["Authorization: Bearer s3cret"]}}"#,
        )
        .unwrap();
        let shown = format!("{settings:?}");
        assert!(!shown.contains("s3cret") && shown.contains("proxy.example"), "{shown}");
    }
}
