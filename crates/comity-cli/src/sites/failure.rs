//! Refusals and failures of the client as text, with the remedy.

use comity_answers::sources::SourceError;
use comity_client::{Cause, FetchError, Remedy};

use crate::exit::{Exit, Failure};
use crate::output::Output;

/// The reason why a fetch failed.
#[derive(Clone, Debug)]
pub(crate) struct SiteFailure {
    message: String,
    hint: Option<String>,
    /// The exit code for the error.
    pub(crate) exit: Exit,
}

impl SiteFailure {
    /// Creates the error of a request for this URL.
    pub(crate) fn new(url: &str, cause: &Cause) -> SiteFailure {
        let hint = hint_of(cause).or_else(|| {
            let mode =
                || Remedy::new("robots.mode", Some("report_only"), "fetches it anyway, and records that");
            let is_refused = cause.decision().is_some() && !cause.is_local();
            let remedy = is_refused.then(mode)??;
            Some(format!("{} {}", remedy.option()?, remedy.effect()))
        });
        let is_objection = cause.decision().is_some() && !cause.is_local();
        let exit = if is_objection { Exit::Objection } else { Exit::Error };
        let message = match cause {
            Cause::Robots(_) | Cause::Unreachable(_) => format!("`{url}` is not fetched: {cause}"),
            _ => format!("`{url}`: {cause}"),
        };
        SiteFailure { message, hint, exit }
    }

    /// Creates an error that does not come from the client.
    pub(crate) fn plain(message: impl Into<String>) -> SiteFailure {
        SiteFailure { message: message.into(), hint: None, exit: Exit::Error }
    }

    /// Creates the error of a robots.txt that could not be fetched.
    pub(crate) fn of_source(error: &SourceError) -> SiteFailure {
        match error {
            SourceError::Client { robots_txt, cause } => SiteFailure::new(robots_txt, cause),
            error => SiteFailure::plain(error.to_string()),
        }
    }

    /// Sets the hint to the setting that permits such requests, if there is such a setting.
    pub(crate) fn with_remedy(self, cause: &Cause) -> SiteFailure {
        SiteFailure { hint: hint_of(cause).or(self.hint), ..self }
    }

    /// Prints the error, and returns the exit code.
    pub(crate) fn report(&self, output: &mut Output) -> Exit {
        output.failure(&self.failure());
        self.exit
    }

    /// Returns the error in one line, for commands that continue.
    pub(crate) fn line(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{} ({hint})", self.message),
            None => self.message.clone(),
        }
    }

    /// Returns the error that ends a command.
    pub(crate) fn failure(&self) -> Failure {
        let failure = Failure::new(self.message.as_str());
        match &self.hint {
            Some(hint) => failure.hint(hint.as_str()),
            None => failure,
        }
    }
}

/// Returns the setting that would have permitted a request, as a hint.
pub(crate) fn hint_of(cause: &Cause) -> Option<String> {
    cause.remedy().map(|remedy| remedy.to_string())
}

/// Returns a cause in one line, with the setting that would have permitted the request.
pub(crate) fn in_words(cause: &Cause) -> String {
    match hint_of(cause) {
        Some(hint) => format!("{cause} ({hint})"),
        None => cause.to_string(),
    }
}

impl From<FetchError> for SiteFailure {
    fn from(error: FetchError) -> SiteFailure {
        let record = error.record();
        let error = SiteFailure::new(&record.final_url, error.cause());
        if record.final_url == record.requested_url {
            error
        } else {
            let message = format!("{} (redirected from `{}`)", error.message, record.requested_url);
            SiteFailure { message, ..error }
        }
    }
}
