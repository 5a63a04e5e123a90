//! Parses lines in a custom format with variables of nginx (`$remote_addr`) or Apache (`%h`, `%{User-Agent}i`).
//!
//! A field ends before the text that follows it in the format. A time ends where it is complete. An escaped quotation mark
//! does not end a quoted field. If a line does not match the whole format, it is damaged.

use std::borrow::Cow;

use super::LogLine;
use super::address::{self, ForwardedField};
use super::draft::Draft;
use super::scan::{present, unescaped};
use super::target::join;
use super::time::{self, Time};

/// A parsed format string.
#[derive(Debug)]
pub(super) struct Template {
    parts: Vec<Part>,
}

/// A part of a format: literal text or a field.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(Vec<u8>),
    Field(Field),
}

/// The meaning of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Field {
    /// A time, perhaps in a format of `strftime`.
    Time(Option<String>),
    /// The address of the peer. `is_replaced` is true for a variable such as `$realip_remote_addr`: the address before the
    /// server replaced it with the address of the client.
    Address {
        is_replaced: bool,
    },
    Forwarded(ForwardedField),
    Host,
    Request,
    /// The whole request target.
    Target,
    Path,
    Query,
    /// A variable that is `?` if there is a query.
    Mark,
    /// Adjacent parts of a URL: scheme, host and target, or some of them.
    Url {
        has_host: bool,
    },
    Agent,
    Status,
    Bytes,
    Method,
    Scheme,
    Port,
    /// A field of the signature of the request.
    Signature(&'static str),
    /// A field that is ignored.
    Other,
}

/// A function that returns true for the fields that meet a requirement.
type IsWanted = fn(&Field) -> bool;

/// The reason why a format string cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct TemplateError {
    problem: String,
}

impl Template {
    pub(super) fn parse(format: &str) -> Result<Template, TemplateError> {
        let rejected = |problem: &str| TemplateError { problem: problem.to_owned() };
        let parts = with_times(with_urls(tokens(format.trim())));
        let is_field = |part: &Part| matches!(part, Part::Field(_));
        if parts.windows(2).any(|pair| is_field(&pair[0]) && is_field(&pair[1])) {
            return Err(rejected("two fields follow each other without a separator"));
        }
        let has = |is_wanted: IsWanted| {
            parts.iter().any(|part| matches!(part, Part::Field(field) if is_wanted(field)))
        };
        let wanted: [(IsWanted, &str); 4] = [
            (|field| matches!(field, Field::Time(_)), "it has no time, such as $time_local or %t"),
            (
                |field| matches!(field, Field::Address { .. } | Field::Forwarded(_)),
                "it has no address, such as $remote_addr or %h",
            ),
            (
                |field| matches!(field, Field::Request | Field::Target | Field::Path | Field::Url { .. }),
                "it has no request, such as $request or %r",
            ),
            (
                |field| matches!(field, Field::Agent),
                "it has no User-Agent, such as $http_user_agent or %{User-Agent}i, so that crawlers are unknown",
            ),
        ];
        match wanted.into_iter().find(|(is_wanted, _)| !has(*is_wanted)) {
            Some((_, problem)) => Err(rejected(problem)),
            None => Ok(Template { parts }),
        }
    }

