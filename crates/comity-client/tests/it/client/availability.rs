//! Checks that each preset treats all kinds of answers to a request for robots.txt as in its table. The answers come
//! from real servers.

use std::time::Duration;

use comity::policy::{AnswerKind, Mode, Preset};
use comity_client::robots_cache::RobotsOptions;
use futures_util::stream::{self, StreamExt};
use testkit::servers::{Ca, Origin, Reply};

use super::builder;

/// Returns replies of servers, each with its name and the resulting kind of answer.
fn misbehaviours() -> Vec<(&'static str, Reply, AnswerKind)> {
    let closed = "User-agent: *\nDisallow: /\n";
    vec![
        ("200", Reply::ok(closed), AnswerKind::Success),
        ("200 in gzip", Reply::gzip(closed), AnswerKind::Success),
        (
            "200 as bytes",
            Reply::ok(closed).header("Content-Type", "application/octet-stream"),
            AnswerKind::Success,
        ),
        ("HTML", Reply::html_soft_404(), AnswerKind::HtmlSoft404),
        ("a challenge", Reply::puzzle(200), AnswerKind::Challenge),
        ("a challenge with 202", Reply::puzzle(202), AnswerKind::Challenge),
        (
            "a challenge by its header",
            Reply::html("<p>Wait").header("cf-mitigated", "challenge"),
            AnswerKind::Challenge,
        ),
        ("206", Reply::status(206), AnswerKind::MissingBody),
        (
            "206 with the whole body",
            Reply::status(206).header("Content-Range", "bytes 0-19/20"),
            AnswerKind::Success,
        ),
        ("401", Reply::status(401), AnswerKind::AccessDenied),
        ("403", Reply::status(403), AnswerKind::AccessDenied),
        ("404", Reply::status(404), AnswerKind::NotFound),
        ("410", Reply::status(410), AnswerKind::Gone),
        ("429", Reply::retry_after(429, 60), AnswerKind::TooManyRequests),
        ("418", Reply::status(418), AnswerKind::OtherClientError),
        ("500", Reply::status(500), AnswerKind::ServerError),
        ("503", Reply::retry_after(503, 60), AnswerKind::ServerError),
        ("302 without Location", Reply::status(302), AnswerKind::Redirects),
        ("a file redirect", Reply::redirect_to_file(), AnswerKind::Guard),
        ("a reset", Reply::reset(), AnswerKind::Connection),
        ("a reset in the middle", Reply::reset_midway(closed), AnswerKind::Connection),
        ("no answer", Reply::hang(), AnswerKind::Timeout),
        (
            "a slow drip",
            Reply::slow_drip("x".repeat(1000), 1, Duration::from_millis(100)),
            AnswerKind::Timeout,
        ),
        (
            "a slow header",
            Reply::slow_header("x".repeat(100), Duration::from_millis(300)),
            AnswerKind::Timeout,
        ),
        ("garbage", Reply::garbage(), AnswerKind::Protocol),
        ("a bad chunk", Reply::bad_chunk(closed), AnswerKind::Protocol),
        ("a truncated chunk", Reply::truncated_chunk(closed), AnswerKind::Protocol),
        ("a short body", Reply::short_body(closed), AnswerKind::Protocol),
        ("huge headers", Reply::huge_headers(4 << 20), AnswerKind::Protocol),
        ("an endless body", Reply::endless(), AnswerKind::LongBody),
        ("a gzip bomb", Reply::gzip_bomb(64 << 20), AnswerKind::LongBody),
    ]
}

#[tokio::test]
async fn every_misbehaviour_has_the_treatment_of_the_preset() {
    let presets = Preset::ALL.into_iter();
    let cases = presets.flat_map(|preset| misbehaviours().into_iter().map(move |case| check(preset, case)));
    stream::iter(cases).buffer_unordered(16).collect::<()>().await;
}

async fn check(preset: Preset, (name, reply, kind): (&str, Reply, AnswerKind)) {
    let site = Origin::start();
    site.on("/robots.txt", reply);
    site.otherwise(Reply::ok("page"));
    let mut robots = RobotsOptions::default();
    // The timeout is long enough for a busy machine, except in the case that tests the timeout.
    robots.timeout = Some(Duration::from_millis(if kind == AnswerKind::Timeout { 800 } else { 20_000 }));
    let client = builder().preset(preset).mode(Mode::Respect).robots(robots).build().unwrap();
    let decision = client.decide(site.url("/page")).await.unwrap();
    let found = decision.evidence.as_ref().unwrap().kind();
    // Some presets do not distinguish all kinds, and treat the reply as an ordinary body.
    assert!(found == kind || found == AnswerKind::Success && is_body(kind), "{preset:?}, {name}: {found:?}");
    let entry = preset.entry(found);
    if let Some(verdict) = entry.verdict() {
        assert_eq!(decision.verdict, verdict, "{preset:?}, {name}");
    }
    if let Some(recommendation) = entry.recommendation() {
        assert_eq!(decision.recommendation, recommendation, "{preset:?}, {name}");
    }
    // The page must be fetched if and only if the decision allows it.
    let mut patient = super::options();
    patient.timeout = Duration::from_secs(20);
    let fetched = client.fetch_with(site.url("/page"), &patient).await;
    assert_eq!(fetched.is_ok(), !decision.blocked, "{preset:?}, {name}");
    assert_eq!(site.count("/page"), usize::from(!decision.blocked), "{preset:?}, {name}");
}

