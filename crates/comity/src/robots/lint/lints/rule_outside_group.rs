//! `rule-outside-group`: a rule stands before any user-agent line.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::context::Context;
use crate::robots::lint::{Check, Lint};
use crate::robots::read::directive::RecordKind;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "rule-outside-group",
        severity: Severity::Error,
        summary: "A rule stands before any user-agent line.",
        why: "It speaks to nobody and is skipped (RFC 9309 \u{a7}2.2.2). For directives other than `Allow` and `Disallow` it is a \
     warning.",
        help: "put `User-agent: *`, or the name of the crawler it is for, above it",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"Disallow: /private/\n\nUser-agent: *\nDisallow: /search\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\nDisallow: /search\n"),
    },
    checks: &[Check::File(check)],
};

/// Reports the rules before the first user-agent line in one finding, and each other directive there in its own.
fn check(context: &Context<'_>, findings: &mut Findings) {
    let outside = || context.records.iter().filter(|record| record.group.is_none());
    let mut rules = outside().filter(|record| record.kind.is_rule());
    if let Some(first) = rules.next() {
        let message = match rules.count() {
            0 => "a rule stands before any user-agent line, so it speaks to nobody".to_owned(),
            more => format!("{} rules stand before any user-agent line, so they speak to nobody", more + 1),
        };
        findings.push(context.finding(&LINT, first.line, first.whole(), message, LINT.kind.help));
    }
    for record in outside() {
        let is_grouped = matches!(
            record.kind,
            RecordKind::CrawlDelay | RecordKind::RequestRate | RecordKind::ContentUsage | RecordKind::Noindex
        );
        if is_grouped {
            let message =
                format!("`{}` stands before any user-agent line, so it speaks to nobody", record.kind);
            let finding = context.finding(&LINT, record.line, record.whole(), message, LINT.kind.help);
            findings.push(finding.with_severity(Severity::Warning));
        }
    }
}
