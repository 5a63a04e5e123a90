//! `obsolete-directive`: no large crawler reads the directive any more.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::key::{KeyedRecord, is_obsolete};
use crate::robots::lint::{Check, Lint};
use crate::robots::read::directive::RecordKind;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "obsolete-directive",
        severity: Severity::Warning,
        summary: "No large crawler reads the directive any more.",
        why: "`Noindex`, `Nofollow` and `Noarchive` were never documented, and Google stopped reading them on 1 September 2019; Yandex \
     stopped reading `Host` in 2018. `Visit-time` is a proposal of 1996 that only a few small crawlers follow (a note).",
        help: "drop it",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /search\nNoindex: /private/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /search\n"),
    },
    checks: &[Check::Record(check)],
};

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let (context, record) = (entry.context, entry.record);
    let (severity, message, help) = match record.kind {
        RecordKind::Unknown if is_obsolete(context.key(record)) => (
            Severity::Warning,
            "no crawler reads it; Google stopped in 2019",
            "use a robots meta tag or an X-Robots-Tag header on the pages",
        ),
        RecordKind::Noindex => (
            Severity::Warning,
            "`Noindex` has no effect; Google stopped reading it in 2019",
            "use a robots meta tag or an X-Robots-Tag header with noindex, on pages that may be crawled",
        ),
        RecordKind::Host => (
            Severity::Note,
            "`Host` has no effect; Yandex stopped reading it in 2018",
            "redirect the other hosts to the main one",
        ),
        RecordKind::VisitTime => (
            Severity::Note,
            "`Visit-time` is followed by a few small crawlers only",
            "answer 429 or 503 with Retry-After when the server is busy",
        ),
        _ => return,
    };
    let finding = context.finding(&LINT, record.line, record.key.clone(), message, help);
    findings.push(finding.with_severity(severity));
}
