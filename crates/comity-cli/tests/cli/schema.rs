//! `docs/reference/schema/`: a JSON Schema for each row that the command prints, and rows that are held against them.
//!
//! What a decision holds comes from the list of its fields; the rest is written out here, field by field.
//! `UPDATE_DOCS=1` writes the files anew.

use std::path::{Path, PathBuf};

use boon::{Compiler, Schemas};
use comity::decision::{DecisionRecord, Explanation, Field, FieldKind};
use serde_json::{Map, Value, json};
use testkit::servers::{Origin, Reply};

use crate::{Run, comity};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/schema");

/// The schema of one field of a record.
fn of_field(field: &Field) -> Value {
    let mut schema = of_kind(&field.kind);
    schema["description"] = field.about.into();
    if field.is_optional { json!({ "anyOf": [schema, { "type": "null" }] }) } else { schema }
}

fn of_kind(kind: &FieldKind) -> Value {
    match kind {
        FieldKind::Word(words) => json!({ "type": "string", "enum": words() }),
        FieldKind::Text => json!({ "type": "string" }),
        FieldKind::Flag => json!({ "type": "boolean" }),
        FieldKind::Number => json!({ "type": "integer", "minimum": 0 }),
        FieldKind::Time => json!({ "type": "string", "format": "date-time" }),
        FieldKind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        FieldKind::Numbers => json!({ "type": "array", "items": { "type": "integer" } }),
        FieldKind::Overrides => json!({ "type": "object" }),
        FieldKind::Record(_, fields) => object(of_fields(fields)),
        FieldKind::Records(_, fields) => json!({ "type": "array", "items": object(of_fields(fields)) }),
        other => unreachable!("{other:?} has no schema yet"),
    }
}

fn of_fields(fields: &[Field]) -> Vec<(String, Value)> {
    fields.iter().map(|field| (field.name.to_owned(), of_field(field))).collect()
}

/// An object with exactly these fields.
fn object(fields: Vec<(String, Value)>) -> Value {
    let required: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
    let properties: Map<String, Value> = fields.into_iter().collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Fields in short: `name type`, where the type is one of JSON's, `?` makes it nullable, and `@x` is a definition below.
fn fields(text: &str) -> Vec<(String, Value)> {
    let field = |line: &str| {
        let (name, kind) = line.trim().split_once(' ').expect("a name and a type");
        let (kind, is_nullable) = kind.strip_suffix('?').map_or((kind, false), |kind| (kind, true));
        let schema = match kind.strip_prefix('[').and_then(|kind| kind.strip_suffix(']')) {
            Some(item) => json!({ "type": "array", "items": of_type(item) }),
            None => of_type(kind),
        };
        let schema = if is_nullable { json!({ "anyOf": [schema, { "type": "null" }] }) } else { schema };
        (name.to_owned(), schema)
    };
    text.split(',').filter(|line| !line.trim().is_empty()).map(field).collect()
}

fn of_type(name: &str) -> Value {
    match name.strip_prefix('@') {
        Some(definition) => definitions(definition),
        None => json!({ "type": name }),
    }
}

/// Shapes that several rows share.
fn definitions(name: &str) -> Value {
    match name {
        "robots_txt" => object(fields(
            "file string?, url string?, status integer?, failure string?, age_seconds integer?, digest string?",
        )),
        "decision" => {
            let mut all = vec![("allowed".to_owned(), json!({ "type": "boolean" }))];
            all.extend(of_fields(DecisionRecord::FIELDS));
            object(all)
        }
        "rule" => of_kind(&rule_field().kind),
        "place" => object(fields(
            "channel string, part string?, number integer?, line integer?, column integer?, start integer?, end integer?",
        )),
        "related" => object(fields("message string, place @place")),
        "fix" => object(fields("safe boolean, decisions string, edits [@edit]")),
        "edit" => object(fields("start integer, end integer, text string")),
        "finding" => object(finding_fields()),
        "directive" => object(fields("kind string, key string, value string, line integer")),
        "lists" => object(fields("lost [string], gained [string]")),
        "rule_line" => object(fields("kind string, pattern string, line integer")),
        other => unreachable!("no definition {other}"),
    }
}

fn rule_field() -> &'static Field {
    DecisionRecord::FIELDS.iter().find(|field| field.name == "rule").expect("the rule of a decision")
}

fn finding_fields() -> Vec<(String, Value)> {
    fields(
        "code string, severity string, place @place, message string, help string, related [@related], repeats integer, \
         droppable boolean, fix @fix?, documentation string",
    )
}

