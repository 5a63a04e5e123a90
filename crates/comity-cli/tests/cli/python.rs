//! Some dataclasses of the Python package correspond to rows. Their fields are printed from the schemas of the rows.
//!
//! `UPDATE_DOCS=1` updates the fields.

use std::collections::BTreeMap;

use comity_cli::schema;
use serde_json::Value;
use testkit::printed::assert_code_printed;

/// Maximum length of a line in the package.
const COLUMNS: usize = 100;

/// Maximum number of words that an annotation lists.
const WORDS: usize = 7;

/// A dataclass of a module, and the location of its schema.
struct Class {
    /// The name of the class.
    name: &'static str,
    /// The name of the row whose schema contains the class.
    row: &'static str,
    /// The name of the shape in that schema, or the `kind` of a form of the row.
    shape: &'static str,
    /// Whether the class has a field of the row.
    has: fn(&str) -> bool,
}

const fn class(name: &'static str, row: &'static str, shape: &'static str) -> Class {
    Class { name, row, shape, has: |_| true }
}

/// The modules with their classes.
const MODULES: [(&str, &[Class]); 10] = [
    (
        "decisions",
        &[
            class("Rule", "explanation", "rule"),
            class("Evidence", "explanation", "evidence"),
            class("Outage", "explanation", "outage"),
            class("ChosenGroup", "explanation", "chosen_group"),
            class("Contender", "explanation", "contender"),
            // The decision of an explanation is a separate class.
            Class {
                name: "Explanation",
                row: "explanation",
                shape: "",
                has: |name| matches!(name, "groups" | "contenders"),
            },
        ],
    ),
    (
        "findings",
        &[
            class("Place", "fetch", "place"),
            class("Related", "fetch", "related"),
            class("Edit", "fetch", "edit"),
            class("Fix", "fetch", "fix"),
            class("Finding", "fetch", "finding"),
        ],
    ),
    (
        "usage",
        &[
            class("Citation", "fetch", "statement"),
            class("Preference", "fetch", "preference"),
            class("LicenseLink", "fetch", "license"),
            class("NotInForce", "fetch", "not_in_force"),
            class("SignalReport", "fetch", "signal"),
            class("SignalStance", "fetch", "stance"),
            class("UseSummary", "fetch", "summary"),
            class("Report", "fetch", "report"),
        ],
    ),
    (
        "page",
        &[
            class("Source", "page", "source"),
            class("Statement", "page", "directive_of_page"),
            class("UseWarning", "page", "use_warning"),
            class("SetAside", "page", "set_aside"),
            class("Outcome", "page", "outcome"),
        ],
    ),
    (
        "sitemap",
        &[
            class("Image", "sitemap", "image"),
            class("Restriction", "sitemap", "video_restriction"),
            class("Price", "sitemap", "price"),
            class("Video", "sitemap", "video"),
            class("News", "sitemap", "news"),
            class("Alternate", "sitemap", "alternate"),
            class("Url", "sitemap", "url"),
            class("Sitemap", "sitemap", "sitemap"),
            // The class omits the file and the counts of findings, which its caller knows.
            Class {
                name: "Summary",
                row: "sitemap",
                shape: "summary",
                has: |name| !matches!(name, "file" | "errors" | "warnings" | "notes"),
            },
        ],
    ),
    (
        "llms",
        &[
            class("Passage", "llms", "passage"),
            class("Link", "llms", "link"),
            class("Section", "llms", "section"),
            class("Candidate", "llms", "candidate"),
        ],
    ),
    ("agents", &[class("Proof", "matrix", "proof"), class("KnownAgent", "matrix", "known_crawler")]),
    ("identity", &[class("Outcome", "signature", "")]),
    (
        "robots",
        &[class("VisitTime", "inspection", "visit_time"), class("RequestRate", "inspection", "request_rate")],
    ),
    (
        "audit",
        &[
            // The attributes `record` and `manifest` contain the other fields of these rows.
            Class { name: "Index", row: "audit-index", shape: "", has: |name| name == "rows" },
            Class {
                name: "IndexAnswers",
                row: "audit-index",
                shape: "audit_answers",
                has: |name| matches!(name, "answers" | "sites"),
            },
            Class {
                name: "View",
                row: "audit",
                shape: "audit_view",
                has: |name| matches!(name, "agent" | "moment"),
            },
            class("Shares", "audit", "audit_shares"),
            Class {
                name: "Audit",
                row: "audit",
                shape: "audit_summary",
                has: |name| matches!(name, "rows" | "rows_written"),
            },
        ],
    ),
];

/// Fields with another name in Python: the module, the name in rows, the name in Python.
const RENAMED: [(&str, &str, &str); 2] = [("sitemap", "type", "kind"), ("identity", "outcome", "status")];

/// Returns the schema of a class.
fn schema_of(class: &Class) -> Value {
    let row = schema::rows().find(|row| row.name == class.row).expect("a row of that name").document();
    let of_kind = |forms: &Value| {
        let is_meant = |form: &&Value| form["properties"]["kind"]["const"] == class.shape;
        forms.as_array()?.iter().find(is_meant).cloned()
    };
    match class.shape {
        "" => row,
        shape => {
            row["$defs"].get(shape).cloned().or_else(|| of_kind(&row["oneOf"])).expect("a shape of that name")
        }
    }
}

