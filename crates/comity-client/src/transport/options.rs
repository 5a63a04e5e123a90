//! Options for connections.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::setting::Nameserver;
use crate::setting::section::section;

section! {
    /// Options for connections, for pages and robots.txt.
    pub struct NetworkOptions = "network" {
        /// Send all requests through this proxy; the usual proxy variables are not read.
        ///
        /// The value is an `http://` or `https://` URL that the guard must allow. A proxy resolves names itself. The
        /// guard still checks the names, but the proxy chooses the addresses that it dials.
        proxy: Option<Url> = None, "proxy", flag "proxy";
        /// Trust the certificates of this PEM file in addition to the system's.
        ca: Vec<PathBuf> = Vec::new(), "ca", flag "ca";
        /// Do not check certificates.
        insecure: bool = false, "insecure", flag "insecure";
        /// Query this DNS server instead of the system's resolver.
        nameserver: Vec<Nameserver> = Vec::new(), "nameserver", flag "nameserver";
        /// Whether cookies are kept for the lifetime of the client.
        ///
        /// Cookies are kept in memory and sent only with requests for pages. A cookie for a public suffix is rejected.
        cookies: bool = false, "cookies";
        /// Timeout for connecting, TLS included.
        connect_timeout: Duration = Duration::from_secs(10), "connect_timeout_seconds";
        /// Longest time without data in the middle of an answer.
        ///
        /// The timeout for the header is part of each request ([`Request::timeout`](super::Request::timeout)).
        read_timeout: Duration = Duration::from_secs(15), "read_timeout_seconds";
        /// Maximum number of idle connections per origin.
        idle_per_host: usize = 2, "idle_per_host";
        /// Maximum number of idle connections in total; at most half of the descriptors that the process may open.
        idle_connections: usize = 256, "idle_connections";
        /// Time after which an idle connection is closed.
        idle_timeout: Duration = Duration::from_secs(60), "idle_timeout_seconds";

        @not_written
        /// DER certificates that are trusted in addition to the system's.
        extra_roots: Vec<Vec<u8>>,
    }
}
