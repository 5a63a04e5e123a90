//! Findings for programs: JSON lines, GitHub annotations, SARIF.

use comity::finding::{Finding, Kind, Severity};
use comity_answers::schema::RowSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::quiet::Folded;
use super::text::column;
use crate::annotations;
use crate::exit::Failure;
use crate::output::Output;

/// The documentation of a lint, for `--list --json` and `--explain CODE --json`.
#[derive(Serialize, schemars::JsonSchema)]
pub(super) struct Documentation {
    /// The name of the lint.
    code: &'static str,
    /// The default severity.
    severity: Severity,
    /// The finding in a sentence.
    summary: &'static str,
    /// The effect on crawlers.
    why: &'static str,
    /// The way out.
    help: &'static str,
    /// A file that has such a finding.
    bad: Option<String>,
    /// The corrected file, without the finding.
    good: Option<String>,
    /// The page that documents it.
    documentation: String,
}

pub(crate) const SCHEMA: RowSchema = RowSchema::new::<Documentation>(
    "lint",
    "a line of `comity lint --list`, and `comity lint --explain CODE`",
);

impl Documentation {
    pub(super) fn of(kind: &'static Kind) -> Self {
        let example = |example: comity::finding::Example<'_>| {
            example.bytes().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        Documentation {
            code: kind.code(),
            severity: kind.severity(),
            summary: kind.summary(),
            why: kind.why(),
            help: kind.help(),
            bad: example(kind.bad()),
            good: example(kind.good()),
            documentation: kind.page(),
        }
    }
}

/// A workflow command that GitHub Actions shows beside the line.
pub(super) fn github(name: &str, body: &[u8], finding: &Finding, output: &mut Output) -> Result<(), Failure> {
    let (line, column) = (finding.place().line.unwrap_or(1), column(body, finding));
    let text = format!("{}\nhelp: {}", finding.message(), finding.help());
    let place = format!("line={line},col={column}");
    annotation(name, finding.severity(), finding.code(), &place, &text, output)
}

/// Works like [`github`] for findings that are only counted.
pub(super) fn github_folded(name: &str, folded: &Folded, output: &mut Output) -> Result<(), Failure> {
    let place = format!("line={}", folded.line);
    annotation(name, folded.severity, folded.code, &place, &folded.words, output)
}

fn annotation(
    name: &str,
    severity: Severity,
    code: &str,
    place: &str,
    text: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    let title = format!("comity({code})");
    annotations::print(github_command(severity), name, &title, place, text, output)
}

fn github_command(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        _ => "notice",
    }
}

/// Where a lint is documented on the web; `None` while the project has no address.
fn help_uri(kind: &Kind) -> Option<String> {
    let repository = env!("CARGO_PKG_REPOSITORY");
    (!repository.is_empty()).then(|| format!("{repository}/blob/main/{}", kind.page()))
}

/// A SARIF 2.1.0 log in the making.
#[derive(Default)]
pub(super) struct Sarif {
    results: Vec<Value>,
    kinds: Vec<&'static Kind>,
}

impl Sarif {
    /// Adds one finding.
    pub(super) fn add(&mut self, name: &str, body: &[u8], finding: &Finding) {
        if !self.kinds.contains(&finding.kind()) {
            self.kinds.push(finding.kind());
        }
        let span = finding.place().span().unwrap_or_default();
        let related: Vec<Value> = finding
            .related()
            .iter()
            .map(|related| {
                json!({
                    "message": { "text": related.message() },
                    "physicalLocation": {
                        "artifactLocation": { "uri": annotations::uri(name) },
                        "region": { "startLine": related.place().line },
                    },
                })
            })
            .collect();
        self.results.push(json!({
            "ruleId": finding.code(),
            "level": finding.severity().as_str(),
            "message": { "text": format!("{}. {}", finding.message(), finding.help()) },
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": { "uri": annotations::uri(name) },
                    "region": {
                        "startLine": finding.place().line,
                        "startColumn": column(body, finding),
                        "byteOffset": span.start,
                        "byteLength": span.len(),
                    },
                },
            }],
            "relatedLocations": related,
        }));
    }

    /// The whole log.
    pub(super) fn document(self) -> Value {
        let rules: Vec<Value> = Kind::all()
            .filter(|kind| self.kinds.contains(kind))
            .map(|kind| {
                let mut rule = json!({
                    "id": kind.code(),
                    "shortDescription": { "text": kind.summary() },
                    "fullDescription": { "text": kind.why() },
                    "help": { "text": kind.why(), "markdown": kind.documentation() },
                    "defaultConfiguration": { "level": kind.severity().as_str() },
                    "properties": { "documentation": kind.page() },
                });
                if let Some(uri) = help_uri(kind) {
                    rule["helpUri"] = uri.into();
                }
                rule
            })
            .collect();
        annotations::sarif(rules.into(), self.results)
    }
}
