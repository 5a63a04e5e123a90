//! Socket activation: `systemd` and programs like it open the socket, and pass it to the service.

use listenfd::ListenFd;
use tokio::net::{TcpListener, UnixListener};

use super::{BoundListener, ServeArgs, require_loopback};

use crate::exit::{Failure, reason};
use comity_serve::Listener;

/// Returns the listener that another program passed in file descriptor 3, as `LISTEN_FDS` and `LISTEN_PID` announce
/// (`sd_listen_fds(3)`), or `None` if none was passed.
///
/// The file of a Unix socket belongs to the other program, so the service does not remove it.
pub(super) fn listener(args: &ServeArgs) -> Result<Option<BoundListener>, Failure> {
    let mut passed = ListenFd::from_env();
    match passed.len() {
        0 => return Ok(None),
        1 => {}
        number => {
            return Err(Failure::new(format!(
                "{number} sockets were passed, but the service listens on one"
            )));
        }
    }
    let cannot =
        |error: std::io::Error| Failure::new(format!("cannot use the passed socket: {}", reason(&error)));
    if let Ok(Some(listener)) = passed.take_tcp_listener(0) {
        let address = listener.local_addr().map_err(cannot)?;
        if args.token_file.is_none() {
            require_loopback(address)?;
        }
        listener.set_nonblocking(true).map_err(cannot)?;
        let listener = Listener::Tcp(TcpListener::from_std(listener).map_err(cannot)?);
        return Ok(Some(BoundListener { listener, address: format!("http://{address}"), file: None }));
    }
    let listener = passed.take_unix_listener(0).map_err(cannot)?;
    let Some(listener) = listener else { return Ok(None) };
    let address = listener.local_addr().map_err(cannot)?;
    let path = address.as_pathname().unwrap_or_else(|| std::path::Path::new("(unnamed)"));
    let address = super::unix_address(path);
    listener.set_nonblocking(true).map_err(cannot)?;
    let listener = Listener::Unix(UnixListener::from_std(listener).map_err(cannot)?);
    Ok(Some(BoundListener { listener, address, file: None }))
}
