//! Answers to questions of gateways, in the protocol of each gateway.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes};
use comity::robots::{Agent, RobotsTxt};
use comity_client::ClientBuilder;
use comity_client::guard::Guard;
use comity_client::pace::PaceOptions;
use comity_client::store::MemoryStore;
use comity_client::testing::FakeResolver;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::Value;
use testkit::servers::{Origin, Reply};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::{Served, builder, named, serve, usual_options};

const ROBOTS: &str = "User-agent: OtherBot\nDisallow: /\n\nUser-agent: *\nDisallow: /no\n";

fn site(robots: &str) -> Origin {
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok(robots));
    site
}

/// Starts a service for gateways with two agents, whose clients share a store.
async fn gateway(site: &Origin, interval: Duration) -> Served {
    let store = Arc::new(MemoryStore::new());
    let pace = PaceOptions::default().min_interval(interval);
    let client = |name: &str| named(name, &[site]).pace(pace.clone()).shared_store(store.clone());
    let others = vec![client("OtherBot").build().unwrap()];
    let options = usual_options().gateway(true).gateway_clients(others);
    serve(client("ExampleBot"), options).await
}

/// Sends a question in the form of nginx, Traefik and Caddy.
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
async fn gateway_request_is_decided_for_its_agent() {
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
    assert_eq!(site.requests().len(), 1, "only robots.txt was requested");
}

#[tokio::test]
async fn gateway_request_that_must_wait_is_refused_with_retry_after() {
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
async fn unreachable_site_missing_part_or_private_host_is_refused() {
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
        &[("x-forwarded-proto", "http"), ("x-forwarded-host", "a.example")],
        &[("x-forwarded-proto", "http"), ("x-forwarded-host", "a.example/b@c"), ("x-forwarded-uri", "/")],
    ] {
        assert_eq!(ask(fields).await.status.as_u16(), 400, "{fields:?}");
    }
    for host in ["10.0.0.1", "169.254.169.254", "127.0.0.1:22"] {
        let reply =
            ask(&[("x-forwarded-proto", "http"), ("x-forwarded-host", host), ("x-forwarded-uri", "/")]).await;
        assert_eq!(
            (reply.status.as_u16(), field(&reply, "comity-outcome")),
            (403, "guard_refused"),
            "{host}"
        );
    }
}

#[tokio::test]
async fn hanging_robots_txt_does_not_block_gateways() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::delay(Duration::from_secs(4), Reply::ok("User-agent: *\nDisallow: /no\n")));
    let served = gateway(&site, Duration::ZERO).await;
    let reply = forwarded(&served, "/gateway/forward-auth", &site, "/no", "").await;
    assert_eq!((reply.status.as_u16(), field(&reply, "comity-outcome")), (429, "robots_txt_pending"));
    site.until_idle("/robots.txt").await;
    let reply = forwarded(&served, "/gateway/forward-auth", &site, "/no", "").await;
    assert_eq!((reply.status.as_u16(), site.count("/robots.txt")), (403, 1), "it was requested once");
}

#[tokio::test]
async fn envoy_request_behind_a_prefix_is_decided() {
    let site = site(ROBOTS);
    let tokens = vec!["a-token-of-some-length".to_owned()];
    let options = usual_options().gateway(true).tokens(tokens);
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
    let foreign = serve(builder(&[&site]), usual_options().gateway(true)).await;
    let request = Request::builder().uri("/gateway/envoy/").header("host", "example.com");
    foreign.send(request.body(Full::default()).unwrap()).await.problem(421, "foreign_host");
    let without = serve(builder(&[&site]), usual_options()).await;
    without.get("/gateway/forward-auth").await.problem(404, "not_found");
}

/// Encodes a field of a Protocol Buffers message whose value is bytes, text or another message.
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

