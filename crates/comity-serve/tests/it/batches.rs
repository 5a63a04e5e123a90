//! Batches of any size: rows arrive in order, and memory stays bounded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http_body_util::BodyExt;
use serde_json::{Value, json};
use testkit::servers::{Origin, Reply};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::{body, builder, serve, serving, usual_options};

#[tokio::test]
async fn batch_rows_are_in_the_order_of_the_lines() {
    let slow = Origin::start();
    slow.on(
        "/robots.txt",
        Reply::delay(Duration::from_millis(300), Reply::ok("User-agent: *\nDisallow: /\n")),
    );
    let quick = Origin::start();
    quick.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /x\n"));
    let served = serving(&[&slow, &quick]).await;
    let urls = [slow.url("/1"), quick.url("/2"), quick.url("/x"), "nonsense".to_owned(), slow.url("/5")];
    let lines: String = urls.iter().map(|url| json!(url).to_string() + "\n").collect();
    let question = json!({ "agents": ["a", "b"] }).to_string();
    let rows = served.batch("/v1/check", &format!("{question}\n\n{lines}")).await.lines();
    let expected: Vec<&String> = urls.iter().flat_map(|url| [url, url]).collect();
    assert_eq!(rows.iter().map(|row| row["url"].as_str().unwrap()).collect::<Vec<_>>(), expected);
    let allowed: Vec<_> = rows.iter().map(|row| row["allowed"].as_bool().unwrap()).collect();
    assert_eq!(allowed, [false, false, true, true, false, false, false, false, false, false]);
}

#[tokio::test]
async fn further_question_applies_to_later_lines_and_invalid_line_has_a_row() {
    let served = serving(&[]).await;
    let first =
        json!({ "agents": ["a"], "robots": "User-agent: *\nDisallow: /\n", "urls": ["/0"] }).to_string();
    let other = json!({ "agents": ["b"], "robots": "" }).to_string();
    let long = json!("/".repeat(9_000)).to_string();
    let batch = format!("{first}\r\n\"/1\"\nnot JSON\n[1]\n{long}\n{other}\n\"/2\"");
    let rows = served.batch("/v1/check", &batch).await.lines();
    let found: Vec<(&str, bool, bool)> = rows
        .iter()
        .map(|row| {
            (row["agent"].as_str().unwrap(), row["allowed"].as_bool().unwrap(), row["error"].is_string())
        })
        .collect();
    let (refused, wrong) = (("a", false, false), ("a", false, true));
    assert_eq!(found, [refused, refused, wrong, wrong, wrong, ("b", true, false)]);
    assert!(rows[2]["error"].as_str().unwrap().starts_with("line 3: "), "{}", rows[2]);
}

#[tokio::test]
async fn unreadable_question_ends_the_batch_with_a_problem() {
    let served = serving(&[]).await;
    for first in ["", "\n", "\"/1\"\n", "{}\n", "{\"agents\":[\"a\"],\"robot\":\"\"}\n"] {
        served.batch("/v1/check", first).await.problem(400, "bad_question");
    }
    let question = json!({ "agents": ["a"], "robots": "" }).to_string();
    let rows =
        served.batch("/v1/check", &format!("{question}\n\"/1\"\n{{\"agents\":[]}}\n\"/2\"\n")).await.lines();
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(rows[1]["type"], "/openapi.json#/x-problems/bad_question");
}

#[tokio::test]
async fn explain_and_usage_accept_batches() {
    let served = serving(&[]).await;
    let question =
        json!({ "agents": ["a"], "robots": "User-agent: *\nDisallow: /x\nContent-Signal: search=no\n" });
    for path in ["/v1/explain", "/v1/usage"] {
        let rows = served.batch(path, &format!("{question}\n\"/x\"\n\"/y\"\n")).await.lines();
        assert_eq!(rows.iter().map(|row| row["url"].clone()).collect::<Vec<_>>(), ["/x", "/y"], "{path}");
    }
}

