//! Crawlers with equal results, which share a row in the text and on the page.

use super::phrases;
use comity::agents::KnownAgent;
use comity_answers::matrix::{MatchedBy, Matrix, Row};

/// Crawlers with equal results.
pub(super) struct CrawlerGroup<'m> {
    /// The first crawler, whose results are shown.
    pub(super) first: &'m Row,
    pub(super) rows: Vec<&'m Row>,
    /// The phrase about the rules of the first crawler.
    pub(super) result: String,
}

/// Combines crawlers with equal results. Keeps the order of the first crawlers. Results are equal if the verdicts are
/// equal, and the crawlers have the same group, or groups with equal rules and delays.
pub(super) fn group_equal<'m>(
    matrix: &Matrix,
    rows: impl IntoIterator<Item = &'m Row>,
) -> Vec<CrawlerGroup<'m>> {
    let mut found: Vec<CrawlerGroup<'m>> = Vec::new();
    for row in rows {
        let result = phrases::rules_and_group(matrix, row);
        let is_same = |other: &&mut CrawlerGroup<'_>| {
            let allowed = |row: &Row| -> Vec<bool> {
                row.decisions.iter().map(|decided| decided.is_allowed()).collect()
            };
            other.first.access == row.access
                && allowed(other.first) == allowed(row)
                && (other.result == result || has_the_same_rules(other.first, row))
        };
        match found.iter_mut().find(is_same) {
            Some(same) => same.rows.push(row),
            None => found.push(CrawlerGroup { first: row, rows: vec![row], result }),
        }
    }
    found
}

/// Returns true if two crawlers are named by groups with equal rules and delays.
fn has_the_same_rules(one: &Row, other: &Row) -> bool {
    [one, other].into_iter().all(|row| row.matched_by == MatchedBy::Own)
        && one.crawl_delay_seconds == other.crawl_delay_seconds
        && one.all_rules == other.all_rules
}

impl CrawlerGroup<'_> {
    /// Returns the names, each with remarks for the owner of the site.
    pub(super) fn names(&self) -> impl Iterator<Item = (String, Vec<String>)> {
        self.rows.iter().map(|row| {
            let remarks = phrases::delay_remark(row).into_iter().chain(phrases::remarks(row));
            (row.name(), remarks.collect())
        })
    }

    /// Returns the crawlers of the catalogue.
    pub(super) fn known(&self) -> impl Iterator<Item = &KnownAgent> {
        self.rows.iter().filter_map(|row| row.known)
    }

    /// Returns a remark about the number of other groups with equal rules; `None` without such groups.
    pub(super) fn repeated_rules_remark(&self) -> Option<String> {
        let mut lines: Vec<u32> = self.rows.iter().filter_map(|row| row.group_line).collect();
        lines.sort_unstable();
        lines.dedup();
        match lines.len() {
            0 | 1 => None,
            2 => Some("the same in another group".to_owned()),
            groups => Some(format!("the same in {} other groups", groups - 1)),
        }
    }
}
