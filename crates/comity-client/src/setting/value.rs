//! The forms of setting values: a number, a duration, a switch, text, one of several names, or a list of these.
//!
//! Each type of a setting implements [`SettingValue`], which declares its form. Files, flags, environment variables,
//! documentation and Python use this form.

use std::fmt;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use comity::policy::{Mode, OnUnreachable, Preset};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use url::Url;

use super::text::{Nameserver, Network, PortRange};

/// The form of a setting's value.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ValueForm {
    /// The kind of one value.
    pub kind: ValueKind,
    /// True if the setting is a list of values.
    pub is_list: bool,
    /// True if the value may be absent.
    pub is_optional: bool,
}

/// The kind of a single value.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ValueKind {
    /// Text.
    Text {
        /// The placeholder in help texts, such as `URL` or `FILE`.
        word: &'static str,
        /// The separator between several values in one text: a comma, or a line break if values may contain commas.
        separator: char,
    },
    /// One of a list of names.
    Choice {
        /// The placeholder in help texts, such as `PRESET`.
        word: &'static str,
        /// Returns the names.
        names: fn() -> Vec<&'static str>,
    },
    /// A duration: a number of seconds, 0 or more, or [text](comity::date::duration) with units.
    Seconds,
    /// A whole number.
    Number {
        /// The minimum.
        least: u64,
        /// The maximum.
        greatest: u64,
    },
    /// On or off.
    Switch,
}

impl ValueForm {
    pub(crate) const fn one(kind: ValueKind) -> ValueForm {
        ValueForm { kind, is_list: false, is_optional: false }
    }

    pub(crate) const fn text(word: &'static str) -> ValueForm {
        ValueForm::one(ValueKind::Text { word, separator: ',' })
    }
}

/// A type of setting values.
pub(crate) trait SettingValue: Sized {
    /// The form of the values.
    const FORM: ValueForm;

    /// Serializes the value.
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// Deserializes a value.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;

    /// Formats the value for users, without passwords.
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// For `#[serde(with = "crate::setting::value")]` on a field of a section.
pub(crate) fn serialize<T: SettingValue, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.write(serializer)
}

/// See [`serialize`].
pub(crate) fn deserialize<'de, T: SettingValue, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::read(deserializer)
}

/// A wrapper that formats a value with [`SettingValue::show`].
pub(crate) struct ShowValue<'v, T>(pub(crate) &'v T);

impl<T: SettingValue> fmt::Debug for ShowValue<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.show(f)
    }
}

/// A wrapper that serializes a value inside an option or a list.
struct WriteValue<'v, T>(&'v T);

impl<T: SettingValue> Serialize for WriteValue<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

/// A wrapper that deserializes a value inside an option or a list.
struct ReadValue<T>(T);

impl<'de, T: SettingValue> Deserialize<'de> for ReadValue<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::read(deserializer).map(ReadValue)
    }
}

impl<T: SettingValue> SettingValue for Option<T> {
    const FORM: ValueForm = ValueForm { is_optional: true, ..T::FORM };

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(value) => serializer.serialize_some(&WriteValue(value)),
            None => serializer.serialize_none(),
        }
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<ReadValue<T>>::deserialize(deserializer)?.map(|read| read.0))
    }

    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_ref().map(ShowValue), f)
    }
}

impl<T: SettingValue> SettingValue for Vec<T> {
    const FORM: ValueForm = ValueForm { is_list: true, ..T::FORM };

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(WriteValue))
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<ReadValue<T>>::deserialize(deserializer)?.into_iter().map(|read| read.0).collect())
    }

    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(ShowValue)).finish()
    }
}

/// A duration in a file.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a number of seconds, or a time such as \"500ms\", \"20s\", \"10m\", \"12h\" or \"30d\""
)]
enum Time {
    Seconds(f64),
    Text(String),
}

