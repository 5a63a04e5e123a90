//! The original request of an agent, parsed from the question of a gateway.
//!
//! A missing part may have a default. An unreadable part is an error, and so are two different values of a part.
//! Otherwise, the gateway could forward a request that differs from the checked request.

use std::net::{IpAddr, SocketAddr};

use comity::http::Headers;
use comity_identity::{MalformedRequest, Request};
use http::{HeaderMap, Method, Uri};
use url::Url;

use super::target::{Readings, origin_form, site};

/// Header field with the product token of the agent.
pub(super) const AGENT: &str = "comity-agent";

/// Header field with the scheme of the forwarded request.
pub(super) const SCHEME: &str = "comity-scheme";

/// Header field with the address of the agent, for gateways that send no `X-Forwarded-For`.
const CLIENT: &str = "comity-client";

/// Name of a header field that every signed request has.
const SIGNATURE_INPUT: &str = "signature-input";

/// A request that a gateway received from an agent and has not forwarded yet.
#[derive(Debug)]
pub(super) struct Original {
    readings: Readings,
    /// The product token of the agent, if the gateway sends it.
    pub(super) agent: Option<String>,
    /// The address of the agent, if the gateway sends it.
    pub(super) address: Option<IpAddr>,
    /// The request in its original spelling, if it is signed.
    pub(super) signed: Option<SignedRequest>,
}

/// The parts of a request, as raw bytes from the gateway.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RequestParts<'p> {
    pub(super) method: Option<&'p [u8]>,
    pub(super) scheme: Option<&'p [u8]>,
    pub(super) host: Option<&'p [u8]>,
    /// The request target of the request line, with the query.
    pub(super) target: Option<&'p [u8]>,
    pub(super) agent: Option<&'p [u8]>,
}

/// A signed request in its original spelling, which the signature covers.
#[derive(Debug)]
pub(super) struct SignedRequest {
    method: String,
    scheme: String,
    host: String,
    target: String,
    fields: Vec<(String, Vec<u8>)>,
}

impl SignedRequest {
    /// Returns the header fields.
    pub(super) fn headers(&self) -> Headers<'_> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect()
    }

    /// Returns the request for verification. `headers` must be the result of [`SignedRequest::headers`].
    pub(super) fn request<'r>(&'r self, headers: &'r Headers<'r>) -> Result<Request<'r>, MalformedRequest> {
        Request::received(&self.method, &self.scheme, &self.host, &self.target, headers)
    }
}

impl Original {
    /// Parses the parts of a request.
    ///
    /// # Errors
    ///
    /// Returns a message if a part is missing or unreadable.
    pub(super) fn new(parts: RequestParts<'_>) -> Result<Original, String> {
        let missing = |what: &str| format!("the gateway sends no {what}");
        let method = text("method", parts.method)?.unwrap_or("GET");
        Method::from_bytes(method.as_bytes()).map_err(|_| "the method is not a token".to_owned())?;
        let agent = text("agent", parts.agent)?.map(str::to_owned);
        let host = text("host", parts.host)?.ok_or_else(|| missing("host"))?;
        let scheme = text("scheme", parts.scheme)?;
        let scheme = || scheme.ok_or_else(|| format!("{}: send `{SCHEME}`", missing("scheme")));
        // The requests inside a tunnel are encrypted, so the decision about a tunnel concerns only its site. Methods
        // are case-sensitive (RFC 9110 §9.1).
        let is_site = |target: &[u8]| matches!(target, b"" | b"/") || target == host.as_bytes();
        let is_tunnel = method == "CONNECT" && parts.target.is_none_or(is_site);
        let (scheme, target) = if is_tunnel {
            ("https", b"/".into())
        } else {
            let target = parts.target.filter(|target| !target.is_empty()).ok_or_else(|| missing("target"))?;
            (scheme()?, origin_form(target, host)?)
        };
        let readings = Readings::of(&site(scheme, host)?, &target)?;
        let signed = SignedRequest {
            method: method.to_owned(),
            scheme: scheme.to_owned(),
            host: host.to_owned(),
            target: String::from_utf8_lossy(&target).into_owned(),
            fields: Vec::new(),
        };
        Ok(Original { readings, agent, address: None, signed: Some(signed).filter(|_| !is_tunnel) })
    }

    /// Returns the URL of the request, as the URL standard parses it.
    pub(super) fn url(&self) -> &Url {
        &self.readings.url
    }

