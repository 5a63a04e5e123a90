//! The OpenAPI 3.1 description of the service, generated from the routes and the types of requests and answers.

use std::sync::OnceLock;

use comity_answers::schema::Components;
use serde_json::{Map, Value, json};

use super::{AnswerForm, RequestForm, Route, described_routes};
use crate::admission::Access;
use crate::body::MediaType;
use crate::problem::{Kind, ProblemFields};

/// Returns the OpenAPI description.
pub(crate) fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        let mut components = Components::default();
        let mut paths = Map::new();
        for route in described_routes() {
            let method = if matches!(route.request, RequestForm::Body(_)) { "post" } else { "get" };
            let operation = operation(&route, &mut components);
            paths.insert(route.path.to_owned(), json!({ method: operation }));
        }
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Comity",
                "summary": "Decides which URLs may be fetched, how fast, and why.",
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
        AnswerForm::Rows { whole, row } => {
            content.insert(json.to_owned(), json!({ "schema": whole(components) }));
            content.insert(lines.to_owned(), json!({ "schema": row(components) }));
        }
        AnswerForm::Object(schema) => {
            content.insert(json.to_owned(), json!({ "schema": schema(components) }));
        }
        AnswerForm::Other => {
            content.insert(json.to_owned(), json!({ "schema": { "type": "object" } }));
        }
        AnswerForm::Text(media_type) => {
            content.insert((*media_type).to_owned(), json!({ "schema": { "type": "string" } }));
        }
    }
    let problem = json!({
        "description": "A problem. `type` names its kind; `x-problems` lists all kinds.",
        "content": { "application/problem+json": { "schema": components.reference::<ProblemFields>() } },
    });
    let mut operation = json!({
        "operationId": name,
        "summary": route.summary,
        "responses": { "200": { "description": "The answer.", "content": content }, "default": problem },
    });
    match route.request {
        RequestForm::Nothing => {}
        RequestForm::Query(question) => operation["parameters"] = parameters(&question().to_value()),
        RequestForm::Body(question) => {
            let mut content = json!({ json: { "schema": question() } });
            if matches!(answer, AnswerForm::Rows { .. }) {
                let more = json!({ "type": "string", "description": "One more URL." });
                content[lines] = json!({ "schema": { "anyOf": [question(), more] } });
            }
            operation["requestBody"] = json!({ "required": true, "content": content });
        }
    }
    if matches!(answer, AnswerForm::Rows { .. }) {
        operation["responses"]["200"]["headers"] = json!({ "comity-notices": {
            "description": "For a batch: the number of notices about the question in its first line, if there are any.",
            "schema": { "type": "integer", "minimum": 1 },
        } });
    }
    if route.access == Access::Open {
        operation["security"] = json!([{}]);
    }
    operation
}

/// Returns the query parameters for a request with this schema.
fn parameters(request: &Value) -> Value {
    let is_required =
        |name: &str| request["required"].as_array().is_some_and(|names| names.contains(&json!(name)));
    let parameter = |(name, field): (&String, &Value)| {
        json!({
            "name": name,
            "in": "query",
            "required": is_required(name),
            "description": field["description"],
            "schema": { "type": field["type"] },
        })
    };
    request["properties"].as_object().into_iter().flatten().map(parameter).collect()
}

fn problems() -> Value {
    let row = |kind: &Kind| {
        let (name, status, title) = kind.row();
        (name.to_owned(), json!({ "status": status, "title": title }))
    };
    Value::Object(Kind::ALL.iter().map(row).collect())
}
