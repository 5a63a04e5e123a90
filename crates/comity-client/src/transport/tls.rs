//! The TLS configuration of the transport. rustls uses the cryptography provider that is installed for the process, or
//! the provider of a feature. Root certificates come from the system and the options.

use std::sync::Arc;

use comity::policy::Failure;
use rustls::ClientConfig;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::{NetworkOptions, TransportError};
use crate::crypto::{NO_PROVIDER, provider};

/// The TLS configuration for origins, which prefers HTTP/2 to HTTP/1.1, and the configuration for proxies.
#[derive(Clone, Debug)]
pub(super) struct Tls {
    pub origins: Arc<ClientConfig>,
    pub proxies: Arc<ClientConfig>,
}

impl Tls {
    pub(super) fn new(options: &NetworkOptions) -> Result<Self, TransportError> {
        let proxies = config(options)?;
        let mut origins = proxies.clone();
        origins.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Tls { origins: Arc::new(origins), proxies: Arc::new(proxies) })
    }
}

fn config(options: &NetworkOptions) -> Result<ClientConfig, TransportError> {
    let failed =
        |error: rustls::Error| TransportError::new(Failure::Local, format!("TLS cannot be set up: {error}"));
    let provider = provider().ok_or_else(|| TransportError::new(Failure::Local, NO_PROVIDER))?;
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    let verifier: Arc<dyn ServerCertVerifier> = if options.insecure {
        Arc::new(unverified::AnyCertificate(provider))
    } else {
        let roots = options.roots()?;
        Arc::new(rustls_platform_verifier::Verifier::new_with_extra_roots(roots, provider).map_err(failed)?)
    };
    Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

impl NetworkOptions {
    /// Returns the certificates that are trusted in addition to the system's: `extra_roots` and the certificates in PEM
    /// files.
    fn roots(&self) -> Result<Vec<CertificateDer<'static>>, TransportError> {
        let mut roots: Vec<_> =
            self.extra_roots.iter().map(|der| CertificateDer::from(der.clone())).collect();
        for path in &self.ca {
            let failed = |reason: String| {
                let message = format!("cannot read the certificates in `{}`: {reason}", path.display());
                TransportError::new(Failure::Local, message)
            };
            let known = roots.len();
            for certificate in
                CertificateDer::pem_file_iter(path).map_err(|error| failed(error.to_string()))?
            {
                roots.push(certificate.map_err(|error| failed(error.to_string()))?);
            }
            if roots.len() == known {
                return Err(failed("the file has no certificate in PEM".to_owned()));
            }
        }
        Ok(roots)
    }
}

/// The certificate verifier for clients with disabled verification.
mod unverified {
    use std::sync::Arc;

    use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
    use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
    use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
    use rustls::{DigitallySignedStruct, Error, SignatureScheme};

    /// A verifier that accepts any certificate, for any host.
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
