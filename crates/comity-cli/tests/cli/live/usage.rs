//! `comity usage` without saved files.

use insta::assert_snapshot;
use testkit::servers::{Origin, Reply};

use super::{live, shown};
use crate::comity;

fn everything() -> Origin {
    let origin = Origin::start();
    let license = origin.url("/license.xml");
    let robots = "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /private\n";
    origin.on("/robots.txt", Reply::ok(format!("{robots}License: {license}\n")));
    origin.on("/page", Reply::html("<title>A</title>").header("Content-Usage", "train-ai=n"));
    origin.on("/.well-known/tdmrep.json", Reply::ok(r#"[{"location": "/", "tdm-reservation": 1}]"#));
    let license = r#"<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><permits type="usage">search</permits></license></content></rsl>"#;
    origin.on("/license.xml", Reply::ok(license).header("Content-Type", "application/rsl+xml"));
    origin
}

#[test]
fn all_documents_with_signals_are_fetched() {
    let origin = everything();
    assert_snapshot!(shown(live("usage --agent GPTBot").arg(&origin.url("/page")), &origin));
}

#[test]
fn documents_of_the_site_are_fetched_once() {
    let origin = everything();
    let run = live("usage --json --agent GPTBot --agent ExampleBot")
        .arg(&origin.url("/page"))
        .arg(&origin.url("/b"));
    let outcome = run.run().exits(1);
    assert_eq!(outcome.json_lines().len(), 4);
    for path in ["/robots.txt", "/.well-known/tdmrep.json", "/license.xml", "/page"] {
        assert_eq!(origin.count(path), 1, "{path}");
    }
}

#[test]
fn missing_document_has_no_signal() {
    let origin = Origin::start();
    origin.on("/page", Reply::html("<title>A</title>"));
    let outcome = live("usage --agent GPTBot").arg(&origin.url("/page")).run().exits(0);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn page_that_is_not_fetched_has_a_warning() {
    let origin = everything();
    assert_snapshot!(shown(live("usage --agent GPTBot").arg(&origin.url("/private/x")), &origin));
    assert_eq!(origin.count("/private/x"), 0);
}

#[test]
fn bare_path_without_site_is_an_error() {
    assert_snapshot!(comity("usage --agent GPTBot /x").shown());
}

#[test]
fn license_is_fetched_with_any_media_type() {
    let origin = everything();
    let license = r#"<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><permits type="usage">search</permits></license></content></rsl>"#;
    origin.on("/odd", Reply::html(license));
    let run =
        live("usage --agent GPTBot").arg("--license").arg(&origin.url("/odd")).arg(&origin.url("/page"));
    assert_snapshot!(shown(run, &origin));
    assert_eq!(origin.count("/page"), 0, "a page was requested, too");
}

#[test]
fn license_that_cannot_be_fetched_has_no_signal() {
    let origin = everything();
    let run = live("usage --agent GPTBot")
        .arg("--license")
        .arg(&origin.url("/missing.xml"))
        .arg(&origin.url("/page"));
    assert_snapshot!(shown(run, &origin));
}

#[test]
fn crawler_has_only_the_licenses_of_its_group() {
    let origin = Origin::start();
    let (own, other) = (origin.url("/own.xml"), origin.url("/other.xml"));
    let robots = format!("User-agent: GPTBot\nLicense: {own}\n\nUser-agent: *\nLicense: {other}\n");
    origin.on("/robots.txt", Reply::ok(robots));
    for (path, permitted) in [("/own.xml", "search"), ("/other.xml", "ai-train")] {
        let license = format!(
            r#"<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><permits type="usage">{permitted}</permits></license></content></rsl>"#
        );
        origin.on(path, Reply::ok(license));
    }
    let run = live("usage --agent GPTBot --agent ExampleBot").arg(&origin.url("/page"));
    assert_snapshot!(shown(run, &origin));
}

#[test]
fn licenses_beyond_the_maximum_are_reported_as_unread() {
    let origin = Origin::start();
    let lines: String =
        (0..10).map(|nth| format!("License: {}\n", origin.url(&format!("/{nth}.xml")))).collect();
    origin.on("/robots.txt", Reply::ok(format!("User-agent: *\nDisallow:\n{lines}")));
    let license = r#"<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><permits type="usage">search</permits></license></content></rsl>"#;
    for nth in 0..10 {
        origin.on(&format!("/{nth}.xml"), Reply::ok(license));
    }
    assert_snapshot!(shown(live("usage --agent GPTBot").arg(&origin.url("/page")), &origin));
    assert_eq!((origin.count("/7.xml"), origin.count("/8.xml")), (1, 0));
}

#[test]
fn tdmrep_with_a_server_error_has_a_warning() {
    let origin = everything();
    origin.on("/.well-known/tdmrep.json", Reply::status(503));
    let outcome = live("usage --agent GPTBot").arg(&origin.url("/page")).run();
    let tdmrep = origin.url("/.well-known/tdmrep.json");
    assert!(outcome.stderr.contains(&format!("`{tdmrep}` answers 503")), "{}", outcome.stderr);
}

#[test]
fn findings_of_two_sites_name_their_site() {
    let sites = [Origin::start(), Origin::start()];
    for site in &sites {
        site.on("/robots.txt", Reply::ok("User-agent: *\nContent-Signal: ai-train=maybe\n"));
    }
    let run = live("usage --agent GPTBot").arg(&sites[0].url("/a")).arg(&sites[1].url("/a"));
    let outcome = run.run();
    for site in &sites {
        let place = format!("{}:2", site.url("/robots.txt"));
        assert!(outcome.stdout.contains(&place), "{place} is not in {}", outcome.stdout);
    }
}