fn entry(tag: u8, name: &str, value: &[u8]) -> Vec<u8> {
    part(tag, &[part(1, name.as_bytes()), part(2, value)].concat())
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

/// Returns the values at a path of field numbers in a message: the integers, and the byte strings.
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

/// Encodes a question in the form of Envoy over gRPC.
fn question(asked: &Asked<'_>, configured: &[(&str, &str)]) -> Vec<u8> {
    let http = [
        part(2, asked.method),
        entry(3, "comity-agent", asked.agent),
        part(4, asked.target),
        part(5, asked.host),
        part(6, asked.scheme),
        part(15, b"an unknown field"),
    ];
    let source = part(1, &part(1, &part(1, &part(2, asked.address.as_bytes()))));
    let mut attributes = [source, part(4, &part(2, &http.concat()))].concat();
    attributes.extend(configured.iter().flat_map(|(name, value)| entry(10, name, value.as_bytes())));
    part(1, &attributes)
}

/// Sends a question over gRPC. Returns the gRPC status and the message of the answer.
async fn check(served: &Served, message: &[u8]) -> (String, Vec<u8>) {
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
        .header("authorization", format!("Bearer {TOKEN}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers");
    let reply = sender.send_request(request.body(Full::new(Bytes::from(framed))).unwrap()).await.unwrap();
    assert_eq!(
        (reply.status().as_u16(), &reply.headers()["content-type"]),
        (200, &"application/grpc".parse().unwrap())
    );
    let of_head = reply.headers().get("grpc-status").cloned();
    let body = reply.into_body().collect().await.unwrap();
    let status = body.trailers().and_then(|trailers| trailers.get("grpc-status").cloned()).or(of_head);
    let status = status.unwrap().to_str().unwrap().to_owned();
    (status, body.to_bytes().get(5..).unwrap_or_default().to_vec())
}

fn texts(found: (Vec<u64>, Vec<Vec<u8>>)) -> Vec<String> {
    found.1.into_iter().map(|bytes| String::from_utf8(bytes).unwrap()).collect()
}

#[tokio::test]
async fn envoy_over_grpc_is_served_on_the_same_port() {
    let site = site(ROBOTS);
    let served = gateway(&site, Duration::ZERO).await;
    // The configuration takes precedence over the headers of the agent.
    let own = [("comity-agent", "ExampleBot")];
    let host = site.address().to_string();
    let asked =
        |target: &'static str| Asked { agent: b"OtherBot", ..Asked::of(host.as_bytes(), target.as_bytes()) };
    let (status, passed) = check(&served, &question(&asked("/yes"), &own)).await;
    assert_eq!(status, "0");
    assert_eq!(at(&passed, &[2]).1.len(), 0);
    let ok = 3;
    assert_eq!(texts(at(&passed, &[ok, 2, 1, 1])), ["x-envoy-original-dst-host"]);
    assert_eq!(texts(at(&passed, &[ok, 2, 1, 2])), [site.address().to_string()]);
    assert!(texts(at(&passed, &[ok, 6, 1, 2])).contains(&"allowed_implicit".to_owned()));

    let denied = 2;
    for configured in [&own[..], &[]] {
        let (_, refused) = check(&served, &question(&asked("/no"), configured)).await;
        assert_eq!((at(&refused, &[1, 1]).0, at(&refused, &[denied, 1, 1]).0), (vec![7], vec![403]));
        assert!(texts(at(&refused, &[denied, 2, 1, 2])).contains(&"disallowed_explicit".to_owned()));
        let line = if configured.is_empty() { 2 } else { 5 };
        let body: Value = serde_json::from_str(&texts(at(&refused, &[denied, 3]))[0]).unwrap();
        assert_eq!((&body["outcome"], &body["line"]), (&"robots_refused".into(), &line.into()));
    }
    // The port also accepts HTTP/1.
    assert_eq!(served.get("/healthz").await.status.as_u16(), 200);
    served.stop().await;
}

const TOKEN: &str = "a-token-of-some-length";

/// The parts of an original request, as bytes.
#[derive(Clone, Copy, Debug)]
struct Asked<'a> {
    method: &'a [u8],
    scheme: &'a [u8],
    host: &'a [u8],
    target: &'a [u8],
    agent: &'a [u8],
    /// The address of the agent.
    address: &'a str,
}

impl<'a> Asked<'a> {
    fn of(host: &'a [u8], target: &'a [u8]) -> Self {
        Asked { method: b"GET", scheme: b"http", host, target, agent: b"", address: "192.0.2.1" }
    }
}

/// The kinds of gateways.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Gateway {
    ForwardAuth,
    Nginx,
    Envoy,
    EnvoyGrpc,
}

