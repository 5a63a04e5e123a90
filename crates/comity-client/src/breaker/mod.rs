//! The circuit breaker. It rejects calls to an origin for a while after repeated failures.
//!
//! Each origin has a circuit. A circuit is *closed* while calls succeed. After a number of consecutive failures, the
//! circuit *opens* and rejects all calls. After the recovery time, the circuit is *half open*: the next call is
//! admitted as a probe, and its result closes the circuit or opens it again. A call is a whole sequence of attempts,
//! including retries.
//!
//! The breaker keeps the circuits of at most [`Breaker::MOST_ORIGINS`] failing origins. An origin whose last call
//! succeeded needs no memory.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use comity::policy::Failure;

use crate::Origin;
use crate::lock::lock;
use crate::retry::{AttemptEnd, is_server_failure};
use crate::setting::section::section;

mod circuits;

use circuits::{Circuits, Probe};

section! {
    /// Options of the circuit breaker. In a file, times are seconds.
    pub struct BreakerOptions = "breaker" {
        /// Number of consecutive failed fetches that open the circuit of an origin; unset: never.
        failure_threshold: Option<NonZeroU32> = None, "failure_threshold";
        /// Time for which an open circuit rejects requests to its origin.
        recovery: Duration = Duration::from_secs(60), "recovery_seconds";
    }
}

/// Circuit breaker, which admits or rejects calls to origins.
///
/// ```
/// use std::num::NonZeroU32;
/// use std::time::{Duration, SystemTime};
///
/// use comity_client::Origin;
/// use comity_client::breaker::{Breaker, BreakerOptions, CircuitState};
///
/// let mut config = BreakerOptions::default();
/// config.failure_threshold = NonZeroU32::new(1);
/// let breaker = Breaker::new(&config);
/// let origin = Origin::of(&"https://example.com/".parse()?).ok_or("no origin")?;
///
/// let now = SystemTime::now();
/// breaker.admit(&origin, now)?.failure(now);
/// let open = breaker.admit(&origin, now).expect_err("open");
/// assert_eq!(open.retry_in, Some(Duration::from_secs(60)));
///
/// let later = now + Duration::from_secs(60);
/// let probe = breaker.admit(&origin, later)?;
/// assert!(breaker.admit(&origin, later).is_err(), "one probe");
/// probe.success();
/// assert_eq!(breaker.state(&origin, later), CircuitState::Closed);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Breaker {
    /// `None` if the breaker is disabled.
    circuits: Option<Arc<Mutex<Circuits>>>,
}

impl Breaker {
    /// Maximum number of circuits of failing origins. Beyond it, the half with the oldest failures is evicted, which
    /// closes their circuits.
    pub const MOST_ORIGINS: usize = 65_536;

    /// Creates a breaker with these settings. Without a threshold, it admits every call.
    pub fn new(config: &BreakerOptions) -> Self {
        let circuits = config.failure_threshold.map(|threshold| {
            Arc::new(Mutex::new(Circuits::new(threshold, config.recovery, Breaker::MOST_ORIGINS)))
        });
        Breaker { circuits }
    }

    /// Requests a permit to call an origin. The caller reports the result with [`Permit::settle`].
    ///
    /// # Errors
    ///
    /// [`CircuitOpen`] if the circuit is open, or if it is half open and another call is the probe.
    pub fn admit(&self, origin: &Origin, now: SystemTime) -> Result<Permit, CircuitOpen> {
        let Some(circuits) = &self.circuits else {
            return Ok(Permit { call: None });
        };
        match lock(circuits).admit(origin, now) {
            Ok(probe) => {
                let call = Call { circuits: Arc::clone(circuits), origin: origin.clone(), probe };
                Ok(Permit { call: Some(call) })
            }
            Err(retry_in) => {
                tracing::debug!(%origin, ?retry_in, "circuit open");
                Err(CircuitOpen { origin: origin.clone(), retry_in })
            }
        }
    }

    /// Returns the state of an origin's circuit.
    pub fn state(&self, origin: &Origin, now: SystemTime) -> CircuitState {
        self.circuits.as_ref().map_or(CircuitState::Closed, |circuits| lock(circuits).state(origin, now))
    }
}

comity::words! {
    /// The state of a circuit.
    #[derive(serde::Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum CircuitState as "state of a circuit" {
        /// Every call is admitted.
        Closed = "closed",
        /// Every call is rejected.
        Open = "open",
        /// The next call is admitted as a probe, or the probe is in flight.
        HalfOpen = "half_open",
    }
}

/// The permit for one call. Dropping it without a result does not change the circuit. If the dropped permit was the
/// probe, the next call becomes the probe.
#[derive(Debug)]
#[must_use = "report the result of the call"]
pub struct Permit {
    call: Option<Call>,
}

#[derive(Debug)]
struct Call {
    circuits: Arc<Mutex<Circuits>>,
    origin: Origin,
    probe: Option<Probe>,
}

impl Permit {
    /// Records the result of the last attempt of the call. A failure is a missing or incomplete answer, or a status of
    /// 500 or higher. All other answers count as successes, even an answer that is too long, an unknown content coding,
    /// or a redirect loop. A refusal by the guard and a local failure are not counted.
    pub fn settle(self, ended: &AttemptEnd, now: SystemTime) {
        match ended {
            AttemptEnd::Failed(Failure::Guard | Failure::Local) => drop(self),
            AttemptEnd::Failed(Failure::Redirects | Failure::Oversize | Failure::UnsupportedCoding) => {
                self.success()
            }
            AttemptEnd::Failed(_) => self.failure(now),
            AttemptEnd::Answered(status, _) if is_server_failure(*status) => self.failure(now),
            AttemptEnd::Answered(..) => self.success(),
        }
    }

    /// Records a successful call.
    pub fn success(mut self) {
        if let Some(call) = self.call.take() {
            lock(&call.circuits).succeed(&call.origin, call.probe);
        }
    }

    /// Records a failed call.
    pub fn failure(mut self, now: SystemTime) {
        let Some(call) = self.call.take() else { return };
        if lock(&call.circuits).fail(&call.origin, call.probe, now) {
            tracing::warn!(origin = %call.origin, "circuit opened");
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(Call { circuits, origin, probe: Some(probe) }) = self.call.take() {
            lock(&circuits).give_back(&origin, probe);
        }
    }
}

/// The error for a rejected call.
///
/// Its JSON fields are `origin` and `retry_in_seconds`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, thiserror::Error)]
#[error("{origin}: too many consecutive requests failed; {}", retry_text(*retry_in))]
#[non_exhaustive]
pub struct CircuitOpen {
    /// The origin whose circuit is open.
    pub origin: Origin,
    /// Remaining time of the open circuit; `None` while a probe is in flight.
    #[serde(rename = "retry_in_seconds", with = "crate::seconds::option")]
    pub retry_in: Option<Duration>,
}

/// Returns the part of the message about the next probe.
fn retry_text(retry_in: Option<Duration>) -> String {
    match retry_in {
        Some(retry_in) => format!("try again in {:.0} s", retry_in.as_secs_f64().ceil()),
        None => "one request is probing whether the origin answers again".to_owned(),
    }
}
