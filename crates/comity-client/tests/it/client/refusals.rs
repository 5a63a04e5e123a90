//! Tests of refused requests: the step that refuses the request, and the data in the error.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use comity::policy::{Mode, Preset, Verdict};
use comity_client::breaker::BreakerOptions;
use comity_client::guard::Guard;
use comity_client::observe::{Event, Observer};
use comity_client::pace::PaceOptions;
use comity_client::testing::{FakeReply, FakeResolver, FakeTransport};
use comity_client::{Cause, Client, TokioClock};
use testkit::servers::{Origin, Reply};

use super::ahead::Ahead;
use super::{assert_paced, builder, client, options, pages, site, until_counted};

#[tokio::test]
async fn loopback_is_refused_by_default() {
    let site = site("");
    let client = Client::builder("ExampleBot").build().unwrap();
    let error = client.fetch(site.url("/page")).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Guard(_)), "{error}");
    assert_eq!(site.requests().len(), 0, "not even robots.txt was requested");
    assert!(error.is_refusal());
}

#[tokio::test]
async fn invalid_or_non_web_url_is_refused() {
    for url in ["", "page", "mailto:a@example.com", "file:///etc/passwd", "http://", "javascript:1"] {
        let error = client().fetch(url).await.unwrap_err();
        assert!(matches!(error.cause(), Cause::Url(_) | Cause::Guard(_)), "{url}: {error}");
    }
}

#[tokio::test]
async fn disallowed_page_is_never_requested() {
    let site = site("User-agent: ExampleBot\nDisallow: /private\n");
    let error = client().fetch(site.url("/private/page")).await.unwrap_err();
    let Cause::Robots(decision) = error.cause() else { panic!("{error}") };
    assert_eq!(decision.rule.as_ref().map(|rule| rule.line), Some(2));
    assert_eq!(decision.group.as_deref(), Some("ExampleBot"));
    assert!(error.to_string().ends_with("robots.txt:2: Disallow: /private (group ExampleBot)"), "{error}");
    assert_eq!(site.count("/private/page"), 0);
    assert!(error.is_refusal());
}

#[tokio::test]
async fn mode_blocks_reports_or_skips_robots_txt() {
    for (mode, fetched, asked, verdict) in [
        (Mode::Respect, false, 1, "disallowed_explicit"),
        (Mode::ReportOnly, true, 1, "disallowed_explicit"),
        (Mode::Ignore, true, 0, "skipped_by_user_policy"),
    ] {
        let site = site("User-agent: *\nDisallow: /\n");
        let client = builder().mode(mode).build().unwrap();
        let (record, is_fetched) = match client.fetch(site.url("/page")).await {
            Ok(page) => (page.record().clone(), true),
            Err(error) => (error.record().clone(), false),
        };
        assert_eq!(is_fetched, fetched, "{mode:?}");
        assert_eq!(site.count("/robots.txt"), asked, "{mode:?}");
        assert_eq!(record.hops[0].decision.as_ref().unwrap().verdict.as_str(), verdict, "{mode:?}");
        assert_eq!(record.mode, mode);
    }
}

#[tokio::test]
async fn open_circuit_rejects_before_robots_txt_and_admits_one_probe() {
    let site = site("");
    site.on("/page", Reply::status(500));
    let mut breaker = BreakerOptions::default();
    breaker.failure_threshold = NonZeroU32::new(2);
    breaker.recovery = Duration::from_secs(300);
    let clock = Ahead::default();
    let client = builder().breaker(breaker).clock(clock.clone()).build().unwrap();
    for _ in 0..2 {
        assert_eq!(client.fetch(site.url("/page")).await.unwrap().status(), 500);
    }
    let error = client.fetch(site.url("/page")).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Circuit(_)), "{error}");
    assert_eq!(site.count("/page"), 2);
    clock.pass_seconds(300);
    site.on("/page", Reply::ok("recovered"));
    assert_eq!(client.fetch(site.url("/page")).await.unwrap().status(), 200);
    assert_eq!(client.fetch(site.url("/page")).await.unwrap().status(), 200);
}

