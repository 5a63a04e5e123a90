//! `too-large`: the file has more than 512,000 bytes (500 KiB).

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::context::Context;
use crate::robots::lint::{Check, Lint};
use crate::robots::read::text::BODY_LIMIT;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "too-large",
        severity: Severity::Error,
        summary: "The file has more than 512,000 bytes (500 KiB).",
        why: "Crawlers need not read further (RFC 9309 \u{a7}2.5), and Google does not: rules beyond have no effect. For Yandex a file \
     of more than 500 KB allows everything.",
        help: "shorten it to 512,000 bytes: drop rules that repeat others, or put wildcards for lists of pages",
        channel: Channel::RobotsTxt,
        bad: Shown::Repeated {
            head: "User-agent: *\n",
            piece: "Disallow: /a/page/that/should/not/be/found\n",
            times: 12_000,
            end: "",
        },
        good: Shown::Text(b"User-agent: *\nDisallow: /a/page/\n"),
    },
    checks: &[Check::Body(check)],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let length = context.body.len();
    if length <= BODY_LIMIT {
        return;
    }
    let last = context.lines.len().saturating_sub(1);
    let end = context.counted.end;
    let message = format!("the file has {length} bytes; the last {} are not read", length - end);
    findings.push(context.finding(&LINT, last, end..length, message, LINT.kind.help));
}
