//! Every lint. A file for each subject holds the rows (code, severity, checks, documentation, a bad and a good example)
//! and the checks; a lint with a long check has a file of its own.
//!
//! A new lint is a row and a check. The tests then require that its bad example raises it and that its good example is
//! clean, and `UPDATE_DOCS=1` prints `docs/reference/lints.md`.

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

/// Every lint, in the order of the documentation.
pub(super) static ALL: &[&[&Lint]] = &[
    text::ALL,
    lines::ALL,
    groups::ALL,
    agents::ALL,
    patterns::ALL,
    rules::ALL,
    characters::ALL,
    reach::ALL,
    sitemaps::ALL,
    others::ALL,
    usage::ALL,
];