const GATEWAYS: [Gateway; 4] = [Gateway::ForwardAuth, Gateway::Nginx, Gateway::Envoy, Gateway::EnvoyGrpc];

impl Gateway {
    /// Sends a question about a request. Adds the header lines in `more`, except over gRPC. Returns the status for the
    /// agent.
    async fn ask_with(self, served: &Served, asked: &Asked<'_>, more: &[u8]) -> u16 {
        let Asked { method, scheme, host, target, agent, address } = *asked;
        if self == Gateway::EnvoyGrpc {
            let (status, answer) = check(served, &question(asked, &[])).await;
            // An invalid message is an error, which Envoy treats as a refusal.
            return match (&*status, at(&answer, &[1, 1]).0.first()) {
                ("0", None | Some(0)) => 200,
                ("0", _) => at(&answer, &[2, 1, 1]).0[0] as u16,
                _ => 400,
            };
        }
        let token = format!("authorization: Bearer {TOKEN}\r\nconnection: close\r\n");
        let line = |name: &str, value: &[u8]| [name.as_bytes(), b": ", value, b"\r\n"].concat();
        let own =
            [line("comity-scheme", scheme), line("comity-agent", agent), token.into_bytes(), more.to_vec()];
        let head = match self {
            Gateway::Envoy => [
                [method, b" /gateway/envoy", target, b" HTTP/1.1\r\n"].concat(),
                line("host", host),
                line("comity-client", address.as_bytes()),
            ]
            .concat(),
            _ => {
                let route = if self == Gateway::Nginx { "nginx" } else { "forward-auth" };
                [
                    format!("GET /gateway/{route} HTTP/1.1\r\nhost: localhost\r\n").into_bytes(),
                    line("x-forwarded-method", method),
                    line("x-forwarded-host", host),
                    line("x-forwarded-uri", target),
                    line("x-forwarded-for", address.as_bytes()),
                ]
                .concat()
            }
        };
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream.write_all(&[head, own.concat(), b"\r\n".to_vec()].concat()).await.unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).await.unwrap();
        let reply = String::from_utf8(reply).unwrap();
        let meant = reply.split_once("comity-status: ").map(|(_, rest)| &rest[..3]);
        meant.unwrap_or(&reply["HTTP/1.1 ".len()..][..3]).parse().unwrap()
    }

    async fn ask(self, served: &Served, asked: &Asked<'_>) -> u16 {
        self.ask_with(served, asked, b"").await
    }
}

/// Starts a service for all gateways, with a limit of new origins for each agent.
async fn for_all(client: impl Fn(&str) -> ClientBuilder, new_origins: usize) -> Served {
    let options = usual_options()
        .gateway(true)
        .gateway_clients(vec![client("OtherBot").build().unwrap()])
        .tokens(vec![TOKEN.to_owned()])
        .new_origins(new_origins);
    serve(client("ExampleBot"), options).await
}

#[tokio::test]
async fn unreadable_part_of_a_request_is_refused() {
    let site = site(ROBOTS);
    let served = for_all(|name| named(name, &[&site]), 600).await;
    let host = site.address().to_string();
    let fit = Asked::of(host.as_bytes(), b"/yes");
    for gateway in GATEWAYS {
        assert_eq!(gateway.ask(&served, &fit).await, 200, "{gateway:?}");
        for unreadable in [&b"\xFF"[..], b"\xC3\xA9", b"a\xC3\xA9", b"a\tb", b"GET\xE9", b"http\x80"] {
            for asked in [
                Asked { method: unreadable, ..fit },
                Asked { scheme: unreadable, ..fit },
                Asked { host: unreadable, ..fit },
                Asked { agent: unreadable, ..fit },
                Asked { target: unreadable, ..fit },
            ] {
                let status = gateway.ask(&served, &asked).await;
                // Without a slash at its start, the target changes the prefix `/gateway/envoy`.
                let is_refused = status == 400 || (gateway == Gateway::Envoy && status == 404);
                assert!(is_refused, "{gateway:?} {asked:?} {status}");
            }
        }
        for scheme in ["", "ftp", "ws", "https, http", "http://evil.example/?"] {
            let asked = Asked { scheme: scheme.as_bytes(), ..fit };
            assert_eq!(gateway.ask(&served, &asked).await, 400, "{gateway:?} {scheme}");
        }
    }
    // If two lines of a field differ, the service cannot know which value the gateway uses.
    for gateway in [Gateway::ForwardAuth, Gateway::Nginx] {
        for line in [
            "x-forwarded-method: POST",
            "x-forwarded-host: a.example",
            "x-forwarded-uri: /no",
            "comity-scheme: https",
            "comity-agent: OtherBot",
        ] {
            let status = gateway.ask_with(&served, &fit, format!("{line}\r\n").as_bytes()).await;
            assert_eq!(status, 400, "{gateway:?} {line}");
        }
    }
    assert_eq!(site.requests().len(), 1, "only robots.txt was requested");
}

