//! Any bytes are parsed as an llms.txt. Its links, lines and findings are consistent and within the limits.
#![no_main]

use comity::finding::{LIMIT, Reader as Finder};
use comity::llms::{LlmsTxt, Reader, Strategy, candidates, check_strict, first_permitted};
use comity::policy::Recommendation;
use libfuzzer_sys::fuzz_target;
use url::Url;

fuzz_target!(|body: &[u8]| {
    let Ok(home) = Url::parse("https://example.com/docs/llms.txt") else { return };
    let llms = Reader::new().url(home.clone()).max_links(50).read(body);
    let last = llms.lines().max(1);
    assert!(llms.links().count() <= 50);
    assert!(llms.links().all(|link| (1..=last).contains(&link.line())));
    assert!(
        llms.findings().iter().all(|finding| (Some(1)..=Some(last.into())).contains(&finding.place().line))
    );
    assert!(llms.findings().len() <= Finder::Llms.kinds().len() * (LIMIT + 1));
    if check_strict(body).is_none() {
        let strict = LlmsTxt::parse(body);
        assert!(
            strict.title().is_some()
                || strict.findings().iter().any(|finding| finding.code() == "llms-no-h1")
        );
    }
    for link in llms.links() {
        let Some(page) = link.url() else { continue };
        let found = candidates(page, Some(&llms), Strategy::Prefer);
        assert_eq!(link.is_fetchable(), !found.is_empty());
        let _ = first_permitted(&found, |_| Recommendation::NotRecommended);
    }
});
