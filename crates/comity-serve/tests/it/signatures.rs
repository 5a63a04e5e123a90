//! Signed requests: answers of `/v1/verify` and of gateways. A bot publishes its keys over TLS on loopback.

use std::time::SystemTime;

use comity::http::Headers;
use comity_client::transport::NetworkOptions;
use comity_identity::{Discovery, Identity, MEDIA_TYPE, PrivateKey, Request, Validity, WELL_KNOWN_PATH};
use comity_serve::ServiceOptions;
use http::Method;
use http_body_util::Full;
use serde_json::{Value, json};
use testkit::servers::{Ca, Origin, Reply};

use crate::schema::conforms;
use crate::{Served, builder, serve, usual_options};

/// A bot that signs requests, and the site at which it publishes its key.
struct Bot {
    origin: Origin,
    identity: Identity,
    ca: Ca,
}

impl Bot {
    fn start() -> Self {
        let ca = Ca::new();
        let origin = Origin::start_tls(&ca);
        let place = Discovery::directory(origin.url("/").trim_end_matches('/')).unwrap();
        let key = PrivateKey::from_random(&[7; 32]);
        let identity = Identity::new(place).with_key(key, Validity::unbounded());
        let directory = identity.directory(SystemTime::now()).to_json();
        origin.on(WELL_KNOWN_PATH, Reply::ok(directory).header("Content-Type", MEDIA_TYPE));
        Bot { origin, identity, ca }
    }

