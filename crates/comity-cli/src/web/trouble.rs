//! Refusals and failures of the client in words, with the way out.

use comity_client::guard::{Refusal, RefusalReason};
use comity_client::{Cause, FetchError};

use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Why something was not had from the web.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    message: String,
    hint: Option<String>,
    /// What the exit code says about it.
    pub(crate) exit: Exit,
}

impl Trouble {
    /// What went wrong with this URL, for this reason.
    pub(crate) fn new(url: &str, cause: &Cause) -> Trouble {
        let hint = match cause {
            Cause::Guard(refusal) => allowance(refusal),
            Cause::Robots(_) => Some("robots.txt is obeyed; `--mode report_only` only reports it".to_owned()),
            _ => None,
        };
        let exit = if matches!(cause, Cause::Robots(_)) { Exit::Objection } else { Exit::Trouble };
        let message = match cause {
            Cause::Robots(_) => format!("`{url}` is not fetched: {cause}"),
            _ => format!("`{url}`: {cause}"),
        };
        Trouble { message, hint, exit }
    }

    /// Something that is no failure of the client.
    pub(crate) fn plain(message: impl Into<String>) -> Trouble {
        Trouble { message: message.into(), hint: None, exit: Exit::Trouble }
    }

    /// The same with a way out.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Trouble {
        Trouble { hint: Some(hint.into()), ..self }
    }

    /// Says it, and with which code to end.
    pub(crate) fn report(&self, output: &mut Output) -> Exit {
        output.failure(&self.failure());
        self.exit
    }

    /// In one line, for what goes on afterwards.
    pub(crate) fn line(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{} ({hint})", self.message),
            None => self.message.clone(),
        }
    }

    fn failure(&self) -> Failure {
        let failure = Failure::new(self.message.as_str());
        match &self.hint {
            Some(hint) => failure.hint(hint.as_str()),
            None => failure,
        }
    }
}

impl From<FetchError> for Trouble {
    fn from(error: FetchError) -> Trouble {
        let record = error.record();
        let trouble = Trouble::new(&record.final_url, error.cause());
        if record.final_url == record.requested_url {
            trouble
        } else {
            let message = format!("{} (redirected from `{}`)", trouble.message, record.requested_url);
            Trouble { message, ..trouble }
        }
    }
}

/// How to let the guard pass what it refused.
fn allowance(refusal: &Refusal) -> Option<String> {
    let flag = match (refusal.reason(), refusal.address()) {
        (RefusalReason::Port, _) => "--allow-port with the port".to_owned(),
        (RefusalReason::Credentials, _) => "--allow-credentials".to_owned(),
        (_, Some(address)) => format!("--allow-address {address}"),
        (RefusalReason::Metadata, None) => format!("--allow-host {}", refusal.host()),
        _ => return None,
    };
    Some(format!("if it is meant, allow it: {flag}"))
}
