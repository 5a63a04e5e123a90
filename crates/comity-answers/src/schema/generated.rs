//! Schemas that are generated from the types of requests and answers.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// Returns the schema of a request, without references.
pub fn request<T: JsonSchema>() -> Schema {
    inlined::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// Returns the schema of an answer, without references.
pub fn answer<T: JsonSchema>() -> Schema {
    inlined::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn inlined<T: JsonSchema>(settings: SchemaSettings) -> Schema {
    let mut generator = settings.with(|settings| settings.inline_subschemas = true).into_generator();
    let mut schema = T::json_schema(&mut generator);
    tidy(&mut schema);
    schema
}

/// Rewrites a schema in the form that all clients can read.
///
/// Descriptions are one paragraph, words are one list, null is an alternative of its own, numbers have no `format`, defaults
/// that are empty are left out, and objects have no other fields than the named ones.
fn tidy(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    }
    if let Some(words) = schema.get("oneOf").and_then(words) {
        schema.remove("oneOf");
        schema.insert("type".to_owned(), "string".into());
        schema.insert("enum".to_owned(), words);
    }
    if schema.get("default").is_some_and(is_empty) {
        schema.remove("default");
    }
    if let Some(Value::Array(types)) = schema.get_mut("type")
        && types.contains(&json!("null"))
    {
        types.retain(|name| name != "null");
        if let [name] = &types[..] {
            let name = name.clone();
            separate_null(schema, name);
        }
    }
    let is_number = ["integer", "number"].iter().any(|name| schema.get("type") == Some(&json!(name)));
    if is_number {
        schema.remove("format");
    }
    if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    transform_subschemas(&mut tidy, schema);
}

/// Returns the list of words, if each form is one word.
fn words(forms: &Value) -> Option<Value> {
    let word = |form: &Value| match form.get("const") {
        Some(word) => Some(vec![word.clone()]),
        None => form.get("enum")?.as_array().cloned(),
    };
    let words: Option<Vec<_>> = forms.as_array()?.iter().map(word).collect();
    Some(Value::Array(words?.concat()))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Makes a schema of one type and null two alternatives. Annotations stay outside.
fn separate_null(schema: &mut Schema, name: Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    let is_annotation =
        |name: &str| matches!(name, "description" | "default" | "deprecated") || name.starts_with("x-");
    let (outer, mut inner): (Map<_, _>, Map<_, _>) =
        std::mem::take(fields).into_iter().partition(|(name, _)| is_annotation(name));
    inner.insert("type".to_owned(), name);
    if let Some(Value::Array(words)) = inner.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    *fields = outer;
    fields.insert("anyOf".to_owned(), json!([inner, { "type": "null" }]));
}

/// Types whose schemas are written in the short form.
macro_rules! short_forms {
    ($($type:ty: $name:literal;)*) => {$(
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                Schema::try_from(super::shape($name)).unwrap_or_default()
            }
        }
    )*};
}

short_forms! {
    crate::provenance::Provenance: "robots_txt";
    crate::row::DecisionJson: "decision";
}

/// Returns the schema of findings.
pub fn findings(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({ "type": "array", "items": super::shape("finding") })
}
