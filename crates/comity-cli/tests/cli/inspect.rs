//! `comity inspect`.

use crate::comity;
use insta::assert_snapshot;

#[test]
fn all_records_of_a_file_are_shown() {
    assert_snapshot!(comity("inspect kinds.txt").shown());
    assert_snapshot!(comity("inspect --json kinds.txt").shown());
}

#[test]
fn long_groups_are_shortened_without_all() {
    let cut = comity("inspect long.txt").run().exits(0);
    assert!(cut.stdout.contains("... and 10 more rules (--all shows them)"), "{}", cut.stdout);
    assert!(!cut.stdout.contains("/section-30/"));
    let all = comity("inspect --all long.txt").run().exits(0);
    assert!(all.stdout.contains("/section-30/"));
}

#[test]
fn other_dialect_shows_other_groups() {
    assert_snapshot!(comity("inspect --dialect robotstxt-gem robots.txt").shown());
}

#[test]
fn licenses_apply_to_their_group_as_in_usage() {
    let body = "License: https://example.com/all.xml\n\n\
                User-agent: heron\nLicense: https://example.com/heron.xml\nDisallow: /a\n";
    let inspected = comity("inspect --json -").stdin(body).run().json();
    assert_eq!(inspected["site"][0]["value"], "https://example.com/all.xml");
    assert_eq!(inspected["site"].as_array().map(Vec::len), Some(1));
    assert_eq!(inspected["groups"][0]["extensions"][0]["value"], "https://example.com/heron.xml");
    assert_eq!(inspected["outside"].as_array().map(Vec::len), Some(0));
}

#[test]
fn too_large_number_is_saturated() {
    for (dialect, delay, rate, delay_seconds, rate_seconds) in [
        ("rfc9309", "18446744073709551616", "1/4294967296", 2f64.powi(64), u32::MAX),
        ("urllib", "4294967296", "1/4294967296", 2f64.powi(32), u32::MAX),
        ("gym2008", "inf", "1/1", 2f64.powi(64), 0),
    ] {
        let body = format!("User-agent: *\nCrawl-delay: {delay}\nRequest-rate: {rate}\nDisallow: /a\n");
        let inspected = comity(&format!("inspect --json --dialect {dialect} -")).stdin(body).run().json();
        let group = &inspected["groups"][0];
        assert_eq!(group["crawl_delay_seconds"].as_f64(), Some(delay_seconds), "{dialect}: {group}");
        let seconds = group["request_rate"]["seconds"].as_u64().unwrap_or_default();
        assert_eq!(seconds, u64::from(rate_seconds), "{dialect}: {group}");
    }
}

#[test]
fn odd_empty_missing_or_large_file_is_handled() {
    assert_snapshot!(comity("inspect odd.txt").shown());
    assert_snapshot!(comity("inspect -").stdin("").shown());
    assert_snapshot!(comity("inspect missing.txt").shown());
    let large = vec![b'#'; 600_000];
    let outcome = comity("inspect -").stdin(&large).run().exits(0);
    assert!(outcome.stdout.contains("first 512,000 bytes"), "{}", outcome.stdout);
    assert_eq!(comity("inspect --json -").stdin(&large).run().json()["truncated"], true);
}

#[test]
fn file_above_the_size_limit_is_refused() {
    let outcome = comity("inspect -").stdin(vec![b'#'; 64 * 1024 * 1024 + 1]).run().exits(2);
    assert!(outcome.stderr.contains("`stdin` is larger than 64 MiB"), "{}", outcome.stderr);
}
