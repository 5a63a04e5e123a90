//! `comity watch`.

use std::fs;
use std::path::Path;

use serde_json::Value;
use testkit::servers::{Origin, Reply};

use super::live;
use crate::Outcome;

const OPEN: &str = "User-agent: *\nDisallow: /cart\n";
const CLOSED: &str = "User-agent: *\nDisallow: /cart\n\nUser-agent: GPTBot\nDisallow: /\n";

/// Watches a site once, with its versions in `folder`.
fn watch(origin: &Origin, folder: &Path, args: &str) -> Outcome {
    live("watch --once --state versions").args(args).arg(&origin.url("/")).dir(folder).run()
}

/// Returns the events in the list of versions.
fn events(folder: &Path) -> Vec<String> {
    let list = fs::read_to_string(folder.join("versions/manifest.jsonl")).expect("a list");
    let event = |line: &str| {
        serde_json::from_str::<Value>(line).expect("JSON")["event"].as_str().expect("a name").to_owned()
    };
    list.lines().map(event).collect()
}

#[test]
fn change_is_reported_with_the_crawlers_that_lose_access() {
    let (origin, folder) = (Origin::start(), tempfile::tempdir().unwrap());
    origin.on("/robots.txt", Reply::ok(OPEN));
    let first = watch(&origin, folder.path(), "").exits(0);
    assert!(first.stdout.contains("stored as the first version"), "{}", first.stdout);
    assert_eq!(watch(&origin, folder.path(), "").exits(0).stdout, "");
    origin.on("/robots.txt", Reply::ok(CLOSED));
    let changed = watch(&origin, folder.path(), "--json").exits(1).json();
    assert_eq!(changed["event"], "changed");
    let access = changed["access"].as_array().unwrap();
    assert_eq!(
        (&access[0]["agent"], &access[0]["old"], &access[0]["new"]),
        (&"GPTBot".into(), &"partly".into(), &"disallowed".into())
    );
    assert_eq!(access.len(), 1);
    assert!(changed["changes"]["agents"][0]["gained"].to_string().contains("\"/\""));
    origin.on("/robots.txt", Reply::ok(format!("# layout\n{CLOSED}")));
    let layout = watch(&origin, folder.path(), "").exits(0);
    assert!(layout.stdout.contains("the meaning is the same"), "{}", layout.stdout);
    assert_eq!(events(folder.path()), ["first", "changed", "layout"]);
}

#[test]
fn sitemap_that_stops_answering_is_reported() {
    let (origin, folder) = (Origin::start(), tempfile::tempdir().unwrap());
    let (kept, closed) = (origin.url("/kept.xml"), origin.url("/closed.xml"));
    let text = format!("{OPEN}Disallow: /closed\nSitemap: {kept}\nSitemap: {closed}\nSitemap: kept.xml\n");
    origin.on("/robots.txt", Reply::ok(text)).on("/kept.xml", Reply::ok("<urlset/>"));
    origin.on("/closed.xml", Reply::status(500));
    let flags = "--sitemaps --json";
    watch(&origin, folder.path(), "").exits(0);
    // The first answers of sitemaps are stored and not reported.
    watch(&origin, folder.path(), flags).exits(0);
    assert_eq!(watch(&origin, folder.path(), flags).exits(0).stdout, "");
    origin.on("/kept.xml", Reply::status(404));
    let stopped = watch(&origin, folder.path(), flags).exits(1).json();
    assert_eq!(
        (&stopped["event"], &stopped["stopped_sitemaps"]),
        (&"sitemaps".into(), &vec![kept.clone()].into())
    );
    assert_eq!(watch(&origin, folder.path(), flags).exits(0).stdout, "");
    origin.on("/kept.xml", Reply::ok("<urlset/>"));
    let restored = watch(&origin, folder.path(), "--sitemaps").exits(1);
    assert!(restored.stdout.contains(&format!("sitemap answers again: {kept}")), "{}", restored.stdout);
    assert_eq!(origin.count("/closed.xml"), 0);
    assert_eq!(events(folder.path()), ["first", "unchanged", "sitemaps", "sitemaps"]);
}

