//! Serializes times in RFC 3339, in UTC and with milliseconds.
//!
//! For `#[serde(with = "crate::rfc3339")]`.

use std::time::SystemTime;

use serde::{Serialize, Serializer};

/// Serializes a time, or null if its year is out of range.
pub(crate) fn serialize<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    comity::rfc3339::millis(*time).serialize(serializer)
}

pub(crate) mod option {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        time: &Option<SystemTime>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => super::serialize(time, serializer),
            None => serializer.serialize_none(),
        }
    }
}
