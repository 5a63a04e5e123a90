//! `agent-list`: a user-agent line names several crawlers.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::context::{Context, LocatedRecord};
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
    let finding = context.finding(&LINT, record.line, record.value.clone(), message, help);
    findings.push(finding.with_fix(one_a_line(context, record)));
}

/// Puts each name on a line of its own: what separates them becomes a line end and the key.
fn one_a_line(context: &Context<'_>, record: &LocatedRecord) -> Fix {
    let value = context.value(record);
    let separator = [b',', b';', b'|'].into_iter().find(|separator| value.contains(separator));
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || Some(*byte) == separator;
    // Words of one name stay together where something else separates names.
    let is_gap = |gap: &[u8]| separator.is_none_or(|separator| gap.contains(&separator));
    let between = format!("{}User-agent: ", context.line_end(record.line));
    let mut fix = Fix::new(Decisions::Changed);
    let mut at = 0;
    while let Some(rest) = value.get(at..).filter(|rest| !rest.is_empty()) {
        let length = rest.iter().take_while(|byte| is_between(byte)).count();
        let gap = rest.get(..length).unwrap_or_default();
        if length > 0 && is_gap(gap) {
            let start = record.value.start + at;
            let is_inside = at > 0 && length < rest.len();
            fix = fix.replace(start..start + length, if is_inside { between.as_str() } else { "" });
        }
        at += length + rest.iter().skip(length).take_while(|byte| !is_between(byte)).count();
    }
    fix
}
