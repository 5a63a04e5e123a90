//! Valid and invalid certificates, tested with a client that trusts the authority of the test.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use testkit::servers::{Ca, Identity, Origin, Reply};

use crate::raw::{connect, request};

/// Requests `/x` at `address` with the server name `name`. The client trusts `ca`.
fn ask(ca: &Ca, address: SocketAddr, name: &str) -> io::Result<Vec<u8>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(ca.der())).expect("a root certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).expect("a name");
    let client = ClientConnection::new(Arc::new(config), name).expect("a client");
    let mut stream = StreamOwned::new(client, connect(address));
    stream.write_all(request("/x", "").as_bytes())?;
    let mut heard = Vec::new();
    stream.read_to_end(&mut heard)?;
    Ok(heard)
}

fn origin_with(identity: &Identity) -> Origin {
    Origin::start_tls_at(SocketAddr::from(([127, 0, 0, 3], 0)), identity)
}

#[test]
fn certificate_is_valid_for_its_hosts() {
    let ca = Ca::new();
    let origin = Origin::start_tls(&ca);
    origin.on("/x", Reply::ok("over TLS"));
    assert!(origin.url("/x").starts_with("https://127.0.0.1:"));
    for name in ["127.0.0.1", "localhost"] {
        let heard = ask(&ca, origin.address(), name).expect("an answer");
        assert!(heard.ends_with(b"\r\n\r\nover TLS"), "{name}");
    }
    let named = origin_with(&ca.identity(["a.test", "127.0.0.3"]));
    ask(&ca, named.address(), "a.test").expect("an answer");
    ask(&ca, named.address(), "b.test").expect_err("another host");
    assert_eq!((named.connections(), named.count("/x")), (2, 1));
}

#[test]
fn certificate_of_another_authority_is_rejected() {
    let (ca, other) = (Ca::new(), Ca::new());
    let origin = Origin::start_tls(&ca);
    let error = ask(&other, origin.address(), "localhost").expect_err("not trusted").to_string();
    assert!(error.contains("UnknownIssuer") || error.contains("BadSignature"), "{error}");
    assert_ne!(ca.der(), other.der());
    assert!(ca.pem().starts_with("-----BEGIN CERTIFICATE-----"));
}

#[test]
fn bad_certificate_is_rejected() {
    let ca = Ca::new();
    for (identity, complaint) in [
        (ca.expired(["a.test"]), "expired"),
        (ca.not_yet_valid(["a.test"]), "not valid yet"),
        (ca.wrong_host(), "not valid for name"),
    ] {
        let origin = origin_with(&identity);
        let error = ask(&ca, origin.address(), "a.test").expect_err("a bad certificate").to_string();
        assert!(error.contains(complaint), "{error}");
        assert_eq!(origin.count("/x"), 0);
    }
}

#[test]
fn reply_over_tls_can_end_too_early() {
    let ca = Ca::new();
    let origin = Origin::start_tls(&ca);
    origin.on("/x", Reply::reset().then(Reply::close()).then(Reply::short_body("short")));
    let error = ask(&ca, origin.address(), "localhost").expect_err("a reset");
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    assert_eq!(ask(&ca, origin.address(), "localhost").expect("the end"), b"");
    assert!(ask(&ca, origin.address(), "localhost").expect("the end").ends_with(b"short"));
}
