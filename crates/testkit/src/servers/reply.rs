//! The replies of an origin, good and bad, by name.
//!
//! A reply is a header, a body and a *manner*, the way in which the two are sent. `wire.rs` implements the manners. Replies
//! that differ from request to request are in `script.rs`.

use std::fmt::Write;
use std::io::Write as _;
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;

/// A reply. It has no `Date`, and no field that was not set except `Content-Type` and those that frame the body.
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
    /// With `Content-Length`, at once.
    Whole,
    /// In chunks of this many bytes.
    Chunked(usize),
    /// Without a length; the end of the connection is the end of the body.
    UntilClose,
    /// This many bytes of the body at a time.
    Drip { bytes: usize, interval: Duration },
    /// The header byte by byte, then the body.
    DripHeader { interval: Duration },
    /// The body repeated without end, in chunks.
    Endless,
    /// This many bytes, compressed while they are sent.
    Bomb(u64),
    /// The second of two chunks ends in its middle.
    CutChunk,
    /// The second of two chunks has no readable length.
    BadChunk,
    /// Announces this many more bytes than follow.
    Short(usize),
    /// Only the body is sent, which contains the header.
    Raw,
    /// Header and body, then a reset although more is announced.
    ResetMidway,
    /// A reset without an answer.
    Reset,
    /// The end of the connection without an answer.
    Close,
    /// Nothing, until the client leaves.
    Hang,
}

/// Well-behaved replies.
impl Reply {
    /// 200 with plain text in UTF-8.
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Reply::text(200, body)
    }

    /// 200 with HTML in UTF-8.
    pub fn html(body: impl Into<Vec<u8>>) -> Self {
        Reply::ok(body).header("Content-Type", "text/html; charset=utf-8")
    }

    /// Any status, with a line of text as its body.
    pub fn status(status: u16) -> Self {
        Reply::text(status, format!("{status} {}\n", reason(status)))
    }

    /// Any status with `Retry-After` in seconds; 429 and 503 are the usual ones.
    pub fn retry_after(status: u16, seconds: u64) -> Self {
        Reply::status(status).header("Retry-After", seconds.to_string())
    }

    /// Any status with `Retry-After` as a date.
    pub fn retry_after_date(status: u16, date: SystemTime) -> Self {
        Reply::status(status).header("Retry-After", httpdate::fmt_http_date(date))
    }

    /// 301, 302, 303, 307 or 308 to `location`, which is sent unchanged.
    pub fn redirect(status: u16, location: &str) -> Self {
        Reply::status(status).header("Location", location)
    }

    /// 200 with a body in gzip and its `Content-Encoding`.
    pub fn gzip(body: impl AsRef<[u8]>) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let packed = encoder.write_all(body.as_ref()).and_then(|()| encoder.finish());
        Reply::ok(packed.expect("gzip in memory")).header("Content-Encoding", "gzip")
    }

    /// 200 in chunks of this many bytes.
    pub fn chunked(body: impl Into<Vec<u8>>, bytes: usize) -> Self {
        Reply::ok(body).in_manner(Manner::Chunked(bytes.max(1)))
    }

    /// 200 without a length, ended by the end of the connection, as HTTP/1.0 did.
    pub fn until_close(body: impl Into<Vec<u8>>) -> Self {
        Reply::ok(body).in_manner(Manner::UntilClose)
    }
}

/// Bad redirects.
impl Reply {
    /// 302 to a file on the client's machine.
    pub fn redirect_to_file() -> Self {
        Reply::redirect(302, "file:///etc/passwd")
    }
}

/// Replies that are slow or too long.
impl Reply {
    /// Nothing: the request is read, and no answer is sent.
    pub fn hang() -> Self {
        Reply::text(0, "").in_manner(Manner::Hang)
    }

    /// Returns `reply` after a delay.
    pub fn delay(delay: Duration, reply: Reply) -> Self {
        Reply { delay, ..reply }
    }

    /// The body in pieces of `bytes` bytes, with `interval` between.
    pub fn slow_drip(body: impl Into<Vec<u8>>, bytes: usize, interval: Duration) -> Self {
        Reply::ok(body).in_manner(Manner::Drip { bytes: bytes.max(1), interval })
    }

