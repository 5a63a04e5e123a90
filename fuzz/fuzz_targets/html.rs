//! Any page is parsed within the limits, and the place of every element is the start of a tag.
#![no_main]

use comity::html::{Facts, FactsOptions, MAX_ELEMENTS, MAX_TITLE_BYTES, decode, is_html};
use comity::http::Headers;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|page: &[u8]| {
    // The charset is given. Otherwise the page may declare a charset, and then places refer to the decoded text.
    let facts = FactsOptions::new().charset("utf-8").anchors(true).read(page);
    assert!(!facts.is_truncated() && facts.metas().len() <= MAX_ELEMENTS);
    let is_utf16 = page.starts_with(b"\xFF\xFE") || page.starts_with(b"\xFE\xFF");
    let metas = facts.metas().iter().map(|meta| meta.at());
    let links = facts.links().iter().map(|link| link.at());
    let nosnippets = facts.nosnippets().iter().map(|found| found.at());
    let anchors = facts.anchors().iter().map(|anchor| anchor.at());
    assert!(facts.anchors().len() <= MAX_ELEMENTS);
    assert!(facts.title().is_none_or(|title| title.len() <= 3 * MAX_TITLE_BYTES));
    for at in metas.chain(links).chain(nosnippets).chain(anchors) {
        assert!(at.line() >= 1);
        assert!(is_utf16 || page[at.offset()] == b'<', "{at:?}");
    }
    assert!(Facts::read(page).metas().len() <= MAX_ELEMENTS);
    let text = decode(page, None);
    assert!(text.len() <= 3 * page.len());
    let kind = is_html(&Headers::new(), page);
    assert!(page.len() < 1445 || kind == is_html(&Headers::new(), &page[..1445]));
    let few = FactsOptions::new().charset("shift_jis").max_bytes(page.len() / 2).max_elements(1).read(page);
    assert!(few.metas().len() <= 1 && few.nosnippets().len() <= 1);
});
