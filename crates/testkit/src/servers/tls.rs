//! A certificate authority for tests, and the certificates that it issues.

use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

/// A certificate authority. Only clients to which its root certificate was given trust it.
pub struct Ca {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// The validity of a certificate: from 1 January of the first year to 1 January of the second.
type Years = (i32, i32);
const VALID: Years = (2020, 2120);
const EXPIRED: Years = (2020, 2021);
const NOT_YET_VALID: Years = (2119, 2120);

impl Ca {
    /// Creates an authority with a new key.
    pub fn new() -> Self {
        let mut params = params(Vec::new(), VALID, "Comity test root");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let issuer = CertifiedIssuer::self_signed(params, key()).expect("a root certificate");
        Ca { issuer }
    }

    /// Returns the root certificate in DER.
    pub fn der(&self) -> Vec<u8> {
        self.issuer.der().to_vec()
    }

    /// Returns the root certificate in PEM, for files of trusted certificates.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// Issues a certificate for these host names and IP addresses.
    pub fn identity<'a>(&self, hosts: impl IntoIterator<Item = &'a str>) -> Identity {
        self.issue(hosts, VALID)
    }

    /// Issues a certificate that expired years ago.
    pub fn expired<'a>(&self, hosts: impl IntoIterator<Item = &'a str>) -> Identity {
        self.issue(hosts, EXPIRED)
    }

    /// Issues a certificate that is not valid before 2119.
    pub fn not_yet_valid<'a>(&self, hosts: impl IntoIterator<Item = &'a str>) -> Identity {
        self.issue(hosts, NOT_YET_VALID)
    }

    /// Issues a certificate for a host name that no test uses.
    pub fn wrong_host(&self) -> Identity {
        self.issue(["somebody-else.invalid"], VALID)
    }

    fn issue<'a>(&self, hosts: impl IntoIterator<Item = &'a str>, years: Years) -> Identity {
        let mut params = params(hosts.into_iter().map(str::to_owned).collect(), years, "Comity test origin");
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let key = key();
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let pem = (certificate.pem(), key.serialize_pem());
        Identity { certificate: certificate.der().clone(), key: key.serialize_der(), pem }
    }
}

impl Default for Ca {
    fn default() -> Self {
        Ca::new()
    }
}

impl std::fmt::Debug for Ca {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ca").finish_non_exhaustive()
    }
}

/// A certificate and its key.
#[derive(Clone, Debug)]
pub struct Identity {
    certificate: CertificateDer<'static>,
    key: Vec<u8>,
    pem: (String, String),
}

impl Identity {
    /// Returns the certificate and the key in PEM.
    pub fn pem(&self) -> (&str, &str) {
        (&self.pem.0, &self.pem.1)
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        self.acceptor_of("http/1.1")
    }

    /// Returns an acceptor of TLS connections that offers one protocol by ALPN (RFC 7301), such as `h2`.
    pub fn acceptor_of(&self, protocol: &str) -> TlsAcceptor {
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(self.key.clone()));
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions of TLS")
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.clone()], key)
            .expect("a certificate and its key");
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        TlsAcceptor::from(Arc::new(config))
    }
}

fn key() -> KeyPair {
    KeyPair::generate().expect("a key")
}

fn params(hosts: Vec<String>, (from, until): Years, name: &str) -> CertificateParams {
    let mut params = CertificateParams::new(hosts).expect("host names and addresses");
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = date_time_ymd(from, 1, 1);
    params.not_after = date_time_ymd(until, 1, 1);
    params
}
