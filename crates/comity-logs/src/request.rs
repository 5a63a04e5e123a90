//! The request of a log analysis.

use std::fmt;
use std::io::Read;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity::agents::{Prefix, Ranges};
use comity::robots::Dialect;
use comity_formats::logs::ForwardedField;
use comity_identity::{Outcome, Request};

/// Access logs, and the data for deciding their requests.
#[derive(Debug)]
#[non_exhaustive]
pub struct LogsRequest {
    /// The logs, in any order.
    pub logs: Vec<LogSource>,
    /// The robots.txt.
    pub robots: RobotsSource,
    /// The dialect in which robots.txt is read.
    pub dialect: Dialect,
    /// The address ranges that operators publish.
    pub ranges: Ranges,
    /// Networks of trusted proxies, whose `X-Forwarded-For` or similar header field contains the address of the client. If
    /// the list is empty, all private addresses are trusted proxies.
    pub trusted_proxies: Vec<Prefix>,
    /// The header field with the address of the client, which is used from any peer. If it is `None`, forwarded addresses are
    /// used only from trusted proxies.
    pub client_field: Option<ForwardedField>,
    /// The format of the lines.
    pub format: LogFormat,
    /// The only host whose requests count, if the logs contain hosts.
    pub host: Option<String>,
    /// True if rows contain whole addresses instead of networks (/24, /48).
    pub has_whole_addresses: bool,
    /// True if growing logs are followed until the job is cancelled. Without growing files, the job ends with its
    /// streams.
    pub follows: bool,
    /// The resolver of address names, by which crawlers of some operators are verified.
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
            client_field: None,
            format: LogFormat::default(),
            host: None,
            has_whole_addresses: false,
            follows: false,
            names: None,
            signatures: None,
        }
    }
}

/// The format of log lines. By default, the format is detected for each line.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LogFormat {
    /// The format in the syntax of nginx's `log_format` or Apache's `LogFormat`, or directives with such formats.
    pub template: Option<String>,
    /// Mappings for JSON objects: a field of requests, and the path of its key.
    pub keys: Vec<(String, String)>,
}

/// An access log, plain or compressed (gzip, Zstandard, LZ4).
#[non_exhaustive]
pub enum LogSource {
    /// A file or a named pipe.
    Path(PathBuf),
    /// Bytes that can be read only once, such as standard input. If logs are followed, a separate thread reads the bytes.
    Stream {
        /// The name for messages.
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
    /// One version that was always in force.
    Text {
        /// The name that rows contain.
        name: String,
        /// The bytes.
        body: Vec<u8>,
        /// The charset in the `Content-Type` of the robots.txt.
        charset: Option<String>,
        /// The file with the text. If logs are followed, each change of the file is a new version.
        file: Option<PathBuf>,
    },
    /// The files in a folder. Each path contains the time from which the version was served, such as
    /// `robots-2026-11-01.txt`.
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
    /// Returns a source with one version that was always in force.
    pub fn text(name: impl Into<String>, body: impl Into<Vec<u8>>) -> RobotsSource {
        RobotsSource::Text { name: name.into(), body: body.into(), charset: None, file: None }
    }
}

/// A resolver of address names. Look-ups run while logs are read.
pub trait AddressNames: fmt::Debug + Send {
    /// Returns the names of an address that resolve back to it, or an empty list if the look-up fails. Returns `None` while
    /// the look-up is in progress.
    fn names(&mut self, address: IpAddr) -> Option<Arc<[String]>>;

    /// Blocks until the next pending look-up completes.
    fn wait(&mut self);
}

/// A verifier of signed requests.
pub trait SignatureVerifier: fmt::Debug + Send {
    /// Verifies a request that was received at this time.
    fn verify(&mut self, request: &Request<'_>, at: SystemTime) -> Outcome;
}
