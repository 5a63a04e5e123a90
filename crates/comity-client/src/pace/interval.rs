//! The minimum interval between requests to an origin, and its source.

use std::fmt;
use std::time::{Duration, SystemTime};

use comity::robots::{DelaySource, Rules, VisitTime};

use super::PaceOptions;
use super::retry_after::write_capped;

/// The minimum time from the start of one request to an origin to the start of the next.
///
/// Its JSON fields are `duration_seconds`, `reason`, `asked_seconds` and `outside_visit_time`.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use comity::robots::{Agent, RobotsTxt};
/// use comity_client::pace::{Interval, IntervalReason, PaceOptions};
///
/// let robots = RobotsTxt::parse("User-agent: *\nCrawl-delay: 86400\n");
/// let rules = robots.rules_for(&Agent::unchecked_token("examplebot"));
/// let interval = Interval::new(&PaceOptions::default(), Some(&rules), SystemTime::now());
/// assert_eq!(interval.reason, IntervalReason::CrawlDelay);
/// assert_eq!(interval.duration, Duration::from_secs(300));
/// assert_eq!(interval.asked, Some(Duration::from_secs(86_400)), "cut");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Interval {
    /// The length of the interval.
    #[serde(rename = "duration_seconds", with = "crate::seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub duration: Duration,
    /// The source of the interval.
    pub reason: IntervalReason,
    /// The interval in robots.txt, if it is longer than `duration` because of the setting `max_interval`.
    #[serde(rename = "asked_seconds", with = "crate::seconds::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub asked: Option<Duration>,
    /// The hours of `Visit-time`, if the current time is outside of these hours. They are only reported: no request
    /// waits for them.
    pub outside_visit_time: Option<VisitTime>,
}

comity::words! {
    /// The source of an interval.
    #[derive(serde::Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum IntervalReason as "source of an interval" {
        /// The configuration: [`PaceOptions::min_interval`].
        Configured = "configured" => "interval",
        /// `Crawl-delay` of the crawler's group.
        CrawlDelay = "crawl_delay" => "Crawl-delay",
        /// `Request-rate` of the crawler's group.
        RequestRate = "request_rate" => "Request-rate of one document in",
    }
}

/// Writes the source and the length, such as `Crawl-delay 5 s`, and the limit: `Crawl-delay 86400 s, capped at 300 s`.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.reason.label())?;
        write_capped(f, self.duration, self.asked)
    }
}

impl From<DelaySource> for IntervalReason {
    fn from(source: DelaySource) -> Self {
        match source {
            DelaySource::RequestRate => IntervalReason::RequestRate,
            _ => IntervalReason::CrawlDelay,
        }
    }
}

impl Interval {
    /// Returns the longer of the configured interval and the interval in the rules, which `max_interval` limits.
    /// `rules` is `None` if no rules apply. A `Request-rate` with hours applies only in these hours.
    pub fn new(config: &PaceOptions, rules: Option<&Rules>, now: SystemTime) -> Interval {
        let asked = rules.and_then(|rules| rules.delay(Some(minute_of_day(now))));
        let (asked, who) = asked.map_or((Duration::ZERO, IntervalReason::Configured), |(delay, source)| {
            (delay, IntervalReason::from(source))
        });
        let granted = asked.min(config.max_interval);
        let is_robots = asked > config.min_interval && granted >= config.min_interval;
        let duration = config.min_interval.max(granted);
        Interval {
            duration,
            reason: if is_robots { who } else { IntervalReason::Configured },
            asked: (asked > duration).then_some(asked),
            outside_visit_time: rules
                .and_then(Rules::visit_time)
                .filter(|hours| !hours.contains(minute_of_day(now))),
        }
    }
}

impl Interval {
    /// Returns the interval, lengthened to `least` if it is shorter.
    pub(crate) fn at_least(self, least: Duration) -> Interval {
        Interval { duration: self.duration.max(least), ..self }
    }
}

