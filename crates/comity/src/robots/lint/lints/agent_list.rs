//! `agent-list`: a user-agent line names several crawlers.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::name::{Form, Name};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "agent-list",
        severity: Severity::Error,
        summary: "A user-agent line names several crawlers.",
        why: "A line holds one name. Of a list Google reads the first one, Comity none, others look for a crawler of that whole name.",
        help: "write a user-agent line for each name",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: Googlebot, bingbot\nDisallow: /search\n"),
        good: Shown::Text(b"User-agent: Googlebot\nUser-agent: bingbot\nDisallow: /search\n"),
    },
    checks: &[Check::Agent(check)],
};

fn check(name: &Name<'_, '_>, findings: &mut Findings) {
    let Form::List(names) = name.form else { return };
    let (context, record) = (name.context, name.record);
    let message = format!("{} is a list; a line holds one name", quoted(name.value));
    let help = format!("write {names} user-agent lines, one for each name");
    findings.push(context.finding(&LINT, record.line, record.value.clone(), message, help));
}