    /// The header byte by byte, with `interval` between, then the body at once.
    pub fn slow_header(body: impl Into<Vec<u8>>, interval: Duration) -> Self {
        Reply::ok(body).in_manner(Manner::DripHeader { interval })
    }

    /// 200 and an endless body: comment lines, in chunks, as fast as they are read.
    pub fn endless() -> Self {
        Reply::ok("# and so on and so on and so on and so on and so on and so on..\n".repeat(128))
            .in_manner(Manner::Endless)
    }

    /// 200 in gzip that decompresses to this number of `#`. Its size on the wire is about a thousandth of that, and it is
    /// compressed while it is sent.
    pub fn gzip_bomb(decompressed_bytes: u64) -> Self {
        Reply::ok("").header("Content-Encoding", "gzip").in_manner(Manner::Bomb(decompressed_bytes))
    }

    /// 200 with one header field of this number of bytes.
    pub fn huge_headers(bytes: usize) -> Self {
        Reply::ok("ok\n").header("X-Huge", "a".repeat(bytes))
    }

    /// 200 with this number of additional header fields.
    pub fn many_headers(fields: usize) -> Self {
        (0..fields).fold(Reply::ok("ok\n"), |reply, nth| reply.add_header(&format!("X-Field-{nth}"), "a"))
    }
}

/// Replies that break off or break HTTP.
impl Reply {
    /// A TCP reset as soon as the request is read.
    pub fn reset() -> Self {
        Reply::text(0, "").in_manner(Manner::Reset)
    }

    /// 200 and the whole `body`, then a TCP reset although `Content-Length` announces more.
    pub fn reset_midway(body: impl Into<Vec<u8>>) -> Self {
        Reply::ok(body).in_manner(Manner::ResetMidway)
    }

    /// Nothing: the connection is closed in order, without an answer.
    pub fn close() -> Self {
        Reply::text(0, "").in_manner(Manner::Close)
    }

    /// Chunks: the first half of the body is complete; the chunk of the second half lacks its last byte, and then the
    /// connection is closed.
    pub fn truncated_chunk(body: impl Into<Vec<u8>>) -> Self {
        Reply::ok(body).in_manner(Manner::CutChunk)
    }

    /// Chunks: the first half of the body is complete; the chunk of the second half has no valid length.
    pub fn bad_chunk(body: impl Into<Vec<u8>>) -> Self {
        Reply::ok(body).in_manner(Manner::BadChunk)
    }

    /// `Content-Length` is a thousand longer than the body; then the connection is closed.
    pub fn short_body(body: impl Into<Vec<u8>>) -> Self {
        Reply::ok(body).in_manner(Manner::Short(1000))
    }

    /// Bytes that are not HTTP, then the connection is closed.
    pub fn garbage() -> Self {
        Reply::raw(&b"\x00\xFF\x16\x03SSH-2.0-not HTTP at all\r\n\r\n\x80\x81"[..])
    }

    /// Exactly these bytes, header included, then the connection is closed.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Reply::text(0, bytes).in_manner(Manner::Raw)
    }
}

/// Replies with a wrong description.
impl Reply {
    /// 200 with plain text whose `Content-Type` names the wrong charset.
    pub fn wrong_charset(declared: &str, body: impl Into<Vec<u8>>) -> Self {
        Reply::ok(body).header("Content-Type", format!("text/plain; charset={declared}"))
    }

    /// A browser challenge, with this status, recognisable by a sign in its HTML.
    pub fn puzzle(status: u16) -> Self {
        let page = "<!doctype html><title>Making sure you are not a bot</title>\
                    <script id=\"anubis_challenge\" type=\"application/json\">{}</script>";
        Reply::text(status, page).header("Content-Type", "text/html")
    }

    /// 200 with an HTML page whose text says that the page was not found.
    pub fn html_soft_404() -> Self {
        Reply::html(
            "<!DOCTYPE html>\n<html><head><title>Page not found</title></head>\n\
             <body><h1>404</h1><p>We could not find that page.</p></body></html>\n",
        )
    }
}

/// Changes to a reply.
impl Reply {
    /// Sets this field, and removes others with the same name.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self.add_header(name, value)
    }

    /// Adds this field, and keeps others with the same name.
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

    /// Returns a 304 with the same fields, except those about the body.
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

    /// Returns the status line, the fields, those of `framing`, and the empty line.
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

/// Returns the usual phrase for a status code.
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
