//! Writes durations in files and records: a number of seconds, with or without a fraction.
//!
//! For `#[serde(with = "crate::seconds")]` on a field whose name ends in `_seconds`.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer, de};

pub(crate) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    read(f64::deserialize(deserializer)?).map_err(de::Error::custom)
}

fn read(seconds: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| format!("`{seconds}` is not a number of seconds; write 0 or more"))
}

/// Writes an optional duration; `None` is `null`.
pub(crate) mod option {
    use std::time::Duration;

    use serde::Serializer;

    pub(crate) fn serialize<S: Serializer>(
        duration: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => super::serialize(duration, serializer),
            None => serializer.serialize_none(),
        }
    }
}
