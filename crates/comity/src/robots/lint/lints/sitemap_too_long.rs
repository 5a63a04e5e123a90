//! `sitemap-too-long`: a sitemap's address has 2,048 characters or more.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::address::sitemap_address;
use crate::robots::lint::key::KeyedRecord;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "sitemap-too-long",
        severity: Severity::Warning,
        summary: "A sitemap's address has 2,048 characters or more.",
        why: "The sitemap protocol sets that limit for addresses.",
        help: "shorten it to less than 2,048",
        channel: Channel::RobotsTxt,
        bad: Shown::Repeated {
            head: "User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/",
            piece: "a",
            times: 2_048,
            end: "",
        },
        good: Shown::Text(
            b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml\n",
        ),
    },
    checks: &[Check::Record(check)],
};

/// The longest address that the sitemap protocol allows, and one character.
const CHARACTERS: usize = 2_048;

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some(value) = sitemap_address(entry).filter(|value| value.len() >= CHARACTERS) else { return };
    let record = entry.record;
    let message = format!("the address has {} characters", value.len());
    findings.push(entry.context.finding(&LINT, record.line, record.whole(), message, LINT.kind.help));
}
