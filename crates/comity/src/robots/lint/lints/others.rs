//! Lints for crawl delays and other directives.

use crate::agents;
use crate::finding::{Decisions, Findings, Fix, Severity, quoted};
use crate::robots::lint::context::{LocatedRecord, agent_name};
use crate::robots::lint::group::{GroupRules, crawl_delay, each_delay};
use crate::robots::lint::key::{KeyedRecord, is_obsolete};
use crate::robots::read::directive::RecordKind;
use crate::robots::read::pacing::{RequestRate, VisitTime};

crate::robots::lint::table! {
    OBSOLETE_DIRECTIVE "obsolete-directive" Warning, Record(obsolete_directive);
    "No large crawler reads the directive any more.",
    "`Noindex`, `Nofollow` and `Noarchive` were never documented, and Google stopped reading them on 1 September 2019; \
    Yandex stopped reading `Host` in 2018. `Visit-time` is a proposal of 1996 that only a few small crawlers follow. \
    `Host` and `Visit-time` are reported as notes.",
    "drop it",
    bad(b"User-agent: *\nDisallow: /search\nNoindex: /private/\n"),
    good(b"User-agent: *\nDisallow: /search\n");

    LIMITED_DIRECTIVE "limited-directive" Note, Record(limited_directive);
    "Only one crawler reads the directive.",
    "Only Yandex reads `Clean-param`, and only Seznam reads `Request-rate` (Python's `urllib.robotparser` reads it, too).",
    "keep it if it is for that crawler",
    bad(b"User-agent: *\nDisallow: /search\nClean-param: sid /forum/\n"),
    good(b"User-agent: *\nDisallow: /search\n");

    CRAWL_DELAY_IGNORED "crawl-delay-ignored" Warning, Group(crawl_delay_ignored);
    "A crawl delay is set for crawlers that do not read it.",
    "Google has never read `Crawl-delay`, and Yandex stopped reading it in 2018. Googlebot slows down if a server \
    answers slowly, or with 429 or 503; Yandex.Webmaster has a setting for the speed.",
    "drop it",
    bad(b"User-agent: Googlebot\nCrawl-delay: 5\nDisallow: /search\n"),
    good(b"User-agent: bingbot\nCrawl-delay: 5\nDisallow: /search\n");

    CRAWL_DELAY_NOT_A_NUMBER "crawl-delay-not-a-number" Error, Record(crawl_delay_not_a_number);
    "A crawl delay is not a number of seconds.",
    "A delay is a number of 0 or more in digits, optionally with a decimal point. Parsers skip other values, or read them \
    differently. A time such as `0100-0800` belongs to `Visit-time`.",
    "write a number of seconds, such as `Crawl-delay: 5`",
    bad(b"User-agent: bingbot\nCrawl-delay: 5s\nDisallow: /search\n"),
    good(b"User-agent: bingbot\nCrawl-delay: 5\nDisallow: /search\n");

    LONG_CRAWL_DELAY "long-crawl-delay" Warning, Record(long_crawl_delay);
    "A crawl delay is longer than 300 seconds.",
    "With such a delay, a crawler fetches fewer than 300 pages a day. crawler-commons (Nutch, StormCrawler, Common Crawl) then \
    treats the whole site as forbidden; Bing obeys delays of 1 to 30 seconds. Usually the author means milliseconds.",
    "write the number of seconds between two requests; above 300, some crawlers do not fetch the site",
    bad(b"User-agent: bingbot\nCrawl-delay: 1000\nDisallow: /search\n"),
    good(b"User-agent: bingbot\nCrawl-delay: 1\nDisallow: /search\n");

    REPEATED_CRAWL_DELAY "repeated-crawl-delay" Warning, Group(repeated_crawl_delay);
    "A group has several crawl delays that differ.",
    "The delay that counts depends on the parser: the first, the last, the shortest or, for Comity, the longest.",
    "keep one of them",
    bad(b"User-agent: bingbot\nCrawl-delay: 5\nCrawl-delay: 10\nDisallow: /search\n"),
    good(b"User-agent: bingbot\nCrawl-delay: 10\nDisallow: /search\n");

    MALFORMED_VALUE "malformed-value" Warning, Record(malformed_value);
    "A `Request-rate` or `Visit-time` cannot be read.",
    "A rate is `documents/time`, optionally with a unit (`s`, `m`, `h` or `d`) and a window: `1/10s 1800-1900`. A \
    visit time is a window in UTC: `0600-0845`.",
    "write it like `Request-rate: 1/10s` or `Visit-time: 0600-0845`",
    bad(b"User-agent: *\nDisallow: /search\nRequest-rate: 10 per minute\n"),
    good(b"User-agent: *\nDisallow: /search\nRequest-rate: 10/1m\n");
}

