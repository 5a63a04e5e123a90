//! Access logs: parses the bytes of a line into a request.
//!
//! ```text
//! ArchiveInput ──▶ LogLines ──▶ a line ──▶ LogReader ──▶ Draft ──▶ LogLine::Request
//!                                          locates      validates
//! ```
//!
//! The format is detected for each line, so that files of several servers can be read one after the other. Only W3C files name
//! their columns in a header line, which the reader remembers. A reader of a format only locates the fields; `draft.rs`
//! decides which of them is the requested URL, and refuses a line with a field that cannot be parsed. This module does not use
//! crawlers or verdicts.
//!
//! | file | holds |
//! |---|---|
//! | `combined.rs` | the combined format of Apache and nginx, with or without a preceding host; the common format of Traefik |
//! | `haproxy.rs` | HAProxy's HTTP format |
//! | `amazon.rs` | AWS load balancers and S3 |
//! | `columns.rs` | files with columns: IIS and CloudFront |
//! | `json.rs` | JSON objects, and Caddy's console format |
//! | `template.rs` | lines in a format given by a format string of nginx or Apache |
//! | `directive.rs` | the format strings in a configuration of nginx or Apache |
//! | `array.rs` | JSON arrays of objects, as one object per line |
//! | `prefix.rs` | words that syslog, containers and collectors write before a line |
//! | `draft.rs` | validation of the fields of a line |
//! | `address.rs`, `time.rs`, `target.rs`, `scan.rs` | shared parsers: addresses, times, request targets, words |

mod address;
mod amazon;
mod array;
mod columns;
mod combined;
mod directive;
mod draft;
mod haproxy;
mod json;
mod lines;
mod prefix;
mod scan;
mod target;
mod template;
mod time;

use std::borrow::Cow;
use std::net::IpAddr;

pub use self::address::{ForwardedField, LogForwarded};
use self::columns::{Columns, Unnamed};
pub use self::json::UnknownField;
use self::json::{Keys, Parsed};
pub use self::lines::{LogLines, NextLine};
use self::prefix::Prefixes;
use self::template::Template;
pub use self::template::TemplateError;

/// Maximum length of a line in bytes. A longer line is damage: no server writes one.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// Maximum number of records around a line, such as that of a container in that of a collector.
const MAX_RECORDS: usize = 3;

/// The formats that are detected, for messages.
pub const FORMATS: [&str; 10] = [
    "combined and common (nginx, Apache, Traefik)",
    "JSON (nginx, Caddy, Traefik, Cloudflare, CloudFront, Google Cloud, Vercel, Fastly)",
    "Caddy console",
    "W3C (IIS, CloudFront)",
    "IIS without its header",
    "CloudFront real-time",
    "AWS load balancers (ALB, ELB)",
    "S3",
    "HAProxy HTTP",
    "each of them after the prefixes of syslog, journald, Docker, Kubernetes and Loki",
];

/// A request in a log. All texts come from the client and are untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogRequest<'l> {
    /// Time of the request, in microseconds since 1970.
    pub time_micros: i64,
    /// True if the log has the time without a zone. It counts as UTC.
    pub is_zoneless: bool,
    /// The peer of the connection. `None` if the log has a name, a socket or no value instead of an address.
    pub peer: Option<IpAddr>,
    /// The header fields by which proxies name the client. They are reliable only if they come from a trusted proxy.
    pub forwarded: Vec<LogForwarded>,
    /// The requested host, without its port, if the log has it.
    pub host: Option<Cow<'l, [u8]>>,
    /// Path and query as requested.
    pub target: Cow<'l, [u8]>,
    /// The `User-Agent` header. Empty if the request has none; `None` if the log has no such field.
    pub user_agent: Option<Cow<'l, [u8]>>,
    /// The status code of the answer.
    pub status: Option<u16>,
    /// Number of bytes sent.
    pub bytes: Option<u64>,
    /// The signature fields of the request; `None` if it is not signed, or the log has no such fields.
    pub signature: Option<Box<LogSignature>>,
}

impl LogRequest<'_> {
    /// Returns a copy that is independent of its line.
    pub fn into_owned(self) -> LogRequest<'static> {
        LogRequest {
            host: self.host.map(|host| Cow::Owned(host.into_owned())),
            target: Cow::Owned(self.target.into_owned()),
            user_agent: self.user_agent.map(|agent| Cow::Owned(agent.into_owned())),
            ..LogRequest {
                time_micros: self.time_micros,
                is_zoneless: self.is_zoneless,
                peer: self.peer,
                forwarded: self.forwarded,
                status: self.status,
                bytes: self.bytes,
                signature: self.signature,
                ..LogRequest::default()
            }
        }
    }
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
    /// An empty line, a comment, the names of columns, or a connection without a request for a page.
    Nothing,
    /// The line is in no known format, or a field of it cannot be parsed.
    Damaged,
}

impl LogLine<'_> {
    fn into_owned(self) -> LogLine<'static> {
        match self {
            LogLine::Request(request) => LogLine::Request(request.into_owned()),
            LogLine::Nothing => LogLine::Nothing,
            LogLine::Damaged => LogLine::Damaged,
        }
    }
}

