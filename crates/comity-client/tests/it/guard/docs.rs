//! The tables of `docs/reference/guard.md` are generated from the code; `UPDATE_DOCS=1` rewrites them.

use comity_client::guard::{RefusalReason, blocks};
use testkit::printed::{assert_printed, table};

#[test]
fn the_table_of_the_document_is_up_to_date() {
    let rows = blocks().iter().map(|block| {
        let verdict = block.reason().map_or("allows".to_owned(), |reason| format!("refuses: `{reason}`"));
        [format!("`{}`", block.network()), block.name().to_owned(), block.source().to_owned(), verdict]
    });
    let header = ["network", "what it is", "defined in", "the guard"];
    assert_printed("docs/reference/guard.md", &[("blocks", table(header, rows))]);
}

/// Refusals other than networks are described in prose, which must mention every reason.
#[test]
fn every_reason_is_documented() {
    let page = include_str!("../../../../../docs/reference/guard.md");
    for reason in RefusalReason::ALL {
        assert!(page.contains(&format!("`{reason}`")), "{reason}");
    }
}