#[tokio::test]
async fn host_in_a_spelling_that_parsing_changes_is_refused() {
    let site = site(ROBOTS);
    let served = for_all(|name| named(name, &[&site]), 600).await;
    let port = site.address().port();
    for gateway in GATEWAYS {
        for host in [
            format!("127.1:{port}"),
            format!("0x7f.0.0.1:{port}"),
            format!("2130706433:{port}"),
            format!("127.0.0.1.:{port}"),
            format!("127.0.0.1:0{port}"),
            format!("user@127.0.0.1:{port}"),
            format!("127.0.0.%31:{port}"),
            format!("127.0.0.1:{port},127.0.0.1:{port}"),
            format!("127.0.0.1:{port}/no"),
            format!("a.example@127.0.0.1:{port}"),
            format!("127.0.0.1:{port}?"),
            format!("127.0.0.1:{port}\\"),
            String::new(),
        ] {
            let asked = Asked::of(host.as_bytes(), b"/yes");
            assert_eq!(gateway.ask(&served, &asked).await, 400, "{gateway:?} {host}");
        }
    }
}

#[tokio::test]
async fn connect_with_another_case_or_a_path_is_not_a_tunnel() {
    let site = site(ROBOTS);
    let served = for_all(|name| named(name, &[&site]), 600).await;
    let host = site.address().to_string();
    for gateway in [Gateway::ForwardAuth, Gateway::Nginx, Gateway::EnvoyGrpc] {
        for method in [&b"connect"[..], b"Connect", b"CONNECT"] {
            for (target, status) in [("/no/x", 403), ("/yes", 200)] {
                let asked = Asked { method, ..Asked::of(host.as_bytes(), target.as_bytes()) };
                assert_eq!(gateway.ask(&served, &asked).await, status, "{gateway:?} {asked:?}");
            }
        }
        for target in ["other.example:443", "*", "no/x", ""] {
            let asked = Asked::of(host.as_bytes(), target.as_bytes());
            assert_eq!(gateway.ask(&served, &asked).await, 400, "{gateway:?} {target}");
        }
        let tunnel = Asked { method: b"CONNECT", ..Asked::of(host.as_bytes(), b"other.example:443") };
        assert_eq!(gateway.ask(&served, &tunnel).await, 400, "{gateway:?}");
    }
}

/// Parts of targets that programs parse in different ways.
const PIECES: &[&[u8]] = &[
    b"/private",
    b"/private",
    b"/public",
    b"/",
    b"/..",
    b"/.",
    b"/%2e%2e",
    b"/%2E.",
    b"\\",
    b"\\..",
    b"#",
    b"?",
    b";x",
    b"//",
    b"%2F",
    b"%5c",
    b"%23",
    b"\xC3\xA9",
    b"\xFF",
    b"%C3%A9",
    b"%e9",
    b"\t",
    b" ",
    b"'",
    b"\"",
    b"{",
    b"a",
    b"*",
    b"$",
    b"://",
    b"@",
    b":",
    b"%",
    b"|",
];

