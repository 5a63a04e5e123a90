//! All lints. Each file covers one subject and holds its rows (code, severity, checks, documentation, a bad and a good
//! example) and its checks. A lint with a long check has its own file.
//!
//! To add a lint, add a row and a check. The tests then require that the bad example raises the lint and that the good
//! example is clean. `UPDATE_DOCS=1` prints `docs/reference/lints.md`.

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

/// All lints, in the order of the documentation.
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
