//! Replacements in a build without the feature `live`: every operation that needs a site returns an error.

use std::ffi::OsStr;

use comity_answers::robots_file::RobotsFile;

use crate::args::NetworkArgs;
use crate::exit::Failure;
use crate::output::Output;

/// Replacement for the operations that fetch URLs. Always returns an error.
pub(crate) fn run<A, R>(_: A, _: &mut Output) -> Result<R, Failure> {
    Err(Failure::new("a URL cannot be fetched: this build has no network")
        .hint("name a saved file, or build with the network: cargo build -p comity-cli"))
}

/// Replacement for the operation that fetches licenses.
pub(crate) fn add_licenses<A, S>(args: A, _: &mut S, output: &mut Output) -> Result<(), Failure> {
    run(args, output)
}

/// Replacement for the operation that fetches a document with a client.
pub(crate) fn fetch<A, R>(_: A, session: &Session, _: &mut Output) -> R {
    match *session {}
}

/// Replacement for the operation that requests the links of a document.
pub(crate) fn check<A, R>(_: A, session: &Session, _: &mut Output) -> R {
    match *session {}
}

/// Replacement for the client, which does not exist in this build.
pub(crate) enum Session {}

/// Replacement for the failures of the client.
pub(crate) mod failure {
    use crate::exit::Failure;

    /// No request is sent, so no failure is possible.
    pub(crate) enum SiteFailure {}

    impl SiteFailure {
        pub(crate) fn failure(&self) -> Failure {
            match *self {}
        }
    }
}

impl Session {
    /// Returns the error that this build has no network.
    pub(crate) fn new(args: &NetworkArgs, output: &mut Output) -> Result<Session, Failure> {
        run(args, output)
    }

    pub(crate) fn robots_txt(&self, _: &OsStr) -> Result<(RobotsFile, Option<String>), failure::SiteFailure> {
        match *self {}
    }

    pub(crate) fn finish(self) {
        match self {}
    }
}
