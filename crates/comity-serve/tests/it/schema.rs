//! The OpenAPI description is up to date, and the answers conform to it.

use std::path::Path;

use boon::{Compiler, Schemas};
use comity_serve::openapi;
use http::Method;
use serde_json::{Value, json};

use crate::serving;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/openapi.json");

/// Returns true if a value conforms to the schema at a pointer in the description. Prints the errors otherwise.
#[track_caller]
fn validate(pointer: &str, value: &Value) -> bool {
    let (mut known, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.enable_format_assertions();
    compiler.add_resource("https://comity.invalid/openapi.json", openapi().clone()).unwrap();
    let place = format!("https://comity.invalid/openapi.json#{pointer}");
    let index = compiler.compile(&place, &mut known).unwrap_or_else(|error| panic!("{place}: {error:#}"));
    match known.validate(value, index) {
        Ok(()) => true,
        Err(error) => {
            eprintln!("{error:#}\n{value:#}");
            false
        }
    }
}

fn escaped(path: &str) -> String {
    path.replace('~', "~0").replace('/', "~1")
}

/// Asserts that an answer conforms to the schema of a path.
#[track_caller]
pub(crate) fn conforms(path: &str, answer: &Value) {
    let method = if openapi()["paths"][path].get("post").is_some() { "post" } else { "get" };
    let place = format!("/paths/{}/{method}/responses/200/content/application~1json/schema", escaped(path));
    assert!(validate(&place, answer), "the answer of {path} does not conform to its schema");
}

#[test]
fn openapi_description_is_up_to_date() {
    let text = serde_json::to_string_pretty(openapi()).unwrap() + "\n";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(PAGE, &text).unwrap();
    }
    let written = std::fs::read_to_string(Path::new(PAGE)).unwrap_or_default();
    assert!(written == text, "UPDATE_DOCS=1 cargo test -p comity-serve updates docs/reference/openapi.json");
}

/// Collects a value and all values inside of it, each with its JSON pointer.
fn parts<'v>(value: &'v Value, way: &str, found: &mut Vec<(String, &'v Value)>) {
    found.push((way.to_owned(), value));
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, part)| parts(part, &format!("{way}/{}", escaped(name)), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, part)| parts(part, &format!("{way}/{index}"), found));
        }
        _ => {}
    }
}

#[test]
fn openapi_types_are_defined_once_under_their_name() {
    let mut all = Vec::new();
    parts(openapi(), "", &mut all);
    for (way, part) in &all {
        if let Some(name) = part.get("$ref").and_then(Value::as_str) {
            assert!(openapi().pointer(name.trim_start_matches('#')).is_some(), "{way}: no type {name}");
        }
        if part.get("type") == Some(&json!("array")) {
            assert!(part.get("items").is_some(), "{way}: the list has no type of its items");
        }
        // A type with a title is defined only among the components, under its title.
        if let Some(title) = part.get("title").and_then(Value::as_str).filter(|_| part.get("type").is_some())
        {
            assert_eq!(*way, format!("/components/schemas/{title}"));
        }
    }
    let names: Vec<String> = openapi()["components"]["schemas"]
        .as_object()
        .unwrap()
        .keys()
        .map(|name| name.to_lowercase())
        .collect();
    for name in ["decision", "decision_row", "evidence", "rule", "finding", "contender", "robots_txt"] {
        assert!(names.contains(&name.to_owned()), "{name}");
    }
}

#[tokio::test]
async fn every_described_path_accepts_only_its_method() {
    let served = serving(&[]).await;
    let described = served.get("/openapi.json").await.json();
    assert_eq!(&described, openapi());
    let paths = described["paths"].as_object().unwrap();
    assert!(paths.len() > 10);
    for (path, operations) in paths {
        for (method, other) in [("get", Method::POST), ("post", Method::GET)] {
            if operations.get(method).is_some() {
                let reply = served.send(served.request(other, path).body(Default::default()).unwrap()).await;
                reply.problem(405, "wrong_method");
                let allowed = if method == "get" { "GET,HEAD" } else { "POST" };
                assert_eq!(reply.headers["allow"], allowed);
            }
        }
    }
}

#[tokio::test]
async fn described_fields_of_questions_are_accepted() {
    let served = serving(&[]).await;
    for (path, operations) in openapi()["paths"].as_object().unwrap() {
        if operations.get("post").is_none() {
            continue;
        }
        let place = format!("/paths/{}/post/requestBody/content/application~1json/schema", escaped(path));
        let stranger = json!({ "no_such_field": 1 });
        assert!(!validate(&place, &stranger), "{path}");
        let problem = served.post(path, &stranger).await.problem(400, "bad_question");
        assert!(problem["detail"].as_str().unwrap().contains("no_such_field"), "{problem}");
        // The parser accepts every described field, so the error is about the type of the value, not about an unknown
        // field.
        let question =
            &openapi()["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"];
        for name in question["properties"].as_object().unwrap().keys() {
            let wrong = json!({ name: { "an": "object" } });
            let detail = served.post(path, &wrong).await.problem(400, "bad_question")["detail"].to_string();
            assert!(!detail.contains(&format!("unknown field `{name}`")), "{path}: {detail}");
        }
    }
}

#[tokio::test]
async fn every_problem_is_described() {
    let served = serving(&[]).await;
    for reply in [served.get("/nothing").await, served.get("/v1/robots?origin=http://10.0.0.1/").await] {
        let problem: Value = serde_json::from_slice(&reply.body).unwrap();
        assert!(validate("/components/schemas/problem", &problem));
        let place = problem["type"].as_str().unwrap().strip_prefix("/openapi.json#").unwrap();
        let listed = openapi().pointer(place).expect("a listed problem");
        assert_eq!(listed["status"], problem["status"]);
        assert_eq!(listed["title"], problem["title"]);
    }
}
