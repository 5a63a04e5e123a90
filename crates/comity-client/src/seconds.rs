//! Serializes durations in files and records as a number of seconds.
//!
//! For `#[serde(with = "crate::seconds")]` on a field whose key ends in `seconds`.

use std::time::Duration;

use serde::Serializer;

pub(crate) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}

/// Serializes an optional duration; `None` is `null`.
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
