//! `malformed-sitemap`: a sitemap's address is not an http or https URL.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::address::{malformed_address, sitemap_address};
use crate::robots::lint::key::KeyedRecord;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "malformed-sitemap",
        severity: Severity::Error,
        summary: "A sitemap's address is not an http or https URL.",
        why: "Crawlers skip it. One line holds one address.",
        help: "write `https://`, the host and the path",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(
            b"User-agent: *\nDisallow: /search\n\nSitemap: https:/www.shop.example/sitemap.xml\n",
        ),
        good: Shown::Text(
            b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml\n",
        ),
    },
    checks: &[Check::Record(check)],
};

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some((message, help)) = sitemap_address(entry).and_then(malformed_address) else { return };
    let record = entry.record;
    findings.push(entry.context.finding(&LINT, record.line, record.whole(), message, help));
}
