//! Any header value is parsed within the limits. In every profile, each directive is the cause of a warning or is set
//! aside.
#![no_main]

use std::time::SystemTime;

use comity::finding::{LIMIT, Reader};
use comity::html::Facts;
use comity::http::Headers;
use comity::page::{MAX_STATEMENTS, PageDirectives, Profile, SourceKind};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|value: &[u8]| {
    let meta = [b"<meta name=robots content=\"", value, b"\"><p data-nosnippet>"].concat();
    let headers: Headers =
        [("X-Robots-Tag", value), ("Robots-Tag", value), ("X-Robots-Tag", b"noindex")].into_iter().collect();
    let page = PageDirectives::of_header(&headers).and_page(&Facts::read(&meta));
    let statements = page.statements();
    assert!(
        statements.len() <= MAX_STATEMENTS
            && page.findings().len() <= Reader::Page.kinds().len() * (LIMIT + 1)
    );
    for statement in statements.iter().filter(|statement| statement.source().kind() == SourceKind::XRobotsTag)
    {
        let text = value.get(statement.source().offset()..).unwrap_or_default();
        let is_exact = std::str::from_utf8(value).is_ok() && statement.source().number() == 1;
        assert!(!is_exact || text.starts_with(statement.text().as_bytes()), "{statement:?}");
    }
    for profile in Profile::ALL {
        for token in ["googlebot", "adsbot-google", "yandexbot", "heron"] {
            let outcome = page.outcome(token, profile, SystemTime::UNIX_EPOCH);
            let causes = outcome.warnings().iter().flat_map(|warning| warning.causes().iter().copied());
            let set_aside = outcome.set_aside().iter().map(|aside| aside.statement());
            let mut accounted: Vec<*const _> = causes.chain(set_aside).map(std::ptr::from_ref).collect();
            accounted.sort_unstable();
            accounted.dedup();
            assert_eq!(accounted.len(), statements.len());
            assert!(outcome.set_aside().len() <= statements.len());
        }
    }
});