    /// Returns every URL that the site may read in the request.
    pub(super) fn readings(&self) -> impl Iterator<Item = &[u8]> {
        self.readings.urls.iter().map(Vec::as_slice)
    }

    /// Adds the address of the agent, with or without a port.
    pub(super) fn with_address(mut self, address: Option<&str>) -> Self {
        self.address = address.and_then(|address| {
            address.parse().ok().or_else(|| address.parse::<SocketAddr>().ok().map(|address| address.ip()))
        });
        self
    }

    /// Adds the header fields of the request, if the request is signed. Skips `Host`, because the gateway may have
    /// replaced it with the host of this service.
    pub(super) fn with_fields<'h>(mut self, fields: impl Iterator<Item = (&'h str, &'h [u8])>) -> Self {
        let fields: Vec<(&str, &[u8])> = fields.collect();
        let is_signed = fields.iter().any(|(name, _)| name.eq_ignore_ascii_case(SIGNATURE_INPUT));
        let own = fields.into_iter().filter(|(name, _)| !name.eq_ignore_ascii_case("host"));
        self.signed = self.signed.filter(|_| is_signed).map(|signed| SignedRequest {
            fields: own.map(|(name, value)| (name.to_owned(), value.to_vec())).collect(),
            ..signed
        });
        self
    }

    /// Parses a question of nginx, Traefik or Caddy, which describe the original request in header fields.
    pub(super) fn of_forwarded(headers: &HeaderMap) -> Result<Original, String> {
        let original = Original::new(RequestParts {
            method: field(headers, "x-forwarded-method")?,
            scheme: scheme(headers)?,
            host: field(headers, "x-forwarded-host")?,
            target: field(headers, "x-forwarded-uri")?,
            agent: field(headers, AGENT)?,
        })?;
        // Each proxy appends the address of its peer, so the gateway has added the last address.
        let last = headers.get_all("x-forwarded-for").iter().next_back();
        let last = text("address", last.map(http::HeaderValue::as_bytes))?;
        let last = last.and_then(|list| list.rsplit(',').next()).map(str::trim);
        Ok(original.with_address(last).with_fields(all(headers)))
    }

    /// Parses a question of Envoy, which sends the original request with `prefix` before its path.
    pub(super) fn of_request(
        method: &str,
        uri: &Uri,
        prefix: &str,
        headers: &HeaderMap,
    ) -> Result<Original, String> {
        let whole = uri.path_and_query().and_then(|path| path.as_str().strip_prefix(prefix));
        let original = Original::new(RequestParts {
            method: Some(method.as_bytes()),
            scheme: scheme(headers)?,
            host: field(headers, "host")?,
            target: whole.map(str::as_bytes),
            agent: field(headers, AGENT)?,
        })?;
        let address = text("address", field(headers, CLIENT)?)?;
        Ok(original.with_address(address).with_fields(all(headers)))
    }
}

fn all(headers: &HeaderMap) -> impl Iterator<Item = (&str, &[u8])> {
    headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
}

fn scheme(headers: &HeaderMap) -> Result<Option<&[u8]>, String> {
    Ok(field(headers, SCHEME)?.or(field(headers, "x-forwarded-proto")?))
}

/// Returns the value of a field. Returns an error if the field has several lines with different values.
fn field<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h [u8]>, String> {
    let mut values = headers.get_all(name).iter().map(http::HeaderValue::as_bytes);
    let first = values.next();
    if values.any(|value| Some(value) != first) {
        return Err(format!("the gateway sends `{name}` twice, with different values"));
    }
    Ok(first)
}

