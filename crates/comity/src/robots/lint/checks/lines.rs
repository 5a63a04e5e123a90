//! Spelling, colons, and lines in the wrong place.

use std::ops::Range;

use super::bytes::is_invisible;
use crate::agents::edit_distance;
use crate::robots::lint::catalogue::Lint;
use crate::robots::lint::context::{Context, Findings, Line, Record, What, shown};
use crate::robots::lint::finding::Finding;
use crate::robots::lint::steps;
use crate::robots::read::directive::DirectiveKind;
use crate::robots::read::syntax::{is_ascii_space, trim_ascii};
use crate::severity::Severity;

/// Directives that a slip may have been meant for. The rare ones are left out: too much looks like them.
const SPELLED: [DirectiveKind; 9] = [
    DirectiveKind::UserAgent,
    DirectiveKind::Disallow,
    DirectiveKind::Allow,
    DirectiveKind::Sitemap,
    DirectiveKind::CrawlDelay,
    DirectiveKind::RequestRate,
    DirectiveKind::CleanParam,
    DirectiveKind::ContentSignal,
    DirectiveKind::ContentUsage,
];

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    // What a second byte order mark does to the first line has been said.
    let spoilt = usize::from(super::bytes::stray_mark(context).is_some());
    for (index, line) in context.lines.iter().enumerate().skip(spoilt) {
        match line.what {
            What::Blank | What::Comment => {}
            What::Other => other(context, findings, index, line),
            What::Record(record) => {
                let Some(record) = context.records.get(record as usize) else { continue };
                if record.kind == DirectiveKind::Unknown {
                    unknown(context, findings, record);
                } else {
                    known(context, findings, record);
                    several(context, findings, record);
                }
            }
        }
    }
    outside_group(context, findings);
    blank_lines(context, findings);
    joined_groups(context, findings);
}

/// A line without a key and a value.
fn other(context: &Context<'_>, findings: &mut Findings, index: usize, line: &Line) {
    let span = trim_ascii(context.body, context.before_comment(line));
    let text = context.bytes(span.clone());
    // Reported as such already.
    if text.first() == Some(&0)
        || String::from_utf8_lossy(text).chars().all(|c| is_invisible(c) || c.is_whitespace())
    {
        return;
    }
    if let Some((kind, rest)) = directive_without_colon(text) {
        let name = kind.canonical_name();
        let message = format!("no colon after `{name}`, and more than two words: the line is not read");
        let help = format!("write `{name}:` and the value {}", shown(rest));
        let finding = context.finding(Lint::MissingColon, index, span, message, help);
        findings.add(finding.severity_of(Severity::Error));
        return;
    }
    let (message, help) = strange(text);
    findings.add(context.droppable(Lint::NotADirective, index, span, message, help));
}

/// Returns a message and a way out for a line that is not a directive: what the author may have meant.
fn strange(text: &[u8]) -> (String, String) {
    let shown_text = shown(text);
    let comment = "put `#` in front of it if it is a comment, else drop it".to_owned();
    if text.starts_with(b"<") {
        return (
            format!("{shown_text} is HTML, not a directive"),
            "take the markup out of the file".to_owned(),
        );
    }
    if ["//", "/*", "*/", "--", ";"].iter().any(|mark| text.starts_with(mark.as_bytes())) {
        return (format!("{shown_text} is not a comment here"), "start comments with `#`".to_owned());
    }
    if text.starts_with(b"/") && !text.contains(&b' ') {
        let help = format!("write {} if that is meant", shown(&[b"Disallow: ", text].concat()));
        return (format!("{shown_text} is a path without a directive"), help);
    }
    (format!("{shown_text} is neither a directive nor a comment"), comment)
}

