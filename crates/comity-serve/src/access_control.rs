//! Access control: accepts or refuses requests, and identifies their callers.
//!
//! Any web page can make a browser send requests to loopback addresses. So requests to loopback are checked, too.
//! `Host` is checked because a hostname of an attacker may resolve to this machine (DNS rebinding). `Origin` and
//! `Sec-Fetch-Site` are checked because a page of another site may have sent the request. Bodies must be JSON, which
//! HTML forms cannot send.

use std::net::IpAddr;

use http::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};
use http::{HeaderMap, Uri};
use sha2::{Digest, Sha256};

use crate::options::ServiceOptions;
use crate::problem::{Kind, Problem};

// Headers in which browsers describe the origin of a request (Fetch Metadata).
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    Address {
        remote: IpAddr,
        /// Local address of the connection.
        local: Option<IpAddr>,
    },
    /// A Unix socket. Its file permissions control who may connect.
    Socket,
}

/// A client of the service. Quotas and fair shares apply to each caller separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Caller {
    /// The holder of the token with this index.
    Token(usize),
    /// A client without a token: its IPv4 address, or the first 64 bits of its IPv6 address, since a host can use every
    /// address with these bits.
    Address(IpAddr),
    /// All clients of the Unix socket.
    Socket,
    /// An agent behind a gateway, as a keyed hash of gateway, product token and address.
    Agent(u64),
}

impl std::fmt::Display for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Caller::Token(index) => write!(f, "token {}", index + 1),
            Caller::Address(address) => address.fmt(f),
            Caller::Socket => f.write_str("socket"),
            Caller::Agent(number) => write!(f, "agent {number:016x}"),
        }
    }
}

/// Access control of the service.
#[derive(Debug)]
pub(crate) struct AccessControl {
    /// Digests of the tokens. The duration of a comparison of digests reveals nothing about a token.
    tokens: Vec<[u8; 32]>,
    /// Accepted hostnames and addresses, in lower case, without the trailing dot.
    names: Vec<String>,
}

impl AccessControl {
    pub(crate) fn new(options: &ServiceOptions) -> AccessControl {
        AccessControl {
            tokens: options.tokens.iter().map(|token| Sha256::digest(token).into()).collect(),
            names: options.names.iter().map(|name| name.trim_end_matches('.').to_ascii_lowercase()).collect(),
        }
    }

    /// Returns the caller of a connection without a token.
    pub(crate) fn anonymous_caller(peer: Peer) -> Caller {
        match peer {
            Peer::Socket => Caller::Socket,
            Peer::Address { remote, .. } => Caller::Address(AccessControl::network(remote)),
        }
    }

