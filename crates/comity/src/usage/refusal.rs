//! HTTP answers that refuse a page: the kind of refusal, and the terms on which the page is available.
//!
//! A server may refuse a URL that robots.txt allows: because of a firewall, until the client pays, or until a browser
//! solves a challenge. Such a refusal applies only to the program that sent the request.

use super::citation::shown;
use super::document_findings::DocumentFindings;
use super::question::licenses_in_header;
use super::report::LicenseLink;
use crate::finding::Channel;
use crate::http::Headers;
use crate::policy;
use crate::words::words;

/// Maximum number of price fields of one answer that are stored.
const MAX_PRICES: usize = 16;

/// Header fields that state a price: Cloudflare's Pay Per Crawl, and x402.
const PRICES: [&str; 5] =
    ["crawler-price", "crawler-exact-price", "crawler-max-price", "payment-required", "x-payment-required"];

words! {
    /// The way in which a server refuses a page.
    RefusalKind as "refusal" {
        /// 401: credentials or a license token are required.
        Unauthorized = "unauthorized",
        /// 402: payment is required.
        PaymentRequired = "payment_required",
        /// 403: the page is refused to this client.
        Forbidden = "forbidden",
        /// 429: this client has sent too many requests.
        TooManyRequests = "too_many_requests",
        /// Any status: a browser challenge, recognized by one of the signs in
        /// [`ChallengeSign::all`](super::ChallengeSign::all).
        Challenge = "challenge",
    }
}

/// An HTTP answer that refuses a page to the program that requested it.
///
/// A refusal does not apply to other crawlers: a server may refuse one name or address and serve others.
///
/// ```
/// use comity::http::Headers;
/// use comity::usage::{Refusal, RefusalKind};
///
/// let headers = Headers::parse(
///     b"HTTP/1.1 402 Payment Required\r\n\
///       WWW-Authenticate: License error=\"insufficient_scope\"\r\n\
///       Link: <https://example.com/license.xml>; rel=\"license\"; type=\"application/rsl+xml\"\r\n\
///       crawler-price: USD 0.01\r\n",
/// )?;
/// let refusal = Refusal::of(402, &headers).unwrap();
/// assert_eq!(refusal.kind(), RefusalKind::PaymentRequired);
/// assert_eq!(refusal.licenses()[0].url(), "https://example.com/license.xml");
/// assert_eq!(refusal.license_error(), Some("insufficient_scope"));
/// assert_eq!(refusal.prices(), ["crawler-price: USD 0.01"]);
/// assert!(Refusal::of(200, &headers).is_none());
/// # Ok::<(), comity::http::HeadersTooLarge>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Refusal {
    /// The kind of refusal.
    kind: RefusalKind,
    /// The status code.
    status: u16,
    /// The sign by which the page was recognized as a browser challenge: a header field as sent, or `a page of
    /// SERVICE`.
    challenge: Option<String>,
    /// The RSL documents to which the answer links (RSL 1.0 §4.10 and §6.3.3).
    licenses: Vec<LicenseLink>,
    /// True if `WWW-Authenticate: License` requires a token of a license server (RSL 1.0 §6.3.2).
    wants_license_token: bool,
    /// The `error` of `WWW-Authenticate: License`, such as `invalid_token`.
    license_error: Option<String>,
    /// The header fields that state a price, with names in lower case.
    prices: Vec<String>,
}

impl Refusal {
    /// Reads the status and the header of an answer. Returns `None` if the answer is not a refusal.
    pub fn of(status: u16, headers: &Headers<'_>) -> Option<Self> {
        Refusal::new(status, headers, policy::in_header(headers))
    }

    /// Reads the status, the header and the start of the page. Returns `None` if the answer is not a refusal. Some
    /// browser challenges have status 200, and are recognized only by their page.
    ///
    /// ```
    /// use comity::http::Headers;
    /// use comity::usage::{Refusal, RefusalKind};
    ///
    /// let headers: Headers = [("Content-Type", "text/html")].into_iter().collect();
    /// let page = br#"<title>Making sure you are not a bot</title><script id="anubis_challenge" type="application/json">"#;
    /// let refusal = Refusal::of_page(200, &headers, page).unwrap();
    /// assert_eq!((refusal.kind(), refusal.challenge()), (RefusalKind::Challenge, Some("a page of Anubis")));
    /// assert!(Refusal::of(200, &headers).is_none());
    /// ```
    pub fn of_page(status: u16, headers: &Headers<'_>, body: &[u8]) -> Option<Self> {
        Refusal::new(status, headers, policy::of_answer(status, headers, body))
    }

