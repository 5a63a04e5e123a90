//! The transport that this crate brings: reqwest with rustls, dialling only what the guard checked.
//!
//! The guard sits inside the connector: names are resolved through [`Guard::resolve`], once, and only the addresses that
//! come out of it are dialled. There is no second look-up between check and dial, so a name that changes its mind
//! (DNS rebinding) wins nothing. Hosts written as addresses never reach a resolver; the guard checks them before the
//! request is sent.

use std::error::Error as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use comity::policy::Failure;
use rustls::pki_types::CertificateDer;
use url::Url;

use super::{Body, Request, Response, Transport, TransportError};
use crate::BoxFuture;
use crate::guard::{Guard, Refusal, ResolveError};

/// How the transport connects.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpOptions {
    /// How long connecting may take, the TLS handshake included. 10 seconds.
    pub connect_timeout: Duration,
    /// The longest silence in the middle of an answer. 15 seconds.
    pub read_timeout: Duration,
    /// Whether certificates are checked. For pages and robots.txt alike.
    pub verify_tls: bool,
    /// Certificates in DER that are trusted beside the system's.
    pub extra_roots: Vec<Vec<u8>>,
    /// A proxy for everything, `http://` or `https://`. Its own address has to pass the guard. A proxy resolves names
    /// itself: the guard still checks them, but what the proxy dials is the proxy's affair. The environment's proxy
    /// variables are not read.
    pub proxy: Option<Url>,
    /// Whether cookies are kept and sent, in memory.
    pub cookies: bool,
    /// Idle connections that are kept per host.
    pub idle_per_host: usize,
}

impl Default for HttpOptions {
    fn default() -> Self {
        HttpOptions {
            connect_timeout: Duration::from_secs(10),
            read_timeout: Duration::from_secs(15),
            verify_tls: true,
            extra_roots: Vec::new(),
            proxy: None,
            cookies: false,
            idle_per_host: 2,
        }
    }
}

impl HttpOptions {
    /// Trusts the certificates of a PEM file as well.
    ///
    /// # Errors
    ///
    /// [`TransportError`] if the file cannot be read or holds no certificate.
    pub fn trust_pem(mut self, path: impl Into<PathBuf>) -> Result<Self, TransportError> {
        use rustls::pki_types::pem::PemObject;
        let path = path.into();
        let failed = |reason: String| {
            TransportError::new(Failure::Tls, format!("no certificate in `{}`: {reason}", path.display()))
        };
        let certificates = CertificateDer::pem_file_iter(&path).map_err(|error| failed(error.to_string()))?;
        let known = self.extra_roots.len();
        for certificate in certificates {
            self.extra_roots.push(certificate.map_err(|error| failed(error.to_string()))?.to_vec());
        }
        if self.extra_roots.len() == known {
            Err(failed("it holds none in PEM".to_owned()))
        } else {
            Ok(self)
        }
    }
}

/// reqwest with rustls behind a [`Guard`].
#[derive(Clone, Debug)]
pub struct HttpTransport {
    client: reqwest::Client,
    guard: Guard,
}

impl HttpTransport {
    /// A transport that dials what `guard` lets pass.
    ///
    /// # Errors
    ///
    /// [`TransportError`] if there is no TLS to be had: no root certificates, or one of `extra_roots` is none; or if
    /// the proxy is no URL that can be used or does not pass the guard.
    pub fn new(guard: Guard, options: &HttpOptions) -> Result<Self, TransportError> {
        let setup = |error: reqwest::Error| TransportError::new(Failure::Tls, chain(&error));
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls(options)?)
            .dns_resolver(GuardedResolver(guard.clone()))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .cookie_store(options.cookies)
            .connect_timeout(options.connect_timeout)
            .read_timeout(options.read_timeout)
            .pool_max_idle_per_host(options.idle_per_host)
            .tcp_nodelay(true)
            .no_proxy();
        if let Some(proxy) = &options.proxy {
            guard.check_proxy(proxy).map_err(TransportError::refused)?;
            builder = builder.proxy(reqwest::Proxy::all(proxy.as_str()).map_err(setup)?);
        }
        Ok(HttpTransport { client: builder.build().map_err(setup)?, guard })
    }
}

/// rustls with ring, the system's roots and those of the options.
fn tls(options: &HttpOptions) -> Result<rustls::ClientConfig, TransportError> {
    let failed = |error: String| TransportError::new(Failure::Tls, format!("TLS cannot be set up: {error}"));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(error.to_string()))?;
    let verifier: Arc<dyn rustls::client::danger::ServerCertVerifier> = if options.verify_tls {
        let roots = options.extra_roots.iter().map(|der| CertificateDer::from(der.clone()));
        let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(roots, provider)
            .map_err(|error| failed(error.to_string()))?;
        Arc::new(verifier)
    } else {
        Arc::new(unverified::AnyCertificate(provider))
    };
    let mut config = builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// Resolves through the guard.
