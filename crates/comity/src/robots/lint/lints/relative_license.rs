//! `relative-license`: a `License` is not an absolute address.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::address::has_scheme;
use crate::robots::lint::key::KeyedRecord;
use crate::robots::lint::{Check, Lint};
use crate::robots::read::directive::RecordKind;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "relative-license",
        severity: Severity::Error,
        summary: "A `License` is not an absolute address.",
        why: "RSL 1.0 wants an absolute URI; anything else is skipped.",
        help: "write the whole URL: scheme, host and path",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /search\nLicense: /license.xml\n"),
        good: Shown::Text(
            b"User-agent: *\nDisallow: /search\nLicense: https://www.shop.example/license.xml\n",
        ),
    },
    checks: &[Check::Record(check)],
};

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let (context, record) = (entry.context, entry.record);
    let value = context.value(record);
    if record.kind == RecordKind::License && !has_scheme(value) && !value.starts_with(b"urn:") {
        let message = format!("{} is not an absolute address", quoted(value));
        findings.push(context.finding(&LINT, record.line, record.whole(), message, LINT.kind.help));
    }
}
