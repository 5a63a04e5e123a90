//! A request, for logs.

use std::time::Duration;

use serde::Serialize;

/// A request whose answer began. As JSON it is a line of a log. No text of a URL, a body or a token is in it.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct RequestLog<'a> {
    /// The identity of the request, which its answer has as `x-request-id`.
    pub request_id: &'a str,
    /// Who asked: `token 1`, an address, or `socket`.
    pub caller: &'a str,
    /// The method.
    pub method: &'a str,
    /// What was asked: `/v1/check`; `-` for what does not exist.
    pub route: &'a str,
    /// The status code.
    pub status: u16,
    /// How long it took until the answer began.
    #[serde(rename = "seconds", serialize_with = "as_seconds")]
    pub took: Duration,
}

fn as_seconds<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}
