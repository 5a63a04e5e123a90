//! `crawl-delay-ignored`: a crawl delay is set for crawlers that do not read it.

use crate::agents;
use crate::finding::{Channel, Decisions, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::context::{LocatedRecord, agent_name};
use crate::robots::lint::group::{GroupRules, each_delay};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "crawl-delay-ignored",
        severity: Severity::Warning,
        summary: "A crawl delay is set for crawlers that do not read it.",
        why: "Google never did; Yandex stopped in 2018. Both have settings for it elsewhere.",
        help: "drop it",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: Googlebot\nCrawl-delay: 5\nDisallow: /search\n"),
        good: Shown::Text(b"User-agent: bingbot\nCrawl-delay: 5\nDisallow: /search\n"),
    },
    checks: &[Check::Group(check)],
};

/// A delay for crawlers that all do not read it.
fn check(checked: &GroupRules<'_, '_, '_>, findings: &mut Findings) {
    let context = checked.context;
    let known = |record: &LocatedRecord| {
        let name = agent_name(context.value(record));
        agents::known(std::str::from_utf8(&name).ok()?)
    };
    let ignores = |record: &&LocatedRecord| {
        known(record).filter(|agent| agent.crawl_delay() == agents::Compliance::Ignores)
    };
    each_delay(context, checked.group, |delay, first, asked| {
        let Some(agent) = asked.first().and_then(ignores).filter(|_| first.is_none()) else { return };
        if !asked.iter().all(|record| ignores(record).is_some()) {
            return;
        }
        let operator = agent.operator();
        let message = format!("{operator} does not read `Crawl-delay`");
        let help = match operator {
            "Google" => {
                "drop it; Googlebot slows down by itself when a server answers slowly, or with 429 or 503"
            }
            "Yandex" => "drop it; Yandex.Webmaster has a setting for the speed",
            _ => "drop it; its operator says that it has no effect",
        };
        let fix = context.taken_out(Decisions::Changed, delay);
        findings.push(context.droppable(&LINT, delay.line, delay.whole(), message, help).with_fix(fix));
    });
}