#[tokio::test]
async fn incomplete_body_counts_as_a_failure() {
    let site = site("");
    site.on("/page", Reply::short_body("abc"));
    let mut breaker = BreakerOptions::default();
    breaker.failure_threshold = NonZeroU32::new(2);
    let client = builder().breaker(breaker).build().unwrap();
    for _ in 0..2 {
        let error = client.fetch(site.url("/page")).await.unwrap_err();
        assert!(matches!(error.cause(), Cause::Transport(_)), "{error}");
    }
    let error = client.fetch(site.url("/page")).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Circuit(_)), "{error}");
}

#[tokio::test]
async fn busy_answer_is_retried_and_holds_the_origin() {
    let site = site("");
    site.on("/busy", Reply::retry_after(429, 1).then(Reply::ok("now")));
    let mut retry = comity_client::retry::RetryOptions::default();
    retry.backoff_base = Duration::from_millis(10);
    let client = builder().retry(retry).build().unwrap();
    let (busy, other) = tokio::join!(client.fetch(site.url("/busy")), async {
        until_counted(&client, "retries", 1).await;
        client.fetch(site.url("/other")).await
    });
    let busy = busy.unwrap();
    assert_eq!(busy.status(), 200);
    let attempts = &busy.record().hops[0].attempts;
    assert_eq!(attempts.iter().map(|attempt| attempt.status).collect::<Vec<_>>(), [Some(429), Some(200)]);
    assert!(attempts[0].retried.is_some());
    // The second request waits from the arrival of the first answer.
    assert!(site.gaps("/busy")[0] >= Duration::from_secs(1), "{:?}", site.gaps("/busy"));
    assert_eq!(other.unwrap().status(), 200);
    let gap = site.requests_for("/other")[0].at - site.requests_for("/busy")[0].at;
    assert!(gap >= Duration::from_secs(1), "the other page also waits: {gap:?}");
}

#[tokio::test]
async fn too_long_wait_is_refused_at_once() {
    let site = site("User-agent: *\nCrawl-delay: 60\n");
    let client = client();
    client.fetch(site.url("/1")).await.unwrap();
    let mut impatient = options();
    impatient.max_wait = Some(Duration::from_secs(5));
    let error = client.fetch_with(site.url("/2"), &impatient).await.unwrap_err();
    let Cause::Wait(wait) = error.cause() else { panic!("{error}") };
    assert_eq!(wait.reason.as_str(), "crawl_delay");
    assert!(error.to_string().contains("Crawl-delay"), "{error}");
    assert_eq!(site.count("/2"), 0);
}

#[tokio::test]
async fn crawl_delay_applies_between_pages_and_is_reported() {
    let site = site("User-agent: *\nCrawl-delay: 0.3\n");
    let client = client();
    let urls: Vec<String> = (0..4).map(|number| site.url(&format!("/{number}"))).collect();
    let begun = Instant::now();
    let fetched = futures_util::future::join_all(urls.iter().map(|url| client.fetch(url))).await;
    assert_paced(begun, &pages(&site), Duration::from_millis(300));
    let waits = fetched.iter().filter_map(|page| page.as_ref().ok()?.record().hops[0].waits.first().copied());
    for wait in waits {
        assert_eq!(wait.interval.duration, Duration::from_millis(300));
        assert_eq!(wait.interval.reason.as_str(), "crawl_delay");
    }
}

/// Returns a client with this maximum interval, and a web with one site.
fn client_of(robots: &str, max_interval: Option<Duration>) -> (FakeTransport, Client) {
    let web = FakeTransport::new();
    web.on("https://a.example/robots.txt", FakeReply::text(robots.to_owned()));
    for path in ["/1", "/2"] {
        web.on(&format!("https://a.example{path}"), FakeReply::html("<p>A page.</p>"));
    }
    let mut pace = PaceOptions::default();
    pace.max_interval = max_interval.unwrap_or(pace.max_interval);
    let builder = Client::builder("ExampleBot").guard(Guard::new().with_resolver(FakeResolver::new()));
    let clock = TokioClock::starting_at(SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000));
    (web.clone(), builder.transport(web).clock(clock).pace(pace).build().unwrap())
}

