//! Mending: the fixes that findings have are made, or shown as a diff.
//!
//! The library says what a fix is and whether it is *safe* (no decision of the default dialect changes), makes fixes round by
//! round until none is left, and keeps line ends, the byte order mark and every byte that no fix is about. What changes
//! decisions is made with `--unsafe-fixes` alone.

use comity::finding::{Finding, Kind};
use comity::robots::lint;

/// What lies behind this many bytes is not read, and would be if lines before it were deleted.
pub(super) const LIMIT: usize = 512_000;

/// A file after mending.
#[derive(Debug, Default)]
pub(super) struct Fixed {
    pub(super) body: Vec<u8>,
    /// The kinds of the findings that were mended, one for each fix.
    pub(super) kinds: Vec<&'static Kind>,
}

/// Mends a file. `is_wanted` says which findings are to be mended. A file beyond [`LIMIT`] stays as it is.
pub(super) fn fix(body: &[u8], with_unsafe: bool, is_wanted: impl Fn(&Finding) -> bool) -> Fixed {
    let is_to_be_made =
        |finding: &Finding, fix: &comity::finding::Fix| (with_unsafe || fix.is_safe()) && is_wanted(finding);
    match lint::mend(body, is_to_be_made) {
        Ok(mended) => Fixed { kinds: mended.fixed.iter().map(Finding::kind).collect(), body: mended.body },
        Err(_) => Fixed { body: body.to_vec(), kinds: Vec::new() },
    }
}

/// The change as a unified diff.
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

/// A line that no runner takes for a command: those of GitHub do so with any that starts as one, white space aside.
fn without_command(line: &str) -> String {
    let start = line.trim_start();
    let is_command = start.starts_with("::") || start.starts_with("##[");
    let indent = line.len() - start.len();
    if is_command { format!("{}\u{fffd}{start}", &line[..indent]) } else { line.to_owned() }
}
