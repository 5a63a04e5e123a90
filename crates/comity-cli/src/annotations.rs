//! Reports for other programs: workflow commands of GitHub Actions, and SARIF logs.

use std::collections::BTreeMap;
use std::io::Write;

use comity::shown;
use serde_json::{Value, json};

use crate::exit::Failure;
use crate::output::Output;

/// Prints a workflow command, which GitHub Actions shows at a line of a file. `place` is a text such as
/// `line=3,col=1`.
pub(crate) fn print(
    command: &str,
    file: &str,
    title: &str,
    place: &str,
    text: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    let (file, title, text) = (property(file), property(title), data(text));
    Ok(writeln!(output, "::{command} file={file},{place},title={title}::{text}")?)
}

/// Replaces characters that are unsafe to print, then escapes the text as the function `escapeData` of GitHub does:
/// <https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts>.
fn data(text: &str) -> String {
    let shown: String =
        text.chars().map(|c| if c != '\n' && shown::is_unsafe(c) { '\u{fffd}' } else { c }).collect();
    shown.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property, as the function `escapeProperty` of GitHub does.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A SARIF 2.1.0 log under construction.
#[derive(Default)]
pub(crate) struct Sarif {
    /// Rules to which results refer, by their index among all kinds of findings.
    rules: BTreeMap<usize, Value>,
    results: Vec<Value>,
}

impl Sarif {
    /// Adds a rule if it is not in the log.
    pub(crate) fn rule(&mut self, index: usize, rule: impl FnOnce() -> Value) {
        self.rules.entry(index).or_insert_with(rule);
    }

    /// Adds a result.
    pub(crate) fn result(&mut self, result: Value) {
        self.results.push(result);
    }

    /// Returns the log.
    pub(crate) fn into_document(self) -> Value {
        let rules: Vec<Value> = self.rules.into_values().collect();
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

/// Returns a path as a relative reference (RFC 3986). Bytes that are not allowed in a path are percent-encoded.
pub(crate) fn uri(path: &str) -> String {
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