/// Returns the number of minutes since midnight UTC.
fn minute_of_day(now: SystemTime) -> u16 {
    const MINUTES: u64 = 24 * 60;
    let minute = match now.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => since.as_secs() / 60 % MINUTES,
        Err(before) => MINUTES - 1 - before.duration().as_secs() / 60 % MINUTES,
    };
    u16::try_from(minute).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use comity::robots::{Agent, Dialect, RobotsTxt};

    use super::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    /// Returns the interval of a `*` group with these lines, `hour` hours after the start of 1970.
    fn at(hour: u64, lines: &str, min: f64, max: f64) -> Interval {
        let body = format!("User-agent: *\n{lines}\n");
        let robots = RobotsTxt::parse(&body);
        let rules = robots.rules_for(&Agent::unchecked_token("examplebot"));
        let config =
            PaceOptions { min_interval: seconds(min), max_interval: seconds(max), ..PaceOptions::default() };
        Interval::new(&config, Some(&rules), SystemTime::UNIX_EPOCH + Duration::from_secs(hour * 3_600))
    }

    #[test]
    fn longest_interval_applies_with_its_reason() {
        use IntervalReason::{Configured, CrawlDelay, RequestRate};
        // Each case: lines of robots.txt; configured minimum and maximum; expected duration, reason, and interval
        // before the reduction.
        for (lines, min, max, duration, reason, asked) in [
            ("", 1.0, 300.0, 1.0, Configured, None),
            ("", 0.0, 300.0, 0.0, Configured, None),
            ("Crawl-delay: 0.5", 1.0, 300.0, 1.0, Configured, None),
            ("Crawl-delay: 1", 1.0, 300.0, 1.0, Configured, None),
            ("Crawl-delay: 2.5", 1.0, 300.0, 2.5, CrawlDelay, None),
            ("Request-rate: 1/10", 1.0, 300.0, 10.0, RequestRate, None),
            ("Request-rate: 4/1m\nCrawl-delay: 10", 1.0, 300.0, 15.0, RequestRate, None),
            ("Request-rate: 6/1m\nCrawl-delay: 10", 1.0, 300.0, 10.0, CrawlDelay, None),
            ("Crawl-delay: 86400", 1.0, 300.0, 300.0, CrawlDelay, Some(86_400.0)),
            ("Request-rate: 1/1d\nCrawl-delay: 10", 1.0, 30.0, 30.0, RequestRate, Some(86_400.0)),
            // The maximum does not apply to the configured interval.
            ("Crawl-delay: 86400", 60.0, 30.0, 60.0, Configured, Some(86_400.0)),
            ("Crawl-delay: 40", 60.0, 30.0, 60.0, Configured, None),
            ("Crawl-delay: 86400", 30.0, 30.0, 30.0, CrawlDelay, Some(86_400.0)),
            ("Crawl-delay: 10", 0.0, 0.0, 0.0, CrawlDelay, Some(10.0)),
            ("Crawl-delay: soon", 1.0, 300.0, 1.0, Configured, None),
            ("Crawl-delay: 1e15", 1.0, 300.0, 300.0, CrawlDelay, Some(1e15)),
            ("Request-rate: 1/4294967296", 1.0, 300.0, 300.0, RequestRate, Some(4_294_967_295.0)),
        ] {
            let interval = at(12, lines, min, max);
            let got = (interval.duration, interval.reason, interval.asked);
            assert_eq!(got, (seconds(duration), reason, asked.map(seconds)), "{lines} ({min}, {max})");
        }
    }

    #[test]
    fn request_rate_applies_in_its_hours() {
        let rate = "Request-rate: 1/10s 1800-1900";
        assert_eq!(at(18, rate, 1.0, 300.0).duration, seconds(10.0));
        assert_eq!(at(17, rate, 1.0, 300.0).duration, seconds(1.0));
        assert_eq!(at(24 + 18, rate, 1.0, 300.0).duration, seconds(10.0));
    }

    #[test]
    fn visit_time_is_reported_outside_its_hours() {
        let night = VisitTime::parse(b"2200-0400");
        assert!(night.is_some());
        assert_eq!(at(23, "Visit-time: 2200-0400", 1.0, 300.0).outside_visit_time, None);
        assert_eq!(at(12, "Visit-time: 2200-0400", 1.0, 300.0).outside_visit_time, night);
        assert_eq!(at(12, "", 1.0, 300.0).outside_visit_time, None);
    }

    #[test]
    fn minute_of_day_is_valid_before_1970() {
        let epoch = SystemTime::UNIX_EPOCH;
        assert_eq!(minute_of_day(epoch + Duration::from_secs(86_400 + 61)), 1);
        assert_eq!(minute_of_day(epoch - Duration::from_secs(1)), 24 * 60 - 1);
    }

    #[test]
    fn request_rate_of_zero_documents_is_ignored() {
        let robots = RobotsTxt::parse_as("User-agent: *\nRequest-rate: 0/10\n", Dialect::Urllib);
        let rules = robots.rules_for(&Agent::unchecked_token("examplebot"));
        assert!(rules.request_rate().is_some());
        let interval = Interval::new(&PaceOptions::default(), Some(&rules), SystemTime::UNIX_EPOCH);
        assert_eq!(interval.reason, IntervalReason::Configured);
    }

    #[test]
    fn field_names_are_stable() {
        let json =
            serde_json::to_value(at(12, "Crawl-delay: 900\nVisit-time: 2200-0400", 1.0, 300.0)).unwrap();
        assert_eq!(
            json,
            serde_json::json!({
                "duration_seconds": 300.0,
                "reason": "crawl_delay",
                "asked_seconds": 900.0,
                "outside_visit_time": {"from_minute": 22 * 60, "to_minute": 4 * 60},
            })
        );
        let json = serde_json::to_value(at(12, "", 1.0, 300.0)).unwrap();
        assert_eq!(
            (&json["reason"], &json["asked_seconds"]),
            (&"configured".into(), &serde_json::Value::Null)
        );
    }
}
