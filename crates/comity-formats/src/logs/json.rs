//! Parses logs with one JSON object per line.
//!
//! Servers use different keys. Each known key has a role and a rank. Of all keys with one role in an object, the key with the
//! lowest rank is used. Keys of original values, such as the requested target, have lower ranks than keys of derived values.
//! A mapping of the user replaces all known keys of its role.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Number, Value};

use super::address::ForwardedField;
use super::draft::Draft;
use super::scan::number;
use super::time::{self, Time};
use super::{LogLine, LogSignature};

/// Maximum depth of objects in which keys are looked up.
const MAX_DEPTH: usize = 5;

/// The meaning of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
    Time,
    /// The date, in logs with separate fields for date and time of day.
    Date,
    /// The time of day in such logs.
    Clock,
    Address,
    Forwarded(ForwardedField),
    Request,
    Target,
    Path,
    Query,
    Host,
    Agent,
    Status,
    Bytes,
    Method,
    Scheme,
    /// A header field of a signature, by its name.
    Signature(&'static str),
}

/// Known keys for each role, in the order of their ranks: keys of nginx (its variables), Caddy, Traefik, Cloudflare Logpush,
/// CloudFront, Google Cloud, Vercel, Fastly, Akamai, Azure, and the Elastic Common Schema. Keys are lower-case paths, with a
/// dot between nested keys.
const KEYS: &[(Role, &[&str])] = &[
    (
        Role::Time,
        &[
            "ts",
            "edgestarttimestamp",
            "startutc",
            "proxy.timestamp",
            "time_iso8601",
            "msec",
            "timestamp",
            "timestamp(ms)",
            "time_local",
            "time",
            "@timestamp",
            "time_start",
            "reqtimesec",
            "datetime",
        ],
    ),
    (Role::Date, &["date"]),
    (Role::Clock, &["time"]),
    (
        Role::Address,
        &[
            "request.remote_ip",
            "clientip",
            "clienthost",
            "clientaddr",
            "proxy.clientip",
            "client_ip",
            "remote_addr",
            "httprequest.remoteip",
            "c-ip",
            "remote_ip",
            "request.remote_addr",
            "properties.clientip",
            "source.ip",
            "client.ip",
            "cliip",
            "remote_host",
            "remoteaddr",
            "remoteip",
        ],
    ),
    (Role::Request, &["request", "request_line", "requestline"]),
    (
        Role::Target,
        &[
            "request_uri",
            "request.uri",
            "clientrequesturi",
            "requestpath",
            "proxy.path",
            "httprequest.requesturl",
            "url.original",
            "properties.requesturi",
            "requesturl",
            "request_url",
            "requesturi",
        ],
    ),
    (Role::Path, &["cs-uri-stem", "url", "uri", "path", "request_path", "url.path", "reqpath"]),
    (Role::Query, &["args", "query_string", "querystring", "cs-uri-query", "query", "url.query", "querystr"]),
    (
        Role::Host,
        &[
            "request.host",
            "clientrequesthost",
            "requesthost",
            "proxy.host",
            "x-host-header",
            "http_host",
            "cs(host)",
            "cs-host",
            "host",
            "url.domain",
            "reqhost",
            "server_name",
            "vhost",
        ],
    ),
    (
        Role::Agent,
        &[
            "request.headers.user-agent",
            "clientrequestuseragent",
            "request_user-agent",
            "proxy.useragent",
            "http_user_agent",
            "request_user_agent",
            "httprequest.useragent",
            "cs(user-agent)",
            "cs-user-agent",
            "user_agent",
            "user_agent.original",
            "useragent",
            "user-agent",
            "properties.useragent",
            "ua",
            "agent",
        ],
    ),
    (
        Role::Status,
        &[
            "downstreamstatus",
            "edgeresponsestatus",
            "proxy.statuscode",
            "status",
            "httprequest.status",
            "sc-status",
            "response_status",
            "status_code",
            "statuscode",
            "properties.httpstatuscode",
            "http.response.status_code",
        ],
    ),
    (
        Role::Bytes,
        &[
            "size",
            "edgeresponsebytes",
            "downstreamcontentsize",
            "response_body_size",
            "body_bytes_sent",
            "httprequest.responsesize",
            "sc-bytes",
            "bytes_sent",
            "bytes",
            "http.response.body.bytes",
        ],
    ),
    (
        Role::Method,
        &[
            "request.method",
            "clientrequestmethod",
            "requestmethod",
            "proxy.method",
            "httprequest.requestmethod",
            "request_method",
            "cs-method",
            "method",
            "http.request.method",
        ],
    ),
    (Role::Scheme, &["clientrequestscheme", "requestscheme", "proxy.scheme", "scheme", "cs-protocol"]),
    (Role::Signature("signature-agent"), &["http_signature_agent"]),
    (Role::Signature("signature-input"), &["http_signature_input"]),
    (Role::Signature("signature"), &["http_signature"]),
];