    /// Parses a line.
    pub(super) fn read<'l>(&self, line: &'l [u8]) -> LogLine<'l> {
        self.draft(line).map_or(LogLine::Damaged, Draft::finish)
    }

    /// Finds the fields of a line. Returns `None` if the line has another format.
    fn draft<'l>(&self, line: &'l [u8]) -> Option<Draft<'l>> {
        let mut draft = Draft::default();
        let mut replaced = None;
        let mut rest = line;
        let mut is_quoted = false;
        for (at, part) in self.parts.iter().enumerate() {
            let field = match part {
                Part::Text(text) => {
                    rest = rest.strip_prefix(text.as_slice())?;
                    is_quoted = text.ends_with(b"\"");
                    continue;
                }
                Part::Field(field) => field,
            };
            if let Field::Time(format) = field {
                let (time, length) = time_at(format.as_deref(), rest)?;
                draft.time = Some(draft.time.unwrap_or(time));
                rest = &rest[length..];
                continue;
            }
            let end = match self.parts.get(at + 1) {
                Some(Part::Text(text)) => self.end(at, field, rest, text, is_quoted)?,
                _ => rest.len(),
            };
            let value = unescaped(&rest[..end]);
            rest = &rest[end..];
            match field {
                Field::Address { is_replaced } => {
                    address::peer(&value)?;
                    match is_replaced {
                        true => replaced = Some(value),
                        false if draft.peer.as_deref().and_then(address::ip).is_none() => {
                            draft.peer = Some(value)
                        }
                        false => {}
                    }
                }
                _ => field.store(value, &mut draft),
            }
        }
        draft.peer = draft.peer.or(replaced);
        rest.is_empty().then_some(draft)
    }

    /// Returns the length of a field, which ends before the text that follows it in the format.
    fn end(&self, at: usize, field: &Field, rest: &[u8], text: &[u8], is_quoted: bool) -> Option<usize> {
        let mut end = end_of_field(rest, text, is_quoted)?;
        if is_quoted {
            return Some(end);
        }
        match field {
            // A list may contain the separator after its commas.
            Field::Address { .. } | Field::Forwarded(_) => {
                while rest[..end].ends_with(b",") {
                    end += text.len() + end_of_field(rest.get(end + text.len()..)?, text, false)?;
                }
            }
            // The `User-Agent` may contain the separator. If all later separators are equal, the last occurrences of the
            // separator delimit the later fields.
            Field::Agent => {
                let later = &self.parts[at + 1..];
                let is_plain = later
                    .iter()
                    .all(|part| matches!(part, Part::Field(_)) || *part == Part::Text(text.to_vec()));
                let separators = later.iter().filter(|part| matches!(part, Part::Text(_))).count();
                if is_plain {
                    end = memchr::memmem::rfind_iter(rest, text).nth(separators - 1)?;
                }
            }
            _ => {}
        }
        Some(end)
    }
}

impl Field {
    /// Stores the value of the field.
    fn store<'l>(&self, value: Cow<'l, [u8]>, draft: &mut Draft<'l>) {
        match self {
            Field::Forwarded(field) => draft.forwarded.push((*field, value)),
            Field::Host => draft.host = present(value).or(draft.host.take()),
            Field::Request => draft.request = Some(value),
            Field::Target => draft.target = Some(value),
            Field::Path => draft.path = Some(value),
            Field::Query => draft.query = Some(value),
            Field::Url { has_host } => {
                let is_whole = !has_host
                    || value.starts_with(b"/")
                    || memchr::memmem::find(&value[..value.len().min(12)], b"://").is_some();
                // A value without a scheme begins with the host.
                draft.target = Some(if is_whole {
                    value
                } else {
                    join(Cow::Owned([b"http://", &*value].concat()), None)
                });
            }
            Field::Agent => draft.agent = Some(value),
            Field::Status => draft.status = Some(value),
            Field::Bytes => draft.bytes = Some(value),
            Field::Method => draft.method = Some(value),
            Field::Scheme => draft.scheme = Some(value),
            Field::Signature(name) => {
                draft.headers.extend(present(value).map(|value| ((*name).to_owned(), value.into_owned())));
            }
            Field::Time(_) | Field::Address { .. } | Field::Mark | Field::Port | Field::Other => {}
        }
    }
}

/// Parses the time at the beginning of a text, with or without brackets. Returns the time and its length.
fn time_at(format: Option<&str>, text: &[u8]) -> Option<(Time, usize)> {
    if let Some(format) = format {
        return time::by_format(format, text);
    }
    match text.strip_prefix(b"[") {
        Some(inner) => {
            let end = memchr::memchr(b']', &inner[..inner.len().min(64)])?;
            Some((time::time(&inner[..end])?, end + 2))
        }
        None => time::prefix(text),
    }
}

