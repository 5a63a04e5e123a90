//! Lines in a custom format: variables of nginx (`$remote_addr`) or Apache (`%h`, `%{User-Agent}i`).
//!
//! A field ends at the text that follows it in the format. Inside quotation marks, escaped characters do not end a field.

use std::borrow::Cow;

use super::scan::{any_time, number, present, split_host, target_of, unescaped, user_agent, without_port};
use super::{LogRequest, LogSignature};

/// A parsed format string.
#[derive(Debug)]
pub(super) struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, PartialEq, Eq)]
enum Part {
    Text(Vec<u8>),
    Field(Field),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Time,
    Address,
    Forwarded,
    Host,
    Request,
    Target,
    Path,
    Query,
    Agent,
    Status,
    Bytes,
    Method,
    Scheme,
    /// A field of the signature of the request.
    Signature(&'static str),
    /// A field that is not needed.
    Other,
}

/// The reason why a format string cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct TemplateError {
    problem: String,
}

impl Template {
    pub(super) fn parse(format: &str) -> Result<Template, TemplateError> {
        let refused = |problem: &str| TemplateError { problem: problem.to_owned() };
        let format = format.trim();
        let mut parts: Vec<Part> = Vec::new();
        let is_apache = !format.contains('$');
        let mut rest = format;
        while let Some(first) = rest.chars().next() {
            let taken = if is_apache { apache(rest) } else { nginx(rest) };
            match taken {
                Some((field, after)) => {
                    match (parts.last_mut(), field) {
                        // In Apache, `%U%q` is the whole target.
                        (Some(last), Field::Query) if *last == Part::Field(Field::Path) => {
                            *last = Part::Field(Field::Target);
                        }
                        (Some(Part::Field(_)), _) => {
                            return Err(refused("two fields follow each other with nothing between them"));
                        }
                        _ => parts.push(Part::Field(field)),
                    }
                    rest = after;
                }
                None => {
                    let mut buffer = [0; 4];
                    let bytes = first.encode_utf8(&mut buffer).as_bytes();
                    match parts.last_mut() {
                        Some(Part::Text(text)) => text.extend_from_slice(bytes),
                        _ => parts.push(Part::Text(bytes.to_vec())),
                    }
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        let has = |fields: &[Field]| fields.iter().any(|field| parts.contains(&Part::Field(*field)));
        for (fields, problem) in [
            (&[Field::Time][..], "it has no time, such as $time_local or %t"),
            (&[Field::Address], "it has no address, such as $remote_addr or %h"),
            (&[Field::Request, Field::Target, Field::Path], "it has no request, such as $request or %r"),
            (&[Field::Agent], "it has no User-Agent, such as $http_user_agent or %{User-Agent}i"),
        ] {
            if !has(fields) {
                return Err(refused(problem));
            }
        }
        Ok(Template { parts })
    }

    /// Parses a line; returns `None` if it has another format.
    pub(super) fn read<'l>(&self, line: &'l [u8]) -> Option<LogRequest<'l>> {
        let mut found = LogRequest::default();
        let (mut query, mut time) = (None, None);
        let (mut method, mut authority, mut scheme, mut signature) = (None, None, None, Vec::new());
        let mut rest = line;
        let mut parts = self.parts.iter().peekable();
        let mut is_quoted = false;
        while let Some(part) = parts.next() {
            let field = match part {
                Part::Text(text) => {
                    rest = rest.strip_prefix(text.as_slice())?;
                    is_quoted = text.ends_with(b"\"");
                    continue;
                }
                Part::Field(field) => *field,
            };
            let end = match parts.peek() {
                Some(Part::Text(text)) => {
                    // The zone of a time follows a space.
                    let own = if field == Field::Time { length_to_zone(rest) } else { 0 };
                    own + end_of_field(&rest[own..], text, is_quoted)?
                }
                _ => rest.len(),
            };
            let value = unescaped(&rest[..end]);
            rest = &rest[end..];
            match field {
                Field::Time => time = Some(any_time(&value)?),
                Field::Address => found.address = value,
                Field::Forwarded => found.forwarded = present(value),
                Field::Host => {
                    authority = present(value);
                    found.host = authority.as_deref().map(|host| without_port(host).to_vec().into());
                }
                Field::Request => {
                    method = value.iter().position(|byte| *byte == b' ').map(|end| value[..end].to_vec());
                    found.target = target_of(value)?;
                }
                Field::Method => method = present(value).map(Cow::into_owned),
                Field::Scheme => scheme = present(value),
                Field::Signature(name) => {
                    signature.extend(present(value).map(|value| (name.to_owned(), value.into_owned())));
                }
                Field::Target | Field::Path => found.target = value,
                Field::Query => query = present(value),
                Field::Agent => found.user_agent = user_agent(value),
                Field::Status => found.status = number(&value),
                Field::Bytes => found.bytes = number(&value),
                Field::Other => {}
            }
        }
        if let Some(query) = query.filter(|_| self.parts.contains(&Part::Field(Field::Path))) {
            // `%q` of Apache begins with the question mark, `$args` of nginx does not.
            let mark: &[u8] = if query.starts_with(b"?") { b"" } else { b"?" };
            found.target = Cow::Owned([&*found.target, mark, &*query].concat());
        }
        if let Some((host, path)) = split_host(&found.target) {
            let (host, path) = (host.to_vec(), path.to_vec());
            found.host = Some(host.into());
            found.target = path.into();
        }
        found.time_micros = time?;
        found.signature = LogSignature::of(signature);
        if let Some(signature) = &mut found.signature {
            signature.method = method.and_then(|method| String::from_utf8(method).ok());
            signature.authority = authority.and_then(|host| String::from_utf8(host.into_owned()).ok());
            signature.is_tls = scheme.map(|scheme| scheme.eq_ignore_ascii_case(b"https"));
        }
        (!found.target.is_empty()).then_some(found)
    }
}

/// Returns the end of a field: the start of the text that follows it.
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

/// Returns the number of bytes of `21/Nov/2026:06:20:00 +0000`, in brackets or not, before the sign of its zone. Returns 0 if a
/// text does not begin with a time that has a zone.
fn length_to_zone(text: &[u8]) -> usize {
    let first = memchr::memchr(b' ', text).map_or(0, |space| space + 1);
    match text.get(first..first + 5) {
        Some([b'+' | b'-', zone @ ..])
            if text[..first].contains(&b'/') && zone.iter().all(u8::is_ascii_digit) =>
        {
            first
        }
        _ => 0,
    }
}

/// Parses `$name` or `${name}`.
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
        "time_local" | "time_iso8601" | "msec" => Field::Time,
        "remote_addr" | "realip_remote_addr" => Field::Address,
        "http_x_forwarded_for" | "proxy_add_x_forwarded_for" => Field::Forwarded,
        "host" | "http_host" | "server_name" => Field::Host,
        "request" => Field::Request,
        "request_uri" => Field::Target,
        "uri" => Field::Path,
        "args" | "query_string" => Field::Query,
        "http_user_agent" => Field::Agent,
        "status" => Field::Status,
        "body_bytes_sent" | "bytes_sent" => Field::Bytes,
        "request_method" => Field::Method,
        "scheme" => Field::Scheme,
        "http_signature_agent" => Field::Signature("signature-agent"),
        "http_signature_input" => Field::Signature("signature-input"),
        "http_signature" => Field::Signature("signature"),
        "" => return None,
        _ => Field::Other,
    };
    Some((field, rest))
}

