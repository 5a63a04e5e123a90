//! `docs/reference/presets.md` is generated from the code; `UPDATE_DOCS=1` rewrites it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use comity::policy::{AnswerKind, Mode, OutageStep, Preset, Treatment};

#[test]
fn document_of_presets_equals_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/presets.md");
    let text = document();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &text).expect("docs/reference/presets.md is written");
    }
    assert_eq!(
        fs::read_to_string(&path).expect("docs/reference/presets.md is read"),
        text,
        "docs/reference/presets.md is out of date; UPDATE_DOCS=1 cargo test -p comity --test it rewrites it"
    );
}

const HEAD: &str = "\
# Presets

<!-- Printed from the code: UPDATE_DOCS=1 cargo test -p comity --test it preset_docs -->

A preset is a named set of policy choices: the dialect for a robots.txt, the treatment of each kind of answer to the
request for it, the lifetime of the result, and the mode. Every decision names its preset. `comity presets` prints
these tables, `comity status` applies them.

A preset distinguishes three questions. The **availability** is the result of the transport. The **verdict** is the result for
one URL. The **recommendation** tells a well-behaved program whether to fetch it. If rules are read, they give the verdict:
`allowed_explicit`, `allowed_implicit` (recommended) or `disallowed_explicit` (not recommended). If a last good copy
may be used, the tables give the verdict without one.

If an answer **fails open**, the verdict stays `unknown_unreachable` or `unknown_parse_error`, because no rule is known; the
recommendation is `allowed_but_warn`, and the decision has `failed_open`.

A **failure on the client's side** (no descriptor left, no network, a dead proxy, no name server) is not an answer of the site,
and no preset treats it differently. It is not stored, starts no outage and replaces no copy: an earlier answer keeps its
effect, and without an earlier answer nothing is fetched. A name that does not exist is a failure on the site's side.

";

const OVERRIDES: &str = "
## Overrides

Two settings override any preset. Every decision lists them next to the preset's name (`overrides`).

| setting | effect |
|---|---|
| `robots.on_unreachable` | the treatment while robots.txt is unreachable and no copy of it decides: `deny`, `warn` (fails open), `allow` (fails open without a warning: recommended) |
| `robots.max_age_seconds` | the maximum time for which an answer counts before the next request; a longer `Retry-After` of an overloaded server still applies |

The first setting applies to the answers that have `unreachable` in the column *availability*. It never opens a request that
the guard refused or that failed on the client's side, and never allows more than a last good copy that may be used. The
verdict stays `unknown_unreachable`: no rule is known.
";

fn document() -> String {
    let mut text = HEAD.to_owned();
    text.push_str("| mode | effect of a decision |\n|---|---|\n");
    for mode in Mode::ALL {
        let _ = writeln!(text, "| `{mode}` | {} |", mode.summary());
    }
    text.push_str(OVERRIDES);
    side_by_side(&mut text);
    for preset in Preset::ALL {
        describe(preset, &mut text);
    }
    text
}

fn side_by_side(text: &mut String) {
    text.push_str("\n## Comparison\n\nThe treatment of each kind of answer:\n\n| answer |");
    for preset in Preset::ALL {
        let _ = write!(text, " `{preset}` |");
    }
    let _ = write!(text, "\n|---|{}\n", "---|".repeat(Preset::ALL.len()));
    for kind in AnswerKind::ALL {
        let _ = write!(text, "| {} |", kind.label());
        for preset in Preset::ALL {
            let _ = write!(text, " {} |", preset.entry(kind));
        }
        text.push('\n');
    }
    text.push_str(
        "\nIn some presets, the treatment of an unreachable robots.txt changes with time: their steps are listed below. In every\n\
         preset, 304 renews the stored copy; the table shows the treatment without a copy.\n",
    );
}

fn describe(preset: Preset, text: &mut String) {
    let default = if preset == Preset::default() { " (default)" } else { "" };
    let _ = writeln!(text, "\n## {preset}{default}\n\nDefined by: {}.\n", preset.defined_by());
    for note in preset.notes() {
        let _ = writeln!(text, "- {note}");
    }
    let limit = match preset.body_limit() {
        Some(limit) if limit.is_multiple_of(1024 * 1024) => {
            format!("the first {} MiB of a body are read", limit / 1024 / 1024)
        }
        Some(limit) => format!("the first {} KiB of a body are read", limit / 1024),
        None => "bodies are read completely".to_owned(),
    };
    let _ = writeln!(text, "\nDialect `{}`, mode `{}`; {limit}.\n", preset.dialect(), preset.mode());
    text.push_str("| answer | availability | treatment | verdict | recommendation | lifetime |\n");
    text.push_str("|---|---|---|---|---|---|\n");
    for kind in AnswerKind::ALL {
        let entry = preset.entry(kind);
        let verdict = entry.verdict().map_or("by the rules".to_owned(), |verdict| format!("`{verdict}`"));
        let recommendation =
            entry.recommendation().map_or("by the rules".to_owned(), |word| format!("`{word}`"));
        let _ = writeln!(
            text,
            "| {} | {} | {entry} | {verdict} | {recommendation} | {} |",
            kind.label(),
            entry.availability(),
            entry.lifetime(),
        );
    }
    steps(preset, text);
}

fn steps(preset: Preset, text: &mut String) {
    if preset.outage_steps().is_empty() {
        return;
    }
    let copy = match preset.stale_for() {
        Some(age) => format!("A copy is used until it is {} old.", days(age)),
        None => "A copy of any age is used.".to_owned(),
    };
    let _ = writeln!(text, "\nThe steps of an outage; the time is counted from the first failure. {copy}\n");
    text.push_str("| until | with a copy | without a copy |\n|---|---|---|\n");
    for step in preset.outage_steps() {
        let until = step.until().map_or("the end".to_owned(), days);
        let _ = writeln!(
            text,
            "| {until} | {} | {} |",
            outcome(step, step.with_copy()),
            outcome(step, step.without_copy())
        );
    }
}

fn outcome(step: &OutageStep, treatment: Treatment) -> String {
    let (label, known) = (treatment.label(), treatment.recommendation());
    let recommendation = known.map_or(String::new(), |recommendation| format!(" (`{recommendation}`)"));
    if step.opens_if_site_is_reachable() {
        return format!(
            "{} if the rest of the site is reachable, otherwise {label}",
            Treatment::FailOpen.label()
        );
    }
    format!("{label}{recommendation}")
}

fn days(duration: Duration) -> String {
    match duration.as_secs() / 3_600 {
        hours if hours.is_multiple_of(24) => format!("{} days", hours / 24),
        hours => format!("{hours} hours"),
    }
}