fn obsolete_directive(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let (context, record) = (entry.context, entry.record);
    let (severity, message, help) = match record.kind {
        RecordKind::Unknown if is_obsolete(context.key(record)) => (
            Severity::Warning,
            "no crawler reads it; Google stopped in 2019",
            "use a robots meta tag or an X-Robots-Tag header on the pages",
        ),
        RecordKind::Noindex => (
            Severity::Warning,
            "`Noindex` has no effect; Google stopped reading it in 2019",
            "use a robots meta tag or an X-Robots-Tag header with noindex, on pages that may be crawled",
        ),
        RecordKind::Host => (
            Severity::Note,
            "`Host` has no effect; Yandex stopped reading it in 2018",
            "redirect the other hosts to the main one",
        ),
        RecordKind::VisitTime => (
            Severity::Note,
            "only a few small crawlers follow `Visit-time`",
            "answer 429 or 503 with Retry-After when the server is busy",
        ),
        _ => return,
    };
    let finding = context.finding(&OBSOLETE_DIRECTIVE, record.line, record.key.clone(), message, help);
    findings.push(finding.with_severity(severity));
}

fn limited_directive(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let (message, help) = match entry.record.kind {
        RecordKind::CleanParam => ("only Yandex reads `Clean-param`", "keep it if it is for Yandex"),
        RecordKind::RequestRate => ("only Seznam reads `Request-rate`", "keep it if it is for Seznam"),
        _ => return,
    };
    let record = entry.record;
    findings.push(entry.context.finding(&LIMITED_DIRECTIVE, record.line, record.key.clone(), message, help));
}

/// Reports the first delay for a list of crawlers that all ignore delays.
fn crawl_delay_ignored(checked: &GroupRules<'_, '_, '_>, findings: &mut Findings) {
    let context = checked.context;
    let known = |record: &LocatedRecord| {
        let name = agent_name(context.value(record));
        agents::known(std::str::from_utf8(&name).ok()?)
    };
    let ignores = |record: &&LocatedRecord| {
        known(record).filter(|agent| agent.crawl_delay() == agents::Compliance::Ignores)
    };
    each_delay(context, checked.group, |delay, first, agents_above| {
        let Some(agent) = agents_above.first().and_then(ignores).filter(|_| first.is_none()) else { return };
        if !agents_above.iter().all(|record| ignores(record).is_some()) {
            return;
        }
        let operator = agent.operator();
        let message = format!("{operator} does not read `Crawl-delay`");
        // Without the line, nothing would show that the names below it were meant as another group.
        let last = checked.group.agents.last().and_then(|last| context.records.get(*last));
        let is_joined = last.is_some_and(|last| last.line > delay.line);
        let help = match operator {
            _ if is_joined => "write an empty `Disallow:` in its place to end the group, or drop it",
            "Google" => {
                "drop it; Googlebot slows down by itself when a server answers slowly, or with 429 or 503"
            }
            "Yandex" => "drop it; Yandex.Webmaster has a setting for the speed",
            _ => "drop it; the operator documents that it has no effect",
        };
        let fix = (!is_joined).then(|| context.deletion(Decisions::Changed, delay)).flatten();
        findings.push(
            context.droppable(&CRAWL_DELAY_IGNORED, delay.line, delay.whole(), message, help).with_fix(fix),
        );
    });
}