    /// Returns the header fields that sign a request.
    fn sign(&self, method: &str, url: &str) -> Vec<(String, String)> {
        let headers = Headers::new();
        let request = Request::spelled(method, url, &headers).unwrap();
        let signed = self.identity.sign(&request, SystemTime::now()).unwrap();
        signed.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// Starts a service that trusts the bot's certificate authority.
    async fn service(&self, options: ServiceOptions) -> Served {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        std::fs::write(&file, self.ca.pem()).unwrap();
        let network = NetworkOptions::default().ca(vec![file]);
        serve(builder(&[&self.origin]).network(network), options).await
    }
}

const URL: &str = "https://example.com/a%2fb?c='d'";

fn question(method: &str, url: &str, fields: &[(String, String)]) -> Value {
    let headers: serde_json::Map<_, _> =
        fields.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
    json!({ "method": method, "url": url, "headers": headers })
}

#[tokio::test]
async fn signed_request_is_verified_with_keys_fetched_once() {
    let bot = Bot::start();
    let served = bot.service(usual_options()).await;
    for _ in 0..2 {
        let answer = served.post("/v1/verify", &question("GET", URL, &bot.sign("GET", URL))).await.json();
        conforms("/v1/verify", &answer);
        assert_eq!(answer["outcome"], "verified", "{answer}");
        assert_eq!(answer["identifier"], bot.identity.discovery().identifier());
        let (key, _) = bot.identity.keys().next().unwrap();
        assert_eq!(answer["key"], key.to_string());
    }
    assert_eq!((bot.origin.count(WELL_KNOWN_PATH), bot.origin.count("/robots.txt")), (1, 0));
}

#[tokio::test]
async fn unverified_request_is_answered_with_the_reason() {
    let bot = Bot::start();
    let served = bot.service(usual_options()).await;
    let signed = bot.sign("GET", URL);
    for (method, url, fields, outcome, reason) in [
        ("POST", URL, &signed[..], "invalid", json!("bad_signature")),
        ("GET", "https://example.com/a", &signed, "invalid", json!("bad_signature")),
        ("GET", "http://example.com/a", &signed, "invalid", json!("not_https")),
        ("GET", URL, &[], "not_signed", Value::Null),
    ] {
        let answer = served.post("/v1/verify", &question(method, url, fields)).await.json();
        conforms("/v1/verify", &answer);
        assert_eq!(
            (answer["outcome"].as_str(), &answer["reason"]),
            (Some(outcome), &reason),
            "{method} {url}"
        );
    }
}

#[tokio::test]
async fn host_field_that_differs_from_the_url_is_invalid() {
    let bot = Bot::start();
    let served = bot.service(usual_options()).await;
    let signed = bot.sign("GET", URL);
    for (authority, host, outcome) in [
        ("example.com", "example.com", "verified"),
        ("example.com", "EXAMPLE.com:443", "verified"),
        ("Example.com:443", "example.com", "verified"),
        ("example.com:", "example.com", "verified"),
        ("evil.example", "example.com", "invalid"),
        ("example.com", "evil.example", "invalid"),
        ("192.0.2.1", "example.com", "invalid"),
        ("example.com:8443", "example.com", "invalid"),
        ("example.com", "example.com:80", "invalid"),
        ("example.com.", "example.com", "invalid"),
        ("example.com@evil.example", "example.com", "invalid"),
    ] {
        // The value is a list, since a field may occur more than once.
        let mut asked = question("GET", &URL.replace("example.com", authority), &signed);
        asked["headers"]["Host"] = json!([host]);
        let answer = served.post("/v1/verify", &asked).await.json();
        conforms("/v1/verify", &answer);
        let reason = if outcome == "verified" { Value::Null } else { json!("other_host") };
        assert_eq!((&answer["outcome"], &answer["reason"]), (&json!(outcome), &reason), "{authority} {host}");
    }
}

#[tokio::test]
async fn unavailable_keys_leave_the_request_unverified() {
    let bot = Bot::start();
    bot.origin.on(WELL_KNOWN_PATH, Reply::status(503));
    let served = bot.service(usual_options()).await;
    let answer = served.post("/v1/verify", &question("GET", URL, &bot.sign("GET", URL))).await.json();
    conforms("/v1/verify", &answer);
    assert_eq!(
        (answer["outcome"].as_str(), answer["reason"].as_str()),
        (Some("unverified"), Some("no_directory"))
    );
    assert_eq!(answer["directory"], bot.identity.discovery().url().as_str());
}

#[tokio::test]
async fn malformed_request_to_verify_is_a_problem() {
    let bot = Bot::start();
    let served = bot.service(usual_options()).await;
    for url in ["/a", "example.com", "https://", "https://a b/"] {
        served.post("/v1/verify", &question("GET", url, &[])).await.problem(400, "bad_question");
    }
    for headers in [json!([]), json!({ "a": 1 }), json!({ "a": [1] })] {
        let question = json!({ "method": "GET", "url": URL, "headers": headers });
        served.post("/v1/verify", &question).await.problem(400, "bad_question");
    }
}

#[tokio::test]
async fn gateway_gets_the_sender_of_a_signed_request() {
    let bot = Bot::start();
    bot.origin.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /no\n"));
    let served = bot.service(usual_options().gateway(true)).await;
    let host = bot.origin.address().to_string();
    let verified = format!("verified as {}", bot.identity.discovery().identifier());
    let path = "/a%2fb?c='d'";
    let signed = bot.sign("GET", &format!("https://{host}{path}"));
    for (target, fields, status, expected) in [
        (path, &signed[..], 200, verified.as_str()),
        ("/other", &signed, 200, "invalid because the signature does not match the key and this message"),
        ("/no", &signed, 403, "invalid because the signature does not match the key and this message"),
        (path, &[], 200, "not signed"),
    ] {
        for route in ["/gateway/forward-auth", "/gateway/nginx", "/gateway/envoy"] {
            let is_envoy = route.ends_with("envoy");
            let asked = if is_envoy { format!("{route}{target}") } else { route.to_owned() };
            let mut request = http::Request::builder().method(Method::GET).uri(asked);
            request = match is_envoy {
                true => request.header("host", &host),
                false => request
                    .header("host", served.address.to_string())
                    .header("x-forwarded-host", &host)
                    .header("x-forwarded-uri", target),
            };
            request = request.header("comity-scheme", "https");
            for (name, value) in fields {
                request = request.header(name, value);
            }
            let reply = served.send(request.body(Full::default()).unwrap()).await;
            let outcome = reply.headers.get("comity-signature").map(|value| value.to_str().unwrap());
            assert_eq!((reply.status.as_u16(), outcome), (status, Some(expected)), "{route} {target}");
        }
    }
}
