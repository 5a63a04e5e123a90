//! Attacks by callers: slow, incomplete, malformed and expensive requests, floods of connections, scans of ports.

use std::collections::VecDeque;
use std::time::Duration;

use http_body_util::Full;
use serde_json::{Value, json};
use testkit::servers::{Origin, Reply};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::{Served, builder, connect, send, serve, serving, usual_options};

/// Sends bytes, and returns all bytes received until the connection ends.
async fn raw(served: &Served, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    // The server may have closed the connection already.
    let _ = stream.write_all(bytes).await;
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply).await;
    String::from_utf8_lossy(&reply).into_owned()
}

/// Returns true if the service answers a question.
async fn is_well(served: &Served) -> bool {
    served
        .post("/v1/check", &json!({ "robots": "", "agents": ["a"], "urls": ["/"] }))
        .await
        .status
        .is_success()
}

#[tokio::test]
async fn request_head_of_a_megabyte_is_refused() {
    let served = serving(&[]).await;
    let huge = "x".repeat(1 << 20);
    for head in [
        format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {huge}\r\n\r\n"),
        format!("GET /{huge} HTTP/1.1\r\nhost: localhost\r\n\r\n"),
        format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "a: b\r\n".repeat(100_000)),
    ] {
        let reply = raw(&served, head.as_bytes()).await;
        assert!(reply.is_empty() || reply.starts_with("HTTP/1.1 4"), "{reply}");
    }
    assert!(is_well(&served).await);
}

#[tokio::test]
async fn incomplete_requests_time_out() {
    let timeouts =
        usual_options().idle_timeout(Duration::from_millis(300)).body_timeout(Duration::from_millis(300));
    let served = serve(builder(&[]), timeouts).await;
    for half in ["", "GET /healthz HTTP/1.1\r\nhost: localho", "GET /healthz HTTP/1.1\r\nhost: localhost\r\n"]
    {
        assert_eq!(raw(&served, half.as_bytes()).await, "", "{half}");
    }
    let head = "POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    let reply = raw(&served, format!("{head}content-length: 100\r\n\r\n{{\"agents\":").as_bytes()).await;
    assert!(reply.starts_with("HTTP/1.1 408 ") && reply.contains("slow_body"), "{reply}");
    let lines = head.replace("application/json", "application/x-ndjson");
    let reply = raw(&served, format!("{lines}content-length: 100\r\n\r\n{{\"agents\":").as_bytes()).await;
    assert!(reply.starts_with("HTTP/1.1 408 "), "{reply}");
    let question = "{\"agents\":[\"a\"],\"robots\":\"\"}\n";
    let reply =
        raw(&served, format!("{lines}content-length: 1000\r\n\r\n{question}\"/1\"\n").as_bytes()).await;
    assert!(reply.contains("\"url\":\"/1\"") && reply.contains("slow_body"), "{reply}");
    assert!(is_well(&served).await);
}

#[tokio::test]
async fn malformed_requests_are_refused() {
    let served = serving(&[]).await;
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello",
        b"\0\0\0\0\r\n\r\n",
    ] {
        let reply = raw(&served, garbage).await;
        assert!(!reply.starts_with("HTTP/1.1 2"), "{reply}");
    }
    assert!(is_well(&served).await);
}

#[tokio::test]
async fn too_large_body_is_not_read() {
    let served = serve(builder(&[]), usual_options().body_bytes(1_000)).await;
    let big = json!({ "robots": "x".repeat(1_000) });
    served.post("/v1/lint", &big).await.problem(413, "too_large");
    // The announced body is never sent. A server that reads the body would not answer before its timeout.
    let head = "POST /v1/lint HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n";
    let reply = raw(&served, format!("{head}content-length: 100000000000\r\n\r\n").as_bytes()).await;
    assert!(reply.starts_with("HTTP/1.1 413 "), "{reply}");
    let line = format!("{{\"agents\":[\"a\"],\"robots\":\"{}\"}}\n", "x".repeat(2_000));
    served.batch("/v1/check", &line).await.problem(413, "too_large");
}

#[tokio::test]
async fn deep_and_wide_json_is_refused() {
    let served = serving(&[]).await;
    let deep = "[".repeat(1_000_000);
    for text in
        [deep.clone(), format!("{{\"urls\":{deep}"), "{\"agents\":[\"a\",".to_owned(), "\u{0}".to_owned()]
    {
        let request =
            served.request(http::Method::POST, "/v1/check").header("content-type", "application/json");
        served.send(request.body(Full::from(text)).unwrap()).await.problem(400, "bad_question");
    }
    let crowd = json!({ "robots": "", "urls": ["/"], "agents": vec!["a"; 101] });
    served.post("/v1/check", &crowd).await.problem(400, "bad_question");
}