/// The directive that a line without a usable colon starts with, and what follows, if that looks like its value.
fn directive_without_colon(text: &[u8]) -> Option<(DirectiveKind, &[u8])> {
    let kind = SPELLED.into_iter().find(|kind| starts_with(text, kind.as_str().as_bytes()))?;
    let rest = text.get(kind.as_str().len()..)?;
    let start = rest.iter().position(|&byte| !is_ascii_space(byte) && !matches!(byte, b'=' | b';'))?;
    let value = rest.get(start..)?;
    let value = value.strip_prefix("\u{ff1a}".as_bytes()).unwrap_or(value).trim_ascii_start();
    let fits = match kind {
        DirectiveKind::Allow | DirectiveKind::Disallow => matches!(value.first(), Some(b'/' | b'*')),
        DirectiveKind::Sitemap => starts_with(value, b"http"),
        DirectiveKind::CrawlDelay | DirectiveKind::RequestRate => {
            value.first().is_some_and(u8::is_ascii_digit)
        }
        DirectiveKind::UserAgent => value.split(|byte| *byte == b' ').count() <= 4,
        _ => true,
    };
    fits.then_some((kind, value))
}

/// A key that no crawler reads.
fn unknown(context: &Context<'_>, findings: &mut Findings, record: &Record) {
    let key = context.key(record);
    let line = record.line;
    if String::from_utf8_lossy(key).chars().any(is_invisible) {
        return;
    }
    let whole = record.key.start..record.value.end;
    if let Some(kind) = meant(key) {
        let name = kind.canonical_name();
        let message =
            format!("{} is not a directive, so the line is not read; is `{name}` meant?", shown(key));
        let help = format!("write `{name}: {}`", String::from_utf8_lossy(context.value(record)));
        let help = if help.len() > 100 { format!("write `{name}`") } else { help };
        findings.add(context.finding(Lint::MisspeltDirective, line, record.key.clone(), message, help));
    } else if record.missing_colon || !is_name(key) {
        let text = context.bytes(whole.clone());
        let (message, help) = if key.eq_ignore_ascii_case(b"http") || key.eq_ignore_ascii_case(b"https") {
            let message = format!("{} is an address without a directive", shown(text));
            (message, "write `Sitemap:` in front of it if it is a sitemap".to_owned())
        } else {
            strange(text)
        };
        findings.add(context.droppable(Lint::NotADirective, line, whole, message, help));
    } else if !super::directives::is_obsolete(key) {
        let message = format!("no known crawler reads {}", shown(key));
        let help = "drop the line, or put `#` in front of it if it is a comment";
        findings.add(context.droppable(Lint::UnknownDirective, line, record.key.clone(), message, help));
    }
}

/// The directive that a key is a slip of.
fn meant(key: &[u8]) -> Option<DirectiveKind> {
    let folded: Vec<u8> = key
        .iter()
        .map(|byte| if matches!(byte, b'_' | b' ') { b'-' } else { byte.to_ascii_lowercase() })
        .collect();
    let near = SPELLED.into_iter().filter_map(|kind| {
        let limit = if kind.as_str().len() < 7 { 1 } else { 2 };
        Some((edit_distance(&folded, kind.as_str().as_bytes(), limit)?, kind))
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, kind)| kind)
}

/// Returns whether a key looks like the name of a directive, known or not.
fn is_name(key: &[u8]) -> bool {
    key.len() <= 40
        && key.first().is_some_and(u8::is_ascii_alphabetic)
        && key.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b' ' | b'.'))
        && key.split(|byte| *byte == b' ').count() <= 3
        && !key.eq_ignore_ascii_case(b"http")
        && !key.eq_ignore_ascii_case(b"https")
}

