//! Findings for programs: JSON lines, GitHub annotations, SARIF.

use std::io::Write;

use comity::finding::{Finding, Kind, Reader, Severity};
use serde_json::{Value, json};

use super::quiet::Folded;
use super::text::column;
use crate::exit::Failure;
use crate::output::Output;

/// Every lint, for `--list --json`.
pub(super) fn catalogue() -> Value {
    let entry = |kind: &&Kind| {
        json!({
            "code": kind.code(),
            "severity": kind.severity().as_str(),
            "summary": kind.summary(),
            "why": kind.why(),
            "help": kind.help(),
            "documentation": kind.page(),
        })
    };
    Reader::RobotsTxt.kinds().iter().map(entry).collect()
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
    let (command, file, text) = (github_command(severity), github_property(name), github_text(text));
    Ok(writeln!(output, "::{command} file={file},{place},title=comity({code})::{text}")?)
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
                        "artifactLocation": { "uri": uri(name) },
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
                    "artifactLocation": { "uri": uri(name) },
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
                json!({
                    "id": kind.code(),
                    "shortDescription": { "text": kind.summary() },
                    "fullDescription": { "text": kind.why() },
                    "help": { "text": kind.why(), "markdown": kind.documentation() },
                    "defaultConfiguration": { "level": kind.severity().as_str() },
                    "properties": { "documentation": kind.page() },
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