fn is_body(kind: AnswerKind) -> bool {
    matches!(kind, AnswerKind::LongBody | AnswerKind::HtmlSoft404 | AnswerKind::Undecodable)
}

#[tokio::test]
async fn refused_connection_and_missing_name_are_different_failures() {
    let port = testkit::servers::free_port();
    let decision = super::client().decide(format!("http://127.0.0.1:{port}/")).await.unwrap();
    assert_eq!(decision.evidence.unwrap().kind(), AnswerKind::Connection);
    let error = super::client().fetch("http://does-not-exist.invalid/").await.unwrap_err();
    assert!(is_dns(&error), "{error}");
}

fn is_dns(error: &comity_client::FetchError) -> bool {
    matches!(error.cause(), comity_client::Cause::Transport(error) if error.failure().as_str() == "dns")
}

#[tokio::test]
async fn name_without_address_is_decided_by_the_preset() {
    let names = testkit::servers::DnsServer::start();
    names.on("nowhere.example", testkit::servers::DnsAnswer::nxdomain());
    let resolver = || {
        comity_client::guard::DnsResolver::new([names.address()], std::time::Duration::from_secs(2)).unwrap()
    };
    for preset in Preset::ALL {
        let guard = comity_client::guard::Guard::new().with_resolver(resolver());
        let client = super::builder().guard(guard).preset(preset).mode(Mode::Respect).build().unwrap();
        let decision = client.decide("http://nowhere.example/page").await.unwrap();
        let entry = preset.entry(AnswerKind::Dns);
        assert_eq!(Some(decision.verdict), entry.verdict(), "{preset}");
        assert_eq!(Some(decision.recommendation), entry.recommendation(), "{preset}");
        assert_eq!(decision.evidence.unwrap().kind(), AnswerKind::Dns, "{preset}");
        // The page cannot be fetched in any case, since the name has no address.
        let error = client.fetch("http://nowhere.example/page").await.unwrap_err();
        assert!(is_dns(&error), "{preset}: {error}");
    }
}

#[tokio::test]
async fn untrusted_certificate_is_a_tls_failure() {
    let site = Origin::start_tls(&Ca::new());
    let decision = super::client().decide(site.url("/")).await.unwrap();
    assert_eq!(decision.evidence.unwrap().kind(), AnswerKind::Tls);
}

#[tokio::test]
async fn rules_beyond_512000_bytes_do_not_apply() {
    let filler = "# x\n".repeat(127_999);
    let body = format!("{filler}User-agent: *\nDisallow: /\n");
    assert_eq!(filler.len(), 511_996);
    let site = super::site(&body);
    let decision = super::client().decide(site.url("/page")).await.unwrap();
    assert!(!decision.blocked, "rules beyond the limit do not apply");
    let evidence = decision.evidence.unwrap();
    assert_eq!((evidence.body_bytes(), evidence.kind()), (512_000, AnswerKind::LongBody));
}

#[tokio::test]
async fn wrong_charset_does_not_hide_rules() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::wrong_charset("utf-16", "User-agent: *\nDisallow: /\n"));
    let decision = super::client().decide(site.url("/page")).await.unwrap();
    assert!(decision.blocked, "{decision:?}");
}

/// Returns a client that trusts the certificates of an authority.
fn trusting(ca: &Ca) -> comity_client::Client {
    let mut network = comity_client::transport::NetworkOptions::default();
    network.extra_roots = vec![ca.der()];
    super::builder().network(network).build().unwrap()
}

