//! Tests of signed requests over TLS: header fields, records, challenges of sites, and separate answers in stores.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity::http::Headers;
use comity_client::comity_identity::{
    Discovery, Identity, MEDIA_TYPE, Outcome, PrivateKey, Report, Request, Validity, Verified,
};
use comity_client::identity::{DirectoryFetcher, FetchingVerifier, IdentityOptions, Sign};
use comity_client::settings::Settings;
use comity_client::store::{EmbeddedStore, MemoryStore, Store};
use comity_client::transport::NetworkOptions;
use comity_client::{Cause, Client, ClientBuilder, Clock};
use testkit::servers::{Ca, Origin, Reply, Seen};

use super::ahead::Ahead;
use super::{builder, loopback, options, site};

/// Returns a private key. Each number has a different key.
pub(super) fn key(number: u8) -> PrivateKey {
    PrivateKey::from_random(&[number; 32])
}

/// An environment of sites with certificates of one authority, and clients that trust this authority.
pub(super) struct World {
    ca: Ca,
    pub(super) clock: Ahead,
}

impl World {
    pub(super) fn new() -> Self {
        World { ca: Ca::new(), clock: Ahead::default() }
    }

    /// Returns a site that uses TLS, has pages, and has no rules.
    pub(super) fn site(&self) -> Origin {
        let site = Origin::start_tls(&self.ca);
        site.on("/robots.txt", Reply::ok("User-agent: *\n"));
        site.otherwise(Reply::html("<p>Hello"));
        site
    }

    pub(super) fn builder(&self) -> ClientBuilder {
        let mut network = NetworkOptions::default();
        network.extra_roots = vec![self.ca.der()];
        builder().network(network).clock(self.clock.clone())
    }

    /// Returns a verifier that is allowed to fetch keys from these sites.
    pub(super) fn verifier<'o>(&self, directories: impl IntoIterator<Item = &'o Origin>) -> FetchingVerifier {
        FetchingVerifier::new(self.fetcher(directories))
    }

    pub(super) fn fetcher<'o>(&self, directories: impl IntoIterator<Item = &'o Origin>) -> DirectoryFetcher {
        let ports = directories.into_iter().map(|site| site.address().port());
        let guard = ports.fold(loopback(), |guard, port| guard.allow_port(port));
        DirectoryFetcher::new(self.builder().guard(guard).build().unwrap()).timeout(testkit::PATIENCE)
    }
}

/// Returns an identity whose keys are published at a site.
pub(super) fn identity(at: &Origin) -> Identity {
    Identity::new(Discovery::directory(&at.url("")).unwrap()).with_key(key(1), Validity::unbounded())
}

pub(super) const DIRECTORY: &str = "/.well-known/http-message-signatures-directory";

pub(super) fn publish(at: &Origin, identity: &Identity, now: SystemTime) {
    let reply = Reply::ok(identity.directory(now).to_json()).header("Content-Type", MEDIA_TYPE);
    at.on(DIRECTORY, reply.header("Cache-Control", "max-age=7200"));
}

/// Verifies a request on behalf of the site that received it.
async fn judge(verifier: &FetchingVerifier, seen: &Seen) -> Report {
    let headers: Headers<'_> =
        seen.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let host = seen.header("host").unwrap_or_default();
    let request = Request::received(&seen.method, "https", host, &seen.target, &headers).unwrap();
    verifier.verify(&request, "127.0.0.1").await
}

async fn verified(verifier: &FetchingVerifier, seen: &Seen) -> Verified {
    let report = judge(verifier, seen).await;
    report.outcome().verified().unwrap_or_else(|| panic!("{}: {}", seen.target, report.outcome())).clone()
}

fn is_signed(seen: &Seen) -> bool {
    ["signature", "signature-input", "signature-agent"].iter().any(|name| seen.header(name).is_some())
}

