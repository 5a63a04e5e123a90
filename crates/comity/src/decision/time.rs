//! Times in JSON: RFC 3339 in UTC, to the second.

use std::time::SystemTime;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::rfc3339;

/// Writes a time. A time outside the range of [`rfc3339::seconds`] is clamped to its first or last second.
pub(super) fn serialize<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    rfc3339::bounded(*time).serialize(serializer)
}

/// Reads a time.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SystemTime, D::Error> {
    time(&String::deserialize(deserializer)?)
}

fn time<E: serde::de::Error>(text: &str) -> Result<SystemTime, E> {
    let timestamp = text.parse::<jiff::Timestamp>();
    timestamp.map(SystemTime::from).map_err(|error| E::custom(format!("`{text}` is not a time: {error}")))
}

/// Optional times. A time outside the range is written as null.
pub(super) mod option {
    use super::{Deserialize, Deserializer, Serialize, Serializer, SystemTime, rfc3339};

    #[allow(clippy::ref_option, reason = "serde hands over a reference to the field")]
    pub(in crate::decision) fn serialize<S: Serializer>(
        time: &Option<SystemTime>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.and_then(rfc3339::seconds).serialize(serializer)
    }

    pub(in crate::decision) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<SystemTime>, D::Error> {
        let text: Option<String> = Option::deserialize(deserializer)?;
        text.map(|text| super::time(&text)).transpose()
    }
}
