//! Tests of the selection of a page's best form, such as its Markdown form. llms.txt is a hint, and robots.txt decides
//! whether each form may be fetched.

use comity::llms::Strategy;
use comity_client::FetchOptions;
use comity_client::retrieval::FetchOutcome;
use comity_client::{Cause, Client};
use testkit::servers::{Origin, Reply};

use super::ahead::Ahead;
use super::{client, site};

fn with(strategy: Strategy) -> FetchOptions {
    FetchOptions::default().llms(strategy)
}

/// A site whose llms.txt lists a Markdown form of `/guide`.
fn documented(robots: &str) -> Origin {
    let site = site(robots);
    let list = "# Reed\n\n> Tools.\n\n## Docs\n\n- [Guide](/guide.md): how\n- [Guide](/guide/): the page\n";
    site.on("/llms.txt", Reply::ok(list).header("Content-Type", "text/plain"));
    site.on("/guide.md", Reply::ok("# Guide\n").header("Content-Type", "text/markdown"));
    site.on("/guide/", Reply::html("<h1>Guide</h1><p>With a <a href='/x'>link</a>."));
    site.on("/guide", Reply::html("<h1>Guide</h1>"));
    site
}

async fn selected(client: &Client, url: String, strategy: Strategy) -> (String, &'static str) {
    let page = client.fetch_with(&url, &with(strategy)).await.unwrap();
    assert_eq!(page.record().requested_url, url);
    let path = page.url().unwrap().path().to_owned();
    (path, page.record().selected.reason)
}

#[tokio::test]
async fn strategy_determines_the_selected_form() {
    let site = documented("");
    for (strategy, expected, asked) in [
        (Strategy::Disabled, ("/guide", "direct"), 0),
        (Strategy::Prefer, ("/guide/", "llms_txt_canonical_match"), 1),
        (Strategy::Force, ("/guide/", "llms_txt_canonical_match"), 2),
    ] {
        let (path, reason) = selected(&client(), site.url("/guide"), strategy).await;
        assert_eq!((path.as_str(), reason), expected, "{strategy}");
        assert_eq!(site.count("/llms.txt"), asked, "{strategy}");
    }
}

#[tokio::test]
async fn disallowed_candidate_is_skipped() {
    let site = documented("User-agent: *\nDisallow: /guide/\n");
    let client = client();
    let page = client.fetch_with(site.url("/guide"), &with(Strategy::Prefer)).await.unwrap();
    let record = page.record();
    assert_eq!(page.url().unwrap().path(), "/guide.md");
    assert_eq!(record.selected.reason, "same_url_markdown_variant");
    let passed = &record.selected.passed_over[0];
    assert_eq!((passed.reason, passed.outcome), ("llms_txt_canonical_match", FetchOutcome::RobotsRefused));
    assert!(passed.because.contains("robots.txt:2"), "{}", passed.because);
    assert_eq!(site.count("/guide/"), 0);
    let manifest = &record.manifests[0];
    assert_eq!((manifest.kind, manifest.status), ("llms_txt", Some(200)));
    assert!(manifest.digest.is_some());
}

#[tokio::test]
async fn disallowed_page_may_have_an_allowed_form() {
    let site = documented("User-agent: *\nDisallow: /guide$\n");
    let (path, _) = selected(&client(), site.url("/guide"), Strategy::Prefer).await;
    assert_eq!(path, "/guide/");
    // llms.txt never allows a page that robots.txt disallows.
    let site = documented("User-agent: *\nDisallow: /guide\n");
    let error = client().fetch_with(site.url("/guide"), &with(Strategy::Prefer)).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Robots(_)), "{error}");
    let error = client().fetch_with(site.url("/guide"), &with(Strategy::Force)).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::NoAlternative), "{error}");
    assert!(!error.record().selected.passed_over.is_empty());
}

#[tokio::test]
async fn disallowed_llms_txt_is_not_fetched() {
    let site = documented("User-agent: *\nDisallow: /llms.txt\n");
    let page = client().fetch_with(site.url("/guide"), &with(Strategy::Prefer)).await.unwrap();
    assert_eq!(site.count("/llms.txt"), 0);
    assert_eq!(page.record().manifests[0].outcome, FetchOutcome::RobotsRefused);
}

#[tokio::test]
async fn credentials_of_the_requested_url_are_not_recorded() {
    let site = documented("User-agent: *\nDisallow: /private\n");
    let guard = super::loopback().allow_credentials();
    let client = super::builder().guard(guard).build().unwrap();
    for (path, strategy) in
        [("/guide", Strategy::Prefer), ("/guide", Strategy::Force), ("/private", Strategy::Prefer)]
    {
        let url = site.url(path).replace("//", "//user:S3CRET@");
        let record = match client.fetch_with(&url, &with(strategy)).await {
            Ok(page) => page.record().clone(),
            Err(error) => error.record().clone(),
        };
        assert!(!format!("{record:?}").contains("S3CRET"), "{record:?}");
    }
}

