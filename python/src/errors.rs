//! Conversion of the engine's errors to exceptions of the package (`comity.errors`).

use std::fmt::Display;
use std::io;
use std::path::Path;

use comity::robots::{TokenError, UrlError};
use comity_answers::url::UrlProblem;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

mod python {
    #![allow(
        missing_docs,
        clippy::missing_docs_in_private_items,
        reason = "documented where they are defined"
    )]
    pyo3::import_exception!(comity.errors, ComityError);
    pyo3::import_exception!(comity.errors, ConnectionFailed);
    pyo3::import_exception!(comity.errors, FetchError);
    pyo3::import_exception!(comity.errors, ForkError);
    pyo3::import_exception!(comity.errors, Refused);
    pyo3::import_exception!(comity.errors, SettingError);
    pyo3::import_exception!(comity.errors, SignError);
    pyo3::import_exception!(comity.errors, StoreError);
    pyo3::import_exception!(comity.errors, StatusError);
    pyo3::import_exception!(comity.errors, TimedOut);
    pyo3::import_exception!(comity.errors, TokenError);
    pyo3::import_exception!(comity.errors, UrlError);
    pyo3::import_exception!(comity.errors, UnknownNameError);
    pyo3::import_exception!(comity.errors, ReadError);
    pyo3::import_exception!(comity.errors, BatchError);
}

/// Returns the error for a text that the dialect does not accept as a URL.
pub(crate) fn url(error: UrlError) -> PyErr {
    python::UrlError::new_err(error.to_string())
}

/// Returns the error for a text that is not a product token.
pub(crate) fn token(error: TokenError) -> PyErr {
    let problem = error.problem();
    python::TokenError::new_err(format!("{problem}; a whole User-Agent header is comity.Agent.header(...)"))
}

/// Returns the error for a text that is not an HTTP or HTTPS URL.
pub(crate) fn not_web_url(problem: UrlProblem) -> PyErr {
    python::UrlError::new_err(problem.to_string())
}

/// Returns the error for a text that is not a usable URL.
pub(crate) fn bad_url(url: &str, error: impl Display) -> PyErr {
    python::UrlError::new_err(format!("`{url}` is not a usable URL: {error}"))
}

/// Returns the error for an unknown name of a dialect, preset, mode and so on.
pub(crate) fn unknown(error: impl Display) -> PyErr {
    python::UnknownNameError::new_err(error.to_string())
}

/// Returns the error that Python's `open` would raise: the matching subclass of `OSError` with error number, text and file
/// name.
pub(crate) fn io(error: io::Error, path: &Path) -> PyErr {
    let Some(code) = error.raw_os_error() else { return error.into() };
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default().to_owned();
    PyOSError::new_err((code, text, path.display().to_string()))
}

/// Returns the error for an unreadable document.
pub(crate) fn unreadable(error: impl Display) -> PyErr {
    python::ReadError::new_err(error.to_string())
}

/// Returns the error for a batch that cannot be decided as a whole.
pub(crate) fn batch(error: impl Display) -> PyErr {
    python::BatchError::new_err(error.to_string())
}

/// Returns the error for a client that is used in a forked process.
pub(crate) fn forked() -> PyErr {
    python::ForkError::new_err(
        "the client was created before the process forked, and its threads do not exist in this process: create a client \
         in each process; a store in a file (store=\"robots.db\") lets the processes share robots.txt answers and the pace",
    )
}

/// Returns the error for a client, crawl or admission that was closed.
pub(crate) fn closed() -> PyErr {
    python::ComityError::new_err("this client, crawl or admission is closed: create another one")
}

/// Returns the error for a task that ended without a result, because of a bug of this crate or because the process ends.
pub fn ended() -> PyErr {
    python::ComityError::new_err("the client stopped before the operation had a result: repeat the call")
}

/// Returns the error for an invalid setting or argument.
pub(crate) fn setting(error: impl Display) -> PyErr {
    python::SettingError::new_err(error.to_string())
}

/// Returns the error for a request that was not signed.
pub(crate) fn sign(error: impl Display) -> PyErr {
    python::SignError::new_err(error.to_string())
}

/// Returns the error for a failed store.
pub(crate) fn store(error: impl Display) -> PyErr {
    python::StoreError::new_err(error.to_string())
}

/// Kinds of fetch errors. Each has its own exception.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fetch {
    /// Comity refused the fetch.
    Refused,
    /// A time limit was exceeded.
    TimedOut,
    /// The connection to the site failed.
    ConnectionFailed,
    /// Any other error.
    Failed,
}

/// Returns the error for a fetch without a resulting page, with its record as dictionaries.
pub(crate) fn fetch(kind: Fetch, message: String, record: Bound<'_, PyAny>) -> PyErr {
    let arguments = (message, record.unbind());
    match kind {
        Fetch::Refused => python::Refused::new_err(arguments),
        Fetch::TimedOut => python::TimedOut::new_err(arguments),
        Fetch::ConnectionFailed => python::ConnectionFailed::new_err(arguments),
        Fetch::Failed => python::FetchError::new_err(arguments),
    }
}

/// Returns the error for a page with a status code of 400 or more.
pub(crate) fn status(message: String, page: &Bound<'_, PyAny>) -> PyErr {
    python::StatusError::new_err((message, page.clone().unbind()))
}
