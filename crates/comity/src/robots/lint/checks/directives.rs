//! Checks all lines that are neither a name nor a rule: sitemaps, delays, licences, obsolete directives.

use std::collections::HashMap;

use crate::agents::{self, Compliance};
use crate::robots::lint::catalogue::Lint;
use crate::robots::lint::checks::lines::{is_colon_misplaced, second_directive};
use crate::robots::lint::checks::rules::cut_by_hash;
use crate::robots::lint::context::{Context, Findings, Group, Record, agent_name, shown};
use crate::robots::read::directive::DirectiveKind;
use crate::robots::read::pacing::{RequestRate, VisitTime, seconds};
use crate::robots::read::syntax::is_ascii_space;
use crate::severity::Severity;

/// The longest address that the sitemap protocol allows, and one character.
const SITEMAP_CHARACTERS: usize = 2_048;
/// Above this many seconds crawler-commons gives up on a site.
const LONG_DELAY: u64 = 300;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut sitemaps = HashMap::new();
    for record in &context.records {
        match record.kind {
            DirectiveKind::Sitemap => {
                sitemap(context, findings, record);
                let first = *sitemaps.entry(context.value(record)).or_insert(record);
                if first.line != record.line {
                    let message = format!(
                        "{} is listed on line {} already",
                        shown(context.value(record)),
                        first.line + 1
                    );
                    let finding = context.droppable(
                        Lint::DuplicateSitemap,
                        record.line,
                        whole(record),
                        message,
                        "drop it",
                    );
                    findings.add(finding.with_related(context.related(first, "listed first here")));
                }
            }
            DirectiveKind::CrawlDelay => crawl_delay(context, findings, record),
            DirectiveKind::RequestRate | DirectiveKind::VisitTime => timing(context, findings, record),
            DirectiveKind::License => license(context, findings, record),
            _ => {}
        }
        read_by_few(context, findings, record);
    }
    for group in &context.groups {
        delays(context, findings, group);
    }
}

fn whole(record: &Record) -> std::ops::Range<usize> {
    record.key.start..record.value.end.max(record.key.end)
}

fn sitemap(context: &Context<'_>, findings: &mut Findings, record: &Record) {
    if second_directive(context, record).is_some() || is_colon_misplaced(context, record) {
        return;
    }
    let value = context.value(record);
    let mut add = |lint, message: String, help: &str| {
        findings.add(context.finding(lint, record.line, whole(record), message, help));
    };
    if let Some((message, help)) = malformed_address(value) {
        add(Lint::MalformedSitemap, message, help);
    } else if !has_scheme(value) {
        let message = format!("{} is not an absolute address", shown(value));
        add(Lint::RelativeSitemap, message, "write the whole URL: scheme, host and path");
    }
    if value.len() >= SITEMAP_CHARACTERS {
        let message = format!("the address has {} characters", value.len());
        add(Lint::SitemapTooLong, message, "shorten it to less than 2,048");
    }
    if cut_by_hash(context, record).is_some() {
        let message = format!("the address ends before the `#`: it is {}", shown(value));
        add(Lint::SitemapFragment, message, "drop the fragment, or write `%23` if the character is meant");
    }
}

