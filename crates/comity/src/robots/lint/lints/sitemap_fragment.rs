//! `sitemap-fragment`: a sitemap's address is cut at a `#`, which starts a comment.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::address::sitemap_address;
use crate::robots::lint::key::KeyedRecord;
use crate::robots::lint::pattern::cut_by_hash;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "sitemap-fragment",
        severity: Severity::Warning,
        summary: "A sitemap's address is cut at a `#`, which starts a comment.",
        why: "What stands before it is the whole address.",
        help: "drop the fragment, or write `%23` if the character is meant",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(
            b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml#pages\n",
        ),
        good: Shown::Text(
            b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml\n",
        ),
    },
    checks: &[Check::Record(check)],
};

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some(value) = sitemap_address(entry) else { return };
    let (context, record) = (entry.context, entry.record);
    if cut_by_hash(context, record).is_some() {
        let message = format!("the address ends before the `#`: it is {}", quoted(value));
        findings.push(context.finding(&LINT, record.line, record.whole(), message, LINT.kind.help));
    }
}
