//! `mixed-line-ends`: lines end in different ways.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::context::{Context, LocatedLine};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "mixed-line-ends",
        severity: Severity::Note,
        summary: "Lines end in different ways.",
        why: "CR, LF and CRLF each end a line (RFC 9309 \u{a7}2.2), even in one file; a few parsers do not know CR alone and read such \
     lines as one.",
        help: "end every line in LF",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\r\nDisallow: /a\nDisallow: /b\r\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /a\nDisallow: /b\n"),
    },
    checks: &[Check::File(check)],
};

/// Reports the first line end that is not of the file's usual kind.
fn check(context: &Context<'_>, findings: &mut Findings) {
    const NAMES: [&str; 3] = ["LF", "CRLF", "CR"];
    let kinds = || context.lines.windows(2).map(|pair| line_end(context, pair));
    let mut counts = [0_usize; 3];
    for kind in kinds() {
        if let Some(count) = counts.get_mut(kind) {
            *count += 1;
        }
    }
    if counts.iter().filter(|count| **count > 0).count() < 2 {
        return;
    }
    let usual = counts.iter().enumerate().max_by_key(|(_, count)| **count).map_or(0, |(kind, _)| kind);
    let Some(index) = kinds().position(|kind| kind != usual) else { return };
    let Some(line) = context.lines.get(index) else { return };
    let end = line.full_span().end;
    let parts = NAMES.iter().zip(counts).filter(|(_, count)| *count > 0);
    let parts: Vec<_> = parts.map(|(name, count)| format!("{count} in {name}")).collect();
    let message = format!("lines end in different ways: {}", parts.join(", "));
    let next = context.lines.get(index + 1).map_or(end, |next| next.full_span().start);
    findings.push(context.finding(&LINT, index, end..next, message, LINT.kind.help));
}

/// Returns how the first of two neighbouring lines ends: 0 for LF, 1 for CRLF, 2 for CR.
fn line_end(context: &Context<'_>, pair: &[LocatedLine]) -> usize {
    let [line, next] = pair else { return 0 };
    match context.bytes(line.full_span().end..next.full_span().start) {
        b"\n" => 0,
        b"\r\n" => 1,
        _ => 2,
    }
}
