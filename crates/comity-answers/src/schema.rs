//! JSON Schemas of requests and rows, generated from their types.
//!
//! `docs/reference/schema/` is generated from [`ROWS`], and from rows that only the command prints. The service describes
//! its routes and tools from these types, too.

use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::check::CheckRow;
use crate::diff::DiffDocument;
use crate::explain::ExplainRow;
use crate::lint::FindingOf;
use crate::matrix::Matrix;
use crate::or_error::OrError;
use crate::signature::SignatureRow;
use crate::usage::UsageRow;

/// The rows that have a schema document, except those that only the command prints.
pub const ROWS: [RowSchema; 7] = [
    RowSchema::new::<OrError<CheckRow<'static>>>(
        "decision",
        "a line of `comity check`, and of `comity status`",
    ),
    RowSchema::new::<ExplainRow<'static>>("explanation", "a line of `comity explain`"),
    RowSchema::new::<FindingOf<'static>>("finding", "a line of `comity lint`"),
    RowSchema::new::<Matrix>("matrix", "a line of `comity matrix`"),
    RowSchema::new::<DiffDocument>("diff", "the output of `comity diff`"),
    RowSchema::new::<UsageRow<'static>>("usage", "a line of `comity usage`"),
    RowSchema::unconditional::<SignatureRow>("signature", "the answer of `/v1/verify` of `comity serve`"),
];

/// The schema of a row.
#[derive(Clone, Copy, Debug)]
pub struct RowSchema {
    /// The name of the document.
    pub name: &'static str,
    /// The output that consists of these rows, as a noun phrase.
    pub about: &'static str,
    /// True if only the flag `--json` of a command produces the output.
    needs_flag: bool,
    root: fn(SchemaGenerator) -> Schema,
}

impl RowSchema {
    /// Creates the schema of rows of a type, which a command prints with `--json`.
    pub const fn new<T: JsonSchema>(name: &'static str, about: &'static str) -> Self {
        RowSchema { name, about, needs_flag: true, root: SchemaGenerator::into_root_schema_for::<T> }
    }

    /// Creates the schema of rows of a type, which are always JSON.
    pub const fn unconditional<T: JsonSchema>(name: &'static str, about: &'static str) -> Self {
        RowSchema { needs_flag: false, ..RowSchema::new::<T>(name, about) }
    }

    /// Returns the schema as a document.
    pub fn document(&self) -> Value {
        let mut schema = with_named_shapes((self.root)(settings().into_generator()));
        schema.insert("title".to_owned(), self.name.into());
        let (first, rest) = self.about.split_at(1);
        let description = match self.needs_flag {
            true => format!("With --json: {first}{rest}."),
            false => format!("{}{rest}.", first.to_ascii_uppercase()),
        };
        schema.insert("description".to_owned(), description.into());
        schema.into()
    }
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(tidy)
        .with_transform(remove_null_of_optional)
}

/// Returns the schema of a request, without references.
pub fn request<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_deserialize().with_transform(tidy);
    without_annotations::<T>(settings.with(|settings| settings.inline_subschemas = true))
}

/// Returns the schema of an answer, including the definitions of its parts.
pub fn answer<T: JsonSchema>() -> Schema {
    with_named_shapes(without_annotations::<T>(settings()))
}

/// Returns the schema of a type without `title` and `$schema`, which only documents have.
fn without_annotations<T: JsonSchema>(settings: SchemaSettings) -> Schema {
    let mut schema =
        settings.with(|settings| settings.meta_schema = None).into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema
}

fn with_named_shapes(mut schema: Schema) -> Schema {
    if let Some(Value::Object(shapes)) = schema.get_mut("$defs") {
        name_shapes(shapes);
    }
    schema
}

/// Schemas of answers with shared definitions, as in OpenAPI.
#[derive(Debug)]
pub struct Components(SchemaGenerator);

impl Default for Components {
    fn default() -> Self {
        Components(
            settings().with(|settings| settings.definitions_path = "/components/schemas".into()).into(),
        )
    }
}

impl Components {
    /// Returns a reference to the definition of a type.
    pub fn reference<T: JsonSchema>(&mut self) -> Schema {
        let mut schema = self.0.subschema_for::<T>();
        self.transform(&mut schema);
        schema
    }

    /// Returns the schema of a type, with references to the definitions of its parts.
    pub fn schema<T: JsonSchema>(&mut self) -> Schema {
        let mut schema = T::json_schema(&mut self.0);
        self.transform(&mut schema);
        schema
    }

    fn transform(&mut self, schema: &mut Schema) {
        self.0.transforms_mut().for_each(|transform| transform.transform(schema));
    }

    /// Returns the definitions that schemas refer to, by name.
    pub fn into_shapes(mut self) -> Map<String, Value> {
        let mut shapes = self.0.take_definitions(true);
        name_shapes(&mut shapes);
        shapes
    }
}

/// Renames the definitions to snake case, as [`tidy`] renames the references to them.
fn name_shapes(shapes: &mut Map<String, Value>) {
    *shapes = std::mem::take(shapes).into_iter().map(|(name, shape)| (in_snake_case(&name), shape)).collect();
}

