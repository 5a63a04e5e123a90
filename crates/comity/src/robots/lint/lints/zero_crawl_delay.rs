//! `zero-crawl-delay`: a crawl delay is 0.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::group::crawl_delay;
use crate::robots::lint::key::Entry;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "zero-crawl-delay",
        severity: Severity::Note,
        summary: "A crawl delay is 0.",
        why: "It asks for nothing: a crawler waits as long as it would without the line.",
        help: "take it out, or write the number of seconds between two requests",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: bingbot\nCrawl-delay: 0\nDisallow: /search\n"),
        good: Shown::Text(b"User-agent: bingbot\nCrawl-delay: 1\nDisallow: /search\n"),
    },
    checks: &[Check::Record(check)],
};

fn check(entry: &Entry<'_, '_>, findings: &mut Findings) {
    let (context, record) = (entry.context, entry.record);
    if crawl_delay(entry).is_some_and(|delay| delay.is_ok_and(|delay| delay.is_zero())) {
        let message = "a delay of 0 seconds asks for nothing";
        findings.push(context.finding(&LINT, record.line, record.whole(), message, LINT.kind.help));
    }
}
