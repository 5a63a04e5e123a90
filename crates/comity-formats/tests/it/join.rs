//! Tests of the columns for joins with the indexes of public crawls.

use std::io::Cursor;

use arrow_array::cast::AsArray;
use comity_formats::{ArchiveInput, PageOptions, Pages, SurtKey};
use serde_json::Value;

use crate::warcs;

/// Returns the values of a column of pages. Null becomes `-`.
fn column(name: &str, bytes: &[u8], options: &PageOptions, column: &str) -> Vec<String> {
    let pages = Pages::open(ArchiveInput::file(name, Cursor::new(bytes.to_vec())), options).unwrap();
    let batches = pages.map(Result::unwrap);
    let texts = batches.flat_map(|batch| {
        let texts = batch.column_by_name(column).unwrap().as_string::<i32>().clone();
        texts.iter().map(|text| text.unwrap_or("-").to_owned()).collect::<Vec<_>>()
    });
    texts.collect()
}

#[test]
fn keys_equal_those_of_the_package_surt() {
    for (number, line) in include_str!("surt.jsonl").lines().enumerate() {
        let case: Value = serde_json::from_str(line).unwrap();
        let url = case["url"].as_str().unwrap();
        let key = SurtKey::of_url(url);
        assert_eq!(key.as_ref().map(SurtKey::as_str), case["key"].as_str(), "line {}: {url}", number + 1);
        assert_eq!(key.as_ref().and_then(SurtKey::host), case["host"].as_str(), "line {}: {url}", number + 1);
    }
}

#[test]
fn key_of_a_long_hostile_url_is_computed() {
    let session = "(a1b2c3d4e5f6g7h8i9j0k1l2)/";
    let many = |part: &str| part.repeat((1 << 20) / part.len());
    for (before, part) in [
        ("http://example.com/%", "25"),
        ("http://example.com/", "../"),
        ("http://example.com/", session),
        ("http://example.com/?", "cfid="),
        ("http://example.com/?", "cfid=1&"),
        ("http://example.com/?", "&sid="),
        ("http://", "www."),
        ("http://", "1"),
        ("http://", "ü."),
        ("", "http://"),
        ("", "http:"),
    ] {
        let key = SurtKey::of_url(&format!("{before}{}", many(part)));
        assert!(key.is_none_or(|key| key.as_str().len() < 8 << 20), "{before}{part}");
    }
}

#[test]
fn join_columns_are_added_unless_the_input_has_them() {
    let options = PageOptions::new().join_keys(true);
    let csv = b"url,crawl\nhttps://www.example.com/B?b&a,mine\n,mine\nhttp://example.com:99999/,\n";
    assert_eq!(column("pages.csv", csv, &options, "url_surtkey"), ["com,example)/b?a&b", "-", "-"]);
    assert_eq!(column("pages.csv", csv, &options, "surt_host_name"), ["com,example", "-", "-"]);
    // A column of the input remains unchanged.
    assert_eq!(column("crawl=other/pages.csv", csv, &options, "crawl"), ["mine", "mine", "-"]);
    let pages = Pages::open(ArchiveInput::file("pages.csv", Cursor::new(csv.to_vec())), &options).unwrap();
    assert_eq!(pages.columns().join_keys, ["surt_host_name", "url_surtkey"]);
    let plain = Pages::open(ArchiveInput::file("pages.csv", Cursor::new(csv.to_vec())), &PageOptions::new());
    assert!(plain.unwrap().columns().join_keys.is_empty());
}

#[test]
fn crawl_is_the_option_or_found_in_columns_paths_or_warcinfo_records() {
    let options = PageOptions::new().join_keys(true);
    let cdxj = b"com,example)/ 20240301120000 {\"url\": \"http://example.com/\", \"filename\": \"crawl-data/CC-MAIN-2024-10/segments/1/warc/x.warc.gz\"}\n\
                 com,example)/a 20240301120000 {\"url\": \"http://example.com/a\", \"filename\": \"elsewhere/x.warc.gz\"}\n";
    assert_eq!(
        column("CC-MAIN-2024-18/cdx", cdxj, &options, "crawl"),
        ["CC-MAIN-2024-10", "CC-MAIN-2024-18"]
    );
    assert_eq!(column("cdx", cdxj, &options.clone().crawl("given"), "crawl"), ["given", "given"]);
    assert_eq!(column("pages.txt", b"http://example.com/\n", &options, "crawl"), ["-"]);

    let described =
        |text: &str| warcs::record_with("warcinfo", "x", "2024-03-01T12:00:00Z", "", text.as_bytes());
    let page = |url: &str| warcs::response(url, "2024-03-01T12:00:00Z", 200, "", "<p>");
    let records = [
        described("software: x\r\nisPartOf: CC-MAIN-2024-30\r\n"),
        page("http://a.example/"),
        described("isPartOf: CC-MAIN-2024-33\r\n"),
        page("http://b.example/"),
        page("http://c.example/"),
        described("software: x\r\n"),
        page("http://d.example/"),
    ];
    for bytes in [records.concat(), warcs::gzipped(&records)] {
        let crawls = column("CC-MAIN-20240713040138-20240713070138-00000.warc.gz", &bytes, &options, "crawl");
        assert_eq!(crawls, ["CC-MAIN-2024-30", "CC-MAIN-2024-33", "CC-MAIN-2024-33", "-"]);
    }
}