#[derive(Debug)]
struct GuardedResolver(Guard);

impl reqwest::dns::Resolve for GuardedResolver {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let guard = self.0.clone();
        Box::pin(async move {
            // The port of the URL replaces this one.
            match guard.resolve(name.as_str(), 0).await {
                Ok(addresses) => Ok(Box::new(addresses.into_iter()) as reqwest::dns::Addrs),
                Err(error) => Err(error.into()),
            }
        })
    }
}

impl Transport for HttpTransport {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(async move {
            self.guard.check_url(&request.url).map_err(TransportError::refused)?;
            let sent = self.client.request(request.method, request.url).headers(request.headers).send();
            let answer = match tokio::time::timeout(request.timeout, sent).await {
                Ok(answer) => answer.map_err(|error| failure_of(&error))?,
                Err(_) => {
                    let seconds = request.timeout.as_secs_f64();
                    return Err(TransportError::new(Failure::Timeout, format!("no answer in {seconds} s")));
                }
            };
            let (status, remote) = (answer.status(), answer.remote_addr());
            let headers = answer.headers().clone();
            Ok(Response::new(status, headers, HttpBody(answer)).from_remote(remote))
        })
    }
}

/// The rest of an answer.
#[derive(Debug)]
struct HttpBody(reqwest::Response);

impl Body for HttpBody {
    fn chunk(&mut self) -> BoxFuture<'_, Option<Result<Bytes, TransportError>>> {
        Box::pin(async move { self.0.chunk().await.map_err(|error| failure_of(&error)).transpose() })
    }
}

/// What kind of failure an error of reqwest's is: what is deepest in its chain tells.
fn failure_of(error: &reqwest::Error) -> TransportError {
    let mut failure = None;
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(cause) = next {
        if let Some(refusal) = cause.downcast_ref::<Refusal>() {
            return TransportError::refused(refusal.clone());
        }
        match cause.downcast_ref::<ResolveError>() {
            Some(ResolveError::Refused(refusal)) => return TransportError::refused(refusal.clone()),
            Some(error) => return TransportError::new(Failure::Dns, error.to_string()),
            None => {}
        }
        if cause.is::<rustls::Error>() {
            failure = Some(Failure::Tls);
        } else if let Some(io) = cause.downcast_ref::<std::io::Error>() {
            failure = failure.or_else(|| of_io(io));
            // An error that was put into an I/O error is not its source.
            if let Some(inner) = io.get_ref() {
                next = Some(inner);
                continue;
            }
        }
        next = cause.source();
    }
    let failure = failure.unwrap_or(if error.is_timeout() {
        Failure::Timeout
    } else if error.is_connect() {
        Failure::Connection
    } else {
        Failure::Protocol
    });
    TransportError::new(failure, chain(error))
}

fn of_io(error: &std::io::Error) -> Option<Failure> {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::TimedOut => Some(Failure::Timeout),
        ErrorKind::ConnectionRefused
        | ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::HostUnreachable
        | ErrorKind::NetworkUnreachable
        | ErrorKind::AddrNotAvailable => Some(Failure::Connection),
        _ => None,
    }
}

/// An error with its causes, each once, without the URL, which the caller knows.
fn chain(error: &reqwest::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut next: Option<&(dyn std::error::Error + 'static)> = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
        next = cause.source();
    }
    if parts.is_empty() { error.to_string() } else { parts.join(": ") }
}

/// For those who switched verification off.
mod unverified {
    use std::sync::Arc;

    use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
    use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
    use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
    use rustls::{DigitallySignedStruct, Error, SignatureScheme};

    /// Takes any certificate, whoever signed it and for whatever host.
    #[derive(Debug)]
    pub(super) struct AnyCertificate(pub(super) Arc<CryptoProvider>);

    impl ServerCertVerifier for AnyCertificate {
        fn verify_server_cert(
            &self,
            _: &CertificateDer<'_>,
            _: &[CertificateDer<'_>],
            _: &ServerName<'_>,
            _: &[u8],
            _: UnixTime,
        ) -> Result<ServerCertVerified, Error> {
            Ok(ServerCertVerified::assertion())
        }

        fn verify_tls12_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signed: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signed: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            self.0.signature_verification_algorithms.supported_schemes()
        }
    }
}