/// A parser of log lines.
///
/// ```
/// use comity_formats::logs::{LogLine, LogReader};
///
/// let line = br#"203.0.113.7 - - [21/Nov/2026:06:20:00 +0000] "GET /a?b HTTP/1.1" 200 512 "-" "GPTBot/1.2""#;
/// let mut reader = LogReader::new();
/// let LogLine::Request(request) = reader.read(line) else { panic!("a request") };
/// assert_eq!((&*request.target, request.status), (&b"/a?b"[..], Some(200)));
/// assert_eq!(request.user_agent.as_deref(), Some(&b"GPTBot/1.2"[..]));
/// assert_eq!(request.peer, "203.0.113.7".parse().ok());
/// ```
#[derive(Debug)]
pub struct LogReader {
    templates: Vec<Template>,
    keys: Option<Keys>,
    columns: Option<Columns>,
    unnamed: Unnamed,
}

impl Default for LogReader {
    fn default() -> LogReader {
        LogReader { templates: Vec::new(), keys: None, columns: None, unnamed: Unnamed::new() }
    }
}

impl LogReader {
    /// Creates a parser that detects the format for each line.
    pub fn new() -> LogReader {
        LogReader::default()
    }

    /// Creates a parser for lines in a custom format, in the syntax of nginx's `log_format` or Apache's `LogFormat`. The text may
    /// be the format alone, the whole directive, or a configuration with several directives; a line may then be in any of
    /// their formats.
    ///
    /// ```
    /// use comity_formats::logs::LogReader;
    ///
    /// assert!(LogReader::with_template(r#"LogFormat "%h %t \"%r\" %>s \"%{User-Agent}i\"" short"#).is_ok());
    /// assert!(LogReader::with_template("log_format x '$remote_addr [$time_local] ' '\"$request\" \"$http_user_agent\"';").is_ok());
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`TemplateError`] if the format lacks the time, the address, the request or the `User-Agent`, or if two fields
    /// have nothing between them.
    pub fn with_template(format: &str) -> Result<LogReader, TemplateError> {
        Ok(LogReader { templates: directive::templates(format)?, ..LogReader::default() })
    }

    /// Replaces known keys of JSON objects. Each mapping is a field (`url`, `agent`, …) and a path of keys (`http.request.url`).
    ///
    /// # Errors
    ///
    /// Returns [`UnknownField`] if a field does not exist.
    pub fn with_keys(mut self, mappings: &[(String, String)]) -> Result<LogReader, UnknownField> {
        if !mappings.is_empty() {
            self.keys = Some(Keys::mapped(mappings)?);
        }
        Ok(self)
    }

    fn keys(&self) -> &Keys {
        self.keys.as_ref().unwrap_or_else(|| Keys::known())
    }

    /// Parses a line, without its line end.
    pub fn read<'l>(&mut self, line: &'l [u8]) -> LogLine<'l> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        self.read_record(line, 0)
    }

    /// Parses a line that is inside of a number of records.
    fn read_record<'l>(&mut self, line: &'l [u8], depth: usize) -> LogLine<'l> {
        if line.is_empty() {
            return LogLine::Nothing;
        }
        let (mut prefixes, mut rest) = (Prefixes::default(), line);
        loop {
            match self.read_bare(rest, depth) {
                LogLine::Damaged => match prefixes.strip(rest) {
                    Some(stripped) => rest = stripped,
                    None => return LogLine::Damaged,
                },
                found => return found,
            }
        }
    }

    /// Parses a line without a prefix.
    fn read_bare<'l>(&mut self, line: &'l [u8], depth: usize) -> LogLine<'l> {
        if !self.templates.is_empty() {
            let mut lines = self.templates.iter().map(|template| template.read(line));
            if let Some(found) = lines.find(|found| !matches!(found, LogLine::Damaged)) {
                return found;
            }
            // The record of a container may hold the line.
            if !line.starts_with(b"{") {
                return LogLine::Damaged;
            }
        }
        match line {
            [b'{', ..] => {
                let parsed = self.keys().read(line);
                self.of_parsed(parsed, depth)
            }
            [b'#', ..] => {
                if let Some(columns) = Columns::of(line) {
                    self.columns = Some(columns);
                }
                LogLine::Nothing
            }
            _ => self.read_text(line, depth),
        }
    }

    fn of_parsed(&mut self, parsed: Parsed, depth: usize) -> LogLine<'static> {
        match parsed {
            Parsed::Line(line) if self.templates.is_empty() => line,
            Parsed::Inner(inner) if depth < MAX_RECORDS => {
                let inner = inner.trim();
                if inner.is_empty() {
                    return LogLine::Damaged;
                }
                self.read_record(inner.as_bytes(), depth + 1).into_owned()
            }
            _ => LogLine::Damaged,
        }
    }

    fn read_text<'l>(&mut self, line: &'l [u8], depth: usize) -> LogLine<'l> {
        if let Some(columns) = &self.columns
            && let Some(found) = columns.read(line)
            && !matches!(found, LogLine::Damaged)
        {
            return found;
        }
        let combined = combined::read(line);
        if !matches!(combined, LogLine::Damaged) {
            return combined;
        }
        let other = amazon::balancer(line)
            .or_else(|| amazon::s3(line))
            .or_else(|| haproxy::read(line))
            .or_else(|| self.unnamed.iis(line))
            .or_else(|| self.unnamed.real_time(line));
        if let Some(found) = other {
            return found;
        }
        match self.keys().console(line) {
            Some(parsed) => self.of_parsed(parsed, depth),
            None => LogLine::Damaged,
        }
    }
}

#[cfg(test)]
mod tests;
