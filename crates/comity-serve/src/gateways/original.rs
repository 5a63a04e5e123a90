//! The request that is judged, as a gateway tells of it.

use comity::http::Headers;
use comity_identity::{MalformedRequest, Request};
use http::{HeaderMap, Uri};
use url::Url;

use crate::context::web_url;

/// The field that names the agent, and the one that names the scheme in which the gateway will send the request.
pub(super) const AGENT: &str = "comity-agent";
pub(super) const SCHEME: &str = "comity-scheme";

/// The field without which no request is signed.
const SIGNATURE_INPUT: &str = "signature-input";

/// A request on its way to a site.
#[derive(Debug)]
pub(super) struct Original {
    pub(super) url: Url,
    /// The product token of the agent that sends it, if the gateway says so.
    pub(super) agent: Option<String>,
    /// The request as the agent sent it, if it is signed.
    pub(super) signed: Option<Signed>,
}

/// A signed request, in the spelling in which it was sent.
#[derive(Debug)]
pub(super) struct Signed {
    method: String,
    url: String,
    fields: Vec<(String, Vec<u8>)>,
}

impl Signed {
    /// Returns the header fields.
    pub(super) fn headers(&self) -> Headers<'_> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect()
    }

    /// Returns the request with these header fields, which are its own.
    pub(super) fn request<'r>(&'r self, headers: &'r Headers<'r>) -> Result<Request<'r>, MalformedRequest> {
        Request::spelled(&self.method, &self.url, headers)
    }
}

impl Original {
    /// Puts together what a gateway says. `path` has the query, too.
    pub(super) fn new(
        (method, scheme): (&str, Option<&str>),
        host: Option<&str>,
        path: Option<&str>,
        agent: Option<&str>,
    ) -> Result<Original, String> {
        let host =
            host.filter(|host| !host.is_empty()).ok_or("the gateway does not say which host is meant")?;
        // A tunnel: nothing of what will pass through it is known but the site.
        let is_tunnel = method.eq_ignore_ascii_case("CONNECT");
        let scheme = match scheme {
            _ if is_tunnel => "https",
            Some(scheme) => scheme,
            None => return Err(format!("the gateway does not say which scheme is meant: send `{SCHEME}`")),
        };
        let path = path.filter(|path| path.starts_with('/') && !is_tunnel).unwrap_or("/");
        // A host with a path or a user in it would lead to a decision about another site than the one that is asked.
        if host.contains(['/', '\\', '?', '#', '@']) || host.contains(char::is_whitespace) {
            return Err("what the gateway names as the host is not a host".to_owned());
        }
        let agent = agent.map(str::trim).filter(|agent| !agent.is_empty()).map(str::to_owned);
        let sent = format!("{scheme}://{host}{path}");
        let url = web_url(&sent)?;
        let signed = Signed { method: method.to_owned(), url: sent, fields: Vec::new() };
        Ok(Original { url, agent, signed: Some(signed).filter(|_| !is_tunnel) })
    }

    /// Adds the header fields of the request, if the request is signed. It leaves out `Host`, which the gateway may have set for
    /// its own question.
    pub(super) fn with_fields<'h>(mut self, fields: impl Iterator<Item = (&'h str, &'h [u8])>) -> Self {
        let fields: Vec<(&str, &[u8])> = fields.collect();
        let is_signed = fields.iter().any(|(name, _)| name.eq_ignore_ascii_case(SIGNATURE_INPUT));
        let own = fields.into_iter().filter(|(name, _)| !name.eq_ignore_ascii_case("host"));
        self.signed = self.signed.filter(|_| is_signed).map(|signed| Signed {
            fields: own.map(|(name, value)| (name.to_owned(), value.to_vec())).collect(),
            ..signed
        });
        self
    }

    /// Reads the fields that nginx, Traefik and Caddy send.
    pub(super) fn of_forwarded(headers: &HeaderMap) -> Result<Original, String> {
        let scheme = text(headers, SCHEME).or(text(headers, "x-forwarded-proto"));
        let method = text(headers, "x-forwarded-method").unwrap_or("GET");
        let (host, path) = (text(headers, "x-forwarded-host"), text(headers, "x-forwarded-uri"));
        // A forward proxy may be sent a whole URL.
        let path = path.map(path_of);
        let original = Original::new((method, scheme), host, path, text(headers, AGENT))?;
        Ok(original.with_fields(all(headers)))
    }

    /// Reads the request that Envoy sends in place of the original one, behind a prefix.
    pub(super) fn of_request(
        method: &str,
        uri: &Uri,
        prefix: &str,
        headers: &HeaderMap,
    ) -> Result<Original, String> {
        let scheme = text(headers, SCHEME).or(text(headers, "x-forwarded-proto"));
        let whole = uri.path_and_query().map_or("/", |path| path.as_str());
        let path = whole.strip_prefix(prefix);
        let original = Original::new((method, scheme), text(headers, "host"), path, text(headers, AGENT))?;
        Ok(original.with_fields(all(headers)))
    }
}

fn all(headers: &HeaderMap) -> impl Iterator<Item = (&str, &[u8])> {
    headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
}

/// Returns the path of what may be a whole URL.
fn path_of(target: &str) -> &str {
    let rest = target.split_once("://").map(|(_, rest)| rest);
    match rest {
        Some(rest) if !target.starts_with('/') => rest.find('/').map_or("/", |at| &rest[at..]),
        _ => target,
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn forwarded(fields: &[(&'static str, &'static str)]) -> Result<String, String> {
        let fields =
            fields.iter().map(|(name, value)| ((*name).parse().unwrap(), HeaderValue::from_static(value)));
        Original::of_forwarded(&fields.collect()).map(|original| original.url.to_string())
    }

    #[test]
    fn the_parts_of_a_request_make_its_url() {
        let host = ("x-forwarded-host", "example.com:8443");
        let proto = ("x-forwarded-proto", "https");
        for (uri, url) in [
            ("/a/b?c=d", "https://example.com:8443/a/b?c=d"),
            ("/", "https://example.com:8443/"),
            ("http://other.example/a?b", "https://example.com:8443/a?b"),
            ("//double", "https://example.com:8443//double"),
        ] {
            assert_eq!(forwarded(&[host, proto, ("x-forwarded-uri", uri)]).as_deref(), Ok(url), "{uri}");
        }
        assert_eq!(forwarded(&[host, proto]).as_deref(), Ok("https://example.com:8443/"));
        let tls = [host, proto, ("comity-scheme", "http"), ("x-forwarded-uri", "/a")];
        assert_eq!(forwarded(&tls).as_deref(), Ok("http://example.com:8443/a"));
    }

    #[test]
    fn a_tunnel_is_the_site_alone() {
        let connect = ("x-forwarded-method", "CONNECT");
        let site = ("x-forwarded-host", "example.com:443");
        assert_eq!(forwarded(&[connect, site]).as_deref(), Ok("https://example.com/"));
    }

    #[test]
    fn what_is_not_said_is_not_guessed() {
        let proto = ("x-forwarded-proto", "https");
        assert!(forwarded(&[proto]).unwrap_err().contains("host"));
        assert!(forwarded(&[("x-forwarded-host", "example.com")]).unwrap_err().contains("comity-scheme"));
        for host in ["a.example/b", "user@a.example", "a.example?", "a b", "a.example\\b", "a.example#"] {
            assert!(forwarded(&[proto, ("x-forwarded-host", host)]).is_err(), "{host}");
        }
        assert!(forwarded(&[("x-forwarded-proto", "ftp"), ("x-forwarded-host", "a.example")]).is_err());
    }
}
