//! The replies of an origin, correct and faulty. Each has a constructor.
//!
//! A reply consists of a head, a body and a *manner*, which is the way in which head and body are sent. `wire.rs`
//! implements the manners. Replies that depend on the request are in `script.rs`.

use std::fmt::Write;
use std::io::Write as _;
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;

/// A reply. Its header fields are `Content-Type`, the fields that frame the body, and the fields that were set.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) body: Vec<u8>,
    pub(super) delay: Duration,
    pub(super) manner: Manner,
}

/// The way in which a reply is sent.
#[derive(Clone, Debug)]
pub(super) enum Manner {
    /// Sends the whole reply at once, with `Content-Length`.
    Whole,
    /// Sends the body in chunks with this number of bytes.
    Chunked(usize),
    /// Sends no length: the end of the connection is the end of the body.
    UntilClose,
    /// Sends the body in pieces of `bytes`, with a pause between them.
    Drip { bytes: usize, interval: Duration },
    /// Sends the head byte by byte, then the body at once.
    DripHeader { interval: Duration },
    /// Sends the body again and again, in chunks.
    Endless,
    /// Sends this number of equal bytes, which are compressed during sending.
    Bomb(u64),
    /// Sends two chunks. The second lacks its last byte.
    CutChunk,
    /// Sends two chunks. The length of the second is invalid.
    BadChunk,
    /// Sends a `Content-Length` that exceeds the length of the body by this number of bytes.
    Short(usize),
    /// Sends only the body, which contains the head.
    Raw,
    /// Sends head and body, then a TCP reset, although `Content-Length` is larger.
    ResetMidway,
    /// Sends a TCP reset instead of an answer.
    Reset,
    /// Closes the connection without an answer.
    Close,
    /// Sends nothing until the client disconnects.
    Hang,
}

/// Correct replies.
impl Reply {
    /// Creates a 200 with plain text in UTF-8.
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Reply::text(200, body)
    }

    /// Creates a 200 with HTML in UTF-8.
    pub fn html(body: impl Into<Vec<u8>>) -> Self {
        Reply::ok(body).header("Content-Type", "text/html; charset=utf-8")
    }

    /// Creates a reply with any status, and a line of text as its body.
    pub fn status(status: u16) -> Self {
        Reply::text(status, format!("{status} {}\n", reason(status)))
    }

    /// Creates a reply with any status, usually 429 or 503, and `Retry-After` in seconds.
    pub fn retry_after(status: u16, seconds: u64) -> Self {
        Reply::status(status).header("Retry-After", seconds.to_string())
    }

    /// Creates a reply with any status, and `Retry-After` as a date.
    pub fn retry_after_date(status: u16, date: SystemTime) -> Self {
        Reply::status(status).header("Retry-After", httpdate::fmt_http_date(date))
    }

    /// Creates a redirect with the status 301, 302, 303, 307 or 308. `location` is sent unchanged.
    pub fn redirect(status: u16, location: &str) -> Self {
        Reply::status(status).header("Location", location)
    }

    /// Creates a 200 with a body that is compressed with gzip.
    pub fn gzip(body: impl AsRef<[u8]>) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let packed = encoder.write_all(body.as_ref()).and_then(|()| encoder.finish());
        Reply::ok(packed.expect("gzip in memory")).header("Content-Encoding", "gzip")
    }

    /// Creates a 200 whose body is sent in chunks of this number of bytes.
    pub fn chunked(body: impl Into<Vec<u8>>, bytes: usize) -> Self {
        Reply::ok(body).in_manner(Manner::Chunked(bytes.max(1)))
    }

    /// Creates a 200 without a length, as in HTTP/1.0: the end of the connection is the end of the body.
    pub fn until_close(body: impl Into<Vec<u8>>) -> Self {
        Reply::ok(body).in_manner(Manner::UntilClose)
    }
}

/// Redirects that a client must refuse.
impl Reply {
    /// Creates a redirect to a file on the machine of the client.
    pub fn redirect_to_file() -> Self {
        Reply::redirect(302, "file:///etc/passwd")
    }
}

/// Replies that are slow or too long.
impl Reply {
    /// Creates a reply that sends nothing until the client disconnects.
    pub fn hang() -> Self {
        Reply::text(0, "").in_manner(Manner::Hang)
    }

    /// Returns `reply` with a delay before it is sent.
    pub fn delay(delay: Duration, reply: Reply) -> Self {
        Reply { delay, ..reply }
    }

    /// Creates a 200 whose body is sent in pieces of `bytes`, with a pause of `interval` between them.
    pub fn slow_drip(body: impl Into<Vec<u8>>, bytes: usize, interval: Duration) -> Self {
        Reply::ok(body).in_manner(Manner::Drip { bytes: bytes.max(1), interval })
    }

    /// Creates a 200 whose head is sent byte by byte, with a pause of `interval` between the bytes, and then the body
    /// at once.
    pub fn slow_header(body: impl Into<Vec<u8>>, interval: Duration) -> Self {
        Reply::ok(body).in_manner(Manner::DripHeader { interval })
    }

    /// Creates a 200 with an endless body of comment lines, which are sent as fast as the client reads.
    pub fn endless() -> Self {
        Reply::ok("# and so on and so on and so on and so on and so on and so on..\n".repeat(128))
            .in_manner(Manner::Endless)
    }

