//! A build without the feature `live` reads files only: whatever would ask a site says so.

use std::ffi::OsStr;

use crate::args::NetworkArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Stands for what a command does with URLs.
pub(crate) fn run<A, R>(_: A, _: &mut Output) -> Result<R, Failure> {
    Err(Failure::new("this build reads files only, and a URL is given")
        .hint("name a saved file, or build with the network: cargo build -p comity-cli"))
}

/// Stands in for the client, which this build does not have.
pub(crate) enum Session {}

/// Stands for the robots.txt of a site.
pub(crate) struct SiteFile {
    pub(crate) name: String,
    pub(crate) body: Vec<u8>,
    pub(crate) charset: Option<String>,
}

/// Stands for what a site has instead.
pub(crate) enum Trouble {}

impl Session {
    /// Says that there is no network.
    pub(crate) fn new(args: &NetworkArgs, output: &mut Output) -> Result<Session, Failure> {
        run(args, output)
    }

    pub(crate) fn robots_file(&self, _: &OsStr) -> Result<SiteFile, Trouble> {
        match *self {}
    }

    pub(crate) fn finish(self) {
        match self {}
    }
}

impl Trouble {
    pub(crate) fn report(&self, _: &mut Output) -> Exit {
        match *self {}
    }
}
