//! `comity page URL`.

use insta::assert_snapshot;
use testkit::servers::Reply;

use super::{live, shown, site};

#[test]
fn header_and_page_are_fetched_together() {
    let origin = site("User-agent: *\nDisallow: /private\n");
    let page = "<!DOCTYPE html><meta name=robots content=noarchive><title>A</title>";
    origin.on("/page", Reply::html(page).header("X-Robots-Tag", "noindex"));
    origin.on("/moved", Reply::redirect(302, "/page"));
    let ask = |path: &str| live("page --agent Googlebot --profile google").arg(&origin.url(path));
    assert_snapshot!(shown(ask("/page"), &origin));
    let json = ask("/moved").args("--json").run().exits(1).json();
    assert_eq!(json["fetched"]["requested_url"], origin.url("/moved"));
    assert_eq!(json["fetched"]["final_url"], origin.url("/page"));
}

#[test]
fn disallowed_page_is_not_fetched() {
    let origin = site("User-agent: *\nDisallow: /private\n");
    let run = live("page --agent Googlebot --profile google").arg(&origin.url("/private/x"));
    assert_snapshot!(shown(run, &origin));
    assert_eq!(origin.count("/private/x"), 0);
}

#[test]
fn missing_page_and_timeout_are_named() {
    let origin = site("");
    let ask = |path: &str| live("page --agent Googlebot --profile google").arg(&origin.url(path));
    assert_snapshot!(shown(ask("/missing"), &origin));
    origin.on("/slow", Reply::hang());
    let outcome = ask("/slow").args("--timeout 1s").run().exits(2);
    assert!(outcome.stderr.contains("/slow"), "{}", outcome.stderr);
}

#[test]
fn url_and_files_exclude_each_other() {
    let origin = site("");
    live("page --agent a --profile google --body page.html").arg(&origin.url("/")).run().exits(2);
    assert_eq!(origin.requests().len(), 0);
}

#[test]
fn untyped_html_is_read_and_other_untyped_files_are_not() {
    let origin = site("");
    let untyped =
        |body: &str| Reply::raw(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
    origin.on("/page", untyped("<!doctype html><meta name=robots content=noindex>"));
    origin.on("/text", untyped("How to write <meta name=robots content=noindex>"));
    let ask = |path: &str| live("page --agent Googlebot --profile google").arg(&origin.url(path));
    ask("/page").run().exits(1);
    ask("/text").run().exits(0);
}
