//! The description of the service, OpenAPI 3.1, made from the routes and the types of requests and answers.

use std::sync::OnceLock;

use comity_answers::notice::Notice;
use comity_answers::schema::Components;
use schemars::Schema;
use serde_json::{Map, Value, json};

use super::{Answer, Presence, ROUTES, Route};
use crate::body::MediaType;
use crate::problem::{Kind, ProblemFields};

/// Returns the description.
pub(crate) fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        let mut components = Components::default();
        let mut paths = Map::new();
        for route in ROUTES.iter().filter(|route| route.presence == Presence::Always) {
            let method = route.method().as_str().to_ascii_lowercase();
            let operation = operation(route, &mut components);
            paths.insert(route.path.to_owned(), json!({ method: operation }));
        }
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
                "schemas": components.into_shapes(),
                "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            },
            "x-problems": problems(),
        })
    })
}

fn operation(route: &Route, components: &mut Components) -> Value {
    let json = MediaType::Json.as_str();
    let lines = MediaType::Lines.as_str();
    let name = route.path.trim_start_matches("/v1").trim_start_matches('/').replace(['/', '.'], "_");
    let answer = &route.answer;
    let mut content = Map::new();
    match answer {
        Answer::Rows(row) => {
            let mut whole = list("rows", row(components));
            let notices = json!({
                "type": "array",
                "description": "The remarks for a person about the request and its answer.",
                "items": components.reference::<Notice>(),
            });
            whole["properties"]["notices"] = notices;
            whole["required"] = json!(["rows", "notices"]);
            content.insert(json.to_owned(), json!({ "schema": whole }));
            content.insert(lines.to_owned(), json!({ "schema": row(components) }));
        }
        Answer::Findings(row) => {
            content.insert(json.to_owned(), json!({ "schema": list("findings", row(components)) }));
        }
        Answer::Object(schema) => {
            content.insert(json.to_owned(), json!({ "schema": schema(components) }));
        }
        Answer::Other => {
            content.insert(json.to_owned(), json!({ "schema": { "type": "object" } }));
        }
        Answer::Text(media_type) => {
            content.insert((*media_type).to_owned(), json!({ "schema": { "type": "string" } }));
        }
    }
    let problem = json!({
        "description": "A problem; `type` says which, and `x-problems` lists them.",
        "content": { "application/problem+json": { "schema": components.reference::<ProblemFields>() } },
    });
    let mut operation = json!({
        "operationId": name,
        "summary": route.summary,
        "responses": { "200": { "description": "The answer.", "content": content }, "default": problem },
    });
    if let Some(question) = route.request {
        let mut content = json!({ json: { "schema": question() } });
        if matches!(answer, Answer::Rows(_)) {
            let line = json!({ "anyOf": [question(), { "type": "string", "description": "One more URL." }] });
            content[lines] = json!({ "schema": line });
        }
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    if let Some((name, description)) = route.parameter {
        operation["parameters"] = json!([{
            "name": name,
            "in": "query",
            "required": true,
            "description": description,
            "schema": { "type": "string" },
        }]);
    }
    if matches!(answer, Answer::Rows(_)) {
        operation["responses"]["200"]["headers"] = json!({ "comity-notices": {
            "description": "For a batch: the number of notices about the question in its first line, if there are any.",
            "schema": { "type": "integer", "minimum": 1 },
        } });
    }
    if route.is_open {
        operation["security"] = json!([{}]);
    }
    operation
}

fn list(field: &str, row: Schema) -> Value {
    json!({
        "type": "object",
        "properties": { field: { "type": "array", "items": row } },
        "required": [field],
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
