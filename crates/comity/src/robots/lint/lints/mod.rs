//! All lints. Each file contains the lints of one subject: a row for each lint (code, severity, checks, documentation,
//! a bad and a good example), and the checks. A lint with a long check has its own file.
//!
//! To add a lint, add a row and a check. The tests then require that the bad example has the finding and that the good
//! example has none. `UPDATE_DOCS=1` prints `docs/reference/lints`.

use super::Lint;

mod agents;
mod blocks_assets;
mod case_twin;
mod characters;
mod content_signal_term;
mod groups;
mod lines;
mod not_a_directive;
mod not_robots_txt;
mod others;
mod patterns;
mod placeholder_sitemap;
mod reach;
mod redundant_rule;
mod rules;
mod sitemaps;
mod star_rules_dropped;
mod text;
mod usage;

/// All lints by subject, in the order of the documentation. Each subject is a page of `docs/reference/lints`.
pub(super) static SUBJECTS: &[(&str, &[&Lint])] = &[
    ("text", text::ALL),
    ("lines", lines::ALL),
    ("groups", groups::ALL),
    ("agents", agents::ALL),
    ("patterns", patterns::ALL),
    ("rules", rules::ALL),
    ("characters", characters::ALL),
    ("reach", reach::ALL),
    ("sitemaps", sitemaps::ALL),
    ("others", others::ALL),
    ("usage", usage::ALL),
];

/// Returns all lints, in the order of the documentation.
pub(super) fn all() -> impl Iterator<Item = &'static Lint> {
    SUBJECTS.iter().flat_map(|(_, lints)| lints.iter().copied())
}