    /// Returns an IPv4 address unchanged, and an IPv6 address with only its first 64 bits.
    pub(crate) fn network(address: IpAddr) -> IpAddr {
        match address.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) & !u128::from(u64::MAX)).into()),
            v4 => v4,
        }
    }

    /// Checks `Host` and the header fields about the web page that sent the request.
    ///
    /// If `is_document` is true, a link on a page of another site may open the document.
    ///
    /// # Errors
    ///
    /// Returns a problem for a repeated `Host`, for a request of a page of another site, and, over TCP without tokens, for a
    /// foreign `Host`.
    pub(crate) fn check_page(
        &self,
        peer: Peer,
        uri: &Uri,
        headers: &HeaderMap,
        is_document: bool,
    ) -> Result<(), Problem> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next().map(|host| host.to_str().unwrap_or_default());
        if hosts.next().is_some() {
            // A proxy in front of the service may have checked the other field (RFC 9112, section 3.2).
            return Err(Problem::new(Kind::BadQuestion, "the request has more than one `Host`"));
        }
        let host = uri.authority().map(|authority| authority.as_str()).or(host).unwrap_or_default();
        if let Peer::Address { local, .. } = peer
            && self.tokens.is_empty()
            && !self.is_own_host(host, local)
        {
            let shown = comity::shown::short(host.as_bytes(), 80);
            return Err(Problem::new(
                Kind::ForeignHost,
                format!(
                    "`{shown}` is neither `localhost` nor the address of the service; allow the name with `--name` (in a \
                     Rust program, `ServiceOptions::names`), or require tokens, with which any name is accepted"
                ),
            ));
        }
        let foreign =
            |what: &str| Problem::new(Kind::ForeignOrigin, format!("the request comes from {what}"));
        let says = |name: HeaderName, word: &str| headers.get(name).is_some_and(|value| value == word);
        // The user followed a link. The page with the link cannot read the answer.
        let is_opened = is_document && says(SEC_FETCH_MODE, "navigate") && says(SEC_FETCH_DEST, "document");
        let is_of_another = headers
            .get(SEC_FETCH_SITE)
            .is_some_and(|site| !matches!(site.as_bytes(), b"same-origin" | b"none"));
        if is_of_another && !is_opened {
            return Err(foreign("a page of another site"));
        }
        match headers.get(ORIGIN) {
            Some(origin) if !is_own(origin.as_bytes(), host) => {
                let shown = comity::shown::short(origin.as_bytes(), 80);
                Err(foreign(&format!("`{shown}`, which is not the service itself")))
            }
            _ => Ok(()),
        }
    }

    /// Returns the caller: the holder of the token that the request sends, or the peer if the service requires no
    /// token.
    pub(crate) fn caller(&self, peer: Peer, headers: &HeaderMap) -> Result<Caller, Problem> {
        if self.tokens.is_empty() {
            return Ok(AccessControl::anonymous_caller(peer));
        }
        self.holder(headers).ok_or_else(|| {
            let detail = match bearer(headers) {
                None => "send a token: `Authorization: Bearer TOKEN`",
                Some(_) => "the service does not accept this token",
            };
            Problem::new(Kind::NoToken, detail)
        })
    }

    /// Returns the holder of the token that a request sends, if the token is valid.
    pub(crate) fn holder(&self, headers: &HeaderMap) -> Option<Caller> {
        let digest: [u8; 32] = Sha256::digest(bearer(headers)?).into();
        self.tokens.iter().position(|known| *known == digest).map(Caller::Token)
    }

    /// Returns true if a host belongs to the service: a configured name, a loopback address, or the local address of
    /// the connection. Returns false for other addresses of this machine, such as `0.0.0.0`: a web page can request
    /// this address, and browsers then send no `Sec-Fetch-Site`.
    fn is_own_host(&self, host: &str, local: Option<IpAddr>) -> bool {
        let name = without_port(host);
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        if let Ok(address) = bare.parse::<IpAddr>() {
            // Behind a translation of addresses, the address of the connection is not the one that callers name.
            let is_named = || self.names.iter().any(|known| known.parse() == Ok(address));
            return address.is_loopback()
                || local.is_some_and(|local| local.to_canonical() == address)
                || is_named();
        }
        let name = name.trim_end_matches('.');
        let is = |known: &str| known.eq_ignore_ascii_case(name);
        is("localhost") || self.names.iter().any(|known| is(known))
    }
}

/// Returns the bearer token that a request sends.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// Returns a host without its port. A colon inside brackets is part of an IPv6 address.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

