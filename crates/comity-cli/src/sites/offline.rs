//! A build without the feature `live` reads files only: whatever would ask a site says so.

use std::ffi::OsStr;

use comity_answers::robots_file::RobotsFile;

use crate::args::NetworkArgs;
use crate::exit::Failure;
use crate::output::Output;

/// Stands for what a command does with URLs.
pub(crate) fn run<A, R>(_: A, _: &mut Output) -> Result<R, Failure> {
    Err(Failure::new("this build reads files only, and a URL is given")
        .hint("name a saved file, or build with the network: cargo build -p comity-cli"))
}

/// Stands for what fetches licences.
pub(crate) fn add_licenses<A, S>(args: A, _: &mut S, output: &mut Output) -> Result<(), Failure> {
    run(args, output)
}

/// Stands in for the client, which this build does not have.
pub(crate) enum Session {}

/// Stands for what may go wrong.
pub(crate) mod trouble {
    use crate::exit::Failure;

    /// Nothing is asked, so nothing goes wrong.
    pub(crate) enum Trouble {}

    impl Trouble {
        pub(crate) fn failure(&self) -> Failure {
            match *self {}
        }
    }
}

impl Session {
    /// Says that there is no network.
    pub(crate) fn new(args: &NetworkArgs, output: &mut Output) -> Result<Session, Failure> {
        run(args, output)
    }

    pub(crate) fn robots_txt(&self, _: &OsStr) -> Result<(RobotsFile, Option<String>), trouble::Trouble> {
        match *self {}
    }

    pub(crate) fn finish(self) {
        match self {}
    }
}