#[tokio::test]
async fn every_request_has_its_own_verifiable_signature() {
    let world = World::new();
    let (publisher, first, second) = (world.site(), world.site(), world.site());
    let identity = identity(&publisher);
    publish(&publisher, &identity, world.clock.now());
    first.on("/away", Reply::redirect(302, "/on"));
    first.on("/on", Reply::redirect(302, &second.url("/there?a=%7E&b={x}|\"y\"")));
    second.on("/there", Reply::status(503).times(1).then(Reply::html("<p>Here")));
    let mut retry = comity_client::retry::RetryOptions::default();
    retry.backoff_base = Duration::from_millis(1);
    let client = world.builder().retry(retry).identity(identity.clone(), Sign::Always).build().unwrap();
    let page = client.fetch(first.url("/away")).await.unwrap();
    assert_eq!(page.text(), "<p>Here");

    let verifier = world.verifier([&publisher]);
    let seen = [first.requests(), second.requests()].concat();
    assert_eq!(seen.len(), 6, "two of robots.txt, two redirects, two attempts");
    let mut nonces = Vec::new();
    for one in &seen {
        let verified = verified(&verifier, one).await;
        assert_eq!(verified.identifier(), identity.discovery().identifier());
        assert_eq!(verified.components()[..4], ["\"@method\"", "\"@authority\"", "\"@path\"", "\"@query\""]);
        assert!(verified.expires().duration_since(verified.created()).unwrap() <= Duration::from_secs(300));
        nonces.push(verified.nonce().unwrap().to_owned());
    }
    nonces.sort();
    nonces.dedup();
    assert_eq!(nonces.len(), seen.len(), "nonces are unique");
    assert_eq!(publisher.count(DIRECTORY), 1, "keys are cached");
    assert!(!is_signed(&publisher.requests()[0]), "requests for keys are not signed");

    let thumbprint = key(1).public().thumbprint().to_string();
    for attempt in page.record().hops.iter().flat_map(|hop| &hop.attempts) {
        let signed = attempt.signed.as_ref().unwrap();
        assert_eq!(signed.key, thumbprint);
        assert_eq!(signed.signature_agent, format!("sig1=\"{}\"", publisher.url("")));
    }
    let json = serde_json::to_value(page.record()).unwrap();
    assert_eq!(json["hops"][2]["attempts"][1]["signed"]["key"], thumbprint);
}

#[tokio::test]
async fn resent_request_has_a_new_signature() {
    let world = World::new();
    let site = world.site();
    site.on("/page", Reply::close().then(Reply::ok("here")));
    let client = world.builder().identity(identity(&site), Sign::Always).build().unwrap();
    let page = client.fetch(site.url("/page")).await.unwrap();
    assert!(page.record().hops[0].attempts[0].was_resent);
    let seen = site.requests_for("/page");
    assert_eq!(seen.len(), 2);
    assert_ne!(seen[0].header("signature-input"), seen[1].header("signature-input"));
    assert_ne!(seen[0].header("signature"), seen[1].header("signature"));
}

#[tokio::test]
async fn plain_http_is_not_signed_and_callers_cannot_set_signatures() {
    let world = World::new();
    let (plain, secure) = (site("User-agent: *\n"), world.site());
    plain.on("/away", Reply::redirect(302, &secure.url("/page")));
    let client = world.builder().identity(identity(&secure), Sign::Always).build().unwrap();
    let fetch = options().header("Signature", "sig1=:AAAA:").unwrap();
    let page = client.fetch_with(plain.url("/away"), &options()).await.unwrap();
    assert!(plain.requests().iter().all(|seen| !is_signed(seen)));
    assert!(secure.requests().iter().all(is_signed));
    let signed: Vec<bool> = page.record().hops.iter().map(|hop| hop.attempts[0].signed.is_some()).collect();
    assert_eq!(signed, [false, true]);
    client.fetch_with(secure.url("/other"), &fetch).await.unwrap();
    let other = &secure.requests_for("/other")[0];
    let fields: Vec<_> =
        other.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("signature")).collect();
    assert!(fields.len() == 1 && !fields[0].1.contains("AAAA"), "{fields:?}");
}

#[tokio::test]
async fn request_without_a_valid_key_is_not_sent() {
    let world = World::new();
    let site = world.site();
    let ended = Validity::unbounded().until(world.clock.now() - Duration::from_secs(60));
    let identity = Identity::new(Discovery::directory(&site.url("")).unwrap()).with_key(key(1), ended);
    let client = world.builder().identity(identity.clone(), Sign::Always).build().unwrap();
    let error = client.fetch(site.url("/page")).await.unwrap_err();
    assert!(error.cause().is_local(), "{error}");
    assert_eq!(site.requests().len(), 0);
    // The site has not required a signature, so the request is sent unsigned.
    let client = world.builder().identity(identity, Sign::WhenChallenged).build().unwrap();
    assert_eq!(client.fetch(site.url("/page")).await.unwrap().status(), 200);
}