/// Returns the annotation of a value. `classes` has the names of the classes by their shapes.
fn annotation(schema: &Value, classes: &BTreeMap<&str, String>, most: usize) -> String {
    if let Some(shape) = schema["$ref"].as_str() {
        let shape = shape.trim_start_matches("#/$defs/");
        return classes.get(shape).cloned().unwrap_or_else(|| "dict[str, Any]".to_owned());
    }
    if let Some(forms) = schema["anyOf"].as_array() {
        return forms.iter().map(|form| annotation(form, classes, most)).collect::<Vec<_>>().join(" | ");
    }
    if let Some(words) = schema["enum"].as_array().filter(|words| words.len() <= most) {
        let words: Vec<String> = words.iter().map(Value::to_string).collect();
        return format!("Literal[{}]", words.join(", "));
    }
    match schema["type"].as_str() {
        Some("string") if schema["format"] == "date-time" => "datetime".to_owned(),
        Some("string") => "str".to_owned(),
        Some("boolean") => "bool".to_owned(),
        Some("integer") => "int".to_owned(),
        Some("number") => "float".to_owned(),
        Some("array") => format!("tuple[{}, ...]", annotation(&schema["items"], classes, most)),
        other => {
            assert_eq!(other, Some("null"), "no annotation for {schema}");
            "None".to_owned()
        }
    }
}

/// Returns the fields of a dataclass.
fn fields(module: &str, class: &Class, classes: &BTreeMap<&str, String>) -> String {
    let schema = schema_of(class);
    let properties = schema["properties"].as_object().expect("an object");
    // Required fields are in the order of the row.
    let required: Vec<&str> =
        schema["required"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let optional = properties.keys().map(String::as_str).filter(|name| !required.contains(name));
    let mut names: Vec<&str> = required.iter().copied().chain(optional).collect();
    names.retain(|name| properties[*name].get("const").is_none() && (class.has)(name));
    let is_nullable = |name: &str| {
        properties[name]["anyOf"]
            .as_array()
            .is_some_and(|forms| forms.iter().any(|form| form["type"] == "null"))
    };
    // Python requires that fields with a default follow the fields without one.
    let plain = names
        .iter()
        .rposition(|name| required.contains(name) && !is_nullable(name))
        .map_or(0, |last| last + 1);
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let property = &properties[*name];
        let mut none = "";
        let mut default = None;
        if property["type"] == "array" && !required.contains(name) {
            default = Some("()");
        } else if index >= plain {
            default = Some("None");
            none = if is_nullable(name) { "" } else { " | None" };
        }
        let renamed = RENAMED.iter().find(|(of, other, _)| *of == module && other == name);
        let value = match (renamed, default) {
            (None, None) => String::new(),
            (None, Some(default)) => format!(" = {default}"),
            (Some(_), None) => format!(" = field(metadata={{\"word\": \"{name}\"}})"),
            (Some(_), Some(default)) => {
                format!(" = field(default={default}, metadata={{\"word\": \"{name}\"}})")
            }
        };
        let shown = renamed.map_or(*name, |(.., shown)| shown);
        let line = |most| {
            let kind = annotation(property, classes, most);
            wrapped(&format!("    {shown}: {kind}{none}{value}"))
        };
        // If the list of words is too long for a line, the type is `str`.
        text += &line(WORDS).or_else(|| line(0)).expect("a line that fits");
        let about = property["description"].as_str();
        let about = about.expect("a description of the field");
        text += &format!("    \"\"\"{}\"\"\"\n", about.replace('`', "``").replace("null", "None"));
    }
    text
}

/// Breaks a line that is too long as the formatter of the package does: within its last brackets. Returns `None` if the
/// parts are too long, too.
fn wrapped(line: &str) -> Option<String> {
    let fits = |line: &str| line.chars().count() <= COLUMNS;
    if fits(line) {
        return Some(format!("{line}\n"));
    }
    let close = line.rfind([']', ')']).filter(|close| close + 1 == line.len())?;
    let open = line.rfind("field(").map(|at| at + "field".len()).or_else(|| line.find('['))?;
    let parts =
        [&line[..=open], &format!("        {}", &line[open + 1..close]), &format!("    {}", &line[close..])];
    parts.iter().all(|part| fits(part)).then(|| parts.map(|part| format!("{part}\n")).concat())
}

/// Returns the classes by their shapes: the classes of a module, and `Finding`, which other modules import.
fn classes_of(module: &str) -> BTreeMap<&'static str, String> {
    let is_known = |of: &str, class: &Class| of == module || class.name == "Finding";
    let classes =
        MODULES.iter().flat_map(|(of, classes)| classes.iter().filter(move |class| is_known(of, class)));
    classes.map(|class| (class.shape, class.name.to_owned())).collect()
}

#[test]
fn dataclasses_have_the_fields_of_rows() {
    for (module, classes) in MODULES {
        let names = classes_of(module);
        let parts: Vec<_> = classes.iter().map(|class| (class.name, fields(module, class, &names))).collect();
        assert_code_printed(&format!("python/package/comity/{module}.py"), &parts);
    }
}

#[test]
fn decisions_have_a_property_for_each_field() {
    // These properties are written by hand.
    let own = ["allowed", "verdict", "recommendation", "blocked"];
    let names = classes_of("decisions")
        .into_iter()
        .map(|(shape, name)| (shape, format!("decisions.{name}")))
        .collect();
    let schema = schema_of(&class("Decision", "explanation", "decision"));
    let all = schema["required"].as_array().expect("a list").iter().filter_map(Value::as_str);
    let properties = all.filter(|name| !own.contains(name)).map(|name| {
        let kind = annotation(&schema["properties"][name], &names, 4);
        format!("    @property\n    def {name}(self) -> {kind}: ...\n")
    });
    assert_code_printed("python/package/comity/_comity.pyi", &[("decision", properties.collect())]);
}