    fn new(status: u16, headers: &Headers<'_>, challenge: Option<String>) -> Option<Self> {
        let kind = match status {
            _ if challenge.is_some() => RefusalKind::Challenge,
            401 => RefusalKind::Unauthorized,
            402 => RefusalKind::PaymentRequired,
            403 => RefusalKind::Forbidden,
            429 => RefusalKind::TooManyRequests,
            _ => return None,
        };
        let tokens: Vec<Vec<String>> =
            headers.get_all("www-authenticate").flat_map(license_challenges).collect();
        let prices = PRICES.iter().flat_map(|name| headers.get_all(name).map(move |value| (name, value)));
        Some(Refusal {
            kind,
            status,
            challenge,
            licenses: licenses_in_header(headers, &mut DocumentFindings::new(Channel::HttpHeader)),
            wants_license_token: !tokens.is_empty(),
            license_error: tokens.iter().find_map(|parameters| parameter(parameters, "error")),
            prices: prices
                .take(MAX_PRICES)
                .map(|(name, value)| format!("{name}: {}", shown(value)))
                .collect(),
        })
    }

    /// Returns the kind.
    pub fn kind(&self) -> RefusalKind {
        self.kind
    }

    /// Returns the status code.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the sign by which the page was recognized as a browser challenge: a header field as sent, or `a
    /// page of SERVICE`.
    pub fn challenge(&self) -> Option<&str> {
        self.challenge.as_deref()
    }

    /// Returns the RSL documents to which `Link` fields link.
    pub fn licenses(&self) -> &[LicenseLink] {
        &self.licenses
    }

    /// Returns true if `WWW-Authenticate: License` requires a token of a license server.
    pub fn wants_license_token(&self) -> bool {
        self.wants_license_token
    }

    /// Returns the `error` of `WWW-Authenticate: License`, such as `invalid_token`.
    pub fn license_error(&self) -> Option<&str> {
        self.license_error.as_deref()
    }

    /// Returns the header fields that state a price, with names in lower case.
    pub fn prices(&self) -> &[String] {
        &self.prices
    }
}

/// Returns the parameters of each challenge with the scheme `License` (RFC 9110 §11.6.1). A field may contain several
/// challenges.
fn license_challenges(value: &[u8]) -> Vec<Vec<String>> {
    let text = shown(value);
    let mut challenges: Vec<(bool, Vec<String>)> = Vec::new();
    for part in outside_quotes(&text, ',') {
        // In a parameter, `=` follows the first word. The first part of a challenge starts with its scheme.
        let first = part.split([' ', '\t', '=']).next().unwrap_or_default();
        let rest = part[first.len()..].trim_start();
        let parameter = match rest.starts_with('=') || first.is_empty() {
            true => part,
            false => {
                challenges.push((first.eq_ignore_ascii_case("license"), Vec::new()));
                rest
            }
        };
        if let Some((_, parameters)) = challenges.last_mut().filter(|_| !parameter.is_empty()) {
            parameters.push(parameter.to_owned());
        }
    }
    challenges.into_iter().filter_map(|(is_license, parameters)| is_license.then_some(parameters)).collect()
}

/// Splits a text at a separator outside of quoted strings, and trims the parts.
fn outside_quotes(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let parts = text.split(move |c: char| {
        let was_escaped = is_escaped;
        is_escaped = is_quoted && c == '\\' && !was_escaped;
        if c == '"' && !was_escaped {
            is_quoted = !is_quoted;
        }
        c == separator && !is_quoted
    });
    parts.map(str::trim)
}

/// Returns the value of a parameter, without quotation marks.
fn parameter(parameters: &[String], name: &str) -> Option<String> {
    parameters.iter().find_map(|part| {
        let (key, value) = part.split_once('=')?;
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"').to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(status: u16, fields: &[(&str, &str)]) -> Option<Refusal> {
        let headers: Headers<'_> = fields.iter().copied().collect();
        Refusal::of(status, &headers)
    }

    #[test]
    fn terms_of_a_refusal_are_returned() {
        let refusal = refusal(
            401,
            &[
                ("WWW-Authenticate", "Basic realm=\"x\""),
                ("WWW-Authenticate", "License error=\"invalid_token\", error_description=\"expired\""),
                ("Link", "<https://e.com/l.xml>; rel=license; type=application/rsl+xml"),
                ("Link", "<https://e.com/by>; rel=license"),
                ("Payment-Required", "eyJ4NDAyVmVyc2lvbiI6Mn0="),
            ],
        )
        .expect("a refusal");
        assert!(refusal.wants_license_token());
        assert_eq!(refusal.license_error(), Some("invalid_token"));
        assert_eq!(
            refusal.licenses().iter().map(LicenseLink::url).collect::<Vec<_>>(),
            ["https://e.com/l.xml"]
        );
        assert_eq!(refusal.prices(), ["payment-required: eyJ4NDAyVmVyc2lvbiI6Mn0="]);
        for (field, error) in [
            ("Basic realm=\"x\", License error=\"invalid_token\"", Some("invalid_token")),
            ("License realm=\"a, error=b\", error = \"c\"", Some("c")),
            ("license", None),
            ("Basic, License", None),
        ] {
            let refusal = self::refusal(401, &[("WWW-Authenticate", field)]).expect("a refusal");
            assert!(refusal.wants_license_token(), "{field}");
            assert_eq!(refusal.license_error(), error, "{field}");
        }
        assert!(
            !self::refusal(401, &[("WWW-Authenticate", "Basic realm=\"License\"")])
                .expect("one")
                .wants_license_token()
        );
    }
}
