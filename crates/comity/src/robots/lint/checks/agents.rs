//! Names in user-agent lines: whether they are names, and whose.

use std::collections::HashMap;

use crate::agents;
use crate::robots::agents::agent::{Agent, is_token_byte};
use crate::robots::lint::catalogue::Lint;
use crate::robots::lint::checks::lines::second_directive;
use crate::robots::lint::context::{Context, Findings, Group, Record, agent_name, is_star, shown};
use crate::robots::lint::finding::Finding;
use crate::robots::read::directive::DirectiveKind;
use crate::severity::Severity;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut seen = HashMap::new();
    for record in context.records_of(DirectiveKind::UserAgent) {
        if second_directive(context, record).is_some() {
            continue;
        }
        if let Some(finding) = form(context, record) {
            findings.add(finding);
        }
        let value = context.value(record);
        if value.is_empty() || is_header(value) || list(value).is_some() {
            continue;
        }
        let name = agent_name(value);
        // A wildcard or a list has been reported already.
        if !seen.contains_key(&name)
            && !name.contains(&b'*')
            && !separator(context, findings, record, &name)
            && !not_a_token(context, findings, record, &name)
        {
            misspelt(context, findings, record, &name);
        }
        repeated(context, findings, record, name, &mut seen);
    }
    for group in &context.groups {
        empty_group(context, findings, group);
    }
}

/// Returns what is wrong with the form of a value; the gravest alone.
fn form(context: &Context<'_>, record: &Record) -> Option<Finding> {
    let value = context.value(record);
    let finding = |lint, message: String, help: String| {
        Some(context.finding(lint, record.line, record.value.clone(), message, help))
    };
    if value.is_empty() {
        return nobody(context, record);
    }
    if value == b"*" {
        return None;
    }
    if is_header(value) {
        let message = format!("{} is a User-Agent header, not a product token", shown(value));
        return finding(Lint::AgentIsHeader, message, header_help(value));
    }
    if let Some(names) = list(value) {
        let message = format!("{} is a list; a line holds one name", shown(value));
        return finding(
            Lint::AgentList,
            message,
            format!("write {names} user-agent lines, one for each name"),
        );
    }
    if let Some(star) = value.iter().position(|byte| *byte == b'*') {
        return wildcard(context, record, star);
    }
    let slash = value.iter().position(|byte| *byte == b'/');
    let name = value.get(..slash.unwrap_or(value.len())).unwrap_or_default();
    let token = name.iter().position(|byte| !is_token_byte(*byte));
    if let Some(end) = token {
        let read = match name.get(..end) {
            None | Some([]) => "no name at all".to_owned(),
            Some(start) => shown(start),
        };
        let message = format!(
            "{} has characters beyond letters, `-` and `_`; Google's parser reads {read}",
            shown(name)
        );
        let help =
            "leave it if the crawler goes by that name; RFC 9309 allows only letters, `-` and `_`".to_owned();
        return finding(Lint::AgentAlphabet, message, help);
    }
    slash?;
    let message = format!("{} has a version; the group speaks to every version", shown(value));
    finding(Lint::AgentVersion, message, format!("write {}", shown(&[b"User-agent: ", name].concat())))
}

fn nobody(context: &Context<'_>, record: &Record) -> Option<Finding> {
    let group = record.group.and_then(|group| context.groups.get(group))?;
    let (severity, message) = if group.names_somebody {
        (Severity::Warning, "the user-agent line names nobody")
    } else {
        (Severity::Error, "the user-agent line names nobody, so the rules below speak to nobody")
    };
    let help = "write `User-agent: *` for everybody, or a crawler's name";
    let span = record.key.start..record.value.end.max(record.key.end);
    Some(context.finding(Lint::AgentEmpty, record.line, span, message, help).severity_of(severity))
}