#[tokio::test]
async fn target_passes_only_if_it_is_allowed_as_written_and_as_parsed() {
    const CLOSED: &str = "User-agent: *\nDisallow: /private\nDisallow: /*%C3%A9\nDisallow: /*%FF\nDisallow: /*?\nDisallow: /a/b\n";
    let site = site(CLOSED);
    let served = for_all(|name| named(name, &[&site]), 600).await;
    let host = site.address().to_string();
    let rules = RobotsTxt::parse(CLOSED).rules_for(&Agent::unchecked_token("ExampleBot"));
    let is_allowed = |target: &[u8]| {
        let written = [b"http://", host.as_bytes(), target].concat();
        let encoded = percent_encoding::percent_encode(&written, percent_encoding::CONTROLS).to_string();
        let parsed = url::Url::parse(&encoded).unwrap();
        let allowed = |url: &[u8]| rules.decide(url).is_ok_and(|decision| decision.is_allowed());
        (
            allowed(&written) && allowed(parsed.as_str().as_bytes()),
            !target.contains(&b'#') && written == parsed.as_str().as_bytes(),
        )
    };
    let mut targets: Vec<Vec<u8>> = [
        &b"/private/secret?q=\xC3\xA9"[..],
        b"/\xC3\xA9",
        b"/caf\xFF",
        b"/private/page.php/\\..\\..\\..\\public",
        b"/private/%2e%2e/public",
        b"/#/../private/x",
        b"/a/../private",
        b"/a/b/../c",
        b"/\\../private",
        b"/x\\..\\private",
    ]
    .map(<[u8]>::to_vec)
    .to_vec();
    let mut random = fastrand::Rng::with_seed(36);
    targets.extend((0..250).map(|_| {
        let pieces = (0..random.usize(1..6)).map(|_| PIECES[random.usize(..PIECES.len())]);
        [&b"/"[..]].into_iter().chain(pieces).collect::<Vec<_>>().concat()
    }));
    let mut passed = 0;
    for target in &targets {
        let (is_allowed, is_plain) = is_allowed(target);
        for gateway in GATEWAYS {
            // Envoy's target is in the request line of the service, which does not receive the part after `#`. Envoy
            // refuses such targets.
            if gateway == Gateway::Envoy && target.contains(&b'#') {
                continue;
            }
            let status = gateway.ask(&served, &Asked::of(host.as_bytes(), target)).await;
            let shown = String::from_utf8_lossy(target);
            assert!(is_allowed || matches!(status, 400 | 403), "{gateway:?} {shown} {status}");
            assert!(!(is_allowed && is_plain) || status == 200, "{gateway:?} {shown} {status}");
            passed += usize::from(status == 200);
        }
    }
    assert!(passed > targets.len() / 4, "{passed} of {} targets passed", targets.len());
    assert_eq!(site.requests().len(), 1, "only robots.txt was requested");
}

#[tokio::test]
async fn agent_with_many_new_hosts_does_not_use_quotas_of_others() {
    const MOST: usize = 5;
    let known = site(ROBOTS);
    let names = FakeResolver::new();
    for number in 0..200 {
        names.not_found(&format!("host{number}.example"));
    }
    let guard = Guard::new().allow_address("127.0.0.0/8".parse().unwrap());
    let guard = guard.allow_port(known.address().port()).with_resolver(names);
    let served = for_all(|name| named(name, &[&known]).guard(guard.clone()), MOST).await;
    let mut invented = (0..200).map(|number| format!("host{number}.example"));
    for (number, gateway) in GATEWAYS.into_iter().enumerate() {
        let own = format!("192.0.2.{}", number + 1);
        let ask = async |host: &str, address: &str, agent: &str| {
            let asked = Asked { agent: agent.as_bytes(), address, ..Asked::of(host.as_bytes(), b"/yes") };
            gateway.ask(&served, &asked).await
        };
        for _ in 0..MOST {
            let status = ask(&invented.next().unwrap(), &own, "").await;
            assert!(!matches!(status, 200 | 400 | 429), "{gateway:?} {status}");
        }
        let last = invented.next().unwrap();
        // The name of the agent is optional and case-insensitive.
        for agent in ["", "ExampleBot", "examplebot"] {
            assert_eq!(ask(&last, &own, agent).await, 429, "{gateway:?} {agent}");
        }
        for (address, agent) in [("198.51.100.1", ""), (&*own, "OtherBot")] {
            let status = ask(&invented.next().unwrap(), address, agent).await;
            assert!(!matches!(status, 200 | 400 | 429), "{gateway:?} {address} {agent} {status}");
        }
        let host = known.address().to_string();
        assert_eq!(ask(&host, "198.51.100.2", "").await, 200, "{gateway:?}");
        // A known site does not count against the quota.
        assert_eq!(ask(&host, &own, "").await, 200, "{gateway:?}");
    }
}