/// A duration is serialized as a number of seconds, and deserialized from a number of seconds or from
/// [text](comity::date::duration).
impl SettingValue for Duration {
    const FORM: ValueForm = ValueForm::one(ValueKind::Seconds);

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::seconds::serialize(self, serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Time::deserialize(deserializer)? {
            Time::Text(text) => comity::date::duration(&text).map_err(de::Error::custom),
            Time::Seconds(seconds) => Duration::try_from_secs_f64(seconds).map_err(|_| {
                de::Error::custom(format!("`{seconds}` is not a number of seconds; write 0 or more"))
            }),
        }
    }

    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Implements [`SettingValue`] for types with the serialization of `serde`.
macro_rules! plain {
    ($($type:ty => $form:expr),+ $(,)?) => {
        $(impl SettingValue for $type {
            const FORM: ValueForm = $form;

            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.serialize(serializer)
            }

            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Deserialize::deserialize(deserializer)
            }

            fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(self, f)
            }
        })+
    };
}

plain! {
    bool => ValueForm::one(ValueKind::Switch),
    u16 => ValueForm::one(ValueKind::Number { least: 0, greatest: u16::MAX as u64 }),
    u32 => ValueForm::one(ValueKind::Number { least: 0, greatest: u32::MAX as u64 }),
    u64 => ValueForm::one(ValueKind::Number { least: 0, greatest: i64::MAX as u64 }),
    usize => ValueForm::one(ValueKind::Number { least: 0, greatest: i64::MAX as u64 }),
    NonZeroU32 => ValueForm::one(ValueKind::Number { least: 1, greatest: u32::MAX as u64 }),
    NonZeroUsize => ValueForm::one(ValueKind::Number { least: 1, greatest: i64::MAX as u64 }),
    String => ValueForm::text("TEXT"),
    PathBuf => ValueForm::text("FILE"),
}

/// Implements [`SettingValue`] for types that are parsed with `FromStr` and formatted with `Display`.
macro_rules! text_values {
    ($($type:ty => $form:expr, $shown:expr);+ $(;)?) => {
        $(impl $crate::setting::value::SettingValue for $type {
            const FORM: $crate::setting::ValueForm = $form;

            fn write<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }

            fn read<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                text.parse::<$type>().map_err(serde::de::Error::custom)
            }

            fn show(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let shown: fn(&$type, &mut std::fmt::Formatter<'_>) -> std::fmt::Result = $shown;
                shown(self, f)
            }
        })+
    };
}

/// Implements [`SettingValue`] for types with a few named values, which `ALL` lists.
macro_rules! named_values {
    ($($type:ty, $word:literal, $name:ident);+ $(;)?) => {
        $crate::setting::value::text_values! {
            $($type => $crate::setting::ValueForm::one($crate::setting::ValueKind::Choice {
                word: $word,
                names: || <$type>::ALL.iter().map(|value| value.$name()).collect(),
            }), std::fmt::Debug::fmt;)+
        }
    };
}

/// Implements [`SettingValue`] for an enum that `comity::words!` declares.
macro_rules! named {
    ($type:ident) => {
        $crate::setting::value::named_values!($type, "CHOICE", as_str);
    };
}

pub(crate) use {named, named_values, text_values};

/// A port range is deserialized from text or from a number.
impl SettingValue for PortRange {
    const FORM: ValueForm = ValueForm::text("PORTS");

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Ports;

        impl serde::de::Visitor<'_> for Ports {
            type Value = PortRange;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a port or a range of ports, such as 8080 or \"8000-8100\"")
            }

            fn visit_u64<E: serde::de::Error>(self, port: u64) -> Result<PortRange, E> {
                self.visit_str(&port.to_string())
            }

            fn visit_i64<E: serde::de::Error>(self, port: i64) -> Result<PortRange, E> {
                self.visit_str(&port.to_string())
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<PortRange, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_any(Ports)
    }

    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

text_values! {
    Network => ValueForm::text("NETWORK"), fmt::Display::fmt;
    Nameserver => ValueForm::text("ADDRESS"), fmt::Display::fmt;
    Url => ValueForm::text("URL"), |url, f| f.write_str(&super::text::without_secrets(url.as_str()));
}

named_values! {
    Preset, "PRESET", name;
    Mode, "MODE", as_str;
    OnUnreachable, "CHOICE", as_str;
}

#[cfg(feature = "page")]
named_values! {
    comity::page::Profile, "PROFILE", as_str;
}

#[cfg(feature = "llms")]
named_values! {
    comity::llms::Strategy, "HOW", as_str;
}
