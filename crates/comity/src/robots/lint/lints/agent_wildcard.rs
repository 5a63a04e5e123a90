//! `agent-wildcard`: a name holds a `*`.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::agents::agent::is_token_byte;
use crate::robots::lint::context::is_star;
use crate::robots::lint::name::{Form, Name};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "agent-wildcard",
        severity: Severity::Warning,
        summary: "A name holds a `*`.",
        why: "Only `*` alone stands for everyone; it is not a wildcard in a name (RFC 9309 \u{a7}2.2.1). One at the end is ignored by \
     Google and Comity (then it is a note); anywhere else nobody has that name.",
        help: "write `*` alone for everybody, or a line for each crawler",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *bot*\nDisallow: /search\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /search\n"),
    },
    checks: &[Check::Agent(check)],
};

fn check(name: &Name<'_, '_>, findings: &mut Findings) {
    let Form::Wildcard(star) = name.form else { return };
    let (context, record, value) = (name.context, name.record, name.value);
    let span = record.value.start + star..record.value.start + star + 1;
    let stem = value.get(..star).unwrap_or_default();
    let mut fix = None;
    let (severity, message, help) = if is_star(value) {
        let message = format!("{} is read as `*`: the group speaks to everyone", quoted(value));
        (Severity::Note, message, "write `*` alone, or the name alone".to_owned())
    } else if value.iter().skip(star).all(|byte| *byte == b'*') {
        let message = format!("the `*` at the end of {} is ignored", quoted(value));
        let is_name =
            !stem.is_empty() && stem.iter().all(|byte| is_token_byte(*byte) || byte.is_ascii_digit());
        fix = is_name.then(|| Fix::new(Decisions::Settled).delete(span.start..record.value.end));
        (Severity::Note, message, format!("write {}", quoted(stem)))
    } else {
        let message = format!("`*` is not a wildcard in a name, so {} speaks to nobody", quoted(value));
        (Severity::Warning, message, LINT.kind.help.to_owned())
    };
    findings
        .push(context.finding(&LINT, record.line, span, message, help).with_severity(severity).with_fix(fix));
}
