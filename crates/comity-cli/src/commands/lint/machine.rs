//! Findings for programs: JSON lines, GitHub annotations, SARIF.

use std::collections::BTreeSet;
use std::io::Write;

use comity::robots::lint::{Finding, Lint, Severity};
use serde::Serialize;
use serde_json::{Value, json};

use super::quiet::Fold;
use super::text::column;
use crate::exit::Failure;
use crate::output::Output;

/// One JSON object per line and finding.
pub(super) fn json(name: &str, finding: &Finding, output: &mut Output) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Line<'a> {
        file: &'a str,
        #[serde(flatten)]
        finding: &'a Finding,
    }
    output.json_line(&Line { file: name, finding })
}

/// Every lint, for `--list --json`.
pub(super) fn catalogue() -> Value {
    let entry = |lint: &Lint| {
        json!({
            "code": lint.code(),
            "severity": lint.severity().as_str(),
            "summary": lint.summary(),
            "why": lint.why(),
            "page": lint.page(),
        })
    };
    Lint::ALL.iter().map(entry).collect()
}

/// A workflow command that GitHub Actions shows beside the line.
pub(super) fn github(name: &str, body: &[u8], finding: &Finding, output: &mut Output) -> Result<(), Failure> {
    let (command, code) = (github_command(finding.severity()), finding.lint().code());
    let (file, line, column) = (github_property(name), finding.line(), column(body, finding));
    let text = github_text(&format!("{}\nhelp: {}", finding.message(), finding.help()));
    Ok(writeln!(output, "::{command} file={file},line={line},col={column},title=comity({code})::{text}")?)
}

/// Works like [`github`] for findings that are only counted.
pub(super) fn github_fold(
    name: &str,
    lint: Lint,
    severity: Severity,
    fold: &Fold,
    output: &mut Output,
) -> Result<(), Failure> {
    let (command, file) = (github_command(severity), github_property(name));
    let line = fold.lines.map_or(1, |(first, _)| first);
    let text = github_text(&fold.words());
    Ok(writeln!(output, "::{command} file={file},line={line},title=comity({lint})::{text}")?)
}

fn github_command(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        _ => "notice",
    }
}

/// <https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts>: `escapeData`.
fn github_text(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// `escapeProperty` of the same.
fn github_property(text: &str) -> String {
    github_text(text).replace(':', "%3A").replace(',', "%2C")
}

/// A SARIF 2.1.0 log in the making.
#[derive(Default)]
pub(super) struct Sarif {
    results: Vec<Value>,
    lints: BTreeSet<&'static str>,
}

impl Sarif {
    /// Adds one finding.
    pub(super) fn add(&mut self, name: &str, body: &[u8], finding: &Finding) {
        self.lints.insert(finding.lint().code());
        let span = finding.span();
        let related: Vec<Value> = finding
            .related()
            .iter()
            .map(|related| {
                json!({
                    "message": { "text": related.message() },
                    "physicalLocation": {
                        "artifactLocation": { "uri": uri(name) },
                        "region": { "startLine": related.line() },
                    },
                })
            })
            .collect();
        self.results.push(json!({
            "ruleId": finding.lint().code(),
            "level": finding.severity().as_str(),
            "message": { "text": format!("{}. {}", finding.message(), finding.help()) },
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": { "uri": uri(name) },
                    "region": {
                        "startLine": finding.line(),
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
        let rules: Vec<Value> = Lint::ALL
            .iter()
            .filter(|lint| self.lints.contains(lint.code()))
            .map(|lint| {
                json!({
                    "id": lint.code(),
                    "shortDescription": { "text": lint.summary() },
                    "fullDescription": { "text": lint.why() },
                    "help": { "text": lint.why(), "markdown": lint.documentation() },
                    "defaultConfiguration": { "level": lint.severity().as_str() },
                    "properties": { "page": lint.page() },
                })
            })
            .collect();
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": { "name": "comity", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
                "columnKind": "unicodeCodePoints",
                "results": self.results,
            }],
        })
    }
}

/// A path as a relative reference (RFC 3986): everything but path characters percent-encoded.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'\\' if cfg!(windows) => out.push('/'),
            b'/' | b'.' | b'-' | b'_' | b'~' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                out.push(char::from(byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
