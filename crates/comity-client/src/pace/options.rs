//! Options of the pace.

use std::num::NonZeroU32;
use std::time::Duration;

use comity::policy::Preset;

use crate::setting::section::section;

comity::words! {
    /// Scope of a pace: the requests that share an interval.
    #[non_exhaustive]
    pub enum PacePer as "scope of a pace" {
        /// All requests to one origin: scheme, host and port.
        Origin = "origin",
        /// All requests to one host, with any scheme and port. The longest interval that this process has recently used
        /// for one of its origins applies to all of them.
        Host = "host",
    }
}

impl PacePer {
    /// Returns the scope that the source of a preset defines. Only Ladon defines it: its ADR-008 has one table of
    /// delays by host. For all other presets, the scope is the origin.
    pub const fn of_preset(preset: Preset) -> PacePer {
        match preset {
            Preset::Ladon => PacePer::Host,
            _ => PacePer::Origin,
        }
    }
}

crate::setting::value::named!(PacePer);

section! {
    /// Options of the pace: the intervals between requests to one origin. In a file, times are seconds.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use comity_client::pace::PaceOptions;
    ///
    /// let options = PaceOptions::default().min_interval(Duration::from_secs(5));
    ///
    /// let read: PaceOptions = serde_json::from_str(r#"{"min_interval_seconds": 5}"#)?;
    /// assert_eq!(read, options);
    /// assert!(serde_json::from_str::<PaceOptions>(r#"{"min_interval": 5}"#).is_err(), "no such setting");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub struct PaceOptions = "pace" {
        /// Scope of the interval: the requests of an origin, or of a host; unset: the preset decides (ladon: host).
        ///
        /// See [`PacePer::of_preset`].
        per: Option<PacePer> = None, "per";
        /// Minimum interval between two requests to an origin.
        ///
        /// The interval is counted from the start of one request to the start of the next. It applies whatever
        /// robots.txt contains.
        min_interval: Duration = Duration::from_secs(1), "min_interval_seconds", flag "min-interval";
        /// Maximum interval that Crawl-delay and Request-rate can set.
        ///
        /// The maximum does not apply to `min_interval`. Heritrix and crawler-commons also use 300 s. Of 1,593 real
        /// files with a `Crawl-delay`, 20 exceed 300 s, and a quarter exceed the 30 s of Nutch and StormCrawler. To
        /// skip URLs with long waits, set `max_wait`. With a lower `max_interval`, more requests are earlier than
        /// robots.txt permits.
        max_interval: Duration = Duration::from_secs(300), "max_interval_seconds";
        /// Maximum wait that Retry-After can set.
        max_retry_after: Duration = Duration::from_secs(300), "max_retry_after_seconds";
        /// Maximum number of concurrent requests of a process to an origin.
        concurrency: NonZeroU32 = NonZeroU32::MIN, "concurrency";
        /// Maximum delay between a slot and the start of its request.
        ///
        /// A request that would begin later gets another slot. The interval to the next slot is counted from the end of
        /// this delay. The delay that a slot allows adapts to the measured lateness: it grows at once to twice the
        /// lateness of a request, and shrinks slowly. It is at least 0.005 s, since any timer may be that late.
        slack: Duration = Duration::from_millis(50), "slack_seconds";
    }
}

impl PaceOptions {
    /// Returns the maximum time from now to a slot or to the end of a hold. A store reduces longer times to this
    /// maximum. The maximum is twice the longest possible interval or hold, and at least a minute. A task whose turn is
    /// further off retries later.
    pub fn furthest(&self) -> Duration {
        let longest = self.min_interval.max(self.max_interval).max(self.max_retry_after);
        longest.saturating_mul(2).max(Duration::from_secs(60))
    }
}