/// Returns a part of the request as text, without surrounding white space. An empty part counts as missing.
fn text<'p>(name: &str, part: Option<&'p [u8]>) -> Result<Option<&'p str>, String> {
    let Some(part) = part else { return Ok(None) };
    let text =
        std::str::from_utf8(part).ok().filter(|text| text.bytes().all(|byte| matches!(byte, b' '..=b'~')));
    let text = text.ok_or_else(|| format!("the {name} has bytes that are not printable ASCII"))?;
    Ok(Some(text.trim()).filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn forwarded(fields: &[(&'static str, &[u8])]) -> Result<Original, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_bytes(value).unwrap());
        }
        Original::of_forwarded(&headers)
    }

    const HOST: (&str, &[u8]) = ("x-forwarded-host", b"example.com:8443");
    const PROTO: (&str, &[u8]) = ("x-forwarded-proto", b"https");
    const PATH: (&str, &[u8]) = ("x-forwarded-uri", b"/a");

    fn url(fields: &[(&'static str, &[u8])]) -> Option<String> {
        forwarded(fields).map(|original| original.url().to_string()).ok()
    }

    #[test]
    fn parts_of_a_request_form_its_url() {
        for (uri, expected) in [
            ("/a/b?c=d", "https://example.com:8443/a/b?c=d"),
            ("/", "https://example.com:8443/"),
            ("https://example.com:8443/a?b", "https://example.com:8443/a?b"),
            ("//double", "https://example.com:8443//double"),
        ] {
            let made = url(&[HOST, PROTO, ("x-forwarded-uri", uri.as_bytes())]);
            assert_eq!(made.as_deref(), Some(expected), "{uri}");
        }
        let tls = [HOST, PROTO, ("comity-scheme", b"http"), PATH];
        assert_eq!(url(&tls).as_deref(), Some("http://example.com:8443/a"));
        // Repeated lines with equal values count as one.
        assert_eq!(url(&[HOST, HOST, PROTO, PATH]).as_deref(), Some("https://example.com:8443/a"));
    }

    #[test]
    fn tunnel_is_decided_by_its_site_only() {
        let connect: (&str, &[u8]) = ("x-forwarded-method", b"CONNECT");
        let host: (&str, &[u8]) = ("x-forwarded-host", b"example.com:443");
        let http: (&str, &[u8]) = ("comity-scheme", b"http");
        let to = |target: &'static [u8]| url(&[connect, host, http, ("x-forwarded-uri", target)]);
        assert_eq!(url(&[connect, host]).as_deref(), Some("https://example.com/"));
        assert_eq!(to(b"example.com:443").as_deref(), Some("https://example.com/"));
        assert_eq!(to(b"/").as_deref(), Some("https://example.com/"));
        assert_eq!(to(b"other.example:443"), None);
        // Some gateways forward a path with the method CONNECT. Then robots.txt decides on the path.
        assert_eq!(to(b"/a").as_deref(), Some("http://example.com:443/a"));
        let lower = [("x-forwarded-method", &b"connect"[..]), host, http, PATH];
        assert_eq!(url(&lower).as_deref(), Some("http://example.com:443/a"));
    }

    #[test]
    fn missing_or_unreadable_part_is_an_error() {
        let error = |fields: &[(&'static str, &[u8])]| forwarded(fields).unwrap_err();
        assert!(error(&[PROTO, PATH]).contains("host"));
        assert!(error(&[PROTO, HOST]).contains("target"));
        assert!(error(&[HOST, PATH]).contains("comity-scheme"));
        let all = [
            HOST,
            PROTO,
            PATH,
            ("x-forwarded-method", b"GET"),
            ("comity-agent", b"a"),
            ("x-forwarded-for", b"::1"),
        ];
        assert!(forwarded(&all).is_ok());
        for at in 0..all.len() {
            for value in [&b"\xFF"[..], b"\xC3\xA9", b"a\tb"] {
                let mut changed = all;
                changed[at].1 = value;
                assert!(forwarded(&changed).is_err(), "{changed:?}");
            }
            if all[at].0 != "x-forwarded-for" {
                let twice = [&all[..], &[(all[at].0, b"/other")]].concat();
                assert!(error(&twice).contains("twice"), "{twice:?}");
            }
        }
    }

    #[test]
    fn address_of_the_agent_is_the_last_one_listed() {
        for (list, expected) in [
            (&b"192.0.2.1"[..], Some("192.0.2.1")),
            (b"203.0.113.9, 192.0.2.1:4711", Some("192.0.2.1")),
            (b"[2001:db8::1]:80", Some("2001:db8::1")),
            (b"2001:db8::1", Some("2001:db8::1")),
            (b"unknown", None),
            (b"", None),
        ] {
            let original = forwarded(&[
                HOST,
                PROTO,
                PATH,
                ("x-forwarded-for", b"198.51.100.7"),
                ("x-forwarded-for", list),
            ]);
            assert_eq!(
                original.unwrap().address,
                expected.map(|address| address.parse().unwrap()),
                "{list:?}"
            );
        }
    }
}
