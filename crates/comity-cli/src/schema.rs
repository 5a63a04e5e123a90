//! JSON Schemas of the rows that commands print.

use comity_answers::agents::{AddressRow, AgentRow};
use comity_answers::dialects::DialectRow;
use comity_answers::inspect::InspectRow;
use comity_answers::llms::LlmsRow;
use comity_answers::page::PageRow;
use comity_answers::presets::PresetRow;
use comity_answers::schema::{ROWS as SHARED, RowSchema};
use comity_answers::sitemap::SitemapRow;
use comity_answers::test::TestRow;

#[cfg(feature = "live")]
use crate::commands::fetch;
#[cfg(feature = "jobs")]
use crate::commands::{audit, logs};
use crate::text::lint;
#[cfg(feature = "live")]
use crate::text::{config, directory, stored, watch};

/// Returns all schemas.
pub fn rows() -> impl Iterator<Item = RowSchema> {
    let mut rows = SHARED.to_vec();
    rows.extend([
        lint::SCHEMA,
        lint::STATISTICS_SCHEMA,
        RowSchema::new::<InspectRow>("inspection", "a line of `comity inspect`"),
        RowSchema::new::<AgentRow<'static>>("agent", "a line of `comity agents`"),
        RowSchema::new::<AddressRow<'static>>("address", "a line of `comity agents --address`"),
        RowSchema::new::<DialectRow>("dialect", "a line of `comity dialects`"),
        RowSchema::new::<PresetRow>("preset", "a line of `comity presets`"),
        RowSchema::new::<PageRow<'static>>("page", "the output of `comity page`"),
        RowSchema::new::<LlmsRow<'static>>("llms", "the output of `comity llms`"),
        RowSchema::new::<SitemapRow<'static>>("sitemap", "a line of `comity sitemap`"),
        RowSchema::new::<TestRow<'static>>("test", "a line of `comity test`"),
    ]);
    #[cfg(feature = "live")]
    rows.extend([
        RowSchema::new::<config::Report>("config", "the output of `comity config`"),
        fetch::SCHEMA,
        watch::row::SCHEMA,
        stored::SCHEMA,
        directory::SCHEMA,
    ]);
    #[cfg(feature = "jobs")]
    rows.extend([logs::SCHEMA, audit::SCHEMA, audit::INDEX_SCHEMA, audit::VERIFY_SCHEMA]);
    rows.into_iter()
}