    /// Creates a 200 in gzip that decompresses to this number of `#` characters. Its compressed size is about a
    /// thousandth. The body is compressed during sending, so it needs little memory.
    pub fn gzip_bomb(decompressed_bytes: u64) -> Self {
        Reply::ok("").header("Content-Encoding", "gzip").in_manner(Manner::Bomb(decompressed_bytes))
    }

    /// Creates a 200 with an additional header field whose value has this number of bytes.
    pub fn huge_headers(bytes: usize) -> Self {
        Reply::ok("ok\n").header("X-Huge", "a".repeat(bytes))
    }

    /// Creates a 200 with this number of additional header fields.
    pub fn many_headers(fields: usize) -> Self {
        (0..fields).fold(Reply::ok("ok\n"), |reply, nth| reply.add_header(&format!("X-Field-{nth}"), "a"))
    }
}

/// Replies that end too early or violate HTTP.
impl Reply {
    /// Sends a TCP reset after the request was read.
    pub fn reset() -> Self {
        Reply::text(0, "").in_manner(Manner::Reset)
    }

    /// Creates a 200 with the whole `body`, followed by a TCP reset, although `Content-Length` is larger.
    pub fn reset_midway(body: impl Into<Vec<u8>>) -> Self {
        Reply::ok(body).in_manner(Manner::ResetMidway)
    }

    /// Closes the connection in an orderly way, without an answer.
    pub fn close() -> Self {
        Reply::text(0, "").in_manner(Manner::Close)
    }

    /// Creates a 200 with two chunks. The second chunk lacks its last byte, and then the connection is closed.
    pub fn truncated_chunk(body: impl Into<Vec<u8>>) -> Self {
        Reply::ok(body).in_manner(Manner::CutChunk)
    }

    /// Creates a 200 with two chunks. The length of the second chunk is invalid.
    pub fn bad_chunk(body: impl Into<Vec<u8>>) -> Self {
        Reply::ok(body).in_manner(Manner::BadChunk)
    }

    /// Creates a 200 whose `Content-Length` exceeds the body by a thousand bytes. Then the connection is closed.
    pub fn short_body(body: impl Into<Vec<u8>>) -> Self {
        Reply::ok(body).in_manner(Manner::Short(1000))
    }

    /// Sends bytes that are not HTTP, and closes the connection.
    pub fn garbage() -> Self {
        Reply::raw(&b"\x00\xFF\x16\x03SSH-2.0-not HTTP at all\r\n\r\n\x80\x81"[..])
    }

    /// Sends exactly these bytes, which include the head, and closes the connection.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Reply::text(0, bytes).in_manner(Manner::Raw)
    }
}

/// Replies whose content differs from their header fields or status.
impl Reply {
    /// Creates a 200 with plain text and the charset `declared`, which is wrong for the body.
    pub fn wrong_charset(declared: &str, body: impl Into<Vec<u8>>) -> Self {
        Reply::ok(body).header("Content-Type", format!("text/plain; charset={declared}"))
    }

    /// Creates a page with a browser challenge. Its HTML has a mark by which programs can recognize it.
    pub fn puzzle(status: u16) -> Self {
        let page = "<!doctype html><title>Making sure you are not a bot</title>\
                    <script id=\"anubis_challenge\" type=\"application/json\">{}</script>";
        Reply::text(status, page).header("Content-Type", "text/html")
    }

    /// Creates a 200 with an HTML page that reports a missing page.
    pub fn html_soft_404() -> Self {
        Reply::html(
            "<!DOCTYPE html>\n<html><head><title>Page not found</title></head>\n\
             <body><h1>404</h1><p>We could not find that page.</p></body></html>\n",
        )
    }
}

/// Changes to a reply.
impl Reply {
    /// Sets a header field, and removes other fields with this name.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self.add_header(name, value)
    }

    /// Adds a header field, and keeps other fields with this name.
    #[must_use]
    pub fn add_header(mut self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Sets the status.
    #[must_use]
    pub fn with_status(self, status: u16) -> Self {
        Reply { status, ..self }
    }

    /// Sets the body.
    #[must_use]
    pub fn body(self, body: impl Into<Vec<u8>>) -> Self {
        Reply { body: body.into(), ..self }
    }

    /// Returns a 304 with the header fields of this reply, except `Content-Type`.
    pub(super) fn not_modified(&self) -> Self {
        let mut reply = Reply { status: 304, body: Vec::new(), ..self.clone() };
        reply.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("Content-Type"));
        reply
    }

    fn text(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Reply {
            status,
            headers: vec![("Content-Type".to_owned(), b"text/plain; charset=utf-8".to_vec())],
            body: body.into(),
            delay: Duration::ZERO,
            manner: Manner::Whole,
        }
    }

    fn in_manner(self, manner: Manner) -> Self {
        Reply { manner, ..self }
    }

    /// Returns the head: the status line, the header fields, the fields in `framing`, and the empty line.
    pub(super) fn head(&self, framing: &str) -> Vec<u8> {
        let mut line = String::new();
        // Writing to a string cannot fail.
        let _ = write!(line, "HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        let mut head = line.into_bytes();
        for (name, value) in &self.headers {
            for part in [name.as_bytes(), b": ", value, b"\r\n"] {
                head.extend_from_slice(part);
            }
        }
        head.extend_from_slice(framing.as_bytes());
        head.extend_from_slice(b"\r\n");
        head
    }
}

/// Returns the reason phrase for a status code.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        429 => "Too Many Requests",
        451 => "Unavailable For Legal Reasons",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Status",
    }
}
