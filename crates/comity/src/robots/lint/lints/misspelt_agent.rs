//! `misspelt-agent`: no known crawler has this name, but one has a similar one.

use crate::agents;
use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::name::{Name, Who};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "misspelt-agent",
        severity: Severity::Warning,
        summary: "No known crawler has this name, but one has a similar one.",
        why: "A name must be the crawler's own, letter by letter (case does not matter); a group for a name that nobody has speaks \
     to nobody.",
        help: "write the crawler's name as its operator does",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: Gogglebot\nDisallow: /search\n"),
        good: Shown::Text(b"User-agent: Googlebot\nDisallow: /search\n"),
    },
    checks: &[Check::Agent(check)],
};

fn check(name: &Name<'_, '_>, findings: &mut Findings) {
    if !matches!(name.who, Who::Unknown) {
        return;
    }
    let Some(near) = std::str::from_utf8(&name.name).ok().and_then(agents::closest) else { return };
    let (context, record) = (name.context, name.record);
    let message = format!(
        "no known crawler is called {}; {} has one called `{}`",
        quoted(name.value),
        near.operator(),
        near.token()
    );
    let help = format!("write `User-agent: {}` if that one is meant", near.token());
    let fix = Fix::new(Decisions::Changed).replace(record.value.clone(), near.token());
    let finding = context.finding(&LINT, record.line, record.value.clone(), message, help);
    findings.push(finding.with_fix(fix));
}
