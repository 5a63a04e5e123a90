//! A real Redis or Valkey server for a test, on a free port, in a temporary folder, without persistence.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::PATIENCE;

/// A server that runs until it is dropped. It can be killed and started again at the same address.
#[derive(Debug)]
pub struct RedisServer {
    program: &'static str,
    port: u16,
    password: Option<String>,
    folder: tempfile::TempDir,
    child: Option<Child>,
}

impl RedisServer {
    /// Starts a server.
    ///
    /// # Panics
    ///
    /// If neither `redis-server` nor `valkey-server` is installed, or the server does not start.
    #[allow(clippy::new_without_default, reason = "it starts a process")]
    pub fn start() -> Self {
        Self::start_with(None)
    }

    /// Starts a server that requires a password.
    ///
    /// # Panics
    ///
    /// If neither `redis-server` nor `valkey-server` is installed, or the server does not start.
    pub fn start_with_password(password: &str) -> Self {
        Self::start_with(Some(password.to_owned()))
    }

    #[allow(clippy::panic, clippy::unwrap_used, reason = "a test cannot go on")]
    fn start_with(password: Option<String>) -> Self {
        let program = ["redis-server", "valkey-server"].into_iter().find(|program| is_installed(program));
        let Some(program) = program else {
            panic!(
                "these tests need a Redis or Valkey server; install one (`apt-get install redis-server`, `brew install redis`)"
            );
        };
        let folder = tempfile::tempdir().unwrap();
        let mut server = RedisServer { program, port: free_port().unwrap(), password, folder, child: None };
        // Another program may have bound the port in the meantime, so other ports are tried.
        for _ in 0..5 {
            if server.try_start() {
                return server;
            }
            server.port = free_port().unwrap();
        }
        panic!("`{program}` does not start");
    }

    /// Returns the URL of the server.
    pub fn url(&self) -> String {
        match &self.password {
            Some(password) => format!("redis://:{password}@127.0.0.1:{}", self.port),
            None => format!("redis://127.0.0.1:{}", self.port),
        }
    }

    /// Returns the URL of the server's Unix socket.
    pub fn unix_url(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("redis.sock")
    }

    /// Kills the server, which loses all data.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Suspends the server's process, so that it does not answer until it is [resumed](RedisServer::resume).
    pub fn pause(&self) {
        self.signal("-STOP");
    }

    /// Resumes a suspended server.
    pub fn resume(&self) {
        self.signal("-CONT");
    }

    #[allow(clippy::unwrap_used, reason = "a test cannot go on")]
    fn signal(&self, signal: &str) {
        if let Some(child) = &self.child {
            assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        }
    }

    /// Starts a killed server again, at the same address.
    ///
    /// # Panics
    ///
    /// If the server does not start.
    pub fn start_again(&mut self) {
        self.kill();
        assert!(self.try_start(), "`{}` does not start again on port {}", self.program, self.port);
    }

    #[allow(clippy::unwrap_used, reason = "a test cannot go on")]
    fn try_start(&mut self) -> bool {
        let mut command = Command::new(self.program);
        command
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no"])
            .args(["--port", &self.port.to_string()])
            .arg("--unixsocket")
            .arg(self.socket())
            .arg("--dir")
            .arg(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(password) = &self.password {
            command.args(["--requirepass", password]);
        }
        let mut child = command.spawn().unwrap();
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if child.try_wait().unwrap().is_some() {
                return false;
            }
            if self.answers().unwrap_or(false) {
                self.child = Some(child);
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = child.kill();
        let _ = child.wait();
        false
    }

    /// Returns true if a server answers, even if the answer is that it requires a password.
    fn answers(&self) -> io::Result<bool> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        stream.write_all(b"PING\r\n")?;
        let mut answer = [0; 5];
        stream.read_exact(&mut answer)?;
        Ok(&answer == b"+PONG" || &answer == b"-NOAU")
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
