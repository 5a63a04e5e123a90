//! The request of the job.

use std::fmt;
use std::io::Read;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity::agents::{Prefix, Ranges};
use comity::robots::Dialect;
use comity_identity::{Outcome, Request};

/// Access logs, and what their requests are judged by.
#[derive(Debug)]
#[non_exhaustive]
pub struct LogsRequest {
    /// The logs, in any order.
    pub logs: Vec<LogSource>,
    /// The robots.txt.
    pub robots: RobotsSource,
    /// The dialect in which robots.txt is read.
    pub dialect: Dialect,
    /// The addresses that operators publish.
    pub ranges: Ranges,
    /// The networks of proxies whose `X-Forwarded-For` names the client.
    pub trusted_proxies: Vec<Prefix>,
    /// The format of the lines, as nginx's `log_format` or Apache's `LogFormat` writes it. Without one it is detected line by line.
    pub log_format: Option<String>,
    /// The only host whose requests count, where the log names hosts.
    pub host: Option<String>,
    /// True if rows have whole addresses in place of their networks (/24, /48).
    pub has_whole_addresses: bool,
    /// True if logs are read as they grow, until the job is cancelled or all streams end.
    pub follows: bool,
    /// The names of addresses, by which some operators have their crawlers verified.
    pub names: Option<Box<dyn AddressNames>>,
    /// The verifier of signed requests.
    pub signatures: Option<Box<dyn SignatureVerifier>>,
}

impl LogsRequest {
    /// Creates a request with the default dialect and the bundled address ranges.
    pub fn new(logs: Vec<LogSource>, robots: RobotsSource) -> LogsRequest {
        LogsRequest {
            logs,
            robots,
            dialect: Dialect::default(),
            ranges: Ranges::bundled(),
            trusted_proxies: Vec::new(),
            log_format: None,
            host: None,
            has_whole_addresses: false,
            follows: false,
            names: None,
            signatures: None,
        }
    }
}

/// A log, compressed (gzip, Zstandard, LZ4) or not.
#[non_exhaustive]
pub enum LogSource {
    /// A file or a named pipe.
    Path(PathBuf),
    /// Bytes that come once, such as standard input. Where logs are followed, they are read on a thread that ends with them.
    Stream {
        /// The name in messages.
        name: String,
        /// The bytes.
        bytes: Box<dyn Read + Send>,
    },
}

impl fmt::Debug for LogSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogSource::Path(path) => f.debug_tuple("Path").field(path).finish(),
            LogSource::Stream { name, .. } => {
                f.debug_struct("Stream").field("name", name).finish_non_exhaustive()
            }
        }
    }
}

/// One or more versions of a robots.txt.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RobotsSource {
    /// One version, which was always in force.
    Text {
        /// The name in rows.
        name: String,
        /// The bytes.
        body: Vec<u8>,
        /// The charset of the `Content-Type` that the text came with.
        charset: Option<String>,
        /// The file of the text. Where logs are followed, a change of the file is a new version.
        file: Option<PathBuf>,
    },
    /// The files of a folder. Their names have the times since when they were served, such as `robots-2026-11-01.txt`.
    Folder(PathBuf),
    /// A file in a Git repository, with its history.
    Repository {
        /// The path of the file.
        path: PathBuf,
        /// The time between a commit and its deployment.
        deployed_after: Duration,
    },
}

impl RobotsSource {
    /// Returns the source of one version that was always in force.
    pub fn text(name: impl Into<String>, body: impl Into<Vec<u8>>) -> RobotsSource {
        RobotsSource::Text { name: name.into(), body: body.into(), charset: None, file: None }
    }
}

/// Looks up the names of addresses while logs are read on.
pub trait AddressNames: fmt::Debug + Send {
    /// Returns the names of an address that lead back to it, or none if they cannot be looked up. Returns `None` until the
    /// answer has come.
    fn names(&mut self, address: IpAddr) -> Option<Arc<[String]>>;

    /// Waits for the next answer to a pending look-up.
    fn wait(&mut self);
}

/// Verifies signed requests.
pub trait SignatureVerifier: fmt::Debug + Send {
    /// Verifies a request as of the time at which it was received.
    fn verify(&mut self, request: &Request<'_>, at: SystemTime) -> Outcome;
}
