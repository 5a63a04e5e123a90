//! Access logs: parses the bytes of a line into a request.
//!
//! ```text
//! ArchiveInput ──▶ LogLines ──▶ a line ──▶ LogReader ──▶ Draft ──▶ LogLine::Request
//!                                          locates      parses
//! ```
//!
//! The format is detected for each line, so that one reader can parse the files of several servers. Only the column names in
//! the header line of W3C files are stored for the following lines. The parser of a format only locates fields. Then
//! `draft.rs` determines the requested URL, and rejects a line if one of its fields cannot be parsed. This module does not
//! use crawlers or verdicts.
//
// | file | content |
// |---|---|
// | `combined.rs` | the combined and common formats of Apache, nginx and Traefik |
// | `haproxy.rs` | HAProxy's HTTP format |
// | `amazon.rs` | AWS load balancers and S3 |
// | `columns.rs` | files with columns: IIS and CloudFront |
// | `json.rs` | JSON objects, and Caddy's console format |
// | `template.rs` | lines in a custom format, which a format string of nginx or Apache describes |
// | `directive.rs` | format strings in a configuration of nginx or Apache |
// | `array.rs` | JSON arrays of objects, as one object per line |
// | `prefix.rs` | prefixes of lines by syslog, containers and log collectors |
// | `draft.rs` | conversion of the fields of a line to a request |
// | `address.rs`, `time.rs`, `target.rs`, `scan.rs` | shared parsers: addresses, times, request targets, words |
// | `lines.rs` | the decompressed lines of a log |

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
use self::columns::{Columns, UnnamedColumns};
pub use self::json::UnknownField;
use self::json::{Keys, ParsedObject};
pub use self::lines::{LogLines, NextLine};
use self::prefix::Prefixes;
use self::template::Template;
pub use self::template::TemplateError;

/// Maximum length of a line, in bytes. [`LogLines`] skips longer lines.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// Maximum number of nested JSON records around a line, such as the record of a container in the record of a log collector.
const MAX_RECORDS: usize = 3;

/// Descriptions of the detected formats, for use in messages.
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
    "all of these also with the prefixes of syslog, journald, Docker, Kubernetes and Loki",
];

/// A request in a log. The client chooses most texts, so they are untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogRequest<'l> {
    /// Time of the request, in microseconds since 1970.
    pub time_micros: i64,
    /// True if the log has no time zone. The time is then read as UTC.
    pub is_zoneless: bool,
    /// The address of the peer. `None` if the log has a host name, a socket, a list or no value instead.
    pub peer: Option<IpAddr>,
    /// The header fields with the address of the client. They are reliable only if a trusted proxy has written them.
    pub forwarded: Vec<LogForwarded>,
    /// The requested host without its port. `None` if the log does not contain it.
    pub host: Option<Cow<'l, [u8]>>,
    /// The requested path and query.
    pub target: Cow<'l, [u8]>,
    /// The `User-Agent`. Empty if the request has no such field; `None` if the log does not contain it.
    pub user_agent: Option<Cow<'l, [u8]>>,
    /// The status code of the answer.
    pub status: Option<u16>,
    /// Number of bytes sent.
    pub bytes: Option<u64>,
    /// The signature of the request. `None` if the request is not signed, or the log contains no signatures.
    pub signature: Option<Box<LogSignature>>,
}

impl LogRequest<'_> {
    /// Converts the request to owned data, which is independent of the line.
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
    /// The method, if the log contains it.
    pub method: Option<String>,
    /// The requested host with its port, if the log contains it.
    pub authority: Option<String>,
    /// Whether the request used TLS, if the log shows it.
    pub is_tls: Option<bool>,
    /// The logged header fields, by name and value. The signature may cover any of them.
    pub fields: Vec<(String, Vec<u8>)>,
}

impl LogSignature {
    /// Names of the header fields of signatures. A signed request has at least one of them.
    const NAMES: [&'static str; 3] = ["signature-agent", "signature-input", "signature"];

    /// Creates the signature from logged header fields. Returns `None` if no field belongs to a signature.
    fn of(fields: Vec<(String, Vec<u8>)>) -> Option<Box<LogSignature>> {
        let is_signature_field =
            |name: &str| LogSignature::NAMES.iter().any(|known| known.eq_ignore_ascii_case(name));
        let is_signed = fields.iter().any(|(name, value)| is_signature_field(name) && !value.is_empty());
        is_signed.then(|| Box::new(LogSignature { fields, ..LogSignature::default() }))
    }
}

/// The result of parsing a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogLine<'l> {
    /// A request.
    Request(LogRequest<'l>),
    /// The line contains no request: it is empty, a comment or a header, or the connection did not request a page.
    Nothing,
    /// The format of the line is unknown, or a field cannot be parsed.
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
    /// The custom formats. If there is any, no other format is detected.
    templates: Vec<Template>,
    /// The keys of JSON objects, if some are mapped.
    keys: Option<Keys>,
    /// The columns of the last `#Fields:` line.
    columns: Option<Columns>,
    unnamed: UnnamedColumns,
}

impl Default for LogReader {
    fn default() -> LogReader {
        LogReader { templates: Vec::new(), keys: None, columns: None, unnamed: UnnamedColumns::new() }
    }
}

impl LogReader {
    /// Creates a parser that detects the format for each line.
    pub fn new() -> LogReader {
        LogReader::default()
    }

    /// Creates a parser for lines in a custom format, in the syntax of nginx's `log_format` or Apache's `LogFormat`. The text
    /// is a format, a whole directive, or a configuration with several directives. If there are several formats, each line
    /// may be in any of them.
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
    /// Returns [`TemplateError`] if every format lacks the time, the address, the request or the `User-Agent`, or has two
    /// fields without a separator.
    pub fn with_template(format: &str) -> Result<LogReader, TemplateError> {
        Ok(LogReader { templates: directive::templates(format)?, ..LogReader::default() })
    }

    /// Sets the keys of fields in JSON objects. Each mapping is a field (`url`, `agent`, …) and a path of keys
    /// (`http.request.url`), which replaces the known keys of the field.
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

    /// Parses a line, with or without prefixes. `depth` is the number of JSON records around the line.
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
            // A JSON record may contain a line in the custom format.
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

    fn of_parsed(&mut self, parsed: ParsedObject, depth: usize) -> LogLine<'static> {
        match parsed {
            ParsedObject::Line(line) if self.templates.is_empty() => line,
            ParsedObject::Inner(inner) if depth < MAX_RECORDS => {
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