/// Returns an answer that requires a signature with the nonce of the site.
fn challenge(status: u16) -> Reply {
    Reply::status(status)
        .header("Accept-Signature", r#"other=("@path");created;tag="other", mine=("@authority" "cookie");created;expires;nonce="bm9uY2U";tag="web-bot-auth""#)
        .header("Retry-After", "1")
}

#[tokio::test]
async fn challenged_request_is_resent_with_a_signature() {
    for status in [401, 403, 429] {
        let world = World::new();
        let (publisher, site) = (world.site(), world.site());
        let identity = identity(&publisher);
        publish(&publisher, &identity, world.clock.now());
        site.on_request("/page", move |seen| match seen.header("signature") {
            Some(_) => Reply::html("<p>Welcome"),
            None => challenge(status),
        });
        let client = world.builder().identity(identity.clone(), Sign::WhenChallenged).build().unwrap();
        let page = client.fetch(site.url("/page")).await.unwrap();
        assert_eq!((page.status().as_u16(), site.count("/page")), (200, 2), "{status}");
        assert!(
            site.gaps("/page")[0] >= Duration::from_secs(1),
            "the signed request waits for Retry-After: {:?}",
            site.gaps("/page")
        );
        assert!(!is_signed(&site.requests_for("/robots.txt")[0]));

        let hop = &page.record().hops[0];
        let [asked, answered] = &hop.attempts[..] else { panic!("{hop:?}") };
        let delay = serde_json::to_value(asked.retried).unwrap();
        assert_eq!(delay, serde_json::json!({"duration_seconds": 1.0, "reason": "challenge"}));
        assert!(asked.signed.is_none() && answered.signed.is_some() && answered.retried.is_none());
        assert_eq!(hop.waits.len(), 2, "the signed request has its own slot");

        let verified = verified(&world.verifier([&publisher]), &site.requests_for("/page")[1]).await;
        assert_eq!(verified.nonce(), Some("bm9uY2U"));
        assert!(
            verified.components().iter().all(|name| name != "\"cookie\""),
            "the site cannot choose components"
        );
        let input = site.requests_for("/page")[1].header("signature-input").unwrap().to_owned();
        assert!(input.starts_with("mine=("), "{input}");

        // The site has required a signature, so the next request is signed at once.
        site.on("/next", Reply::html("<p>Next"));
        client.fetch(site.url("/next")).await.unwrap();
        assert!(is_signed(&site.requests_for("/next")[0]), "{status}");
        world.clock.pass(2);
        site.on("/later", Reply::html("<p>Later"));
        client.fetch(site.url("/later")).await.unwrap();
        assert!(!is_signed(&site.requests_for("/later")[0]), "{status}");
    }
}

#[tokio::test]
async fn repeated_challenge_is_answered_once() {
    let world = World::new();
    let site = world.site();
    for (sign, count) in [(Sign::WhenChallenged, 2), (Sign::Always, 2)] {
        let path = format!("/{sign}");
        site.on(&path, challenge(403).header("Retry-After", "0"));
        let client = world.builder().identity(identity(&site), sign).build().unwrap();
        let page = client.fetch(site.url(&path)).await.unwrap();
        assert_eq!((page.status().as_u16(), site.count(&path)), (403, count), "{sign}");
    }
    // The request was already signed, and the challenge has no nonce, so the request is not repeated.
    let plain = r#"sig1=("@authority");created;tag="web-bot-auth""#;
    site.on("/plain", Reply::status(401).header("Accept-Signature", plain));
    let client = world.builder().identity(identity(&site), Sign::Always).build().unwrap();
    client.fetch(site.url("/plain")).await.unwrap();
    assert_eq!(site.count("/plain"), 1);
    // The challenge names another key, or the status is not a challenge.
    let other = r#"sig1=("@authority");created;keyid="AAAA";tag="web-bot-auth""#;
    site.on("/other", Reply::status(401).header("Accept-Signature", other));
    site.on("/found", Reply::status(404).header("Accept-Signature", plain));
    let client = world.builder().identity(identity(&site), Sign::WhenChallenged).build().unwrap();
    for path in ["/other", "/found"] {
        client.fetch(site.url(path)).await.unwrap();
        assert_eq!(site.count(path), 1, "{path}");
    }
}

#[tokio::test]
async fn challenge_does_not_count_as_a_retry() {
    let world = World::new();
    let site = world.site();
    site.on_request("/page", |seen| match (seen.header("signature"), seen.nth) {
        (None, _) => challenge(429).header("Retry-After", "0"),
        (Some(_), 2) => Reply::status(503),
        (Some(_), _) => Reply::html("<p>Welcome"),
    });
    let mut retry = comity_client::retry::RetryOptions::default();
    (retry.retries, retry.backoff_base) = (1, Duration::from_millis(1));
    let client =
        world.builder().retry(retry).identity(identity(&site), Sign::WhenChallenged).build().unwrap();
    let page = client.fetch(site.url("/page")).await.unwrap();
    assert_eq!((page.status().as_u16(), site.count("/page")), (200, 3));
}

#[tokio::test]
async fn challenge_beyond_the_longest_wait_is_not_answered() {
    let world = World::new();
    let site = world.site();
    site.on("/page", challenge(401).header("Retry-After", "60"));
    let client = world.builder().identity(identity(&site), Sign::WhenChallenged).build().unwrap();
    let mut fetch = options();
    fetch.max_wait = Some(Duration::from_secs(1));
    let page = client.fetch_with(site.url("/page"), &fetch).await.unwrap();
    assert_eq!((page.status().as_u16(), site.count("/page")), (401, 1));
}

#[tokio::test]
async fn challenged_robots_txt_is_signed_and_its_rules_apply() {
    let world = World::new();
    let site = world.site();
    site.on_request("/robots.txt", |seen| match seen.header("signature") {
        Some(_) => Reply::ok("User-agent: *\nDisallow: /private\n"),
        None => challenge(401),
    });
    let client = world.builder().identity(identity(&site), Sign::WhenChallenged).build().unwrap();
    assert!(client.decide(site.url("/private")).await.unwrap().blocked);
    assert_eq!(site.count("/robots.txt"), 2);
    // If the wait is too long, the first answer applies. A 401 means that the site has no rules.
    let site = world.site();
    site.on("/robots.txt", challenge(401).header("Retry-After", "60"));
    assert!(!client.decide(site.url("/private")).await.unwrap().blocked);
    assert_eq!(site.count("/robots.txt"), 1);
}

/// Returns a site with a different robots.txt for each identity. For unsigned requests, it disallows all pages.
fn choosy(world: &World) -> Origin {
    let site = world.site();
    site.on_request("/robots.txt", |seen| match seen.header("signature-agent") {
        None => Reply::ok("User-agent: *\nDisallow: /\n"),
        Some(agent) if agent.contains("localhost") => Reply::ok("User-agent: *\nDisallow: /localhost\n"),
        Some(_) => Reply::ok("User-agent: *\nDisallow: /address\n"),
    });
    site
}

async fn answers_are_kept_apart(open: impl Fn() -> Arc<dyn Store>) {
    let world = World::new();
    let site = choosy(&world);
    let named = |host: &str| {
        let discovery = Discovery::directory(&site.url_as(host, "")).unwrap();
        Identity::new(discovery).with_key(key(1), Validity::unbounded())
    };
    let client = |who: Option<(&str, Sign)>| {
        let builder = world.builder().shared_store(open());
        let builder = match who {
            Some((host, sign)) => builder.identity(named(host), sign),
            None => builder,
        };
        builder.build().unwrap()
    };
    let askers = [
        None,
        Some(("localhost", Sign::Always)),
        Some(("127.0.0.1", Sign::Always)),
        // This client signs only after a challenge, so it gets the answers to unsigned requests.
        Some(("localhost", Sign::WhenChallenged)),
    ];
    let all = ["/page", "/localhost", "/address"];
    let closed: [&[&str]; 4] = [&all, &["/localhost"], &["/address"], &all];
    // The second round uses the store, although other clients have written the entry in between.
    for round in [1, 2] {
        for (who, closed) in askers.iter().zip(&closed) {
            let client = client(*who);
            for path in all {
                let decision = client.decide(site.url(path)).await.unwrap();
                assert_eq!(decision.blocked, closed.contains(&path), "{who:?} {path} {round}");
            }
        }
        assert_eq!(site.count("/robots.txt"), 4, "round {round}: one request per identity");
    }
    let origin = comity_client::Origin::of(&site.url("/").parse().unwrap()).unwrap();
    let stored = client(None).robots().stored(&origin).await.unwrap().unwrap();
    assert_eq!(stored.requested_as, None);
    let stored = client(askers[1]).robots().stored(&origin).await.unwrap().unwrap();
    assert_eq!(stored.requested_as.unwrap(), format!("always {}", site.url_as("localhost", DIRECTORY)));
    let entry = open().get(&origin).await.unwrap().unwrap();
    let all =
        comity_client::robots_cache::StoredRobotsTxt::all_of_entry(&entry, comity::policy::Preset::Rfc9309);
    assert_eq!(all.len(), 4);
    assert!(all[0].requested_as.is_none() && all[1..].iter().all(|stored| stored.requested_as.is_some()));
}

#[tokio::test]
async fn memory_store_keeps_answers_per_identity() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    answers_are_kept_apart(|| Arc::clone(&store)).await;
}

