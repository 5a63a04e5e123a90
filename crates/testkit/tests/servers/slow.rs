//! Slow replies, and the log of an origin while it sends them.

use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use testkit::PATIENCE;
use testkit::servers::{Origin, Reply};
use tokio::time::timeout;

use crate::raw::{ask, connect, parts, request};

#[tokio::test]
async fn hanging_origin_sends_nothing_and_detects_the_disconnect() {
    let origin = Origin::start();
    origin.on("/x", Reply::hang());
    let mut stream = connect(origin.address());
    stream.set_read_timeout(Some(Duration::from_millis(100))).expect("a time-out");
    stream.write_all(request("/x", "").as_bytes()).expect("sent");
    timeout(PATIENCE, origin.until_requested("/x", 1)).await.expect("a request");
    let silence = stream.read(&mut [0]).expect_err("nothing comes").kind();
    assert!(matches!(silence, ErrorKind::WouldBlock | ErrorKind::TimedOut), "{silence}");
    assert_eq!((origin.ongoing("/x"), origin.sent("/x")), (1, 0));
    drop(stream);
    timeout(PATIENCE, origin.until_idle("/x")).await.expect("idle");
}

#[test]
fn delayed_answer_arrives_later() {
    let origin = Origin::start();
    let delay = Duration::from_millis(120);
    origin.on("/x", Reply::delay(delay, Reply::ok("late")));
    let start = Instant::now();
    assert!(ask(&origin, "/x").ends_with("late"));
    assert!(start.elapsed() >= delay);
}

#[test]
fn body_is_sent_in_pieces() {
    let origin = Origin::start();
    let interval = Duration::from_millis(30);
    origin.on("/x", Reply::slow_drip("0123456789", 3, interval));
    let start = Instant::now();
    let heard = ask(&origin, "/x");
    assert!(heard.ends_with("Content-Length: 10\r\n\r\n0123456789"), "{heard}");
    assert!(start.elapsed() >= interval * 3, "four pieces, three pauses");
}

#[test]
fn header_is_sent_byte_by_byte() {
    let origin = Origin::start();
    let interval = Duration::from_millis(1);
    origin.on("/x", Reply::slow_header("body", interval));
    let start = Instant::now();
    let heard = ask(&origin, "/x");
    assert!(heard.starts_with("HTTP/1.1 200 OK\r\n") && heard.ends_with("\r\n\r\nbody"));
    let bytes = heard.len() - "body".len();
    assert!(start.elapsed() >= interval * (bytes as u32 - 1));
}

#[tokio::test]
async fn endless_body_ends_when_the_client_leaves() {
    let origin = Origin::start();
    origin.on("/x", Reply::endless());
    let mut stream = connect(origin.address());
    stream.write_all(request("/x", "").as_bytes()).expect("sent");
    let mut heard = vec![0; 30_000_000];
    stream.read_exact(&mut heard).expect("an endless body");
    let (head, body) = parts(&heard);
    assert!(head.contains("chunked") && body.starts_with(b"2000\r\n# and so on"));
    assert!(origin.sent("/x") >= heard.len() as u64 && origin.ongoing("/x") == 1);
    drop(stream);
    timeout(PATIENCE, origin.until_idle("/x")).await.expect("idle");
}

#[tokio::test]
async fn concurrent_requests_are_counted_exactly() {
    let origin = Origin::start();
    origin.on("/slow", Reply::delay(Duration::from_millis(200), Reply::ok("")));
    let clients: Vec<_> = (0..5)
        .map(|_| {
            let mut stream = connect(origin.address());
            stream.write_all(request("/slow", "").as_bytes()).expect("sent");
            stream
        })
        .collect();
    timeout(PATIENCE, origin.until_requested("/slow", 5)).await.expect("all requests");
    for stream in clients {
        crate::raw::listen(stream).1.expect("in order");
    }
    assert_eq!((origin.max_concurrent("/slow"), origin.max_concurrent_of_all()), (5, 5));
    assert_eq!((origin.connections(), origin.ongoing("/slow")), (5, 0));

    // Sequential requests over new connections are never concurrent: the origin ends a request before the client reads
    // the last byte of the answer.
    origin.on("/fast", Reply::ok("body"));
    for _ in 0..200 {
        let mut stream = connect(origin.address());
        stream.write_all(b"GET /fast HTTP/1.1\r\n\r\n").expect("sent");
        let mut heard = Vec::new();
        while !heard.ends_with(b"\r\n\r\nbody") {
            let mut piece = [0; 512];
            let read = stream.read(&mut piece).expect("more");
            heard.extend_from_slice(&piece[..read]);
        }
    }
    assert_eq!(origin.max_concurrent("/fast"), 1);
}
