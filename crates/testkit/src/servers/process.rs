//! Free ports, and processes of other server programs.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

/// Returns a port of 127.0.0.1 that is free at the time of the call. Another program may bind it afterwards, so use it
/// only for servers that cannot choose a port themselves.
///
/// # Panics
///
/// If no port is free.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("its address").port()
}

/// A running server program. Dropping the value kills the program.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
}

impl ServerProcess {
    /// Starts a program and waits until `address` accepts connections.
    ///
    /// # Errors
    ///
    /// If the program cannot be started, ends early, or does not accept connections within `patience`.
    pub fn start(command: &mut Command, address: SocketAddr, patience: Duration) -> io::Result<Self> {
        let until = Instant::now() + patience;
        let mut running = ServerProcess { child: command.spawn()? };
        while TcpStream::connect_timeout(&address, Duration::from_millis(200)).is_err() {
            if let Some(status) = running.child.try_wait()? {
                return Err(io::Error::other(format!("{command:?} ended early: {status}")));
            }
            if Instant::now() > until {
                let message = format!("{command:?} does not listen on {address} after {patience:?}");
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(running)
    }

    /// Returns the process ID, to send signals to.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills the program (SIGKILL) and waits until it has ended.
    pub fn kill(self) {
        drop(self);
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // Both calls fail only if the program has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