#[test]
fn stored_version_of_a_time_is_printed_without_a_request() {
    let (origin, folder) = (Origin::start(), tempfile::tempdir().unwrap());
    let site = origin.url("").trim_end_matches('/').to_owned();
    let lines = [
        ("2026-03-01T00:00:00Z", "success", 200, true, Some("a.txt")),
        ("2026-04-01T00:00:00Z", "server_error", 503, false, None),
        ("2026-05-01T00:00:00Z", "not_found", 404, true, None),
        ("2026-06-01T00:00:00Z", "success", 200, true, Some("b.txt")),
    ];
    let lines: String = lines
        .iter()
        .map(|(time, answer, status, is_readable, body_file)| {
            let line = serde_json::json!({
                "origin": site, "time": time, "event": "changed", "answer": answer, "status": status,
                "is_readable": is_readable, "failure": null, "digest": null, "body_file": body_file,
            });
            format!("{line}\n")
        })
        .collect();
    let versions = folder.path().join("versions");
    fs::create_dir_all(&versions).unwrap();
    fs::write(versions.join("manifest.jsonl"), lines).unwrap();
    fs::write(versions.join("a.txt"), OPEN).unwrap();
    fs::write(versions.join("b.txt"), CLOSED).unwrap();
    let at = |time: &str| {
        live("watch --state versions").args("--at").arg(time).arg(&site).dir(folder.path()).run()
    };

    assert_eq!(at("2026-03-01").exits(0).stdout, OPEN);
    let outage = at("2026-04-15T12:00:00Z").exits(0);
    assert_eq!(outage.stdout, OPEN);
    assert!(outage.stderr.contains("requests failed from 2026-04-01T00:00:00Z on"), "{}", outage.stderr);
    let absent = at("2026-05-02").exits(2);
    assert!(
        absent.stderr.contains("had no robots.txt") && absent.stderr.contains("404"),
        "{}",
        absent.stderr
    );
    assert_eq!(at("2026-06-02").exits(0).stdout, CLOSED);
    let early = at("2026-02-28").exits(2);
    assert!(early.stderr.contains("has no answer"), "{}", early.stderr);
    assert!(origin.requests().is_empty());
}

#[test]
fn version_that_returns_within_a_day_is_not_reported_again() {
    let (origin, folder) = (Origin::start(), tempfile::tempdir().unwrap());
    for (robots, exit) in [(OPEN, 0), (CLOSED, 1), (OPEN, 0), (CLOSED, 0)] {
        origin.on("/robots.txt", Reply::ok(robots));
        watch(&origin, folder.path(), "").exits(exit);
    }
    assert_eq!(events(folder.path()), ["first", "changed", "returned", "returned"]);
}

#[test]
fn outage_is_reported_at_its_second_failure_and_at_its_end() {
    let (origin, folder) = (Origin::start(), tempfile::tempdir().unwrap());
    for (reply, exit) in [
        (Reply::ok(OPEN), 0),
        (Reply::status(503), 0),
        (Reply::status(503), 1),
        (Reply::status(500), 0),
        (Reply::ok(OPEN), 1),
    ] {
        origin.on("/robots.txt", reply);
        watch(&origin, folder.path(), "").exits(exit);
    }
    assert_eq!(events(folder.path()), ["first", "failing", "unreachable", "recovered"]);
}

#[test]
fn file_that_a_page_replaces_is_a_change() {
    let (origin, folder) = (Origin::start(), tempfile::tempdir().unwrap());
    origin.on("/robots.txt", Reply::ok(CLOSED));
    watch(&origin, folder.path(), "").exits(0);
    origin.on("/robots.txt", Reply::html_soft_404());
    let changed = watch(&origin, folder.path(), "").exits(1);
    assert!(changed.stdout.contains("HTML without a record"), "{}", changed.stdout);
    assert!(changed.stdout.contains("disallowed -> allowed: GPTBot"), "{}", changed.stdout);
}

#[test]
fn versions_decide_audits_and_access_logs() {
    let (origin, folder) = (Origin::start(), tempfile::tempdir().unwrap());
    for robots in [OPEN, CLOSED] {
        origin.on("/robots.txt", Reply::ok(robots));
        watch(&origin, folder.path(), "");
    }
    let pages = format!("url\n{}\n", origin.url("/page"));
    fs::write(folder.path().join("pages.csv"), pages).unwrap();
    let args = "audit run pages.csv --robots versions --as-of now --agent GPTBot --output verdicts.csv -q";
    crate::comity(args).dir(folder.path()).run().exits(0);
    let verdicts = fs::read_to_string(folder.path().join("verdicts.csv")).unwrap();
    assert!(verdicts.contains("disallowed_explicit"), "{verdicts}");
    let site = fs::read_dir(folder.path().join("versions")).unwrap().find_map(|entry| {
        let entry = entry.unwrap();
        entry.file_type().unwrap().is_dir().then(|| entry.file_name().into_string().unwrap())
    });
    let line = r#"192.0.2.1 - - [01/Jan/2099:00:00:00 +0000] "GET /a HTTP/1.1" 200 1 "-" "GPTBot/1.2""#;
    fs::write(folder.path().join("access.log"), format!("{line}\n")).unwrap();
    let robots = format!("versions/{}", site.unwrap());
    let logs =
        crate::comity("logs access.log --json --robots").arg(&robots).dir(folder.path()).run().exits(1);
    assert_eq!(logs.json_lines()[0]["disallowed"], 1, "{}", logs.stdout);
}

