//! Any page is converted to Markdown of bounded length. A second conversion has an equal result.
#![no_main]

use comity::html::{Markdown, MarkdownOptions};
use libfuzzer_sys::fuzz_target;
use url::Url;

fuzz_target!(|page: &[u8]| {
    let html = String::from_utf8_lossy(page);
    let markdown = Markdown::of(&html);
    let most = 8 * html.len() + (64 << 10);
    assert!(markdown.text().len() <= most);
    assert_eq!(markdown, Markdown::of(&html));
    if let Ok(base) = Url::parse("https://example.com/a/") {
        assert!(MarkdownOptions::new().base(&base).convert(&html).text().len() <= most);
    }
});
