//! Lint: findings about lines of a robots.txt whose effect the author may not have intended.
//!
//! The parser reads the file in the default dialect. The checks run on the resulting lines, records and groups, so lint
//! and the parser never disagree on the meaning of a line.
//!
//! ```text
//! bytes ──context──▶ Context ──walk──▶ a line, a record, a name, a group, … ──lints──▶ Findings ──▶ Vec<Finding>
//!          (lines, records, groups)     (each passed to every lint for its kind)        (bounded)
//! ```
//
// | file | content |
// |---|---|
// | `lints/` | all lints, one file per subject: documentation, examples, checks |
// | `context.rs` | input of all checks |
// | `walk.rs` | dispatch of lines, records and groups to the checks |
// | `bytes.rs` | lines as bytes |
// | `key.rs` | mistakes in keys, second directives, lines without a key |
// | `name.rs` | names in user-agent lines |
// | `pattern.rs` | single patterns |
// | `intended.rs` | the pattern that the author of an unreadable pattern intended |
// | `group.rs` | the rules of a group together, delays |
// | `address.rs` | sitemap addresses and the crawlers that may fetch them |
// | `fault.rs` | a mistake at one position of a value |
// | `usage.rs` | `Content-Usage` as structured fields |
// | `forms.rs` | patterns as sets of URLs: equality, containment, overlap |
// | `rivals.rs` | rules that would override a shortened pattern |
// | `droppable.rs` | lines that may be deleted together |
// | `apply.rs` | application of fixes, round by round |
// | `steps.rs` | limit on the number of steps |
// | `line_report.rs` | for tests: per-line facts as Google's parser reports them |
//!
//! Advice: a line that can be deleted without changing a decision is marked as such ([`Finding::is_droppable`]). Only
//! findings for such lines suggest *drop it*.
//!
//! Bounds: every check is linear in the file size, sorts once, or takes a bounded number of steps. A lint reports at
//! most [`LIMIT`] places of a file individually. One additional finding represents the others.

mod address;
mod apply;
mod bytes;
mod context;
mod droppable;
mod fault;
mod forms;
mod group;
#[cfg(test)]
mod hostile;
mod intended;
mod key;
#[cfg(any(test, feature = "__plain-matcher"))]
#[doc(hidden)]
pub mod line_report;
mod lints;
mod name;
mod pattern;
mod rivals;
mod steps;
mod usage;
mod walk;

use std::sync::LazyLock;

use address::Address;
use bytes::LineText;
use context::Context;
use group::{FileRules, GroupRules};
use key::{KeyedRecord, UnreadableLine};
use name::Name;
use pattern::Pattern;

use crate::finding::{Finding, Findings, Kind, LIMIT};

pub use apply::{FixedFile, TooLong, apply_fixes};

/// A lint: its documentation and its checks.
struct Lint {
    kind: Kind,
    checks: &'static [Check],
}

