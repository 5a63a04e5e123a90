//! Lint: reports what a robots.txt says that its author may not have meant.
//!
//! The engine itself reads the file, in the default dialect. A check then looks at the lines, records and groups that
//! result. So lint and the engine never differ on the meaning of a line.
//!
//! ```text
//! bytes ──context──▶ Context ──walk──▶ a line, a record, a name, a group, … ──lints──▶ Findings ──▶ Vec<Finding>
//!          (lines, records, groups)     (each shown to every lint that looks at it)     (bounded)
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `lints/` | every lint, a file for each subject: documentation, examples, checks |
//! | `context.rs` | what every check looks at |
//! | `walk.rs` | who is shown what |
//! | `bytes.rs` | lines as bytes |
//! | `key.rs` | slips in keys, second directives, lines without a key |
//! | `name.rs` | names in user-agent lines |
//! | `pattern.rs` | patterns, one by one |
//! | `group.rs` | rules together, delays |
//! | `address.rs` | what the addresses of sitemaps lead to |
//! | `fault.rs` | a mistake at one place of a value |
//! | `usage.rs` | `Content-Usage` as structured fields |
//! | `forms.rs` | patterns as sets of URLs: equal, wider, apart |
//! | `rivals.rs` | rules that a shorter pattern would lose to |
//! | `droppable.rs` | which lines may be deleted together |
//! | `mend.rs` | makes the fixes that findings have, round by round |
//! | `steps.rs` | a bound on work |
//! | `line_report.rs` | for tests: per-line facts as Google's parser reports them |
//!
//! Advice: a line that can be deleted without changing a decision is marked so ([`Finding::is_droppable`]), and only then
//! does a finding say *drop it*.
//!
//! Bounds: every check is linear in the file, or sorts once, or takes a bounded number of steps; a lint reports
//! [`LIMIT`] places of a file one by one, and the rest in one more finding.

mod address;
mod bytes;
mod context;
mod droppable;
mod fault;
mod forms;
mod group;
#[cfg(test)]
mod hostile;
mod key;
#[cfg(any(test, feature = "plain-matcher"))]
#[doc(hidden)]
pub mod line_report;
mod lints;
mod mend;
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
use key::{KeyedRecord, Stray};
use name::Name;
use pattern::Pattern;

use crate::finding::{Finding, Findings, Kind, LIMIT};

pub use mend::{Mended, TooLong, mend};

/// A lint: what is said of it, and its checks.
struct Lint {
    kind: Kind,
    checks: &'static [Check],
}

/// A check, by what it looks at.
enum Check {
    /// The body, whatever it is.
    Body(fn(&Context<'_>, &mut Findings)),
    /// The body; returns true if it is not a robots.txt, so that nothing else is reported.
    Foreign(fn(&Context<'_>, &mut Findings) -> bool),
    /// A robots.txt as a whole.
    File(fn(&Context<'_>, &mut Findings)),
    /// A line.
    Line(fn(&LineText<'_, '_>, &mut Findings)),
    /// A line without a key and a value.
    Stray(fn(&Stray<'_, '_>, &mut Findings)),
    /// The key of a record.
    Key(fn(&KeyedRecord<'_, '_>, &mut Findings)),
    /// A record.
    Record(fn(&KeyedRecord<'_, '_>, &mut Findings)),
    /// A user-agent line.
    Agent(fn(&Name<'_, '_>, &mut Findings)),
    /// The value of a rule, if it has one.
    Value(fn(&Pattern<'_, '_>, &mut Findings)),
    /// The value of a rule, if it starts as a pattern does.
    Pattern(fn(&Pattern<'_, '_>, &mut Findings)),
    /// A group.
    Group(fn(&GroupRules<'_, '_, '_>, &mut Findings)),
    /// All groups together.
    Rules(fn(&FileRules<'_, '_, '_>, &mut Findings)),
    /// The address of a sitemap, once for each address.
    Sitemap(fn(&Address<'_, '_>, &mut Findings)),
}

/// Declares a lint: a static.
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

/// Declares the lints of a subject: a static for each, and `ALL`. A lint with a file of its own is only named.
macro_rules! table {
    ($($name:ident $($code:literal $severity:ident, $($sort:ident($check:path))+; $summary:literal, $why:literal,
       $help:literal, bad($($bad:tt)*), good($($good:tt)*))?;)*) => {
        $($(
            $crate::robots::lint::row! {
                $name $code $severity, $($sort($check))+; $summary, $why, $help, bad($($bad)*), good($($good)*);
            }
        )?)*

        /// Every lint of the subject, in the order of the documentation.
        pub(super) static ALL: &[&$crate::robots::lint::Lint] = &[$(&$name),*];
    };
}

use {row, table};

/// Returns every lint's kind, in the order of the documentation.
pub(crate) fn kinds() -> &'static [&'static Kind] {
    static KINDS: LazyLock<Vec<&Kind>> =
        LazyLock::new(|| lints::ALL.iter().copied().flatten().map(|lint| &lint.kind).collect());
    &KINDS
}

/// Looks over a robots.txt, given its bytes as served.
///
/// Findings are sorted by position, then code. Only the first 512,000 bytes are looked at, since no more are read
/// (RFC 9309 §2.5).
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

/// Works like [`lint`] with another number of findings of a kind.
fn up_to(limit: usize, body: &[u8]) -> Vec<Finding> {
    let context = Context::new(body);
    let mut findings = Findings::up_to(limit);
    walk::run(&context, &mut findings);
    droppable::keep_a_rule(&context, findings.kept_mut());
    // What a fix takes out of a file or a line that is not read to its end would pull in what is not read now, and what it
    // adds to a line may push something out.
    for finding in findings.kept_mut() {
        if finding.fix().is_some_and(|fix| context.is_cut() || !context.stays_within_lines(fix)) {
            *finding = finding.clone().with_fix(None);
        }
    }
    findings.sorted()
}
