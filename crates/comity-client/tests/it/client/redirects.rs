//! Tests of redirects: each hop must pass all steps.

use comity_client::retrieval::FetchOutcome;
use comity_client::transport::NetworkOptions;
use comity_client::{Cause, Client};
use serde::Deserialize;
use testkit::conformance::{self, Hex};
use testkit::servers::{Origin, Reply, Seen};

use super::{builder, client, options, site};

#[tokio::test]
async fn redirect_hop_is_decided_by_its_own_robots_txt() {
    let (first, second) =
        (site("User-agent: *\nDisallow: /no\n"), site("User-agent: *\nDisallow: /private\n"));
    first.on("/a", Reply::redirect(301, "/b"));
    first.on("/b", Reply::redirect(307, &second.url("/c")));
    let page = client().fetch(first.url("/a")).await.unwrap();
    let record = page.record();
    let hops: Vec<(&str, Option<&str>)> =
        record.hops.iter().map(|hop| (hop.url.as_str(), hop.location.as_deref())).collect();
    let (a, b, c) = (first.url("/a"), first.url("/b"), second.url("/c"));
    assert_eq!(hops, [(a.as_str(), Some(b.as_str())), (&b, Some(&c)), (&c, None)]);
    assert_eq!(record.final_url, c);
    assert!(record.hops.iter().all(|hop| hop.decision.is_some()));
    assert_eq!((first.count("/robots.txt"), second.count("/robots.txt")), (1, 1));

    // The target of this redirect is disallowed, so it is never requested.
    first.on("/to-private", Reply::redirect(302, &second.url("/private/x")));
    let error = client().fetch(first.url("/to-private")).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Robots(_)), "{error}");
    assert_eq!(error.record().hops.len(), 2);
    assert_eq!(second.count("/private/x"), 0);
}

#[tokio::test]
async fn redirect_to_a_refused_target_is_not_followed() {
    let site = site("");
    for (status, target) in [
        (301, "file:///etc/passwd"),
        (302, "ftp://example.com/x"),
        (303, "http://169.254.169.254/latest/meta-data/"),
        (307, "http://10.0.0.1/"),
        (308, "http://[::1]/"),
        (302, "http://2130706433/"),
        (302, "//0xa9fea9fe/"),
        (302, "gopher://127.0.0.1/"),
    ] {
        site.on("/away", Reply::redirect(status, target));
        // Of the addresses, only 127.0.0.1 is allowed, for the server.
        let guard = comity_client::guard::Guard::new().allow_address("127.0.0.1/32".parse().unwrap());
        let client = builder().guard(guard).build().unwrap();
        match client.fetch(site.url("/away")).await {
            Err(error) => match error.cause() {
                Cause::Guard(_) => assert_eq!(error.record().outcome, FetchOutcome::GuardRefused),
                // This is 127.0.0.1, but no server listens on its port 80.
                Cause::Unreachable(_) if target.contains("2130706433") => {}
                other => panic!("{target}: {other}"),
            },
            Ok(page) => panic!("{target}: {:?}", page.record()),
        }
    }
}

#[tokio::test]
async fn redirect_to_plain_http_has_a_warning() {
    let ca = testkit::servers::Ca::new();
    let (secure, plain) = (Origin::start_tls(&ca), site(""));
    secure.on("/robots.txt", Reply::ok(""));
    secure.on("/a", Reply::redirect(302, &plain.url("/b")));
    let mut http = NetworkOptions::default();
    http.extra_roots = vec![ca.der()];
    let page = builder().network(http).build().unwrap().fetch(secure.url("/a")).await.unwrap();
    let names: Vec<&str> = page.record().warnings.iter().map(|warning| warning.name.as_str()).collect();
    assert_eq!(names, ["downgrade"]);
}

