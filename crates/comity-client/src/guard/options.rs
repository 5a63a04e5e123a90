//! The settings of the guard.

use super::Guard;
use crate::setting::Network;
use crate::setting::section::section;

section! {
    /// What may be dialled although the guard would refuse it.
    pub struct GuardOptions = "guard" {
        /// Let a network be dialled that is not public, such as 127.0.0.0/8.
        allow_address: Vec<Network> = Vec::new(), "allow_address", flag "allow-address";
        /// Let a host be dialled whatever its addresses.
        allow_host: Vec<String> = Vec::new(), "allow_host", flag "allow-host" "HOST";
        /// Ports that may be dialled though browsers block them.
        allow_port: Vec<u16> = Vec::new(), "allow_port";
        /// Whether URLs may hold a user name or password.
        allow_credentials: bool = false, "allow_credentials";
    }
}

impl Guard {
    /// Returns a guard that allows what the options name.
    pub fn with_options(options: &GuardOptions) -> Self {
        let mut guard = Guard::new();
        for network in &options.allow_address {
            guard = guard.allowing(network.0);
        }
        for host in &options.allow_host {
            guard = guard.allowing_host(host);
        }
        for port in &options.allow_port {
            guard = guard.allowing_port(*port);
        }
        if options.allow_credentials { guard.allowing_credentials() } else { guard }
    }
}
