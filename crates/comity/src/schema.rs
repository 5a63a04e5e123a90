//! The JSON Schema of a time, and macros for the schemas of types that are serialized as other types.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// The schema of a time: text in RFC 3339 format.
///
/// ```
/// assert_eq!(schemars::schema_for!(comity::schema::DateTime).get("format"), Some(&"date-time".into()));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct DateTime;

impl JsonSchema for DateTime {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "DateTime".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// Implements `JsonSchema` for types by delegating to the types that they are serialized as.
macro_rules! written_as {
    ($($type:ty: $form:ty;)*) => {$(
        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                <$form>::inline_schema()
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                <$form>::schema_name()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                <$form>::schema_id()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <$form>::json_schema(generator)
            }
        }
    )*};
}

/// Implements `JsonSchema` for a type that is serialized as one of its names.
macro_rules! written_as_words {
    ($type:ty: $all:expr, $name:ident) => {
        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": $all.map(<$type>::$name) })
            }
        }
    };
}

pub(crate) use {written_as, written_as_words};
