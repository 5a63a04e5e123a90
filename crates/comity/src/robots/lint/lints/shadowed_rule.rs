//! `shadowed-rule`: a rule can never decide: another one matches the same URLs and outranks it.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::context::{Context, shown_rule};
use crate::robots::lint::group::GroupRules;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "shadowed-rule",
        severity: Severity::Warning,
        summary: "A rule can never decide: another one matches the same URLs and outranks it.",
        why: "The longest pattern wins, and at the same length `Allow` (RFC 9309 \u{a7}2.2.2). A `*` at the end adds to a pattern's \
     length but not to what it matches.",
        help: "drop it, or make its pattern longer than the other if it is to win",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /private/\nAllow: /private/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\nAllow: /private/open/\n"),
    },
    checks: &[Check::Group(check)],
};

fn check(checked: &GroupRules<'_, '_, '_>, findings: &mut Findings) {
    let context = checked.context;
    for (rule, winner) in checked.idle.iter().filter(|(rule, winner)| rule.effect != winner.effect) {
        let line = Context::number(winner.record.line);
        let reason =
            if rule.length == winner.length { "`Allow` wins a tie" } else { "the longer pattern wins" };
        let message = format!(
            "{} never decides: {} on line {line} matches the same URLs, and {reason}",
            shown_rule(context, rule.record),
            shown_rule(context, winner.record)
        );
        let record = rule.record;
        let finding = context.droppable(&LINT, record.line, record.whole(), message, LINT.kind.help);
        findings.push(finding.with_related(context.related(winner.record, "the rule that wins")));
    }
}
