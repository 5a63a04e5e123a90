//! `sitemap-disallowed`: the file's own rules forbid a sitemap that it lists.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::address::Address;
use crate::robots::lint::context::{Context, shown_rule};
use crate::robots::lint::steps;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "sitemap-disallowed",
        severity: Severity::Warning,
        summary: "The file's own rules forbid a sitemap that it lists.",
        why: "Crawlers that obey do not fetch it. Reported if the rules for `*`, `Googlebot` or `bingbot` say so and do not forbid \
     the whole site. A sitemap on another host is that host's business.",
        help: "allow its path, unless it is on another host",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /*.xml$\n\nSitemap: https://www.shop.example/sitemap.xml\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /*.xml$\nAllow: /sitemap.xml\n\nSitemap: https://www.shop.example/sitemap.xml\n"),
    },
    checks: &[Check::Sitemap(check)],
};

fn check(sitemap: &Address<'_, '_>, findings: &mut Findings) {
    let (context, record, value) = (sitemap.context, sitemap.record, sitemap.value);
    let is_http = |scheme: &[u8]| value.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme));
    if !is_http(b"http://") && !is_http(b"https://") {
        return;
    }
    for (who, rules) in sitemap.audiences {
        steps::count(rules.len() + context.records.len());
        let Ok(decision) = rules.decide(value) else { return };
        let rule = decision.rule().filter(|rule| !rule.allows());
        let Some(line) = rule.map(|rule| rule.line()) else { continue };
        let Some(rule) = context.records.iter().find(|record| Context::number(record.line) == line) else {
            continue;
        };
        let message = format!("{who} may not fetch the sitemap, says {}", shown_rule(context, rule));
        let span = record.value.clone();
        let finding = context.finding(&LINT, record.line, span, message, LINT.kind.help);
        findings.push(finding.with_related(context.related(rule, "the rule that forbids it")));
        return;
    }
}
