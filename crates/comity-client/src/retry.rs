//! Decides whether and when a failed request is repeated.
//!
//! Only transient failures are retried. The delay is a random fraction of a backoff time, which doubles with each retry
//! (full jitter). A longer `Retry-After` replaces the delay. A retry also waits for its turn, as every request does.

use std::sync::Mutex;
use std::time::Duration;

use comity::policy::Failure;
use http::StatusCode;

use crate::lock::lock;
use crate::pace::RetryAfter;
use crate::setting::section::section;

/// Suggested delay after a temporary failure without `Retry-After`.
pub(crate) const USUAL_DELAY: Duration = Duration::from_secs(60);

/// The failures that are retried by default.
const USUAL_FAILURES: [Transient; 3] = [Transient::Timeout, Transient::Connection, Transient::Local];

section! {
    /// Options for retries. In a file, times are seconds.
    pub struct RetryOptions = "retry" {
        /// Maximum number of retries of a failed request.
        retries: u32 = 2, "retries", flag "retries";
        /// Status codes after which a request is retried.
        on_status: Vec<u16> = vec![429, 503], "on_status";
        /// Failures after which a request is retried: timeout, connection, dns, local.
        ///
        /// `dns` is not a default: a name without an address usually still has no address at the time of the retry.
        on_failure: Vec<Transient> = USUAL_FAILURES.to_vec(), "on_failure";
        /// Longest delay before the first retry; it doubles with each further retry.
        backoff_base: Duration = Duration::from_secs(1), "backoff_base_seconds";
        /// Longest delay before any retry, except for Retry-After.
        backoff_max: Duration = Duration::from_secs(60), "backoff_max_seconds";
    }
}

comity::words! {
    /// A transient failure. Other failures are never retried, for example a refusal by the guard, an untrusted
    /// certificate, or an answer that is not HTTP.
    #[non_exhaustive]
    pub enum Transient as "kind of failure" {
        /// [`Failure::Timeout`].
        Timeout = "timeout",
        /// [`Failure::Connection`].
        Connection = "connection",
        /// [`Failure::Dns`].
        Dns = "dns",
        /// [`Failure::Local`].
        Local = "local",
    }
}

crate::setting::value::named!(Transient);

impl Transient {
    /// Returns true if the failure is retried by default.
    pub(crate) fn is_usual(self) -> bool {
        USUAL_FAILURES.contains(&self)
    }

    pub(crate) fn of(failure: Failure) -> Option<Transient> {
        match failure {
            Failure::Timeout => Some(Transient::Timeout),
            Failure::Connection => Some(Transient::Connection),
            Failure::Dns => Some(Transient::Dns),
            Failure::Local => Some(Transient::Local),
            _ => None,
        }
    }
}

/// The result of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AttemptEnd {
    /// The server answered, with this status code and `Retry-After`.
    Answered(StatusCode, Option<RetryAfter>),
    /// The server did not answer, or its answer was incomplete.
    Failed(Failure),
}

/// Returns true for a status of 500 or higher, which counts as a failure of the server even above 599 (RFC 9110 §15).
pub(crate) fn is_server_failure(status: StatusCode) -> bool {
    status.as_u16() >= 500
}

/// The wait before the next attempt.
///
/// Its JSON fields are `duration_seconds` and `reason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Retried"))]
#[non_exhaustive]
pub struct Delay {
    /// The minimum length of the wait.
    #[serde(rename = "duration_seconds", with = "crate::seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub duration: Duration,
    /// The reason for the length of the wait.
    pub reason: DelayReason,
}

comity::words! {
    /// The reason for the length of a wait before the next attempt.
    #[derive(serde::Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum DelayReason as "reason for a delay" {
        /// The client's own backoff.
        Backoff = "backoff",
        /// The origin requested it with `Retry-After`.
        RetryAfter = "retry_after",
        /// The origin required a signature with `Accept-Signature`. The next attempt is signed and does not count as a
        /// retry.
        Challenge = "challenge",
    }
}

/// The decisions about retries.
#[derive(Debug)]
pub(crate) struct Retry {
    config: RetryOptions,
    random: Mutex<fastrand::Rng>,
}

impl Retry {
    /// Creates a planner with these settings.
    pub(crate) fn new(config: RetryOptions) -> Self {
        Retry { config, random: Mutex::new(fastrand::Rng::new()) }
    }

    /// Creates a planner whose jitter is determined by a seed.
    #[cfg(test)]
    pub(crate) fn seeded(config: RetryOptions, seed: u64) -> Self {
        Retry { config, random: Mutex::new(fastrand::Rng::with_seed(seed)) }
    }

    /// Returns the delay before the next attempt. Returns `None` if no further attempt is made. `attempt` is the number
    /// of the attempt that had the result `ended`; the first attempt is 1.
    pub(crate) fn next(&self, attempt: u32, ended: &AttemptEnd) -> Option<Delay> {
        if attempt > self.config.retries || !self.is_retried(ended) {
            return None;
        }
        let backoff = self.backoff(attempt);
        match ended {
            AttemptEnd::Answered(_, Some(asked)) if asked.duration > backoff => {
                Some(Delay { duration: asked.duration, reason: DelayReason::RetryAfter })
            }
            _ => Some(Delay { duration: backoff, reason: DelayReason::Backoff }),
        }
    }