/// Returns the length of a field that ends before `text`. An escaped quotation mark does not end a quoted field.
fn end_of_field(rest: &[u8], text: &[u8], is_quoted: bool) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr::memmem::find(&rest[from..], text)?;
        let slashes = rest[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        if !is_quoted || !text.starts_with(b"\"") || slashes % 2 == 0 {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Splits a format into texts and fields.
fn tokens(format: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let is_apache = !format.contains('$');
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        if let Some((field, after)) = if is_apache { apache(rest) } else { nginx(rest) } {
            parts.push(Part::Field(field));
            rest = after;
            continue;
        }
        // `%%` means a percent sign.
        let length = if is_apache && rest.starts_with("%%") { 2 } else { first.len_utf8() };
        push_text(&mut parts, first.encode_utf8(&mut [0; 4]).as_bytes());
        rest = &rest[length..];
    }
    parts
}

fn push_text(parts: &mut Vec<Part>, bytes: &[u8]) {
    match parts.last_mut() {
        Some(Part::Text(text)) => text.extend_from_slice(bytes),
        _ => parts.push(Part::Text(bytes.to_vec())),
    }
}

/// Merges adjacent parts of a URL, such as `$scheme://$host$request_uri`, `$uri$is_args$args` or `%U%q`, into one field.
fn with_urls(parts: Vec<Part>) -> Vec<Part> {
    let rank = |part: &Part| match part {
        Part::Field(Field::Scheme) => Some(0),
        Part::Field(Field::Host) => Some(1),
        Part::Field(Field::Port) => Some(2),
        Part::Field(Field::Target | Field::Path) => Some(3),
        Part::Field(Field::Mark) => Some(4),
        Part::Field(Field::Query) => Some(5),
        _ => None,
    };
    let mut merged: Vec<Part> = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        // Finds the longest sequence of fields in the order of a URL, with only the punctuation of a URL between them.
        let (mut end, mut last) = (at, None);
        let mut next = at;
        while let Some(part) = parts.get(next) {
            match (rank(part), part) {
                (Some(rank), _) if last.is_none_or(|last| rank > last) => {
                    last = Some(rank);
                    end = next + 1;
                }
                (None, Part::Text(text)) if last == Some(0) && text == b"://" => {}
                (None, Part::Text(text))
                    if last == Some(1)
                        && text == b":"
                        && matches!(parts.get(next + 1), Some(Part::Field(Field::Port))) => {}
                (None, Part::Text(text)) if last == Some(3) && text == b"?" => {}
                _ => break,
            }
            next += 1;
        }
        let run = &parts[at..end];
        let has = |field: &Field| run.contains(&Part::Field(field.clone()));
        if run.len() > 1 && (has(&Field::Target) || has(&Field::Path)) {
            merged.push(Part::Field(Field::Url { has_host: has(&Field::Host) }));
            at = end;
        } else {
            merged.push(parts[at].clone());
            at += 1;
        }
    }
    merged
}

/// Merges the parts of a time, such as `%{%d/%b/%Y:%T}t.%{msec_frac}t %{%z}t`, into one field.
fn with_times(parts: Vec<Part>) -> Vec<Part> {
    let is_piece = |part: &Part| matches!(part, Part::Field(Field::Time(Some(_))));
    let (Some(first), Some(last)) = (parts.iter().position(is_piece), parts.iter().rposition(is_piece))
    else {
        return parts;
    };
    let is_one = parts[first..=last].iter().all(|part| is_piece(part) || matches!(part, Part::Text(_)));
    if first == last || !is_one {
        return parts;
    }
    let format = parts[first..=last].iter().map(|part| match part {
        Part::Field(Field::Time(format)) => format.clone().unwrap_or_default(),
        Part::Text(text) => String::from_utf8_lossy(text).replace('%', "%%"),
        Part::Field(_) => String::new(),
    });
    let time = Part::Field(Field::Time(Some(format.collect())));
    [&parts[..first], &[time], &parts[last + 1..]].concat()
}