#[tokio::test(start_paused = true)]
async fn delay_too_large_for_its_type_is_cut_at_the_longest_interval() {
    for line in [
        "Crawl-delay: 4294967296",
        "Crawl-delay: 18446744073709551616",
        "Crawl-delay: 1e400",
        "Request-rate: 1/4294967296",
    ] {
        let (web, client) = client_of(&format!("User-agent: *\n{line}\n"), None);
        for path in ["/1", "/2"] {
            client.fetch(format!("https://a.example{path}")).await.unwrap();
        }
        let [first, second] = ["/1", "/2"].map(|path| web.times(&format!("https://a.example{path}"))[0]);
        assert!(second - first >= Duration::from_secs(300), "{line}: {:?}", second - first);
    }
}

#[tokio::test(start_paused = true)]
async fn overflowing_crawl_delay_without_a_longest_interval_is_refused() {
    let (web, client) = client_of("User-agent: *\nCrawl-delay: 1e400\n", Some(Duration::MAX));
    client.fetch("https://a.example/1").await.unwrap();
    let mut impatient = options();
    impatient.max_wait = Some(Duration::from_secs(86_400));
    let error = client.fetch_with("https://a.example/2", &impatient).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Wait(_)), "{error}");
    assert_eq!(web.count("https://a.example/2"), 0);
}

#[tokio::test]
async fn clients_with_one_store_share_a_pace() {
    let site = site("User-agent: *\nCrawl-delay: 0.4\n");
    let store: Arc<dyn comity_client::store::Store> = Arc::new(comity_client::store::MemoryStore::new());
    let clients: Vec<Client> =
        (0..3).map(|_| builder().shared_store(store.clone()).build().unwrap()).collect();
    let urls: Vec<String> = (0..3).map(|number| site.url(&format!("/{number}"))).collect();
    let begun = Instant::now();
    let fetches = clients.iter().zip(&urls).map(|(client, url)| client.fetch(url));
    for page in futures_util::future::join_all(fetches).await {
        page.unwrap();
    }
    assert_eq!(site.count("/robots.txt"), 1, "all clients share one robots.txt");
    assert_paced(begun, &pages(&site), Duration::from_millis(400));
}

/// An observer that collects events as text.
#[derive(Clone, Debug, Default)]
struct Listener(Arc<std::sync::Mutex<Vec<String>>>);

impl Observer for Listener {
    fn on(&self, event: &Event<'_>) {
        self.0.lock().unwrap().push(format!("{event:?}"));
    }
}

#[tokio::test]
async fn events_are_counted_and_observed() {
    let site = site("User-agent: *\nDisallow: /no\n");
    let listener = Listener::default();
    let client = builder().observer(listener.clone()).build().unwrap();
    client.fetch(site.url("/yes")).await.unwrap();
    client.fetch(site.url("/yes")).await.unwrap();
    client.fetch(site.url("/no")).await.unwrap_err();
    client.fetch("http://10.0.0.1/").await.unwrap_err();
    let counted = client.counters().snapshot();
    for (name, number) in [
        ("robots_answers_success", 1),
        ("robots_hits", 2),
        ("verdicts_allowed_implicit", 2),
        ("verdicts_disallowed_explicit", 1),
        ("blocked", 1),
        ("pages", 2),
        ("refused_by_robots", 1),
        ("refused_by_guard", 1),
    ] {
        assert_eq!(counted.get(name), Some(&number), "{name} in {counted:?}");
    }
    let told = listener.0.lock().unwrap();
    for name in ["RobotsFetched", "RobotsHit", "Decided", "Fetched", "Refused"] {
        assert!(told.iter().any(|event| event.split(' ').next() == Some(name)), "{name} in {told:?}");
    }
    // Each fetch ends with exactly one event, which contains the URL and the duration.
    let ends: Vec<&String> = told.iter().filter(|event| event.contains(" took: ")).collect();
    for (event, url) in [("Fetched", site.url("/yes")), ("Refused", site.url("/no"))] {
        let told = ends.iter().filter(|told| told.starts_with(event) && told.contains(&format!("{url:?}")));
        assert_eq!(told.count(), if event == "Fetched" { 2 } else { 1 }, "{event} of {url} in {ends:?}");
    }
    assert!(ends.iter().any(|told| told.contains("\"http://10.0.0.1/\"")), "{ends:?}");
}

