//! The origins: their answers, and the requests that they allow. A seed and a number determine an origin.

use std::io::Write;
use std::net::Ipv4Addr;
use std::time::Duration;

/// The behaviour of an origin's robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Rules that disallow `/closed`.
    Rules,
    /// Rules that disallow `/closed`, and a Crawl-delay.
    Delay,
    /// Rules that disallow `/closed`, compressed with gzip.
    Gzip,
    /// Rules that disallow `/closed`, compressed, with an unusual but valid `Content-Encoding`.
    OddCoding,
    /// Rules that disallow `/closed`, after 630 kB of comments. They do not apply, because they are beyond the size
    /// limit.
    Huge,
    /// Rules that disallow `/closed`, sent in pieces over half a second.
    Slow,
    /// Rules that disallow `/closed`; the connection ends after every answer.
    Closer,
    /// A rule that disallows every path.
    Shut,
    /// Status 404.
    Missing,
    /// A redirect to the robots.txt of origin 0.
    ToVictim,
    /// Status 200 with an HTML page whose title is "Not found".
    Html,
    /// Status 500.
    Broken,
    /// Status 503 with `Retry-After`.
    Busy,
    /// No answer.
    Silent,
    /// A TCP reset.
    Reset,
}

/// Relative frequency of each kind.
const KINDS: [(Kind, u32); 15] = [
    (Kind::Rules, 30),
    (Kind::Delay, 12),
    (Kind::Gzip, 8),
    (Kind::OddCoding, 6),
    (Kind::Huge, 1),
    (Kind::Slow, 4),
    (Kind::Closer, 6),
    (Kind::Shut, 8),
    (Kind::Missing, 6),
    (Kind::ToVictim, 5),
    (Kind::Html, 3),
    (Kind::Broken, 4),
    (Kind::Busy, 3),
    (Kind::Silent, 2),
    (Kind::Reset, 2),
];

/// Minimum interval between requests, unless robots.txt requires a longer one.
pub(crate) const MIN_INTERVAL: Duration = Duration::from_millis(500);

const RULES: &str = "User-agent: *\nDisallow: /closed\n";

/// An origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) number: u32,
    pub(crate) kind: Kind,
    pub(crate) interval: Duration,
}

impl Origin {
    /// Creates the origin with this number. Origin 0 is the victim: origins of the kind `ToVictim` redirect to it.
    pub(crate) fn new(seed: u64, number: u32) -> Self {
        let mut random = fastrand::Rng::with_seed(seed ^ (u64::from(number) << 20) ^ 0x5eed);
        let sum: u32 = KINDS.iter().map(|(_, share)| share).sum();
        let mut left = random.u32(..sum);
        let drawn = KINDS.iter().find(|(_, share)| {
            let is_it = left < *share;
            left = left.saturating_sub(*share);
            is_it
        });
        let kind = if number == 0 { Kind::Rules } else { drawn.map_or(Kind::Rules, |(kind, _)| *kind) };
        let interval =
            if kind == Kind::Delay { Duration::from_secs(random.u64(1..=2)) } else { MIN_INTERVAL };
        Origin { number, kind, interval }
    }

    /// Returns the loopback address of an origin.
    pub(crate) fn address(number: u32) -> Ipv4Addr {
        // Other programs use addresses in 127.0.0.0/16.
        Ipv4Addr::from_bits((127 << 24) + (1 << 16) + number + 1)
    }

    /// Returns the number of the origin with an address.
    pub(crate) fn number_at(address: Ipv4Addr) -> u32 {
        address.to_bits().wrapping_sub((127 << 24) + (1 << 16) + 1)
    }