fn wildcard(context: &Context<'_>, record: &Record, star: usize) -> Option<Finding> {
    let value = context.value(record);
    let span = record.value.start + star..record.value.start + star + 1;
    let stem = value.get(..star).unwrap_or_default();
    let (severity, message, help) = if is_star(value) {
        let message = format!("{} is read as `*`: the group speaks to everyone", shown(value));
        (Severity::Note, message, "write `*` alone, or the name alone".to_owned())
    } else if value.iter().skip(star).all(|byte| *byte == b'*') {
        let message = format!("the `*` at the end of {} is ignored", shown(value));
        (Severity::Note, message, format!("write {}", shown(stem)))
    } else {
        let message = format!("`*` is not a wildcard in a name, so {} speaks to nobody", shown(value));
        (Severity::Warning, message, "write `*` alone for everybody, or a line for each crawler".to_owned())
    };
    Some(context.finding(Lint::AgentWildcard, record.line, span, message, help).severity_of(severity))
}

/// Returns whether a value is what a client sends over HTTP.
fn is_header(value: &[u8]) -> bool {
    let starts_as_mozilla = value.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"mozilla/"));
    let has_comment = value.contains(&b'(') && value.contains(&b')') && value.contains(&b'/');
    starts_as_mozilla || has_comment
}

/// The way out for a header: the known crawler that it is of.
fn header_help(value: &[u8]) -> String {
    let agent = Agent::header(String::from_utf8_lossy(value));
    let known = agent.steps().flat_map(|step| step.candidates()).find_map(agents::known);
    match known {
        Some(known) => format!("write `User-agent: {}`", known.token()),
        None => "write the crawler's product token alone".to_owned(),
    }
}

/// Returns how many names a value lists, if it is a list.
fn list(value: &[u8]) -> Option<usize> {
    let is_name = |part: &[u8]| {
        let part = part.trim_ascii();
        let words = part.split(|byte| *byte == b' ').count();
        let is_name_byte =
            |byte: &u8| is_token_byte(*byte) || byte.is_ascii_digit() || matches!(byte, b'.' | b'/' | b' ');
        part == b"*"
            || (words <= 3
                && part.first().is_some_and(u8::is_ascii_alphanumeric)
                && part.iter().all(is_name_byte))
    };
    for separator in [b',', b';', b'|'] {
        if value.contains(&separator) {
            let parts =
                || value.split(|byte| *byte == separator).filter(|part| !part.trim_ascii().is_empty());
            return (parts().count() > 1 && parts().all(is_name)).then(|| parts().count());
        }
    }
    let text = std::str::from_utf8(value).ok()?;
    let words = text.split_ascii_whitespace().count();
    let are_known = text.split_ascii_whitespace().all(|word| agents::known(word).is_some());
    (words > 1 && are_known && agents::known(text).is_none()).then_some(words)
}

/// A `,` or `;` at the end of a name.
fn separator(context: &Context<'_>, findings: &mut Findings, record: &Record, name: &[u8]) -> bool {
    let Some((&last @ (b',' | b';'), rest)) = name.split_last() else { return false };
    let last = char::from(last);
    let message = format!("the `{last}` at the end is part of the name, which nobody has");
    let help = format!(
        "write {}",
        shown(&[b"User-agent: ", context.value(record).get(..rest.len()).unwrap_or(rest)].concat())
    );
    let span = record.value.start + rest.len()..record.value.start + name.len();
    findings.add(context.finding(Lint::TrailingSeparator, record.line, span, message, help));
    true
}

/// Words for everybody.
const EVERYBODY: [&str; 10] = [
    "all",
    "any",
    "anybody",
    "anyone",
    "every",
    "everybody",
    "everyone",
    "all bots",
    "all robots",
    "all crawlers",
];

/// Reports a name that is not the token of any crawler: the name of a company, of a product, or a word for everybody.
fn not_a_token(context: &Context<'_>, findings: &mut Findings, record: &Record, name: &[u8]) -> bool {
    let Ok(name) = std::str::from_utf8(name) else { return false };
    let value = shown(context.value(record));
    let (message, help) = if EVERYBODY.contains(&name) {
        (
            format!("no crawler is called {value}; `*` stands for everybody"),
            "write `User-agent: *`".to_owned(),
        )
    } else {
        let crawlers = agents::crawlers_of(name);
        let tokens: Vec<String> = crawlers.iter().map(|agent| format!("`{}`", agent.token())).collect();
        let Some(first) = tokens.first() else { return false };
        let message =
            format!("no crawler is called {value}, so the group does not speak to {}", tokens.join(" or "));
        (message, format!("write a user-agent line for each crawler that is meant, such as {first}"))
    };
    findings.add(context.finding(Lint::AgentNotAToken, record.line, record.value.clone(), message, help));
    true
}