fn in_snake_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && text.ends_with(|last: char| last.is_ascii_alphanumeric()) {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// Rewrites a schema to a form that all clients support.
///
/// - A description is one paragraph.
/// - The words of an enum are one `enum`, and nested alternatives are one `anyOf`.
/// - Null is a separate alternative.
/// - Numbers have no `format`, and empty defaults are removed.
/// - References use snake case.
/// - Objects allow only the named fields.
fn tidy(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    }
    if let Some(Value::String(reference)) = schema.get_mut("$ref")
        && let Some((place, name)) = reference.rsplit_once('/')
    {
        *reference = format!("{place}/{}", in_snake_case(name));
    }
    if let Some(words) = schema.get("oneOf").and_then(words) {
        schema.remove("oneOf");
        schema.insert("type".to_owned(), "string".into());
        // A field may allow only some of the words.
        schema.ensure_object().entry("enum").or_insert(words);
    }
    if schema.get("default").is_some_and(is_empty) {
        schema.remove("default");
    }
    if let Some([name, null]) = schema.get("type").and_then(Value::as_array).map(Vec::as_slice)
        && null == "null"
    {
        let name = name.clone();
        separate_null(schema, name);
    }
    if schema.get("type").is_some_and(|name| name == "integer" || name == "number") {
        schema.remove("format");
    }
    if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    transform_subschemas(&mut tidy, schema);
    if let Some(Value::Array(forms)) = schema.get_mut("anyOf") {
        *forms = flat(std::mem::take(forms));
    }
}

/// Flattens nested alternatives into one list without duplicates.
fn flat(forms: Vec<Value>) -> Vec<Value> {
    let mut all = Vec::new();
    for mut form in forms {
        let inner = match form.get_mut("anyOf") {
            Some(Value::Array(inner)) => std::mem::take(inner),
            _ => vec![form],
        };
        inner.into_iter().for_each(|form| {
            if !all.contains(&form) {
                all.push(form)
            }
        });
    }
    all
}

/// Returns the list of all words, if each form is a word or a list of words.
fn words(forms: &Value) -> Option<Value> {
    let words_of = |form: &Value| match form.get("const") {
        Some(word) => Some(vec![word.clone()]),
        None => form.get("enum")?.as_array().cloned(),
    };
    let words: Option<Vec<_>> = forms.as_array()?.iter().map(words_of).collect();
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

/// Splits a schema with null into two alternatives: null and the other type. Annotations stay outside.
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

/// Removes null from optional fields: a field without a value is left out.
fn remove_null_of_optional(schema: &mut Schema) {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, field) in fields.into_iter().flatten() {
        if !required.iter().any(|other| other == name)
            && let Ok(field) = field.try_into()
        {
            remove_null(field);
        }
    }
    transform_subschemas(&mut remove_null_of_optional, schema);
}

/// Removes null from the allowed values of a tidy schema.
pub fn remove_null(schema: &mut Schema) {
    let Some(forms) = schema.get("anyOf").and_then(Value::as_array) else { return };
    if let [form, null] = &forms[..]
        && null["type"] == "null"
        && let Some(fields) = form.as_object().cloned()
    {
        schema.remove("anyOf");
        for (name, value) in fields {
            schema.ensure_object().entry(name).or_insert(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;

    /// A wish.
    ///
    /// More about it.
    #[derive(Serialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Wish {
        /// How much
        /// it matters.
        weight: Option<Weight>,
        count: u16,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        near_by: NearBy,
    }

    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[schemars(inline)]
    #[allow(dead_code, reason = "only its schema is used")]
    enum Weight {
        /// Little.
        Light,
        /// Much.
        VeryHeavy,
    }

    #[derive(Serialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct NearBy {
        url: String,
    }

    #[test]
    fn answer_of_nested_types_is_tidy_and_refers_to_shapes() {
        let expected = json!({
            "$defs": {
                "near_by": {
                    "type": "object",
                    "properties": { "url": { "type": "string" } },
                    "required": ["url"],
                    "additionalProperties": false,
                },
            },
            "type": "object",
            "description": "A wish.",
            "properties": {
                "weight": {
                    "anyOf": [{ "type": "string", "enum": ["light", "very_heavy"] }, { "type": "null" }],
                    "description": "How much it matters.",
                },
                "count": { "type": "integer", "minimum": 0, "maximum": 65535 },
                "note": { "type": "string" },
                "near_by": { "$ref": "#/$defs/near_by" },
            },
            "required": ["weight", "count", "near_by"],
            "additionalProperties": false,
        });
        assert_eq!(answer::<Wish>().to_value(), expected);
    }

    #[test]
    fn field_of_a_row_that_may_have_an_error_may_be_null() {
        let schema = answer::<OrError<Wish>>().to_value();
        let [form, null] =
            [&schema["properties"]["count"]["anyOf"][0], &schema["properties"]["count"]["anyOf"][1]];
        assert_eq!((&form["type"], &null["type"]), (&json!("integer"), &json!("null")));
        let weight = schema["properties"]["weight"]["anyOf"].as_array().map(Vec::len);
        assert_eq!(weight, Some(2), "null is one of two alternatives");
    }
}
