//! Gateways: what each of them is answered, in its own protocol.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes};
use comity_client::pace::PaceOptions;
use comity_client::store::MemoryStore;
use comity_serve::ServiceOptions;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::Value;
use testkit::servers::{Origin, Reply};
use tokio::net::TcpStream;

use crate::{Served, builder, named, serve};

const ROBOTS: &str = "User-agent: OtherBot\nDisallow: /\n\nUser-agent: *\nDisallow: /no\n";

fn site(robots: &str) -> Origin {
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok(robots));
    site
}

/// A service that gateways ask, with two agents that share a store.
async fn gateway(site: &Origin, interval: Duration) -> Served {
    let store = Arc::new(MemoryStore::new());
    let pace = PaceOptions::default().min_interval(interval);
    let client = |name: &str| named(name, &[site]).pace(pace.clone()).shared_store(store.clone());
    let others = vec![client("OtherBot").build().unwrap()];
    let options = ServiceOptions { gateway: true, gateway_clients: others, ..ServiceOptions::default() };
    serve(client("ExampleBot"), options).await
}

/// Asks as nginx, Traefik and Caddy do.
async fn forwarded(served: &Served, route: &str, site: &Origin, path: &str, agent: &str) -> crate::Reply {
    let request = served
        .request(Method::GET, route)
        .header("x-forwarded-method", "GET")
        .header("x-forwarded-proto", "http")
        .header("x-forwarded-host", site.address().to_string())
        .header("x-forwarded-uri", path)
        .header("comity-agent", agent);
    served.send(request.body(Full::default()).unwrap()).await
}

fn field<'r>(reply: &'r crate::Reply, name: &str) -> &'r str {
    reply.headers.get(name).map_or("-", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn a_request_passes_as_robots_txt_says_for_the_agent_that_is_meant() {
    let site = site(ROBOTS);
    let served = gateway(&site, Duration::ZERO).await;
    for (agent, path, status, verdict, rule) in [
        ("", "/yes?a=b", 200, "allowed_implicit", "-"),
        ("ExampleBot", "/no/x", 403, "disallowed_explicit", "line 5: Disallow: /no"),
        ("otherbot", "/yes", 403, "disallowed_explicit", "line 2: Disallow: /"),
        ("", "/robots.txt", 200, "allowed_implicit", "-"),
    ] {
        let reply = forwarded(&served, "/gateway/forward-auth", &site, path, agent).await;
        assert_eq!((reply.status.as_u16(), field(&reply, "comity-verdict")), (status, verdict), "{path}");
        assert_eq!(field(&reply, "comity-rule"), rule);
        let dial = if status == 200 { site.address().to_string() } else { "-".to_owned() };
        assert_eq!(field(&reply, "comity-dial"), dial);
        let nginx = forwarded(&served, "/gateway/nginx", &site, path, agent).await;
        assert_eq!((nginx.status.as_u16(), field(&nginx, "comity-status")), (status, &*status.to_string()));
    }
    let unknown = forwarded(&served, "/gateway/forward-auth", &site, "/", "StrangerBot").await;
    assert_eq!((unknown.status.as_u16(), field(&unknown, "comity-outcome")), (403, "agent_unknown"));
    assert_eq!(site.requests().len(), 1, "nothing but robots.txt was asked for");
}

#[tokio::test]
async fn a_wait_is_told_and_not_sat_through() {
    let site = site("User-agent: *\nCrawl-delay: 40\n");
    let served = gateway(&site, Duration::ZERO).await;
    let mut passed = 0;
    for number in 0..4 {
        let route = if number % 2 == 0 { "/gateway/forward-auth" } else { "/gateway/nginx" };
        let reply = forwarded(&served, route, &site, &format!("/{number}"), "").await;
        if reply.status.is_success() {
            passed += 1;
            continue;
        }
        assert_eq!(field(&reply, "comity-outcome"), "wait_too_long");
        let status = if number % 2 == 0 { 429 } else { 403 };
        assert_eq!(reply.status.as_u16(), status);
        let seconds: u64 = field(&reply, "retry-after").parse().unwrap();
        assert!((1..=41).contains(&seconds), "{seconds}");
        let body: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(body["retry_after_seconds"], seconds);
    }
    assert_eq!(passed, 1);
}

#[tokio::test]
async fn what_is_not_known_or_not_said_does_not_pass() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::status(503));
    let served = gateway(&site, Duration::ZERO).await;
    let reply = forwarded(&served, "/gateway/forward-auth", &site, "/", "").await;
    assert_eq!((reply.status.as_u16(), field(&reply, "comity-verdict")), (403, "unknown_unreachable"));
    let ask = async |fields: &[(&str, &str)]| {
        let mut request = served.request(Method::GET, "/gateway/forward-auth");
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        served.send(request.body(Full::default()).unwrap()).await
    };
    for fields in [
        &[][..],
        &[("x-forwarded-host", "example.com")],
        &[("x-forwarded-proto", "http")],
        &[("x-forwarded-proto", "http"), ("x-forwarded-host", "a.example/b@c")],
    ] {
        assert_eq!(ask(fields).await.status.as_u16(), 400, "{fields:?}");
    }
    for host in ["10.0.0.1", "169.254.169.254", "127.0.0.1:22"] {
        let reply = ask(&[("x-forwarded-proto", "http"), ("x-forwarded-host", host)]).await;
        assert_eq!(
            (reply.status.as_u16(), field(&reply, "comity-outcome")),
            (403, "guard_refused"),
            "{host}"
        );
    }
}