/// A check, by its input.
enum Check {
    /// The body of any file.
    Body(fn(&Context<'_>, &mut Findings)),
    /// The body. If the check returns true, the file is not a robots.txt, and only checks of the body run.
    Foreign(fn(&Context<'_>, &mut Findings) -> bool),
    /// A robots.txt as a whole.
    File(fn(&Context<'_>, &mut Findings)),
    /// A line.
    Line(fn(&LineText<'_, '_>, &mut Findings)),
    /// A line that cannot be read as a key and a value.
    Stray(fn(&UnreadableLine<'_, '_>, &mut Findings)),
    /// The key of a record.
    Key(fn(&KeyedRecord<'_, '_>, &mut Findings)),
    /// A record.
    Record(fn(&KeyedRecord<'_, '_>, &mut Findings)),
    /// A user-agent line.
    Agent(fn(&Name<'_, '_>, &mut Findings)),
    /// The value of a rule, unless it is empty.
    Value(fn(&Pattern<'_, '_>, &mut Findings)),
    /// The value of a rule that starts with `/` or `*`.
    Pattern(fn(&Pattern<'_, '_>, &mut Findings)),
    /// A group.
    Group(fn(&GroupRules<'_, '_, '_>, &mut Findings)),
    /// All groups together.
    Rules(fn(&FileRules<'_, '_, '_>, &mut Findings)),
    /// A sitemap address, once per distinct address.
    Sitemap(fn(&Address<'_, '_>, &mut Findings)),
}

/// Declares a lint as a static.
macro_rules! row {
    ($name:ident $code:literal $severity:ident, $($sort:ident($check:path))+; $summary:literal, $why:literal,
     $help:literal, bad($($bad:tt)*), good($($good:tt)*);) => {
        #[doc = $summary]
        pub(super) static $name: $crate::robots::lint::Lint = $crate::robots::lint::Lint {
            kind: $crate::finding::kinds!(
                @kind RobotsTxt $code $severity RobotsTxt, $summary, $why, $help, bad($($bad)*), good($($good)*)
            ),
            checks: &[$($crate::robots::lint::Check::$sort($check)),+],
        };
    };
}

/// Declares the lints of a subject: one static per lint, and `ALL`. Lints with their own file appear by name only.
macro_rules! table {
    ($($name:ident $($code:literal $severity:ident, $($sort:ident($check:path))+; $summary:literal, $why:literal,
       $help:literal, bad($($bad:tt)*), good($($good:tt)*))?;)*) => {
        $($(
            $crate::robots::lint::row! {
                $name $code $severity, $($sort($check))+; $summary, $why, $help, bad($($bad)*), good($($good)*);
            }
        )?)*

        /// All lints of the subject, in the order of the documentation.
        pub(super) static ALL: &[&$crate::robots::lint::Lint] = &[$(&$name),*];
    };
}

use {row, table};

/// Returns the kinds of all lints, in the order of the documentation.
pub(crate) fn kinds() -> &'static [&'static Kind] {
    static KINDS: LazyLock<Vec<&Kind>> = LazyLock::new(|| lints::all().map(|lint| &lint.kind).collect());
    &KINDS
}

/// Returns the subject of a lint, which is the name of its page in `docs/reference/lints`.
pub(crate) fn subject(kind: &Kind) -> Option<&'static str> {
    let is_in = |lints: &[&Lint]| lints.iter().any(|lint| lint.kind == *kind);
    lints::SUBJECTS.iter().find(|(_, lints)| is_in(lints)).map(|(subject, _)| *subject)
}

/// Checks a robots.txt, given its bytes as served.
///
/// Findings are sorted by position, then by code. Only the first 512,000 bytes are checked, because crawlers need not
/// read more (RFC 9309 §2.5).
///
/// ```
/// use comity::robots::lint::lint;
///
/// let findings = lint(b"User-agent: *\nDisallow: /private\nDisallow /search\n");
/// assert_eq!(findings.len(), 1);
/// assert_eq!(findings[0].code(), "missing-colon");
/// assert_eq!(findings[0].place().line, Some(3));
/// assert_eq!(findings[0].message(), "no colon after `Disallow`");
/// assert_eq!(findings[0].help(), "write `Disallow: /search`");
/// ```
pub fn lint(body: &[u8]) -> Vec<Finding> {
    up_to(LIMIT, body)
}

/// Checks a file as [`lint`] does, with another limit on the number of findings of a kind.
fn up_to(limit: usize, body: &[u8]) -> Vec<Finding> {
    let context = Context::new(body);
    let mut findings = Findings::up_to(limit);
    walk::run(&context, &mut findings);
    droppable::keep_a_rule(&context, findings.kept_mut());
    // If a file or line exceeds its length limit, a fix that removes bytes moves ignored bytes inside the limit. A fix
    // that adds bytes may move other bytes beyond the limit.
    for finding in findings.kept_mut() {
        if finding.fix().is_some_and(|fix| context.is_cut() || !context.stays_within_lines(fix)) {
            *finding = finding.clone().with_fix(None);
        }
    }
    findings.sorted()
}