/// Returns true if the value of `Origin` is the service itself: `http://HOST`, or `https://HOST` if a proxy terminates
/// TLS.
fn is_own(origin: &[u8], host: &str) -> bool {
    let rest =
        [b"http://".as_slice(), b"https://"].into_iter().find_map(|scheme| origin.strip_prefix(scheme));
    rest.is_some_and(|rest| !host.is_empty() && rest.eq_ignore_ascii_case(host.as_bytes()))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn access_control(tokens: &[&str], names: &[&str]) -> AccessControl {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        AccessControl::new(&ServiceOptions {
            tokens: own(tokens),
            names: own(names),
            ..ServiceOptions::default()
        })
    }

    const LOOPBACK: Peer = Peer::Address {
        remote: IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
        local: Some(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST)),
    };

    fn kind(access_control: &AccessControl, fields: &[(&'static str, &str)]) -> Option<Kind> {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.insert(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let uri = Uri::from_static("/v1/check");
        access_control.check_page(LOOPBACK, &uri, &headers, false).err().map(|problem| problem.kind)
    }

    #[test]
    fn foreign_host_name_is_refused() {
        let access_control = access_control(&[], &["Comity.example."]);
        for own in [
            "localhost",
            "LOCALHOST:7273",
            "localhost.",
            "127.0.0.1:7273",
            "[::1]:7273",
            "[::1]",
            "127.0.0.2",
            "comity.example:80",
        ] {
            assert_eq!(kind(&access_control, &[("host", own)]), None, "{own}");
        }
        for foreign in [
            "",
            "evil.example",
            "evil.example:7273",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "notcomity.example",
            "localhost:x",
            "::1:99999x",
            "192.0.2.1",
            "0.0.0.0:7273",
            "[::]",
            "[::ffff:127.0.0.1]:7273",
            "0",
        ] {
            assert_eq!(kind(&access_control, &[("host", foreign)]), Some(Kind::ForeignHost), "{foreign}");
        }
        assert_eq!(kind(&access_control, &[]), Some(Kind::ForeignHost));
    }

    #[test]
    fn local_address_of_the_connection_is_an_own_host() {
        let access_control = access_control(&[], &[]);
        let is_ours = |local: &str, host: &str| {
            let local: Option<IpAddr> = local.parse().ok();
            access_control.is_own_host(host, local)
        };
        for (local, host) in [
            ("192.0.2.1", "192.0.2.1:7273"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8::1", "[2001:db8::1]:1"),
        ] {
            assert!(is_ours(local, host), "{local} {host}");
        }
        for (local, host) in
            [("192.0.2.1", "192.0.2.2"), ("127.0.0.1", "0.0.0.0"), ("", "192.0.2.1"), ("::1", "[::]")]
        {
            assert!(!is_ours(local, host), "{local} {host}");
        }
    }

    #[test]
    fn second_host_field_is_refused() {
        for tokens in [&[][..], &["t"]] {
            let mut headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static("localhost"))]);
            let check = |headers: &HeaderMap| {
                let checked =
                    access_control(tokens, &[]).check_page(LOOPBACK, &Uri::from_static("/"), headers, false);
                checked.err().map(|problem| problem.kind)
            };
            assert_eq!(check(&headers), None);
            headers.append(HOST, HeaderValue::from_static("localhost"));
            assert_eq!(check(&headers), Some(Kind::BadQuestion));
        }
    }

    #[test]
    fn any_host_name_is_accepted_with_a_token() {
        assert_eq!(kind(&access_control(&["t"], &[]), &[("host", "comity.internal")]), None);
    }

    #[test]
    fn request_from_a_page_of_another_site_is_refused() {
        let access_control = access_control(&[], &[]);
        let at =
            |origin: &'static str| kind(&access_control, &[("host", "localhost:7273"), ("origin", origin)]);
        assert_eq!(at("http://localhost:7273"), None);
        assert_eq!(at("https://localhost:7273"), None);
        for foreign in [
            "null",
            "https://evil.example",
            "http://localhost",
            "http://localhost:7274",
            "http://127.0.0.1:7273",
            "http://localhost:7273.evil.example",
            "file://",
        ] {
            assert_eq!(at(foreign), Some(Kind::ForeignOrigin), "{foreign}");
        }
        for (site, expected) in [
            ("same-origin", None),
            ("none", None),
            ("same-site", Some(Kind::ForeignOrigin)),
            ("cross-site", Some(Kind::ForeignOrigin)),
        ] {
            assert_eq!(
                kind(&access_control, &[("host", "localhost"), ("sec-fetch-site", site)]),
                expected,
                "{site}"
            );
        }
    }

    #[test]
    fn token_identifies_its_caller() {
        let access_control = access_control(&["first", "second"], &[]);
        let caller = |value: &'static str| {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(value))]);
            access_control.caller(LOOPBACK, &headers).ok()
        };
        assert_eq!(caller("Bearer second"), Some(Caller::Token(1)));
        assert_eq!(caller("bearer first"), Some(Caller::Token(0)));
        for wrong in ["Bearer third", "Bearer", "Bearer ", "Basic first", "first", "Bearer first second"] {
            assert_eq!(caller(wrong), None, "{wrong}");
        }
        assert!(access_control.caller(LOOPBACK, &HeaderMap::new()).is_err());
    }

    #[test]
    fn ipv6_network_is_one_caller() {
        let caller = |text: &str| {
            AccessControl::anonymous_caller(Peer::Address { remote: text.parse().unwrap(), local: None })
        };
        assert_eq!(caller("2001:db8::1"), caller("2001:db8::ffff:1"));
        assert_ne!(caller("2001:db8::1"), caller("2001:db8:0:1::1"));
        assert_eq!(caller("::ffff:192.0.2.1"), caller("192.0.2.1"));
        assert_ne!(caller("192.0.2.1"), caller("192.0.2.2"));
    }
}