#[tokio::test]
async fn file_store_keeps_answers_per_identity() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robots.db");
    answers_are_kept_apart(|| Arc::new(EmbeddedStore::open(&path).unwrap())).await;
}

#[tokio::test]
async fn identities_share_the_pace_of_a_site() {
    let world = World::new();
    let site = world.site();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut pace = comity_client::pace::PaceOptions::default();
    pace.min_interval = Duration::from_secs(30);
    let client =
        |builder: ClientBuilder| builder.shared_store(Arc::clone(&store)).pace(pace.clone()).build().unwrap();
    let signing = client(world.builder().identity(identity(&site), Sign::Always));
    let plain = client(world.builder());
    let now = Some(Duration::from_secs(1));
    let url = site.url("/page");
    for client in [&signing, &plain] {
        client.robots().policy(&url.parse().unwrap()).await.unwrap();
        world.clock.pass_seconds(60);
    }
    drop(signing.admit(&url, now).await.unwrap());
    let error = plain.admit(&url, now).await.unwrap_err();
    assert!(matches!(error, Cause::Wait(_)), "{error}");
}

#[tokio::test]
async fn verification_continues_through_key_changes_and_outages() {
    let world = World::new();
    let (publisher, site) = (world.site(), world.site());
    let mut identity = identity(&publisher);
    publish(&publisher, &identity, world.clock.now());
    let verifier = world.verifier([&publisher]);
    let request = async |identity: &Identity| {
        let client = world.builder().identity(identity.clone(), Sign::Always).build().unwrap();
        let page = client.fetch(site.url("/page")).await.unwrap();
        let key = page.record().hops[0].attempts[0].signed.as_ref().unwrap().key.clone();
        (key, site.requests_for("/page").pop().unwrap())
    };
    let named = |number| key(number).public().thumbprint().to_string();

    let (by, first) = request(&identity).await;
    assert_eq!((by, verified(&verifier, &first).await.key().to_string()), (named(1), named(1)));

    // The new key is published at once, and signs requests after an hour. The old key expires later.
    let now = world.clock.now();
    let hour = Duration::from_secs(3600);
    identity.rotate(key(2), now, now + hour, now + 2 * hour).unwrap();
    publish(&publisher, &identity, now);
    let (by, second) = request(&identity).await;
    assert_eq!(by, named(1));
    verified(&verifier, &second).await;
    assert_eq!(publisher.count(DIRECTORY), 1);

    // The new key is not cached, so the directory is fetched again, although the cached copy is fresh for another hour.
    world.clock.pass_seconds(3600);
    let (by, third) = request(&identity).await;
    assert_eq!((by, verified(&verifier, &third).await.key().to_string()), (named(2), named(2)));
    assert_eq!(publisher.count(DIRECTORY), 2);
    assert!(judge(&verifier, &first).await.outcome().verified().is_none(), "the first signature has expired");

    // An outage of any kind removes no keys.
    for outage in [
        Reply::status(503),
        Reply::reset(),
        Reply::ok("{}").header("Content-Type", MEDIA_TYPE),
        Reply::ok(identity.directory(now).to_json()),
        Reply::redirect(302, &publisher.url("/elsewhere")),
    ] {
        world.clock.pass(2);
        publisher.on(DIRECTORY, outage);
        let asked = publisher.count(DIRECTORY);
        let (_, later) = request(&identity).await;
        assert_eq!(verified(&verifier, &later).await.key().to_string(), named(2));
        // A connection that is reset before an answer is retried.
        assert!(
            publisher.count(DIRECTORY) > asked,
            "the directory is fetched again, in case a key was withdrawn"
        );
    }
    assert_eq!(publisher.count("/elsewhere"), 0);
    // Cached keys expire after a week.
    world.clock.pass(7 * 24);
    let (_, last) = request(&identity).await;
    assert_eq!(judge(&verifier, &last).await.outcome().reason(), Some("stale_directory"));
    // When the directory is reachable again, the keys that it lists apply.
    world.clock.pass(1);
    let other = Identity::new(identity.discovery().clone()).with_key(key(3), Validity::unbounded());
    publish(&publisher, &other, world.clock.now());
    let (_, withdrawn) = request(&identity).await;
    assert_eq!(judge(&verifier, &withdrawn).await.outcome().reason(), Some("unknown_key"));
}

