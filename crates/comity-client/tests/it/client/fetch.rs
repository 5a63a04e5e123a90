//! Tests of fetched pages: their content, limits, and records.

use std::time::Duration;

use comity::robots::Agent;
use comity_client::guard::Guard;
use comity_client::retrieval::FetchOutcome;
use comity_client::{Cause, Client};
use testkit::servers::{Ca, Origin, Reply};

use super::virtual_time::Anywhere;
use super::{builder, client, options, site};

#[tokio::test]
async fn page_has_a_record_of_its_fetch() {
    let site = site("User-agent: *\nDisallow: /private\nAllow: /private/open\n");
    let page = client().fetch(site.url("/private/open?x=1#part")).await.unwrap();
    assert_eq!(page.status(), 200);
    assert_eq!(page.text(), "<title>A page</title><p>Hello</p>");

    let record = serde_json::to_value(page.record()).unwrap();
    assert_eq!(record["outcome"], "fetched");
    assert_eq!(record["requested_url"], site.url("/private/open?x=1#part"));
    assert_eq!(record["final_url"], site.url("/private/open?x=1"));
    assert_eq!(record["selected"]["reason"], "direct");
    assert_eq!(record["agent"], "ExampleBot");
    assert_eq!(
        record["user_agent"],
        format!("ExampleBot (+https://example.com/bot) Comity/{}", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!((&record["preset"], &record["mode"]), (&"rfc9309".into(), &"respect".into()));
    let hop = &record["hops"][0];
    assert_eq!(hop["decision"]["verdict"], "allowed_explicit");
    let rule = &hop["decision"]["rule"];
    assert_eq!((&rule["pattern"], &rule["line"]), (&"/private/open".into(), &3.into()));
    assert_eq!(hop["decision"]["evidence"]["status"], 200);
    let digest = hop["decision"]["evidence"]["digest"].as_str().unwrap();
    assert!(digest.starts_with("sha-256=:"), "{digest}");
    assert_eq!(hop["attempts"][0]["status"], 200);
    assert!(hop["attempts"][0]["remote"].as_str().unwrap().starts_with("127.0.0.1:"));
    assert_eq!(record["content"]["bytes"], 33);
    assert_eq!(record["content"]["truncated"], false);
    for time in ["began_at", "ended_at"] {
        let text = record[time].as_str().unwrap();
        assert!(text.ends_with('Z') && text.len() == "2026-01-01T00:00:00.000Z".len(), "{text}");
    }

    // The header that was sent matches the record, for robots.txt and the page.
    for path in ["/robots.txt", "/private/open"] {
        let seen = &site.requests_for(path)[0];
        assert_eq!(seen.header("user-agent"), record["user_agent"].as_str(), "{path}");
        assert_eq!(seen.header("cookie"), None);
    }
    assert_eq!(site.requests_for("/private/open")[0].target, "/private/open?x=1", "no fragment is sent");
}

#[tokio::test]
async fn any_status_code_returns_a_page() {
    let site = site("");
    site.on("/gone", Reply::status(410));
    let page = client().fetch(site.url("/gone")).await.unwrap();
    assert_eq!((page.status().as_u16(), page.record().outcome), (410, FetchOutcome::Fetched));
}

#[tokio::test]
async fn page_directives_and_usage_preferences_are_only_warnings() {
    let site = site("User-agent: *\nContent-Signal: ai-train=no, search=yes\nAllow: /\n");
    let html = "<meta name=robots content='nofollow'><p>Text";
    site.on("/page", Reply::html(html).header("X-Robots-Tag", "noindex"));
    let page = client().fetch(site.url("/page")).await.unwrap();
    assert_eq!(page.status(), 200);
    let warnings: Vec<(&str, &str)> =
        page.record().warnings.iter().map(|warning| (warning.kind, warning.name.as_str())).collect();
    for expected in [("page_directive", "do_not_index"), ("usage_preference", "train")] {
        assert!(warnings.contains(&expected), "{expected:?} in {warnings:?}");
    }
    assert!(
        warnings.iter().any(|(kind, name)| *kind == "page_directive" && *name != "do_not_index"),
        "{warnings:?}"
    );
    assert!(page.record().usage.is_some());
}

#[tokio::test]
async fn body_over_the_limit_is_cut_with_a_warning() {
    let site = site("");
    site.on("/endless", Reply::endless());
    site.on("/bomb", Reply::gzip_bomb(64 << 20));
    let mut few = options();
    few.max_bytes = 100_000;
    for path in ["/endless", "/bomb"] {
        let page = client().fetch_with(site.url(path), &few).await.unwrap();
        assert_eq!(page.body().len(), 100_000, "{path}: the limit applies to decompressed bytes");
        assert!(page.record().content.as_ref().unwrap().truncated, "{path}");
        assert!(page.record().warnings.iter().any(|warning| warning.name == "truncated"), "{path}");
    }
}

#[tokio::test]
async fn body_at_the_limit_is_not_cut() {
    let site = site("");
    site.on("/page", Reply::ok("0123456789"));
    let mut few = options();
    few.max_bytes = 10;
    let page = client().fetch_with(site.url("/page"), &few).await.unwrap();
    assert!(!page.record().content.as_ref().unwrap().truncated);
    assert_eq!(page.body().len(), 10);
}

#[tokio::test]
async fn misbehaviour_of_a_page_has_its_kind_of_failure() {
    let site = site("");
    let drip = Duration::from_millis(50);
    let cases: [(&str, Reply, &str); 8] = [
        ("/reset", Reply::reset(), "connection"),
        ("/hang", Reply::hang(), "timeout"),
        ("/drip", Reply::slow_drip("x".repeat(1000), 1, drip), "timeout"),
        ("/short", Reply::short_body("abc"), "protocol"),
        ("/cut", Reply::truncated_chunk("abc"), "protocol"),
        ("/chunk", Reply::bad_chunk("abc"), "protocol"),
        ("/garbage", Reply::garbage(), "protocol"),
        ("/headers", Reply::many_headers(1_000), "protocol"),
    ];
    for (path, reply, expected) in cases {
        site.on(path, reply);
        let mut options = options();
        if expected == "timeout" {
            options.timeout = Duration::from_millis(700);
            options.body_timeout = Duration::from_millis(700);
        }
        let error = client().fetch_with(site.url(path), &options).await.unwrap_err();
        let Cause::Transport(failure) = error.cause() else { panic!("{path}: {error}") };
        assert_eq!(failure.failure().as_str(), expected, "{path}: {error}");
        assert_eq!(error.record().outcome, FetchOutcome::TransportFailed, "{path}");
        assert!(error.to_string().contains(path), "{error}");
    }
}

#[tokio::test]
async fn unwanted_media_type_is_refused_before_the_body() {
    let site = site("");
    site.on("/film", Reply::endless().header("Content-Type", "video/mp4"));
    let mut text = options();
    text.content_types = vec!["text/*".to_owned()];
    let error = client().fetch_with(site.url("/film"), &text).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Content(found) if found == "video/mp4"), "{error}");
    // The list of media types does not apply to robots.txt.
    site.on(
        "/robots.txt",
        Reply::ok("User-agent: *\nDisallow: /\n").header("Content-Type", "application/octet-stream"),
    );
    let error = client().fetch_with(site.url("/page"), &text).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Robots(_)), "{error}");
}

