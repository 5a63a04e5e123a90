//! `yandex-limits`: a rule has more than 1,024 characters, or the file more than 2,048 rules.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::context::Context;
use crate::robots::lint::pattern::Pattern;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "yandex-limits",
        severity: Severity::Warning,
        summary: "A rule has more than 1,024 characters, or the file more than 2,048 rules.",
        why: "Yandex reports both as errors and leaves such rules out.",
        help: "merge rules that share a beginning, or use wildcards",
        channel: Channel::RobotsTxt,
        bad: Shown::Repeated { head: "User-agent: *\nDisallow: /", piece: "a", times: 1_100, end: "" },
        good: Shown::Text(b"User-agent: *\nDisallow: /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"),
    },
    checks: &[Check::File(rules), Check::Pattern(length)],
};

/// The largest number of rules that Yandex takes from a file, and of characters that it takes from a rule.
const RULES: usize = 2_048;
const CHARACTERS: usize = 1_024;

fn rules(context: &Context<'_>, findings: &mut Findings) {
    let Some(record) = context.records.iter().filter(|record| record.kind.is_rule()).nth(RULES) else {
        return;
    };
    let message = "the file has more than 2,048 rules; Yandex leaves out the ones from here on";
    findings.push(context.finding(&LINT, record.line, record.value.clone(), message, LINT.kind.help));
}

fn length(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    if pattern.value.len() <= CHARACTERS {
        return;
    }
    let characters = String::from_utf8_lossy(pattern.value).chars().count();
    if characters > CHARACTERS {
        let message =
            format!("the rule has {characters} characters; Yandex leaves out rules of more than 1,024");
        let help = "shorten it; a pattern matches every URL that starts with it";
        findings.push(pattern.finding(&LINT, 0, pattern.value.len(), message, help));
    }
}
