//! Options of the guard.

use super::Guard;
use crate::setting::section::section;
use crate::setting::{Network, PortRange};

section! {
    /// Exceptions to the guard: addresses, hosts, ports and credentials that it allows.
    pub struct GuardOptions = "guard" {
        /// Allow connections to a network that is not public, such as 127.0.0.0/8.
        allow_address: Vec<Network> = Vec::new(), "allow_address", flag "allow-address";
        /// Allow connections to all addresses of a host except metadata services.
        allow_host: Vec<String> = Vec::new(), "allow_host", flag "allow-host" "HOST";
        /// Allow connections to a blocked port, such as 6000 or 8000-8100; `serve` and `mcp` block all but 80 and 443.
        allow_port: Vec<PortRange> = Vec::new(), "allow_port", flag "allow-port";
        /// Whether URLs may contain a user name or password.
        allow_credentials: bool = false, "allow_credentials";
    }
}

impl Guard {
    /// Creates a guard with the exceptions in the options.
    pub fn with_options(options: &GuardOptions) -> Self {
        let mut guard = Guard::new();
        for network in &options.allow_address {
            guard = guard.allow_address(network.0);
        }
        for host in &options.allow_host {
            guard = guard.allow_host(host);
        }
        for ports in &options.allow_port {
            guard = guard.allow_ports(ports.first..=ports.last);
        }
        if options.allow_credentials { guard.allow_credentials() } else { guard }
    }
}
