//! `agent-version`: a name has a version.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::name::{Form, Name};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "agent-version",
        severity: Severity::Note,
        summary: "A name has a version.",
        why: "A product token has none (RFC 9309 \u{a7}2.2.1). Google and Comity ignore it, so the group speaks to every version; \
     parsers that compare the whole value find nobody of that name.",
        help: "write the name without the version",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: ia_archiver/1.6\nDisallow: /search\n"),
        good: Shown::Text(b"User-agent: ia_archiver\nDisallow: /search\n"),
    },
    checks: &[Check::Agent(check)],
};

fn check(name: &Name<'_, '_>, findings: &mut Findings) {
    let Form::Versioned(slash) = name.form else { return };
    let (context, record) = (name.context, name.record);
    let start = name.value.get(..slash).unwrap_or_default();
    let message = format!("{} has a version; the group speaks to every version", quoted(name.value));
    let help = format!("write {}", quoted([b"User-agent: ", start].concat()));
    let fix = Fix::new(Decisions::Settled).delete(record.value.start + slash..record.value.end);
    findings.push(context.finding(&LINT, record.line, record.value.clone(), message, help).with_fix(fix));
}
