//! JSON Schemas of the rows: what `docs/reference/schema/` is printed from, and what the service says of its answers.
//!
//! What a decision holds comes from the list of its fields; the rest is written out here, field by field, in short:
//! `name type`, where the type is one of JSON's, `?` makes it nullable, `[x]` is a list, and `@x` is a shape below. `name~` may
//! be left out. What has a name there has it as its `title`, too. Tests hold rows against them.

use comity::decision::{DecisionRecord, Explanation, Field, FieldKind};
use serde_json::{Map, Value, json};

/// The rows, each with what prints it.
pub const ROWS: [(&str, &str); 7] = [
    ("decision", "a line of `comity check`, and of `comity status`"),
    ("explanation", "a line of `comity explain`"),
    ("finding", "a line of `comity lint`"),
    ("matrix", "a line of `comity matrix`"),
    ("diff", "what `comity diff` prints"),
    ("usage", "a line of `comity usage`"),
    ("signature", "what `/v1/verify` of `comity serve` answers"),
];

/// Returns the schema of a row, by the names of [`ROWS`].
pub fn row(name: &str) -> Option<Value> {
    Some(match name {
        "decision" => object(decision_row()),
        "explanation" => explanation(),
        "finding" => {
            let mut finding = fields("file string", &shape);
            finding.extend(finding_fields());
            object(finding)
        }
        "matrix" => matrix(),
        "diff" => diff(),
        "usage" => {
            let mut usage: Vec<(String, Value)> = report_fields().into_iter().map(nullable).collect();
            usage.extend(fields("error string?", &shape));
            object(usage)
        }
        "signature" => shape("signature"),
        _ => return None,
    })
}

/// Returns the fields of a decision's row, which are nullable: a row without an answer has them all.
pub fn decision_row() -> Vec<(String, Value)> {
    let mut all = fields("url string?, agent string?, allowed boolean?", &shape);
    all.extend(of_fields(DecisionRecord::FIELDS).into_iter().map(nullable));
    all.extend(fields("robots_txt @robots_txt, error string?", &shape));
    all
}

fn explanation() -> Value {
    let row = decision_row();
    let mut explained = row.clone();
    let more = Explanation::FIELDS.iter().filter(|field| matches!(field.name, "groups" | "contenders"));
    explained.extend(more.map(|field| (field.name.to_owned(), of_field(field))));
    explained.extend(fields("other_groups [object], near_miss object?, policy @decision?", &shape));
    // Programs that take the first shape that fits find everything.
    json!({ "anyOf": [titled("explained_row", object(explained)), titled("decision_row", object(row))] })
}

fn matrix() -> Value {
    let mut crawler = fields(
        "agent string, access string, speaks string, group string?, group_line integer?, rule @rule?, exception @rule?, \
         exceptions integer, exceptions_listed [@rule], is_open boolean, crawl_delay_seconds number?, usage [@use]?, known object?",
        &shape,
    );
    // Only where URLs are judged.
    crawler.extend(fields("decisions~ [object]", &shape));
    let crawler = titled("crawler", object(crawler));
    let mut matrix = fields(
        "file string, robots_txt @robots_txt, dialect string, truncated boolean, urls [string], names_left_out integer, \
         probe @probe?, summary [@purpose]",
        &shape,
    );
    matrix.push(("crawlers".to_owned(), json!({ "type": "array", "items": crawler })));
    object(matrix)
}

fn diff() -> Value {
    let diff = "old @robots_txt, new @robots_txt, sitemaps @lists, other @lists, agents [@change], urls [@changed_url]";
    object(fields(diff, &shape))
}

/// Returns the schema of one field of a record.
pub fn of_field(field: &Field) -> Value {
    let mut schema = of_kind(&field.kind);
    schema["description"] = field.about.into();
    if field.is_optional { json!({ "anyOf": [schema, { "type": "null" }] }) } else { schema }
}

/// Returns the schema of a kind of field.
pub fn of_kind(kind: &FieldKind) -> Value {
    match kind {
        FieldKind::Word(words) => json!({ "type": "string", "enum": words() }),
        FieldKind::Text => json!({ "type": "string" }),
        FieldKind::Flag => json!({ "type": "boolean" }),
        FieldKind::Number => json!({ "type": "integer", "minimum": 0 }),
        FieldKind::Time => json!({ "type": "string", "format": "date-time" }),
        FieldKind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        FieldKind::Numbers => json!({ "type": "array", "items": { "type": "integer" } }),
        FieldKind::Overrides => json!({ "type": "object" }),
        FieldKind::Record(name, fields) => titled(&in_snake_case(name), object(of_fields(fields))),
        FieldKind::Records(name, fields) => {
            json!({ "type": "array", "items": titled(&in_snake_case(name), object(of_fields(fields))) })
        }
        _ => json!({}),
    }
}

/// Returns the schemas of fields, by their names.
pub fn of_fields(fields: &[Field]) -> Vec<(String, Value)> {
    fields.iter().map(|field| (field.name.to_owned(), of_field(field))).collect()
}

/// Returns the schema of an object with exactly these fields. Those whose name ends in `~` may be left out.
pub fn object(fields: Vec<(String, Value)>) -> Value {
    let required: Vec<String> =
        fields.iter().filter(|(name, _)| !name.ends_with('~')).map(|(name, _)| name.clone()).collect();
    let properties: Map<String, Value> =
        fields.into_iter().map(|(name, schema)| (name.trim_end_matches('~').to_owned(), schema)).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Gives a schema a name.
fn titled(name: &str, mut schema: Value) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("title".to_owned(), name.into());
    }
    schema
}