#[tokio::test]
async fn ladon_fails_open_with_a_warning() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::status(503));
    site.otherwise(Reply::ok("page"));
    let client = builder().preset(Preset::Ladon).mode(Mode::Respect).build().unwrap();
    let page = client.fetch(site.url("/page")).await.unwrap();
    let decision = page.record().hops[0].decision.as_ref().unwrap();
    assert!(decision.failed_open);
    assert_eq!(decision.recommendation.as_str(), "allowed_but_warn");
    let [warning] = page.record().warnings.as_slice() else { panic!("{:?}", page.record().warnings) };
    assert_eq!((warning.kind, warning.name.as_str()), ("robots_txt", "allowed_but_warn"));
    assert!(warning.message.contains("/robots.txt is unreachable (503 since "), "{}", warning.message);
    assert!(warning.message.contains("preset ladon"), "{}", warning.message);
    // A client uses this answer as long as the client exists.
    client.fetch(site.url("/page")).await.unwrap();
    assert_eq!(site.count("/robots.txt"), 1);

    // By default, the preset of Ladon does not request robots.txt.
    let client = builder().preset(Preset::Ladon).build().unwrap();
    client.fetch(site.url("/page")).await.unwrap();
    assert_eq!(site.count("/robots.txt"), 1);
}

#[tokio::test]
async fn inconclusive_robots_txt_warns_once_per_origin() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::html_soft_404());
    site.on("/old", Reply::redirect(302, "/page"));
    site.on("/page", Reply::ok("page"));
    let client = builder().build().unwrap();
    let page = client.fetch(site.url("/old")).await.unwrap();
    assert_eq!(page.record().hops.len(), 2);
    let [warning] = page.record().warnings.as_slice() else { panic!("{:?}", page.record().warnings) };
    assert_eq!((warning.kind, warning.name.as_str()), ("robots_txt", "allowed_but_warn"));
    assert!(
        warning.message.contains("is not a robots.txt (200, HTML without a record, "),
        "{}",
        warning.message
    );

    // A conclusive answer causes no warning.
    for robots in [Reply::ok("User-agent: *\nAllow: /\n"), Reply::status(404)] {
        let site = Origin::start();
        site.on("/robots.txt", robots);
        site.otherwise(Reply::ok("page"));
        let page = builder().build().unwrap().fetch(site.url("/page")).await.unwrap();
        assert_eq!(page.record().warnings, []);
    }
}

#[tokio::test]
async fn name_with_public_and_private_address_is_refused() {
    let names = testkit::servers::DnsServer::start();
    names.on("mixed.example", testkit::servers::DnsAnswer::addresses(["93.184.216.34", "127.0.0.1"]));
    let resolver = comity_client::guard::DnsResolver::new([names.address()], Duration::from_secs(2)).unwrap();
    let client = builder().guard(Guard::new().with_resolver(resolver)).build().unwrap();
    let error = client.fetch("http://mixed.example/").await.unwrap_err();
    assert!(matches!(error.cause(), Cause::Guard(_)), "{error}");
}

