//! `content-usage-among-agents`: a `Content-Usage` line stands between user-agent lines.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::context::Context;
use crate::robots::lint::group::joins;
use crate::robots::lint::{Check, Lint};
use crate::robots::read::directive::RecordKind;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "content-usage-among-agents",
        severity: Severity::Warning,
        summary: "A `Content-Usage` line stands between user-agent lines.",
        why: "By RFC 9309 \u{a7}2.2.4 only `Allow` and `Disallow` end the list of a group's names; Comity reads it so, and the names \
     below the line share the rules of those above. By draft-ietf-aipref-attach-05 `Content-Usage` is a rule too, and the \
     names below it start a group of their own.",
        help: "end the group above with a rule, such as an empty `Disallow:`, if the two are not to share rules",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: GPTBot\nContent-Usage: train-ai=n\nUser-agent: CCBot\nDisallow: /\n"),
        good: Shown::Text(
            b"User-agent: GPTBot\nContent-Usage: train-ai=n\nDisallow:\n\nUser-agent: CCBot\nDisallow: /\n",
        ),
    },
    checks: &[Check::File(check)],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    joins(context, |record, agent, content| {
        if content.kind == RecordKind::ContentUsage {
            let name = quoted(context.value(record));
            let message = format!(
                "{name} joins the group above by RFC 9309; by the draft for `Content-Usage`, that line ends the group"
            );
            let finding = context.finding(&LINT, record.line, record.whole(), message, LINT.kind.help);
            findings.push(finding.with_related(context.related(agent, "the group it joins")));
        }
    });
}
