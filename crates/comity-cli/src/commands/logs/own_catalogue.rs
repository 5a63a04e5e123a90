//! Catalogue entries for crawlers that the catalogue does not contain (`--unknown-agents`).

use std::fmt::Write as _;

use comity_logs::LogsSummary;

/// Returns the entries as TOML. Names consist of letters, digits, `-`, `_` and `.` only; other text is in comments, on
/// one line.
pub(super) fn entries(summary: &LogsSummary) -> String {
    let mut text = String::from(
        "# Crawlers that declare themselves in access logs and are not in the catalogue, for `--catalogue FILE`.\n\
         # purpose: search, training, ai_search, user_triggered, seo, archive, social, monitoring or other\n",
    );
    let mut rows: Vec<_> = summary.unknown().collect();
    rows.sort_by_cached_key(|row| row.agent.to_ascii_lowercase());
    rows.dedup_by(|a, b| a.agent == b.agent);
    for row in rows {
        let header = row.user_agent.as_deref().unwrap_or_default();
        let _ = write!(
            text,
            "\n[[crawler]]\n# {} requests, {} disallowed; {header}\ntoken = \"{}\"\noperator = \"unknown\"\npurpose = \"other\"\n",
            row.requests, row.disallowed, row.agent
        );
    }
    text
}