fn misspelt(context: &Context<'_>, findings: &mut Findings, record: &Record, name: &[u8]) {
    let Ok(name) = std::str::from_utf8(name) else { return };
    let Some(near) = agents::closest(name) else { return };
    let message = format!(
        "no known crawler is called {}; {} has one called `{}`",
        shown(context.value(record)),
        near.operator(),
        near.token()
    );
    let help = format!("write `User-agent: {}` if that one is meant", near.token());
    findings.add(context.finding(Lint::MisspeltAgent, record.line, record.value.clone(), message, help));
}

/// A name that an earlier line has too. `seen` holds, by name, the line that had it first and the one that had it last.
fn repeated<'c>(
    context: &'c Context<'_>,
    findings: &mut Findings,
    record: &'c Record,
    name: Vec<u8>,
    seen: &mut HashMap<Vec<u8>, (&'c Record, &'c Record)>,
) {
    let Some((first, last)) = seen.get_mut(&name) else {
        seen.insert(name, (record, record));
        return;
    };
    let before = std::mem::replace(last, record);
    if before.group == record.group {
        findings.add(named_twice(context, record, before));
        return;
    }
    let message =
        format!("{} has a group already; crawlers merge the two, older parsers take the first", shown(&name));
    // Two versions of a crawler are one name here, and perhaps not for their author.
    let is_same_value = context.value(first).eq_ignore_ascii_case(context.value(record));
    let severity = if is_same_value { Severity::Warning } else { Severity::Note };
    let help = "put all rules for it into one group";
    let finding = context.finding(Lint::RepeatedAgent, record.line, record.value.clone(), message, help);
    findings.add(finding.severity_of(severity).with_related(context.related(first, "named first here")));
}

/// A name that its group has already. The line can go if it has nothing else, and no line between the two speaks to the
/// names above it.
fn named_twice(context: &Context<'_>, record: &Record, before: &Record) -> Finding {
    let value = context.value(record);
    let message = format!("{} is named twice in this group", shown(value));
    let (lint, line, span) = (Lint::RepeatedAgent, record.line, record.value.clone());
    let others = record.group.and_then(|group| context.groups.get(group)).map(|group| &group.others[..]);
    let is_before = |&other: &usize| context.records.get(other).is_some_and(|other| other.line < before.line);
    let next = others.and_then(|others| others.get(others.partition_point(is_before)));
    let is_apart =
        next.and_then(|&next| context.records.get(next)).is_some_and(|next| next.line < record.line);
    let finding = if !is_apart && value.eq_ignore_ascii_case(context.value(before)) {
        context.droppable(lint, line, span, message, "drop it")
    } else {
        let line_to_keep = shown(&[b"User-agent: ", &agent_name(value)[..]].concat());
        context.finding(lint, line, span, message, format!("keep one line, {line_to_keep}"))
    };
    finding.severity_of(Severity::Note).with_related(context.related(before, "named here, too"))
}

fn empty_group(context: &Context<'_>, findings: &mut Findings, group: &Group) {
    let is_several = |agent: &Record| second_directive(context, agent).is_some();
    if context.records_at(&group.agents).any(|(_, agent)| is_several(agent)) {
        return;
    }
    if !group.names_somebody || !group.rules.is_empty() || !group.others.is_empty() {
        return;
    }
    let Some((_, last)) = context.records_at(&group.agents).last() else { return };
    let message = format!("the group for {} has no rules, so everything is allowed", context.names(group));
    let help = "write an empty `Disallow:` below it if that is meant, else its rules";
    findings.add(context.finding(Lint::EmptyGroup, last.line, last.key.start..last.value.end, message, help));
}
