//! `crawl-delay-not-a-number`: a crawl delay is not a number of seconds.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::group::crawl_delay;
use crate::robots::lint::key::KeyedRecord;
use crate::robots::lint::{Check, Lint};
use crate::robots::read::pacing::VisitTime;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "crawl-delay-not-a-number",
        severity: Severity::Error,
        summary: "A crawl delay is not a number of seconds.",
        why: "A number of 0 or more, in digits, perhaps with a decimal point. Anything else is skipped, or read as something else. \
     A time such as `0100-0800` belongs to `Visit-time`.",
        help: "write a number of seconds, such as `Crawl-delay: 5`",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: bingbot\nCrawl-delay: 5s\nDisallow: /search\n"),
        good: Shown::Text(b"User-agent: bingbot\nCrawl-delay: 5\nDisallow: /search\n"),
    },
    checks: &[Check::Record(check)],
};

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some(Err(value)) = crawl_delay(entry) else { return };
    let (message, help) = if VisitTime::parse(value).is_some() {
        let message = format!("{} is a time of day, not a number of seconds", quoted(value));
        (message, format!("write {} if that is meant", quoted([b"Visit-time: ", value].concat())))
    } else {
        let digits: String =
            value.iter().take_while(|byte| byte.is_ascii_digit()).map(|byte| char::from(*byte)).collect();
        let help = match digits.as_str() {
            "" => LINT.kind.help.to_owned(),
            digits => format!("write `Crawl-delay: {digits}` if that many seconds are meant"),
        };
        (format!("{} is not a number of seconds", quoted(value)), help)
    };
    let record = entry.record;
    // `5s` and `5 seconds` are seconds; what else follows a number may be another unit.
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let unit = value.get(digits..).unwrap_or_default().trim_ascii().to_ascii_lowercase();
    let is_seconds = digits > 0 && matches!(&unit[..], b"s" | b"sec" | b"secs" | b"second" | b"seconds");
    let fix = Fix::new(Decisions::Changed).delete(record.value.start + digits..record.value.end);
    let finding = entry.context.finding(&LINT, record.line, record.whole(), message, help);
    findings.push(finding.with_fix(is_seconds.then_some(fix)));
}
