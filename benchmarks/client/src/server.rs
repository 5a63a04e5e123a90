//! The server of a benchmark. It is another process of this program, so that its CPU time is not counted.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A server process on loopback. Dropping it kills the process.
pub(crate) struct Server {
    process: Child,
    pub(crate) port: u16,
}

impl Server {
    /// Starts a process of this program as a server. `content` is the argument that selects the served content.
    pub(crate) fn start(content: &str) -> Result<Self, Box<dyn Error>> {
        let mut process =
            Command::new(std::env::current_exe()?).arg(content).stdout(Stdio::piped()).spawn()?;
        let out = process.stdout.take().ok_or("no output")?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        Ok(Server { process, port: line.trim().parse()? })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
