//! Levels of findings: from the arguments, from `[lint]` in `comity.toml`, and from comments in the file itself.
//!
//! The comment `# comity: allow CODE: reason` at the end of a line applies to that line. On a line of its own, the
//! comment applies to the next line. `# comity: allow-file CODE: reason` applies to the whole file. A comment without a
//! reason is ignored. Comments and the settings of a project apply to local files only, so that a site cannot control
//! the findings about its file.

use std::collections::BTreeMap;
use std::path::Path;

use comity::finding::{Finding, Kind};
use toml::{Table, Value};

use crate::exit::{Failure, reason};
use crate::input::read_settings;
use crate::render;

/// The level that a project sets for a kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Findings of the kind are hidden.
    Allow,
    /// Findings of the kind make the command fail.
    Deny,
}

/// `[lint]` of a settings file.
#[derive(Debug, Default)]
pub(super) struct Levels {
    by_code: BTreeMap<&'static str, Level>,
}

impl Levels {
    /// Reads the table. Returns no levels if the file does not exist and is not required.
    pub(super) fn read(path: &Path, is_required: bool) -> Result<Levels, Failure> {
        let name = render::text(path.as_os_str().as_encoded_bytes()).into_owned();
        let text = match read_settings(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_required => {
                return Ok(Levels::default());
            }
            Err(error) => return Err(Failure::new(format!("cannot read `{name}`: {}", reason(&error)))),
        };
        let table: Table = text
            .parse()
            .map_err(|error: toml::de::Error| Failure::new(format!("`{name}`: {}", error.message())))?;
        let mut by_code = BTreeMap::new();
        let Some(Value::Table(lint)) = table.get("lint") else { return Ok(Levels::default()) };
        for (code, level) in lint {
            let kind = Kind::of(code).map_err(|error| Failure::new(format!("`{name}`, [lint]: {error}")))?;
            let level = match level.as_str() {
                Some("allow") => Level::Allow,
                Some("deny") => Level::Deny,
                _ => {
                    return Err(Failure::new(format!("`{name}`, [lint]: the level of `{code}` is unknown"))
                        .hint("write \"allow\" to hide such findings, or \"deny\" to fail on them"));
                }
            };
            by_code.insert(kind.code(), level);
        }
        Ok(Levels { by_code })
    }

    /// Returns the level of a finding.
    pub(super) fn of(&self, finding: &Finding) -> Option<Level> {
        self.by_code.get(finding.code()).copied()
    }
}

/// The comments of a file that hide findings.
#[derive(Debug, Default)]
pub(super) struct Suppressions {
    /// Codes that are ignored, with their line; 0 for the whole file.
    allowed: Vec<(u64, String)>,
    /// Invalid comments, with their lines and the reason.
    pub(super) refused: Vec<(u64, String)>,
}

impl Suppressions {
    /// Reads the comments of a file.
    pub(super) fn read(body: &[u8]) -> Suppressions {
        let mut found = Suppressions::default();
        for (number, line) in (1..).zip(lines(body)) {
            let Some(at) = line.windows(9).position(|window| window.eq_ignore_ascii_case(b"# comity:"))
            else {
                continue;
            };
            let text = String::from_utf8_lossy(&line[at + 9..]).trim().to_owned();
            let is_alone = line[..at].trim_ascii().is_empty();
            let (of_file, rest) = match (text.strip_prefix("allow-file "), text.strip_prefix("allow ")) {
                (Some(rest), _) => (true, rest),
                (None, Some(rest)) => (false, rest),
                _ => {
                    let why =
                        "the comment has neither the form `allow CODE: reason` nor `allow-file CODE: reason`";
                    found.refused.push((number, why.to_owned()));
                    continue;
                }
            };
            let line = match (of_file, is_alone) {
                (true, _) => 0,
                (false, true) => number + 1,
                (false, false) => number,
            };
            match rest.split_once(':').map(|(codes, reason)| (codes, reason.trim())) {
                Some((codes, reason)) if !reason.is_empty() => {
                    for code in codes.split(',').map(str::trim) {
                        match Kind::of(code) {
                            Ok(_) => found.allowed.push((line, code.to_owned())),
                            Err(error) => found.refused.push((number, error.to_string())),
                        }
                    }
                }
                _ => found
                    .refused
                    .push((number, "the comment has no reason: write `allow CODE: reason`".to_owned())),
            }
        }
        found
    }

    /// Returns true if a finding is ignored.
    pub(super) fn allow(&self, finding: &Finding) -> bool {
        let line = finding.place().line.unwrap_or(0);
        self.allowed.iter().any(|(of, code)| code == finding.code() && (*of == 0 || *of == line))
    }
}

/// Returns lines ended by CR, LF or CRLF.
fn lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(body);
    std::iter::from_fn(move || {
        let bytes = rest?;
        let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            rest = None;
            return Some(bytes);
        };
        let terminator = if bytes[end..].starts_with(b"\r\n") { 2 } else { 1 };
        rest = Some(&bytes[end + terminator..]);
        Some(&bytes[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comment_applies_only_with_a_known_form_and_a_reason() {
        let body = b"User-agent: *\n# comity: allow missing-colon: the old crawler reads it so\nDisallow /a\r\n\
                     Disalow: /b # comity: allow misspelt-directive\n# comity: allow-file duplicate-rule: printed by a tool\n\
                     # comity: forbid x\n";
        let found = Suppressions::read(body);
        assert_eq!(found.allowed, [(3, "missing-colon".to_owned()), (0, "duplicate-rule".to_owned())]);
        let lines: Vec<u64> = found.refused.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [4, 6]);
    }
}
