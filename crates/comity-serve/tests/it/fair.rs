//! Fair shares: a greedy caller cannot use all request permits, memory or page fetches.

use std::time::Duration;

use comity_serve::ServiceOptions;
use http::Method;
use http_body_util::Full;
use serde_json::{Value, json};
use testkit::servers::{Origin, Reply};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::{Served, builder, serve, usual_options};

const TOKENS: [&str; 2] = ["token-of-the-greedy-caller", "token-of-another-caller"];

fn options() -> ServiceOptions {
    usual_options().tokens(TOKENS.map(str::to_owned).to_vec())
}

/// Sends a request as the second caller.
async fn ask(served: &Served, path: &str, question: &Value) -> crate::Reply {
    let request = served
        .request(Method::POST, path)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("authorization", format!("Bearer {}", TOKENS[1]));
    served.send(request.body(Full::from(question.to_string())).unwrap()).await
}

async fn is_well(served: &Served) -> bool {
    let question = json!({ "robots": "", "agents": ["a"], "urls": ["/"] });
    ask(served, "/v1/check", &question).await.status.is_success()
}

/// Polls the metrics as the second caller until `is_wanted` returns true for a metric.
async fn until_metric(served: &Served, name: &str, is_wanted: impl Fn(u64) -> bool) {
    loop {
        let request = served.request(Method::GET, "/metrics");
        let request = request.header("authorization", format!("Bearer {}", TOKENS[1]));
        let reply = served.send(request.body(Full::default()).unwrap()).await;
        let text = String::from_utf8(reply.body.to_vec()).unwrap();
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        if is_wanted(value.unwrap().parse().unwrap()) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Sends the head of a request with `fields`, and then `body`, as the first caller. Returns the connection.
async fn greedy(served: &Served, path: &str, fields: &str, body: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(32 << 10).unwrap();
    let mut stream = socket.connect(served.address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n{fields}\r\n\r\n",
        TOKENS[0]
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
    stream
}

const BATCH: &str = "content-type: application/x-ndjson\r\ncontent-length: 100000";

#[tokio::test]
async fn slow_batches_of_one_token_do_not_block_others() {
    let served = serve(builder(&[]), options().requests(8)).await;
    let question = "{\"agents\":[\"a\"],\"robots\":\"\"}\n\"/1\"\n";
    let mut batches = Vec::new();
    for _ in 0..20 {
        batches.push(greedy(&served, "/v1/check", BATCH, question).await);
    }
    until_metric(&served, "comity_requests_refused_total{reason=\"requests\"}", |refused| refused == 16)
        .await;
    assert!(is_well(&served).await);
    for path in ["/healthz", "/readyz"] {
        assert_eq!(served.get(path).await.status, 200, "{path}");
    }
    let mut answered = 0;
    for mut batch in batches {
        let mut status = [0; 12];
        batch.read_exact(&mut status).await.unwrap();
        answered += usize::from(&status == b"HTTP/1.1 200");
    }
    assert_eq!(answered, 4);
    until_metric(&served, "comity_requests_under_way", |under_way| under_way == 0).await;
}

#[tokio::test]
async fn head_without_body_is_not_counted_as_in_flight() {
    let served = serve(builder(&[]), options().requests(2)).await;
    let mut heads = Vec::new();
    for _ in 0..10 {
        heads.push(greedy(&served, "/v1/check", BATCH, "").await);
    }
    until_metric(&served, "comity_requests_waiting", |waiting| waiting == 10).await;
    assert!(is_well(&served).await);
    drop(heads);
    until_metric(&served, "comity_requests_waiting", |waiting| waiting == 0).await;
}

#[tokio::test]
async fn health_routes_answer_without_free_permits() {
    let served = serve(builder(&[]), options().requests(0)).await;
    for path in ["/healthz", "/readyz"] {
        assert_eq!(served.get(path).await.status, 200, "{path}");
    }
    let reply = ask(&served, "/v1/lint", &json!({ "robots": "" })).await;
    reply.problem(503, "busy");
    assert_eq!(reply.headers["retry-after"], "1");
}

#[tokio::test]
async fn trickled_batch_times_out() {
    let options = options().body_timeout(Duration::from_millis(300));
    let served = serve(builder(&[]), options).await;
    let question = "{\"agents\":[\"a\"],\"robots\":\"\"}\n";
    for trickled in ["x", "\n"] {
        let stream = greedy(&served, "/v1/check", BATCH, question).await;
        let (mut reader, mut writer) = stream.into_split();
        let writing = tokio::spawn(async move {
            while writer.write_all(trickled.as_bytes()).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        let mut reply = Vec::new();
        let _ = reader.read_to_end(&mut reply).await;
        writing.abort();
        let reply = String::from_utf8_lossy(&reply);
        assert!(reply.contains("slow_body"), "{reply}");
    }
}

/// Each HTTP/2 stream has its own flow-control window.
#[tokio::test]
async fn unread_stream_of_http2_is_closed() {
    let options = options().gateway(true).write_timeout(Duration::from_millis(400));
    let served = serve(builder(&[]), options).await;
    let stream = TcpStream::connect(served.address).await.unwrap();
    let builder = hyper::client::conn::http2::Builder::new(hyper_util::rt::TokioExecutor::new());
    let (mut sender, connection) = builder.handshake(hyper_util::rt::TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let agents: Vec<String> = (0..100).map(|number| format!("bot{number}")).collect();
    let urls = vec![format!("/{}", "x".repeat(1_000)); 100];
    let question = json!({ "robots": "", "agents": agents, "urls": urls }).to_string();
    let request = http::Request::post(format!("http://{}/v1/check", served.address))
        .header("content-type", "application/json")
        .header("authorization", format!("Bearer {}", TOKENS[0]));
    let unread =
        sender.send_request(request.body(Full::<bytes::Bytes>::from(question)).unwrap()).await.unwrap();
    assert_eq!(unread.status(), 200);
    until_metric(&served, "comity_requests_under_way", |under_way| under_way == 0).await;
    drop(unread);
}

#[tokio::test]
async fn unread_answers_are_bounded_and_others_are_served() {
    let served = serve(builder(&[]), options().answer_bytes(40 << 20)).await;
    let agents: Vec<String> = (0..100).map(|number| format!("bot{number}")).collect();
    let urls = vec![format!("/{}", "x".repeat(900)); 100];
    let question = json!({ "robots": "", "agents": agents, "urls": urls });
    let text = question.to_string();
    let fields =
        format!("connection: close\r\ncontent-type: application/json\r\ncontent-length: {}", text.len());
    let mut refused = None;
    let mut deaf = Vec::new();
    // An answer has 12 MB, and a single caller can use half of 40 MiB.
    while refused.is_none() && deaf.len() < 4 {
        let mut stream = greedy(&served, "/v1/check", &fields, &text).await;
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.unwrap();
        if &status == b"HTTP/1.1 503" {
            refused = Some(stream);
        } else {
            deaf.push(stream);
        }
    }
    let mut reply = String::new();
    refused.unwrap().read_to_string(&mut reply).await.unwrap();
    assert!(reply.contains("retry-after: 1") && reply.contains("/busy"), "{reply}");
    let rows = ask(&served, "/v1/check", &question).await.json();
    assert_eq!(rows["rows"].as_array().unwrap().len(), 10_000);
    until_metric(&served, "comity_requests_refused_total{reason=\"bytes\"}", |refused| refused == 1).await;
    drop(deaf);
    until_metric(&served, "comity_answer_bytes", |bytes| bytes == 0).await;
}

#[tokio::test]
async fn slow_pages_of_one_assistant_delay_no_other() {
    let (slow, fast) = (Origin::start(), Origin::start());
    slow.otherwise(Reply::hang()).on("/robots.txt", Reply::ok(""));
    fast.on("/robots.txt", Reply::ok("")).on("/", Reply::html("<p>quick</p>"));
    let served = serve(builder(&[&slow, &fast]), options().mcp(true)).await;
    let call = |url: String| {
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "fetch", "arguments": { "url": url }, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            },
        }})
    };
    let modern = "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: fetch";
    let mut waiting = Vec::new();
    for number in 0..32 {
        let text = call(slow.url(&format!("/{number}"))).to_string();
        let fields = format!(
            "{modern}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\ncontent-length: {}",
            text.len()
        );
        waiting.push(greedy(&served, "/mcp", &fields, &text).await);
    }
    until_metric(&served, "comity_requests_under_way", |under_way| under_way == 32).await;
    while slow.max_concurrent_of_all() == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let request = served
        .request(Method::POST, "/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "fetch")
        .header("authorization", format!("Bearer {}", TOKENS[1]));
    let reply = served.send(request.body(Full::from(call(fast.url("/")).to_string())).unwrap()).await.json();
    assert_eq!(reply["result"]["structuredContent"]["answer"]["status"], 200, "{reply}");
    assert!(waiting.iter().all(|stream| stream.try_read(&mut [0]).is_err()), "the first calls still wait");
    assert!(slow.max_concurrent_of_all() <= 4, "{}", slow.max_concurrent_of_all());
}