#[tokio::test]
async fn tls_is_verified_for_pages_and_robots_txt() {
    let ca = Ca::new();
    let trusting = |ca: &Ca| {
        let mut http = comity_client::transport::NetworkOptions::default();
        http.extra_roots = vec![ca.der()];
        builder().network(http).build().unwrap()
    };
    let site = Origin::start_tls(&ca);
    site.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /private\n"));
    site.on("/page", Reply::html("<p>secret"));
    let page = trusting(&ca).fetch(site.url("/page")).await.unwrap();
    assert_eq!(page.status(), 200);
    assert!(page.record().hops[0].decision.as_ref().unwrap().evidence.is_some());

    // The certificate is not trusted: robots.txt is unreachable, so the page is not fetched.
    let error = client().fetch(site.url("/page")).await.unwrap_err();
    let Cause::Unreachable(unreachable) = error.cause() else { panic!("{error}") };
    assert_eq!(unreachable.decision().verdict.as_str(), "unknown_unreachable");
    assert_eq!(unreachable.evidence().unwrap().failure().unwrap().as_str(), "tls");

    for identity in [ca.expired(["127.0.0.1"]), ca.wrong_host()] {
        let site = Origin::start_tls_at("127.0.0.1:0".parse().unwrap(), &identity);
        site.otherwise(Reply::ok("User-agent: *\nAllow: /\n"));
        let error = trusting(&ca).fetch(site.url("/page")).await.unwrap_err();
        assert!(matches!(error.cause(), Cause::Unreachable(_)) && error.is_tls(), "{error}");
        assert_eq!(site.count("/robots.txt"), 0, "nothing was sent");

        // If verification is disabled, it is disabled for robots.txt and pages.
        let mut http = comity_client::transport::NetworkOptions::default();
        http.insecure = true;
        let page = builder().network(http).build().unwrap().fetch(site.url("/page")).await.unwrap();
        assert_eq!((page.status().as_u16(), site.count("/robots.txt")), (200, 1));
    }
}