/// Parses `%h`, `%>s`, `%{User-Agent}i`; `%%` is a percent sign.
fn apache(text: &str) -> Option<(Field, &str)> {
    let text = text.strip_prefix('%')?.trim_start_matches(['>', '<']);
    let (argument, text) = match text.strip_prefix('{') {
        Some(text) => text.split_once('}')?,
        None => ("", text),
    };
    let letter = text.chars().next()?;
    let header = argument.to_ascii_lowercase();
    let field = match (letter, header.as_str()) {
        ('t', _) => Field::Time,
        ('h' | 'a', _) => Field::Address,
        ('i', "x-forwarded-for") => Field::Forwarded,
        ('i', "host") | ('v' | 'V', _) => Field::Host,
        ('r', _) => Field::Request,
        ('U', _) => Field::Path,
        ('q', _) => Field::Query,
        ('i', "user-agent") => Field::Agent,
        ('i', "signature-agent") => Field::Signature("signature-agent"),
        ('i', "signature-input") => Field::Signature("signature-input"),
        ('i', "signature") => Field::Signature("signature"),
        ('m', _) => Field::Method,
        ('s', _) => Field::Status,
        ('b' | 'B' | 'O', _) => Field::Bytes,
        ('%', _) => return None,
        _ => Field::Other,
    };
    Some((field, &text[letter.len_utf8()..]))
}