#[tokio::test]
async fn redirect_loops_and_long_chains_end() {
    let site = site("");
    site.on("/circle", Reply::redirect_loop());
    let error = client().fetch(site.url("/circle")).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Redirects(_)), "{error}");

    site.otherwise(Reply::redirect_chain(30, Reply::ok("there")));
    let mut few = options();
    few.max_redirects = 3;
    let error = client().fetch_with(site.url("/chain"), &few).await.unwrap_err();
    assert!(error.to_string().contains("more than 3 redirects"), "{error}");
    assert_eq!(error.record().hops.len(), 4);
}

#[tokio::test]
async fn redirect_without_location_is_returned() {
    let site = site("");
    site.on("/odd", Reply::status(302));
    let page = client().fetch(site.url("/odd")).await.unwrap();
    assert_eq!(page.status(), 302);
}

#[tokio::test]
async fn redirected_robots_txt_applies_to_the_first_origin_only() {
    let (first, second) = (Origin::start(), Origin::start_on("127.0.0.2"));
    first.on("/robots.txt", Reply::redirect(301, &second.url("/elsewhere.txt")));
    second.on("/elsewhere.txt", Reply::ok("User-agent: *\nDisallow: /\n"));
    second.on("/robots.txt", Reply::ok("User-agent: *\nAllow: /\n"));
    for site in [&first, &second] {
        site.otherwise(Reply::ok("page"));
    }
    second.on("/elsewhere.txt", Reply::ok("User-agent: *\nDisallow: /\n"));
    let client = client();
    let error = client.fetch(first.url("/page")).await.unwrap_err();
    let Cause::Robots(decision) = error.cause() else { panic!("{error}") };
    assert_eq!(decision.evidence.as_ref().unwrap().redirects(), [second.url("/elsewhere.txt")]);
    // The robots.txt of the target itself is requested separately, and the redirect has not changed it.
    assert_eq!(client.fetch(second.url("/page")).await.unwrap().status(), 200);
}

#[tokio::test]
async fn redirect_of_robots_txt_passes_the_guard() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::redirect(302, "http://192.168.0.1/robots.txt"));
    site.otherwise(Reply::ok("page"));
    let error = client().fetch(site.url("/page")).await.unwrap_err();
    let Cause::Unreachable(unreachable) = error.cause() else { panic!("{error}") };
    assert_eq!(unreachable.evidence().unwrap().failure().unwrap().as_str(), "guard");
    assert_eq!(site.count("/page"), 0);
}

#[tokio::test]
async fn five_redirects_of_robots_txt_are_followed() {
    for (hops, allowed) in [(5, false), (6, true)] {
        let site = Origin::start();
        site.otherwise(Reply::ok("page"));
        let last = "User-agent: *\nDisallow: /\n";
        site.on("/robots.txt", Reply::redirect(302, "/1"));
        for hop in 1..hops {
            site.on(&format!("/{hop}"), Reply::redirect(302, &format!("/{}", hop + 1)));
        }
        site.on(&format!("/{hops}"), Reply::ok(last));
        let fetched = client().fetch(site.url("/page")).await;
        assert_eq!(
            fetched.is_ok(),
            allowed,
            "{hops}: RFC 9309 allows treating a longer chain as unavailable"
        );
    }
}

/// Returns a client that keeps cookies.
fn with_cookies() -> Client {
    let mut network = NetworkOptions::default();
    network.cookies = true;
    builder().network(network).build().unwrap()
}

/// Returns a redirect to `to` that sets a cookie.
fn with_cookie(to: &str, cookie: &str) -> Reply {
    Reply::redirect(302, to).header("Set-Cookie", cookie)
}