/// Returns the name of a type as the shapes are named.
fn in_snake_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// Reads fields in short ([module](self)). `shape` returns the shapes that they name.
pub fn fields(text: &str, shape: &dyn Fn(&str) -> Value) -> Vec<(String, Value)> {
    let field = |line: &str| {
        let (name, kind) = line.trim().split_once(' ').unwrap_or((line.trim(), "object"));
        let (kind, is_nullable) = kind.strip_suffix('?').map_or((kind, false), |kind| (kind, true));
        let schema = match kind.strip_prefix('[').and_then(|kind| kind.strip_suffix(']')) {
            Some(item) => json!({ "type": "array", "items": of_type(item, shape) }),
            None => of_type(kind, shape),
        };
        let schema = if is_nullable { json!({ "anyOf": [schema, { "type": "null" }] }) } else { schema };
        (name.to_owned(), schema)
    };
    text.split(',').filter(|line| !line.trim().is_empty()).map(field).collect()
}

fn of_type(name: &str, shape: &dyn Fn(&str) -> Value) -> Value {
    match name.strip_prefix('@') {
        Some(definition) => shape(definition),
        None => json!({ "type": name }),
    }
}

/// Returns a shape that several rows share; a schema that nothing passes for a name that is none.
pub fn shape(name: &str) -> Value {
    titled(name, untitled(name))
}

fn untitled(name: &str) -> Value {
    match name {
        "robots_txt" => object(fields(
            "file string?, url string?, status integer?, failure string?, age_seconds integer?, digest string?",
            &shape,
        )),
        "decision" => {
            let mut all = vec![("allowed".to_owned(), json!({ "type": "boolean" }))];
            all.extend(of_fields(DecisionRecord::FIELDS));
            object(all)
        }
        "rule" => of_decision_field("rule"),
        "use" => object(fields(
            "signal string, interpretation string?, use string, term string, stance string, line integer?",
            &shape,
        )),
        "purpose" => {
            object(fields("purpose string?, allowed integer, partly integer, disallowed integer", &shape))
        }
        "change" => object(fields(
            "agents [string], old_group string?, new_group string?, lost [@rule_line], gained [@rule_line], \
             reordered boolean, pacing [object]",
            &shape,
        )),
        "changed_url" => object(fields("url string, agent string, old @decision, new @decision", &shape)),
        "place" => object(fields(
            "channel string, part string?, number integer?, line integer?, column integer?, start integer?, end integer?",
            &shape,
        )),
        "related" => object(fields("message string, place @place", &shape)),
        "fix" => object(fields("safe boolean, decisions string, edits [@edit]", &shape)),
        "edit" => object(fields("start integer, end integer, text string", &shape)),
        "finding" => object(finding_fields()),
        "signature" => object(fields(
            "outcome string, message string, reason string?, identifier string?, key string?, created string?, expires string?, \
             nonce string?, components [string], directory string?",
            &shape,
        )),
        "lists" => object(fields("lost [string], gained [string]", &shape)),
        "rule_line" => object(fields("kind string, pattern string, line integer", &shape)),
        "report" => object(report_fields()),
        "summary" => object(fields("use string, stances [@stance]", &shape)),
        "stance" => object(fields("signal string, interpretation~ string, stance string", &shape)),
        "preference" => object(fields(
            "use string, term string, stance string, conditions~ [string], evidence [@statement]",
            &shape,
        )),
        "statement" => object(fields("channel string, line~ integer, index~ integer, text string", &shape)),
        "license" => object(fields("url string, evidence @statement", &shape)),
        "signal" => object(fields(
            "signal string, interpretation~ string, specification string, not_in_force~ [@not_in_force], vocabulary~ string, \
             preferences [@preference], disallowed_by~ @statement, consumption~ string, licenses~ [@license], site_default~ [@preference], \
             site_default_licenses~ [@license]",
            &shape,
        )),
        "not_in_force" => object(fields("at string, says string, source string, checked string", &shape)),
        "probed" => object(fields(
            "url string, final_url string, outcome string, status integer?, refusal @refusal?, error string?",
            &shape,
        )),
        "probe" => object(fields("agent string, user_agent string, pages [@probed]", &shape)),
        "refusal" => object(fields(
            "kind string, status integer, challenge string?, licenses [@license], wants_license_token boolean, \
             license_error string?, prices [string]",
            &shape,
        )),
        _ => json!(false),
    }
}

/// Returns the schema of a field of a decision, by its name.
pub fn of_decision_field(name: &str) -> Value {
    let field = DecisionRecord::FIELDS.iter().find(|field| field.name == name);
    field.map_or(json!(false), |field| of_kind(&field.kind))
}

/// Returns the fields of a report: what content may be used for, by all signals.
fn report_fields() -> Vec<(String, Value)> {
    fields(
        "url string, agent string, group string?, summary [@summary], signals [@signal], findings [@finding]",
        &shape,
    )
}

/// Returns the fields of a finding.
pub fn finding_fields() -> Vec<(String, Value)> {
    fields(
        "code string, severity string, place @place, message string, help string, related [@related], repeats integer, \
         droppable boolean, fix @fix?, documentation string",
        &shape,
    )
}

/// Makes a field nullable.
pub fn nullable((name, schema): (String, Value)) -> (String, Value) {
    let is_nullable = schema.get("anyOf").is_some();
    (name, if is_nullable { schema } else { json!({ "anyOf": [schema, { "type": "null" }] }) })
}

#[cfg(feature = "schema")]
mod generated;

#[cfg(feature = "schema")]
pub use generated::{answer, findings, request};