#[tokio::test]
async fn header_fields_of_the_caller_are_sent_only_to_the_first_origin() {
    let (site, other) = (site(""), super::site(""));
    site.on("/away", Reply::redirect(302, &other.url("/there")));
    let fetch = options().header("Authorization", "Bearer secret").unwrap();
    client().fetch_with(site.url("/away"), &fetch).await.unwrap();
    assert_eq!(site.requests_for("/away")[0].header("authorization"), Some("Bearer secret"));
    assert_eq!(site.requests_for("/robots.txt")[0].header("authorization"), None);
    assert_eq!(other.requests_for("/there")[0].header("authorization"), None);
}

#[tokio::test]
async fn cookies_are_off_by_default() {
    let site = site("");
    site.on("/login", Reply::ok("in").header("Set-Cookie", "session=1; Path=/"));
    let mut with_cookies = comity_client::transport::NetworkOptions::default();
    with_cookies.cookies = true;
    for (client, expected) in
        [(client(), None), (builder().network(with_cookies).build().unwrap(), Some("session=1"))]
    {
        client.fetch(site.url("/login")).await.unwrap();
        client.fetch(site.url("/page")).await.unwrap();
        let seen = site.requests_for("/page");
        assert_eq!(seen.last().unwrap().header("cookie"), expected);
        assert!(site.requests_for("/robots.txt").iter().all(|seen| seen.header("cookie").is_none()));
    }
}

#[tokio::test]
async fn proxy_allowed_by_the_guard_carries_all_requests() {
    let proxy = Origin::start();
    proxy.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /private\n"));
    proxy.otherwise(Reply::ok("through the proxy"));
    let build = |guard: Guard| {
        let mut http = comity_client::transport::NetworkOptions::default();
        http.proxy = Some(proxy.url("/").parse().unwrap());
        builder().guard(guard.with_resolver(Anywhere)).network(http).build()
    };
    let error = build(Guard::new()).unwrap_err();
    assert!(error.to_string().contains("loopback"), "{error}");
    assert_eq!(proxy.connections(), 0);

    let client = build(super::loopback()).unwrap();
    assert_eq!(client.fetch("http://site.example/page").await.unwrap().text(), "through the proxy");
    assert!(client.fetch("http://site.example/private").await.is_err());
    let targets: Vec<String> = proxy.requests().into_iter().map(|seen| seen.target).collect();
    assert_eq!(targets, ["http://site.example/robots.txt", "http://site.example/page"]);
    // The client does not send a URL to the proxy if the guard refuses it.
    assert!(matches!(client.fetch("http://10.0.0.1/").await.unwrap_err().cause(), Cause::Guard(_)));
    assert_eq!(proxy.requests().len(), 2);
}