/// Paths of objects that contain the fields of a request in exports of log collectors.
const ENVELOPES: &[&str] = &["jsonpayload.", "fields.", "data.", "log.", "message."];

/// Keys whose value is a whole log line, in the records of containers, journals and log collectors.
const LINES: &[&str] = &["log", "line", "MESSAGE", "message", "msg", "textPayload", "_raw"];

/// Paths of objects with header fields. Caddy logs all header fields, and Cloudflare logs the fields that the user selects.
const HEADERS: &[&str] = &["request.headers.", "requestheaders."];

/// Roles and ranks by key.
type Roles = HashMap<String, Vec<(Role, usize)>>;

/// The known keys.
static KNOWN: LazyLock<Keys> = LazyLock::new(|| {
    let mut roles = Roles::new();
    for (role, names) in KEYS {
        for (rank, name) in names.iter().enumerate() {
            roles.entry((*name).to_owned()).or_default().push((*role, rank));
        }
    }
    for (name, field) in ForwardedField::ALL {
        let variable = name.replace('-', "_");
        let names = [
            format!("request.headers.{name}"),
            format!("request_{name}"),
            format!("http_{variable}"),
            format!("cs({name})"),
            name.to_owned(),
            variable,
        ];
        for (rank, name) in names.into_iter().enumerate() {
            roles.entry(name).or_default().push((Role::Forwarded(field), rank));
        }
    }
    Keys { roles }
});

/// The keys that are looked up in an object.
#[derive(Debug)]
pub(super) struct Keys {
    roles: Roles,
}

/// The fields that a mapping may set, and their roles.
const MAPPED: [(&str, Role); 10] = [
    ("url", Role::Target),
    ("query", Role::Query),
    ("host", Role::Host),
    ("address", Role::Address),
    ("agent", Role::Agent),
    ("time", Role::Time),
    ("status", Role::Status),
    ("bytes", Role::Bytes),
    ("method", Role::Method),
    ("request", Role::Request),
];

/// The error for a mapping of an unknown field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a field of requests; the fields are {}", comity::shown::text(.0), MAPPED.map(|(name, _)| name).join(", "))]
pub struct UnknownField(String);

impl Keys {
    /// Returns the known keys, with the keys of mapped roles replaced. Each mapping is a field and a path of keys. The last
    /// mapping of a role is used.
    pub(super) fn mapped(mappings: &[(String, String)]) -> Result<Keys, UnknownField> {
        let mut roles = KNOWN.roles.clone();
        for (field, path) in mappings {
            let role = MAPPED.iter().find(|(name, _)| name == field).map(|(_, role)| *role);
            let role = role.ok_or_else(|| UnknownField(field.clone()))?;
            let replaced: &[Role] = match role {
                Role::Target | Role::Request => &[Role::Target, Role::Request, Role::Path],
                Role::Time => &[Role::Time, Role::Date, Role::Clock],
                _ => &[role],
            };
            for known in roles.values_mut() {
                known.retain(|(role, _)| !replaced.contains(role));
            }
            // If the query is mapped, too, the mapped URL is a path without its query.
            let has_query = mappings.iter().any(|(field, _)| field == "query");
            let role = if role == Role::Target && has_query { Role::Path } else { role };
            roles.entry(path.to_ascii_lowercase()).or_default().push((role, 0));
        }
        Ok(Keys { roles })
    }

