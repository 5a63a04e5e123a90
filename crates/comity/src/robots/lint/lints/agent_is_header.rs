//! `agent-is-header`: a whole `User-Agent` header stands where a product token should.

use crate::agents;
use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::agents::agent::Agent;
use crate::robots::lint::name::{Form, Name};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "agent-is-header",
        severity: Severity::Warning,
        summary: "A whole `User-Agent` header stands where a product token should.",
        why: "A group names a crawler by its product token (RFC 9309 \u{a7}2.2.1), such as `Googlebot`, not by what it sends over HTTP. \
     `Mozilla/5.0 (...)` is read as the name `Mozilla`, which no crawler goes by.",
        help: "write the crawler's product token alone",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)\nDisallow: /search\n"),
        good: Shown::Text(b"User-agent: bingbot\nDisallow: /search\n"),
    },
    checks: &[Check::Agent(check)],
};

fn check(name: &Name<'_, '_>, findings: &mut Findings) {
    if name.form != Form::Header {
        return;
    }
    let (context, record) = (name.context, name.record);
    let message = format!("{} is a User-Agent header, not a product token", quoted(name.value));
    let known = known(name.value);
    let help = match known {
        Some(known) => format!("write `User-agent: {}`", known.token()),
        None => LINT.kind.help.to_owned(),
    };
    let fix = known.map(|known| Fix::new(Decisions::Changed).replace(record.value.clone(), known.token()));
    findings.push(context.finding(&LINT, record.line, record.value.clone(), message, help).with_fix(fix));
}

/// The known crawler that sends a header.
fn known(value: &[u8]) -> Option<&'static agents::KnownAgent> {
    let agent = Agent::header(String::from_utf8_lossy(value));
    agent.steps().flat_map(|step| step.candidates()).find_map(agents::known)
}
