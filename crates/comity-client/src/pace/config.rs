//! The settings of the pace, with their defaults and why.

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use comity::policy::Preset;

/// Whose requests keep one distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PacePer {
    /// Those to one origin: scheme, host and port.
    Origin,
    /// Those to one host, whatever the scheme and the port. Of the intervals that its origins ask for the longest that
    /// this process has met counts for all of them.
    Host,
}

impl PacePer {
    /// What a preset's document says. Ladon's ADR-008 has one table of delays by host; the others say nothing.
    pub const fn of_preset(preset: Preset) -> PacePer {
        match preset {
            Preset::Ladon => PacePer::Host,
            _ => PacePer::Origin,
        }
    }

    /// The choice's name in settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            PacePer::Origin => "origin",
            PacePer::Host => "host",
        }
    }
}

impl fmt::Display for PacePer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How close requests to one origin may come. In a file, times are seconds.
///
/// ```
/// use std::time::Duration;
///
/// use comity_client::pace::PaceConfig;
///
/// let mut config = PaceConfig::default();
/// config.min_interval = Duration::from_secs(5);
///
/// let read: PaceConfig = serde_json::from_str(r#"{"min_interval_seconds": 5}"#)?;
/// assert_eq!(read, config);
/// assert!(serde_json::from_str::<PaceConfig>(r#"{"min_interval": 5}"#).is_err(), "no such setting");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PaceConfig {
    /// Whose requests keep one distance; `None`: what the preset's document says ([`PacePer::of_preset`]).
    pub per: Option<PacePer>,
    /// `min_interval_seconds`: the least time between the begin of two requests to an origin, whatever robots.txt asks
    /// for. 1 s.
    #[serde(rename = "min_interval_seconds", with = "crate::seconds")]
    pub min_interval: Duration,
    /// `max_interval_seconds`: the most that `Crawl-delay` and `Request-rate` can ask for; does not bound
    /// `min_interval`. 300 s, as Heritrix and crawler-commons have it: of 1,593 real files with a `Crawl-delay`, 20 ask
    /// for more, while 30 s (Nutch, StormCrawler) would cut one file in four. Who would rather not wait that long gives
    /// up by `max_wait` instead of coming too early.
    #[serde(rename = "max_interval_seconds", with = "crate::seconds")]
    pub max_interval: Duration,
    /// `max_retry_after_seconds`: the most that `Retry-After` can ask for. 300 s.
    #[serde(rename = "max_retry_after_seconds", with = "crate::seconds")]
    pub max_retry_after: Duration,
    /// `concurrency`: how many requests of this process to an origin may be under way at once. 1.
    pub concurrency: NonZeroU32,
    /// `slack_seconds`: how much later than its slot a request may still begin, at most; later, and it takes another
    /// slot. The next slot keeps its distance from there. What is granted follows how late requests really are: no more
    /// than twice that, and no less than 0.005 s, by which any timer may be late. 0.05 s.
    #[serde(rename = "slack_seconds", with = "crate::seconds")]
    pub slack: Duration,
}

crate::setters::setters!(PaceConfig {
    per: Option<PacePer>,
    min_interval: Duration,
    max_interval: Duration,
    max_retry_after: Duration,
    concurrency: NonZeroU32,
    slack: Duration,
});

impl Default for PaceConfig {
    fn default() -> Self {
        PaceConfig {
            per: None,
            min_interval: Duration::from_secs(1),
            max_interval: Duration::from_secs(300),
            max_retry_after: Duration::from_secs(300),
            concurrency: NonZeroU32::MIN,
            slack: Duration::from_millis(50),
        }
    }
}

impl PaceConfig {
    /// How far off a slot, or the end of a hold, can be: what is further off in a store is not believed. Twice the longest
    /// interval or hold that can be, and a minute at least. Whose turn is further off than that asks again later.
    pub fn furthest(&self) -> Duration {
        let longest = self.min_interval.max(self.max_interval).max(self.max_retry_after);
        longest.saturating_mul(2).max(Duration::from_secs(60))
    }
}
