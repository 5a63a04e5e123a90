//! `retired-agent`: the crawler that a group names is retired.

use crate::agents::{self, Status};
use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::name::Name;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "retired-agent",
        severity: Severity::Note,
        summary: "The crawler that a group names is retired.",
        why: "A group for a crawler that no longer comes does no harm. It does nothing against the crawlers that its operator \
     sends today, though, which have other names.",
        help: "name the crawlers that the operator sends today",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: anthropic-ai\nDisallow: /\n"),
        good: Shown::Text(b"User-agent: ClaudeBot\nDisallow: /\n"),
    },
    checks: &[Check::Agent(check)],
};

fn check(name: &Name<'_, '_>, findings: &mut Findings) {
    if name.before.is_some() {
        return;
    }
    let known = std::str::from_utf8(&name.name).ok().and_then(agents::known);
    let Some(known) = known.filter(|known| known.status() == Status::Retired) else { return };
    let active: Vec<String> = agents::all()
        .iter()
        .filter(|other| other.operator() == known.operator() && other.status() == Status::Active)
        .map(|other| format!("`{}`", other.token()))
        .take(4)
        .collect();
    let help = match (known.operator(), active.as_slice()) {
        ("unknown", _) | (_, []) => LINT.kind.help.to_owned(),
        (operator, active) => {
            format!("name the crawlers that {operator} sends today, such as {}", active.join(", "))
        }
    };
    let (context, record) = (name.context, name.record);
    let message = format!("{} is retired", quoted(name.value));
    findings.push(context.finding(&LINT, record.line, record.value.clone(), message, help));
}
