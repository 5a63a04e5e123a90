//! `long-crawl-delay`: a crawl delay is longer than 300 seconds.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::group::crawl_delay;
use crate::robots::lint::key::KeyedRecord;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "long-crawl-delay",
        severity: Severity::Warning,
        summary: "A crawl delay is longer than 300 seconds.",
        why: "At that pace a crawler fetches fewer than 300 pages a day. crawler-commons (Nutch, StormCrawler, Common Crawl) then \
     treats the whole site as forbidden; Bing honours 1 to 30 seconds. Mostly milliseconds were meant.",
        help: "write the number of seconds between two requests; above 300 some crawlers stay away altogether",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: bingbot\nCrawl-delay: 1000\nDisallow: /search\n"),
        good: Shown::Text(b"User-agent: bingbot\nCrawl-delay: 1\nDisallow: /search\n"),
    },
    checks: &[Check::Record(check)],
};

/// Above this many seconds crawler-commons gives up on a site.
const LONG: u64 = 300;

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some(Ok(delay)) = crawl_delay(entry) else { return };
    let delay = delay.as_secs();
    if delay <= LONG {
        return;
    }
    let message = match 86_400 / delay {
        0 => format!("a delay of {delay} seconds is more than a day"),
        1 => format!("a delay of {delay} seconds leaves one page a day"),
        pages => format!("a delay of {delay} seconds leaves {pages} pages a day"),
    };
    let record = entry.record;
    findings.push(entry.context.finding(&LINT, record.line, record.whole(), message, LINT.kind.help));
}
