//! Reads robots.txt files in sequence, from files, standard input and sites.

use comity_answers::robots_file::RobotsFile;

use super::Session;
use super::failure::SiteFailure;
use crate::exit::Failure;
use crate::input::Source;
use crate::location::Location;
use crate::output::Output;
use crate::robots_txt;

/// Reader of robots.txt files.
pub(crate) struct Reader<'a> {
    network: &'a crate::args::NetworkArgs,
    session: Option<Session>,
    stdin_is_read: bool,
}

/// The reason why a robots.txt was not read.
pub(crate) enum RobotsReadError {
    /// The file cannot be read.
    File(Failure),
    /// The site has no readable robots.txt.
    Site(SiteFailure),
    /// Standard input was already read.
    Again,
}

impl RobotsReadError {
    /// Returns the failure of the command.
    pub(crate) fn failure(self) -> Failure {
        match self {
            RobotsReadError::File(failure) => failure,
            RobotsReadError::Site(error) => error.failure(),
            RobotsReadError::Again => Failure::new("standard input can be read only once"),
        }
    }
}

impl<'a> Reader<'a> {
    /// Creates a reader. The client is created when the first site is read.
    pub(crate) fn new(network: &'a crate::args::NetworkArgs) -> Self {
        Reader { network, session: None, stdin_is_read: false }
    }

    /// Reads a robots.txt. A missing one (404) is read as an empty file, with a note.
    pub(crate) fn read(
        &mut self,
        location: &Location,
        output: &mut Output,
    ) -> Result<RobotsFile, RobotsReadError> {
        let Location::Site { url, is_assumed } = location else {
            if *location == Location::Stdin && std::mem::replace(&mut self.stdin_is_read, true) {
                return Err(RobotsReadError::Again);
            }
            let source = location.source().unwrap_or(Source::Stdin);
            return robots_txt::read(&source).map_err(RobotsReadError::File);
        };
        if *is_assumed {
            output.note(&format!("the argument names a host, not a file, so {url} is requested"));
        }
        let session = self.session(output).map_err(RobotsReadError::File)?;
        let (file, remark) = session.robots_txt(url.as_ref()).map_err(RobotsReadError::Site)?;
        if let Some(remark) = remark {
            output.note(&remark);
        }
        Ok(file)
    }

    /// Returns the client for all requests of the command.
    pub(crate) fn session(&mut self, output: &mut Output) -> Result<&Session, Failure> {
        match &mut self.session {
            Some(session) => Ok(session),
            none => Ok(none.insert(Session::new(self.network, output)?)),
        }
    }

    /// Shuts down without waiting for running requests.
    pub(crate) fn finish(self) {
        self.session.into_iter().for_each(Session::finish);
    }
}