/// A key that is read, perhaps by some only.
fn known(context: &Context<'_>, findings: &mut Findings, record: &Record) {
    let key = context.key(record);
    let name = record.kind.canonical_name();
    let suffix = key.get(name.len()..).unwrap_or_default();
    if record.missing_colon {
        let message = format!("no colon after `{name}`");
        let help = format!("write {}", shown(&[name.as_bytes(), b": ", context.value(record)].concat()));
        findings.add(context.finding(Lint::MissingColon, record.line, record.key.clone(), message, help));
    } else if record.misspelt {
        let message =
            format!("{} is misspelt; some parsers read it as `{name}`, others skip the line", shown(key));
        let help = format!("write `{name}`");
        let finding =
            context.finding(Lint::MisspeltDirective, record.line, record.key.clone(), message, help);
        findings.add(finding.severity_of(Severity::Warning));
    } else if is_colon_misplaced(context, record) {
        let message = format!(
            "the first colon of the line is not the one after `{name}`, so its value is read as {}",
            shown(context.value(record))
        );
        let help = format!("put a colon right after `{name}`");
        let finding = context.finding(Lint::MissingColon, record.line, record.key.clone(), message, help);
        findings.add(finding.severity_of(Severity::Error));
    } else if suffix.iter().any(|byte| byte.is_ascii_graphic()) {
        let message = format!("{} is read as `{name}` by Google's parser, and skipped by others", shown(key));
        let help = format!("write `{name}` if that is meant, else put `#` in front of it");
        findings.add(context.finding(Lint::DirectiveSuffix, record.line, record.key.clone(), message, help));
    }
}

/// Returns whether the colon that was read stands in the value, and what precedes it is the start of that.
pub(super) fn is_colon_misplaced(context: &Context<'_>, record: &Record) -> bool {
    if record.missing_colon || record.misspelt {
        return false;
    }
    let suffix = context.key(record).get(record.kind.as_str().len()..).unwrap_or_default();
    let is_separated = suffix.first().is_some_and(|&byte| is_ascii_space(byte) || byte == b'=');
    let value = suffix.trim_ascii_start();
    is_separated && (matches!(value.first(), Some(b'/' | b'*' | b'=')) || starts_with(value, b"http"))
}

/// Returns where in a record's value another directive starts.
pub(super) fn second_directive(context: &Context<'_>, record: &Record) -> Option<(usize, DirectiveKind)> {
    const KINDS: [DirectiveKind; 5] = [
        DirectiveKind::Disallow,
        DirectiveKind::Allow,
        DirectiveKind::UserAgent,
        DirectiveKind::Sitemap,
        DirectiveKind::CrawlDelay,
    ];
    if !KINDS.contains(&record.kind) {
        return None;
    }
    let value = context.value(record);
    memchr::memchr_iter(b':', value).find_map(|colon| {
        steps::count(1);
        let before = value.get(..colon)?.trim_ascii_end();
        KINDS.into_iter().find_map(|kind| {
            let start = before.len().checked_sub(kind.as_str().len())?;
            let is_key = before.get(start..)?.eq_ignore_ascii_case(kind.as_str().as_bytes());
            let is_separate = match start.checked_sub(1).and_then(|at| before.get(at)) {
                None => true,
                Some(&byte) if is_ascii_space(byte) => true,
                // `User-agent: *Disallow: /`: no name holds a `*` there.
                Some(byte) => record.kind == DirectiveKind::UserAgent && *byte == b'*',
            };
            (is_key && is_separate).then_some((record.value.start + start, kind))
        })
    })
}

fn several(context: &Context<'_>, findings: &mut Findings, record: &Record) {
    let Some((at, kind)) = second_directive(context, record) else { return };
    let message = format!("`{kind}` starts within the value of `{}`, and is read as part of it", record.kind);
    let span = at..record.value.end;
    findings.add(context.finding(
        Lint::SeveralDirectives,
        record.line,
        span,
        message,
        "put it on a line of its own",
    ));
}

/// Reports the rules before the first user-agent line in one finding, and each other directive there in its own.
fn outside_group(context: &Context<'_>, findings: &mut Findings) {
    let outside = || context.records.iter().filter(|record| record.group.is_none());
    let mut rules = outside().filter(|record| record.kind.is_rule());
    let help = "put `User-agent: *`, or the name of the crawler it is for, above it";
    if let Some(first) = rules.next() {
        let message = match rules.count() {
            0 => "a rule stands before any user-agent line, so it speaks to nobody".to_owned(),
            more => format!("{} rules stand before any user-agent line, so they speak to nobody", more + 1),
        };
        findings.add(context.finding(Lint::RuleOutsideGroup, first.line, whole(first), message, help));
    }
    for record in outside() {
        let is_grouped = matches!(
            record.kind,
            DirectiveKind::CrawlDelay
                | DirectiveKind::RequestRate
                | DirectiveKind::ContentUsage
                | DirectiveKind::Noindex
        );
        if is_grouped {
            let message =
                format!("`{}` stands before any user-agent line, so it speaks to nobody", record.kind);
            let finding = context.finding(Lint::RuleOutsideGroup, record.line, whole(record), message, help);
            findings.add(finding.severity_of(Severity::Warning));
        }
    }
}

