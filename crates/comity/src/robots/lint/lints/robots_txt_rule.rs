//! `robots-txt-rule`: a rule forbids `/robots.txt` itself.

use crate::finding::{Channel, Decisions, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::pattern::{ONLY_RULE, Pattern};
use crate::robots::lint::{Check, Lint};
use crate::robots::read::directive::RecordKind;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "robots-txt-rule",
        severity: Severity::Note,
        summary: "A rule forbids `/robots.txt` itself.",
        why: "It is always allowed (RFC 9309 \u{a7}2.2.2), since without it no rule can be known. Without a `$` at its end, such a rule \
     still forbids what starts with it, such as `/robots.txt.bak` and `/robots.txt?x`.",
        help: "take the rule out",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /robots.txt\nDisallow: /private/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Pattern(check)],
};

fn check(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let (context, record) = (pattern.context, pattern.record);
    let stem = pattern.value.strip_suffix(b"$").unwrap_or(pattern.value);
    if record.kind != RecordKind::Disallow || stem != b"/robots.txt" {
        return;
    }
    let group = record.group.and_then(|group| context.groups.get(group));
    let is_only = group.is_some_and(|group| group.rules.len() == 1);
    let is_anchored = stem.len() < pattern.value.len();
    let message = "`/robots.txt` is always allowed, whatever the rules say";
    let (line, span) = (record.line, record.value.clone());
    findings.push(match (is_anchored, is_only) {
        (true, false) => {
            let fix = context.taken_out(Decisions::Settled, record);
            context.droppable(&LINT, line, span, message, "drop it").with_fix(fix)
        }
        (true, true) => context.finding(&LINT, line, span, message, ONLY_RULE),
        (false, _) => {
            let message =
                format!("{message}; only what starts with it, such as `/robots.txt.bak`, is forbidden");
            let help = if is_only {
                "write an empty `Disallow:` instead if nothing of the kind is to be forbidden"
            } else {
                "take the rule out if nothing of the kind is to be forbidden"
            };
            context.finding(&LINT, line, span, message, help)
        }
    });
}
