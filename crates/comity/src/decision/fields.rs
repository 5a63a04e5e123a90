//! Records and the table of their fields.
//!
//! The `record!` macro declares a record: the struct, its form in JSON, and the [`Field`]s with their names, types and
//! descriptions. All other forms of a decision (columns, dataclasses, documentation) are derived from them.

use std::time::{Duration, SystemTime};

use crate::policy::{
    AnswerKind, Availability, CertificateFault, Failure, Mode, Overrides, Preset, Treatment,
};
use crate::robots::{Basis, DelaySource, Dialect, RecordKind, RuleOutcome};
use crate::verdict::{Recommendation, Verdict};

/// A field of a record.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Field {
    /// The field's name in JSON, in Rust and in Python.
    pub name: &'static str,
    /// The description of the field.
    pub about: &'static str,
    /// The type of its value.
    pub kind: FieldKind,
    /// True if the value may be absent.
    pub is_optional: bool,
}

/// The type of a field.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum FieldKind {
    /// One word of a fixed list. The function returns the list.
    Word(fn() -> Vec<&'static str>),
    /// Any text.
    Text,
    /// True or false.
    Flag,
    /// A whole number.
    Number,
    /// A number of seconds, with or without a fraction.
    Seconds,
    /// A time; in JSON as RFC 3339 in UTC, to the second.
    Time,
    /// A list of texts.
    Texts,
    /// A list of whole numbers.
    Numbers,
    /// The choices of a preset that were overridden, by name.
    Overrides,
    /// Another record: its name and its fields.
    Record(&'static str, &'static [Field]),
    /// A list of another record: its name and its fields.
    Records(&'static str, &'static [Field]),
}

/// The value of a field, if it is a single value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value<'r> {
    /// No value.
    None,
    /// One of the words of [`FieldKind::Word`].
    Word(&'static str),
    /// Any text.
    Text(&'r str),
    /// True or false.
    Flag(bool),
    /// A whole number.
    Number(u64),
    /// A number of seconds.
    Seconds(Duration),
    /// The values of another record, in the order of its fields.
    Record(Vec<Value<'r>>),
    /// A time, a list, overrides or evidence. Read the field of the record instead.
    Other,
}

/// A type that the fields of records may have.
pub(crate) trait FieldValue {
    const KIND: FieldKind;
    const IS_OPTIONAL: bool = false;

    fn value(&self) -> Value<'_>;
}

/// Declares a record. The text after `as` is its name in other languages.
macro_rules! record {
    (
        $(#[$about:meta])*
        $visible:vis struct $name:ident as $shown:literal {
            $(
                $(#[doc = $doc:literal])*
                $(#[serde($($serde:tt)*)])?
                $(#[schemars($($schemars:tt)*)])?
                $of:vis $field:ident: $type:ty,
            )*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = $shown))]
        #[non_exhaustive]
        $visible struct $name {
            $(
                $(#[doc = $doc])*
                $(#[cfg_attr(feature = "serde", serde($($serde)*))])?
                $(#[cfg_attr(feature = "schema", schemars($($schemars)*))])?
                $of $field: $type,
            )*
        }

        impl $name {
            /// The fields, in the order of the form in JSON.
            $visible const FIELDS: &'static [$crate::decision::Field] = &[$(
                $crate::decision::Field {
                    name: stringify!($field),
                    about: concat!($($doc),*).trim_ascii(),
                    kind: <$type as $crate::decision::fields::FieldValue>::KIND,
                    is_optional: <$type as $crate::decision::fields::FieldValue>::IS_OPTIONAL,
                },
            )*];

            /// Returns the value of the field with this index in [`FIELDS`](Self::FIELDS), or `Value::None` if the
            /// index is out of range.
            $visible fn value(&self, index: usize) -> $crate::decision::Value<'_> {
                let mut next = 0;
                $(
                    if index == next {
                        return $crate::decision::fields::FieldValue::value(&self.$field);
                    }
                    next += 1;
                )*
                let _ = next;
                $crate::decision::Value::None
            }

            /// Returns the values of [`FIELDS`](Self::FIELDS), in their order.
            $visible fn values(&self) -> Vec<$crate::decision::Value<'_>> {
                (0..Self::FIELDS.len()).map(|index| self.value(index)).collect()
            }
        }

        impl $crate::decision::fields::FieldValue for $name {
            const KIND: $crate::decision::FieldKind = $crate::decision::FieldKind::Record($shown, $name::FIELDS);

            fn value(&self) -> $crate::decision::Value<'_> {
                $crate::decision::Value::Record(self.values())
            }
        }
    };
}

pub(super) use record;

/// Implements [`FieldValue`] for types whose values are words.
macro_rules! words {
    ($($type:ty: $list:expr, $name:ident;)*) => {$(
        impl FieldValue for $type {
            const KIND: FieldKind = FieldKind::Word(|| $list.into_iter().map(<$type>::$name).collect());

            fn value(&self) -> Value<'_> {
                Value::Word(self.$name())
            }
        }
    )*};
}

words! {
    Verdict: Verdict::ALL, as_str;
    Recommendation: Recommendation::ALL, as_str;
    Basis: Basis::ALL, as_str;
    DelaySource: DelaySource::ALL, as_str;
    RuleOutcome: RuleOutcome::ALL, as_str;
    Treatment: Treatment::ALL, as_str;
    Mode: Mode::ALL, as_str;
    AnswerKind: AnswerKind::ALL, as_str;
    Availability: Availability::ALL, as_str;
    Failure: Failure::ALL, as_str;
    CertificateFault: CertificateFault::ALL, as_str;
    Preset: Preset::ALL, name;
    Dialect: Dialect::ALL, name;
    // Fields of this type occur only in records of rules, and each rule has one of these two kinds.
    RecordKind: [RecordKind::Allow, RecordKind::Disallow], as_str;
}

impl FieldValue for bool {
    const KIND: FieldKind = FieldKind::Flag;

    fn value(&self) -> Value<'_> {
        Value::Flag(*self)
    }
}

impl FieldValue for String {
    const KIND: FieldKind = FieldKind::Text;

    fn value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

/// Implements [`FieldValue`] for whole numbers.
macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl FieldValue for $type {
            const KIND: FieldKind = FieldKind::Number;

            fn value(&self) -> Value<'_> {
                u64::try_from(*self).map_or(Value::None, Value::Number)
            }
        }
    )*};
}

numbers!(u16, u32, usize);

impl FieldValue for Duration {
    const KIND: FieldKind = FieldKind::Seconds;

    fn value(&self) -> Value<'_> {
        Value::Seconds(*self)
    }
}

/// Implements [`FieldValue`] for types that [`Value`] does not represent.
macro_rules! others {
    ($($type:ty: $kind:expr;)*) => {$(
        impl FieldValue for $type {
            const KIND: FieldKind = $kind;

            fn value(&self) -> Value<'_> {
                Value::Other
            }
        }
    )*};
}

others! {
    SystemTime: FieldKind::Time;
    Vec<String>: FieldKind::Texts;
    Vec<u32>: FieldKind::Numbers;
    Overrides: FieldKind::Overrides;
}

pub(super) use others;

impl<T: FieldValue> FieldValue for Option<T> {
    const KIND: FieldKind = T::KIND;
    const IS_OPTIONAL: bool = true;

    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::None, FieldValue::value)
    }
}