#[tokio::test]
async fn absence_of_llms_txt_is_cached_and_a_refusal_of_this_client_is_not() {
    let clock = Ahead::default();
    for (status, requests_within_an_hour) in [(404, 1), (410, 1), (503, 2), (403, 2)] {
        let site = site("");
        site.on("/llms.txt", Reply::status(status));
        let client = super::builder().clock(clock.clone()).build().unwrap();
        for _ in 0..2 {
            selected(&client, site.url("/a"), Strategy::Prefer).await;
            assert_eq!(site.count("/llms.txt"), 1, "{status}");
        }
        clock.pass_seconds(120);
        selected(&client, site.url("/a"), Strategy::Prefer).await;
        assert_eq!(site.count("/llms.txt"), requests_within_an_hour, "{status}");
    }
    let site = documented("");
    site.on("/robots.txt", Reply::status(503));
    let client = super::builder().clock(clock.clone()).build().unwrap();
    client.fetch_with(site.url("/guide"), &with(Strategy::Prefer)).await.unwrap_err();
    site.on("/robots.txt", Reply::ok(""));
    clock.pass_seconds(1800);
    let (path, _) = selected(&client, site.url("/guide"), Strategy::Prefer).await;
    assert_eq!(path, "/guide/", "llms.txt is requested as soon as robots.txt can be read");
}

#[tokio::test]
async fn llms_txt_is_cached_and_a_soft_404_counts_as_absent() {
    let site = site("");
    site.on("/llms.txt", Reply::html_soft_404());
    site.on("/a.md", Reply::html("<p>not here"));
    site.on("/a/index.html.md", Reply::status(404));
    let client = client();
    for _ in 0..3 {
        let (path, reason) = selected(&client, site.url("/a"), Strategy::Prefer).await;
        assert_eq!((path.as_str(), reason), ("/a", "direct"));
    }
    assert_eq!(site.count("/llms.txt"), 1);
}

#[tokio::test]
async fn page_listed_by_llms_txt_is_decided_by_robots_txt() {
    let site = site("User-agent: *\nAllow: /llms.txt\nDisallow: /\n");
    let list = format!("# A\n\n## Docs\n\n- [Page]({}): this\n", site.url("/page"));
    site.on("/llms.txt", Reply::ok(list).header("Content-Type", "text/plain"));
    let error = client().fetch_with(site.url("/page"), &with(Strategy::Prefer)).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Robots(_)), "{error}");
    assert_eq!((site.count("/llms.txt"), site.count("/page")), (1, 0));
    let passed: Vec<&str> = error.record().selected.passed_over.iter().map(|passed| passed.reason).collect();
    assert!(
        !passed.is_empty() && passed.iter().all(|reason| *reason == "same_url_markdown_variant"),
        "{passed:?}"
    );
}

#[tokio::test]
async fn listed_page_with_404_is_returned() {
    let site = site("");
    let list = format!("# A\n\n## Docs\n\n- [Page]({}): this\n", site.url("/page"));
    site.on("/llms.txt", Reply::ok(list).header("Content-Type", "text/plain"));
    site.otherwise(Reply::status(404));
    let page = client().fetch_with(site.url("/page#part"), &with(Strategy::Prefer)).await.unwrap();
    assert_eq!((page.status().as_u16(), page.url().unwrap().path()), (404, "/page"));
    let error = client().fetch_with(site.url("/page"), &with(Strategy::Force)).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::NoAlternative), "{error}");
}

#[tokio::test]
async fn html_is_converted_to_markdown_and_text_is_unchanged() {
    let site = documented("");
    let html = "<html><head><style>x{}</style><title>T</title></head><body><nav>menu</nav><h1>Guide</h1>\
                <p>With a <a href='/x'>link</a>.<script>alert(1)</script></body>";
    site.on("/page", Reply::html(html));
    let markdown = client().fetch(site.url("/page")).await.unwrap().to_markdown().unwrap().text;
    let link = format!("[link]({})", site.url("/x"));
    assert!(markdown.contains("# Guide") && markdown.contains(&link), "{markdown}");
    for hidden in ["alert", "x{}", "menu"] {
        assert!(!markdown.contains(hidden), "{hidden} in {markdown}");
    }
    let text = client().fetch(site.url("/guide.md")).await.unwrap().to_markdown().unwrap();
    assert_eq!(text.text, "# Guide\n");

    site.on("/deep", Reply::html("<div><script></div></script>".repeat(20_000) + "text"));
    let deep = client().fetch(site.url("/deep")).await.unwrap().to_markdown().unwrap();
    assert_eq!(deep.text, "text");
    assert_eq!((deep.warnings[0].kind, deep.warnings[0].name.as_str()), ("markdown", "nesting"));
    site.on("/picture", Reply::ok("\u{1}").header("Content-Type", "image/png"));
    let error = client().fetch(site.url("/picture")).await.unwrap().to_markdown().unwrap_err();
    assert_eq!(error, comity_client::retrieval::MarkdownError::NoText);
}

#[tokio::test]
async fn text_is_decoded_with_the_charset_of_the_header() {
    let site = site("");
    site.on(
        "/latin",
        Reply::ok(b"caf\xe9".to_vec()).header("Content-Type", "text/plain; charset=iso-8859-1"),
    );
    assert_eq!(client().fetch(site.url("/latin")).await.unwrap().text(), "caf\u{e9}");
}
