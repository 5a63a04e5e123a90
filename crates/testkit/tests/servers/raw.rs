//! A client with sockets and almost no HTTP.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};

use testkit::servers::Origin;

/// A connection that fails if no byte arrives for too long.
pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("somebody listens");
    stream.set_read_timeout(Some(testkit::PATIENCE)).expect("a time-out");
    stream
}

/// A request that ends the connection, with further header lines.
pub(crate) fn request(path: &str, more: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: origin.test\r\nConnection: close\r\n{more}\r\n")
}

/// Returns everything that an origin sends, and the end of the connection.
pub(crate) fn listen(mut stream: impl Read) -> (Vec<u8>, io::Result<()>) {
    let mut heard = Vec::new();
    let end = stream.read_to_end(&mut heard).map(drop);
    (heard, end)
}

/// Sends one request and reads to the end, with further header lines.
pub(crate) fn ask_with(origin: &Origin, path: &str, more: &str) -> (Vec<u8>, io::Result<()>) {
    let mut stream = connect(origin.address());
    stream.write_all(request(path, more).as_bytes()).expect("it reads");
    listen(stream)
}

/// Sends one request; returns the answer in order and as text.
pub(crate) fn ask(origin: &Origin, path: &str) -> String {
    let (heard, end) = ask_with(origin, path, "");
    end.expect("the connection ends in order");
    String::from_utf8(heard).expect("an answer in UTF-8")
}

/// The header with its empty line, and the rest.
pub(crate) fn parts(answer: &[u8]) -> (&str, &[u8]) {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("the end of the header") + 4;
    (std::str::from_utf8(&answer[..end]).expect("a header in UTF-8"), &answer[end..])
}

/// Returns a body from its chunks, and true if the last one arrived.
pub(crate) fn unchunk(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&rest[..end]).expect("a size");
        let Ok(size) = usize::from_str_radix(size, 16) else { break };
        let Some(chunk) = rest.get(end + 2..end + 4 + size) else { break };
        assert!(chunk.ends_with(b"\r\n"), "a chunk ends with its line");
        if size == 0 {
            return (body, true);
        }
        body.extend_from_slice(&chunk[..size]);
        rest = &rest[end + 4 + size..];
    }
    (body, false)
}