/// Returns the fault of an address, other than being relative.
fn malformed_address(value: &[u8]) -> Option<(String, &'static str)> {
    let shown_value = shown(value);
    if value.is_empty() {
        return Some(("the sitemap has no address".to_owned(), "write the address"));
    }
    if value.iter().any(|byte| matches!(byte, b'"' | b'<' | b'>')) {
        return Some((
            format!("{shown_value} is not an address"),
            "write the URL alone, without quotes or brackets",
        ));
    }
    if value.iter().any(|byte| is_ascii_space(*byte)) {
        return Some((
            format!("{shown_value} has white space in it"),
            "write a line for each address, and `%20` for a space",
        ));
    }
    let host = [&b"http://"[..], b"https://"].into_iter().find_map(|scheme| {
        let start = value.get(..scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then(|| value.get(scheme.len()..))?
    });
    match host {
        Some(host) if host.first().is_some_and(|byte| !matches!(byte, b'/' | b'?' | b'#')) => None,
        Some(_) => Some((format!("{shown_value} has no host"), "write scheme, host and path")),
        None if has_scheme(value) || starts_like_http(value) => Some((
            format!("{shown_value} is not an http or https URL"),
            "write `https://`, the host and the path",
        )),
        None => None,
    }
}

/// `name:` at the start, with something of a URL behind it.
fn has_scheme(value: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', value) else { return false };
    let name = value.get(..colon).unwrap_or_default();
    name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-'))
        && value.get(colon + 1) == Some(&b'/')
}

/// `http` without its colon: `http//example.com`.
fn starts_like_http(value: &[u8]) -> bool {
    [&b"http//"[..], b"https//", b"http/", b"https/", b"http:", b"https:"]
        .into_iter()
        .any(|start| value.get(..start.len()).is_some_and(|s| s.eq_ignore_ascii_case(start)))
}

/// A number of seconds, a sensible one, for somebody who reads it.
fn crawl_delay(context: &Context<'_>, findings: &mut Findings, record: &Record) {
    if second_directive(context, record).is_some() {
        return;
    }
    let value = context.value(record);
    let Some(delay) = std::str::from_utf8(value).ok().and_then(seconds) else {
        if VisitTime::parse(value).is_some() {
            let message = format!("{} is a time of day, not a number of seconds", shown(value));
            let help = format!("write {} if that is meant", shown(&[b"Visit-time: ", value].concat()));
            findings.add(context.finding(
                Lint::CrawlDelayNotANumber,
                record.line,
                whole(record),
                message,
                help,
            ));
            return;
        }
        let message = format!("{} is not a number of seconds", shown(value));
        let digits: String =
            value.iter().take_while(|byte| byte.is_ascii_digit()).map(|byte| char::from(*byte)).collect();
        let help = match digits.as_str() {
            "" => "write a number of seconds, such as `Crawl-delay: 5`".to_owned(),
            digits => format!("write `Crawl-delay: {digits}` if that many seconds are meant"),
        };
        findings.add(context.finding(Lint::CrawlDelayNotANumber, record.line, whole(record), message, help));
        return;
    };
    let delay = delay.as_secs();
    if delay > LONG_DELAY {
        let pages = 86_400 / delay;
        let message = match pages {
            0 => format!("a delay of {delay} seconds is more than a day"),
            1 => format!("a delay of {delay} seconds leaves one page a day"),
            _ => format!("a delay of {delay} seconds leaves {pages} pages a day"),
        };
        let help =
            "write the number of seconds between two requests; above 300 some crawlers stay away altogether";
        findings.add(context.finding(Lint::LongCrawlDelay, record.line, whole(record), message, help));
    }
}

/// Delays of a group, each for the agents listed right above it.
fn delays(context: &Context<'_>, findings: &mut Findings, group: &Group) {
    let mut agents = group.agents.iter().copied().peekable();
    let mut asked: Vec<&Record> = Vec::new();
    let mut first: Option<&Record> = None;
    for (index, delay) in
        context.records_at(&group.others).filter(|(_, r)| r.kind == DirectiveKind::CrawlDelay)
    {
        if agents.peek().is_some_and(|agent| *agent < index) {
            asked.clear();
            first = None;
        }
        while let Some(agent) = agents.next_if(|agent| *agent < index) {
            asked.extend(context.records.get(agent));
        }
        match first {
            None => {
                first = Some(delay);
                unread_delay(context, findings, delay, &asked);
            }
            Some(first) if context.value(first) != context.value(delay) => {
                second_delay(context, findings, delay, first);
            }
            Some(_) => {}
        }
    }
}

fn second_delay(context: &Context<'_>, findings: &mut Findings, delay: &Record, first: &Record) {
    let message = format!(
        "the group has a crawl delay of {} already; which one counts depends on the crawler",
        shown(context.value(first))
    );
    let finding =
        context.finding(Lint::RepeatedCrawlDelay, delay.line, whole(delay), message, "keep one of them");
    findings.add(finding.with_related(context.related(first, "the other delay")));
}

/// A delay for crawlers that all do not read it.
fn unread_delay(context: &Context<'_>, findings: &mut Findings, delay: &Record, asked: &[&Record]) {
    let known = |record: &Record| {
        let name = agent_name(context.value(record));
        agents::known(std::str::from_utf8(&name).ok()?)
    };
    let ignores = |record: &&Record| known(record).filter(|agent| agent.crawl_delay() == Compliance::Ignores);
    let Some(first) = asked.first().and_then(ignores) else { return };
    if !asked.iter().all(|record| ignores(record).is_some()) {
        return;
    }
    let operator = first.operator();
    let message = format!("{operator} does not read `Crawl-delay`");
    let help = match operator {
        "Google" => {
            "drop it; Googlebot slows down by itself when a server answers slowly, or with 429 or 503"
        }
        "Yandex" => "drop it; Yandex.Webmaster has a setting for the speed",
        _ => "drop it; its operator says that it has no effect",
    };
    findings.add(context.droppable(Lint::CrawlDelayIgnored, delay.line, whole(delay), message, help));
}

fn timing(context: &Context<'_>, findings: &mut Findings, record: &Record) {
    let value = context.value(record);
    let (is_readable, example) = match record.kind {
        DirectiveKind::RequestRate => (RequestRate::parse(value).is_some(), "Request-rate: 1/10s"),
        _ => (VisitTime::parse(value).is_some(), "Visit-time: 0600-0845"),
    };
    if !is_readable {
        let message = format!("{} cannot be read as a `{}`", shown(value), record.kind.canonical_name());
        let help = format!("write it like `{example}`");
        findings.add(context.finding(Lint::MalformedValue, record.line, whole(record), message, help));
    }
}

fn license(context: &Context<'_>, findings: &mut Findings, record: &Record) {
    let value = context.value(record);
    if !has_scheme(value) && !value.starts_with(b"urn:") {
        let message = format!("{} is not an absolute address", shown(value));
        let help = "write the whole URL: scheme, host and path";
        findings.add(context.finding(Lint::RelativeLicense, record.line, whole(record), message, help));
    }
}

/// Returns whether a key without a kind of its own is an obsolete directive, which no crawler reads any more.
pub(super) fn is_obsolete(key: &[u8]) -> bool {
    [&b"nofollow"[..], b"noarchive"].iter().any(|name| name.eq_ignore_ascii_case(key))
}

fn read_by_few(context: &Context<'_>, findings: &mut Findings, record: &Record) {
    let (lint, severity, message, help) = match record.kind {
        DirectiveKind::Unknown if is_obsolete(context.key(record)) => (
            Lint::ObsoleteDirective,
            Severity::Warning,
            "no crawler reads it; Google stopped in 2019",
            "use a robots meta tag or an X-Robots-Tag header on the pages",
        ),
        DirectiveKind::Noindex => (
            Lint::ObsoleteDirective,
            Severity::Warning,
            "`Noindex` has no effect; Google stopped reading it in 2019",
            "use a robots meta tag or an X-Robots-Tag header with noindex, on pages that may be crawled",
        ),
        DirectiveKind::Host => (
            Lint::ObsoleteDirective,
            Severity::Note,
            "`Host` has no effect; Yandex stopped reading it in 2018",
            "redirect the other hosts to the main one",
        ),
        DirectiveKind::VisitTime => (
            Lint::ObsoleteDirective,
            Severity::Note,
            "`Visit-time` is followed by a few small crawlers only",
            "answer 429 or 503 with Retry-After when the server is busy",
        ),
        DirectiveKind::CleanParam => (
            Lint::LimitedDirective,
            Severity::Note,
            "only Yandex reads `Clean-param`",
            "keep it if it is for Yandex",
        ),
        DirectiveKind::RequestRate => (
            Lint::LimitedDirective,
            Severity::Note,
            "only Seznam reads `Request-rate`",
            "keep it if it is for Seznam",
        ),
        _ => return,
    };
    let finding = context.finding(lint, record.line, record.key.clone(), message, help);
    findings.add(finding.severity_of(severity));
}