#[test]
fn client_with_an_invalid_token_is_rejected() {
    for name in
        ["", " ", "*", "ExampleBot/1.0", "Mozilla/5.0 (compatible; ExampleBot/1.0)", "Example Bot", "a\u{1}b"]
    {
        let error = Client::builder(name).build().unwrap_err().to_string();
        assert!(
            error.contains("is not a product token") && error.contains("`user_agent`"),
            "{name:?}: {error}"
        );
    }
    assert!(Client::builder_for(Agent::header(" ")).build().is_err());
    Client::builder_for(Agent::header("Mozilla/5.0 (compatible; ExampleBot/1.0)")).build().unwrap();
    Client::builder("Brightbot 1.0").build().unwrap();
}

#[test]
fn misspelled_token_has_a_near_miss() {
    let near_miss = |name: &str| Client::builder(name).build().unwrap().near_miss();
    assert_eq!(near_miss("googelbot").map(|known| known.token()), Some("Googlebot"));
    assert_eq!(near_miss("Googlebot"), None);
    assert_eq!(near_miss("ExampleBot"), None);
}

#[test]
fn user_agent_without_its_token_is_rejected() {
    let error = Client::builder("ExampleBot").user_agent("Mozilla/5.0").build().unwrap_err();
    assert!(error.to_string().contains("does not contain the product token `ExampleBot`"), "{error}");
    Client::builder("ExampleBot").user_agent("Mozilla/5.0 (compatible; examplebot/2.0)").build().unwrap();
}

#[tokio::test]
async fn failed_fetch_converts_to_an_error_and_next_slot_is_known() -> Result<(), Box<dyn std::error::Error>>
{
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /private\n"));
    site.otherwise(Reply::ok("page"));
    let pace = comity_client::pace::PaceOptions::default().min_interval(Duration::from_secs(60));
    let fetch = comity_client::FetchOptions::default().max_wait(Some(Duration::ZERO));
    let client = super::builder().pace(pace).fetch(fetch).build()?;
    let origin: comity_client::Origin = site.url("/").parse()?;
    assert_eq!(client.next_slot(&origin), Duration::ZERO);
    // The operator `?` converts a cause and a failed fetch into the error type of a program.
    let boxed: Box<dyn std::error::Error> = client.fetch(site.url("/private")).await.unwrap_err().into();
    assert!(boxed.source().is_none() && boxed.to_string().contains("Disallow: /private"), "{boxed}");
    let boxed: Box<dyn std::error::Error> =
        client.admit(site.url("/private"), None).await.unwrap_err().into();
    assert!(boxed.downcast_ref::<comity_client::Cause>().is_some());
    let hour = Duration::from_secs(3600);
    let client = super::builder()
        .mode(comity::policy::Mode::Ignore)
        .pace(comity_client::pace::PaceOptions::default().min_interval(hour))
        .build()?;
    client
        .admit(site.url("/page"), None)
        .await?
        .answered(http::StatusCode::OK, &http::HeaderMap::new())
        .await?;
    assert!(client.next_slot(&origin) > hour / 2, "{:?}", client.next_slot(&origin));
    Ok(())
}

