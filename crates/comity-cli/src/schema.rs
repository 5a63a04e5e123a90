//! JSON Schemas of the rows that commands print.

use comity_answers::schema::{ROWS as SHARED, RowSchema};

use crate::commands::{
    audit, cache, config, dialects, fetch, inspect, lint, llms, logs, page, presets, sitemap, test,
};

/// Returns the schemas of all rows.
pub fn rows() -> impl Iterator<Item = RowSchema> {
    let own = [
        lint::SCHEMA,
        lint::STATISTICS_SCHEMA,
        inspect::SCHEMA,
        dialects::SCHEMA,
        presets::SCHEMA,
        config::SCHEMA,
        fetch::SCHEMA,
        cache::SCHEMA,
        page::SCHEMA,
        llms::SCHEMA,
        sitemap::SCHEMA,
        test::SCHEMA,
        logs::SCHEMA,
        audit::SCHEMA,
        audit::INDEX_SCHEMA,
    ];
    SHARED.into_iter().chain(own)
}
