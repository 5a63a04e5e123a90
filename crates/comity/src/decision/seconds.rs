//! Durations in JSON: a number of seconds, with or without a fraction.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Optional durations.
pub(super) mod option {
    use super::{Deserialize, Deserializer, Duration, Serialize, Serializer};

    #[allow(clippy::ref_option, reason = "serde hands over a reference to the field")]
    pub(in crate::decision) fn serialize<S: Serializer>(
        duration: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        duration.map(|duration| duration.as_secs_f64()).serialize(serializer)
    }

    /// Reads a duration. A duration that is too long for the type becomes the maximum.
    pub(in crate::decision) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        let duration = |seconds: f64| match Duration::try_from_secs_f64(seconds) {
            Ok(duration) => Ok(duration),
            Err(_) if seconds > 0.0 => Ok(Duration::MAX),
            Err(_) => Err(serde::de::Error::custom(format!("`{seconds}` is not a number of seconds"))),
        };
        Option::<f64>::deserialize(deserializer)?.map(duration).transpose()
    }
}
