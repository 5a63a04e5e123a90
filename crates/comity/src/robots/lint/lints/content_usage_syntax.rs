//! `content-usage-syntax`: a `Content-Usage` value is not a dictionary, so it says nothing.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::key::KeyedRecord;
use crate::robots::lint::usage::content_usage;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "content-usage-syntax",
        severity: Severity::Error,
        summary: "A `Content-Usage` value is not a dictionary, so it says nothing.",
        why: "It is a dictionary of structured fields (RFC 9651), and one slip makes all of it void (draft-ietf-aipref-vocab): keys are \
     lower case, no space around `=`, commas between members and none at the end. A path may stand first, and starts with \
     `/`.",
        help: "write preferences as `train-ai=n, search=y`",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /search\nContent-Usage: Train-AI=n\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /search\nContent-Usage: train-ai=n\n"),
    },
    checks: &[Check::Record(check)],
};

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    if let Some(Err(slip)) = content_usage(entry) {
        findings.push(entry.slip_in_value(&LINT, slip));
    }
}