    pub(super) fn known() -> &'static Keys {
        &KNOWN
    }

    /// Parses a line. If it is the record of a log collector, returns the log line in the record.
    pub(super) fn read(&self, line: &[u8]) -> ParsedObject {
        // The JSON parser limits the nesting, and the maximum length of a line limits the size.
        let Ok(Value::Object(object)) = serde_json::from_slice(line) else { return ParsedObject::Nothing };
        self.of_object(&object, None)
    }

    /// Parses a line in the console format of Caddy: `TIME<tab>LEVEL<tab>LOGGER<tab>MESSAGE<tab>{…}`. Returns `None` if the
    /// line has another format.
    pub(super) fn console(&self, line: &[u8]) -> Option<ParsedObject> {
        let (time, length) = time::prefix(line)?;
        let rest = line[length..].strip_prefix(b"\t")?;
        let start = memchr::memmem::find(rest, b"\t{")?;
        let Ok(Value::Object(object)) = serde_json::from_slice(&rest[start + 1..]) else { return None };
        Some(self.of_object(&object, Some(time)))
    }

    fn of_object(&self, object: &Map<String, Value>, time: Option<Time>) -> ParsedObject {
        let mut found = FoundValues::default();
        found.walk(self, object, &mut String::new(), 0);
        let draft = found.draft(time);
        if !draft.is_without_url() {
            return ParsedObject::Line(draft.finish());
        }
        let inner = LINES.iter().find_map(|key| object.get(*key)?.as_str());
        inner.map_or(ParsedObject::Nothing, |inner| ParsedObject::Inner(inner.to_owned()))
    }
}

/// The result of parsing an object.
#[derive(Debug)]
pub(super) enum ParsedObject {
    /// A request, or damage.
    Line(LogLine<'static>),
    /// The text of a log line inside of the object.
    Inner(String),
    /// The text is not a JSON object, or the object contains neither a request nor a log line.
    Nothing,
}

/// The values of an object by role.
#[derive(Default)]
struct FoundValues<'v> {
    /// The value of each role, with the rank of its key.
    values: HashMap<Role, (usize, &'v Value)>,
    headers: Vec<(String, Vec<u8>)>,
    /// True if the connection used TLS. Caddy logs the TLS parameters of such a connection.
    is_tls: Option<bool>,
}

impl<'v> FoundValues<'v> {
    /// Visits all values of an object. `path` is the lower-case path of keys to the object.
    fn walk(&mut self, keys: &Keys, object: &'v Map<String, Value>, path: &mut String, depth: usize) {
        for (name, value) in object {
            let length = path.len();
            path.extend(name.chars().map(|c| c.to_ascii_lowercase()));
            let known = ENVELOPES.iter().find_map(|envelope| path.strip_prefix(envelope)).unwrap_or(path);
            // Traefik logs the header fields of the client under such keys.
            let is_header = name.starts_with("request_") && object.contains_key("RequestPath");
            for (role, rank) in
                keys.roles.get(path.as_str()).or_else(|| keys.roles.get(known)).into_iter().flatten()
            {
                let is_known = KNOWN.roles.get(known).is_some_and(|roles| roles.contains(&(*role, *rank)));
                if is_header && is_known && !matches!(role, Role::Agent | Role::Forwarded(_)) {
                    continue;
                }
                // An object is not a value. For example, `request` is a text in nginx, but an object in Caddy.
                let is_better = self.values.get(role).is_none_or(|(other, _)| rank < other);
                if is_better && !value.is_object() && !value.is_null() {
                    self.values.insert(*role, (*rank, value));
                }
            }
            if HEADERS.iter().any(|headers| {
                path.strip_prefix(headers).is_some_and(|rest| rest == name.to_ascii_lowercase())
            }) {
                let texts = values(value).iter().filter_map(Value::as_str);
                self.headers.extend(texts.map(|value| (name.clone(), value.as_bytes().to_vec())));
            }
            if let Value::Object(inner) = value {
                if path == "request" {
                    self.is_tls = Some(inner.get("tls").is_some_and(Value::is_object))
                        .filter(|_| inner.contains_key("proto") || inner.contains_key("tls"));
                }
                if depth < MAX_DEPTH {
                    path.push('.');
                    self.walk(keys, inner, path, depth + 1);
                }
            }
            path.truncate(length);
        }
    }

