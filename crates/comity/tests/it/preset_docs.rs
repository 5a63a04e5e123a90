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

A preset is a named set of policy choices: the dialect that a robots.txt is read in, what each kind of answer to the
request for it leads to, how long that is kept, and the mode. Every decision names its preset. `comity presets` prints
these tables, `comity status` applies them.

Three questions are kept apart. **Availability** is what the transport says. The **verdict** is what is known about a
URL. The **recommendation** is what a well-behaved program does about it. Where rules are read they give the verdict:
`allowed_explicit`, `allowed_implicit` (recommended) or `disallowed_explicit` (not recommended). Where a last good copy
may serve, the tables give the verdict without one.

What **fails open** keeps the verdict `unknown_unreachable` or `unknown_parse_error`, since nothing is known, is
recommended as `allowed_but_warn`, and says `failed_open` in its decision.

What **failed on our own side** (no descriptor left, no network, a dead proxy, no name server) is no answer of the site's,
and no preset has a choice about it. It is not kept, begins no outage and ends no copy: what still counts goes on
counting, and without that nothing is fetched. A name that does not exist is the site's.

";

const OVERRIDES: &str = "
## Overrides

Two choices can be made otherwise, whatever the preset. They stand beside its name in every decision (`overrides`).

| setting | |
|---|---|
| `robots.on_unreachable` | what is done while robots.txt is unreachable and no copy of it decides: `deny`, `warn` (fails open), `allow` (fails open without a warning: recommended) |
| `robots.max_age_seconds` | how long an answer counts at most without asking again; a longer `Retry-After` of a server in trouble still holds |

Unreachable is what the column *availability* calls so. What the guard refused and what failed on our own side is never
opened, and nothing is opened further than a last good copy that may serve allows. The verdict stays `unknown_unreachable`:
nothing is known.
";

fn document() -> String {
    let mut text = HEAD.to_owned();
    text.push_str("| mode | a decision |\n|---|---|\n");
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
        "\nWhat is done while robots.txt is unreachable changes with time in some presets: their steps stand below. 304 renews the\n\
         copy at hand in every preset; the table says what happens without one.\n",
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
        Some(age) => format!("A copy serves until it is {} old.", days(age)),
        None => "A copy of any age is used.".to_owned(),
    };
    let _ = writeln!(text, "\nWhile robots.txt is unreachable, counted from the first failure. {copy}\n");
    text.push_str("| until | with a copy | without one |\n|---|---|---|\n");
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
        return format!("{} if the rest of the site is reachable, otherwise {label}", Treatment::FailOpen.label());
    }
    format!("{label}{recommendation}")
}

fn days(duration: Duration) -> String {
    match duration.as_secs() / 3_600 {
        hours if hours.is_multiple_of(24) => format!("{} days", hours / 24),
        hours => format!("{hours} hours"),
    }
}
