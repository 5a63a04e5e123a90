//! `relative-sitemap`: a sitemap's address is not absolute.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::address::{has_scheme, malformed_address, sitemap_address};
use crate::robots::lint::key::KeyedRecord;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "relative-sitemap",
        severity: Severity::Error,
        summary: "A sitemap's address is not absolute.",
        why: "The sitemap protocol wants the whole URL, scheme and host included; crawlers skip anything else.",
        help: "write the whole URL: scheme, host and path",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /search\n\nSitemap: /sitemap.xml\n"),
        good: Shown::Text(
            b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml\n",
        ),
    },
    checks: &[Check::Record(check)],
};

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some(value) = sitemap_address(entry) else { return };
    if malformed_address(value).is_some() || has_scheme(value) {
        return;
    }
    let record = entry.record;
    let message = format!("{} is not an absolute address", quoted(value));
    findings.push(entry.context.finding(&LINT, record.line, record.whole(), message, LINT.kind.help));
}