#[tokio::test]
async fn rejected_certificate_is_named_with_its_fault() {
    use comity::policy::CertificateFault::{Expired, NotYetValid, UnknownIssuer, WrongName};
    let ca = Ca::new();
    let host = ["127.0.0.1"];
    let many: Vec<String> = (0..7).map(|number| format!("h{number}.example")).collect();
    for (identity, fault, sentence) in [
        (ca.expired(host), Expired, "the certificate of the server expired on 2021-01-01"),
        (ca.not_yet_valid(host), NotYetValid, "becomes valid on 2119-01-01; check the clock"),
        (ca.wrong_host(), WrongName, "not valid for `127.0.0.1`; it is for `somebody-else.invalid`"),
        (
            ca.identity(many.iter().map(String::as_str)),
            WrongName,
            "it is for `h0.example`, `h1.example`, `h2.example`, `h3.example`, `h4.example` and 2 more",
        ),
        (ca.identity(host), UnknownIssuer, "is not among the trusted authorities"),
    ] {
        let site = Origin::start_tls_at("127.0.0.1:0".parse().unwrap(), &identity);
        let client = if fault == UnknownIssuer { super::client() } else { trusting(&ca) };
        let error = client.fetch(site.url("/page")).await.unwrap_err();
        assert!(error.to_string().contains(sentence), "{error}");
        let comity_client::Cause::Unreachable(unreachable) = error.cause() else { panic!("{error}") };
        assert!(error.is_tls() && !error.is_refusal(), "{error}");
        let evidence = unreachable.evidence().unwrap();
        assert_eq!((evidence.kind(), evidence.certificate()), (AnswerKind::Tls, Some(fault)));
        assert!(evidence.error().is_some_and(|error| error.contains(sentence)), "{evidence:?}");
        let option = error.cause().remedy().and_then(|remedy| remedy.option());
        assert_eq!(option.as_deref(), (fault == UnknownIssuer).then_some("--ca"), "{fault}");

        // If robots.txt is not requested, the request for the page fails with the same fault.
        let ignoring = super::builder().mode(Mode::Ignore).build().unwrap();
        let error = ignoring.fetch(site.url("/page")).await.unwrap_err();
        let comity_client::Cause::Transport(cause) = error.cause() else { panic!("{error}") };
        assert!(cause.certificate().is_some(), "{error}");
    }
}

#[tokio::test]
async fn unreadable_robots_txt_is_temporary_and_a_rule_is_final() {
    let site = super::site("User-agent: *\nDisallow: /no\n");
    let now = std::time::SystemTime::now();
    let client = super::client();
    let refused = client.fetch(site.url("/no")).await.unwrap_err();
    assert_eq!((refused.record().outcome.as_str(), refused.record().retry_after), ("robots_refused", None));
    assert!(refused.cause().retry_after(now).is_none());

    for (reply, least, most) in [
        (Reply::status(503).header("Retry-After", "1000"), 900, 1_000),
        (Reply::status(503), 1, 86_400),
        (Reply::reset(), 1, 86_400),
    ] {
        let down = Origin::start();
        down.on("/robots.txt", reply);
        let client = super::client();
        let error = client.fetch(down.url("/page")).await.unwrap_err();
        assert!(!error.is_refusal(), "{error}");
        let record = error.record();
        assert_eq!(record.outcome.as_str(), "robots_unreadable");
        let seconds = record.retry_after.unwrap().as_secs();
        assert!((least..=most).contains(&seconds), "{seconds}");
        let counters = client.counters().snapshot();
        assert_eq!(
            (counters.get("refused_by_robots_unreadable"), counters.get("refused_by_robots")),
            (Some(&1), None)
        );
    }
}

#[tokio::test]
async fn closed_port_is_a_failed_connection_and_not_a_refusal() {
    let url = format!("http://127.0.0.1:{}/page", testkit::servers::free_port());
    let error = super::client().fetch(url).await.unwrap_err();
    let comity_client::Cause::Unreachable(unreachable) = error.cause() else { panic!("{error}") };
    assert!(error.is_connect() && !error.is_timeout() && !error.is_tls() && !error.is_refusal(), "{error}");
    assert!(unreachable.retry_at().is_some() && unreachable.evidence().is_some(), "{error}");
    let source = std::error::Error::source(&error).unwrap();
    let transport = source.downcast_ref::<comity_client::transport::TransportError>().unwrap();
    assert_eq!(transport.failure(), comity::policy::Failure::Connection);
    assert!(transport.to_string().contains("refused"), "{transport}");
    for text in [error.to_string(), error.record().error.clone().unwrap()] {
        assert!(text.contains(&transport.to_string()), "{text}");
    }
}

#[tokio::test]
async fn record_of_a_busy_page_has_its_retry_after() {
    let site = super::site("");
    site.on("/busy", Reply::status(503).header("Retry-After", "1000")).on("/later", Reply::status(429));
    let client = super::client();
    let page = client.fetch(site.url("/later")).await.unwrap();
    assert_eq!(page.record().retry_after.map(|delay| delay.as_secs()), Some(60));
    let page = client.fetch(site.url("/busy")).await.unwrap();
    assert_eq!(page.record().retry_after.map(|delay| delay.as_secs()), Some(1_000));
    let other = super::site("");
    assert_eq!(client.fetch(other.url("/none")).await.unwrap().record().retry_after, None);
}