/// Makes the fields of a decision nullable: a row without an answer has them all.
fn row_fields(decision: Vec<(String, Value)>) -> Vec<(String, Value)> {
    let mut all = fields("url string?, agent string?, allowed boolean?");
    all.extend(decision.into_iter().map(|(name, schema)| {
        let is_nullable = schema.get("anyOf").is_some();
        (name, if is_nullable { schema } else { json!({ "anyOf": [schema, { "type": "null" }] }) })
    }));
    all.extend(fields("robots_txt @robots_txt, error string?"));
    all
}

/// A schema: its name, what it is of, and the schema.
fn schemas() -> Vec<(&'static str, &'static str, Value)> {
    let row = object(row_fields(of_fields(DecisionRecord::FIELDS)));
    let mut explained = row_fields(of_fields(DecisionRecord::FIELDS));
    let more = Explanation::FIELDS.iter().filter(|field| matches!(field.name, "groups" | "contenders"));
    explained.extend(more.map(|field| (field.name.to_owned(), of_field(field))));
    explained.extend(fields("other_groups [object], near_miss object?, policy @decision?"));
    let explained = json!({ "anyOf": [row.clone(), object(explained)] });
    let mut finding = fields("file string");
    finding.extend(finding_fields());
    let group = object(fields(
        "line integer, agents [string], for_everyone boolean, dropped boolean, rules [@rule_line], \
         crawl_delay_seconds number?, request_rate object?, visit_time object?, extensions [@directive]",
    ));
    let mut inspected = fields(
        "file string, robots_txt @robots_txt, dialect string, bytes integer, lines integer, truncated boolean, \
         site [@directive], outside [@directive], unknown [@directive]",
    );
    inspected.push(("groups".to_owned(), json!({ "type": "array", "items": group })));
    let sitemap = object(fields("url string, line integer"));
    inspected.push(("sitemaps".to_owned(), json!({ "type": "array", "items": sitemap })));
    let mut crawler = fields(
        "agent string, access string, speaks string, group string?, group_line integer?, rule @rule?, exception @rule?, \
         exceptions integer, exceptions_listed [@rule], is_open boolean, crawl_delay_seconds number?, usage array?, known object?",
    );
    // Only where URLs are judged.
    let decisions = json!({ "type": "array", "items": { "type": "object" } });
    crawler.push(("decisions".to_owned(), decisions));
    let mut crawler = object(crawler);
    crawler["required"].as_array_mut().expect("a list").retain(|name| name != "decisions");
    let summary = object(fields("purpose string?, allowed integer, partly integer, disallowed integer"));
    let mut matrix = fields(
        "file string, robots_txt @robots_txt, dialect string, truncated boolean, urls [string], names_left_out integer",
    );
    matrix.push(("summary".to_owned(), json!({ "type": "array", "items": summary })));
    matrix.push(("crawlers".to_owned(), json!({ "type": "array", "items": crawler })));
    let change = object(fields(
        "agents [string], old_group string?, new_group string?, lost [@rule_line], gained [@rule_line], \
         reordered boolean, pacing [object]",
    ));
    let url = object(fields("url string, agent string, old @decision, new @decision"));
    let mut diff = fields("old @robots_txt, new @robots_txt, sitemaps @lists, other @lists");
    diff.push(("agents".to_owned(), json!({ "type": "array", "items": change })));
    diff.push(("urls".to_owned(), json!({ "type": "array", "items": url })));
    let lint = "code string, severity string, summary string, why string, help string, bad string?, good string?, \
                documentation string";
    let dialect = "name string, aliases [string], default boolean, defined_by string, quirks [string]";
    let preset = "name string, default boolean, defined_by string, notes [string], dialect string, mode string, \
                  fails_open boolean, body_limit integer?, answers [object], stale_seconds integer?, outage [object]";
    vec![
        ("decision", "a line of `comity check`, and of `comity status`", row),
        ("explanation", "a line of `comity explain`", explained),
        ("finding", "a line of `comity lint`", object(finding)),
        ("lint", "a line of `comity lint --list`, and `comity lint --explain CODE`", object(fields(lint))),
        ("inspection", "a line of `comity inspect`", object(inspected)),
        ("matrix", "a line of `comity matrix`", object(matrix)),
        ("diff", "what `comity diff` prints", object(diff)),
        ("dialect", "a line of `comity dialects`", object(fields(dialect))),
        ("preset", "a line of `comity presets`", object(fields(preset))),
        ("config", "what `comity config` prints", object(fields("files [string], settings [object]"))),
    ]
}

