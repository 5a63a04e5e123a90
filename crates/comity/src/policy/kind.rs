//! Kinds of answer: the rows of every preset's table.

use std::fmt;

use super::answer::{Failure, Reply};

/// The availability of a robots.txt as the transport shows it (RFC 9309 §2.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Availability {
    /// It was served.
    Available,
    /// The server says that it has no robots.txt for us: 4xx.
    Unavailable,
    /// Nothing is known: 5xx, or a network error.
    Unreachable,
}

impl Availability {
    /// The availability's name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Availability::Available => "available",
            Availability::Unavailable => "unavailable",
            Availability::Unreachable => "unreachable",
        }
    }
}

impl fmt::Display for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A kind of answer to a request for robots.txt. Presets say one thing about each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum AnswerKind {
    /// 2xx with a body that can be read as a robots.txt, an empty one included.
    Success,
    /// 2xx with a body longer than the preset reads.
    LongBody,
    /// 2xx with a body that looks like HTML and holds not one record.
    #[cfg_attr(feature = "serde", serde(rename = "html_soft_404"))]
    HtmlSoft404,
    /// 2xx with a body in XML that is not a page and holds no record.
    #[cfg_attr(feature = "serde", serde(rename = "xml_soft_404"))]
    XmlSoft404,
    /// 2xx with a body in JSON that holds not one record.
    #[cfg_attr(feature = "serde", serde(rename = "json_soft_404"))]
    JsonSoft404,
    /// 2xx with a body that is not text, or not in the charset it claims, and holds no record.
    Undecodable,
    /// 304: the copy at hand is still good.
    NotModified,
    /// Redirects that lead nowhere: 3xx as the last word.
    Redirects,
    /// 401 and 403.
    AccessDenied,
    /// 404.
    NotFound,
    /// 410.
    Gone,
    /// 429.
    TooManyRequests,
    /// Any other 4xx.
    OtherClientError,
    /// 5xx, and codes that no HTTP answer has (RFC 9110 §15).
    ServerError,
    /// [`Failure::Timeout`]
    Timeout,
    /// [`Failure::Dns`]
    Dns,
    /// [`Failure::Tls`]
    Tls,
    /// [`Failure::Connection`]
    Connection,
    /// [`Failure::Protocol`]
    Protocol,
    /// [`Failure::Guard`]
    Guard,
    /// [`Failure::Oversize`]
    Oversize,
    /// [`Failure::UnsupportedCoding`]
    UnsupportedCoding,
    /// [`Failure::Local`]
    Local,
}

