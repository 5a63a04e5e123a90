//! Free ports, and other people's servers: started, waited for, killed.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

/// A port of 127.0.0.1 that was free a moment ago. Whoever takes it may come second; so only for servers that cannot
/// choose one themselves.
///
/// # Panics
///
/// If there is none.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("its address").port()
}

/// A program that serves. Killed when dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
}

impl Running {
    /// Starts a program and waits until something accepts connections at `address`.
    ///
    /// # Errors
    ///
    /// If the program cannot be started, ends early, or does not accept connections within `patience`.
    pub fn start(command: &mut Command, address: SocketAddr, patience: Duration) -> io::Result<Self> {
        let until = Instant::now() + patience;
        let mut running = Running { child: command.spawn()? };
        while TcpStream::connect_timeout(&address, Duration::from_millis(200)).is_err() {
            if let Some(status) = running.child.try_wait()? {
                return Err(io::Error::other(format!("{command:?} ended early: {status}")));
            }
            if Instant::now() > until {
                let said = format!("{command:?} does not listen on {address} after {patience:?}");
                return Err(io::Error::new(io::ErrorKind::TimedOut, said));
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(running)
    }

    /// The process, for signals of the caller's.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it (SIGKILL) and waits until it is gone.
    pub fn kill(self) {
        drop(self);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Either fails only if it is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
