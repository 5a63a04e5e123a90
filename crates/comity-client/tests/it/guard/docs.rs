//! The tables of `docs/reference/guard.md` are generated from the code; `UPDATE_DOCS=1` rewrites them.

use comity_client::guard::{RefusalReason, blocks};
use testkit::printed::{assert_printed, table};

#[test]
fn table_of_the_guard_document_is_up_to_date() {
    let rows = blocks().iter().map(|block| {
        let verdict = block.reason().map_or("allows".to_owned(), |reason| format!("refuses: `{reason}`"));
        [format!("`{}`", block.network()), block.name().to_owned(), block.source().to_owned(), verdict]
    });
    let header = ["network", "purpose", "source", "the guard"];
    assert_printed("docs/reference/guard.md", &[("blocks", table(header, rows))]);
}

/// Tables list only networks. The text of the page must mention all other reasons of refusals.
#[test]
fn every_refusal_reason_is_documented() {
    let page = include_str!("../../../../../docs/reference/guard.md");
    for reason in RefusalReason::ALL {
        assert!(page.contains(&format!("`{reason}`")), "{reason}");
    }
}
