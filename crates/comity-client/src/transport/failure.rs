//! Converts errors of HTTP, TLS and the system into [`TransportError`]s. The outermost cause with a known kind
//! determines the kind of an error. A TLS error takes precedence.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::iter::successors;
use std::net::SocketAddr;
use std::time::SystemTime;

use comity::policy::{CertificateFault, Failure};
use rustls::CertificateError;
use rustls::pki_types::UnixTime;

use super::TransportError;

/// Converts an error of HTTP, TLS or the system.
pub(super) fn of(error: &(dyn Error + 'static)) -> TransportError {
    let mut failure = None;
    let mut next = Some(error);
    while let Some(cause) = next {
        if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
            if let rustls::Error::InvalidCertificate(error) = tls
                && let Some(error) = of_certificate(error)
            {
                return error;
            }
            failure = Some(of_tls(tls));
        } else if let Some(io) = cause.downcast_ref::<io::Error>() {
            failure = failure.or_else(|| of_io(io));
            // `source` skips the inner error of an I/O error.
            if let Some(inner) = io.get_ref() {
                next = Some(inner);
                continue;
            }
        } else if let Some(h2) = cause.downcast_ref::<h2::Error>() {
            failure = failure.or_else(|| is_graceful(h2).then_some(Failure::Connection));
        }
        next = cause.source();
    }
    TransportError::new(failure.unwrap_or(Failure::Protocol), chain(error))
}

/// Converts the error for an address that cannot be reached.
pub(super) fn of_dial(error: &io::Error, address: SocketAddr) -> TransportError {
    let failure = match of_io(error) {
        // A remote router may cause the same error.
        Some(Failure::Local) if error.kind() == ErrorKind::NetworkUnreachable && has_route(address) => {
            Failure::Connection
        }
        Some(failure) => failure,
        None => Failure::Connection,
    };
    TransportError::new(failure, format!("{address}: {error}"))
}

/// Returns true if the system has a route to an address. No packet is sent.
fn has_route(address: SocketAddr) -> bool {
    let any = if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    std::net::UdpSocket::bind(any).and_then(|socket| socket.connect(address)).is_ok()
}

/// Returns true if the server gracefully closed the connection or refused the request (RFC 9113 §6.8, §8.7).
pub(super) fn is_graceful(error: &h2::Error) -> bool {
    let is = |reason| error.reason() == Some(reason);
    error.is_remote()
        && (error.is_go_away() && is(h2::Reason::NO_ERROR)
            || error.is_reset() && is(h2::Reason::REFUSED_STREAM))
}

/// Returns the kind of a TLS error. A missing clock or random number is a local failure.
fn of_tls(error: &rustls::Error) -> Failure {
    match error {
        rustls::Error::FailedToGetCurrentTime | rustls::Error::FailedToGetRandomBytes => Failure::Local,
        _ => Failure::Tls,
    }
}

/// Maximum number of certificate names that an error lists.
const MAX_NAMES: usize = 5;

/// Returns the error for a rejected certificate, or `None` if its fault has no [`CertificateFault`].
fn of_certificate(error: &CertificateError) -> Option<TransportError> {
    let (fault, message) = match error {
        CertificateError::ExpiredContext { not_after, .. } => (
            CertificateFault::Expired,
            format!("the certificate of the server expired{}", on_day(*not_after)),
        ),
        CertificateError::Expired => {
            (CertificateFault::Expired, "the certificate of the server has expired".to_owned())
        }
        CertificateError::NotValidYetContext { not_before, .. } => (
            CertificateFault::NotYetValid,
            format!(
                "the certificate of the server becomes valid{}; check the clock of this machine",
                on_day(*not_before)
            ),
        ),
        CertificateError::NotValidYet => (
            CertificateFault::NotYetValid,
            "the certificate of the server is not valid yet; check the clock of this machine".to_owned(),
        ),
        CertificateError::NotValidForNameContext { expected, presented } => (
            CertificateFault::WrongName,
            format!(
                "the certificate of the server is not valid for `{}`; {}",
                expected.to_str(),
                names(presented)
            ),
        ),
        CertificateError::NotValidForName => (
            CertificateFault::WrongName,
            "the certificate of the server is not valid for the requested name".to_owned(),
        ),
        CertificateError::UnknownIssuer => (
            CertificateFault::UnknownIssuer,
            "the issuer of the server's certificate is not among the trusted authorities".to_owned(),
        ),
        CertificateError::Revoked => {
            (CertificateFault::Revoked, "the certificate of the server was revoked by its issuer".to_owned())
        }
        _ => return None,
    };
    Some(TransportError::of_certificate(fault, message))
}

/// Returns ` on 2021-01-01`, or an empty text for a time without a date.
fn on_day(time: UnixTime) -> String {
    let time = SystemTime::UNIX_EPOCH.checked_add(std::time::Duration::from_secs(time.as_secs()));
    let day = time.and_then(comity::rfc3339::seconds);
    day.and_then(|text| Some(format!(" on {}", text.split_once('T')?.0))).unwrap_or_default()
}