#[tokio::test]
async fn answer_with_256_header_fields_is_read_and_one_more_is_refused() {
    let site = site("");
    let with_fields = |fields: usize| {
        let more: String = (1..fields).map(|nth| format!("X-Field-{nth}: a\r\n")).collect();
        Reply::raw(format!("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n{more}\r\nok\n"))
    };
    site.on("/page", with_fields(256)).on("/more", with_fields(257));
    let page = client().fetch(site.url("/page")).await.unwrap();
    assert_eq!((page.text().as_str(), page.headers().len()), ("ok\n", 256));
    let error = client().fetch(site.url("/more")).await.unwrap_err();
    let Cause::Transport(failure) = error.cause() else { panic!("{error}") };
    assert_eq!(failure.failure().as_str(), "protocol", "{error}");
}

/// Returns an answer with this body and, if given, this `Content-Type`.
fn page(content_type: Option<&str>, body: &[u8]) -> Reply {
    let field = content_type.map(|value| format!("Content-Type: {value}\r\n")).unwrap_or_default();
    let head = format!("HTTP/1.1 200 OK\r\n{field}Content-Length: {}\r\n\r\n", body.len());
    Reply::raw([head.as_bytes(), body].concat())
}

#[tokio::test]
async fn declared_charset_decodes_text_and_markdown() {
    let site = site("");
    let cases: [(Option<&str>, &[u8], &str); 9] = [
        (Some("text/html"), b"<meta charset=shift_jis><p>\x93\xfa\x96\x7b", "日本"),
        (
            Some("text/html"),
            b"<meta http-equiv=content-type content='text/html; charset=koi8-r'><p>\xcd\xc9\xd2",
            "мир",
        ),
        (Some("application/xhtml+xml"), b"<?xml version='1.0' encoding='iso-8859-1'?><p>caf\xe9", "café"),
        (None, b"<!doctype html><meta charset=windows-1252><p>caf\xe9", "café"),
        (Some("text/html; charset=utf-8"), b"<meta charset=windows-1252><p>caf\xc3\xa9", "café"),
        (Some("text/html; charset=no-such"), b"<meta charset=windows-1252><p>caf\xe9", "café"),
        (Some("text/html"), b"\xef\xbb\xbf<meta charset=windows-1252><p>caf\xc3\xa9", "café"),
        (Some("text/html"), b"<meta charset=utf-16><p>caf\xc3\xa9", "café"),
        (Some("text/html"), b"<p>caf\xc3\xa9", "café"),
    ];
    for (content_type, body, expected) in cases {
        site.on("/page", page(content_type, body));
        let page = client().fetch(site.url("/page")).await.unwrap();
        let shown = String::from_utf8_lossy(body);
        assert!(page.text().ends_with(expected), "{shown}: {}", page.text());
        assert_eq!(page.to_markdown().unwrap().text, expected, "{shown}");
    }
    // A declaration in a body that is not HTML is ignored.
    site.on("/page", page(Some("text/plain"), b"<meta charset=windows-1252>caf\xe9"));
    assert!(client().fetch(site.url("/page")).await.unwrap().text().ends_with("caf\u{fffd}"));
}

#[tokio::test]
async fn page_without_type_is_html_by_its_first_bytes() {
    let site = site("");
    let is_warned = async |content_type, body: &[u8]| {
        site.on("/page", page(content_type, body));
        let page = client().fetch(site.url("/page")).await.unwrap();
        page.record().warnings.iter().any(|warning| warning.name == "do_not_index")
    };
    let asks = "<meta name=robots content=noindex>";
    for start in [
        "",
        "<!doctype html>",
        "\n<HTML lang=en>",
        "<!-- a -->",
        "\u{feff}<head>",
        "<?xml version='1.0'?><html>",
    ] {
        for content_type in [None, Some(""), Some("html"), Some("unknown/unknown")] {
            assert!(
                is_warned(content_type, format!("{start}{asks}").as_bytes()).await,
                "{content_type:?} {start}"
            );
        }
    }
    for (content_type, start) in
        [(None, "text "), (None, "%PDF-1.7 "), (Some("text/plain"), "<!doctype html>")]
    {
        assert!(
            !is_warned(content_type, format!("{start}{asks}").as_bytes()).await,
            "{content_type:?} {start}"
        );
    }
}
