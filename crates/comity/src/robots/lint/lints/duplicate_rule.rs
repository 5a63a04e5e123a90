//! `duplicate-rule`: a rule says the same as another one of its group.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::context::{Context, shown_rule};
use crate::robots::lint::group::GroupRules;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "duplicate-rule",
        severity: Severity::Note,
        summary: "A rule says the same as another one of its group.",
        why: "It can go. Patterns are compared after percent-encoding (RFC 9309 \u{a7}2.2.2), with `*` at the end taken off.",
        help: "drop it",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /private/\nDisallow: /private/*\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Group(check)],
};

fn check(checked: &GroupRules<'_, '_, '_>, findings: &mut Findings) {
    let context = checked.context;
    for (rule, winner) in checked.idle.iter().filter(|(rule, winner)| rule.effect == winner.effect) {
        let (value, other) = (context.value(rule.record), context.value(winner.record));
        let line = Context::number(winner.record.line);
        let message = if value == other {
            format!("{} stands on line {line} already", shown_rule(context, rule.record))
        } else {
            format!("{} matches the same URLs as {} on line {line}", quoted(value), quoted(other))
        };
        let record = rule.record;
        // Another spelling may be one that parsers without wildcards or escapes tell apart.
        let fix = (value == other).then(|| context.not_missed(record, winner.record)).flatten();
        let finding = context.droppable(&LINT, record.line, record.whole(), message, LINT.kind.help);
        let finding = finding.with_fix(fix);
        findings.push(finding.with_related(context.related(winner.record, "the rule that says so already")));
    }
}