/// Parses a variable of nginx: `$name` or `${name}`.
fn nginx(text: &str) -> Option<(Field, &str)> {
    let text = text.strip_prefix('$')?;
    let (name, rest) = match text.strip_prefix('{') {
        Some(text) => text.split_once('}')?,
        None => {
            let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
            text.split_at(end)
        }
    };
    let field = match name {
        "time_local" | "time_iso8601" | "msec" => Field::Time(None),
        "remote_addr" => Field::Address { is_replaced: false },
        "realip_remote_addr" => Field::Address { is_replaced: true },
        "proxy_add_x_forwarded_for" => Field::Forwarded(ForwardedField::XForwardedFor),
        "host" | "http_host" | "server_name" => Field::Host,
        "server_port" => Field::Port,
        "request" => Field::Request,
        "request_uri" => Field::Target,
        "uri" | "document_uri" => Field::Path,
        "args" | "query_string" => Field::Query,
        "is_args" => Field::Mark,
        "http_user_agent" => Field::Agent,
        "status" => Field::Status,
        "body_bytes_sent" | "bytes_sent" => Field::Bytes,
        "request_method" => Field::Method,
        "scheme" => Field::Scheme,
        "http_signature_agent" => Field::Signature("signature-agent"),
        "http_signature_input" => Field::Signature("signature-input"),
        "http_signature" => Field::Signature("signature"),
        "" => return None,
        _ => match name.strip_prefix("http_").and_then(ForwardedField::named) {
            Some(field) => Field::Forwarded(field),
            None => Field::Other,
        },
    };
    Some((field, rest))
}

/// Parses a variable of Apache, such as `%h`, `%>s`, `%{User-Agent}i` or `%!200,304{Referer}i`.
fn apache(text: &str) -> Option<(Field, &str)> {
    let text = text.strip_prefix('%')?;
    let text = text.trim_start_matches(|c: char| matches!(c, '>' | '<' | '!' | ',') || c.is_ascii_digit());
    let (argument, text) = match text.strip_prefix('{') {
        Some(text) => text.split_once('}')?,
        None => ("", text),
    };
    let letter = text.chars().next().filter(char::is_ascii_alphabetic)?;
    let header = argument.to_ascii_lowercase();
    let field = match (letter, header.as_str()) {
        ('t', _) => Field::Time(apache_time(argument)),
        ('a', "c") => Field::Address { is_replaced: true },
        ('h' | 'a', _) => Field::Address { is_replaced: false },
        ('i', "host") | ('v' | 'V', _) => Field::Host,
        ('p', "remote" | "local") => Field::Other,
        ('p', _) => Field::Port,
        ('r', _) => Field::Request,
        ('U', _) => Field::Path,
        ('q', _) => Field::Query,
        ('i', "user-agent") => Field::Agent,
        ('i', "signature-agent") => Field::Signature("signature-agent"),
        ('i', "signature-input") => Field::Signature("signature-input"),
        ('i', "signature") => Field::Signature("signature"),
        ('i', name) => ForwardedField::named(name).map_or(Field::Other, Field::Forwarded),
        ('m', _) => Field::Method,
        ('s', _) => Field::Status,
        ('b' | 'B' | 'O', _) => Field::Bytes,
        _ => Field::Other,
    };
    Some((field, &text[letter.len_utf8()..]))
}

/// Returns the `strftime` format for the argument of `%t`. Returns `None` for the default format, and for a number since
/// 1970, whose number of digits determines its unit.
fn apache_time(argument: &str) -> Option<String> {
    let argument =
        argument.strip_prefix("begin:").or_else(|| argument.strip_prefix("end:")).unwrap_or(argument);
    match argument {
        "" | "begin" | "end" | "sec" | "msec" | "usec" => None,
        "msec_frac" | "usec_frac" => Some("%f".to_owned()),
        format => Some(format.to_owned()),
    }
}
