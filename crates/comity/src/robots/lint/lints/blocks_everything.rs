//! `blocks-everything`: everything is forbidden to every crawler that is not named.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::extent::Access;
use crate::robots::lint::group::FileRules;
use crate::robots::lint::{Check, Lint};
use crate::robots::matching::pattern::Effect;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "blocks-everything",
        severity: Severity::Warning,
        summary: "Everything is forbidden to every crawler that is not named.",
        why: "Right for a site that is not to be found, a costly slip for any other: it drops out of search engines. An `Allow` for \
     `/robots.txt` opens nothing, since that is always allowed.",
        help: "if the site is to be found, forbid the parts that are not, or write an empty `Disallow:`",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Rules(check)],
};

/// Reports that every crawler without a name in the file is kept out. The engine's extent decides: an `Allow` for
/// `/robots.txt` alone opens nothing.
fn check(checked: &FileRules<'_, '_, '_>, findings: &mut Findings) {
    let FileRules { context, groups, .. } = *checked;
    let mut star =
        context.groups.iter().zip(groups).filter(|(group, _)| group.is_star).flat_map(|(_, rules)| rules);
    let Some(rule) = star.find(|rule| rule.matches_everything() && rule.effect == Effect::Disallow) else {
        return;
    };
    if context.rules_for_everyone().extent().access() != Access::Disallowed {
        return;
    }
    let lets_somebody_in = context.groups.iter().zip(groups).any(|(group, rules)| {
        !group.is_star
            && !rules.iter().any(|rule| rule.matches_everything() && rule.effect == Effect::Disallow)
    });
    let (severity, message) = if lets_somebody_in {
        (Severity::Note, "the whole site is forbidden to every crawler that has no group of its own")
    } else {
        (Severity::Warning, "the whole site is forbidden to every crawler")
    };
    let record = rule.record;
    let finding = context.finding(&LINT, record.line, record.whole(), message, LINT.kind.help);
    findings.push(finding.with_severity(severity));
}
