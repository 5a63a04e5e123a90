//! A build without the feature `live` asks no name servers.

use std::net::IpAddr;

use comity::agents::KnownAgent;

use super::args::LogsArgs;
use crate::exit::Failure;

/// Stands in for the names of addresses, which this build cannot ask for.
pub(super) enum Names {}

impl Names {
    pub(super) fn new(_: &LogsArgs) -> Result<Names, Failure> {
        Err(Failure::new("this build asks no name servers, and --dns is given")
            .hint("build with the network: cargo build -p comity-cli"))
    }

    pub(super) fn prove(_: &KnownAgent) -> bool {
        false
    }

    pub(super) fn is_of(&mut self, _: &KnownAgent, _: IpAddr) -> Option<bool> {
        match *self {}
    }

    pub(super) fn wait(&mut self) {
        match *self {}
    }

    pub(super) fn tidy(&mut self) {
        match *self {}
    }
}
