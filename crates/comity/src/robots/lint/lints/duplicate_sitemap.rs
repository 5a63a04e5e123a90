//! `duplicate-sitemap`: a sitemap is listed twice.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::context::Context;
use crate::robots::lint::{Check, Lint};
use crate::robots::read::directive::RecordKind;
use std::collections::HashMap;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "duplicate-sitemap",
        severity: Severity::Note,
        summary: "A sitemap is listed twice.",
        why: "Once will do.",
        help: "drop it",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/s.xml\nSitemap: https://www.shop.example/s.xml\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/s.xml\n"),
    },
    checks: &[Check::File(check)],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut first_of = HashMap::new();
    let above = std::iter::once(None).chain(context.records.iter().map(Some));
    let sitemaps = context.records.iter().zip(above).filter(|(record, _)| record.kind == RecordKind::Sitemap);
    for (record, above) in sitemaps {
        let first = *first_of.entry(context.value(record)).or_insert(record);
        if first.line != record.line {
            let message =
                format!("{} is listed on line {} already", quoted(context.value(record)), first.line + 1);
            let finding = context.droppable(&LINT, record.line, record.whole(), message, LINT.kind.help);
            // Below a user-agent line it may keep the next one apart, for parsers that end a list of names there.
            let is_apart = above.is_none_or(|above| above.kind != RecordKind::UserAgent);
            let fix = is_apart.then(|| context.not_missed(record, first)).flatten();
            let finding = finding.with_fix(fix);
            findings.push(finding.with_related(context.related(first, "listed first here")));
        }
    }
}
