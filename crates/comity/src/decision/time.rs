//! Times in JSON: RFC 3339 in UTC, to the second.

use std::time::SystemTime;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The first and the last second that every reader of RFC 3339 can hold.
const FIRST: i64 = -62_135_596_800;
const LAST: i64 = 253_402_207_200;

/// Writes a time. One before the year 1 or after 9999 is written as the first or the last second of these.
pub(super) fn serialize<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    let bound = if *time < SystemTime::UNIX_EPOCH { FIRST } else { LAST };
    let bound = || jiff::Timestamp::from_second(bound).ok().map(|timestamp| timestamp.to_string());
    text(*time).or_else(bound).serialize(serializer)
}

/// Reads a time.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SystemTime, D::Error> {
    time(&String::deserialize(deserializer)?)
}

fn time<E: serde::de::Error>(text: &str) -> Result<SystemTime, E> {
    let timestamp = text.parse::<jiff::Timestamp>();
    timestamp.map(SystemTime::from).map_err(|error| E::custom(format!("`{text}` is not a time: {error}")))
}

fn text(time: SystemTime) -> Option<String> {
    let second = jiff::Timestamp::try_from(time).ok()?.as_second();
    let timestamp = (FIRST..=LAST).contains(&second).then(|| jiff::Timestamp::from_second(second).ok())??;
    Some(timestamp.to_string())
}

/// The same for times that there may not be. What lies beyond these years is null.
pub(super) mod option {
    use super::{Deserialize, Deserializer, Serialize, Serializer, SystemTime};

    #[allow(clippy::ref_option, reason = "serde hands over a reference to the field")]
    pub(in crate::decision) fn serialize<S: Serializer>(
        time: &Option<SystemTime>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.and_then(super::text).serialize(serializer)
    }

    pub(in crate::decision) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<SystemTime>, D::Error> {
        let text: Option<String> = Option::deserialize(deserializer)?;
        text.map(|text| super::time(&text)).transpose()
    }
}
