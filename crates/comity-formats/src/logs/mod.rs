//! Access logs: the bytes of a line in, a request out.
//!
//! ```text
//! ArchiveInput ──▶ LogLines ──▶ a line ──▶ LogReader ──▶ LogLine::Request
//! ```
//!
//! A line says by itself which format it is in, so that files of several servers can be read one after the other; only W3C
//! files name their columns first, which the reader remembers. Nothing here knows crawlers or verdicts.
//!
//! | file | holds |
//! |---|---|
//! | `combined.rs` | the combined format of Apache and nginx, with or without a host in front |
//! | `balancer.rs` | the lines of AWS load balancers |
//! | `columns.rs` | W3C extended files: IIS, CloudFront |
//! | `json.rs` | objects: Caddy, Cloudflare Logpush, Vercel, and those whose keys have the usual names |
//! | `template.rs` | lines by a format string of nginx or Apache |
//! | `scan.rs` | what they share: quoted fields, times, addresses |

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

/// A longer line is damage: no server writes one.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// A request, as a log tells it. All texts are as the client sent them, and untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogRequest<'l> {
    /// When it came: microseconds since 1970.
    pub time_micros: i64,
    /// Who connected, as text: an address, or a name if the server looks names up.
    pub address: Cow<'l, [u8]>,
    /// What `X-Forwarded-For` held, where the log has it. Only proxies that one trusts say the truth there.
    pub forwarded: Option<Cow<'l, [u8]>>,
    /// The host that was asked for, without its port, where the log has it.
    pub host: Option<Cow<'l, [u8]>>,
    /// Path and query, or the absolute URL, as it was asked for.
    pub target: Cow<'l, [u8]>,
    /// The `User-Agent` header. Empty if there was none.
    pub user_agent: Cow<'l, [u8]>,
    /// The status code of the answer.
    pub status: Option<u16>,
    /// The number of bytes sent.
    pub bytes: Option<u64>,
    /// What the log has of the request's signature; `None` if it is not signed, or the log has no such fields.
    pub signature: Option<Box<LogSignature>>,
}

/// What a log has of a signed request (Web Bot Auth).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogSignature {
    /// The method, where the log has it.
    pub method: Option<String>,
    /// The host with its port, as it was asked for, where the log has it.
    pub authority: Option<String>,
    /// Whether the request came with TLS, where the log has it.
    pub is_tls: Option<bool>,
    /// The header fields that the log has, by name and value. A signature may cover any of them.
    pub fields: Vec<(String, Vec<u8>)>,
}

impl LogSignature {
    /// The header fields of which a signed request has one at least.
    const NAMES: [&'static str; 3] = ["signature-agent", "signature-input", "signature"];

    /// Makes one of the header fields that a log has; `None` if no field is one of a signature.
    fn of(fields: Vec<(String, Vec<u8>)>) -> Option<Box<LogSignature>> {
        let is_own = |name: &str| LogSignature::NAMES.iter().any(|own| own.eq_ignore_ascii_case(name));
        let is_signed = fields.iter().any(|(name, value)| is_own(name) && !value.is_empty());
        is_signed.then(|| Box::new(LogSignature { fields, ..LogSignature::default() }))
    }
}

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogLine<'l> {
    /// A request.
    Request(LogRequest<'l>),
    /// An empty line, a comment, the names of columns, or a connection on which no request was made.
    Nothing,
    /// It is in no format that is known.
    Damaged,
}

/// Reads lines.
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
    /// Makes a reader that finds out the format line by line.
    pub fn new() -> LogReader {
        LogReader::default()
    }

    /// Makes a reader of lines in a format of one's own, as nginx's `log_format` or Apache's `LogFormat` writes it.
    ///
    /// # Errors
    ///
    /// [`TemplateError`] if the time, the request or the `User-Agent` is not in it, or two fields follow each other with
    /// nothing between them.
    pub fn with_template(format: &str) -> Result<LogReader, TemplateError> {
        Ok(LogReader { template: Some(Template::parse(format)?), columns: None })
    }

    /// Reads a line, without its end.
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
