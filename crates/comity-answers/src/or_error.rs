//! The schema of rows with an error instead of an answer.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

/// The schema of `T` with nullable fields. They are null in a row that has an error instead of an answer.
#[derive(Debug)]
pub struct OrError<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for OrError<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("OrError<{}>", T::schema_id()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (_, field) in fields.into_iter().flatten() {
            let description = field.as_object_mut().and_then(|field| field.remove("description"));
            *field = json!({ "anyOf": [field, { "type": "null" }] });
            if let Some(description) = description {
                field["description"] = description;
            }
        }
        schema
    }
}
