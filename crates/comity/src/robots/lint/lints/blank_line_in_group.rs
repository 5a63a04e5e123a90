//! `blank-line-in-group`: a blank line stands between user-agent lines and their rules.

use crate::finding::{Channel, Decisions, Finding, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::context::{Context, LocatedRecord, What};
use crate::robots::lint::{Check, Lint};
use crate::robots::read::directive::RecordKind;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "blank-line-in-group",
        severity: Severity::Warning,
        summary: "A blank line stands between user-agent lines and their rules.",
        why: "By RFC 9309 a blank line means nothing. By the older rules it ends the group: for Python's `urllib.robotparser` of \
     many years the crawlers named above it have no rules, and Yandex reports an error. A blank line between rules is a \
     note, once in a file: such parsers skip the rules below it.",
        help: "take the blank line out",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\n\nDisallow: /private/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::File(check)],
};

/// Follows the file as parsers do for which a blank line ends a group.
fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut agent: Option<&LocatedRecord> = None;
    let mut in_rules = false;
    let mut blank: Option<usize> = None;
    let mut told = false;
    for (index, line) in context.lines.iter().enumerate() {
        let record = match line.what {
            What::Blank if line.full_span().is_empty() => {
                blank = blank.or(Some(index));
                continue;
            }
            What::Record(record) => context.records.get(record as usize),
            _ => None,
        };
        let Some(record) = record else { continue };
        let is_agent = record.kind == RecordKind::UserAgent;
        let is_rule = record.kind.is_rule() || record.kind == RecordKind::CrawlDelay;
        if !is_agent && !is_rule {
            continue;
        }
        match (blank, agent) {
            (Some(_), Some(agent)) if !in_rules => findings.push(split_from_rules(context, record, agent)),
            (Some(_), Some(_)) if is_rule && !told => {
                told = true;
                let message = "parsers for which a blank line ends a group skip the rules below it";
                let finding = context.finding(&LINT, record.line, record.whole(), message, LINT.kind.help);
                findings.push(finding.with_severity(Severity::Note));
            }
            _ => {}
        }
        blank = None;
        in_rules = is_rule;
        if is_agent {
            agent = Some(record);
        }
    }
}

fn split_from_rules(context: &Context<'_>, record: &LocatedRecord, agent: &LocatedRecord) -> Finding {
    let message = format!(
        "a blank line stands above; for parsers that end a group there, {} has no rules",
        quoted(context.value(agent))
    );
    let finding = context.finding(&LINT, record.line, record.whole(), message, LINT.kind.help);
    let is_blank = |line: &usize| context.lines.get(*line).is_some_and(|line| line.full_span().is_empty());
    let blank = (agent.line..record.line).filter(is_blank).filter_map(|line| context.with_end(line));
    let fix = blank.fold(Fix::new(Decisions::Settled), Fix::delete);
    finding.with_related(context.related(agent, "the group starts here")).with_fix(fix)
}
