//! A client for tests that sends and receives bytes, with almost no knowledge of HTTP.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};

use testkit::servers::Origin;

/// Opens a connection whose reads time out.
pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a listener");
    stream.set_read_timeout(Some(testkit::PATIENCE)).expect("a time-out");
    stream
}

/// Returns a request with `Connection: close` and further header lines.
pub(crate) fn request(path: &str, more: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: origin.test\r\nConnection: close\r\n{more}\r\n")
}

/// Returns all bytes that an origin sends, and the result of the last read.
pub(crate) fn listen(mut stream: impl Read) -> (Vec<u8>, io::Result<()>) {
    let mut heard = Vec::new();
    let end = stream.read_to_end(&mut heard).map(drop);
    (heard, end)
}

/// Sends one request with further header lines, and reads until the end of the connection.
pub(crate) fn ask_with(origin: &Origin, path: &str, more: &str) -> (Vec<u8>, io::Result<()>) {
    let mut stream = connect(origin.address());
    stream.write_all(request(path, more).as_bytes()).expect("sent");
    listen(stream)
}

/// Sends one request and returns the answer as text.
pub(crate) fn ask(origin: &Origin, path: &str) -> String {
    let (heard, end) = ask_with(origin, path, "");
    end.expect("the connection ends in order");
    String::from_utf8(heard).expect("an answer in UTF-8")
}

/// Splits an answer into its head, with the empty line, and the rest.
pub(crate) fn parts(answer: &[u8]) -> (&str, &[u8]) {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("the end of the header") + 4;
    (std::str::from_utf8(&answer[..end]).expect("a header in UTF-8"), &answer[end..])
}

/// Returns the body in complete chunks, and true if the last chunk was received.
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
