//! The kinds of answers: the rows of every preset's table.

use std::borrow::Cow;

use super::answer::{Failure, Reply};
use crate::words::words;

words! {
    /// The availability of a robots.txt according to the transport (RFC 9309 §2.3.1).
    Availability as "availability" {
        /// The server sent a document.
        Available = "available",
        /// The server answers that it has no robots.txt for the crawler: 4xx.
        Unavailable = "unavailable",
        /// robots.txt is unknown: 5xx, or a network error.
        Unreachable = "unreachable",
    }
}

words! {
    /// A kind of answer to a request for robots.txt. Presets define one treatment for each kind.
    AnswerKind as "kind of answer" {
        /// 2xx with a body that can be read as a robots.txt. An empty body can be read, too.
        Success = "success" => "2xx",
        /// 2xx with a body that was not read to its end: it exceeds the preset's limit, or the client stopped reading.
        LongBody = "long_body" => "2xx, longer than the limit",
        /// 2xx with a body that resembles HTML and contains no record.
        HtmlSoft404 = "html_soft_404" => "2xx, HTML without a record",
        /// 2xx with a body in XML that is not a page and contains no record.
        XmlSoft404 = "xml_soft_404" => "2xx, XML without a record",
        /// 2xx with a body in JSON that contains no record.
        JsonSoft404 = "json_soft_404" => "2xx, JSON without a record",
        /// 2xx with a body that is not text, or not in its declared charset. A body with a record is undecodable only
        /// in `gym2008`.
        Undecodable = "undecodable" => "2xx, undecodable",
        /// 2xx with a browser challenge in place of a robots.txt: it has one of the signs of
        /// [`ChallengeSign::all`](super::ChallengeSign::all), and contains no record.
        Challenge = "challenge" => "2xx, a browser challenge",
        /// 2xx whose body is unknown, since the caller did not provide it, or since the answer is a 206 with a part of
        /// the file. An empty body is a [`Success`](AnswerKind::Success).
        MissingBody = "missing_body" => "2xx, body unknown",
        /// 304: the stored copy is still valid.
        NotModified = "not_modified" => "304",
        /// A 3xx that the client did not follow, except 304.
        UnfollowedRedirect = "unfollowed_redirect" => "3xx, not followed",
        /// [`Failure::Redirects`]: the redirects do not end at an answer.
        Redirects = "redirects" => "redirects exhausted",
        /// 401 and 403.
        AccessDenied = "access_denied" => "401, 403",
        /// 404.
        NotFound = "not_found" => "404",
        /// 410.
        Gone = "gone" => "410",
        /// 429.
        TooManyRequests = "too_many_requests" => "429",
        /// Any other 4xx.
        OtherClientError = "other_client_error" => "other 4xx",
        /// 5xx, 1xx, and codes that HTTP does not define (RFC 9110 §15).
        ServerError = "server_error" => "5xx",
        /// [`Failure::Timeout`]
        Timeout = "timeout" => "timeout",
        /// [`Failure::Dns`]
        Dns = "dns" => "DNS",
        /// [`Failure::Tls`]
        Tls = "tls" => "TLS",
        /// [`Failure::Connection`]
        Connection = "connection" => "refused, reset, cut off",
        /// [`Failure::Protocol`]
        Protocol = "protocol" => "no or broken HTTP",
        /// [`Failure::Guard`]
        Guard = "guard" => "rejected by the guard",
        /// [`Failure::Oversize`]
        Oversize = "oversize" => "oversize, nothing kept",
        /// [`Failure::UnsupportedCoding`]
        UnsupportedCoding = "unsupported_coding" => "content coding not supported",
        /// [`Failure::Local`]
        Local = "local" => "failed on the client's side",
    }
}

impl AnswerKind {
    /// Returns true if the answer is a document that is not a robots.txt.
    pub const fn is_parse_error(self) -> bool {
        matches!(
            self,
            AnswerKind::HtmlSoft404
                | AnswerKind::XmlSoft404
                | AnswerKind::JsonSoft404
                | AnswerKind::Undecodable
                | AnswerKind::Challenge
        )
    }

    /// Returns the label with a status code in place of the range of codes.
    ///
    /// ```
    /// use comity::policy::AnswerKind;
    ///
    /// assert_eq!(AnswerKind::ServerError.with_status(Some(503)), "503");
    /// assert_eq!(AnswerKind::HtmlSoft404.with_status(Some(200)), "200, HTML without a record");
    /// assert_eq!(AnswerKind::Dns.with_status(None), "DNS");
    /// ```
    pub fn with_status(self, status: Option<u16>) -> Cow<'static, str> {
        let label = self.label();
        let Some(status) = status else { return label.into() };
        match label.strip_prefix("2xx, ").or_else(|| label.strip_prefix("3xx, ")) {
            Some(remark) => format!("{status}, {remark}").into(),
            None => status.to_string().into(),
        }
    }

    /// Returns true if there was no usable HTTP answer, and therefore no header. Returns false for
    /// [`Redirects`](AnswerKind::Redirects), because the last redirect may have a header.
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

    /// Returns the kind of an answer by its status alone. The body of a 2xx answer may change the kind (`body.rs`).
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
            300..=399 => AnswerKind::UnfollowedRedirect,
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