#[tokio::test]
async fn a_robots_txt_that_hangs_holds_nobody_up() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::delay(Duration::from_secs(4), Reply::ok("User-agent: *\nDisallow: /no\n")));
    let served = gateway(&site, Duration::ZERO).await;
    let reply = forwarded(&served, "/gateway/forward-auth", &site, "/no", "").await;
    assert_eq!((reply.status.as_u16(), field(&reply, "comity-outcome")), (429, "robots_txt_pending"));
    site.until_idle("/robots.txt").await;
    let reply = forwarded(&served, "/gateway/forward-auth", &site, "/no", "").await;
    assert_eq!((reply.status.as_u16(), site.count("/robots.txt")), (403, 1), "it was asked for once");
}

#[tokio::test]
async fn envoy_sends_the_request_itself_behind_a_prefix() {
    let site = site(ROBOTS);
    let tokens = vec!["a-token-of-some-length".to_owned()];
    let options = ServiceOptions { gateway: true, tokens, ..ServiceOptions::default() };
    let served = serve(builder(&[&site]), options).await;
    for (method, path, status) in [
        (Method::GET, "/yes?a=/no", 200),
        (Method::POST, "/no/x", 403),
        (Method::DELETE, "/no", 403),
        (Method::GET, "/", 200),
    ] {
        let request = Request::builder()
            .method(method)
            .uri(format!("/gateway/envoy{path}"))
            .header("host", site.address().to_string())
            .header("comity-scheme", "http")
            .header("authorization", "Bearer a-token-of-some-length");
        let reply = served.send(request.body(Full::default()).unwrap()).await;
        assert_eq!(reply.status.as_u16(), status, "{path}");
        let dial = if status == 200 { site.address().to_string() } else { "-".to_owned() };
        assert_eq!(field(&reply, "x-envoy-original-dst-host"), dial);
    }
    let foreign =
        serve(builder(&[&site]), ServiceOptions { gateway: true, ..ServiceOptions::default() }).await;
    let request = Request::builder().uri("/gateway/envoy/").header("host", "example.com");
    foreign.send(request.body(Full::default()).unwrap()).await.problem(421, "foreign_host");
    let without = serve(builder(&[&site]), ServiceOptions::default()).await;
    without.get("/gateway/forward-auth").await.problem(404, "not_found");
}

/// A field of a message of Protocol Buffers that holds bytes, text or another message.
fn part(tag: u8, bytes: &[u8]) -> Vec<u8> {
    let mut part = vec![tag << 3 | 2];
    let mut length = bytes.len();
    while length >= 0x80 {
        part.push(length as u8 | 0x80);
        length >>= 7;
    }
    part.push(length as u8);
    part.extend_from_slice(bytes);
    part
}

fn entry(tag: u8, name: &str, value: &str) -> Vec<u8> {
    part(tag, &[part(1, name.as_bytes()), part(2, value.as_bytes())].concat())
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes.get_u8();
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}