#[test]
fn line_of_a_killed_run_is_removed_and_a_damaged_list_is_refused() {
    let (origin, folder) = (Origin::start(), tempfile::tempdir().unwrap());
    origin.on("/robots.txt", Reply::ok(OPEN));
    watch(&origin, folder.path(), "").exits(0);
    let list = folder.path().join("versions/manifest.jsonl");
    let whole = fs::read_to_string(&list).unwrap();
    fs::write(&list, format!("{whole}{}", &whole[..40])).unwrap();
    origin.on("/robots.txt", Reply::ok(CLOSED));
    watch(&origin, folder.path(), "").exits(1);
    assert_eq!(events(folder.path()), ["first", "changed"]);
    let outside = whole.replace("\"body_file\":\"", "\"body_file\":\"../");
    fs::write(&list, outside).unwrap();
    let refused = watch(&origin, folder.path(), "").exits(0);
    assert!(refused.stderr.contains("leads out of the folder"), "{}", refused.stderr);
    fs::write(&list, format!("no version\n{whole}")).unwrap();
    let refused = watch(&origin, folder.path(), "").exits(2);
    assert!(refused.stderr.contains("line 1 is not a version"), "{}", refused.stderr);
}

#[test]
fn list_of_sites_is_read_and_a_local_outage_is_not_stored() {
    let (origin, folder) = (Origin::start(), tempfile::tempdir().unwrap());
    origin.on("/robots.txt", Reply::ok(OPEN));
    let names = ["a", "b", "c"].map(|name| origin.url_as(&format!("{name}.localhost"), ""));
    fs::write(folder.path().join("sites.txt"), format!("# sites\n\n{}\n", names.join("\n"))).unwrap();
    let run = || live("watch --once --sites sites.txt --state versions --json").dir(folder.path()).run();
    assert_eq!(run().exits(0).json_lines().len(), 3);
    origin.on("/robots.txt", Reply::reset());
    let failed = run().exits(2);
    assert!(failed.stderr.contains("3 of 3 sites cannot be reached"), "{}", failed.stderr);
    assert_eq!(events(folder.path()), ["first", "first", "first"]);
    fs::write(folder.path().join("sites.txt"), "not a site\n").unwrap();
    assert!(run().exits(2).stderr.contains("sites.txt:1"));
}

#[cfg(unix)]
#[test]
fn program_gets_each_report_on_its_standard_input() {
    use std::os::unix::fs::PermissionsExt as _;

    let (origin, folder) = (Origin::start(), tempfile::tempdir().unwrap());
    let program = folder.path().join("alarm.sh");
    fs::write(&program, "#!/bin/sh\ncat >>\"$(dirname \"$0\")/alarms\"\nexit 3\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let args = format!("--exec {}", program.display());
    origin.on("/robots.txt", Reply::ok(OPEN));
    watch(&origin, folder.path(), &args).exits(0);
    assert!(!folder.path().join("alarms").exists());
    origin.on("/robots.txt", Reply::ok(CLOSED));
    let failed = watch(&origin, folder.path(), &args).exits(2);
    assert!(failed.stderr.contains("exit status: 3"), "{}", failed.stderr);
    let alarm: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("alarms")).unwrap()).unwrap();
    assert_eq!(alarm["event"], "changed");
}

#[test]
fn folder_in_use_and_short_intervals_are_refused() {
    let (origin, folder) = (Origin::start(), tempfile::tempdir().unwrap());
    origin.on("/robots.txt", Reply::ok(OPEN));
    watch(&origin, folder.path(), "").exits(0);
    let path = folder.path().join("versions/lock");
    let held = comity_answers::files::lock(&path, fs::OpenOptions::new().append(true)).unwrap();
    assert!(watch(&origin, folder.path(), "").exits(2).stderr.contains("in use by another process"));
    drop(held);
    let short = live("watch a.example --state versions --every 5s").dir(folder.path()).run().exits(2);
    assert!(short.stderr.contains("the shortest time is 1m"), "{}", short.stderr);
}