/// The schema as it stands in the repository.
fn document(name: &str, about: &str, schema: Value) -> Value {
    let mut document = Map::new();
    document.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
    document.insert("title".to_owned(), name.into());
    document.insert("description".to_owned(), format!("With --json: {about}.").into());
    if let Value::Object(rest) = schema {
        document.extend(rest);
    }
    Value::Object(document)
}

fn path(name: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("{name}.json"))
}

#[test]
fn the_schemas_are_printed_from_the_code() {
    let mut expected: Vec<PathBuf> = Vec::new();
    for (name, about, schema) in schemas() {
        let text = serde_json::to_string_pretty(&document(name, about, schema)).expect("JSON") + "\n";
        expected.push(path(name));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::create_dir_all(FOLDER).expect("a folder");
            std::fs::write(path(name), &text).expect("a schema");
        }
        let written = std::fs::read_to_string(path(name)).unwrap_or_default();
        assert!(written == text, "UPDATE_DOCS=1 cargo test -p comity-cli writes {name}.json anew");
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(FOLDER)
        .expect("the folder")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "every schema has its place in this test");
}

/// Asserts that every line, or the one document, is what the schema says.
#[track_caller]
fn validate(name: &str, run: Run) {
    let outcome = run.run();
    let rows: Vec<Value> = match serde_json::from_str(&outcome.stdout) {
        Ok(document) => vec![document],
        Err(_) => outcome.json_lines(),
    };
    assert!(!rows.is_empty(), "{name}: {} printed nothing: {}", outcome.args.join(" "), outcome.stderr);
    let (_, about, schema) =
        schemas().into_iter().find(|(other, ..)| *other == name).expect("a schema of that name");
    let (mut known, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.enable_format_assertions();
    let url = format!("https://comity.invalid/{name}.json");
    compiler.add_resource(&url, document(name, about, schema)).expect("a schema");
    let index = compiler.compile(&url, &mut known).expect("a schema");
    for row in &rows {
        let error = known.validate(row, index).err().map(|error| format!("{error:#}"));
        assert!(error.is_none(), "{}: {}\n{row:#}", outcome.args.join(" "), error.unwrap_or_default());
    }
}

#[test]
fn every_row_is_what_its_schema_says() {
    for (name, args) in [
        (
            "decision",
            "check --json --agent GPTBot --agent a /blog /private nonsense https://example.com:x/ --robots robots.txt",
        ),
        ("decision", "status --json --code 503"),
        ("decision", "status --json --code 200 --body robots.txt"),
        ("decision", "status --json --preset google --error timeout --failing-for 13h --agent a /x nonsense"),
        ("explanation", "explain --json --agent GPTBot --agent EmtpyBot /blog /private nonsense"),
        ("finding", "lint --json slips.txt note.txt kinds.txt"),
        ("lint", "lint --list --json"),
        ("lint", "lint --explain missing-colon --json"),
        ("inspection", "inspect --json robots.txt slips.txt kinds.txt matrix.txt"),
        ("matrix", "matrix --json --robots matrix.txt --robots robots.txt"),
        ("matrix", "matrix --json --robots matrix.txt / /blog"),
        ("diff", "diff --json old.txt new.txt"),
        ("diff", "diff --json old.txt new.txt --urls urls.txt"),
        ("dialect", "dialects --json"),
        ("preset", "presets --json"),
        ("config", "config --json --no-config"),
    ] {
        validate(name, comity(args));
    }
}

#[test]
fn rows_about_sites_are_what_their_schemas_say() {
    let flags = "--store memory --no-config --allow-address 127.0.0.0/8 --min-interval 0 --retries 0";
    for reply in [
        Reply::ok("User-agent: *\nDisallow: /x\nDisalow: /y\n"),
        Reply::status(404),
        Reply::status(503),
        Reply::html_soft_404(),
        Reply::redirect(301, "/elsewhere"),
    ] {
        let origin = Origin::start();
        origin.on("/robots.txt", reply);
        let urls = [origin.url("/x"), "http://169.254.169.254/".to_owned(), "https://".to_owned()];
        for (name, command) in [("decision", "check"), ("explanation", "explain")] {
            let run = comity(command).args(flags).args("--json --agent GPTBot --agent a");
            validate(name, urls.iter().fold(run, |run, url| run.arg(url)));
        }
    }
    let origin = Origin::start();
    origin.on("/robots.txt", Reply::ok("User-agent: *\nDisalow: /y\nCrawl-delay: 2\n"));
    for (name, command) in [("finding", "lint"), ("inspection", "inspect"), ("matrix", "matrix")] {
        validate(name, comity(command).args(flags).arg("--json").arg(&origin.url("/")));
    }
}