#[tokio::test]
async fn redirect_with_new_cookie_to_a_visited_url_is_followed() {
    let site = site("");
    let unless_known = |cookie: &'static str, other: Reply| {
        move |seen: &Seen| match seen.header("cookie") {
            Some(sent) if sent.contains(cookie) => Reply::ok("welcome"),
            _ => other.clone(),
        }
    };
    // A login that redirects to itself, a consent wall, and a cookie that replaces another.
    site.on_request("/login", unless_known("id=1", with_cookie("/login", "id=1; Path=/login")));
    site.on_request("/shop", unless_known("consent=yes", Reply::redirect(302, "/wall")));
    site.on("/wall", with_cookie("/shop", "consent=yes; Path=/"));
    site.on_request("/steps", |seen| match seen.header("cookie") {
        Some(sent) if sent.contains("step=2") => Reply::ok("welcome"),
        Some(sent) if sent.contains("step=1") => with_cookie("/steps", "step=2"),
        _ => with_cookie("/steps", "step=1"),
    });
    let client = with_cookies();
    for (path, hops) in [("/login", 2), ("/shop", 3), ("/steps", 3)] {
        let page = client.fetch(site.url(path)).await.unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!((page.text().as_ref(), page.record().hops.len()), ("welcome", hops), "{path}");
    }
    // Without cookies, the second request is equal to the first, so it is a loop.
    let error = super::client().fetch(site.url("/login")).await.unwrap_err();
    assert!(error.to_string().contains("loop") && error.to_string().contains("network.cookies"), "{error}");
}

#[tokio::test]
async fn redirect_to_a_visited_url_with_the_same_cookies_ends_there() {
    let site = site("");
    site.on("/same", with_cookie("/same", "id=1"));
    site.on("/elsewhere", with_cookie("/elsewhere", "id=1; Path=/other"));
    site.on("/gone", with_cookie("/gone", "none=1; Max-Age=0"));
    site.on("/a", with_cookie("/b", "n=1; Path=/"));
    site.on("/b", with_cookie("/c", "n=1; Path=/"));
    site.on("/c", with_cookie("/a", "n=1; Path=/"));
    for (path, requests) in [("/same", 2), ("/elsewhere", 1), ("/gone", 1), ("/a", 2)] {
        let error = with_cookies().fetch(site.url(path)).await.unwrap_err();
        assert!(!error.to_string().contains("network.cookies"), "cookies are stored: {error}");
        assert!(error.to_string().contains("loop"), "{path}: {error}");
        assert_eq!(site.count(path), requests, "{path}");
    }
}

#[tokio::test]
async fn redirect_with_ever_new_cookies_ends_at_the_hop_limit() {
    let site = site("");
    site.on_request("/new", |seen| with_cookie("/new", &format!("n={}", seen.nth)));
    let mut few = options();
    few.max_redirects = 3;
    let error = with_cookies().fetch_with(site.url("/new"), &few).await.unwrap_err();
    assert!(error.to_string().contains("more than 3 redirects"), "{error}");
    assert_eq!(site.count("/new"), 4);
}

#[tokio::test]
async fn location_with_octets_that_are_not_utf8_is_percent_encoded() {
    #[derive(Deserialize)]
    struct File {
        case: Vec<Case>,
    }
    #[derive(Deserialize)]
    struct Case {
        #[serde(default)]
        why: String,
        hex: Hex,
        target: String,
    }
    let redirect = |to: &[u8]| Reply::status(302).header("Location", to);
    let file: File = conformance::file("answers/location.toml").unwrap();
    for Case { why, hex: Hex(sent), target: requested } in file.case {
        let (site, robots) = (site(""), Origin::start());
        site.on("/from", redirect(&sent));
        let page = client().fetch(site.url("/from")).await.unwrap();
        assert_eq!(site.requests().last().unwrap().target, requested, "{why}");
        assert_eq!(page.record().final_url, site.url(&requested));

        robots.on("/robots.txt", redirect(&sent));
        robots.otherwise(Reply::ok("User-agent: *\nDisallow: /no\n"));
        let decision = client().decide(robots.url("/no")).await.unwrap();
        assert!(decision.blocked, "{requested}");
        assert_eq!(robots.requests().last().unwrap().target, requested);
    }
}