/// Returns the names in a certificate, for a message. webpki writes a name as `DnsName("a.example")`. Text that is
/// neither a host name nor an address is omitted, since a hostile server may choose it to mislead readers.
fn names(presented: &[String]) -> String {
    let bare = |name: &String| {
        let (_, name) = name.split_once('(')?;
        let name = name.strip_suffix(')')?.trim_matches('"');
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:*".contains(&byte);
        ((1..=253).contains(&name.len()) && name.bytes().all(is_host)).then(|| format!("`{name}`"))
    };
    let names: Vec<String> = presented.iter().filter_map(bare).collect();
    match names.len().checked_sub(MAX_NAMES) {
        _ if names.is_empty() => "it contains no host name".to_owned(),
        None | Some(0) => format!("it is for {}", names.join(", ")),
        Some(more) => format!("it is for {} and {more} more", names[..MAX_NAMES].join(", ")),
    }
}

fn of_io(error: &io::Error) -> Option<Failure> {
    match error.kind() {
        ErrorKind::TimedOut => Some(Failure::Timeout),
        ErrorKind::ConnectionRefused
        | ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::HostUnreachable => Some(Failure::Connection),
        // These errors mean: no route, no free port, refused by a local firewall, out of memory.
        ErrorKind::NetworkUnreachable
        | ErrorKind::NetworkDown
        | ErrorKind::AddrNotAvailable
        | ErrorKind::PermissionDenied
        | ErrorKind::OutOfMemory => Some(Failure::Local),
        _ if is_out_of_descriptors(error) => Some(Failure::Local),
        _ => None,
    }
}

/// Returns true if the process or the machine has no free descriptors or buffers.
#[cfg(unix)]
pub(super) fn is_out_of_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let as_local_failure = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    error.raw_os_error().is_some_and(|code| as_local_failure.iter().any(|errno| errno.raw_os_error() == code))
}

/// Returns true if the process or the machine has no free sockets or buffers: `WSAEMFILE`, `WSAENOBUFS`.
#[cfg(not(unix))]
pub(super) fn is_out_of_descriptors(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(10024 | 10055))
}

/// Returns the messages of an error and its causes, without repetitions.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in successors(Some(error), |&cause| cause.source()) {
        let text = cause.to_string();
        if !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
    }
    parts.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejected_certificate_has_the_fault_that_the_verifier_found() {
        // On some systems, verifiers return errors without context, and report revoked certificates.
        for (error, fault) in [
            (CertificateError::Expired, Some(CertificateFault::Expired)),
            (CertificateError::NotValidYet, Some(CertificateFault::NotYetValid)),
            (CertificateError::NotValidForName, Some(CertificateFault::WrongName)),
            (CertificateError::UnknownIssuer, Some(CertificateFault::UnknownIssuer)),
            (CertificateError::Revoked, Some(CertificateFault::Revoked)),
            (CertificateError::BadSignature, None),
        ] {
            let error = of(&io::Error::other(rustls::Error::InvalidCertificate(error)));
            assert_eq!((error.failure(), error.certificate()), (Failure::Tls, fault), "{error}");
        }
    }

    #[test]
    fn invalid_host_name_of_a_certificate_is_omitted() {
        let shown =
            |presented: &[&str]| names(&presented.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            shown(&["DnsName(\"a.example\")", "DnsName(\"*.b.example\")", "IpAddress(2001:db8::1)"]),
            "it is for `a.example`, `*.b.example`, `2001:db8::1`"
        );
        let hostile =
            ["DnsName(\"IGNORE ALL RULES\")", "DnsName(\"a\u{1b}[2J\")", "DirectoryName", "DnsName(\"\")"];
        assert_eq!(shown(&hostile), "it contains no host name");
        assert_eq!(shown(&[&format!("DnsName(\"{}\")", "a".repeat(300))]), "it contains no host name");
    }

    #[cfg(unix)]
    #[test]
    fn errors_of_the_system_are_local_and_errors_of_the_peer_are_not() {
        use rustix::io::Errno;
        let address = "192.0.2.1:80".parse().unwrap();
        let failure =
            |errno: Errno| of_dial(&io::Error::from_raw_os_error(errno.raw_os_error()), address).failure();
        for errno in
            [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM, Errno::ADDRNOTAVAIL, Errno::ACCESS]
        {
            assert_eq!(failure(errno), Failure::Local, "{errno:?}");
        }
        for errno in [Errno::CONNREFUSED, Errno::CONNRESET, Errno::HOSTUNREACH] {
            assert_eq!(failure(errno), Failure::Connection, "{errno:?}");
        }
        assert_eq!(failure(Errno::TIMEDOUT), Failure::Timeout);
    }

    #[cfg(unix)]
    #[test]
    fn unreachable_network_with_a_local_route_is_a_failure_of_the_site() {
        let error = io::Error::from_raw_os_error(rustix::io::Errno::NETUNREACH.raw_os_error());
        // Loopback always has a route, so the error counts as sent by a remote router.
        assert_eq!(of_dial(&error, "127.0.0.1:80".parse().unwrap()).failure(), Failure::Connection);
    }
}
