//! Access logs: parses the bytes of a line into a request.
//!
//! ```text
//! ArchiveInput ──▶ LogLines ──▶ a line ──▶ LogReader ──▶ LogLine::Request
//! ```
//!
//! The format is detected for each line, so that files of several servers can be read one after the other. Only W3C files name
//! their columns in a header line, which the reader remembers. This module does not use crawlers or verdicts.
//!
//! | file | holds |
//! |---|---|
//! | `combined.rs` | the combined format of Apache and nginx, with or without a preceding host |
//! | `balancer.rs` | the lines of AWS load balancers |
//! | `columns.rs` | W3C extended files: IIS, CloudFront |
//! | `json.rs` | JSON objects: Caddy, Cloudflare Logpush, Vercel, and others with common keys |
//! | `template.rs` | lines in a format given by a format string of nginx or Apache |
//! | `scan.rs` | shared parsers: quoted fields, times, addresses |

mod balancer;
mod columns;
mod combined;
mod json;
mod lines;
mod scan;
mod template;

use std::borrow::Cow;

use self::columns::Columns;
pub use self::lines::{LogLines, NextLine};
use self::template::Template;
pub use self::template::TemplateError;

/// Maximum length of a line in bytes. A longer line is damage: no server writes one.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// A request in a log. All texts come from the client and are untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogRequest<'l> {
    /// Time of the request, in microseconds since 1970.
    pub time_micros: i64,
    /// The peer of the connection, as text: an address, or a name if the server resolves names.
    pub address: Cow<'l, [u8]>,
    /// The value of `X-Forwarded-For`, if the log has it. It is reliable only if it comes from a trusted proxy.
    pub forwarded: Option<Cow<'l, [u8]>>,
    /// The requested host, without its port, if the log has it.
    pub host: Option<Cow<'l, [u8]>>,
    /// Path and query, or the absolute URL, as requested.
    pub target: Cow<'l, [u8]>,
    /// The `User-Agent` header. Empty if the request has none.
    pub user_agent: Cow<'l, [u8]>,
    /// The status code of the answer.
    pub status: Option<u16>,
    /// Number of bytes sent.
    pub bytes: Option<u64>,
    /// The signature fields of the request; `None` if it is not signed, or the log has no such fields.
    pub signature: Option<Box<LogSignature>>,
}

/// The logged parts of a signed request (Web Bot Auth).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogSignature {
    /// The method, if the log has it.
    pub method: Option<String>,
    /// The requested host with its port, if the log has it.
    pub authority: Option<String>,
    /// Whether the request used TLS, if the log has it.
    pub is_tls: Option<bool>,
    /// The logged header fields, by name and value. A signature may cover any of them.
    pub fields: Vec<(String, Vec<u8>)>,
}

impl LogSignature {
    /// The signature header fields. A signed request has at least one of them.
    const NAMES: [&'static str; 3] = ["signature-agent", "signature-input", "signature"];

    /// Creates the signature from logged header fields; returns `None` if no field belongs to a signature.
    fn of(fields: Vec<(String, Vec<u8>)>) -> Option<Box<LogSignature>> {
        let is_own = |name: &str| LogSignature::NAMES.iter().any(|own| own.eq_ignore_ascii_case(name));
        let is_signed = fields.iter().any(|(name, value)| is_own(name) && !value.is_empty());
        is_signed.then(|| Box::new(LogSignature { fields, ..LogSignature::default() }))
    }
}

/// The result of parsing a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogLine<'l> {
    /// A request.
    Request(LogRequest<'l>),
    /// An empty line, a comment, the names of columns, or a connection without a request.
    Nothing,
    /// The line is in no known format.
    Damaged,
}

/// A parser of log lines.
///
/// ```
/// use comity_formats::logs::{LogLine, LogReader};
///
/// let line = br#"203.0.113.7 - - [21/Nov/2026:06:20:00 +0000] "GET /a?b HTTP/1.1" 200 512 "-" "GPTBot/1.2""#;
/// let mut reader = LogReader::new();
/// let LogLine::Request(request) = reader.read(line) else { panic!("a request") };
/// assert_eq!((&*request.target, &*request.user_agent, request.status), (&b"/a?b"[..], &b"GPTBot/1.2"[..], Some(200)));
/// ```
#[derive(Debug, Default)]
pub struct LogReader {
    template: Option<Template>,
    columns: Option<Columns>,
}

impl LogReader {
    /// Creates a parser that detects the format for each line.
    pub fn new() -> LogReader {
        LogReader::default()
    }

    /// Creates a parser for lines in a custom format, in the syntax of nginx's `log_format` or Apache's `LogFormat`.
    ///
    /// # Errors
    ///
    /// Returns [`TemplateError`] if the format lacks the time, the request or the `User-Agent`, or if two fields have nothing
    /// between them.
    pub fn with_template(format: &str) -> Result<LogReader, TemplateError> {
        Ok(LogReader { template: Some(Template::parse(format)?), columns: None })
    }

    /// Parses a line, without its line end.
    pub fn read<'l>(&mut self, line: &'l [u8]) -> LogLine<'l> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return LogLine::Nothing;
        }
        if let Some(template) = &self.template {
            return found(template.read(line));
        }
        match line {
            [b'{', ..] => found(json::read(line)),
            [b'#', ..] => {
                if let Some(columns) = Columns::of(line) {
                    self.columns = Some(columns);
                }
                LogLine::Nothing
            }
            _ => {
                if let Some(found) = self.columns.as_ref().and_then(|columns| columns.read(line)) {
                    return LogLine::Request(found);
                }
                if let Some(found) = balancer::read(line) {
                    return LogLine::Request(found);
                }
                combined::read(line)
            }
        }
    }
}

fn found(request: Option<LogRequest<'_>>) -> LogLine<'_> {
    request.map_or(LogLine::Damaged, LogLine::Request)
}

#[cfg(test)]
mod tests;
