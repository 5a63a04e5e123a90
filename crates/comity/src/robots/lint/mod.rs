//! Lint: what a robots.txt says that its author may not have meant.
//!
//! The file is read as the default dialect reads it, by the engine itself; a check then looks at the lines, records and
//! groups that came out of that. So lint never has a second opinion on what a line is, only on whether it is wise.
//!
//! ```text
//! bytes ──context──▶ Context ──checks──▶ Findings ──▶ Vec<Finding>
//!          (lines, records, groups)        (bounded)     data, for a renderer
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `catalogue.rs` | every lint: code, severity, documentation, examples |
//! | `finding.rs` | what is reported |
//! | `context.rs` | what every check looks at, and where findings go |
//! | `forms.rs` | patterns as sets of URLs: equal, wider, apart |
//! | `steps.rs` | a bound on work |
//! | `checks/foreign.rs` | files that are not robots.txt |
//! | `checks/bytes.rs` | encoding, line ends, sizes |
//! | `checks/lines.rs` | spelling, colons, order of lines |
//! | `checks/agents.rs` | names in user-agent lines |
//! | `checks/rules.rs` | patterns, one by one |
//! | `checks/rivals.rs` | rules that a shorter pattern would lose to |
//! | `checks/effects.rs` | rules of a group together: what never decides, what is blocked |
//! | `checks/star.rs` | rules for `*` that a named crawler does not follow |
//! | `checks/twins.rs` | folders that differ in upper and lower case |
//! | `checks/directives.rs` | sitemaps, delays, everything that is not a rule |
//! | `checks/addresses.rs` | what the addresses of sitemaps lead to |
//! | `checks/usage.rs` | `Content-Usage` and `Content-Signal` |
//! | `line_report.rs` | per-line facts as Google's parser reports them |
//!
//! Advice: a line that can be deleted without changing a decision is marked so ([`Finding::is_droppable`]), and only then
//! does a finding say *drop it*.
//!
//! Bounds: every check is linear in the file, or sorts once, or takes a bounded number of steps; a lint reports [`LIMIT`] places of a file one by one, and
//! the rest in one more finding.

mod catalogue;
mod checks;
mod context;
mod finding;
mod forms;
#[cfg(test)]
mod hostile;
mod line_report;
mod steps;

pub use crate::severity::{Severity, UnknownSeverity};
pub use catalogue::{Lint, UnknownLint, documentation};
pub use finding::{Finding, Related};
pub use line_report::{LineReport, Tag, lines};

use context::{Context, Findings};

/// The largest number of places in a file that one lint reports one by one.
pub const LIMIT: usize = 100;

/// Looks over a robots.txt, given its bytes as served.
///
/// Findings are sorted by position, then code. Only the first 512,000 bytes are looked at, since no more are read
/// (RFC 9309 §2.5).
///
/// ```
/// use comity::robots::lint::{Lint, lint};
///
/// let findings = lint(b"User-agent: *\nDisallow /private\n");
/// assert_eq!(findings.len(), 1);
/// assert_eq!(findings[0].lint(), Lint::MissingColon);
/// assert_eq!(findings[0].line(), 2);
/// assert_eq!(findings[0].message(), "no colon after `Disallow`");
/// assert_eq!(findings[0].help(), "write `Disallow: /private`");
/// ```
pub fn lint(body: &[u8]) -> Vec<Finding> {
    let context = Context::new(body);
    let mut findings = Findings::new();
    checks::run(&context, &mut findings);
    findings.finish(&context)
}
