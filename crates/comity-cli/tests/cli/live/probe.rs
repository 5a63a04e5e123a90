//! `comity matrix --probe`: the answers of a site to Comity, in addition to the rules for crawlers.

use insta::assert_snapshot;
use testkit::servers::{Origin, Reply};

use super::{live, shown, site};
use crate::comity;

/// Starts a site that refuses requests in every way.
fn refusing() -> Origin {
    let origin = site("User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n");
    origin
        .on("/", Reply::html("<title>Home</title>"))
        .on("/members", Reply::status(401).header("WWW-Authenticate", "License error=\"invalid_token\""))
        .on(
            "/paid",
            Reply::status(402)
                .header("Link", "<https://example.com/license.xml>; rel=license; type=application/rsl+xml")
                .header("crawler-price", "USD 0.01"),
        )
        .on("/blocked", Reply::status(403))
        .on("/often", Reply::status(429))
        .on("/puzzle", Reply::status(403).header("cf-mitigated", "challenge"))
        .on("/anubis", Reply::html("<script id=\"anubis_challenge\" type=\"application/json\">{}</script>"))
        .on("/moved", Reply::redirect(302, "/paid"));
    origin
}

const PAGES: [&str; 9] =
    ["/", "/members", "/paid", "/blocked", "/often", "/puzzle", "/anubis", "/moved", "/private/x"];

fn all(args: &str, origin: &Origin) -> crate::Run {
    PAGES.iter().fold(live(args), |run, page| run.arg(&origin.url(page)))
}

#[test]
fn refusal_is_shown_in_a_separate_section() {
    let origin = refusing();
    let agents = "matrix --probe --agent Googlebot --agent GPTBot";
    let text = shown(all(agents, &origin), &origin);
    // The version in the User-Agent changes with every release.
    assert_snapshot!(text.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    assert_eq!(origin.count("/private/x"), 0, "robots.txt disallows it for Comity");
}

#[test]
fn pages_are_requested_once_under_own_name() {
    let origin = refusing();
    live("matrix --probe --agent Googlebot")
        .arg(&origin.url("/blocked"))
        .arg("/blocked")
        .arg(&origin.url("/"))
        .run()
        .exits(0);
    assert_eq!(origin.count("/blocked"), 1);
    for request in origin.requests() {
        let agent = request.header("user-agent").unwrap_or_default().to_owned();
        assert!(agent.to_ascii_lowercase().contains("comity"), "{agent}");
        assert!(!agent.contains("Googlebot"), "{agent}");
    }
}

#[test]
fn refusal_does_not_change_rows_of_crawlers() {
    let origin = refusing();
    let json = |args: &str| all(args, &origin).run().exits(0).json();
    let plain = json("matrix --json --agent Googlebot --agent GPTBot");
    let probed = json("matrix --json --probe --agent Googlebot --agent GPTBot");
    assert_eq!(plain["crawlers"], probed["crawlers"]);
    assert_eq!(plain["summary"], probed["summary"]);
    assert!(plain["probe"].is_null());
    let pages = probed["probe"]["pages"].as_array().expect("pages");
    let kinds: Vec<&str> = pages.iter().map(|page| page["refusal"]["kind"].as_str().unwrap_or("-")).collect();
    let expected = [
        "-",
        "unauthorized",
        "payment_required",
        "forbidden",
        "too_many_requests",
        "challenge",
        "challenge",
        "payment_required",
        "-",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(pages[1]["refusal"]["license_error"], "invalid_token");
    assert_eq!(pages[2]["refusal"]["licenses"][0]["url"], "https://example.com/license.xml");
    assert_eq!(pages[2]["refusal"]["prices"][0], "crawler-price: USD 0.01");
    assert_eq!(
        (&pages[6]["status"], &pages[6]["refusal"]["challenge"]),
        (&200.into(), &"a page of Anubis".into())
    );
    assert_eq!(pages[7]["final_url"], origin.url("/paid"));
    assert_eq!(
        (&pages[8]["outcome"], &pages[8]["status"]),
        (&"robots_refused".into(), &serde_json::Value::Null)
    );
}

#[test]
fn root_is_requested_without_urls() {
    let origin = site("");
    origin.on("/", Reply::status(403));
    let json = live("matrix --json --probe --agent GPTBot").arg(&origin.url("")).run().exits(0).json();
    assert_eq!(json["crawlers"][0]["access"], "allowed");
    assert_eq!(json["probe"]["pages"][0]["url"], origin.url("/"));
    assert_eq!(json["probe"]["pages"][0]["refusal"]["kind"], "forbidden");
    let named =
        live("matrix --json --probe --agent GPTBot").arg("--robots").arg(&origin.url("")).arg("/").run();
    assert_eq!(named.exits(0).json()["probe"]["pages"][0]["url"], origin.url("/"));
}

#[test]
fn html_page_shows_refusals_in_a_separate_section() {
    let origin = refusing();
    let page = all("matrix --format html --probe --agent Googlebot", &origin).run().exits(0).stdout;
    let (matrix, probe) = page.split_once("<h2>Answers to Comity</h2>").expect("a separate section");
    assert!(!matrix.contains("refused"), "{matrix}");
    for wanted in [
        "refused</span> 402",
        "license: https://example.com/license.xml",
        "crawler-price: USD 0.01",
        "not asked",
    ] {
        assert!(probe.contains(wanted), "{wanted}: {probe}");
    }
}

#[test]
fn text_of_the_server_is_escaped() {
    let origin = site("");
    let hostile = "<script>alert(1)</script> \u{202e}x";
    origin.on(
        "/",
        Reply::status(402).header("crawler-price", hostile).header(
            "Link",
            "<https://example.com/%3Cb%3E\"><img src=x>>; rel=license; type=application/rsl+xml",
        ),
    );
    for format in ["text", "html"] {
        let run = live("matrix --probe --agent GPTBot").arg("--format").arg(format).arg(&origin.url(""));
        let shown = run.run().exits(0).stdout;
        assert!(shown.contains("refused"), "{shown}");
        assert!(!shown.contains('\u{202e}') && !shown.contains('\u{1b}'), "{shown}");
        if format == "html" {
            assert!(!shown.contains("<script") && !shown.contains("<img"), "{shown}");
        }
    }
}

#[test]
fn page_that_cannot_be_requested_has_an_error() {
    let origin = site("");
    origin.on("/", Reply::close());
    let outcome = live("matrix --probe --agent GPTBot --json").arg(&origin.url("")).run().exits(2);
    let page = &outcome.json()["probe"]["pages"][0];
    assert!(page["status"].is_null() && page["error"].is_string(), "{page}");
    assert!(outcome.stderr.contains("error"), "{}", outcome.stderr);
    // The arguments are invalid, so no request is sent.
    assert_snapshot!(comity("matrix --probe --robots matrix.txt").shown());
    assert_snapshot!(comity("matrix --probe --robots matrix.txt /x").shown());
    assert_snapshot!(comity("matrix --probe --format csv https://example.com").shown());
}