#[tokio::test]
async fn expensive_files_are_not_compared() {
    let served = serving(&[]).await;
    let names: String = (0..8_000).map(|number| format!("User-agent: {number:x}\n")).collect();
    let rules: String = (0..8_000).map(|number| format!("Disallow: /{number:x}\n")).collect();
    let question = json!({ "old": { "robots": names + &rules }, "new": { "robots": "" } });
    served.post("/v1/diff", &question).await.problem(413, "too_large");
    let named = json!({ "old": question["old"], "new": question["new"], "agents": ["1f"], "urls": ["/2e"] });
    assert_eq!(served.post("/v1/diff", &named).await.json()["urls"][0]["old"]["rule"]["pattern"], "/2e");
}

#[tokio::test]
async fn answers_are_bounded_for_any_question() {
    let served = serving(&[]).await;
    let agents: Vec<String> = (0..100).map(|number| format!("bot{number}")).collect();
    // Every rule matches, so every explanation would contain every rule.
    let rules = format!("User-agent: *\n{}", "Disallow:/*\n".repeat(20_000));
    let question = json!({ "robots": rules, "agents": agents[..3], "urls": ["/x"] });
    let rows = served.post("/v1/explain", &question).await.json()["rows"].clone();
    assert_eq!(rows.as_array().unwrap().len(), 3);
    assert!(rows[0]["error"].as_str().unwrap().contains("20000 rules match"), "{rows}");
    let urls: Vec<String> = (0..100).map(|number| format!("/{number:08000}")).collect();
    let question = json!({ "robots": "", "agents": agents, "urls": urls });
    served.post("/v1/check", &question).await.problem(413, "too_large");
    let signals = format!("User-agent: *\n{}", "Content-Signal: /* ai-train=no\n".repeat(15_000));
    let question = json!({ "robots": signals, "agents": agents, "urls": ["/x"] });
    served.post("/v1/usage", &question).await.problem(413, "too_large");
    let question = json!({ "robots": signals, "agents": agents[..1], "urls": ["/x"] });
    assert!(served.post("/v1/usage", &question).await.status.is_success());
}

/// Opens ten thousand connections without a request, and keeps the last 400 open: more than the service accepts.
#[tokio::test]
async fn idle_connections_do_not_block_new_callers() {
    let options = usual_options().connections(100).idle_timeout(Duration::from_secs(3_600));
    let served = serve(builder(&[]), options).await;
    let mut idle = VecDeque::new();
    for number in 0..10_000 {
        idle.push_back(TcpStream::connect(served.address).await.unwrap());
        if idle.len() > 400 {
            idle.pop_front();
        }
        // New connections wait in a queue of the operating system, which drops connections when it is full.
        if number % 50 == 0 {
            assert!(is_well(&served).await, "after {number}");
        }
    }
    // A connection with an incomplete request head counts as idle.
    for connection in idle.iter_mut().rev().take(90) {
        connection.write_all(b"GET /healthz HTTP/1.1\r\nhost: loc").await.unwrap();
    }
    for _ in 0..100 {
        assert!(is_well(&served).await);
    }
}

#[tokio::test]
async fn connection_with_a_request_in_flight_stays_open_in_a_flood() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::delay(Duration::from_secs(1), Reply::ok("")));
    let options = usual_options().connections(4);
    let served = serve(builder(&[&site]), options).await;
    let question = json!({ "agents": ["a"], "urls": [site.url("/")] });
    let crowd = async {
        site.until_requested("/robots.txt", 1).await;
        for _ in 0..20 {
            assert!(is_well(&served).await);
        }
    };
    let (answer, ()) = tokio::join!(served.post("/v1/check", &question), crowd);
    assert_eq!(answer.json()["rows"][0]["verdict"], "allowed_implicit");
}

#[tokio::test]
async fn connection_of_a_caller_that_does_not_read_is_closed() {
    let options = usual_options().requests(1).body_bytes(32 << 20).write_timeout(Duration::from_millis(500));
    let served = serve(builder(&[]), options).await;
    // The answer is larger than the buffers of the operating system.
    let url = format!("/{}", "x".repeat(8_000));
    let question = json!({ "robots": "", "agents": ["a"], "urls": vec![url; 1_000] }).to_string();
    let head = format!(
        "POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        question.len()
    );
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(32 << 10).unwrap();
    let mut deaf = socket.connect(served.address).await.unwrap();
    deaf.write_all(format!("{head}{question}").as_bytes()).await.unwrap();
    // Waits until the request of the first caller does not count any more.
    while !is_well(&served).await {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut answer = Vec::new();
    let _ = deaf.read_to_end(&mut answer).await;
    assert!(!answer.ends_with(b"]}"), "the whole answer was sent");
}

#[tokio::test]
async fn requests_over_the_limit_get_a_retry_time() {
    let slow = Origin::start();
    slow.on("/robots.txt", Reply::delay(Duration::from_secs(2), Reply::ok("")));
    let served = serve(builder(&[&slow]), usual_options().requests(1)).await;
    let question = json!({ "agents": ["a"], "urls": [slow.url("/")] });
    let first = async { served.post("/v1/check", &question).await };
    let second = async {
        slow.until_requested("/robots.txt", 1).await;
        let reply = served.get("/openapi.json").await;
        reply.problem(503, "busy");
        assert_eq!(reply.headers["retry-after"], "1");
    };
    let (first, ()) = tokio::join!(first, second);
    assert_eq!(first.json()["rows"][0]["allowed"], true);
    assert!(is_well(&served).await);
}

#[tokio::test]
async fn hanging_site_does_not_block_the_caller() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::hang());
    let options = usual_options().answer_timeout(Duration::from_millis(300));
    let served = serve(builder(&[&site]), options).await;
    let question = json!({ "agents": ["a"], "urls": [site.url("/")] });
    served.post("/v1/check", &question).await.problem(504, "too_late");
    assert!(is_well(&served).await);
}

