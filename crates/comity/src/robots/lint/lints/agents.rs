//! Lints for the names in user-agent lines.

use crate::agents;
use crate::agents::Status;
use crate::finding::{Decisions, Findings, Fix, Severity, quoted};
use crate::robots::agents::agent::{Agent, is_token_byte};
use crate::robots::lint::context::{Context, LocatedRecord, is_star};
use crate::robots::lint::name::{Form, Name, Owner};

crate::robots::lint::table! {
    MISSPELT_AGENT "misspelt-agent" Warning, Agent(misspelt_agent);
    "No known crawler has this name, but a known crawler has a similar name.",
    "A name must equal the crawler's own, except for case. A group for a name that no crawler has applies to no crawler.",
    "write the crawler's name as its operator writes it",
    bad(b"User-agent: Gogglebot\nDisallow: /search\n"),
    good(b"User-agent: Googlebot\nDisallow: /search\n");

    RETIRED_AGENT "retired-agent" Note, Agent(retired_agent);
    "The crawler that a group names is retired.",
    "A group for a retired crawler has no effect. It does not apply to the operator's current crawlers, which have other \
    names.",
    "name the crawlers that the operator sends today",
    bad(b"User-agent: anthropic-ai\nDisallow: /\n"),
    good(b"User-agent: ClaudeBot\nDisallow: /\n");

    AGENT_NOT_A_TOKEN "agent-not-a-token" Warning, Agent(agent_not_a_token);
    "A name is that of a company or a product, or a word for all crawlers, so no crawler has it.",
    "A group applies to the crawlers whose product token it names (RFC 9309 \u{a7}2.2.1). `Google` is not `Googlebot`, no \
    crawler is named `ChatGPT` or `Semrush`, and `all` is not `*`: a group for such a name applies to no crawler.",
    "write a user-agent line for each crawler",
    bad(b"User-agent: Semrush\nDisallow: /search\n"),
    good(b"User-agent: SemrushBot\nDisallow: /search\n");

    AGENT_IS_HEADER "agent-is-header" Warning, Agent(agent_is_header);
    "A user-agent line has a whole `User-Agent` header in place of a product token.",
    "A group names a crawler by its product token (RFC 9309 \u{a7}2.2.1), such as `Googlebot`, not by its HTTP header. \
    `Mozilla/5.0 (...)` is read as the name `Mozilla`, which no crawler has.",
    "write only the crawler's product token",
    bad(b"User-agent: Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)\nDisallow: /search\n"),
    good(b"User-agent: bingbot\nDisallow: /search\n");

    AGENT_LIST "agent-list" Error, Agent(agent_list);
    "A user-agent line names several crawlers.",
    "A line has one name. Google reads only the first name of a list. Comity does so only if white space follows \
    that name directly. Other parsers read the list as one name.",
    "write a user-agent line for each name",
    bad(b"User-agent: Googlebot, bingbot\nDisallow: /search\n"),
    good(b"User-agent: Googlebot\nUser-agent: bingbot\nDisallow: /search\n");

    AGENT_VERSION "agent-version" Note, Agent(agent_version);
    "A name has a version.",
    "A product token has no version (RFC 9309 \u{a7}2.2.1). Google and Comity ignore it, so the group applies to every version. \
    For parsers that compare the whole value, no crawler has that name.",
    "write the name without the version",
    bad(b"User-agent: ia_archiver/1.6\nDisallow: /search\n"),
    good(b"User-agent: ia_archiver\nDisallow: /search\n");

    AGENT_ALPHABET "agent-alphabet" Note, Agent(agent_alphabet);
    "A name has characters other than letters, `-` and `_`.",
    "RFC 9309 \u{a7}2.2.1 allows only these characters, but names of some crawlers have others (`MJ12bot`, `AI2Bot`, `bigsur.ai`), so \
    the name may be correct. Google's parser cuts the name at the first other character, and reads `MJ12bot` as `MJ`.",
    "keep the name if the crawler has it; otherwise write the crawler's product token",
    bad(b"User-agent: MJ12bot\nDisallow: /search\n"),
    good(b"User-agent: dotbot\nDisallow: /search\n");

    AGENT_WILDCARD "agent-wildcard" Warning, Agent(agent_wildcard);
    "A name contains a `*`.",
    "Only a single `*` means all crawlers; in a name it is not a wildcard (RFC 9309 \u{a7}2.2.1). Google and Comity \
    ignore a `*` at the end, and read `* x` as `*`; both are reported as notes. With any other `*`, no crawler has \
    the name, but Google reads the part before the `*`.",
    "write a single `*` for all crawlers, or a line for each crawler",
    bad(b"User-agent: *bot*\nDisallow: /search\n"),
    good(b"User-agent: *\nDisallow: /search\n");

    AGENT_EMPTY "agent-empty" Error, Agent(agent_empty);
    "A user-agent line has no name.",
    "The following rules apply to no crawler, unless another line of the group has a name.",
    "write `User-agent: *` for all crawlers, or a crawler's name",
    bad(b"User-agent:\nDisallow: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");
}

