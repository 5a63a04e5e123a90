//! The proxy between the client and sites. It forwards `http` requests (RFC 9112 §3.2.2) and opens a tunnel for `https`
//! requests (RFC 9110 §9.3.6). A failure between the client and the proxy is local, not a failure of the site.

use comity::policy::Failure;
use http::HeaderValue;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use url::Url;

use super::TransportError;

/// Maximum size of the header of an answer to `CONNECT`, in bytes.
const MAX_HEADER: usize = 8 * 1024;

/// A proxy.
#[derive(Clone)]
pub(super) struct Proxy {
    pub url: Url,
    /// Value of `Proxy-Authorization`, if the URL of the proxy contains a user name.
    pub authorization: Option<HeaderValue>,
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Print the URL without user name and password.
        f.debug_struct("Proxy").field("host", &self.url.host_str()).field("port", &self.url.port()).finish()
    }
}

impl Proxy {
    pub(super) fn new(url: &Url) -> Result<Self, TransportError> {
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            let message =
                format!("the URL of a proxy must begin with http:// or https://, not {}://", url.scheme());
            return Err(TransportError::new(Failure::Local, message));
        }
        Ok(Proxy { url: url.clone(), authorization: basic(url) })
    }

    /// Returns true if requests to a URL are forwarded instead of tunnelled.
    pub(super) fn forwards(&self, url: &Url) -> bool {
        url.scheme() == "http"
    }

    /// Requests a tunnel from the proxy to the origin of a URL.
    pub(super) async fn tunnel<S>(&self, stream: &mut S, to: &Url) -> Result<(), TransportError>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let broken = |what: String| TransportError::new(Failure::Local, format!("the proxy {what}"));
        let place = format!(
            "{}:{}",
            to.host_str().unwrap_or_default(),
            to.port_or_known_default().unwrap_or_default()
        );
        let mut request = format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n").into_bytes();
        if let Some(authorization) = &self.authorization {
            request.extend_from_slice(b"Proxy-Authorization: ");
            request.extend_from_slice(authorization.as_bytes());
            request.extend_from_slice(b"\r\n");
        }
        request.extend_from_slice(b"\r\n");
        let failed = |error: std::io::Error| broken(format!("closed the connection: {error}"));
        stream.write_all(&request).await.map_err(failed)?;
        stream.flush().await.map_err(failed)?;
        let mut answer = Vec::with_capacity(256);
        while !answer.ends_with(b"\r\n\r\n") {
            if answer.len() == MAX_HEADER {
                return Err(broken("sent a header that is too long".to_owned()));
            }
            // Read byte by byte, so that no data after the header is consumed.
            answer.push(stream.read_u8().await.map_err(failed)?);
        }
        match status(&answer) {
            Some(200..=299) => Ok(()),
            Some(407) => Err(broken("requires a user name and password; add them to its URL".to_owned())),
            Some(code @ 500..=599) => Err(TransportError::new(
                Failure::Connection,
                format!("the proxy cannot connect to {place}: {code}"),
            )),
            Some(code) => Err(broken(format!("does not connect to {place}: {code}"))),
            None => Err(broken("sent an answer that is not HTTP".to_owned())),
        }
    }
}

/// Returns the status code of an answer.
fn status(answer: &[u8]) -> Option<u16> {
    let rest = answer.strip_prefix(b"HTTP/1.")?;
    let code = rest.get(2..5)?;
    std::str::from_utf8(code).ok()?.parse().ok()
}

/// Returns the value of `Authorization` for the user name and password of a URL (RFC 7617). Returns `None` if the URL
/// contains neither.
pub(super) fn basic(url: &Url) -> Option<HeaderValue> {
    use base64::Engine;
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let mut plain = percent_decoded(url.username());
    plain.push(b':');
    plain.extend(percent_decoded(url.password().unwrap_or_default()));
    let text = format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(plain));
    let mut value = HeaderValue::try_from(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let hex = |byte: &u8| char::from(*byte).to_digit(16);
    let mut rest = text.as_bytes();
    let mut decoded = Vec::with_capacity(rest.len());
    while let [first, tail @ ..] = rest {
        rest = tail;
        if let ([high, low, tail @ ..], b'%') = (rest, first)
            && let (Some(high), Some(low)) = (hex(high), hex(low))
        {
            // Two hexadecimal digits encode a byte, so the value fits.
            decoded.push((high * 16 + low) as u8);
            rest = tail;
        } else {
            decoded.push(*first);
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxy_credentials_are_percent_decoded() {
        let value = |url: &str| basic(&url.parse().unwrap()).map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(value("http://proxy/"), None);
        // RFC 7617 §2.
        let expected = Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==".to_owned());
        assert_eq!(value("http://Aladdin:open%20sesame@proxy/"), expected);
        assert_eq!(percent_decoded("100%+f%4"), b"100%+f%4");
    }

    #[test]
    fn debug_output_of_a_proxy_hides_its_password() {
        let proxy = Proxy::new(&"http://name:secret@proxy.example:3128/".parse().unwrap()).unwrap();
        assert!(!format!("{proxy:?}").contains("secret"), "{proxy:?}");
        assert!(Proxy::new(&"socks5://proxy.example/".parse().unwrap()).is_err());
    }
}
