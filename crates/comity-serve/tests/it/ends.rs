//! Shutdown: requests on accepted connections are answered, and the grace period is bounded.

use std::time::Duration;

use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use testkit::servers::{Origin, Reply};
use tokio::net::TcpStream;

use crate::{body, builder, connect, serve, serving, usual_options};

#[tokio::test]
async fn shutdown_answers_requests_in_flight_and_refuses_new_ones() {
    let site = Origin::start();
    site.on(
        "/robots.txt",
        Reply::delay(Duration::from_millis(700), Reply::ok("User-agent: *\nDisallow: /\n")),
    );
    let served = serving(&[&site]).await;
    let address = served.address;
    let request = served.request(http::Method::POST, "/v1/check").header("content-type", "application/json");
    let question = json!({ "agents": ["a"], "urls": [site.url("/")] }).to_string();
    let request = request.body(Full::from(question)).unwrap();
    let asking = tokio::spawn(async move { crate::send(&mut connect(address).await, request).await });
    let _idle = TcpStream::connect(address).await.unwrap();
    site.until_requested("/robots.txt", 1).await;
    let stopping = tokio::spawn(served.stop());
    let reply = asking.await.unwrap();
    assert_eq!(reply.json()["rows"][0]["allowed"], false);
    assert_eq!(reply.headers["connection"], "close");
    drop(_idle);
    assert_eq!(stopping.await.unwrap(), 0);
    assert!(TcpStream::connect(address).await.is_err(), "the listener is closed");
}

#[tokio::test]
async fn shutdown_waits_for_the_end_of_a_batch() {
    let served = serving(&[]).await;
    let (sender, body) = body();
    let stream = TcpStream::connect(served.address).await.unwrap();
    let (mut connection, driver) =
        hyper::client::conn::http1::handshake(hyper_util::rt::TokioIo::new(stream)).await.unwrap();
    tokio::spawn(driver);
    let say = |text: String| sender.send(text).unwrap();
    say(json!({ "agents": ["a"], "robots": "" }).to_string() + "\n\"/1\"\n");
    let request =
        served.request(http::Method::POST, "/v1/check").header("content-type", "application/x-ndjson");
    let mut answer = connection.send_request(request.body(body).unwrap()).await.unwrap().into_body();
    let row = async |answer: &mut hyper::body::Incoming| -> Value {
        let frame = answer.frame().await.unwrap().unwrap().into_data().unwrap();
        serde_json::from_slice(&frame).unwrap()
    };
    assert_eq!(row(&mut answer).await["url"], "/1");
    let stopping = tokio::spawn(served.stop());
    tokio::time::sleep(Duration::from_millis(100)).await;
    say("\"/2\"\n".to_owned());
    assert_eq!(row(&mut answer).await["url"], "/2");
    drop(sender);
    assert!(answer.frame().await.is_none());
    assert_eq!(stopping.await.unwrap(), 0);
}

#[tokio::test]
async fn connection_past_the_grace_period_is_closed() {
    let options = usual_options().grace(Duration::from_millis(300));
    let served = serve(builder(&[]), options).await;
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    let head = "POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n";
    tokio::io::AsyncWriteExt::write_all(&mut stream, head.as_bytes()).await.unwrap();
    // Waits until the head was read.
    while !String::from_utf8_lossy(&served.get("/metrics").await.body).contains("comity_connections 2") {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(served.stop().await, 1);
}

#[tokio::test]
async fn blocked_logger_delays_neither_answers_nor_shutdown() {
    let (called, is_called) = std::sync::mpsc::channel();
    let (_never, released) = std::sync::mpsc::channel::<()>();
    let released = std::sync::Mutex::new(released);
    let logger = move |request: &comity_serve::RequestLog<'_>| {
        let _ = called.send(request.method.to_owned());
        let _ = released.lock().unwrap().recv();
    };
    let options = usual_options().log(Some(std::sync::Arc::new(logger)));
    let served = serve(builder(&[]), options).await;
    let long = http::Method::from_bytes(&[b'X'; 1_000]).unwrap();
    served
        .send(served.request(long, "/healthz").body(Full::default()).unwrap())
        .await
        .problem(405, "wrong_method");
    let logged = tokio::task::spawn_blocking(move || is_called.recv().unwrap()).await.unwrap();
    assert_eq!(logged, "X".repeat(32));
    for _ in 0..3 {
        assert_eq!(served.get("/healthz").await.status, 200);
    }
    assert_eq!(served.stop().await, 0);
}

/// For each connection, the caller gets the whole answer, or the service closes the connection before it reads the
/// request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_accepted_request_is_lost_under_load() {
    let served = serving(&[]).await;
    let address = served.address;
    let question =
        json!({ "robots": "User-agent: *\nDisallow: /x\n", "agents": ["a"], "urls": ["/x"] }).to_string();
    let (counter, mut count) = tokio::sync::watch::channel(0_usize);
    let callers: Vec<_> = (0..20)
        .map(|_| {
            let (question, counter) = (question.clone(), counter.clone());
            tokio::spawn(async move {
                loop {
                    // Each request has its own connection. The operating system may establish it before the service
                    // accepts it.
                    let Ok(mut stream) = TcpStream::connect(address).await else { return Ok(()) };
                    let request = format!(
                        "POST /v1/check HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
                         content-length: {}\r\n\r\n{question}",
                        question.len()
                    );
                    let mut reply = Vec::new();
                    let sent = tokio::io::AsyncWriteExt::write_all(&mut stream, request.as_bytes()).await;
                    let read = tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut reply).await;
                    match (sent, read) {
                        (Ok(()), Ok(_)) if reply.starts_with(b"HTTP/1.1 200 ") && reply.ends_with(b"]}") => {
                            counter.send_modify(|count| *count += 1);
                        }
                        // The listener was closed between the handshake and the request, so nothing was read.
                        _ if reply.is_empty() => return Ok(()),
                        _ => return Err(String::from_utf8_lossy(&reply).into_owned()),
                    }
                }
            })
        })
        .collect();
    count.wait_for(|count| *count > 100).await.unwrap();
    assert_eq!(served.stop().await, 0);
    for caller in callers {
        caller.await.unwrap().expect("whole answers");
    }
}
