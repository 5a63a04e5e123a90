//! `joined-groups`: a group without rules runs into the next one.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::context::Context;
use crate::robots::lint::group::joins;
use crate::robots::lint::{Check, Lint};
use crate::robots::read::directive::RecordKind;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "joined-groups",
        severity: Severity::Warning,
        summary: "A group without rules runs into the next one.",
        why: "Only `Allow` and `Disallow` end the list of a group's names (RFC 9309 \u{a7}2.2.4): after a `Crawl-delay` alone, the next \
     user-agent line adds its name to the same group, so the rules below speak to both.",
        help: "end the group above with a rule, such as an empty `Disallow:`, if the two are not to share rules",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: bingbot\nCrawl-delay: 10\n\nUser-agent: SemrushBot\nDisallow: /\n"),
        good: Shown::Text(
            b"User-agent: bingbot\nCrawl-delay: 10\nDisallow:\n\nUser-agent: SemrushBot\nDisallow: /\n",
        ),
    },
    checks: &[Check::File(check)],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    joins(context, |record, agent, content| {
        if content.kind != RecordKind::ContentUsage {
            let (name, kind) = (quoted(context.value(record)), content.kind.canonical_name());
            let message = format!("{name} joins the group above, since `{kind}` does not end it");
            let finding = context.finding(&LINT, record.line, record.whole(), message, LINT.kind.help);
            findings.push(finding.with_related(context.related(agent, "the group it joins")));
        }
    });
}
