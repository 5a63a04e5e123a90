//! `invisible-character`: a directive holds a character that cannot be seen: zero width, no-break space, soft hyphen, text direction.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown};
use crate::robots::lint::bytes::{LineText, is_invisible, stray_mark};
use crate::robots::lint::context::What;
use crate::robots::lint::{Check, Lint};
use crate::robots::read::directive::RecordKind;
use std::borrow::Cow;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "invisible-character",
        severity: Severity::Warning,
        summary: "A directive holds a character that cannot be seen: zero width, no-break space, soft hyphen, text direction.",
        why: "It came along with a copy from a web page or a word processor. It is part of the key, the name or the pattern like \
     any other character: in a key the line is not read at all (then it is an error), in a value nothing matches.",
        help: "take it out",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow:\xc2\xa0/private/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Line(check)],
};

fn check(line: &LineText<'_, '_>, findings: &mut Findings) {
    if !line.is_suspect {
        return;
    }
    let context = line.context;
    let directive = context.before_comment(line.line);
    let Cow::Borrowed(text) = String::from_utf8_lossy(context.bytes(directive.clone())) else { return };
    let Some((at, c)) = text.char_indices().find(|(_, c)| is_invisible(*c)) else { return };
    let start = directive.start + at;
    if line.index == 0 && stray_mark(context).is_some_and(|mark| mark.contains(&start)) {
        return;
    }
    let record = match line.line.what {
        What::Record(record) => context.records.get(record as usize),
        _ => None,
    };
    let (severity, consequence) = match record {
        Some(record) if start >= record.key.end => (Severity::Warning, "and is part of the value"),
        Some(record) if record.kind != RecordKind::Unknown => {
            (Severity::Warning, "so not every parser reads the directive")
        }
        _ => (Severity::Error, "so it is not read as a directive"),
    };
    let message =
        format!("an invisible character (U+{:04X}) stands in the line, {consequence}", u32::from(c));
    let span = start..start + c.len_utf8();
    let finding = context.finding(&LINT, line.index, span, message, LINT.kind.help);
    let all = text.char_indices().filter(|(_, c)| is_invisible(*c));
    let fix = all.fold(Fix::new(Decisions::Changed), |fix, (at, c)| {
        fix.delete(directive.start + at..directive.start + at + c.len_utf8())
    });
    findings.push(finding.with_severity(severity).with_fix(fix));
}
