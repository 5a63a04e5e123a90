//! Applies the fixes of findings, or shows them as a diff.
//!
//! The library decides whether a fix is *safe* (no decision of the default dialect changes), and applies fixes in
//! rounds until none is left. It keeps line ends, the byte order mark and every byte outside of the fixes. Fixes that
//! change decisions are applied only with `--unsafe-fixes`.

use comity::finding::{Finding, Kind};
use comity::robots::lint;

/// Maximum size of a file to fix, in bytes. Crawlers may ignore the bytes after this limit. A fix that deletes lines
/// would move such bytes before the limit.
pub(super) const LIMIT: usize = 512_000;

/// A file after fixing.
#[derive(Debug, Default)]
pub(super) struct FixedFile {
    pub(super) body: Vec<u8>,
    /// The kinds of the findings that were fixed, one for each fix.
    pub(super) kinds: Vec<&'static Kind>,
}

/// Fixes a file. `is_wanted` selects the findings. A file longer than [`LIMIT`] is returned
/// unchanged.
pub(super) fn fix(body: &[u8], with_unsafe: bool, is_wanted: impl Fn(&Finding) -> bool) -> FixedFile {
    let is_selected =
        |finding: &Finding, fix: &comity::finding::Fix| (with_unsafe || fix.is_safe()) && is_wanted(finding);
    match lint::apply_fixes(body, is_selected) {
        Ok(mended) => {
            FixedFile { kinds: mended.fixed.iter().map(Finding::kind).collect(), body: mended.body }
        }
        Err(_) => FixedFile { body: body.to_vec(), kinds: Vec::new() },
    }
}

/// Returns the change as a unified diff.
pub(super) fn diff(name: &str, before: &[u8], after: &[u8]) -> String {
    let shown =
        |body: &[u8]| -> String {
            String::from_utf8_lossy(body)
                .chars()
                .map(|c| {
                    if matches!(c, '\n' | '\r' | '\t') || !comity::shown::is_unsafe(c) {
                        c
                    } else {
                        '\u{fffd}'
                    }
                })
                .collect()
        };
    let (before, after, name) = (shown(before), shown(after), crate::render::text(name.as_bytes()));
    similar::TextDiff::from_lines(&before, &after)
        .unified_diff()
        .context_radius(3)
        .header(&format!("a/{name}"), &format!("b/{name}"))
        .to_string()
        .split_inclusive('\n')
        .map(without_command)
        .collect()
}

/// Escapes a line that a runner of GitHub Actions would read as a workflow command. Runners ignore white space before a
/// command.
fn without_command(line: &str) -> String {
    let start = line.trim_start();
    let is_command = start.starts_with("::") || start.starts_with("##[");
    let indent = line.len() - start.len();
    if is_command { format!("{}\u{fffd}{start}", &line[..indent]) } else { line.to_owned() }
}
