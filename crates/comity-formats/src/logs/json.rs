//! Logs with one JSON object per line. Servers use different keys; for each field, the first key that is present is used.

use std::borrow::Cow;

use serde_json::Value;

use super::scan::{any_time, present, split_host, target_of, user_agent, without_port};
use super::{LogRequest, LogSignature};
use crate::times;

/// Keys of Caddy, Cloudflare Logpush, Vercel, and nginx or Fastly with the variable names of their manuals.
const TIME: &[&str] = &[
    "ts",
    "EdgeStartTimestamp",
    "proxy.timestamp",
    "time_iso8601",
    "timestamp",
    "time_local",
    "time",
    "@timestamp",
    "msec",
    "time_start",
];
const ADDRESS: &[&str] = &[
    "request.client_ip",
    "request.remote_ip",
    "ClientIP",
    "proxy.clientIp",
    "client_ip",
    "remote_addr",
    "clientIp",
    "remote_ip",
    "request.remote_addr",
];
const FORWARDED: &[&str] = &["request.headers.X-Forwarded-For", "http_x_forwarded_for", "x_forwarded_for"];
const HOST: &[&str] = &["request.host", "ClientRequestHost", "proxy.host", "http_host", "host"];
const TARGET: &[&str] =
    &["request.uri", "ClientRequestURI", "proxy.path", "request_uri", "uri", "url", "path"];
const REQUEST: &[&str] = &["request", "request_line"];
const AGENT: &[&str] = &[
    "request.headers.User-Agent",
    "ClientRequestUserAgent",
    "proxy.userAgent",
    "http_user_agent",
    "request_user_agent",
    "user_agent",
    "userAgent",
];
const STATUS: &[&str] =
    &["status", "EdgeResponseStatus", "proxy.statusCode", "response_status", "status_code", "statusCode"];
const METHOD: &[&str] =
    &["request.method", "ClientRequestMethod", "proxy.method", "request_method", "method"];
const SCHEME: &[&str] = &["ClientRequestScheme", "proxy.scheme", "scheme"];

/// Objects with header fields: Caddy logs all of them, Cloudflare those that its user selected.
const HEADERS: &[&str] = &["request.headers", "RequestHeaders"];

/// Names of signature fields in nginx.
const SIGNATURE: [(&str, &str); 3] = [
    ("signature-agent", "http_signature_agent"),
    ("signature-input", "http_signature_input"),
    ("signature", "http_signature"),
];
const BYTES: &[&str] =
    &["size", "EdgeResponseBytes", "response_body_size", "body_bytes_sent", "bytes_sent", "bytes"];

/// Parses a line; returns `None` if it is not a request.
pub(super) fn read(line: &[u8]) -> Option<LogRequest<'static>> {
    // The parser limits nesting, and the line length limits the size.
    let object: Value = serde_json::from_slice(line).ok()?;
    let text = |names: &[&str]| names.iter().find_map(|name| text_of(find(&object, name)?));
    let mut host = text(HOST).map(|host| without_port(host.as_bytes()).to_vec());
    let mut target = match text(TARGET) {
        Some(target) => target.into_bytes(),
        None => target_of(Cow::Owned(text(REQUEST)?.into_bytes()))?.into_owned(),
    };
    if let Some((named, path)) = split_host(&target) {
        host = Some(named.to_vec());
        target = path.to_vec();
    }
    let number = |names: &[&str]| names.iter().find_map(|name| number_of(find(&object, name)?));
    Some(LogRequest {
        time_micros: TIME.iter().find_map(|name| time_of(find(&object, name)?))?,
        address: text(ADDRESS)?.into_bytes().into(),
        forwarded: text(FORWARDED).and_then(|text| present(Cow::Owned(text.into_bytes()))),
        host: host.map(Cow::Owned),
        target: target.into(),
        user_agent: user_agent(Cow::Owned(text(AGENT)?.into_bytes())),
        status: number(STATUS).and_then(|status| u16::try_from(status).ok()),
        bytes: number(BYTES),
        signature: signature(&object, text),
    })
}

/// Returns the signature fields of the line.
fn signature(object: &Value, text: impl Fn(&[&str]) -> Option<String>) -> Option<Box<LogSignature>> {
    let mut fields = Vec::new();
    for headers in HEADERS.iter().filter_map(|name| find(object, name)?.as_object()) {
        for (name, values) in headers {
            let values = match values {
                Value::Array(values) => values.as_slice(),
                value => std::slice::from_ref(value),
            };
            let texts = values.iter().filter_map(Value::as_str);
            fields.extend(texts.map(|value| (name.clone(), value.as_bytes().to_vec())));
        }
    }
    for (name, variable) in SIGNATURE {
        let value = find(object, variable).and_then(Value::as_str).filter(|value| *value != "-");
        fields.extend(value.map(|value| (name.to_owned(), value.as_bytes().to_vec())));
    }
    let mut signature = LogSignature::of(fields)?;
    signature.method =
        text(METHOD).or_else(|| text(REQUEST)?.split_once(' ').map(|(method, _)| method.to_owned()));
    signature.authority = text(HOST);
    // Caddy logs the TLS parameters if the connection used TLS.
    let has_tls = find(object, "request.tls").map(Value::is_object);
    signature.is_tls = text(SCHEME).map(|scheme| scheme.eq_ignore_ascii_case("https")).or(has_tls);
    Some(signature)
}

/// Returns the value at a key, or at a path of keys.
fn find<'v>(object: &'v Value, name: &str) -> Option<&'v Value> {
    name.split('.').try_fold(object, |value, part| {
        let fields = value.as_object()?;
        fields.get(part).or_else(|| {
            // Names of header fields are case-insensitive.
            fields.iter().find(|(name, _)| name.eq_ignore_ascii_case(part)).map(|(_, value)| value)
        })
    })
}

/// Returns a text, or the first of a list of texts.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => items.first()?.as_str().map(str::to_owned),
        _ => None,
    }
}

fn number_of(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// Parses a text, or seconds, milliseconds, microseconds or nanoseconds since 1970.
fn time_of(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => any_time(text.as_bytes()),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => times::of_number(whole),
            None => {
                let seconds = number.as_f64().filter(|seconds| (0.0..1e11).contains(seconds))?;
                #[expect(clippy::cast_possible_truncation, reason = "the range was looked at")]
                Some((seconds * 1e6).round() as i64)
            }
        },
        _ => None,
    }
}