    fn draft(mut self, time: Option<Time>) -> Draft<'static> {
        let mut draft = Draft { time: time.or_else(|| self.time()), ..Draft::default() };
        draft.peer = self.text(Role::Address);
        for (_, field) in ForwardedField::ALL {
            draft.forwarded.extend(self.text(Role::Forwarded(field)).map(|text| (field, text)));
        }
        // Some servers log only the target in `request`, and the method separately.
        match self.text(Role::Request) {
            Some(text)
                if text.starts_with(b"/")
                    || memchr::memmem::find(&text, b"://").is_some() && !text.contains(&b' ') =>
            {
                draft.target = Some(text);
            }
            text => draft.request = text,
        }
        draft.target = draft.target.or_else(|| self.text(Role::Target));
        draft.path = self.text(Role::Path);
        draft.query = self.text(Role::Query);
        draft.method = self.text(Role::Method);
        draft.host = self.text(Role::Host);
        draft.agent = self.text(Role::Agent).map(|agent| decoded_agent(&self, agent));
        // All header fields are logged, so a missing `User-Agent` was not sent.
        if draft.agent.is_none() && !self.headers.is_empty() {
            draft.agent = Some(Cow::Borrowed(b""));
        }
        draft.status = self.text(Role::Status);
        draft.bytes = self.text(Role::Bytes);
        let tls = self.is_tls.map(|is_tls| Cow::Borrowed(if is_tls { &b"https"[..] } else { b"http" }));
        draft.scheme = self.text(Role::Scheme).or(tls);
        for name in LogSignature::NAMES {
            let value = self.text(Role::Signature(name)).filter(|value| &**value != b"-");
            self.headers.extend(value.map(|value| (name.to_owned(), value.into_owned())));
        }
        draft.headers = self.headers;
        draft
    }

    fn text(&self, role: Role) -> Option<Cow<'static, [u8]>> {
        let (_, value) = self.values.get(&role)?;
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Array(items) => {
                let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                // Several lines of one header field are a list (RFC 9110 §5.3).
                if matches!(role, Role::Forwarded(_)) {
                    texts.join(", ")
                } else {
                    (*texts.first()?).to_owned()
                }
            }
            _ => return None,
        };
        Some(Cow::Owned(text.into_bytes()))
    }

    fn time(&self) -> Option<Time> {
        // CloudFront logs date and time of day in two fields.
        if let (Some(date), Some(clock)) = (self.text(Role::Date), self.text(Role::Clock))
            && let Some(time) = time::time(&[&*date, b"T", &*clock].concat())
        {
            return Some(Time::utc(time.micros));
        }
        match self.values.get(&Role::Time)? {
            (_, Value::Number(number)) => of_number(number),
            _ => time::time(&self.text(Role::Time)?),
        }
    }
}

/// Returns the items of a list, or the value itself.
fn values(value: &Value) -> &[Value] {
    match value {
        Value::Array(values) => values,
        value => std::slice::from_ref(value),
    }
}

/// Decodes the `User-Agent` of CloudFront, which is percent-encoded in JSON, too. Objects of CloudFront are recognized by the
/// key of the path, which has rank 0.
fn decoded_agent(found: &FoundValues<'_>, agent: Cow<'static, [u8]>) -> Cow<'static, [u8]> {
    let is_cloudfront = found.values.get(&Role::Path).is_some_and(|(rank, _)| *rank == 0);
    if is_cloudfront { Cow::Owned(super::columns::plain(&agent, false).into_owned()) } else { agent }
}

/// Parses a number of seconds, milliseconds, microseconds or nanoseconds since 1970.
fn of_number(value: &Number) -> Option<Time> {
    let text = value.to_string();
    // A number in scientific notation means seconds.
    if text.contains(['e', 'E']) {
        let seconds = value.as_f64().filter(|seconds| (1e8..1e11).contains(seconds))?;
        #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
        return Some(Time::utc((seconds * 1e6).round() as i64));
    }
    let whole = text.split('.').next()?;
    number::<u64>(whole.as_bytes())?;
    time::time(text.as_bytes())
}
