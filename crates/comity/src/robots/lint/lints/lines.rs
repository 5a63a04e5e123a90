//! Lints for keys and for lines without a key.

use super::not_a_directive::NOT_A_DIRECTIVE;
use crate::finding::{Decisions, Findings, Fix, Severity, quoted};
use crate::robots::lint::key::{KeyedRecord, Slip, UnreadableLine};
use crate::robots::read::space::is_ascii_space;

crate::robots::lint::table! {
    NOT_A_DIRECTIVE;

    MISSING_COLON "missing-colon" Warning, Stray(missing_colon_stray) Key(missing_colon_key);
    "A directive has no colon after its name.",
    "Google's parser and Comity accept such a line only if it has exactly two words and no other colon; most other \
    parsers skip it. Other such lines are reported as errors.",
    "write a colon directly after the directive's name",
    bad(b"User-agent: *\nDisallow /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    MISSPELT_DIRECTIVE "misspelt-directive" Error, Key(misspelt_directive);
    "A directive's name is misspelt.",
    "RFC 9309 \u{a7}2.2.4 permits parsers to accept misspellings. Google's parser accepts `useragent`, `user agent`, \
    `dissallow`, `dissalow`, `disalow`, `diasllow`, `disallaw` and `site-map`, which are reported as warnings. It \
    skips all others.",
    "write the name as in its specification",
    bad(b"User-agent: *\nDesallow: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    DIRECTIVE_SUFFIX "directive-suffix" Warning, Key(directive_suffix);
    "A directive's name is a known name with extra text after it.",
    "Google's parser and Comity compare only the start: `Disallowed` is read as `Disallow`, and so is \
    `DisallowAITraining`, which then blocks crawling. Other parsers skip the line.",
    "write the known name if you mean it, otherwise write `#` before the line",
    bad(b"User-agent: *\nDisallowed: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    UNKNOWN_DIRECTIVE "unknown-directive" Note, Key(unknown_directive);
    "No known crawler reads the directive.",
    "The line is skipped (RFC 9309 \u{a7}2.2.4) and does not end the group.",
    "drop the line, or write `#` before it if it is a comment",
    bad(b"User-agent: *\nDisallow: /private/\nRobot-version: 2.0\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    SEVERAL_DIRECTIVES "several-directives" Error, Key(several_directives);
    "Several directives are on one line.",
    "A line has one directive; the second directive is read as part of the first one's value.",
    "write it on a separate line",
    bad(b"User-agent: * Disallow: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");
}

/// Reports a line that starts with a directive, but is not read because no usable colon follows.
fn missing_colon_stray(stray: &UnreadableLine<'_, '_>, findings: &mut Findings) {
    let Some((kind, rest)) = stray.directive else { return };
    let name = kind.label();
    let message = format!("no colon after `{name}`, so the line is not read");
    let help = format!("write `{name}:` and the value {}", quoted(rest));
    let finding = stray.context.finding(&MISSING_COLON, stray.index, stray.span.clone(), message, help);
    let value = stray.span.end - rest.len();
    let fix = Fix::new(Decisions::Changed).replace(stray.span.start + name.len()..value, ": ");
    findings.push(finding.with_severity(Severity::Error).with_fix(fix));
}

fn missing_colon_key(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let (context, record) = (entry.context, entry.record);
    let (name, value) = (record.kind.label(), context.value(record));
    let (severity, message, help, fix) = match entry.slip {
        Some(Slip::NoColon) => {
            let help = format!("write {}", quoted([name.as_bytes(), b": ", value].concat()));
            let fix = Fix::new(Decisions::Settled).replace(record.key.end..record.value.start, ": ");
            (Severity::Warning, format!("no colon after `{name}`"), help, fix)
        }
        Some(Slip::ColonMisplaced) => {
            let message = format!(
                "the first colon of the line does not follow `{name}`, so the value is read as {}",
                quoted(value)
            );
            let end = record.key.start + record.kind.as_str().len();
            let rest = context.bytes(end..record.key.end);
            let gap = rest.iter().take_while(|&&byte| is_ascii_space(byte) || byte == b'=').count();
            let fix = Fix::new(Decisions::Changed).replace(end..end + gap, ": ");
            (Severity::Error, message, format!("write a colon directly after `{name}`"), fix)
        }
        _ => return,
    };
    let finding = context.finding(&MISSING_COLON, record.line, record.key.clone(), message, help);
    findings.push(finding.with_severity(severity).with_fix(fix));
}

fn misspelt_directive(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let (context, record) = (entry.context, entry.record);
    let key = quoted(context.key(record));
    let meant = match entry.slip {
        Some(Slip::Similar(kind)) => Some(kind),
        Some(Slip::Misspelt) => Some(record.kind),
        _ => None,
    };
    let (decisions, severity, message, help) = match entry.slip {
        Some(Slip::Similar(kind)) => {
            let name = kind.label();
            let message =
                format!("{key} is not a directive, so the line is not read; did you mean `{name}`?");
            let help = format!("write `{name}: {}`", String::from_utf8_lossy(context.value(record)));
            let help = if help.len() > 100 { format!("write `{name}`") } else { help };
            (Decisions::Changed, Severity::Error, message, help)
        }
        Some(Slip::Misspelt) => {
            let name = record.kind.label();
            let message =
                format!("{key} is misspelt; some parsers read it as `{name}`, others skip the line");
            (Decisions::Settled, Severity::Warning, message, format!("write `{name}`"))
        }
        _ => return,
    };
    let fix = meant.map(|kind| Fix::new(decisions).replace(record.key.clone(), kind.label()));
    let finding = context.finding(&MISSPELT_DIRECTIVE, record.line, record.key.clone(), message, help);
    findings.push(finding.with_severity(severity).with_fix(fix));
}

fn directive_suffix(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    if entry.slip != Some(Slip::Suffix) {
        return;
    }
    let (context, record) = (entry.context, entry.record);
    let (key, name) = (quoted(context.key(record)), record.kind.label());
    let message = format!("{key} is read as `{name}` by Google's parser, and skipped by others");
    let help = format!("write `{name}` if you mean it, otherwise write `#` before the line");
    findings.push(context.finding(&DIRECTIVE_SUFFIX, record.line, record.key.clone(), message, help));
}

fn unknown_directive(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    if entry.slip != Some(Slip::Unknown) {
        return;
    }
    let (context, record) = (entry.context, entry.record);
    let message = format!("no known crawler reads {}", quoted(context.key(record)));
    findings.push(context.droppable(
        &UNKNOWN_DIRECTIVE,
        record.line,
        record.key.clone(),
        message,
        UNKNOWN_DIRECTIVE.kind.help,
    ));
}

fn several_directives(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some((at, kind)) = entry.second else { return };
    let record = entry.record;
    let message = format!("`{kind}` is inside the value of `{}`, and is read as part of it", record.kind);
    let span = at..record.value.end;
    let context = entry.context;
    let before = context.bytes(record.value.start..at).trim_ascii_end().len();
    let fix =
        Fix::new(Decisions::Changed).replace(record.value.start + before..at, context.line_end(record.line));
    let finding =
        context.finding(&SEVERAL_DIRECTIVES, record.line, span, message, SEVERAL_DIRECTIVES.kind.help);
    findings.push(finding.with_fix(fix));
}
