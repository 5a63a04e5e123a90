//! The description of the service, OpenAPI 3.1, made from the routes, the shapes of questions and the schemas of rows.

use std::sync::OnceLock;

use comity_answers::notice::Notice;
use comity_answers::schema;
use serde_json::{Map, Value, json};

use crate::body::MediaType;
use crate::problem::Kind;
use crate::routes::{Answer, Route};

/// Returns the description.
pub(crate) fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        let mut paths = Map::new();
        for route in Route::ALL {
            let method = route.method().as_str().to_ascii_lowercase();
            paths.insert(route.path().to_owned(), json!({ method: operation(route) }));
        }
        let rows = schema::ROWS.iter().filter_map(|(name, _)| Some((row_name(name), schema::row(name)?)));
        let mut schemas: Map<String, Value> = rows.collect();
        schemas.insert("problem".to_owned(), problem());
        let mut named = Map::new();
        schemas.values_mut().chain(paths.values_mut()).for_each(|schema| name_shapes(schema, &mut named));
        schemas.extend(named);
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Comity",
                "summary": "What may be fetched, how fast, and why.",
                "version": env!("CARGO_PKG_VERSION"),
                "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            },
            "security": [{}, { "token": [] }],
            "paths": paths,
            "components": {
                "schemas": schemas,
                "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            },
            "x-problems": problems(),
        })
    })
}

fn operation(route: Route) -> Value {
    let json = MediaType::Json.as_str();
    let lines = MediaType::Lines.as_str();
    let name = route.path().trim_start_matches("/v1").trim_start_matches('/').replace(['/', '.'], "_");
    let answer = route.answer_of();
    let mut content = Map::new();
    match &answer {
        Answer::Rows(row) => {
            content.insert(json.to_owned(), json!({ "schema": noticed(list("rows", &row_name(row))) }));
            content.insert(lines.to_owned(), json!({ "schema": reference(&row_name(row)) }));
        }
        Answer::Findings(row) => {
            content.insert(json.to_owned(), json!({ "schema": list("findings", &row_name(row)) }));
        }
        Answer::Row(row) => {
            content.insert(json.to_owned(), json!({ "schema": reference(&row_name(row)) }));
        }
        Answer::Noticed(row) => {
            let mut schema = noticed(schema::row(row).unwrap_or_default());
            schema["title"] = format!("{row}_answer").into();
            content.insert(json.to_owned(), json!({ "schema": schema }));
        }
        Answer::Object(schema) => {
            content.insert(json.to_owned(), json!({ "schema": schema }));
        }
        Answer::Text(media_type) => {
            content.insert((*media_type).to_owned(), json!({ "schema": { "type": "string" } }));
        }
    }
    let problem = json!({
        "description": "A problem; `type` says which, and `x-problems` lists them.",
        "content": { "application/problem+json": { "schema": reference("problem") } },
    });
    let mut operation = json!({
        "operationId": name,
        "summary": route.summary(),
        "responses": { "200": { "description": "The answer.", "content": content }, "default": problem },
    });
    if let Some(question) = route.question() {
        let mut content = json!({ json: { "schema": question() } });
        if matches!(answer, Answer::Rows(_)) {
            let line = json!({ "anyOf": [question(), { "type": "string", "description": "One more URL." }] });
            content[lines] = json!({ "schema": line });
        }
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    if route == Route::Robots {
        operation["parameters"] = json!([{
            "name": "origin",
            "in": "query",
            "required": true,
            "description": "A URL of the site.",
            "schema": { "type": "string" },
        }]);
    }
    if matches!(answer, Answer::Rows(_)) {
        operation["responses"]["200"]["headers"] = json!({ "comity-notices": {
            "description": "For a batch: the number of notices about the question in its first line, if there are any.",
            "schema": { "type": "integer", "minimum": 1 },
        } });
    }
    if route.is_open() {
        operation["security"] = json!([{}]);
    }
    operation
}

/// The name of a row's schema. Most rows hold more than what they are named after: a question, a robots.txt, an error. One that
/// is a shape has its name.
fn row_name(row: &str) -> String {
    let title = schema::row(row).and_then(|schema| schema.get("title")?.as_str().map(str::to_owned));
    title.unwrap_or_else(|| format!("{row}_row"))
}

/// Puts a reference in place of each shape that has a title, and the shape into `named`. What programs make of the
/// description then has one type for each shape.
fn name_shapes(schema: &mut Value, named: &mut Map<String, Value>) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(|part| name_shapes(part, named)),
        Value::Object(parts) => {
            parts.values_mut().for_each(|part| name_shapes(part, named));
            // A field may be called `title`, too. Its value is not text.
            let Some(Value::String(title)) = parts.get("title") else { return };
            let title = title.clone();
            // What the shape is at this place stays here.
            let description = parts.remove("description");
            let mut place = reference(&title);
            if let Some(description) = description {
                place["description"] = description;
            }
            named.insert(title, std::mem::replace(schema, place));
        }
        _ => {}
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn list(field: &str, row: &str) -> Value {
    json!({
        "type": "object",
        "properties": { field: { "type": "array", "items": reference(row) } },
        "required": [field],
        "additionalProperties": false,
    })
}

/// Adds the notices to an answer.
fn noticed(mut answer: Value) -> Value {
    answer["properties"]["notices"] = json!({
        "type": "array",
        "description": "Remarks for a person about the question and its answer.",
        "items": schema::answer::<Notice>(),
    });
    if let Some(required) = answer["required"].as_array_mut() {
        required.push("notices".into());
    }
    answer
}

fn problem() -> Value {
    json!({
        "type": "object",
        "description": "A problem (RFC 9457).",
        "properties": {
            "type": { "type": "string", "format": "uri-reference" },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "detail": { "type": "string" },
            "retry_after_seconds": { "type": "integer", "minimum": 1 },
        },
        "required": ["type", "title", "status", "detail"],
        "additionalProperties": false,
    })
}

fn problems() -> Value {
    let row = |kind: &Kind| {
        let (name, status, title) = kind.row();
        (name.to_owned(), json!({ "status": status, "title": title }))
    };
    Value::Object(Kind::ALL.iter().map(row).collect())
}