fn crawl_delay_not_a_number(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some(Err(value)) = crawl_delay(entry) else { return };
    let (message, help) = if VisitTime::parse(value).is_some() {
        let message = format!("{} is a time of day, not a number of seconds", quoted(value));
        (message, format!("write {} if you mean visiting hours", quoted([b"Visit-time: ", value].concat())))
    } else {
        let help = match intended_delay(value) {
            Some((delay, unit)) => format!("write `Crawl-delay: {delay}` if you mean {delay} {unit}"),
            None => CRAWL_DELAY_NOT_A_NUMBER.kind.help.to_owned(),
        };
        (format!("{} is not a number of seconds", quoted(value)), help)
    };
    let record = entry.record;
    // A decimal comma may also separate two numbers, so it is not replaced.
    let (digits, rest) = leading_digits(value);
    let is_seconds = !digits.is_empty() && is_seconds(rest);
    let fix = Fix::new(Decisions::Changed).delete(record.value.start + digits.len()..record.value.end);
    let finding =
        entry.context.finding(&CRAWL_DELAY_NOT_A_NUMBER, record.line, record.whole(), message, help);
    findings.push(finding.with_fix(is_seconds.then_some(fix)));
}

/// Splits a value after its leading digits.
fn leading_digits(value: &[u8]) -> (&[u8], &[u8]) {
    value.split_at(value.iter().take_while(|byte| byte.is_ascii_digit()).count())
}

/// Returns true for a unit that means seconds.
fn is_seconds(unit: &[u8]) -> bool {
    let unit = unit.trim_ascii().to_ascii_lowercase();
    matches!(&unit[..], b"s" | b"sec" | b"secs" | b"second" | b"seconds")
}

/// Returns the delay that a value such as `5s` or `1,5` probably means, and its unit in words. Returns `None` if none
/// or several are likely.
fn intended_delay(value: &[u8]) -> Option<(String, &'static str)> {
    let (digits, rest) = leading_digits(value);
    let whole = std::str::from_utf8(digits).ok().filter(|digits| !digits.is_empty())?;
    if let Some(rest) = rest.strip_prefix(b",") {
        let (decimals, rest) = leading_digits(rest);
        let decimals = std::str::from_utf8(decimals).ok().filter(|decimals| !decimals.is_empty())?;
        return (rest.is_empty() || is_seconds(rest)).then(|| (format!("{whole}.{decimals}"), "seconds"));
    }
    is_seconds(rest).then(|| (whole.to_owned(), if whole == "1" { "second" } else { "seconds" }))
}

/// Number of seconds above which crawler-commons treats a site as forbidden.
const LONG: u64 = 300;

fn long_crawl_delay(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some(Ok(delay)) = crawl_delay(entry) else { return };
    let delay = delay.as_secs();
    if delay <= LONG {
        return;
    }
    let message = match 86_400 / delay {
        0 => format!("a delay of {delay} seconds is more than a day"),
        1 => format!("a delay of {delay} seconds permits one page a day"),
        pages => format!("a delay of {delay} seconds permits {pages} pages a day"),
    };
    let record = entry.record;
    findings.push(entry.context.finding(
        &LONG_CRAWL_DELAY,
        record.line,
        record.whole(),
        message,
        LONG_CRAWL_DELAY.kind.help,
    ));
}

fn repeated_crawl_delay(checked: &GroupRules<'_, '_, '_>, findings: &mut Findings) {
    let context = checked.context;
    each_delay(context, checked.group, |delay, first, _| {
        let Some(first) = first.filter(|first| context.value(first) != context.value(delay)) else { return };
        let message = format!(
            "the group already has a crawl delay of {}; the effective delay depends on the crawler",
            quoted(context.value(first))
        );
        let finding = context.finding(
            &REPEATED_CRAWL_DELAY,
            delay.line,
            delay.whole(),
            message,
            REPEATED_CRAWL_DELAY.kind.help,
        );
        findings.push(finding.with_related(context.related(first, "the other delay")));
    });
}

fn malformed_value(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let record = entry.record;
    let value = entry.context.value(record);
    let (is_readable, example) = match record.kind {
        RecordKind::RequestRate => (RequestRate::parse(value).is_some(), "Request-rate: 1/10s"),
        RecordKind::VisitTime => (VisitTime::parse(value).is_some(), "Visit-time: 0600-0845"),
        _ => return,
    };
    if !is_readable {
        let message = format!("{} cannot be read as a `{}`", quoted(value), record.kind.label());
        let help = format!("write it like `{example}`");
        findings.push(entry.context.finding(&MALFORMED_VALUE, record.line, record.whole(), message, help));
    }
}