/// A caller cannot use the service to find open ports or machines in the network.
#[tokio::test]
async fn service_cannot_be_used_for_port_scans() {
    let (hidden, site) = (Origin::start(), Origin::start());
    hidden.otherwise(Reply::ok("secret"));
    site.on("/robots.txt", Reply::redirect(302, &hidden.url("/robots.txt")));
    let served = serving(&[&site]).await;
    let targets = [
        hidden.url("/"),
        "http://10.0.0.1/".to_owned(),
        "http://192.168.0.1/".to_owned(),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "http://[::1]/".to_owned(),
        "http://[::ffff:10.0.0.1]/".to_owned(),
        "http://0x0a000001/".to_owned(),
        "https://example.com:8443/".to_owned(),
        "http://example.com:22/".to_owned(),
        "gopher://example.com/".to_owned(),
        "file:///etc/passwd".to_owned(),
    ];
    for target in &targets {
        let question = json!({ "agents": ["a"], "urls": [target] });
        for path in ["/v1/check", "/v1/explain", "/v1/usage"] {
            let row = served.post(path, &question).await.json()["rows"][0].clone();
            assert!(row["error"].is_string(), "{path}: {row}");
        }
        for path in ["/v1/lint", "/v1/matrix"] {
            let reply = served.post(path, &json!({ "site": target })).await;
            assert!(matches!(reply.status.as_u16(), 400 | 403), "{path} {target}: {reply:?}");
        }
        let admitted = served.post("/v1/admit", &json!({ "url": target })).await.json();
        assert_eq!(admitted["admitted"], false, "{admitted}");
    }
    // The guard also blocks a redirect to a closed port.
    let row = served.post("/v1/check", &json!({ "agents": ["a"], "urls": [site.url("/")] })).await.json();
    assert_eq!(row["rows"][0]["allowed"], false, "{row}");
    assert_eq!(hidden.requests().len(), 0);
}

#[tokio::test]
async fn caller_over_its_limit_of_new_sites_is_refused() {
    let sites: Vec<Origin> = (0..4).map(|_| Origin::start()).collect();
    for site in &sites {
        site.on("/robots.txt", Reply::ok(""));
    }
    let all: Vec<&Origin> = sites.iter().collect();
    let served = serve(builder(&all), usual_options().new_origins(3)).await;
    let check = |site: &Origin| json!({ "agents": ["a"], "urls": [site.url("/"), site.url("/2")] });
    for site in &sites[..3] {
        for _ in 0..3 {
            served.post("/v1/check", &check(site)).await.json();
        }
    }
    let reply = served.post("/v1/check", &check(&sites[3])).await;
    let problem = reply.problem(429, "too_many_origins");
    assert!((1..=60).contains(&problem["retry_after_seconds"].as_u64().unwrap()), "{problem}");
    for (path, question) in [
        ("/v1/lint", json!({ "site": sites[3].url("/") })),
        ("/v1/admit", json!({ "url": sites[3].url("/") })),
    ] {
        served.post(path, &question).await.problem(429, "too_many_origins");
    }
    let report = json!({ "url": sites[3].url("/"), "status": 503, "retry_after": "60" });
    served.post("/v1/report", &report).await.problem(429, "too_many_origins");
    served.get(&format!("/v1/robots?origin={}", sites[3].url("/"))).await.problem(429, "too_many_origins");
    assert_eq!(sites[3].requests().len(), 0);
    served.post("/v1/check", &check(&sites[0])).await.json();
}

#[tokio::test]
async fn one_connection_serves_many_requests() {
    let served = serving(&[]).await;
    let mut connection = connect(served.address).await;
    for number in 0..50 {
        let request =
            served.request(http::Method::POST, "/v1/check").header("content-type", "application/json");
        let question = json!({ "robots": "", "agents": ["a"], "urls": [format!("/{number}")] });
        let reply = send(&mut connection, request.body(Full::from(question.to_string())).unwrap()).await;
        let rows: Value = reply.json();
        assert_eq!(rows["rows"][0]["url"], format!("/{number}"));
    }
}