impl AnswerKind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [AnswerKind; 23] = [
        AnswerKind::Success,
        AnswerKind::LongBody,
        AnswerKind::HtmlSoft404,
        AnswerKind::XmlSoft404,
        AnswerKind::JsonSoft404,
        AnswerKind::Undecodable,
        AnswerKind::NotModified,
        AnswerKind::Redirects,
        AnswerKind::AccessDenied,
        AnswerKind::NotFound,
        AnswerKind::Gone,
        AnswerKind::TooManyRequests,
        AnswerKind::OtherClientError,
        AnswerKind::ServerError,
        AnswerKind::Timeout,
        AnswerKind::Dns,
        AnswerKind::Tls,
        AnswerKind::Connection,
        AnswerKind::Protocol,
        AnswerKind::Guard,
        AnswerKind::Oversize,
        AnswerKind::UnsupportedCoding,
        AnswerKind::Local,
    ];

    /// The kind's name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            AnswerKind::Success => "success",
            AnswerKind::LongBody => "long_body",
            AnswerKind::HtmlSoft404 => "html_soft_404",
            AnswerKind::XmlSoft404 => "xml_soft_404",
            AnswerKind::JsonSoft404 => "json_soft_404",
            AnswerKind::Undecodable => "undecodable",
            AnswerKind::NotModified => "not_modified",
            AnswerKind::Redirects => "redirects",
            AnswerKind::AccessDenied => "access_denied",
            AnswerKind::NotFound => "not_found",
            AnswerKind::Gone => "gone",
            AnswerKind::TooManyRequests => "too_many_requests",
            AnswerKind::OtherClientError => "other_client_error",
            AnswerKind::ServerError => "server_error",
            AnswerKind::Timeout => "timeout",
            AnswerKind::Dns => "dns",
            AnswerKind::Tls => "tls",
            AnswerKind::Connection => "connection",
            AnswerKind::Protocol => "protocol",
            AnswerKind::Guard => "guard",
            AnswerKind::Oversize => "oversize",
            AnswerKind::UnsupportedCoding => "unsupported_coding",
            AnswerKind::Local => "local",
        }
    }

    /// The kind in the words of a table.
    pub const fn label(self) -> &'static str {
        match self {
            AnswerKind::Success => "2xx",
            AnswerKind::LongBody => "2xx, longer than is read",
            AnswerKind::HtmlSoft404 => "2xx, HTML without a record",
            AnswerKind::XmlSoft404 => "2xx, XML without a record",
            AnswerKind::JsonSoft404 => "2xx, JSON without a record",
            AnswerKind::Undecodable => "2xx, undecodable",
            AnswerKind::NotModified => "304",
            AnswerKind::Redirects => "3xx, redirects exhausted",
            AnswerKind::AccessDenied => "401, 403",
            AnswerKind::NotFound => "404",
            AnswerKind::Gone => "410",
            AnswerKind::TooManyRequests => "429",
            AnswerKind::OtherClientError => "other 4xx",
            AnswerKind::ServerError => "5xx",
            AnswerKind::Timeout => "timeout",
            AnswerKind::Dns => "DNS",
            AnswerKind::Tls => "TLS",
            AnswerKind::Connection => "refused, reset, cut off",
            AnswerKind::Protocol => "no or broken HTTP",
            AnswerKind::Guard => "refused by the guard",
            AnswerKind::Oversize => "oversize, nothing kept",
            AnswerKind::UnsupportedCoding => "content coding not supported",
            AnswerKind::Local => "failed on our own side",
        }
    }

    /// Returns whether something was served that is not a robots.txt.
    pub const fn is_parse_error(self) -> bool {
        matches!(
            self,
            AnswerKind::HtmlSoft404
                | AnswerKind::XmlSoft404
                | AnswerKind::JsonSoft404
                | AnswerKind::Undecodable
        )
    }

    /// Returns whether there was no HTTP answer, and therefore no header. Redirects that lead nowhere may be either.
    pub const fn is_failure(self) -> bool {
        matches!(
            self,
            AnswerKind::Timeout
                | AnswerKind::Dns
                | AnswerKind::Tls
                | AnswerKind::Connection
                | AnswerKind::Protocol
                | AnswerKind::Guard
                | AnswerKind::Oversize
                | AnswerKind::UnsupportedCoding
                | AnswerKind::Local
        )
    }

    /// The kind of an answer as far as its status tells. Of a 2xx the body says more (`body.rs`).
    pub(super) const fn of(reply: Reply) -> AnswerKind {
        match reply {
            Reply::Status(code) => AnswerKind::of_status(code),
            Reply::Failure(failure) => AnswerKind::of_failure(failure),
        }
    }

    const fn of_status(code: u16) -> AnswerKind {
        match code {
            200..=299 => AnswerKind::Success,
            304 => AnswerKind::NotModified,
            300..=399 => AnswerKind::Redirects,
            401 | 403 => AnswerKind::AccessDenied,
            404 => AnswerKind::NotFound,
            410 => AnswerKind::Gone,
            429 => AnswerKind::TooManyRequests,
            400..=499 => AnswerKind::OtherClientError,
            _ => AnswerKind::ServerError,
        }
    }

    const fn of_failure(failure: Failure) -> AnswerKind {
        match failure {
            Failure::Redirects => AnswerKind::Redirects,
            Failure::Timeout => AnswerKind::Timeout,
            Failure::Dns => AnswerKind::Dns,
            Failure::Tls => AnswerKind::Tls,
            Failure::Connection => AnswerKind::Connection,
            Failure::Protocol => AnswerKind::Protocol,
            Failure::Guard => AnswerKind::Guard,
            Failure::Oversize => AnswerKind::Oversize,
            Failure::UnsupportedCoding => AnswerKind::UnsupportedCoding,
            Failure::Local => AnswerKind::Local,
        }
    }
}

impl fmt::Display for AnswerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