#[tokio::test]
async fn dns_rebinding_does_not_bypass_the_guard() {
    let names = testkit::servers::DnsServer::start();
    let public = testkit::servers::DnsAnswer::addresses(["127.0.0.2"]);
    // The name first resolves to an allowed address, then to a denied address. The client must dial only the address
    // that it checked.
    names.on("rebind.example", public.then(testkit::servers::DnsAnswer::addresses(["127.0.0.1"])));
    let (allowed, private) = (Origin::start_on("127.0.0.2"), Origin::start());
    allowed.on("/robots.txt", Reply::ok(""));
    allowed.otherwise(Reply::ok("public"));
    private.otherwise(Reply::ok("secret"));
    let resolver = comity_client::guard::DnsResolver::new([names.address()], Duration::from_secs(2)).unwrap();
    let guard = Guard::new().allow_address("127.0.0.2/32".parse().unwrap()).with_resolver(resolver);
    let client = builder().guard(guard).build().unwrap();
    for origin in [&allowed, &private] {
        let port = origin.address().port();
        match client.fetch(format!("http://rebind.example:{port}/")).await {
            Ok(page) => assert_eq!(page.text(), "public"),
            Err(error) => {
                assert!(matches!(error.cause(), Cause::Guard(_) | Cause::Unreachable(_)), "{error}")
            }
        }
    }
    assert_eq!(private.requests().len(), 0);
}

#[tokio::test]
async fn credentials_in_urls_are_neither_stored_nor_reported() {
    let site = site("");
    let port = site.address().port();
    let secret = format!("http://user:secret@127.0.0.1:{port}/page");
    site.on("/moved", Reply::redirect(302, &secret));
    let elsewhere = Origin::start();
    elsewhere.on("/robots.txt", Reply::redirect(301, &secret));
    elsewhere.otherwise(Reply::ok("page"));
    let odd = Origin::start();
    odd.on("/moved", Reply::redirect(302, "http://user:secret@[/")).on("/robots.txt", Reply::ok(""));
    let allowing = builder().guard(super::loopback().allow_credentials()).build().unwrap();
    for client in [client(), allowing] {
        for url in [
            secret.clone(),
            site.url("/moved"),
            elsewhere.url("/page"),
            odd.url("/moved"),
            format!("http://user:secret@127.0.0.1:{port}:x/"),
        ] {
            let (told, record) = match client.fetch(&url).await {
                Ok(page) => (String::new(), page.record().clone()),
                Err(error) => (format!("{error} {error:?} {}", error.cause()), error.record().clone()),
            };
            let kept = serde_json::to_string(&record).unwrap();
            assert!(!kept.contains("secret") && !told.contains("secret"), "{url}: {told} {kept}");
        }
    }
}

#[tokio::test]
async fn refusal_by_the_server_is_in_the_record() {
    let site = site("User-agent: *\nAllow: /\n");
    site.on(
        "/paid",
        Reply::status(402)
            .header("WWW-Authenticate", "License error=\"insufficient_scope\"")
            .header("Link", "<https://e.com/l.xml>; rel=\"license\"; type=\"application/rsl+xml\"")
            .header("crawler-price", "USD 0.01"),
    );
    site.on("/puzzle", Reply::status(403).header("cf-mitigated", "challenge"));
    site.on("/gone", Reply::status(404));
    let client = client();
    let page = client.fetch(site.url("/paid")).await.unwrap();
    let record = page.record();
    assert_eq!(
        record.hops[0].decision.as_ref().map(|decision| decision.verdict),
        Some(Verdict::AllowedExplicit)
    );
    let refusal = record.refusal.as_ref().expect("a refusal");
    assert_eq!((refusal.kind().as_str(), refusal.status()), ("payment_required", 402));
    assert_eq!(refusal.licenses()[0].url(), "https://e.com/l.xml");
    assert_eq!(refusal.license_error(), Some("insufficient_scope"));
    assert_eq!(refusal.prices(), ["crawler-price: USD 0.01"]);
    let warning = record.warnings.iter().find(|warning| warning.kind == "refusal").expect("a warning");
    assert!(warning.message.contains("other crawlers may get another answer"), "{}", warning.message);
    let page = client.fetch(site.url("/puzzle")).await.unwrap();
    assert_eq!(page.record().refusal.as_ref().map(|refusal| refusal.kind().as_str()), Some("challenge"));
    let page = client.fetch(site.url("/gone")).await.unwrap();
    assert!(page.record().refusal.is_none() && page.record().warnings.is_empty());
}