    fn is_retried(&self, ended: &AttemptEnd) -> bool {
        match ended {
            AttemptEnd::Answered(status, _) => self.config.on_status.contains(&status.as_u16()),
            AttemptEnd::Failed(failure) => {
                Transient::of(*failure).is_some_and(|failure| self.config.on_failure.contains(&failure))
            }
        }
    }

    /// Returns a random fraction of the backoff time. So clients that failed at the same time do not retry at the same
    /// time.
    fn backoff(&self, attempt: u32) -> Duration {
        let doublings = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let longest = self.config.backoff_base.saturating_mul(doublings).min(self.config.backoff_max);
        let part = lock(&self.random).f64();
        Duration::try_from_secs_f64(longest.as_secs_f64() * part).unwrap_or(longest)
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, header};
    use std::time::SystemTime;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn answered(status: u16) -> AttemptEnd {
        AttemptEnd::Answered(StatusCode::from_u16(status).unwrap(), None)
    }

    /// Returns a 503 with a `Retry-After` of `seconds`, cut at 300.
    fn busy(seconds: u32) -> AttemptEnd {
        let mut headers = HeaderMap::new();
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        let retry_after = RetryAfter::read(&headers, SystemTime::UNIX_EPOCH, SECOND * 300);
        AttemptEnd::Answered(StatusCode::SERVICE_UNAVAILABLE, retry_after)
    }

    #[test]
    fn only_transient_failures_are_retried() {
        let retry = Retry::seeded(RetryOptions::default(), 1);
        for status in 100..600 {
            let planned = retry.next(1, &answered(status)).is_some();
            assert_eq!(planned, matches!(status, 429 | 503), "{status}");
        }
        for failure in Failure::ALL {
            let planned = retry.next(1, &AttemptEnd::Failed(failure)).is_some();
            assert_eq!(
                planned,
                matches!(failure, Failure::Timeout | Failure::Connection | Failure::Local),
                "{failure:?}"
            );
        }
    }

    #[test]
    fn retried_failures_are_configurable() {
        let config = r#"{"on_status": [500], "on_failure": ["dns"], "retries": 1}"#;
        let retry = Retry::seeded(serde_json::from_str(config).unwrap(), 1);
        assert!(retry.next(1, &answered(500)).is_some());
        assert!(retry.next(2, &answered(500)).is_none());
        assert!(retry.next(1, &answered(503)).is_none());
        assert!(retry.next(1, &AttemptEnd::Failed(Failure::Dns)).is_some());
        assert!(retry.next(1, &AttemptEnd::Failed(Failure::Timeout)).is_none());
        for never in ["guard", "tls", "protocol", "redirects", "oversize"] {
            let config = format!(r#"{{"on_failure": ["{never}"]}}"#);
            assert!(serde_json::from_str::<RetryOptions>(&config).is_err(), "{never}");
        }
        assert!(serde_json::from_str::<RetryOptions>(r#"{"retry": 1}"#).is_err());
        assert!(serde_json::from_str::<RetryOptions>(r#"{"backoff_base_seconds": -1}"#).is_err());
    }

    #[test]
    fn backoff_is_a_random_part_of_a_doubling_time() {
        let config = RetryOptions { retries: u32::MAX, ..RetryOptions::default() };
        let retry = Retry::seeded(config, 1);
        for (attempt, longest) in [(1, 1), (2, 2), (3, 4), (6, 32), (7, 60), (40, 60), (u32::MAX, 60)] {
            let delays: Vec<_> = (0..1_000)
                .filter_map(|_| retry.next(attempt, &answered(503)))
                .map(|delay| delay.duration)
                .collect();
            assert_eq!(delays.len(), 1_000);
            let longest = SECOND * longest;
            assert!(delays.iter().all(|delay| *delay <= longest), "attempt {attempt}");
            for quarter in 0..4 {
                let range = longest / 4 * quarter..longest / 4 * (quarter + 1);
                let inside = delays.iter().filter(|delay| range.contains(&**delay)).count();
                assert!((200..300).contains(&inside), "attempt {attempt}: {inside} in {range:?}");
            }
        }
    }

    #[test]
    fn longer_retry_after_replaces_the_backoff() {
        let retry = Retry::seeded(RetryOptions::default(), 1);
        let delay = |seconds| retry.next(1, &busy(seconds)).unwrap();
        assert_eq!(delay(5), Delay { duration: SECOND * 5, reason: DelayReason::RetryAfter });
        assert_eq!(delay(3_600), Delay { duration: SECOND * 300, reason: DelayReason::RetryAfter });
        assert_eq!(delay(0).reason, DelayReason::Backoff);
        let json = serde_json::to_value(delay(5)).unwrap();
        assert_eq!(json, serde_json::json!({"duration_seconds": 5.0, "reason": "retry_after"}));
    }

    #[test]
    fn equal_seeds_give_equal_jitter() {
        let delays = |seed| {
            let retry = Retry::seeded(RetryOptions::default(), seed);
            [1, 2].map(|attempt| retry.next(attempt, &answered(429)))
        };
        assert_eq!(delays(7), delays(7));
        assert_ne!(delays(7), delays(8));
    }
}