/// What stands at a place in a message: numbers, and bytes.
fn at(mut message: &[u8], place: &[u64]) -> (Vec<u64>, Vec<Vec<u8>>) {
    let [tag, rest @ ..] = place else { return (Vec::new(), vec![message.to_vec()]) };
    let (mut numbers, mut found) = (Vec::new(), Vec::new());
    while !message.is_empty() {
        let key = varint(&mut message);
        if key & 7 == 0 {
            let number = varint(&mut message);
            numbers.extend((key >> 3 == *tag && rest.is_empty()).then_some(number));
            continue;
        }
        assert_eq!(key & 7, 2, "{key}");
        let length = varint(&mut message) as usize;
        let (bytes, after) = message.split_at(length);
        if key >> 3 == *tag {
            let (more_numbers, more) = at(bytes, rest);
            numbers.extend(more_numbers);
            found.extend(more);
        }
        message = after;
    }
    (numbers, found)
}

/// Asks as Envoy does over gRPC. Returns the message.
async fn check(served: &Served, site: &Origin, path: &str, configured: &[(&str, &str)]) -> Vec<u8> {
    let host = site.address().to_string();
    let http = [
        part(2, b"GET"),
        entry(3, "comity-agent", "OtherBot"),
        part(4, path.as_bytes()),
        part(5, host.as_bytes()),
        part(6, b"http"),
        part(15, b"what a newer one may send"),
    ];
    let mut attributes = part(4, &part(2, &http.concat()));
    attributes.extend(configured.iter().flat_map(|(name, value)| entry(10, name, value)));
    let message = part(1, &attributes);
    let mut framed = vec![0];
    framed.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
    framed.extend(message);
    let stream = TcpStream::connect(served.address).await.unwrap();
    let builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
    let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let request = Request::builder()
        .method(Method::POST)
        .uri(format!("http://{}/envoy.service.auth.v3.Authorization/Check", served.address))
        .header("content-type", "application/grpc")
        .header("te", "trailers");
    let reply = sender.send_request(request.body(Full::new(Bytes::from(framed))).unwrap()).await.unwrap();
    assert_eq!(
        (reply.status().as_u16(), &reply.headers()["content-type"]),
        (200, &"application/grpc".parse().unwrap())
    );
    let body = reply.into_body().collect().await.unwrap();
    assert_eq!(body.trailers().unwrap()["grpc-status"], "0");
    body.to_bytes()[5..].to_vec()
}

fn texts(found: (Vec<u64>, Vec<Vec<u8>>)) -> Vec<String> {
    found.1.into_iter().map(|bytes| String::from_utf8(bytes).unwrap()).collect()
}

#[tokio::test]
async fn envoy_asks_over_grpc_on_the_same_port() {
    let site = site(ROBOTS);
    let served = gateway(&site, Duration::ZERO).await;
    // What the configuration says goes before what the agent says of itself.
    let own = [("comity-agent", "ExampleBot")];
    let passed = check(&served, &site, "/yes", &own).await;
    assert_eq!(at(&passed, &[2]).1.len(), 0);
    let ok = 3;
    assert_eq!(texts(at(&passed, &[ok, 2, 1, 1])), ["x-envoy-original-dst-host"]);
    assert_eq!(texts(at(&passed, &[ok, 2, 1, 2])), [site.address().to_string()]);
    assert!(texts(at(&passed, &[ok, 6, 1, 2])).contains(&"allowed_implicit".to_owned()));

    let denied = 2;
    for configured in [&own[..], &[]] {
        let refused = check(&served, &site, "/no", configured).await;
        assert_eq!((at(&refused, &[1, 1]).0, at(&refused, &[denied, 1, 1]).0), (vec![7], vec![403]));
        assert!(texts(at(&refused, &[denied, 2, 1, 2])).contains(&"disallowed_explicit".to_owned()));
        let line = if configured.is_empty() { 2 } else { 5 };
        let body: Value = serde_json::from_str(&texts(at(&refused, &[denied, 3]))[0]).unwrap();
        assert_eq!((&body["outcome"], &body["line"]), (&"robots_refused".into(), &line.into()));
    }
    // The service still speaks HTTP/1 there, and ends in good order.
    assert_eq!(served.get("/healthz").await.status.as_u16(), 200);
    served.stop().await;
}