#[tokio::test]
async fn signer_cannot_affect_the_keys_of_another() {
    let world = World::new();
    let (honest, liar, site) = (world.site(), world.site(), world.site());
    let honest_one = identity(&honest);
    publish(&honest, &honest_one, world.clock.now());
    let lying =
        Identity::new(Discovery::directory(&honest.url("")).unwrap()).with_key(key(9), Validity::unbounded());
    publish(&liar, &lying, world.clock.now());
    let verifier = world.verifier([&honest, &liar]);
    for identity in [&honest_one, &lying] {
        let client = world.builder().identity(identity.clone(), Sign::Always).build().unwrap();
        client.fetch(site.url("/page")).await.unwrap();
    }
    let seen = site.requests_for("/page");
    verified(&verifier, &seen[0]).await;
    assert_eq!(judge(&verifier, &seen[1]).await.outcome().reason(), Some("unknown_key"));
    assert_eq!(honest.count(DIRECTORY), 1, "the directory was fetched just before");
    // A change to the request in transit is detected.
    let mut changed = seen[0].clone();
    changed.target = "/other".to_owned();
    assert!(matches!(judge(&verifier, &changed).await.outcome(), Outcome::Invalid(_)));
}

#[tokio::test]
async fn identity_file_in_settings_is_read_without_showing_private_keys() {
    let world = World::new();
    let site = world.site();
    let identity = identity(&site);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("identity.json");
    std::fs::write(&path, identity.to_json().as_bytes()).unwrap();
    let written = serde_json::json!({"identity": {"file": path, "sign": "when_challenged"}});
    let settings: Settings = serde_json::from_value(written).unwrap();
    assert_eq!(
        settings.identity,
        IdentityOptions::default().file(Some(path.clone())).sign(Sign::WhenChallenged)
    );
    let client = Client::with_settings(settings).build().unwrap();
    assert_eq!(client.identity().unwrap().discovery(), identity.discovery());

    let private: serde_json::Value = serde_json::from_str(&identity.to_json()).unwrap();
    let secret = private["keys"][0]["d"].as_str().unwrap();
    let client = world.builder().identity(identity, Sign::Always).build().unwrap();
    let page = client.fetch(site.url("/page")).await.unwrap();
    let bytes = format!("{:?}", [1_u8; 32]);
    for shown in [
        format!("{client:?}"),
        format!("{:#?}", world.builder().identity(client.identity().unwrap().clone(), Sign::Always)),
        serde_json::to_string(page.record()).unwrap(),
        format!("{:?}", page.record()),
    ] {
        assert!(!shown.contains(secret) && !shown.contains(&bytes));
    }

    for (text, part) in [
        (format!(r#"{{"keys":[],"d":"{secret}"}}"#), "not JSON with `signature_agent` and `keys`"),
        ("x".repeat(70_000), "larger than 65536 bytes"),
    ] {
        std::fs::write(&path, &text).unwrap();
        let mut settings = Settings::default();
        settings.identity.file = Some(path.clone());
        let error = Client::with_settings(settings).build().unwrap_err().to_string();
        assert!(error.contains(part) && !error.contains(secret), "{error}");
    }
    let mut settings = Settings::default();
    settings.identity.file = Some(folder.path().join("none.json"));
    assert!(Client::with_settings(settings).build().unwrap_err().to_string().contains("none.json"));
}