#[tokio::test]
async fn rows_are_limited_in_answers_and_not_in_batches() {
    let served = serve(builder(&[]), usual_options().rows(10)).await;
    let question = |urls: usize| json!({ "agents": ["a", "b"], "robots": "", "urls": vec!["/x"; urls] });
    assert_eq!(served.post("/v1/check", &question(5)).await.json()["rows"].as_array().unwrap().len(), 10);
    served.post("/v1/check", &question(6)).await.problem(413, "too_large");
    let lines = served.batch("/v1/check", &question(3_000).to_string()).await.lines();
    assert_eq!(lines.len(), 6_000);
}

/// While the caller does not read rows, the service stops reading the body when its buffers are full.
#[tokio::test]
async fn unread_rows_stop_reading_of_the_batch() {
    let served = serving(&[]).await;
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    let head = format!(
        "POST /v1/check HTTP/1.1\r\nhost: {}\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n",
        served.address
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let question = json!({ "agents": ["a"], "robots": "User-agent: *\nDisallow: /x\n" }).to_string() + "\n";
    stream.write_all(format!("{:x}\r\n{question}\r\n", question.len()).as_bytes()).await.unwrap();
    // With long paths, few rows fill the buffers of the operating system.
    const ROWS: usize = 500;
    let lines = format!("\"/{}\"\n", "long/".repeat(26)).repeat(ROWS);
    let chunk = format!("{:x}\r\n{lines}\r\n", lines.len());
    let taken = Arc::new(AtomicUsize::new(0));
    let (mut reader, mut writer) = stream.into_split();
    let counted = Arc::clone(&taken);
    const CHUNKS: usize = 200;
    let writing = tokio::spawn(async move {
        for _ in 0..CHUNKS {
            writer.write_all(chunk.as_bytes()).await.unwrap();
            counted.fetch_add(1, Ordering::Relaxed);
        }
        writer.write_all(b"0\r\n\r\n").await.unwrap();
        writer
    });
    // Waits until the writer stops, because all buffers are full.
    let mut before = usize::MAX;
    while before != taken.load(Ordering::Relaxed) {
        before = taken.load(Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    assert!(before < CHUNKS, "{before} of {CHUNKS} pieces were taken although the answer is not read");
    let mut rows = 0_usize;
    let mut buffer = vec![0; 1 << 20];
    let expected = CHUNKS * ROWS;
    while rows < expected {
        let read = reader.read(&mut buffer).await.unwrap();
        assert_ne!(read, 0, "the answer ended after {rows} rows");
        rows += buffer[..read]
            .windows(7)
            .filter(|window| window == b"\n{\"url\"" || window == b"\n\r\n{\"u")
            .count();
        // The count is approximate, because a read may split the searched bytes.
        if taken.load(Ordering::Relaxed) == CHUNKS && read < buffer.len() && rows + 1_000 > expected {
            break;
        }
    }
    drop(writing.await.unwrap());
}

#[tokio::test]
async fn batch_rows_are_sent_before_the_batch_ends() {
    let served = serving(&[]).await;
    let (sender, body) = body();
    let stream = TcpStream::connect(served.address).await.unwrap();
    let (mut connection, driver) =
        hyper::client::conn::http1::handshake(hyper_util::rt::TokioIo::new(stream)).await.unwrap();
    tokio::spawn(driver);
    let say = |text: String| sender.send(text).unwrap();
    say(json!({ "agents": ["a"], "robots": "" }).to_string() + "\n\"/first\"\n");
    let request =
        served.request(http::Method::POST, "/v1/check").header("content-type", "application/x-ndjson");
    let mut answer = connection.send_request(request.body(body).unwrap()).await.unwrap().into_body();
    for path in ["/first", "/second", "/third"] {
        if path != "/first" {
            say(format!("\"{path}\"\n"));
        }
        let frame = answer.frame().await.unwrap().unwrap().into_data().unwrap();
        let row: Value = serde_json::from_slice(&frame).unwrap();
        assert_eq!(row["url"], path);
    }
    drop(sender);
    assert!(answer.frame().await.is_none());
}
