//! The pages of `docs/reference/presets` are printed from the code; `UPDATE_DOCS=1` updates them.

use std::fmt::Write as _;
use std::time::Duration;

use comity::policy::{AnswerKind, Mode, OutageStep, Preset, Treatment};
use testkit::printed::{assert_pages, assert_printed, table};

const PRINTED: &str =
    "<!-- Printed from the code: UPDATE_DOCS=1 cargo test -p comity --test it preset_docs -->";

#[test]
fn documentation_of_presets_matches_the_code() {
    let presets = Preset::ALL.map(|preset| {
        [format!("[{preset}]({preset}.md){}", default_mark(preset)), preset.defined_by().to_owned()]
    });
    let modes = Mode::ALL.map(|mode| [format!("`{mode}`"), mode.summary().to_owned()]);
    let tables = [
        ("presets", table(["preset", "defined by"], presets)),
        ("modes", table(["mode", "meaning"], modes)),
        ("treatments", treatments()),
    ];
    assert_printed("docs/reference/presets/README.md", &tables);
    assert_pages("docs/reference/presets", &Preset::ALL.map(|preset| (preset.to_string(), page(preset))));
}

fn default_mark(preset: Preset) -> &'static str {
    if preset == Preset::default() { " (default)" } else { "" }
}

/// Returns a table with the treatment of each kind of answer by each preset.
fn treatments() -> String {
    let header = Preset::ALL.map(|preset| format!(" `{preset}` |")).concat();
    let mut text = format!("| answer |{header}\n|---|{}\n", "---|".repeat(Preset::ALL.len()));
    for kind in AnswerKind::ALL {
        let cells = Preset::ALL.map(|preset| format!(" {} |", preset.entry(kind))).concat();
        let _ = writeln!(text, "| {} |{cells}", kind.label());
    }
    text
}

fn page(preset: Preset) -> String {
    let mut text = format!("# Preset {preset}{}\n\n{PRINTED}\n\n", default_mark(preset));
    let _ = writeln!(text, "Defined by: {}.\n", preset.defined_by());
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
    text += &answers(preset);
    text += &steps(preset);
    text
}

/// Returns the table of the preset: a row for each kind of answer.
fn answers(preset: Preset) -> String {
    let rows = AnswerKind::ALL.map(|kind| {
        let entry = preset.entry(kind);
        let by_rules = || "by the rules".to_owned();
        [
            kind.label().to_owned(),
            entry.availability().to_string(),
            entry.to_string(),
            entry.verdict().map_or_else(by_rules, |verdict| format!("`{verdict}`")),
            entry.recommendation().map_or_else(by_rules, |recommendation| format!("`{recommendation}`")),
            entry.lifetime().to_string(),
        ]
    });
    table(["answer", "availability", "treatment", "verdict", "recommendation", "kept for"], rows)
}

/// Returns the treatments during an outage, if they change with time.
fn steps(preset: Preset) -> String {
    if preset.outage_steps().is_empty() {
        return String::new();
    }
    let copy = match preset.stale_for() {
        Some(age) => format!("A copy can be used until it is {} old.", days(age)),
        None => "A copy of any age can be used.".to_owned(),
    };
    let rows = preset.outage_steps().iter().map(|step| {
        let until = step.until().map_or("the end".to_owned(), days);
        [until, outcome(step, step.with_copy()), outcome(step, step.without_copy())]
    });
    let steps = table(["until", "with a copy", "without one"], rows);
    format!(
        "\nTreatment of an unreachable robots.txt, by the time since the first failure. {copy}\n\n{steps}"
    )
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