fn whole(record: &Record) -> Range<usize> {
    record.key.start..record.value.end
}

/// Follows the file as parsers do for which a blank line ends a group.
fn blank_lines(context: &Context<'_>, findings: &mut Findings) {
    let mut agent: Option<&Record> = None;
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
        let is_agent = record.kind == DirectiveKind::UserAgent;
        let is_rule = record.kind.is_rule() || record.kind == DirectiveKind::CrawlDelay;
        if !is_agent && !is_rule {
            continue;
        }
        match (blank, agent) {
            (Some(_), Some(agent)) if !in_rules => split_from_rules(context, findings, record, agent),
            (Some(_), Some(_)) if is_rule && !told => {
                told = true;
                let message = "parsers for which a blank line ends a group skip the rules below it";
                let finding = context.finding(
                    Lint::BlankLineInGroup,
                    record.line,
                    whole(record),
                    message,
                    "take the blank line out",
                );
                findings.add(finding.severity_of(Severity::Note));
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

fn split_from_rules(context: &Context<'_>, findings: &mut Findings, record: &Record, agent: &Record) {
    let message = format!(
        "a blank line stands above; for parsers that end a group there, {} has no rules",
        shown(context.value(agent))
    );
    let finding = context.finding(
        Lint::BlankLineInGroup,
        record.line,
        whole(record),
        message,
        "take the blank line out",
    );
    findings.add(finding.with_related(context.related(agent, "the group starts here")));
}

/// User-agent lines that join a group which its author thought complete.
fn joined_groups(context: &Context<'_>, findings: &mut Findings) {
    let mut agent: Option<&Record> = None;
    // What stands in the group since its last user-agent line; a `Content-Usage` before anything else.
    let mut content: Option<&Record> = None;
    for record in &context.records {
        match record.kind {
            DirectiveKind::UserAgent => {
                if let (Some(agent), Some(content)) = (agent, content) {
                    findings.add(joined(context, record, agent, content));
                }
                agent = Some(record);
                content = None;
            }
            kind if kind.is_rule() => (agent, content) = (None, None),
            DirectiveKind::CrawlDelay
            | DirectiveKind::RequestRate
            | DirectiveKind::VisitTime
            | DirectiveKind::Noindex
            | DirectiveKind::ContentSignal
            | DirectiveKind::ContentUsage
                if agent.is_some() =>
            {
                let is_usage = |record: &&Record| record.kind == DirectiveKind::ContentUsage;
                content = content.filter(is_usage).or(Some(record));
            }
            _ => {}
        }
    }
}

fn joined(context: &Context<'_>, record: &Record, agent: &Record, content: &Record) -> Finding {
    let name = shown(context.value(record));
    let help =
        "end the group above with a rule, such as an empty `Disallow:`, if the two are not to share rules";
    let (lint, message) = if content.kind == DirectiveKind::ContentUsage {
        let message = format!(
            "{name} joins the group above by RFC 9309; by the draft for `Content-Usage`, that line ends the group"
        );
        (Lint::ContentUsageAmongAgents, message)
    } else {
        let kind = content.kind.canonical_name();
        (Lint::JoinedGroups, format!("{name} joins the group above, since `{kind}` does not end it"))
    };
    let finding = context.finding(lint, record.line, whole(record), message, help);
    finding.with_related(context.related(agent, "the group it joins"))
}

fn starts_with(text: &[u8], prefix: &[u8]) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}
