//! The facts of a message that signatures cover.

use comity::http::Headers;
use url::Url;

/// A request, as it is about to be sent or as a server received it.
///
/// ```
/// use comity::http::Headers;
/// use comity_identity::Request;
///
/// let headers = Headers::new();
/// let sent = Request::new("GET", &"https://Example.com:443/a?b".parse()?, &headers);
/// let received = Request::received("GET", "https", "example.com", "/a?b", &headers)?;
/// assert_eq!(sent.target_uri(), "https://example.com/a?b");
/// assert_eq!(sent.target_uri(), received.target_uri());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Request<'a> {
    method: &'a str,
    scheme: String,
    /// In lower case, without the default port of the scheme (RFC 9421 §2.2.3).
    authority: String,
    path: String,
    query: Option<String>,
    headers: &'a Headers<'a>,
    /// True if the request names two hosts: one in its URL, and another in the field `Host`.
    has_other_host: bool,
}

impl<'a> Request<'a> {
    /// Creates a request that is about to be sent. The fragment and the credentials of a URL are not part of it.
    pub fn new(method: &'a str, target: &Url, headers: &'a Headers<'a>) -> Self {
        let host = target.host_str().unwrap_or_default();
        let authority = match target.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        Request {
            method,
            scheme: target.scheme().to_owned(),
            authority,
            path: target.path().to_owned(),
            query: target.query().map(str::to_owned),
            headers,
            has_other_host: false,
        }
    }

    /// Creates a request from the parts that a server received: the method, the scheme of the connection (on the client's side,
    /// if a proxy terminates TLS), the value of `Host` or `:authority`, and the unchanged request target.
    ///
    /// The target may be in origin form (`/path?query`) or in absolute form. In absolute form, its scheme and authority are used.
    /// But a connection without TLS is never `https`, even if the target has that scheme.
    ///
    /// # Errors
    ///
    /// Returns [`MalformedRequest`] if the authority or the target has another form.
    pub fn received(
        method: &'a str,
        connection: &str,
        authority: &str,
        target: &str,
        headers: &'a Headers<'a>,
    ) -> Result<Self, MalformedRequest> {
        let (scheme, authority, target) = match target.split_once("://") {
            Some((scheme, rest)) if !target.starts_with('/') => {
                let end = rest.find(['/', '?']).unwrap_or(rest.len());
                let (authority, target) = rest.split_at(end);
                (target_scheme(connection, scheme), authority, target)
            }
            _ if target.starts_with('/') => (connection, authority, target),
            _ => return Err(MalformedRequest("the target is neither a path nor an absolute URI")),
        };
        if !target.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(MalformedRequest("the target has characters that have to be percent-encoded"));
        }
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (target, None),
        };
        let scheme = scheme.to_ascii_lowercase();
        Ok(Request {
            method,
            authority: normal_authority(&scheme, authority)?,
            scheme,
            path: if path.is_empty() { "/".to_owned() } else { path.to_owned() },
            query,
            headers,
            has_other_host: false,
        })
    }

    /// Creates a request from its URL in the exact spelling that is sent or was received. The fragment and the credentials of the
    /// URL are not part of the request.
    ///
    /// The field `Host`, if present, is the authority of the request, as for servers. A received request has to name the same
    /// host in its URL; otherwise, a [`Verifier`](crate::Verifier) reports it as [invalid](crate::Invalid::OtherHost).
    ///
    /// ```
    /// use comity::http::Headers;
    /// use comity_identity::Request;
    ///
    /// let headers: Headers = [("Host", "Example.com:443")].into_iter().collect();
    /// let request = Request::spelled("GET", "https://example.com/a%2fb?c='d'#e", &headers)?;
    /// assert_eq!(request.target_uri(), "https://example.com/a%2fb?c='d'");
    /// # Ok::<(), comity_identity::MalformedRequest>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`MalformedRequest`] if the URL has no scheme, if its host or target has a form that no request may have, or if
    /// there are several `Host` fields.
    pub fn spelled(method: &'a str, url: &str, headers: &'a Headers<'a>) -> Result<Self, MalformedRequest> {
        let sent = url.split('#').next().unwrap_or_default();
        let (scheme, rest) = sent.split_once("://").ok_or(MalformedRequest("the URL has no scheme"))?;
        let (authority, target) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let mut hosts = headers.get_all("host");
        let named = authority.rsplit('@').next().unwrap_or_default();
        let authority = match hosts.next() {
            Some(_) if hosts.next().is_some() => return Err(MalformedRequest::TWO_HOSTS),
            Some(host) => std::str::from_utf8(host).unwrap_or_default(),
            None => named,
        };
        let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
        Request::received(method, scheme, authority, &target, headers)?.check_host(named)
    }

    /// Compares the authority of the request with another authority, and records a difference.
    pub(crate) fn check_host(self, authority: &str) -> Result<Self, MalformedRequest> {
        let has_other_host = normal_authority(&self.scheme, authority)? != self.authority;
        Ok(Request { has_other_host, ..self })
    }

    /// Returns true if the request names two hosts: one in its URL, and another in the field `Host`.
    pub(crate) fn has_other_host(&self) -> bool {
        self.has_other_host
    }

    /// Returns the method, as written.
    pub fn method(&self) -> &str {
        self.method
    }

    /// Returns the scheme, in lower case.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Returns the host in lower case, with the port if it is not that of the scheme.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Returns the path, which is never empty.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the part after the question mark; `None` without a question mark.
    pub fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    /// Returns path and query in origin form.
    pub(crate) fn origin_form(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// Returns the full target URI.
    pub fn target_uri(&self) -> String {
        format!("{}://{}{}", self.scheme, self.authority, self.origin_form())
    }

    /// Returns the request with other header fields.
    pub(crate) fn with_headers<'b>(&'b self, headers: &'b Headers<'b>) -> Request<'b> {
        Request { headers, ..self.clone() }
    }

    /// Returns the header fields.
    pub fn headers(&self) -> &'a Headers<'a> {
        self.headers
    }
}

fn normal_authority(scheme: &str, authority: &str) -> Result<String, MalformedRequest> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'/' | b'?' | b'#' | b'@' | b',');
    if authority.is_empty() || !authority.bytes().all(is_plain) {
        return Err(MalformedRequest("the authority is not a host with an optional port"));
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port),
        _ => (authority, ""),
    };
    let is_address = host.starts_with('[') && host.ends_with(']');
    let is_host = !host.is_empty() && (is_address || !host.contains([':', '[', ']']));
    if !is_host || !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(MalformedRequest("the authority is not a host with an optional port"));
    }
    let is_default = matches!((scheme, port), (_, "") | ("https", "443") | ("http", "80"));
    Ok(if is_default { host } else { authority }.to_ascii_lowercase())
}

/// Returns the scheme of a target in absolute form, or the scheme of a connection without TLS.
fn target_scheme<'s>(connection: &'s str, target: &'s str) -> &'s str {
    if connection.eq_ignore_ascii_case("https") { target } else { connection }
}

/// The error for a request of an unknown or malformed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MalformedRequest(&'static str);

impl MalformedRequest {
    /// The error for several fields `Host`: a proxy and the server behind it may use different ones (RFC 9112 §3.2).
    pub(crate) const TWO_HOSTS: Self = MalformedRequest("the request has more than one field `Host`");
}

/// The message that a signature covers: a request, or an answer with the request that it answers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Message<'m> {
    Request(&'m Request<'m>),
    Response { status: u16, headers: &'m Headers<'m>, request: &'m Request<'m> },
}
