//! `agent-not-a-token`: a name is that of a company, a product or everybody, not of a crawler.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::name::{Name, Who};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "agent-not-a-token",
        severity: Severity::Warning,
        summary: "A name is that of a company, a product or everybody, not of a crawler.",
        why: "A group speaks to the crawlers whose product token it names (RFC 9309 \u{a7}2.2.1). `Google` is not `Googlebot`, no \
     crawler is called `ChatGPT` or `Semrush`, and `all` is not `*`: a group for such a name speaks to nobody.",
        help: "write a user-agent line for each crawler that is meant",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: Semrush\nDisallow: /search\n"),
        good: Shown::Text(b"User-agent: SemrushBot\nDisallow: /search\n"),
    },
    checks: &[Check::Agent(check)],
};

fn check(name: &Name<'_, '_>, findings: &mut Findings) {
    let (context, record, value) = (name.context, name.record, quoted(name.value));
    let (message, help, fix) = match &name.who {
        Who::Everybody => (
            format!("no crawler is called {value}; `*` stands for everybody"),
            "write `User-agent: *`".to_owned(),
            Some(Fix::new(Decisions::Changed).replace(record.value.clone(), "*")),
        ),
        Who::Operator(crawlers) => {
            let tokens: Vec<String> = crawlers.iter().map(|agent| format!("`{}`", agent.token())).collect();
            let first = tokens.first().map_or("", String::as_str);
            let tokens = tokens.join(" or ");
            let message = format!("no crawler is called {value}, so the group does not speak to {tokens}");
            let help = format!("write a user-agent line for each crawler that is meant, such as {first}");
            (message, help, None)
        }
        _ => return,
    };
    let finding = context.finding(&LINT, record.line, record.value.clone(), message, help);
    findings.push(finding.with_fix(fix));
}