fn misspelt_agent(name: &Name<'_, '_>, findings: &mut Findings) {
    if !matches!(name.owner, Owner::Unknown) {
        return;
    }
    let Some(near) = std::str::from_utf8(&name.name).ok().and_then(agents::closest) else { return };
    let (context, record) = (name.context, name.record);
    let message = format!(
        "no known crawler is named {}; {} has one named `{}`",
        quoted(name.value),
        near.operator(),
        near.token()
    );
    let help = format!("write `User-agent: {}` if you mean that crawler", near.token());
    let fix = Fix::new(Decisions::Changed).replace(record.value.clone(), near.token());
    let finding = context.finding(&MISSPELT_AGENT, record.line, record.value.clone(), message, help);
    findings.push(finding.with_fix(fix));
}

fn retired_agent(name: &Name<'_, '_>, findings: &mut Findings) {
    if name.before.is_some() {
        return;
    }
    let known = std::str::from_utf8(&name.name).ok().and_then(agents::known);
    let Some(known) = known.filter(|known| known.status() == Status::Retired) else { return };
    let active: Vec<String> = agents::all()
        .iter()
        .filter(|other| other.operator() == known.operator() && other.status() == Status::Active)
        .map(|other| format!("`{}`", other.token()))
        .take(4)
        .collect();
    let help = match (known.operator(), active.as_slice()) {
        ("unknown", _) | (_, []) => RETIRED_AGENT.kind.help.to_owned(),
        (operator, active) => {
            format!("name the crawlers that {operator} sends today, such as {}", active.join(", "))
        }
    };
    let (context, record) = (name.context, name.record);
    let message = format!("{} is retired", quoted(name.value));
    findings.push(context.finding(&RETIRED_AGENT, record.line, record.value.clone(), message, help));
}

fn agent_not_a_token(name: &Name<'_, '_>, findings: &mut Findings) {
    let (context, record, value) = (name.context, name.record, quoted(name.value));
    let (message, help, fix) = match &name.owner {
        Owner::Everybody => (
            format!("no crawler is named {value}; `*` means all crawlers"),
            "write `User-agent: *`".to_owned(),
            Some(Fix::new(Decisions::Changed).replace(record.value.clone(), "*")),
        ),
        Owner::Operator(crawlers) if crawlers.is_empty() => (
            format!("no crawler is named {value}, and the operator of the product names no crawler"),
            "delete the group, or wait until the operator names a crawler".to_owned(),
            None,
        ),
        Owner::Operator(crawlers) => {
            let tokens: Vec<String> = crawlers.iter().map(|agent| format!("`{}`", agent.token())).collect();
            let first = tokens.first().map_or("", String::as_str);
            let tokens = tokens.join(" or ");
            let message = format!("no crawler is named {value}, so the group does not apply to {tokens}");
            let help = format!("write a user-agent line for each crawler, such as {first}");
            (message, help, None)
        }
        _ => return,
    };
    let finding = context.finding(&AGENT_NOT_A_TOKEN, record.line, record.value.clone(), message, help);
    findings.push(finding.with_fix(fix));
}

fn agent_is_header(name: &Name<'_, '_>, findings: &mut Findings) {
    if name.form != Form::Header {
        return;
    }
    let (context, record) = (name.context, name.record);
    let message = format!("{} is a User-Agent header, not a product token", quoted(name.value));
    let known = known(name.value);
    let help = match known {
        Some(known) => format!("write `User-agent: {}`", known.token()),
        None => AGENT_IS_HEADER.kind.help.to_owned(),
    };
    let fix = known.map(|known| Fix::new(Decisions::Changed).replace(record.value.clone(), known.token()));
    findings.push(
        context.finding(&AGENT_IS_HEADER, record.line, record.value.clone(), message, help).with_fix(fix),
    );
}

/// Returns the known crawler that sends a header.
fn known(value: &[u8]) -> Option<&'static agents::KnownAgent> {
    let agent = Agent::header(String::from_utf8_lossy(value));
    agent.steps().flat_map(|step| step.candidates()).find_map(agents::known)
}

fn agent_list(name: &Name<'_, '_>, findings: &mut Findings) {
    let Form::List(names) = name.form else { return };
    let (context, record) = (name.context, name.record);
    let message = format!("{} is a list; a line has one name", quoted(name.value));
    let help = format!("write {names} user-agent lines, one for each name");
    let finding = context.finding(&AGENT_LIST, record.line, record.value.clone(), message, help);
    findings.push(finding.with_fix(one_a_line(context, record)));
}

