//! `agent-alphabet`: a name has characters beyond letters, `-` and `_`.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::name::{Form, Name};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "agent-alphabet",
        severity: Severity::Note,
        summary: "A name has characters beyond letters, `-` and `_`.",
        why: "RFC 9309 \u{a7}2.2.1 allows no others, yet real crawlers have such names (`MJ12bot`, `AI2Bot`, `bigsur.ai`), so this may \
     well be right. A parser that cuts the name at the first such character, as Google's does, reads `MJ12bot` as `MJ`.",
        help: "leave it if the crawler goes by that name; RFC 9309 allows only letters, `-` and `_`",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: MJ12bot\nDisallow: /search\n"),
        good: Shown::Text(b"User-agent: dotbot\nDisallow: /search\n"),
    },
    checks: &[Check::Agent(check)],
};

fn check(name: &Name<'_, '_>, findings: &mut Findings) {
    let Form::Alphabet { name: end, read } = name.form else { return };
    let (context, record) = (name.context, name.record);
    let read = match name.value.get(..read) {
        None | Some([]) => "no name at all".to_owned(),
        Some(start) => quoted(start),
    };
    let message = format!(
        "{} has characters beyond letters, `-` and `_`; Google's parser reads {read}",
        quoted(name.value.get(..end).unwrap_or_default())
    );
    findings.push(context.finding(&LINT, record.line, record.value.clone(), message, LINT.kind.help));
}
