//! `repeated-crawl-delay`: a group has several crawl delays that differ.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::group::{GroupRules, each_delay};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "repeated-crawl-delay",
        severity: Severity::Warning,
        summary: "A group has several crawl delays that differ.",
        why: "Which one counts depends on the parser: the first, the last, the shortest or, for Comity, the longest.",
        help: "keep one of them",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: bingbot\nCrawl-delay: 5\nCrawl-delay: 10\nDisallow: /search\n"),
        good: Shown::Text(b"User-agent: bingbot\nCrawl-delay: 10\nDisallow: /search\n"),
    },
    checks: &[Check::Group(check)],
};

fn check(checked: &GroupRules<'_, '_, '_>, findings: &mut Findings) {
    let context = checked.context;
    each_delay(context, checked.group, |delay, first, _| {
        let Some(first) = first.filter(|first| context.value(first) != context.value(delay)) else { return };
        let message = format!(
            "the group has a crawl delay of {} already; which one counts depends on the crawler",
            quoted(context.value(first))
        );
        let finding = context.finding(&LINT, delay.line, delay.whole(), message, LINT.kind.help);
        findings.push(finding.with_related(context.related(first, "the other delay")));
    });
}
