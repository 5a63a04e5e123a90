//! The clients of the service. Each has one connection, over which it sends one request at a time.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request as bytes of HTTP.
#[derive(Clone)]
pub(crate) struct Request {
    bytes: Vec<u8>,
}

impl Request {
    pub(crate) fn json(path: &str, question: &Value) -> Request {
        Request::new(path, "application/json", &question.to_string())
    }

    pub(crate) fn lines(path: &str, lines: &str) -> Request {
        Request::new(path, "application/x-ndjson", lines)
    }

    fn new(path: &str, media_type: &str, body: &str) -> Request {
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\n\r\n"
        );
        Request { bytes: [head.as_bytes(), body.as_bytes()].concat() }
    }

    /// Sends the request on a new connection, and returns the body of the answer.
    pub(crate) async fn ask(&self, address: SocketAddr) -> Vec<u8> {
        let (mut read, mut write) = connect(address).await.into_split();
        let bytes = self.bytes.clone();
        // The answer to a batch begins before the whole request is sent, so a separate task sends the request.
        let writing = tokio::spawn(async move {
            write.write_all(&bytes).await.expect("the question is read");
            write
        });
        let mut answer = Answer::default();
        answer.read(&mut read).await;
        drop(writing.await);
        answer.body
    }
}

async fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).await.expect("a connection");
    stream.set_nodelay(true).expect("an option");
    stream
}

/// Sends one request `requests` times, over several connections. Returns the latency of each answer.
pub(crate) async fn waits(
    address: SocketAddr,
    request: &Request,
    connections: usize,
    requests: usize,
) -> Vec<Duration> {
    each(address, std::slice::from_ref(request), connections, requests).await
}

/// Sends `requests` requests from a list, over several connections. Returns the latency of each answer.
pub(crate) async fn each(
    address: SocketAddr,
    questions: &[Request],
    connections: usize,
    requests: usize,
) -> Vec<Duration> {
    let tasks: Vec<_> = (0..connections)
        .map(|connection| {
            let questions = questions.to_vec();
            let turns = requests / connections;
            tokio::spawn(async move {
                let mut stream = connect(address).await;
                let mut waits = Vec::with_capacity(turns);
                let mut answer = Answer::default();
                for turn in 0..turns {
                    let Some(question) = questions.get((turn * connections + connection) % questions.len())
                    else {
                        break;
                    };
                    let begin = Instant::now();
                    stream.write_all(&question.bytes).await.expect("the question is read");
                    answer.read(&mut stream).await;
                    waits.push(begin.elapsed());
                }
                waits
            })
        })
        .collect();
    let mut waits = Vec::with_capacity(requests);
    for task in tasks {
        waits.extend(task.await.expect("answers"));
    }
    waits
}

/// A received answer.
#[derive(Default)]
struct Answer {
    bytes: Vec<u8>,
    body: Vec<u8>,
}

impl Answer {
    /// Reads an answer with a length or in chunks, and asserts its status.
    async fn read(&mut self, stream: &mut (impl AsyncReadExt + Unpin)) {
        self.bytes.clear();
        self.body.clear();
        let end = loop {
            self.more(stream).await;
            if let Some(end) = self.bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
        };
        let head = String::from_utf8_lossy(&self.bytes[..end]).to_ascii_lowercase();
        assert!(head.starts_with("http/1.1 200 "), "{head}");
        let length =
            head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        match length {
            Some(length) => {
                while self.bytes.len() < end + length {
                    self.more(stream).await;
                }
                self.body.extend_from_slice(&self.bytes[end..]);
            }
            None => self.chunks(stream, end).await,
        }
    }

    async fn chunks(&mut self, stream: &mut (impl AsyncReadExt + Unpin), mut at: usize) {
        loop {
            let line = loop {
                match self.bytes[at..].iter().position(|byte| *byte == b'\n') {
                    Some(line) => break at + line + 1,
                    None => self.more(stream).await,
                }
            };
            let size = String::from_utf8_lossy(&self.bytes[at..line]);
            let size = usize::from_str_radix(size.trim(), 16).expect("the size of a chunk");
            let end = line + size + 2;
            while self.bytes.len() < end {
                self.more(stream).await;
            }
            if size == 0 {
                return;
            }
            self.body.extend_from_slice(&self.bytes[line..line + size]);
            self.bytes.drain(..end);
            at = 0;
        }
    }

    async fn more(&mut self, stream: &mut (impl AsyncReadExt + Unpin)) {
        self.bytes.reserve(64 << 10);
        let read = stream.read_buf(&mut self.bytes).await.expect("an answer");
        assert!(read > 0, "the answer ends early");
    }
}
