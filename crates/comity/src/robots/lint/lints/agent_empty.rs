//! `agent-empty`: a user-agent line names nobody.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::name::{Form, Name};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "agent-empty",
        severity: Severity::Error,
        summary: "A user-agent line names nobody.",
        why: "The rules that follow speak to nobody, unless another line of the group names somebody.",
        help: "write `User-agent: *` for everybody, or a crawler's name",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent:\nDisallow: /private/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Agent(check)],
};

fn check(name: &Name<'_, '_>, findings: &mut Findings) {
    let (context, record) = (name.context, name.record);
    let group = record.group.and_then(|group| context.groups.get(group));
    let Some(group) = group.filter(|_| name.form == Form::Empty) else { return };
    let (severity, message) = if group.names_somebody {
        (Severity::Warning, "the user-agent line names nobody")
    } else {
        (Severity::Error, "the user-agent line names nobody, so the rules below speak to nobody")
    };
    let finding = context.finding(&LINT, record.line, record.whole(), message, LINT.kind.help);
    findings.push(finding.with_severity(severity));
}