/// Returns a fix that writes each name on a separate line. Each separator becomes a line end and a key.
fn one_a_line(context: &Context<'_>, record: &LocatedRecord) -> Fix {
    let value = context.value(record);
    let separator = [b',', b';', b'|'].into_iter().find(|separator| value.contains(separator));
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || Some(*byte) == separator;
    // If the separator is not white space, words separated by spaces belong to one name.
    let is_gap = |gap: &[u8]| separator.is_none_or(|separator| gap.contains(&separator));
    let between = format!("{}User-agent: ", context.line_end(record.line));
    let mut fix = Fix::new(Decisions::Changed);
    let mut at = 0;
    while let Some(rest) = value.get(at..).filter(|rest| !rest.is_empty()) {
        let length = rest.iter().take_while(|byte| is_between(byte)).count();
        let gap = rest.get(..length).unwrap_or_default();
        if length > 0 && is_gap(gap) {
            let start = record.value.start + at;
            let is_inside = at > 0 && length < rest.len();
            fix = fix.replace(start..start + length, if is_inside { between.as_str() } else { "" });
        }
        at += length + rest.iter().skip(length).take_while(|byte| !is_between(byte)).count();
    }
    fix
}

fn agent_version(name: &Name<'_, '_>, findings: &mut Findings) {
    let Form::Versioned(slash) = name.form else { return };
    let (context, record) = (name.context, name.record);
    let start = name.value.get(..slash).unwrap_or_default();
    let message = format!("{} has a version; the group applies to every version", quoted(name.value));
    let help = format!("write {}", quoted([b"User-agent: ", start].concat()));
    let fix = Fix::new(Decisions::Settled).delete(record.value.start + slash..record.value.end);
    findings.push(
        context.finding(&AGENT_VERSION, record.line, record.value.clone(), message, help).with_fix(fix),
    );
}

fn agent_alphabet(name: &Name<'_, '_>, findings: &mut Findings) {
    let Form::Alphabet { name: end, read } = name.form else { return };
    let (context, record) = (name.context, name.record);
    let read = match name.value.get(..read) {
        None | Some([]) => "no name at all".to_owned(),
        Some(start) => quoted(start),
    };
    let message = format!(
        "{} has characters other than letters, `-` and `_`; Google's parser reads {read}",
        quoted(name.value.get(..end).unwrap_or_default())
    );
    findings.push(context.finding(
        &AGENT_ALPHABET,
        record.line,
        record.value.clone(),
        message,
        AGENT_ALPHABET.kind.help,
    ));
}

fn agent_wildcard(name: &Name<'_, '_>, findings: &mut Findings) {
    let Form::Wildcard(star) = name.form else { return };
    let (context, record, value) = (name.context, name.record, name.value);
    let span = record.value.start + star..record.value.start + star + 1;
    let stem = value.get(..star).unwrap_or_default();
    let mut fix = None;
    let (severity, message, help) = if is_star(value) {
        let message = format!("{} is read as `*`: the group applies to all crawlers", quoted(value));
        (Severity::Note, message, "write only `*`, or only the name".to_owned())
    } else if value.iter().skip(star).all(|byte| *byte == b'*') {
        let message = format!("the `*` at the end of {} is ignored", quoted(value));
        let is_name =
            !stem.is_empty() && stem.iter().all(|byte| is_token_byte(*byte) || byte.is_ascii_digit());
        fix = is_name.then(|| Fix::new(Decisions::Settled).delete(span.start..record.value.end));
        (Severity::Note, message, format!("write {}", quoted(stem)))
    } else {
        let read = value.iter().position(|&byte| !is_token_byte(byte)).unwrap_or(value.len());
        let named = match value.get(..read) {
            None | Some([]) => "applies to no crawler".to_owned(),
            Some(start) => format!("names no crawler; only Google's parser reads {}", quoted(start)),
        };
        let message = format!("`*` is not a wildcard in a name, so {} {named}", quoted(value));
        (Severity::Warning, message, AGENT_WILDCARD.kind.help.to_owned())
    };
    findings.push(
        context
            .finding(&AGENT_WILDCARD, record.line, span, message, help)
            .with_severity(severity)
            .with_fix(fix),
    );
}

fn agent_empty(name: &Name<'_, '_>, findings: &mut Findings) {
    let (context, record) = (name.context, name.record);
    let group = record.group.and_then(|group| context.groups.get(group));
    let Some(group) = group.filter(|_| name.form == Form::Empty) else { return };
    let (severity, message) = if group.has_name {
        (Severity::Warning, "the user-agent line has no name")
    } else {
        (Severity::Error, "the user-agent line has no name, so the rules below apply to no crawler")
    };
    let finding = context.finding(&AGENT_EMPTY, record.line, record.whole(), message, AGENT_EMPTY.kind.help);
    findings.push(finding.with_severity(severity));
}
