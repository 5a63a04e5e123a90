//! `comity status`. The tests set the current time with `--now`.

use crate::{Run, comity, decision_fields, keys};
use insta::assert_snapshot;

const NOW: &str = "2026-11-21T06:00:00Z";

fn status(args: &str) -> Run {
    comity("status --now").arg(NOW).args(args)
}

#[test]
fn answer_without_urls_shows_the_state() {
    assert_snapshot!(status("--code 503").shown());
    assert_snapshot!(status("--code 404 --preset gym2008").shown());
    assert_snapshot!(status("--code 200 --body robots.txt").shown());
    assert_snapshot!(status("--code 403 --preset strict --age 90m").shown());
}

#[test]
fn preset_that_fails_open_is_named() {
    assert_snapshot!(status("--preset ladon --code 503").shown());
    assert_snapshot!(status("--preset ladon --code 503 --agent GPTBot /blog").shown());
    assert_snapshot!(status("--preset google --error timeout --failing-for 13h").shown());
    assert_snapshot!(status("--preset google --code 500 --failing-for 31d --site reachable").shown());
    assert_snapshot!(status("--preset google --code 500 --failing-for 31d --site unreachable").shown());
}

#[test]
fn urls_are_decided_with_and_without_rules() {
    let asked = "--agent GPTBot https://example.com/blog /robots.txt";
    assert_snapshot!(status("--code 200 --body robots.txt").args(asked).shown());
    assert_snapshot!(status("--code 503").args(asked).shown());
    assert_snapshot!(status("--code 503 --mode report_only").args(asked).shown());
    assert_snapshot!(status("--code 503 --mode ignore").args(asked).shown());
}

#[test]
fn last_good_copy_is_used_in_an_outage() {
    let copy = "--code 503 --copy robots.txt --agent GPTBot /blog";
    assert_snapshot!(status("--copy-age 2d").args(copy).shown());
    assert_snapshot!(status("--copy-age 31d").args(copy).shown());
    assert_snapshot!(status("--copy-age 40d --failing-for 2d --preset google").args(copy).shown());
}

#[test]
fn header_sets_the_lifetime() {
    let header = "HTTP/1.1 301 Moved\r\nLocation: /r\r\n\r\nHTTP/2 200\r\ncache-control: max-age=3600\r\nage: 60\r\n\r\n";
    let run = status("--headers - --body robots.txt --redirect https://example.com/r").stdin(header);
    assert_snapshot!(run.shown());
    assert_snapshot!(status("--code 503 --headers -").stdin("Retry-After: 7200\n").shown());
}

#[test]
fn body_other_than_robots_txt_has_its_treatment() {
    assert_snapshot!(status("--code 200 --body -").stdin("<html><title>No</title>").shown());
    assert_snapshot!(status("--code 200 --body - --preset strict").stdin(b"\x1f\x8b\x08\0\0\0").shown());
}

#[test]
fn json_has_the_same_fields_with_and_without_urls() {
    let with = status("--code 200 --body robots.txt --json --agent GPTBot /blog").run();
    let without = status("--code 200 --body robots.txt --json").run().exits(0);
    assert_eq!(keys(&with.stdout), keys(&without.stdout));
    assert_eq!(keys(&with.stdout), decision_fields());
    let (with, without) = (with.json(), without.json());
    // If rules decide, the result is unknown without a URL.
    for name in ["verdict", "recommendation", "blocked", "rule", "group", "basis"] {
        assert!(!with[name].is_null() && without[name].is_null(), "{name}");
    }
    for name in ["treatment", "stale", "preset", "mode", "dialect", "outage"] {
        assert_eq!(with[name], without[name], "{name}");
    }
    let fixed = status("--preset ladon --error dns --json").run().exits(0).json();
    assert_eq!((&fixed["verdict"], &fixed["failed_open"]), (&"unknown_unreachable".into(), &true.into()));
    assert_eq!(fixed["outage"]["failure"], "dns");
}

#[test]
fn time_in_seconds_is_accepted() {
    let run = |now: &str| comity("status --code 404 --now").arg(now).run().exits(0).stdout;
    assert_eq!(run("2026-11-21T06:00:00Z"), run("1795240800"));
    assert_eq!(run("2026-11-21T06:00:00Z"), run("2026-11-21T08:00:00+02:00"));
}

#[test]
fn default_time_is_now() {
    let outcome = comity("status --code 404 --json").run().exits(0);
    let fetched: jiff::Timestamp =
        outcome.json()["evidence"]["fetched_at"].as_str().expect("a time").parse().expect("RFC 3339");
    let age = jiff::Timestamp::now().as_second() - fetched.as_second();
    assert!((0..3_600).contains(&age), "{age}");
}

#[test]
fn invalid_input_is_an_error() {
    assert_snapshot!(comity("status").shown());
    assert_snapshot!(status("--code 404 --preset googel").shown());
    assert_snapshot!(status("--error tmeout").shown());
    assert_snapshot!(status("--code 404 --agent GPTBot").shown());
    assert_snapshot!(status("--code 404 /page").shown());
    assert_snapshot!(status("--code 404 --at yesterday").shown());
    assert_snapshot!(status("--code 404 --age soon").shown());
    assert_snapshot!(status("--headers -").stdin("Age: 3\n").shown());
    assert_snapshot!(status("--headers - --body -").stdin("").shown());
    assert_snapshot!(status("--code 503 --age 2d --failing-for 1d").shown());
    assert_snapshot!(status("--code 404 --at 2026-11-22T00:00:00Z").shown());
    assert_snapshot!(status("--code 200 --agent GPTBot example.com/page /a").shown());
    assert_snapshot!(status("--code 200 --body missing.txt").shown());
}
