//! Overrides: values that a user sets in place of choices of a preset.
//!
//! An override belongs to a [`Policy`](super::Policy). Every decision shows it next to the preset's name, so that the
//! decision is not mistaken for the preset's own.

use std::fmt;
use std::time::Duration;

use super::freshness::FOREVER;
use super::treatment::Treatment;
use crate::words::words;

words! {
    /// The treatment of every URL while robots.txt is unreachable and no stored copy decides.
    OnUnreachable as "value of on_unreachable" {
        /// Nothing is fetched.
        Deny = "deny",
        /// Everything is allowed with a warning ([`Treatment::FailOpen`]).
        Warn = "warn",
        /// Everything is allowed without a warning ([`Treatment::FailOpenUnwarned`]).
        Allow = "allow",
    }
}

impl OnUnreachable {
    /// Returns the treatment of every URL.
    pub const fn treatment(self) -> Treatment {
        match self {
            OnUnreachable::Deny => Treatment::Stop,
            OnUnreachable::Warn => Treatment::FailOpen,
            OnUnreachable::Allow => Treatment::FailOpenUnwarned,
        }
    }
}

/// Values that a user sets in place of choices of a preset. By default, none is set.
///
/// The JSON form (feature `serde`) has the fields `on_unreachable` and `max_age_seconds`. A value that is not set is
/// omitted.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use comity::policy::{Answer, OnUnreachable, Overrides, Policy, Preset};
/// use comity::robots::Agent;
///
/// let overrides = Overrides::default().with_on_unreachable(OnUnreachable::Warn);
/// let mut policy = Policy::without_answer(Preset::Rfc9309).with_overrides(overrides);
/// let now = SystemTime::UNIX_EPOCH;
/// policy.update(&Preset::Rfc9309.read(&Answer::status(503, now)), &Agent::token("examplebot")?);
/// let decision = policy.decide("/page", now)?;
/// assert!(decision.failed_open() && !decision.blocks());
/// assert_eq!(decision.overrides().to_string(), "on_unreachable = warn");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "OverridesFields", into = "OverridesFields")
)]
pub struct Overrides {
    pub(super) on_unreachable: Option<OnUnreachable>,
    /// Seconds; `FOREVER` means that the preset's value applies.
    pub(super) max_age: u32,
}

impl Default for Overrides {
    fn default() -> Self {
        Overrides { on_unreachable: None, max_age: FOREVER }
    }
}

impl Overrides {
    /// Sets the treatment while robots.txt is unreachable and no stored copy decides.
    ///
    /// The override does not apply if the guard rejected the request for robots.txt or if the request failed locally.
    /// If a last good copy may be used, the rules of the copy still decide.
    #[must_use]
    pub const fn with_on_unreachable(self, choice: OnUnreachable) -> Self {
        Overrides { on_unreachable: Some(choice), ..self }
    }

    /// Limits the time for which an answer is used without a new request, in whole seconds, rounded up. The
    /// `Retry-After` of an overloaded server still applies, within the preset's bounds.
    #[must_use]
    pub fn with_max_age(self, max_age: Duration) -> Self {
        let seconds = max_age.as_secs().saturating_add(u64::from(max_age.subsec_nanos() > 0));
        let seconds = u32::try_from(seconds).unwrap_or(FOREVER - 1);
        Overrides { max_age: seconds.min(FOREVER - 1), ..self }
    }

    /// Returns the treatment while robots.txt is unreachable, if it is overridden.
    pub const fn on_unreachable(self) -> Option<OnUnreachable> {
        self.on_unreachable
    }

    /// Returns the maximum time for which an answer is used, if it is overridden.
    pub const fn max_age(self) -> Option<Duration> {
        match self.max_age {
            FOREVER => None,
            seconds => Some(Duration::from_secs(seconds as u64)),
        }
    }

    /// Returns true if nothing is overridden.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference to the field")]
    pub fn is_empty(&self) -> bool {
        *self == Overrides::default()
    }
}

/// Writes the overrides: `on_unreachable = warn, max_age_seconds = 3600`.
impl fmt::Display for Overrides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(choice) = self.on_unreachable {
            write!(f, "on_unreachable = {choice}")?;
        }
        if let Some(max_age) = self.max_age() {
            let comma = if self.on_unreachable.is_some() { ", " } else { "" };
            write!(f, "{comma}max_age_seconds = {}", max_age.as_secs())?;
        }
        Ok(())
    }
}

/// Values that a user sets in place of choices of a preset.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Overrides"))]
struct OverridesFields {
    /// The treatment while robots.txt is unreachable and no stored copy decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_unreachable: Option<OnUnreachable>,
    /// The maximum time for which an answer is used without a new request, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_age_seconds: Option<u64>,
}

#[cfg(feature = "serde")]
impl From<Overrides> for OverridesFields {
    fn from(overrides: Overrides) -> Self {
        let max_age_seconds = overrides.max_age().map(|max_age| max_age.as_secs());
        OverridesFields { on_unreachable: overrides.on_unreachable, max_age_seconds }
    }
}

#[cfg(feature = "serde")]
impl From<OverridesFields> for Overrides {
    fn from(fields: OverridesFields) -> Self {
        let overrides = Overrides { on_unreachable: fields.on_unreachable, ..Overrides::default() };
        match fields.max_age_seconds {
            Some(seconds) => overrides.with_max_age(Duration::from_secs(seconds)),
            None => overrides,
        }
    }
}

#[cfg(feature = "schema")]
crate::schema::written_as!(Overrides: OverridesFields;);
