//! `empty-rule`: a rule has no pattern and does nothing.

use crate::finding::{Channel, Decisions, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::group::GroupRules;
use crate::robots::lint::pattern::ONLY_RULE;
use crate::robots::lint::{Check, Lint};
use crate::robots::read::directive::RecordKind;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "empty-rule",
        severity: Severity::Warning,
        summary: "A rule has no pattern and does nothing.",
        why: "An empty `Disallow` says that a group allows everything, but beside other rules it says nothing (a note, for parsers \
     that stop at the first rule that matches take it at its word). An empty `Allow` has no effect; \
     robotexclusionrulesparser reads it as \"nothing is allowed\". The only rule of a group stays, as an empty `Disallow`: \
     without a rule, the group would share those of the next one (RFC 9309 \u{a7}2.2.4).",
        help: "drop it, unless it is the only rule of its group",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nAllow:\nDisallow: /private/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Group(check)],
};

/// Reports a rule without a pattern. Its effect depends on the other rules of its group.
fn check(checked: &GroupRules<'_, '_, '_>, findings: &mut Findings) {
    let (context, group) = (checked.context, checked.group);
    let rules = || context.records_at(&group.rules).map(|(_, rule)| rule);
    let says_something = rules().any(|rule| !rule.value.is_empty());
    let is_open = rules().any(|rule| rule.kind == RecordKind::Disallow && rule.value.is_empty());
    for (index, rule) in rules().enumerate().filter(|(_, rule)| rule.value.is_empty()) {
        let fix = context.taken_out(Decisions::Settled, rule);
        let finding = match rule.kind {
            RecordKind::Allow => {
                let message = "an empty `Allow` allows nothing in particular; one old parser reads it as \"nothing is allowed\"";
                if says_something || is_open || index > 0 {
                    context.droppable(&LINT, rule.line, rule.whole(), message, "drop it").with_fix(fix)
                } else {
                    context.finding(&LINT, rule.line, rule.whole(), message, ONLY_RULE)
                }
            }
            _ if says_something => {
                let message = "an empty `Disallow` does nothing beside other rules";
                let finding = context.droppable(&LINT, rule.line, rule.whole(), message, "drop it");
                finding.with_severity(Severity::Note).with_fix(fix)
            }
            _ => continue,
        };
        findings.push(finding);
    }
}