    /// Returns true if a crawler may request a path other than robots.txt. Returns `None` if the crawler may decide
    /// either way.
    pub(crate) fn allows(&self, path: &str) -> Option<bool> {
        let is_closed = path.starts_with("/closed");
        match self.kind {
            Kind::Rules | Kind::Delay | Kind::Gzip | Kind::Slow | Kind::Closer | Kind::ToVictim => {
                Some(!is_closed)
            }
            // A client that does not decode the body must treat the site as unreachable. So `/closed` is disallowed in
            // any case.
            Kind::OddCoding => is_closed.then_some(false),
            Kind::Huge | Kind::Missing => Some(true),
            Kind::Html => None,
            Kind::Shut | Kind::Broken | Kind::Busy | Kind::Silent | Kind::Reset => Some(false),
        }
    }

    /// Returns true if the origin does not answer a request for robots.txt.
    pub(crate) fn fails_to_answer(&self) -> bool {
        matches!(self.kind, Kind::Silent | Kind::Reset)
    }

    /// Returns true if the origin answers a request for robots.txt with an answer that clients cache for long.
    pub(crate) fn answers(&self) -> bool {
        !matches!(self.kind, Kind::Broken | Kind::Busy | Kind::Silent | Kind::Reset | Kind::OddCoding)
    }

    /// Returns the answer for robots.txt.
    pub(crate) fn robots(&self, victim: &str) -> Answer {
        let rules = |delay: &str| format!("{RULES}{delay}").into_bytes();
        match self.kind {
            Kind::Rules | Kind::Slow | Kind::Closer => Answer::ok(rules("")),
            Kind::Delay => Answer::ok(rules(&format!("Crawl-delay: {}\n", self.interval.as_secs()))),
            Kind::Gzip => Answer::ok(gzip(&rules(""))).with("Content-Encoding: gzip"),
            Kind::OddCoding => {
                let names = ["GZIP", "x-gzip", "gzip, identity", "X-Gzip"];
                let name = names[self.number as usize % names.len()];
                Answer::ok(gzip(&rules(""))).with(&format!("Content-Encoding: {name}"))
            }
            Kind::Huge => Answer::ok([b"# filler\n".repeat(70_000), rules("")].concat()),
            Kind::Shut => Answer::ok(b"User-agent: *\nDisallow: /\n".to_vec()),
            Kind::Missing => Answer::status("404 Not Found"),
            Kind::ToVictim => {
                Answer::status("301 Moved Permanently").with(&format!("Location: {victim}/robots.txt"))
            }
            Kind::Html => Answer::ok(b"<!doctype html><title>Not found</title>".to_vec())
                .with("Content-Type: text/html"),
            Kind::Broken => Answer::status("500 Internal Server Error"),
            Kind::Busy => Answer::status("503 Service Unavailable").with("Retry-After: 3"),
            Kind::Silent => Answer { is_silent: true, ..Answer::ok(Vec::new()) },
            Kind::Reset => Answer { is_reset: true, ..Answer::ok(Vec::new()) },
        }
    }
}

/// An HTTP answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: String,
    pub(crate) fields: Vec<String>,
    pub(crate) body: Vec<u8>,
    pub(crate) is_silent: bool,
    pub(crate) is_reset: bool,
}

impl Answer {
    pub(crate) fn ok(body: Vec<u8>) -> Self {
        Answer { body, ..Answer::status("200 OK") }
    }

    pub(crate) fn status(status: &str) -> Self {
        let (status, fields) = (status.to_owned(), Vec::new());
        Answer { status, fields, body: Vec::new(), is_silent: false, is_reset: false }
    }

    fn with(mut self, field: &str) -> Self {
        self.fields.push(field.to_owned());
        self
    }

    /// Returns the answer as bytes of HTTP.
    pub(crate) fn wire(&self, closes: bool) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {}\r\nContent-Length: {}\r\n", self.status, self.body.len());
        for field in &self.fields {
            head.push_str(field);
            head.push_str("\r\n");
        }
        head.push_str(if closes { "Connection: close\r\n\r\n" } else { "\r\n" });
        [head.as_bytes(), &self.body].concat()
    }
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    // Writing to memory does not fail.
    let _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default()
}
