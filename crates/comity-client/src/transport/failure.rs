//! Classifies errors by the deepest cause in their chain.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;

use comity::policy::Failure;

use super::TransportError;

/// Returns the failure for an error of HTTP, TLS or the system.
pub(super) fn of(error: &(dyn Error + 'static)) -> TransportError {
    let mut failure = None;
    let mut next = Some(error);
    while let Some(cause) = next {
        if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
            failure = Some(of_tls(tls));
        } else if let Some(io) = cause.downcast_ref::<io::Error>() {
            failure = failure.or_else(|| of_io(io));
            // The inner error of an I/O error is not its source.
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

/// Returns the failure for an address that cannot be reached.
pub(super) fn of_dial(error: &io::Error, address: SocketAddr) -> TransportError {
    let failure = match of_io(error) {
        // A router far away may give the same error.
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

/// Returns true if the other side ended a connection, or refused a request, in good order (RFC 9113 §6.8, §8.7).
pub(super) fn is_graceful(error: &h2::Error) -> bool {
    let is = |reason| error.reason() == Some(reason);
    error.is_remote()
        && (error.is_go_away() && is(h2::Reason::NO_ERROR)
            || error.is_reset() && is(h2::Reason::REFUSED_STREAM))
}

/// Errors about the clock and random numbers are local.
fn of_tls(error: &rustls::Error) -> Failure {
    match error {
        rustls::Error::FailedToGetCurrentTime | rustls::Error::FailedToGetRandomBytes => Failure::Local,
        _ => Failure::Tls,
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
        // No route, no free port, a local firewall, no memory.
        ErrorKind::NetworkUnreachable
        | ErrorKind::NetworkDown
        | ErrorKind::AddrNotAvailable
        | ErrorKind::PermissionDenied
        | ErrorKind::OutOfMemory => Some(Failure::Local),
        _ if is_out_of_descriptors(error) => Some(Failure::Local),
        _ => None,
    }
}

/// Returns true if the process or the machine has run out of descriptors or buffers.
#[cfg(unix)]
pub(super) fn is_out_of_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let ours = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    error.raw_os_error().is_some_and(|code| ours.iter().any(|errno| errno.raw_os_error() == code))
}

/// Returns true if the process or the machine has run out of sockets or buffers: `WSAEMFILE`, `WSAENOBUFS`.
#[cfg(not(unix))]
pub(super) fn is_out_of_descriptors(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(10024 | 10055))
}

/// Returns an error with its causes, without repetitions.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(cause) = next {
        let text = cause.to_string();
        if !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
        next = cause.source();
    }
    parts.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_the_system_refuses_is_ours_and_what_the_other_side_does_is_its_own() {
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
    fn a_network_that_only_others_cannot_reach_is_no_fault_of_ours() {
        let error = io::Error::from_raw_os_error(rustix::io::Errno::NETUNREACH.raw_os_error());
        // There is always a route to ourselves, so whoever says that there is none is somebody else.
        assert_eq!(of_dial(&error, "127.0.0.1:80".parse().unwrap()).failure(), Failure::Connection);
    }
}
